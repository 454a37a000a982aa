//! Tells the rows of the table from comments, repeated headers and what stands below.

use super::shapes::{is_typed, shape};
use super::{FOOTER_ROWS, Finder, index};

impl Finder<'_, '_> {
    /// The rows of the table, and notes of what is none.
    pub(super) fn rows(&mut self, first: usize, body: usize, has_header: bool) -> Vec<u32> {
        let records = self.records;
        let (mut comments, mut repeated) = (Vec::new(), Vec::new());
        let may_repeat = has_header && self.width > 1 && self.are_names(first);
        let mut rows: Vec<u32> = Vec::with_capacity(self.end - body);
        for row in body..self.end {
            if self.width > 1 && records.width(row) == 1 && self.is_comment(row) {
                comments.push(row);
            } else if may_repeat && self.repeats(first, row) {
                repeated.push(row);
            } else {
                rows.push(index(row));
            }
        }
        self.note_lines("comment-lines", "comment lines were left out", &comments);
        self.note_lines("repeated-header", "repetitions of the header were left out", &repeated);
        if self.width > 1 {
            self.cut_footer(&mut rows);
        }
        rows
    }

    pub(super) fn cut_footer(&mut self, rows: &mut Vec<u32>) {
        let records = self.records;
        let tail = rows
            .iter()
            .rev()
            .take(FOOTER_ROWS)
            .take_while(|row| self.filled(**row as usize) <= 1)
            .count();
        let start = rows.len() - tail;
        let set_apart = |row: u32| self.filled(row as usize) == 0 || records.after_blank.binary_search(&row).is_ok();
        // Below a gap, lines with one field are notes; without a gap, those that were written without delimiters.
        let gap = rows[start..].iter().position(|row| set_apart(*row)).unwrap_or(tail);
        let above = start
            .checked_sub(1)
            .map(|at| records.field(rows[at] as usize, 0).inner.trim());
        let loose = |row: u32| {
            let field = records.field(row as usize, 0).inner.trim();
            let like_above = above.is_some_and(|above| is_typed(above) && shape(above) == shape(field));
            self.width >= 3 && records.width(row as usize) == 1 && !like_above
        };
        let without_gap = rows[start..start + gap]
            .iter()
            .rev()
            .take_while(|row| loose(**row))
            .count();
        // A line with all its delimiters is a row if its one field stands where only a row has it, or looks like the one
        // above: a record of which little is known is no remark, and a remark has more than one word.
        let is_key = |text: &str| {
            above.is_some_and(|above| shape(above) == shape(text))
                && (is_typed(text) || !text.contains([' ', ':', '：']))
        };
        let row_like = |row: u32| {
            let cell = (0..records.width(row as usize))
                .map(|column| (column, records.field(row as usize, column).inner.trim()))
                .find(|(_, text)| !text.is_empty());
            records.width(row as usize) >= self.width && cell.is_some_and(|(column, text)| column > 0 || is_key(text))
        };
        let last_row = rows[start..]
            .iter()
            .rposition(|row| row_like(*row))
            .map_or(0, |at| at + 1);
        let cut = (start + gap - without_gap).max(start + last_row);
        let dropped: Vec<usize> = rows.split_off(cut).into_iter().map(|row| row as usize).collect();
        let (empty, footer): (Vec<usize>, Vec<usize>) = dropped.into_iter().partition(|row| self.filled(*row) == 0);
        self.note_lines("empty-rows", "rows of empty fields at the end were left out", &empty);
        self.note_lines("footer", "lines below the table were left out", &footer);
    }
}
