//! One column while its rows come in, and the type that all of them allow.
//!
//! Values are kept in the storage class they come in, batch by batch, so nothing is converted until all are known.

use arrow_array::ArrayRef;
use arrow_buffer::{NullBuffer, NullBufferBuilder};
use arrow_schema::DataType;
use encoding_rs::{Encoding, UTF_8};
use rusqlite::types::ValueRef;

use super::convert::{Convert, Target, affinity, is_date_type};
use crate::delimited::encoding;
use crate::null_tokens::is_missing;
use crate::numbers::{DecimalShape, MAX_EXACT_INTEGER, shortest};
use crate::table::Note;

/// Cells of one batch in one storage class.
pub(super) enum Cells {
    /// Nothing but NULL so far.
    Nothing,
    Integers(Vec<i64>),
    Reals(Vec<f64>),
    Text(Strings),
    Blobs(Strings),
    /// Several classes: each cell by itself.
    Stored(Vec<Stored>),
}

/// Bytes of many cells in one piece, as Arrow keeps them.
pub(super) struct Strings {
    pub(super) ends: Vec<i32>,
    pub(super) bytes: Vec<u8>,
}

impl Strings {
    fn new(nulls: usize) -> Self {
        Self {
            ends: vec![0; nulls + 1],
            bytes: Vec::new(),
        }
    }

    fn push(&mut self, cell: &[u8]) {
        self.bytes.extend_from_slice(cell);
        // A batch closes at 512 MiB and a cell has at most 1 GB (`SQLITE_MAX_LENGTH`).
        self.ends.push(i32::try_from(self.bytes.len()).unwrap_or(i32::MAX));
    }

    pub(super) fn cells(&self) -> impl Iterator<Item = &[u8]> {
        self.ends
            .windows(2)
            .map(|pair| &self.bytes[place(pair[0])..place(pair[1])])
    }

    /// Whether every cell is, looking at all bytes at once.
    fn are_utf8(&self) -> bool {
        std::str::from_utf8(&self.bytes)
            .is_ok_and(|text| self.ends.iter().all(|end| text.is_char_boundary(place(*end))))
    }
}

fn place(end: i32) -> usize {
    usize::try_from(end).unwrap_or(0)
}

/// A cell of a column that holds several storage classes.
pub(super) enum Stored {
    Null,
    Integer(i64),
    Real(f64),
    Text(Box<[u8]>),
    Blob(Box<[u8]>),
}

struct Batch {
    cells: Cells,
    nulls: NullBufferBuilder,
}

impl Default for Batch {
    fn default() -> Self {
        Self {
            cells: Cells::Nothing,
            nulls: NullBufferBuilder::new(0),
        }
    }
}

/// How many cells a column holds of each storage class.
#[derive(Clone, Copy, Default)]
struct Tally {
    integers: u64,
    reals: u64,
    texts: u64,
    blobs: u64,
    /// Texts that stand for a missing value (`''`, `NULL`, `N/A`).
    null_tokens: u64,
    /// Integers that a DOUBLE would round.
    wide: u64,
}

/// What a column has become.
pub(super) struct Built {
    pub(super) sql_type: String,
    pub(super) arrow_type: DataType,
    pub(super) arrays: Vec<ArrayRef>,
    pub(super) notes: Vec<Note>,
}

/// Cells, their NULLs and their number.
pub(super) type ClosedBatch = (Cells, Option<NullBuffer>, usize);

/// Takes a column's cells in order.
#[derive(Default)]
pub(super) struct ColumnBuilder {
    open: Batch,
    closed: Vec<ClosedBatch>,
}

impl ColumnBuilder {
    /// Adds a cell and returns the bytes that the open batch's text holds by now.
    pub(super) fn push(&mut self, value: ValueRef<'_>) -> usize {
        match (&mut self.open.cells, value) {
            (Cells::Integers(values), ValueRef::Integer(value)) => values.push(value),
            (Cells::Reals(values), ValueRef::Real(value)) => values.push(value),
            (Cells::Text(cells), ValueRef::Text(cell)) | (Cells::Blobs(cells), ValueRef::Blob(cell)) => {
                cells.push(cell);
                self.open.nulls.append_non_null();
                return cells.bytes.len();
            }
            (_, ValueRef::Null) => {
                self.push_null();
                return 0;
            }
            (Cells::Nothing, value) => self.start(value),
            (Cells::Stored(cells), value) => cells.push(Stored::from(value)),
            (_, value) => {
                self.keep_classes();
                self.push(value);
                return 0;
            }
        }
        self.open.nulls.append_non_null();
        0
    }

