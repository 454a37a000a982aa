//! Reads CSV, TSV and their relatives, however they were written, into typed columns.
//!
//! The order of decisions: encoding, format, layout, types. The first three look at a bounded part of the file and are then
//! checked on all of it; types come from every cell.

mod columns;
mod dialect;
pub(crate) mod encoding;
mod layout;
mod records;

use std::fs::File;
use std::io::Read;
use std::ops::Range;
use std::path::Path;
use std::sync::Arc;

use arrow_array::{ArrayRef, RecordBatch, RecordBatchOptions};
use arrow_schema::{Field, Schema};
use rayon::prelude::*;

use crate::table::{Column, Note, SourceTable, TableError};
use columns::{Built, Cells};
use dialect::{FULL_WIDTH_STAND_IN, Sniffed};
use encoding::Decoded;
use layout::Layout;
pub use records::MAX_COLUMNS;
use records::{Format, Records};

/// `DuckDB`'s row group: batches of this size are stored without being cut again.
const BATCH_ROWS: usize = 122_880;
/// Arrow's string offsets end at 2 GiB a column and batch.
const BATCH_BYTES: usize = 1 << 30;
/// Fields are addressed with 32 bits.
const MAX_BYTES: u64 = u32::MAX as u64;
/// A file that has no line break so far is not made of records.
const MAX_LINE_BYTES: usize = 16 << 20;
/// Below this size, threads cost more than they save.
const PARALLEL_BYTES: usize = 1 << 20;

/// How a file is written, for the person who asks.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Dialect {
    /// Between fields; `，` is possible, too.
    pub delimiter: char,
    /// Around fields that hold delimiters, quotes or line breaks; `"` where the file has none, `None` where quotes are text.
    pub quote: Option<char>,
    /// Before a literal quote; `None` where it is doubled.
    pub escape: Option<char>,
    /// A name that Python's codecs know.
    pub encoding: &'static str,
    /// Records above the header, blank lines not counted.
    pub skip_rows: usize,
    /// Whether the first record names the columns.
    pub has_header: bool,
}

/// Reads a delimited file with types from all its rows.
///
/// Its tables may stand one below the other: the first is called after the file's stem, the others `<stem>_2`, `<stem>_3`
/// and so on.
pub fn read_delimited(path: &Path) -> Result<Vec<SourceTable>, TableError> {
    let stem = path
        .file_stem()
        .map(|stem| stem.to_string_lossy().into_owned())
        .unwrap_or_default();
    tables_from_bytes(read_bounded(path)?, &stem)
}

/// Finds how a delimited file is written.
pub fn sniff_dialect(path: &Path) -> Result<Dialect, TableError> {
    let decoded = encoding::decode(read_bounded(path)?)?;
    let encoding = decoded.encoding;
    let (text, sniffed) = divide(decoded.text);
    let records = split(&text, sniffed)?;
    let layouts = layout::lay_out(&records, sniffed.divided)?;
    let layout = &layouts[0];
    let format = sniffed.format;
    Ok(Dialect {
        delimiter: shown_delimiter(format),
        quote: format.quote.map(char::from),
        escape: format.escape.map(char::from),
        encoding,
        skip_rows: layout.skipped,
        has_header: layout.has_header,
    })
}

/// Reads a file's text, and how it is spelled.
pub fn read_text(path: &Path) -> Result<(String, &'static str), TableError> {
    let decoded = encoding::decode(read_bounded(path)?)?;
    Ok((decoded.text, decoded.encoding))
}

/// Reads the tables of a file from its bytes.
pub fn tables_from_bytes(bytes: Vec<u8>, stem: &str) -> Result<Vec<SourceTable>, TableError> {
    let Decoded { text, notes, .. } = encoding::decode(bytes)?;
    let (text, sniffed) = divide(text);
    let records = split(&text, sniffed)?;
    let mut file_notes = notes;
    file_notes.extend(format_notes(&text, sniffed, &records));
    layout::lay_out(&records, sniffed.divided)?
        .into_iter()
        .enumerate()
        .map(|(at, layout)| {
            let name = if at == 0 {
                stem.to_owned()
            } else {
                format!("{stem}_{}", at + 1)
            };
            let mut table = build(&records, layout, name, text.len())?;
            if at == 0 {
                table.notes.splice(0..0, std::mem::take(&mut file_notes));
            }
            Ok(table)
        })
        .collect()
}

fn read_bounded(path: &Path) -> Result<Vec<u8>, TableError> {
    let failed = |error: std::io::Error| TableError::new(format!("cannot be read: {error}"));
    let mut file = File::open(path).map_err(failed)?;
    let size = file.metadata().map_err(failed)?.len();
    if size >= MAX_BYTES {
        return Err(
            TableError::new(format!("has {size} bytes, more than the reader takes ({MAX_BYTES})"))
                .with_hint("split the file, or convert it to Parquet"),
        );
    }
    let mut bytes = Vec::with_capacity(usize::try_from(size).unwrap_or(0));
    (&mut file)
        .take(MAX_LINE_BYTES as u64)
        .read_to_end(&mut bytes)
        .map_err(failed)?;
    if bytes.len() == MAX_LINE_BYTES && memchr::memchr2(b'\n', b'\r', &bytes).is_none() {
        return Err(
            TableError::new(format!("has no line break in its first {} MiB", MAX_LINE_BYTES >> 20))
                .with_hint("check that the file is delimited text"),
        );
    }
    file.take(MAX_BYTES).read_to_end(&mut bytes).map_err(failed)?;
    Ok(bytes)
}

