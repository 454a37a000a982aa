//! Tables that stand one below the other, set apart by a blank line.

use std::ops::Range;

use rustc_hash::FxHashSet;

use super::shapes::is_typed;
use super::usual_width;
use crate::delimited::records::Records;
use crate::names::fold;
use crate::null_tokens::is_null_token;

/// Lines of keys and values above a table.
const MAX_PAIRS: usize = 20;
/// Titles above a second table.
const MAX_TITLES: usize = 3;
/// Rows that show what a column holds.
const ROWS_LOOKED_AT: usize = 200;
/// A block of words alone is a table only where it has as many rows; fewer may be remarks with commas in them.
const MIN_ROWS_OF_WORDS: usize = 3;

/// The header of a table below lines of keys and values that a blank line sets apart from it; `None` where the first
/// records may be rows.
pub(super) fn header_below_pairs(records: &Records<'_>, range: Range<usize>) -> Option<usize> {
    let first_blank = records
        .after_blank
        .partition_point(|row| (*row as usize) <= range.start);
    let below = *records.after_blank.get(first_blank)? as usize;
    let filled = |row: usize| {
        records
            .fields(row)
            .filter(|field| !field.inner.trim().is_empty())
            .count()
    };
    if below >= range.end || below - range.start > MAX_PAIRS || !(range.start..below).all(|row| filled(row) <= 2) {
        return None;
    }
    let end = records
        .after_blank
        .get(first_blank + 1)
        .map_or(range.end, |row| range.end.min(*row as usize));
    let table = block(records, below..end)?;
    (table.width >= 3 && table.has_values).then_some(table.header)
}

/// Rows above a header whose values are compared with its names.
const ROWS_COMPARED: usize = 1_000;

/// Records without a blank line between them that have one width and look like a table with a header.
struct Block {
    width: usize,
    rows: usize,
    /// Lines of one field above the header.
    titles: usize,
    header: usize,
    /// Whether a column has a name above values.
    has_values: bool,
    /// The columns that hold values below their name.
    value_columns: Vec<bool>,
}

/// Where the table that begins at `start` ends: at the blank line above another table, or behind the last record.
///
/// Another table has a header of different words, rows of one width, and another width than the one above; where it has
/// the same, a name stands above values in each column that held values above, and something else speaks for a table.
pub(super) fn end_of_table(records: &Records<'_>, start: usize) -> usize {
    let first_blank = records.after_blank.partition_point(|row| (*row as usize) <= start);
    let starts = records.after_blank[first_blank..].iter().map(|row| *row as usize);
    let (mut above, mut first_header) = (None, None);
    let mut begin = start;
    for next in starts.chain([records.len()]) {
        let found = block(records, begin..next);
        if let (Some(above), Some(found), Some(first)) = (&above, &found, first_header)
            && begins_anew(above, found)
            && (above.width != found.width || is_another_header(records, first, begin, found))
        {
            return begin;
        }
        first_header = first_header.or(found.as_ref().map(|found| found.header));
        above = found.or(above);
        begin = next;
    }
    records.len()
}

fn begins_anew(above: &Block, below: &Block) -> bool {
    if above.width == below.width {
        let pairs = above.value_columns.iter().zip(&below.value_columns);
        return above.has_values && pairs.clone().all(|(above, below)| *below || !above);
    }
    // Lines of keys and values above a larger table are its preamble.
    above.has_values || above.width > below.width || above.rows >= below.rows
}

/// Whether a record of words among records of the same width is a header rather than a row with words for its values
/// (`South,Bolt,pending`): none of its words is a value above, and a title, a wider gap, a name of the first header or
/// words above two columns of values speak for it.
fn is_another_header(records: &Records<'_>, first_header: usize, begin: usize, below: &Block) -> bool {
    let names: FxHashSet<&str> = records.fields(below.header).map(|field| field.inner.trim()).collect();
    let is_evident = below.titles > 0
        || records.blank_lines_between(begin - 1, begin) > 1
        || records
            .fields(first_header)
            .any(|field| names.contains(field.inner.trim()))
        || below.value_columns.iter().filter(|holds_values| **holds_values).count() > 1;
    let from = begin.saturating_sub(ROWS_COMPARED).max(first_header + 1);
    // A header that is repeated stands above, too.
    let repeats = |row: usize| records.fields(row).all(|field| names.contains(field.inner.trim()));
    is_evident
        && (from..begin).all(|row| repeats(row) || records.fields(row).all(|field| !names.contains(field.inner.trim())))
}

/// Records of the table that look like the header of another one, though no blank line sets them apart: words below a title
/// of one field, in a column with values above and below.
pub(super) fn headers_below_titles(records: &Records<'_>, range: Range<usize>) -> Vec<usize> {
    let is_title = |row: usize| {
        records.width(row) == 1 && !is_typed(records.field(row, 0).inner.trim()) && !records.begins_with(row, '#')
    };
    let is_header = |row: usize| {
        let width = records.width(row);
        if width < 2 || !is_title(row - 1) || records.width(row + 1) != width || !names_columns(records, row) {
            return false;
        }
        let above = (range.start..row)
            .rev()
            .take(MAX_TITLES + 1)
            .find(|above| !is_title(*above));
        let is_value = |row: usize, column: usize| {
            column < records.width(row) && is_typed(records.field(row, column).inner.trim())
        };
        above.is_some_and(|above| (0..width).any(|column| is_value(above, column) && is_value(row + 1, column)))
    };
    (range.start + 2..range.end.saturating_sub(1))
        .filter(|row| is_header(*row))
        .collect()
}

fn block(records: &Records<'_>, rows: Range<usize>) -> Option<Block> {
    let titles = rows
        .clone()
        .take(MAX_TITLES)
        .take_while(|row| records.width(*row) == 1)
        .count();
    let header = rows.start + titles;
    let mut end = rows.end;
    while end > header && records.width(end - 1) == 1 {
        // Remarks below.
        end -= 1;
    }
    if end < header + 2 {
        return None;
    }
    let width = usual_width(records, header..end);
    let alike = (header..end).filter(|row| records.width(*row) == width).count();
    if width < 2 || records.width(header) != width || alike * 10 < (end - header) * 9 || !names_columns(records, header)
    {
        return None;
    }
    let body = header + 1..end.min(header + 1 + ROWS_LOOKED_AT);
    let value_columns: Vec<bool> = (0..width)
        .map(|column| {
            let cells = || {
                body.clone()
                    .map(|row| records.field(row, column).inner.trim())
                    .filter(|cell| !cell.is_empty() && !is_null_token(cell.as_bytes()))
            };
            let typed = cells().filter(|cell| is_typed(cell)).count();
            typed > 0 && typed * 10 >= cells().count() * 9
        })
        .collect();
    // Of two columns, words and a mixture: keys and their values.
    let pairs = width == 2
        && !value_columns.contains(&true)
        && body.clone().any(|row| is_typed(records.field(row, 1).inner.trim()));
    let has_values = value_columns.contains(&true);
    let rows = end - header;
    (!pairs && (has_values || rows >= MIN_ROWS_OF_WORDS)).then_some(Block {
        width,
        rows,
        titles,
        header,
        has_values,
        value_columns,
    })
}

/// Whether every field of a record is a word of its own.
fn names_columns(records: &Records<'_>, row: usize) -> bool {
    let mut names = FxHashSet::default();
    records.fields(row).all(|field| {
        let name = field.inner.trim();
        !name.is_empty() && !is_typed(name) && !is_null_token(name.as_bytes()) && names.insert(fold(name))
    })
}