    fn push_null(&mut self) {
        match &mut self.open.cells {
            Cells::Nothing => {}
            Cells::Integers(values) => values.push(0),
            Cells::Reals(values) => values.push(0.0),
            Cells::Text(cells) | Cells::Blobs(cells) => cells.push(b""),
            Cells::Stored(cells) => cells.push(Stored::Null),
        }
        self.open.nulls.append_null();
    }

    /// The batch's first value decides the class that the batch starts with.
    fn start(&mut self, value: ValueRef<'_>) {
        let nulls = self.open.nulls.len();
        self.open.cells = match value {
            ValueRef::Null => Cells::Nothing,
            ValueRef::Integer(value) => {
                let mut values = vec![0; nulls];
                values.push(value);
                Cells::Integers(values)
            }
            ValueRef::Real(value) => {
                let mut values = vec![0.0; nulls];
                values.push(value);
                Cells::Reals(values)
            }
            ValueRef::Text(cell) | ValueRef::Blob(cell) => {
                let mut cells = Strings::new(nulls);
                cells.push(cell);
                if matches!(value, ValueRef::Text(_)) {
                    Cells::Text(cells)
                } else {
                    Cells::Blobs(cells)
                }
            }
        };
    }

    /// A second storage class has come: the batch goes on cell by cell.
    fn keep_classes(&mut self) {
        let nulls = self.open.nulls.finish_cloned();
        let cells = std::mem::replace(&mut self.open.cells, Cells::Nothing);
        self.open.cells = Cells::Stored(cells.into_stored(nulls.as_ref()));
    }

    /// Ends the open batch.
    pub(super) fn close_batch(&mut self) {
        let mut batch = std::mem::take(&mut self.open);
        let rows = batch.nulls.len();
        self.closed.push((batch.cells, batch.nulls.finish(), rows));
    }

    /// Decides the type and converts every batch to it.
    pub(super) fn finish(self, name: &str, declared: &str) -> Built {
        let tally = self.tally();
        let mut notes = Vec::new();
        let target = self.target(name, declared, tally, &mut notes);
        let blobs_are_text = matches!(target, Target::Varchar) && tally.blobs > 0 && self.blobs_are_text();
        if matches!(target, Target::Varchar) && tally.blobs > 0 {
            let how = if blobs_are_text {
                "all are UTF-8 and are read as text"
            } else {
                "they are written as hexadecimal digits"
            };
            let message = format!("`{name}` holds BLOBs beside other values: {how}");
            notes.push(Note::new("blob-text", message, tally.blobs).with_column(name));
        }
        let encoding = if self.texts_are_utf8() {
            UTF_8
        } else {
            let (encoding, note) = self.legacy_encoding(name);
            notes.push(note);
            encoding
        };
        let convert = Convert {
            target,
            blobs_are_text,
            encoding,
        };
        let (sql_type, arrow_type) = target.types();
        Built {
            sql_type,
            arrow_type,
            arrays: self.closed.into_iter().map(|batch| convert.batch(batch)).collect(),
            notes,
        }
    }

