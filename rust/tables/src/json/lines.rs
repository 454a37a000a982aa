//! JSON Lines and concatenated values: one row a value, bad lines counted.

use memchr::memchr;

use super::lexer::{Fault, Lexer};
use super::list::{lists, not_a_table, row_of};
use super::records::Records;
use super::shape::Refusal;
use crate::table::{Note, SourceTable};

/// Reads each value as a row. A line that is no JSON is rejected; when more are rejected than read, the file is.
pub(super) fn table(stem: &str, text: &str, mut notes: Vec<Note>) -> Result<SourceTable, Refusal> {
    let bytes = text.as_bytes();
    let mut lexer = Lexer::new(text);
    lexer.newlines_in_strings = false;
    let mut values = Vec::new();
    let mut rejected = Note::new("rejected-lines", "lines that are not JSON were left out", 0);
    let mut first_fault: Option<Fault> = None;
    let mut commas = 0;
    while let Some(byte) = lexer.peek() {
        if byte == b',' {
            lexer.at += 1;
            commas += 1;
            continue;
        }
        let start = lexer.at;
        match lexer.skip() {
            Ok(()) => values.push(start),
            Err(fault) => {
                let end = memchr(b'\n', &text.as_bytes()[start..]).map_or(text.len(), |length| start + length);
                rejected = rejected.with_sample(&text[start..end]);
                rejected.count += 1;
                first_fault.get_or_insert(fault);
                lexer.at = end;
            }
        }
    }
    if let Some(fault) = first_fault {
        // A damaged list or a pretty-printed object is not JSON Lines, though some of its lines are JSON.
        let is_lines = match lexer.from(0).peek() {
            Some(b'[') => values.iter().all(|start| bytes[*start] == b'['),
            _ => values.iter().all(|start| matches!(bytes[*start], b'{' | b'[')),
        };
        if !is_lines || rejected.count >= values.len() as u64 {
            return Err(Refusal::Fault(fault));
        }
        notes.push(rejected);
    }
    notes.extend(super::trailing_commas(lexer.trailing_commas));
    if commas > 0 {
        let message = format!("{commas} commas between the values were ignored: JSON Lines has none");
        notes.push(Note::new("commas-between-values", message, commas));
    }
    let (mut objects, mut arrays) = (0, 0);
    for start in &values {
        match bytes[*start] {
            b'{' => objects += 1,
            b'[' => arrays += 1,
            _ => {}
        }
    }
    if objects == 0 && arrays == 0 {
        return Err(Refusal::Table(not_a_table()));
    }
    if arrays == values.len() {
        return lists(stem, &lexer, &values, notes);
    }
    let mut records = Records::default();
    for start in values {
        row_of(&mut records, &mut lexer.from(start), &mut notes)?;
    }
    records.finish(stem, notes).map_err(Refusal::Table)
}