/// Sniffs the text, and rewrites full-width commas where they are the delimiter.
fn divide(text: String) -> (String, Sniffed) {
    let beginning = dialect::beginning(&text, 1 << 12);
    if beginning.contains('，') && !text.contains(char::from(FULL_WIDTH_STAND_IN)) {
        let divided = text.replace('，', "\u{1f}");
        let sniffed = dialect::sniff(&divided);
        if sniffed.divided && sniffed.format.delimiter == FULL_WIDTH_STAND_IN {
            return (divided, sniffed);
        }
    }
    let sniffed = dialect::sniff(&text);
    (text, sniffed)
}

fn split(text: &str, sniffed: Sniffed) -> Result<Records<'_>, TableError> {
    if u32::try_from(text.len()).is_err() {
        return Err(TableError::new("is more than 4 GiB of text").with_hint("split the file, or convert it to Parquet"));
    }
    // Without a delimiter, lines are cells; NUL is a character that no line needs.
    let format = if sniffed.divided {
        sniffed.format
    } else {
        Format {
            delimiter: 0,
            ..sniffed.format
        }
    };
    let records = Records::split(text, format, false);
    if records.too_wide {
        Err(layout::too_wide())
    } else {
        Ok(records)
    }
}

fn shown_delimiter(format: Format) -> char {
    if format.delimiter == FULL_WIDTH_STAND_IN {
        '，'
    } else {
        char::from(format.delimiter)
    }
}

fn format_notes(text: &str, sniffed: Sniffed, records: &Records<'_>) -> Vec<Note> {
    let format = sniffed.format;
    let mut notes = Vec::new();
    let mut parts = Vec::new();
    if !sniffed.divided {
        parts.push("the file has a single column".to_owned());
    } else if format.delimiter != b',' {
        parts.push(format!("fields are divided by {:?}", shown_delimiter(format)));
    }
    match format.quote {
        Some(b'"') => {}
        Some(quote) => parts.push(format!("quoted with {:?}", char::from(quote))),
        None => parts.push("quotes are text".to_owned()),
    }
    if format.escape.is_some() {
        parts.push("escaped with a backslash".to_owned());
    }
    if format.skip_initial_space {
        parts.push("blanks behind delimiters belong to them".to_owned());
    }
    if !parts.is_empty() {
        notes.push(Note::new("dialect", parts.join(", "), 0));
    }
    if !records.unterminated.is_empty() {
        let count = records.unterminated.len() as u64;
        let mut note = Note::new(
            "unterminated-quote",
            format!("{count} opening quotes without an end were taken as text"),
            count,
        );
        for &row in records.unterminated.iter().take(Note::MAX_SAMPLES) {
            note = note.with_sample(records.line(row as usize));
        }
        notes.push(note);
    }
    if records.quotes_given_up {
        notes.push(Note::new(
            "quotes-given-up",
            "quotes are so broken that they were taken as text from some row on",
            0,
        ));
    }
    if records.stray_quotes > 0 {
        let message = format!(
            "{} quotes inside quoted fields were taken as text",
            records.stray_quotes
        );
        notes.push(Note::new("stray-quotes", message, records.stray_quotes));
    }
    let nul = memchr::memchr_iter(0, text.as_bytes()).count() as u64;
    if nul > 0 {
        notes.push(Note::new(
            "nul-characters",
            format!("the text holds {nul} NUL characters, which were kept"),
            nul,
        ));
    }
    notes
}

fn build(records: &Records<'_>, layout: Layout, name: String, bytes: usize) -> Result<SourceTable, TableError> {
    let batches = batch_ranges(records, &layout.rows);
    let build_column = |(column, name): (usize, &String)| {
        let cells = Cells {
            records,
            rows: &layout.rows,
            shifts: &layout.shifts,
            column,
        };
        columns::build(cells, name, &batches)
    };
    let built: Vec<Built> = if bytes >= PARALLEL_BYTES {
        layout.names.par_iter().enumerate().map(build_column).collect()
    } else {
        layout.names.iter().enumerate().map(build_column).collect()
    };
    let fields: Vec<Field> = layout
        .names
        .iter()
        .zip(&built)
        .map(|(name, column)| Field::new(name, column.kind.data_type(), true))
        .collect();
    let schema = Arc::new(Schema::new(fields));
    let columns = layout
        .names
        .into_iter()
        .zip(&built)
        .map(|(name, column)| Column {
            name,
            sql_type: column.kind.sql_type(),
        })
        .collect();
    let mut notes = layout.notes;
    notes.extend(built.iter().flat_map(|column| column.notes.iter().cloned()));
    let batches = batches
        .iter()
        .enumerate()
        .map(|(at, range)| {
            let arrays: Vec<ArrayRef> = built.iter().map(|column| column.arrays[at].clone()).collect();
            let options = RecordBatchOptions::new().with_row_count(Some(range.len()));
            RecordBatch::try_new_with_options(schema.clone(), arrays, &options)
        })
        .collect::<Result<_, _>>()
        .map_err(|error| TableError::new(format!("cannot be brought into columns: {error}")))?;
    Ok(SourceTable {
        name,
        columns,
        schema,
        batches,
        notes,
    })
}

/// Cuts the rows into batches that `DuckDB` stores as they are and whose strings Arrow can address.
fn batch_ranges(records: &Records<'_>, rows: &[u32]) -> Vec<Range<usize>> {
    let mut ranges = Vec::new();
    let mut start = 0;
    for at in 1..=rows.len() {
        let full = at - start == BATCH_ROWS
            || at == rows.len()
            || records.start(rows[at] as usize) - records.start(rows[start] as usize) > BATCH_BYTES;
        if full {
            ranges.push(start..at);
            start = at;
        }
    }
    ranges
}
