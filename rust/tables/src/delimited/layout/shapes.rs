//! What a cell's writing looks like, as far as headers and footers are concerned.

use crate::cells;
use crate::readings::{Reading, reading};

/// What a cell's writing looks like, as far as headers and footers are concerned.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Shape {
    Text,
    Number,
    Date,
}

pub(super) fn shape(cell: &str) -> Shape {
    let bytes = cells::trim(cell.as_bytes());
    if cells::integer(bytes).is_some() || cells::decimal(bytes).is_some() {
        return Shape::Number;
    }
    if cells::date(bytes).is_some() || cells::timestamp(bytes).is_some() {
        return Shape::Date;
    }
    match reading(cell) {
        Some(Reading::Date | Reading::Time) => Shape::Date,
        Some(_) => Shape::Number,
        None => Shape::Text,
    }
}

pub(super) fn is_typed(cell: &str) -> bool {
    shape(cell) != Shape::Text
}

pub(super) fn is_year(cell: &str) -> bool {
    cells::integer(cell.as_bytes()).is_some_and(|year| (1900..=2100).contains(&year))
}

/// Names that only number the columns: `0, 1, 2`.
pub(super) fn counts_up(cells: &[&str]) -> bool {
    let numbers: Vec<i64> = cells
        .iter()
        .filter_map(|cell| cells::integer(cell.as_bytes()))
        .collect();
    numbers.len() >= 3
        && numbers.len() + 1 >= cells.len()
        && (0..=1).contains(&numbers[0])
        && numbers.windows(2).all(|pair| pair[1] == pair[0] + 1)
}
