//! Records gathered into columns: the union of their keys in the order of first appearance.

use std::borrow::Cow;

use rustc_hash::FxHashMap;

use super::lexer::{Fault, Lexer, compact};
use crate::delimited::MAX_COLUMNS;
use crate::dynamic::{self, Cell};
use crate::table::{Note, SourceTable, TableError};

/// Beyond this many cells a table must be at least one tenth full: records whose keys hardly repeat are no table.
const SPARSE_CELLS: usize = 20_000_000;
const SPARSE_SHARE: usize = 10;

struct Gathered<'a> {
    key: Cow<'a, str>,
    cells: Vec<Cell<'a>>,
}

/// Rows of one table, column by column.
#[derive(Default)]
pub(super) struct Records<'a> {
    columns: Vec<Gathered<'a>>,
    places: FxHashMap<Cow<'a, str>, usize>,
    rows: usize,
    filled: usize,
    duplicate_keys: Vec<String>,
    duplicates: u64,
    not_in_json: u64,
    lone_surrogates: u64,
    /// Set once the keys are too many for the rows; nothing is gathered from then on.
    too_sparse: bool,
}

impl<'a> Records<'a> {
    pub(super) fn is_empty(&self) -> bool {
        self.columns.is_empty()
    }

    /// Adds a column that has no cell yet, so that it exists and stands at its place.
    pub(super) fn declare(&mut self, key: Cow<'a, str>) {
        self.place(key, self.columns.len());
    }

    /// Gives every column the name that `name` has for its key.
    pub(super) fn rename(&mut self, name: impl Fn(&str) -> Cow<'a, str>) {
        for column in &mut self.columns {
            column.key = name(&column.key);
        }
    }

    /// Reads an object as one row.
    pub(super) fn object(&mut self, lexer: &mut Lexer<'a>) -> Result<(), Fault> {
        lexer.enter(b'{')?;
        let mut expected = 0;
        while let Some(key) = lexer.next_key(expected == 0)? {
            let cell = lexer.value()?;
            self.put(key, cell, expected);
            expected += 1;
        }
        self.end_row(lexer);
        Ok(())
    }

    /// Adds one cell to the open row; `expected` is the column that most rows have there.
    pub(super) fn put(&mut self, key: Cow<'a, str>, cell: Cell<'a>, expected: usize) {
        if self.too_sparse {
            return;
        }
        let place = self.place(key, expected);
        let cell = self.canonical(cell);
        let column = &mut self.columns[place];
        if column.cells.len() > self.rows {
            self.duplicates += 1;
            if self.duplicate_keys.len() < Note::MAX_SAMPLES {
                self.duplicate_keys.push(column.key.to_string());
            }
            column.cells.truncate(self.rows);
        }
        column.cells.resize(self.rows, Cell::Null);
        column.cells.push(cell);
        self.filled += 1;
    }

    /// Closes the open row.
    pub(super) fn end_row(&mut self, lexer: &mut Lexer<'a>) {
        self.lone_surrogates += std::mem::take(&mut lexer.lone_surrogates);
        self.rows += 1;
    }

    fn place(&mut self, key: Cow<'a, str>, expected: usize) -> usize {
        // Records mostly have the same keys in the same order.
        if self.columns.get(expected).is_some_and(|column| column.key == key) {
            return expected;
        }
        let next = self.columns.len();
        let place = *self.places.entry(key.clone()).or_insert(next);
        if place == next {
            self.columns.push(Gathered { key, cells: Vec::new() });
            let cells = self.rows.saturating_mul(self.columns.len());
            self.too_sparse = cells > SPARSE_CELLS && cells / SPARSE_SHARE > self.filled;
        }
        place
    }

    fn canonical(&mut self, cell: Cell<'a>) -> Cell<'a> {
        match cell {
            Cell::Nested(written) => {
                let (text, replaced, lone) = compact(&written);
                self.not_in_json += replaced;
                self.lone_surrogates += lone;
                Cell::Nested(Cow::Owned(text))
            }
            cell => cell,
        }
    }

    /// Types the columns. Fails where the rows share too few keys to be a table, or there is no column at all.
    pub(super) fn finish(mut self, name: &str, mut notes: Vec<Note>) -> Result<SourceTable, TableError> {
        if self.columns.is_empty() {
            return Err(TableError::new("holds neither rows nor columns")
                .with_hint("a table is written as `[{\"column\": value, …}, …]`"));
        }
        if self.too_sparse {
            let keys = self.columns.len();
            let message = format!("has records with more than {keys} different keys that hardly share any");
            return Err(TableError::new(message).with_hint("write the keys as values of one column"));
        }
        if self.columns.len() > MAX_COLUMNS {
            let message = format!(
                "has {} different keys, more than the {MAX_COLUMNS} columns of a table",
                self.columns.len()
            );
            return Err(TableError::new(message)
                .with_hint("write one record for each key, with the key and its value in columns of their own"));
        }
        if self.duplicates > 0 {
            let message = "a key occurs twice in one record: its last value is kept";
            let note = Note::new("duplicate-keys", message, self.duplicates);
            notes.push(self.duplicate_keys.iter().fold(note, |note, key| note.with_sample(key)));
        }
        if self.lone_surrogates > 0 {
            let message = "half a character (a lone surrogate) was replaced by U+FFFD";
            notes.push(Note::new("lone-surrogates", message, self.lone_surrogates));
        }
        if self.not_in_json > 0 {
            let message = "NaN and infinite numbers inside objects or lists are null: JSON has no such numbers";
            notes.push(Note::new("nan-in-json", message, self.not_in_json));
        }
        let mut headers = Vec::new();
        let mut columns = Vec::new();
        for mut column in std::mem::take(&mut self.columns) {
            column.cells.resize(self.rows, Cell::Null);
            headers.push(column.key);
            columns.push(column.cells);
        }
        Ok(dynamic::assemble(name, &headers, &columns, self.rows, notes))
    }
}
