//! Tells the rows of the table from comments, repeated headers and what stands below.

use super::blocks;
use super::shapes::{is_typed, shape};
use super::{FOOTER_ROWS, Finder, TYPICAL_ROWS, index};
use crate::null_tokens::is_null_token;
use crate::remarks::{is_remark, is_total};
use crate::table::Note;

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
        if self.width == 1 {
            self.note_blank_lines(&rows);
        }
        if self.width > 1 {
            self.cut_footer(&mut rows);
            self.cut_pairs(&mut rows);
            self.note_total(&rows);
            let headers = blocks::headers_below_titles(records, first..self.end);
            let what =
                "rows look like the header of another table below its title; they and what follows were kept as rows";
            self.note_lines("second-header", what, &headers);
        }
        rows
    }

    /// In a table of one column, a blank line may be a row without a value.
    fn note_blank_lines(&mut self, rows: &[u32]) {
        let blank = match (rows.first(), rows.last()) {
            (Some(first), Some(last)) => self.records.blank_lines_between(*first as usize, *last as usize),
            _ => 0,
        };
        if blank > 0 {
            let message = format!("{blank} blank lines between the rows were left out");
            self.notes.push(Note::new("blank-lines", message, blank));
        }
    }

    /// A total with its numbers stays: it is data, but whoever adds up the column has to know of it.
    fn note_total(&mut self, rows: &[u32]) {
        let Some(&last) = rows.last() else { return };
        let last = last as usize;
        if rows.len() > 2 && self.filled(last) > 1 && is_total(self.records.field(last, 0).inner) {
            let message = "the last row looks like the total of the others; it was kept";
            let note = Note::new("total-row", message, 1).with_sample(self.records.line(last));
            self.notes.push(note);
        }
    }

    /// Lines of keys and values that stand below a gap (`Total rows,2`), where the first column holds values: below a gap of
    /// one blank line they may be rows, and are kept.
    fn cut_pairs(&mut self, rows: &mut Vec<u32>) {
        let records = self.records;
        let is_pair = |row: u32| {
            let mut filled = records
                .fields(row as usize)
                .enumerate()
                .filter(|(_, field)| !field.inner.trim().is_empty())
                .map(|(column, _)| column);
            let key = records.field(row as usize, 0).inner.trim();
            filled.all(|column| column < 2) && !key.is_empty() && !is_typed(key) && !is_null_token(key.as_bytes())
        };
        let pairs = rows
            .iter()
            .rev()
            .take(FOOTER_ROWS)
            .take_while(|row| is_pair(**row))
            .count();
        let tail = rows.len() - pairs;
        let Some(start) = (tail.max(1)..rows.len()).find(|at| records.after_blank.binary_search(&rows[*at]).is_ok())
        else {
            return;
        };
        let above = &rows[start.saturating_sub(TYPICAL_ROWS)..start];
        if above.len() < 2
            || !above
                .iter()
                .all(|row| is_typed(records.field(*row as usize, 0).inner.trim()))
        {
            return;
        }
        let first = rows[start] as usize;
        if records.blank_lines_between(first - 1, first) > 1 {
            let footer: Vec<usize> = rows.split_off(start).into_iter().map(|row| row as usize).collect();
            self.note_lines("footer", "lines below the table were left out", &footer);
        } else {
            let doubtful: Vec<usize> = rows[start..].iter().map(|row| *row as usize).collect();
            let what = "rows below a blank line look like remarks on the table; they were kept";
            self.note_lines("doubtful-rows", what, &doubtful);
        }
    }

    fn cut_footer(&mut self, rows: &mut Vec<u32>) {
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
        let remark = |row: u32| {
            let field = records.field(row as usize, 0).inner.trim();
            self.filled(row as usize) == 1 && is_remark(field, self.width)
        };
        let loose = |row: u32| {
            let field = records.field(row as usize, 0).inner.trim();
            if remark(row) {
                return true;
            }
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
            records.width(row as usize) >= self.width
                && !remark(row)
                && cell.is_some_and(|(column, text)| column > 0 || is_key(text))
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
