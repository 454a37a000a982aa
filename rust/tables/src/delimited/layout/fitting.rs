//! Fits the names of the header to the fields of the rows.

use super::shifts::Shifts;
use super::{Finder, TYPICAL_ROWS, too_wide};
use crate::delimited::records::MAX_COLUMNS;
use crate::names::{renamed_columns, unique_columns};
use crate::table::{Note, TableError};

impl Finder<'_, '_> {
    /// Fits the names to the rows: fields without a name get one, names without a field stay.
    pub(super) fn columns(
        &mut self,
        mut header: Vec<String>,
        rows: &[u32],
        has_header: bool,
        shifts: &Shifts,
    ) -> Result<Vec<String>, TableError> {
        let records = self.records;
        if !has_header {
            header = vec![String::new(); self.width];
        }
        if has_header && self.lacks_row_names(&header, rows) {
            header.insert(0, String::new());
            let message =
                "the header has one name less than the rows have fields; the first column was left without a name";
            self.notes
                .push(Note::new("short-header", message, 0).with_sample(&header[1..].join(" ")));
        }
        let named = header.len();
        let (mut short, mut long, mut spare) = (Vec::new(), Vec::new(), Vec::new());
        let mut extent = named;
        for &row in rows {
            if shifts.get(row).is_some() {
                continue;
            }
            let row = row as usize;
            let width = records.width(row);
            if width < named.min(self.width) {
                short.push(row);
            } else if width > named {
                let filled = (named..width)
                    .rev()
                    .find(|column| !records.field(row, *column).inner.is_empty());
                if let Some(last) = filled {
                    extent = extent.max(last + 1);
                    long.push(row);
                } else if width > self.width.max(named) {
                    spare.push(row);
                }
            }
        }
        if extent > MAX_COLUMNS {
            return Err(too_wide());
        }
        let what = format!("rows have fewer than {named} fields; the missing ones are NULL");
        self.note_lines("short-rows", &what, &short);
        let what = format!("rows have more than {named} fields; the others stand in columns of their own");
        self.note_lines("long-rows", &what, &long);
        self.note_lines(
            "spare-delimiters",
            "rows end in empty fields without a column, which were left out",
            &spare,
        );
        header.resize(extent, String::new());
        let unused = (0..header.len())
            .rev()
            .take_while(|column| {
                header[*column].trim().is_empty()
                    && rows
                        .iter()
                        .all(|row| records.field(*row as usize, *column).inner.is_empty())
            })
            .count();
        if has_header && unused > 0 && unused < header.len() {
            header.truncate(header.len() - unused);
            let message = format!("{unused} columns at the right without name and values were left out");
            self.notes.push(Note::new("empty-columns", message, unused as u64));
        }
        let columns = unique_columns(&header);
        if has_header {
            self.notes.extend(renamed_columns(&header, &columns));
        }
        Ok(columns)
    }

    /// Statistics programs write row names without a header: every row has one field more, and the first are all different.
    pub(super) fn lacks_row_names(&self, header: &[String], rows: &[u32]) -> bool {
        let records = self.records;
        if rows.len() < 2 || self.width != header.len() + 1 || header.iter().any(|name| name.trim().is_empty()) {
            return false;
        }
        let typical = &rows[..rows.len().min(TYPICAL_ROWS)];
        let mut first: Vec<&str> = typical
            .iter()
            .map(|row| records.field(*row as usize, 0).inner)
            .collect();
        first.sort_unstable();
        first.windows(2).all(|pair| pair[0] != pair[1])
            && typical.iter().all(|row| records.width(*row as usize) == self.width)
            && typical
                .iter()
                .any(|row| !records.field(*row as usize, self.width - 1).inner.is_empty())
    }
}
