//! JSON and JSON Lines as tables, in every shape that programs write them in.

mod lexer;
mod lines;
mod list;
mod records;
mod shape;

use std::fs::File;
use std::io::Read;
use std::path::Path;

use encoding_rs::{UTF_16BE, UTF_16LE};
use memchr::memchr_iter;

use self::lexer::{Fault, Lexer};
use self::shape::Refusal;
use crate::delimited::encoding;
use crate::table::{Note, SourceTable, TableError};

/// Text and cells are in memory at once, at several times the file's size.
const MAX_BYTES: u64 = 2 << 30;

/// Reads a file as one table or several.
///
/// A file of one value is read by its shape (a list of records, `{"records": […]}`, columns, pandas' `split` and
/// `index`, an object of lists of records, …); a file of several values is read as JSON Lines.
pub fn read(path: &Path) -> Result<Vec<SourceTable>, TableError> {
    let stem = path.file_stem().unwrap_or_default().to_string_lossy().into_owned();
    let mut bytes = Vec::new();
    let unreadable = |error: std::io::Error| TableError::new(format!("cannot be opened: {error}"));
    let file = File::open(path).map_err(unreadable)?;
    file.take(MAX_BYTES + 1).read_to_end(&mut bytes).map_err(unreadable)?;
    if bytes.len() as u64 > MAX_BYTES {
        return Err(TableError::new("is larger than 2 GiB").with_hint("split it, or write it as Parquet"));
    }
    read_bytes(&stem, bytes)
}

/// Reads the content of a file called `stem`.
pub fn read_bytes(stem: &str, bytes: Vec<u8>) -> Result<Vec<SourceTable>, TableError> {
    let (text, mut notes) = decode(bytes)?;
    let mut lexer = Lexer::new(&text);
    if lexer.peek().is_none() {
        return Err(TableError::new("is empty").with_hint("delete the file, or export it again"));
    }
    let start = lexer.at;
    let outline = shape::outline(&mut lexer);
    let ends = lexer.peek().is_none();
    match outline {
        Ok(outline) if ends => {
            notes.extend(trailing_commas(lexer.trailing_commas));
            let tables = shape::tables(stem, &lexer.from(start), outline, notes);
            tables.map_err(|cause| cause.explain(&text))
        }
        // A second value follows, or the first is cut short by the end of its line.
        first => match (first, lines::table(stem, &text, notes)) {
            (_, Ok(table)) => Ok(vec![table]),
            (Err(fault), Err(Refusal::Fault(_))) => Err(explain(&fault, &text)),
            (_, Err(cause)) => Err(cause.explain(&text)),
        },
    }
}

/// Tells of commas that JSON forbids and that mean nothing.
fn trailing_commas(count: u64) -> Option<Note> {
    let message = format!("{count} commas before a closing bracket were ignored: JSON forbids them");
    (count > 0).then(|| Note::new("trailing-commas", message, count))
}

fn decode(bytes: Vec<u8>) -> Result<(String, Vec<Note>), TableError> {
    // JSON begins with an ASCII character: the NUL beside it shows UTF-16, in texts too short for a pattern too.
    let wide = match bytes.as_slice() {
        [first, 0, ..] if *first != 0 => UTF_16LE,
        [0, second, ..] if *second != 0 => UTF_16BE,
        _ => return encoding::decode(bytes).map(|decoded| (decoded.text, decoded.notes)),
    };
    let (text, _) = wide.decode_without_bom_handling(&bytes);
    let note = Note::new("encoding", "the file is UTF-16 without a byte order mark", 0);
    Ok((text.into_owned(), vec![note]))
}

/// Says where the text stops being JSON, as an editor counts.
fn explain(fault: &Fault, text: &str) -> TableError {
    let before = &text.as_bytes()[..fault.at.min(text.len())];
    let line = memchr_iter(b'\n', before).count() + 1;
    let start = before.iter().rposition(|byte| *byte == b'\n').map_or(0, |at| at + 1);
    let column = String::from_utf8_lossy(&before[start..]).chars().count() + 1;
    TableError::new(format!("is not JSON: line {line}, column {column}: {}", fault.message))
        .with_hint("mend the file; `python -m json.tool FILE` says whether it is JSON")
}
