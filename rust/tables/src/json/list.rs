//! Lists as tables: of records, of lists, of single values.

use std::borrow::Cow;

use super::lexer::{Fault, Lexer};
use super::records::Records;
use super::shape::{Holds, Refusal};
use crate::dynamic::Cell;
use crate::table::{Note, SourceTable, TableError};

/// The column for the labels of pandas' rows.
const INDEX: Cow<'static, str> = Cow::Borrowed("index");

/// The name of the column for elements that are no records.
const VALUE: Cow<'static, str> = Cow::Borrowed("value");

/// What single values cannot be.
pub(super) fn not_a_table() -> TableError {
    TableError::new("holds single values, not rows").with_hint("a table is written as `[{\"column\": value, …}, …]`")
}

/// Where each element of the list at the lexer's place begins.
pub(super) fn elements(lexer: &Lexer<'_>) -> Result<Vec<usize>, Fault> {
    let mut lexer = lexer.clone();
    lexer.enter(b'[')?;
    let mut starts = Vec::new();
    while lexer.next_element(starts.is_empty())? {
        lexer.peek();
        starts.push(lexer.at);
        lexer.skip()?;
    }
    Ok(starts)
}

/// Whether a list only numbers the rows from 0.
pub(super) fn is_counted(lexer: &Lexer<'_>) -> Result<bool, Fault> {
    for (row, start) in elements(lexer)?.into_iter().enumerate() {
        let counted = matches!(lexer.from(start).value()?, Cell::Number(number) if number.parse() == Ok(row));
        if !counted {
            return Ok(false);
        }
    }
    Ok(true)
}

/// The elements of a list as names of columns.
pub(super) fn texts<'a>(lexer: &Lexer<'a>) -> Result<Vec<Cow<'a, str>>, Fault> {
    let mut texts = Vec::new();
    for start in elements(lexer)? {
        texts.push(match lexer.from(start).value()? {
            Cell::Text(text) | Cell::Number(text) | Cell::Nested(text) => text,
            _ => Cow::Borrowed(""),
        });
    }
    Ok(texts)
}

/// A list of records, of lists or of single values.
pub(super) fn list(stem: &str, lexer: &Lexer<'_>, holds: Holds, mut notes: Vec<Note>) -> Result<SourceTable, Refusal> {
    match holds {
        Holds::Records | Holds::Nothing => {
            let mut lexer = lexer.clone();
            let mut records = Records::default();
            let mut first = true;
            lexer.enter(b'[')?;
            while lexer.next_element(first)? {
                row_of(&mut records, &mut lexer, &mut notes)?;
                first = false;
            }
            records.finish(stem, notes).map_err(Refusal::Table)
        }
        Holds::Lists => lists(stem, lexer, &elements(lexer)?, notes),
        _ => {
            let mut lexer = lexer.clone();
            let mut records = Records::default();
            let mut first = true;
            lexer.enter(b'[')?;
            while lexer.next_element(first)? {
                lone_value(&mut records, &mut lexer)?;
                first = false;
            }
            records.finish(stem, notes).map_err(Refusal::Table)
        }
    }
}

/// Reads an element as a row; one that is no object stands in the column `value`, and a note says so.
pub(super) fn row_of<'a>(records: &mut Records<'a>, lexer: &mut Lexer<'a>, notes: &mut Vec<Note>) -> Result<(), Fault> {
    if lexer.peek() == Some(b'{') {
        return records.object(lexer);
    }
    let start = lexer.at;
    lone_value(records, lexer)?;
    let code = "stray-values";
    let found = notes.iter().position(|note| note.code == code);
    let place = found.unwrap_or_else(|| {
        notes.push(Note::new(
            code,
            "elements that are no objects stand in the column `value`",
            0,
        ));
        notes.len() - 1
    });
    let mut note = notes.remove(place).with_sample(&lexer.text()[start..lexer.at]);
    note.count += 1;
    notes.insert(place, note);
    Ok(())
}

/// Rows that are lists: the first names the columns where it holds nothing but texts.
pub(super) fn lists(stem: &str, lexer: &Lexer<'_>, starts: &[usize], notes: Vec<Note>) -> Result<SourceTable, Refusal> {
    let mut first = lexer.from(starts[0]);
    let mut header = Vec::new();
    first.enter(b'[')?;
    while first.next_element(header.is_empty())? {
        match first.value()? {
            Cell::Text(name) => header.push(name),
            _ => return rows_of_lists(stem, lexer, &[], starts, &[], notes),
        }
    }
    rows_of_lists(stem, lexer, &header, &starts[1..], &[], notes)
}

pub(super) fn rows_of_lists<'a>(
    stem: &str,
    lexer: &Lexer<'a>,
    header: &[Cow<'a, str>],
    starts: &[usize],
    index: &[usize],
    mut notes: Vec<Note>,
) -> Result<SourceTable, Refusal> {
    // Columns go by place, so that equal names stay two columns; the names are put in at the end.
    let mut records = Records::default();
    let places = |place: usize| Cow::Owned(place.to_string());
    (0..header.len()).for_each(|place| records.declare(places(place)));
    if !index.is_empty() {
        records.declare(INDEX);
    }
    let mut ragged = Note::new("ragged-rows", "lists are shorter or longer than the first", 0);
    let mut width = header.len();
    for (row, start) in starts.iter().enumerate() {
        let mut lexer = lexer.from(*start);
        let mut place = 0;
        lexer.enter(b'[')?;
        while lexer.next_element(place == 0)? {
            let cell = lexer.value()?;
            records.put(places(place), cell, place);
            place += 1;
        }
        if row == 0 && header.is_empty() {
            width = place;
        }
        if place != width {
            ragged = ragged.with_sample(&lexer.text()[*start..lexer.at]);
            ragged.count += 1;
        }
        if let Some(start) = index.get(row) {
            records.put(INDEX, lexer.from(*start).value()?, header.len());
        }
        records.end_row(&mut lexer);
    }
    if ragged.count > 0 {
        notes.push(ragged);
    }
    records.rename(|key| match key.parse::<usize>() {
        Ok(place) => header.get(place).cloned().unwrap_or_default(),
        Err(_) => INDEX,
    });
    records.finish(stem, notes).map_err(Refusal::Table)
}

/// Adds a value that is no record as a row of its own.
fn lone_value<'a>(records: &mut Records<'a>, lexer: &mut Lexer<'a>) -> Result<(), Fault> {
    let cell: Cell<'a> = lexer.value()?;
    records.put(VALUE, cell, 0);
    records.end_row(lexer);
    Ok(())
}