    fn tally(&self) -> Tally {
        let mut tally = Tally::default();
        let texts = |cell: &[u8], tally: &mut Tally| {
            tally.texts += 1;
            tally.null_tokens += u64::from(is_missing(cell));
        };
        let integer = |value: i64, tally: &mut Tally| {
            tally.integers += 1;
            tally.wide += u64::from(value.unsigned_abs() > MAX_EXACT_INTEGER);
        };
        for (cells, nulls, rows) in &self.closed {
            let present = (rows - nulls.as_ref().map_or(0, NullBuffer::null_count)) as u64;
            match cells {
                Cells::Nothing => {}
                Cells::Integers(values) => {
                    tally.integers += present;
                    tally.wide += values
                        .iter()
                        .filter(|value| value.unsigned_abs() > MAX_EXACT_INTEGER)
                        .count() as u64;
                }
                Cells::Reals(_) => tally.reals += present,
                Cells::Blobs(_) => tally.blobs += present,
                Cells::Text(cells) => {
                    tally.texts += present;
                    // Null rows are empty cells too: they are taken off again.
                    let tokens = cells.cells().filter(|cell| is_missing(cell)).count() as u64;
                    tally.null_tokens += tokens - (*rows as u64 - present);
                }
                Cells::Stored(cells) => {
                    for cell in cells {
                        match cell {
                            Stored::Null => {}
                            Stored::Integer(value) => integer(*value, &mut tally),
                            Stored::Real(_) => tally.reals += 1,
                            Stored::Text(cell) => texts(cell, &mut tally),
                            Stored::Blob(_) => tally.blobs += 1,
                        }
                    }
                }
            }
        }
        tally
    }

    fn target(&self, name: &str, declared: &str, tally: Tally, notes: &mut Vec<Note>) -> Target {
        let numbers = tally.integers + tally.reals;
        if tally.blobs > 0 && numbers + tally.texts == 0 {
            return Target::Blob;
        }
        if numbers == 0 && tally.blobs == 0 {
            if tally.texts == 0 {
                return affinity(declared);
            }
            if is_date_type(declared) {
                let message = format!("`{name}` is declared {declared} and stored as text: it stays text");
                notes.push(Note::new("date-text", message, tally.texts).with_column(name));
            }
            return Target::Varchar;
        }
        if tally.blobs > 0 || tally.texts > tally.null_tokens {
            notes.push(self.mixed_note(name, tally));
            return Target::Varchar;
        }
        if tally.texts > 0 {
            let message = format!("`{name}` holds numbers and texts that stand for a missing value: those are NULL");
            let note = Note::new("null-tokens", message, tally.texts).with_column(name);
            notes.push(self.texts().take(Note::MAX_SAMPLES).fold(note, |note, cell| {
                note.with_sample(&format!("'{}'", String::from_utf8_lossy(cell)))
            }));
        }
        if tally.reals == 0 {
            Target::BigInt
        } else if tally.wide == 0 {
            Target::Double
        } else {
            let shape = self.decimal_shape();
            let kept = if shape.is_some() { "DECIMAL" } else { "text" };
            let message = format!("`{name}` holds fractions beside integers that a DOUBLE would round: kept as {kept}");
            notes.push(Note::new("wide-numbers", message, tally.wide).with_column(name));
            shape.map_or(Target::Varchar, Target::Decimal)
        }
    }

    fn mixed_note(&self, name: &str, tally: Tally) -> Note {
        let counts = [
            ("integers", tally.integers),
            ("reals", tally.reals),
            ("texts", tally.texts),
            ("blobs", tally.blobs),
        ];
        let listed: Vec<_> = counts
            .iter()
            .filter(|(_, count)| *count > 0)
            .map(|(class, count)| format!("{count} {class}"))
            .collect();
        let message = format!("`{name}` holds {}: kept as text", listed.join(", "));
        let fewer = tally.texts.min(tally.integers + tally.reals) + tally.blobs;
        let note = Note::new("mixed-types", message, fewer).with_column(name);
        if tally.texts <= tally.integers + tally.reals {
            self.texts()
                .take(Note::MAX_SAMPLES)
                .fold(note, |note, cell| note.with_sample(&String::from_utf8_lossy(cell)))
        } else {
            self.numbers()
                .take(Note::MAX_SAMPLES)
                .fold(note, |note, number| note.with_sample(&number))
        }
    }

    fn texts(&self) -> impl Iterator<Item = &[u8]> {
        self.closed.iter().flat_map(|(cells, nulls, _)| {
            let whole = match cells {
                Cells::Text(cells) => Some(cells.cells().enumerate()),
                _ => None,
            };
            let single = match cells {
                Cells::Stored(cells) => Some(cells.iter()),
                _ => None,
            };
            let present = move |row: &usize| nulls.as_ref().is_none_or(|nulls| nulls.is_valid(*row));
            whole
                .into_iter()
                .flatten()
                .filter_map(move |(row, cell)| present(&row).then_some(cell))
                .chain(single.into_iter().flatten().filter_map(|cell| match cell {
                    Stored::Text(cell) => Some(&**cell),
                    _ => None,
                }))
        })
    }

