//! Finds the header: where it stands, whether there is one, and whether it has two lines.

use rustc_hash::FxHashSet;

use super::blocks;
use super::shapes::{Shape, counts_up, is_typed, is_year, shape};
use super::{Finder, PREAMBLE_ROWS};
use crate::delimited::dialect;
use crate::names::fold;
use crate::null_tokens::is_null_token;
use crate::table::Note;

impl Finder<'_, '_> {
    /// The header, or the first row of a table without one.
    pub(super) fn first_row(&mut self) -> usize {
        let first = self.search_first_row();
        let preamble: Vec<usize> = (self.start..first).collect();
        self.note_lines("preamble", "lines above the table were left out", &preamble);
        first
    }

    pub(super) fn search_first_row(&self) -> usize {
        let limit = self.end.min(self.start + PREAMBLE_ROWS);
        let comments = self.start + (self.start..limit).take_while(|row| self.is_comment(*row)).count();
        if comments > self.start && comments < self.end {
            let last = comments - 1;
            let names_columns = self.records.width(last) == self.width
                && (self.width > 1 || comments == self.start + 1)
                && self.records.fields(comments).any(|f| is_typed(f.inner));
            return if names_columns { last } else { comments };
        }
        let declares = dialect::declared_delimiter(self.records.line(self.start)).is_some();
        let start = self.start + usize::from(declares && self.end - self.start > 1);
        if self.width == 1 {
            return start;
        }
        if let Some(header) = blocks::header_below_pairs(self.records, start..self.end) {
            return header;
        }
        // A header may lack the name of one column, or have an empty one; a title has one field, perhaps among empty ones.
        let enough = self.width.min(self.filled).div_ceil(2).max(2);
        let found = (start..limit)
            .find(|row| self.records.width(*row) + 1 >= self.width.max(3) && self.filled(*row) >= enough)
            .or_else(|| (start..limit).find(|row| self.records.width(*row) == self.width && self.filled(*row) > 0))
            .unwrap_or(start);
        // A title with a delimiter in it, above a line of words that names every column.
        let names_all = |row: usize| {
            row + 1 < self.end
                && self.records.width(row) == self.width
                && self
                    .records
                    .fields(row)
                    .all(|f| !f.inner.trim().is_empty() && !is_typed(f.inner))
                && self.records.fields(row + 1).any(|f| is_typed(f.inner.trim()))
        };
        if self.records.width(found) < self.width && names_all(found + 1) {
            found + 1
        } else {
            found
        }
    }

    /// A later record that repeats half of the header's names, but not the header: another table begins there.
    pub(super) fn next_header(&self) -> Option<usize> {
        if self.width < 3 {
            return None;
        }
        let first = self.search_first_row();
        let names: FxHashSet<&str> = self
            .records
            .fields(first)
            .map(|f| f.inner.trim())
            .filter(|name| !name.is_empty() && !is_typed(name))
            .collect();
        let opening = self.records.field(first, 0);
        if opening.inner.trim().is_empty() || names.len() < 3 {
            return None;
        }
        (first + 2..self.end).find(|row| {
            self.records.may_begin_with(*row, opening.inner) && self.records.field(*row, 0).inner == opening.inner && {
                let common = self
                    .records
                    .fields(*row)
                    .filter(|f| names.contains(f.inner.trim()))
                    .count();
                common * 2 >= names.len() && common >= 3 && !self.repeats(first, *row)
            }
        })
    }

    /// Whether a header consists of different words: a row that equals it is no coincidence.
    pub(super) fn are_names(&self, first: usize) -> bool {
        let names: Vec<String> = self.records.fields(first).map(|f| fold(f.inner.trim())).collect();
        let different: FxHashSet<&String> = names.iter().collect();
        different.len() == names.len() && names.iter().all(|name| !is_typed(name))
    }

    /// Whether two records have the same fields, however they are quoted.
    pub(super) fn repeats(&self, first: usize, row: usize) -> bool {
        let records = self.records;
        let opening = records.field(first, 0).inner;
        records.may_begin_with(row, opening)
            && records.width(first) == records.width(row)
            && records
                .fields(first)
                .zip(records.fields(row))
                .all(|(a, b)| a.inner == b.inner)
    }

    /// A header is the rule; it is missing only where the first row has a value in a column of such values and no name above
    /// a column of values.
    pub(super) fn has_header(&self, first: usize) -> bool {
        let sample: Vec<usize> = (first + 1..self.end)
            .filter(|row| self.records.width(*row) > 1 || self.width == 1)
            .take(200)
            .collect();
        let cells: Vec<&str> = self.records.fields(first).map(|f| f.inner.trim()).collect();
        if sample.is_empty() {
            // One line: names are words, or years.
            return cells.iter().all(|cell| !is_typed(cell) || is_year(cell));
        }
        let (mut values, mut names) = (0, 0);
        for (column, cell) in cells.iter().enumerate() {
            let below = || {
                sample
                    .iter()
                    .map(|row| self.records.field(*row, column).inner.trim())
                    .filter(|below| !below.is_empty() && !is_null_token(below.as_bytes()))
            };
            let typed = below().filter(|below| is_typed(below)).count();
            let all = below().count();
            if all == 0 || cell.is_empty() {
                continue;
            }
            let column_of_values = typed * 10 >= all * 9;
            let value = is_typed(cell) || is_null_token(cell.as_bytes());
            match (column_of_values, value) {
                (true, true) if is_year(cell) && !below().all(is_year) => {}
                (true, true) if shape(cell) == below().next().map_or(Shape::Text, shape) => values += 1,
                (true, false) => names += 1,
                _ => {}
            }
        }
        names > 0 || values == 0 || counts_up(&cells)
    }

    /// A second line of names under merged cells: it fills the gaps of the first and the body has values there.
    pub(super) fn joins_header(&self, first: usize) -> bool {
        let (second, body) = (first + 1, first + 2);
        if self.width < 3 || body >= self.end {
            return false;
        }
        let empty = |row: usize, column: usize| self.records.field(row, column).inner.trim().is_empty();
        let gaps = (0..self.width).filter(|column| empty(first, *column)).count();
        if gaps == 0 || self.records.width(second) < self.width {
            return false;
        }
        let words = self.records.fields(second).all(|f| !is_typed(f.inner.trim()));
        let complete = (0..self.width).all(|column| !empty(first, column) || !empty(second, column));
        let sparse = (0..self.width).any(|column| empty(second, column));
        let values_below = (0..self.width).any(|column| {
            !empty(second, column)
                && (body..self.end)
                    .take(50)
                    .any(|row| is_typed(self.records.field(row, column).inner.trim()))
        });
        words && complete && sparse && values_below
    }

    pub(super) fn join_header(&mut self, header: &mut Vec<String>, second: usize) {
        let mut group = String::new();
        header.resize(header.len().max(self.records.width(second)), String::new());
        for (column, name) in header.iter_mut().enumerate() {
            let field = self.records.field(second, column).text();
            let sub = field.trim();
            if !name.trim().is_empty() {
                name.trim().clone_into(&mut group);
            }
            if !sub.is_empty() {
                *name = format!("{group} {sub}");
            }
        }
        let message = "the header has two lines; their names were joined";
        self.notes
            .push(Note::new("multi-row-header", message, 2).with_sample(self.records.line(second)));
    }
}

/// Whether no name of a header is a word.
pub(super) fn holds_values(header: &[String]) -> bool {
    let mut names = header
        .iter()
        .map(|name| name.trim())
        .filter(|name| !name.is_empty())
        .peekable();
    names.peek().is_some() && names.all(is_typed)
}