    /// Every number as it is written.
    fn numbers(&self) -> impl Iterator<Item = String> {
        self.closed.iter().flat_map(|(cells, nulls, rows)| {
            (0..*rows).filter_map(move |row| {
                let present = nulls.as_ref().is_none_or(|nulls| nulls.is_valid(row));
                match cells {
                    Cells::Integers(values) if present => Some(values[row].to_string()),
                    Cells::Reals(values) if present => Some(shortest(values[row])),
                    Cells::Stored(cells) => match &cells[row] {
                        Stored::Integer(value) => Some(value.to_string()),
                        Stored::Real(value) => Some(shortest(*value)),
                        _ => None,
                    },
                    _ => None,
                }
            })
        })
    }

    fn decimal_shape(&self) -> Option<DecimalShape> {
        let mut shape = DecimalShape::default();
        self.numbers().all(|number| shape.widen(&number)).then_some(shape)
    }

    fn blobs_are_text(&self) -> bool {
        self.closed.iter().all(|(cells, _, _)| match cells {
            Cells::Blobs(cells) => cells.cells().all(|cell| std::str::from_utf8(cell).is_ok()),
            Cells::Stored(cells) => cells
                .iter()
                .all(|cell| !matches!(cell, Stored::Blob(bytes) if std::str::from_utf8(bytes).is_err())),
            _ => true,
        })
    }

    fn texts_are_utf8(&self) -> bool {
        self.closed.iter().all(|(cells, _, _)| match cells {
            Cells::Text(cells) => cells.are_utf8(),
            Cells::Stored(cells) => cells
                .iter()
                .all(|cell| !matches!(cell, Stored::Text(bytes) if std::str::from_utf8(bytes).is_err())),
            _ => true,
        })
    }

    /// The encoding of the texts that are not UTF-8.
    fn legacy_encoding(&self, name: &str) -> (&'static Encoding, Note) {
        let foreign: Vec<&[u8]> = self.texts().filter(|cell| std::str::from_utf8(cell).is_err()).collect();
        let encoding = encoding::guess(&foreign.join(&b'\n'));
        let message = format!("`{name}` holds text that is not UTF-8: read as {}", encoding.name());
        let note = Note::new("encoding", message, foreign.len() as u64).with_column(name);
        let samples = foreign.iter().take(Note::MAX_SAMPLES);
        let note = samples.fold(note, |note, cell| {
            note.with_sample(&encoding.decode_without_bom_handling(cell).0)
        });
        (encoding, note)
    }
}

impl Cells {
    pub(super) fn into_stored(self, nulls: Option<&NullBuffer>) -> Vec<Stored> {
        let present = |row: usize| nulls.is_none_or(|nulls| nulls.is_valid(row));
        let kept = |row: usize, cell: Stored| if present(row) { cell } else { Stored::Null };
        match self {
            Self::Nothing => Vec::new(),
            Self::Integers(values) => values
                .into_iter()
                .enumerate()
                .map(|(row, value)| kept(row, Stored::Integer(value)))
                .collect(),
            Self::Reals(values) => values
                .into_iter()
                .enumerate()
                .map(|(row, value)| kept(row, Stored::Real(value)))
                .collect(),
            Self::Text(cells) => cells
                .cells()
                .enumerate()
                .map(|(row, cell)| kept(row, Stored::Text(cell.into())))
                .collect(),
            Self::Blobs(cells) => cells
                .cells()
                .enumerate()
                .map(|(row, cell)| kept(row, Stored::Blob(cell.into())))
                .collect(),
            Self::Stored(cells) => cells,
        }
    }
}

impl From<ValueRef<'_>> for Stored {
    fn from(value: ValueRef<'_>) -> Self {
        match value {
            ValueRef::Null => Self::Null,
            ValueRef::Integer(value) => Self::Integer(value),
            ValueRef::Real(value) => Self::Real(value),
            ValueRef::Text(cell) => Self::Text(cell.into()),
            ValueRef::Blob(cell) => Self::Blob(cell.into()),
        }
    }
}
