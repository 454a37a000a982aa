//! Columns whose cells each know their own type (JSON, workbooks), and the one type that all of a column's cells allow.

use std::borrow::Cow;
use std::sync::Arc;

use arrow_array::builder::{BooleanBuilder, StringBuilder};
use arrow_array::{
    ArrayRef, Date32Array, Decimal128Array, Float64Array, Int64Array, RecordBatch, RecordBatchOptions,
    TimestampMicrosecondArray,
};
use arrow_schema::{DataType, Field, Schema, TimeUnit};

use crate::names::{renamed_columns, unique_columns};
use crate::null_tokens::is_missing;
use crate::numbers::{DecimalShape, MAX_EXACT_INTEGER, double_is_exact};
use crate::table::{Column, Note, SourceTable};
use crate::{calendar, cells};

/// `DuckDB`'s row group; larger batches gain nothing.
const BATCH_ROWS: usize = 122_880;
const MICROS_A_DAY: i64 = 86_400_000_000;

/// A cell in the spelling of its source.
#[derive(Clone, Debug, PartialEq)]
pub enum Cell<'a> {
    /// Missing or NULL.
    Null,
    /// NaN, which programs write for a missing number.
    NotANumber,
    /// An infinite number; true where it is negative.
    Infinity(bool),
    /// True or false.
    Bool(bool),
    /// A number as it is written: integers without point and exponent.
    Number(Cow<'a, str>),
    /// Text.
    Text(Cow<'a, str>),
    /// An object or a list as compact JSON.
    Nested(Cow<'a, str>),
    /// Days since 1970-01-01.
    Date(i32),
    /// Microseconds since 1970-01-01.
    Timestamp(i64),
}

/// How many cells a column holds of each type.
#[derive(Clone, Copy, Debug, Default)]
struct Tally {
    not_numbers: u64,
    infinities: u64,
    bools: u64,
    integers: u64,
    /// Integers that a DOUBLE would round.
    wide: u64,
    /// Integers beyond 64 bits.
    huge: u64,
    fractions: u64,
    /// Fractions with more digits than a DOUBLE gives back.
    long: u64,
    texts: u64,
    null_tokens: u64,
    nested: u64,
    dates: u64,
    timestamps: u64,
}

impl Tally {
    fn of(cells: &[Cell<'_>]) -> Self {
        let mut tally = Self::default();
        for cell in cells {
            match cell {
                Cell::Null => {}
                Cell::NotANumber => tally.not_numbers += 1,
                Cell::Infinity(_) => tally.infinities += 1,
                Cell::Bool(_) => tally.bools += 1,
                Cell::Number(number) => tally.number(number),
                Cell::Text(text) => {
                    tally.texts += 1;
                    tally.null_tokens += u64::from(is_missing(text.as_bytes()));
                }
                Cell::Nested(_) => tally.nested += 1,
                Cell::Date(_) => tally.dates += 1,
                Cell::Timestamp(_) => tally.timestamps += 1,
            }
        }
        tally
    }

    fn number(&mut self, number: &str) {
        if is_integer(number) {
            self.integers += 1;
            match number.parse::<i64>() {
                Ok(value) => self.wide += u64::from(value.unsigned_abs() > MAX_EXACT_INTEGER),
                Err(_) => self.huge += 1,
            }
        } else {
            self.fractions += 1;
            self.long += u64::from(!double_is_exact(number));
        }
    }

    fn numbers(&self) -> u64 {
        self.integers + self.fractions + self.infinities
    }

    fn typed(&self) -> u64 {
        self.numbers() + self.bools + self.nested + self.dates + self.timestamps
    }
}

/// The type that fits every cell.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Target {
    Boolean,
    BigInt,
    Double,
    Decimal(DecimalShape),
    Varchar,
    Date,
    Timestamp,
    Json,
}

impl Target {
    fn types(self) -> (String, DataType) {
        let (name, arrow) = match self {
            Self::Decimal(shape) => return (shape.sql_type(), shape.arrow_type()),
            Self::Boolean => ("BOOLEAN", DataType::Boolean),
            Self::BigInt => ("BIGINT", DataType::Int64),
            Self::Double => ("DOUBLE", DataType::Float64),
            Self::Varchar => ("VARCHAR", DataType::Utf8),
            Self::Date => ("DATE", DataType::Date32),
            Self::Timestamp => ("TIMESTAMP", DataType::Timestamp(TimeUnit::Microsecond, None)),
            Self::Json => ("JSON", DataType::Utf8),
        };
        (name.to_owned(), arrow)
    }
}

/// Types every column and puts the table together.
///
/// `notes` tell what happened before; the columns' own follow in order.
///
/// # Panics
///
/// A column does not have `rows` cells.
#[must_use]
pub fn assemble(
    table: &str,
    headers: &[Cow<'_, str>],
    columns: &[Vec<Cell<'_>>],
    rows: usize,
    mut notes: Vec<Note>,
) -> SourceTable {
    let names = unique_columns(headers);
    notes.extend(renamed_columns(headers, &names));

    let mut described = Vec::new();
    let mut fields = Vec::new();
    let mut chunks: Vec<Vec<ArrayRef>> = vec![Vec::new(); rows.div_ceil(BATCH_ROWS)];
    for (name, cells) in names.into_iter().zip(columns) {
        let target = target(&name, cells, &mut notes);
        let (sql_type, arrow_type) = target.types();
        for (chunk, part) in chunks.iter_mut().zip(cells.chunks(BATCH_ROWS)) {
            chunk.push(array(target, part));
        }
        fields.push(Field::new(&name, arrow_type, true));
        described.push(Column { name, sql_type });
    }
    let schema = Arc::new(Schema::new(fields));
    let batches = chunks
        .into_iter()
        .enumerate()
        .map(|(place, arrays)| {
            let options = RecordBatchOptions::new().with_row_count(Some(BATCH_ROWS.min(rows - place * BATCH_ROWS)));
            RecordBatch::try_new_with_options(Arc::clone(&schema), arrays, &options)
                .expect("every column has `rows` cells and arrays of the type it reports")
        })
        .collect();
    SourceTable {
        name: table.to_owned(),
        columns: described,
        schema,
        batches,
        notes,
    }
}

fn target(name: &str, cells: &[Cell<'_>], notes: &mut Vec<Note>) -> Target {
    let tally = Tally::of(cells);
    if tally.not_numbers > 0 {
        let message = format!("`{name}` holds NaN, which stands for a missing number: it is NULL");
        notes.push(Note::new("nan", message, tally.not_numbers).with_column(name));
    }
    if tally.typed() == 0 {
        return match tally {
            Tally {
                texts: 0,
                not_numbers: 1..,
                ..
            } => Target::Double,
            Tally { texts: 0, .. } => Target::Varchar,
            _ => text_target(name, cells, tally, notes),
        };
    }
    // Texts that stand for a missing value are NULL beside one type of numbers; beside the rest they are text.
    let real_texts = if tally.typed() == tally.numbers() {
        tally.texts - tally.null_tokens
    } else {
        tally.texts
    };
    if real_texts == 0 && tally.null_tokens > 0 && tally.typed() == tally.numbers() {
        let message = format!("`{name}` holds numbers and texts that stand for a missing value: those are NULL");
        let note = Note::new("null-tokens", message, tally.null_tokens).with_column(name);
        notes.push(sampled(note, cells, |cell| matches!(cell, Cell::Text(_))));
    }
    let only = |count: u64| count == tally.typed() && real_texts == 0;
    if only(tally.bools) {
        Target::Boolean
    } else if only(tally.nested) {
        Target::Json
    } else if only(tally.dates) {
        Target::Date
    } else if only(tally.dates + tally.timestamps) {
        Target::Timestamp
    } else if only(tally.numbers()) {
        number_target(name, cells, tally, notes)
    } else {
        let target = if tally.nested > 0 {
            Target::Json
        } else {
            Target::Varchar
        };
        notes.push(mixed_note(name, cells, tally, target));
        target
    }
}

/// Texts of dates become dates where all of them are; no other text becomes a number or a truth value.
fn text_target(name: &str, cells: &[Cell<'_>], tally: Tally, notes: &mut Vec<Note>) -> Target {
    let all = |reads: fn(&[u8]) -> bool| {
        tally.texts > tally.null_tokens
            && cells.iter().all(|cell| match cell {
                Cell::Text(text) => reads(text.as_bytes()) || is_missing(text.as_bytes()),
                _ => true,
            })
    };
    let target = if all(|text| cells::date(text).is_some()) {
        Target::Date
    } else if all(|text| cells::timestamp(text).is_some()) {
        Target::Timestamp
    } else {
        return Target::Varchar;
    };
    if tally.null_tokens > 0 {
        let message = format!("`{name}` holds dates and texts that stand for a missing value: those are NULL");
        let note = Note::new("null-tokens", message, tally.null_tokens).with_column(name);
        let token = |cell: &Cell<'_>| matches!(cell, Cell::Text(text) if is_missing(text.as_bytes()));
        notes.push(sampled(note, cells, token));
    }
    target
}

fn number_target(name: &str, cells: &[Cell<'_>], tally: Tally, notes: &mut Vec<Note>) -> Target {
    if tally.fractions + tally.infinities == 0 && tally.huge == 0 {
        return Target::BigInt;
    }
    let only_integers = tally.fractions + tally.infinities == 0;
    if !only_integers && tally.wide + tally.huge + tally.long == 0 {
        return Target::Double;
    }
    let mut shape = DecimalShape::default();
    let fits = tally.infinities == 0
        && cells.iter().all(|cell| match cell {
            Cell::Number(number) => shape.widen(number),
            _ => true,
        });
    let target = if fits { Target::Decimal(shape) } else { Target::Varchar };
    if !(only_integers && fits) {
        let kept = if fits { "DECIMAL" } else { "text" };
        let message = format!("`{name}` holds numbers that a DOUBLE would round: kept as {kept}");
        let note = Note::new("wide-numbers", message, tally.wide + tally.huge + tally.long).with_column(name);
        let rounded = |cell: &Cell<'_>| matches!(cell, Cell::Number(number) if !double_is_exact(number));
        notes.push(sampled(note, cells, rounded));
    }
    target
}

fn mixed_note(name: &str, cells: &[Cell<'_>], tally: Tally, target: Target) -> Note {
    let counts = [
        ("numbers", tally.numbers()),
        ("texts", tally.texts),
        ("truth values", tally.bools),
        ("dates", tally.dates + tally.timestamps),
        ("objects or lists", tally.nested),
    ];
    let listed: Vec<_> = counts
        .iter()
        .filter(|(_, count)| *count > 0)
        .map(|(class, count)| format!("{count} {class}"))
        .collect();
    let kept = if target == Target::Json { "JSON" } else { "text" };
    let most = counts.iter().map(|(_, count)| *count).max().unwrap_or_default();
    let all: u64 = counts.iter().map(|(_, count)| *count).sum();
    let message = format!("`{name}` holds {}: kept as {kept}", listed.join(", "));
    let numbers_are_most = tally.numbers() == most;
    let rare = |cell: &Cell<'_>| match cell {
        Cell::Null | Cell::NotANumber => false,
        Cell::Number(_) | Cell::Infinity(_) => !numbers_are_most,
        Cell::Text(_) => tally.texts != most || numbers_are_most,
        Cell::Nested(_) => tally.nested != most,
        Cell::Bool(_) => tally.bools != most,
        Cell::Date(_) | Cell::Timestamp(_) => tally.dates + tally.timestamps != most,
    };
    sampled(
        Note::new("mixed-types", message, all - most).with_column(name),
        cells,
        rare,
    )
}

fn sampled(note: Note, cells: &[Cell<'_>], wanted: impl Fn(&Cell<'_>) -> bool) -> Note {
    let samples = cells.iter().filter(|cell| wanted(cell)).take(Note::MAX_SAMPLES);
    samples.fold(note, |note, cell| {
        note.with_sample(&match cell {
            Cell::Text(text) if text.is_empty() => "''".to_owned(),
            cell => spelling(cell),
        })
    })
}

fn array(target: Target, cells: &[Cell<'_>]) -> ArrayRef {
    match target {
        Target::Boolean => {
            let mut array = BooleanBuilder::with_capacity(cells.len());
            for cell in cells {
                array.append_option(if let Cell::Bool(value) = cell {
                    Some(*value)
                } else {
                    None
                });
            }
            Arc::new(array.finish())
        }
        Target::BigInt => Arc::new(
            cells
                .iter()
                .map(|cell| number(cell)?.parse().ok())
                .collect::<Int64Array>(),
        ),
        Target::Double => Arc::new(cells.iter().map(double).collect::<Float64Array>()),
        Target::Decimal(shape) => {
            let unscaled = cells.iter().map(|cell| shape.unscaled(number(cell)?));
            Arc::new(unscaled.collect::<Decimal128Array>().with_data_type(shape.arrow_type()))
        }
        Target::Date => Arc::new(cells.iter().map(date).collect::<Date32Array>()),
        Target::Timestamp => Arc::new(cells.iter().map(timestamp).collect::<TimestampMicrosecondArray>()),
        Target::Varchar => texts(cells, written),
        Target::Json => texts(cells, json),
    }
}

fn texts<'a>(cells: &'a [Cell<'a>], spelled: impl Fn(&'a Cell<'a>) -> Option<Cow<'a, str>>) -> ArrayRef {
    let bytes = cells
        .iter()
        .map(|cell| if let Cell::Text(text) = cell { text.len() } else { 8 });
    let mut array = StringBuilder::with_capacity(cells.len(), bytes.sum());
    for cell in cells {
        array.append_option(spelled(cell));
    }
    Arc::new(array.finish())
}

fn is_integer(number: &str) -> bool {
    !number.bytes().any(|byte| matches!(byte, b'.' | b'e' | b'E'))
}

fn number<'a>(cell: &'a Cell<'_>) -> Option<&'a str> {
    if let Cell::Number(number) = cell {
        Some(number)
    } else {
        None
    }
}

fn double(cell: &Cell<'_>) -> Option<f64> {
    match cell {
        Cell::Number(number) => number.parse().ok(),
        Cell::Infinity(true) => Some(f64::NEG_INFINITY),
        Cell::Infinity(false) => Some(f64::INFINITY),
        _ => None,
    }
}

fn date(cell: &Cell<'_>) -> Option<i32> {
    match cell {
        Cell::Date(days) => Some(*days),
        Cell::Text(text) => cells::date(text.as_bytes()),
        _ => None,
    }
}

fn timestamp(cell: &Cell<'_>) -> Option<i64> {
    match cell {
        Cell::Timestamp(micros) => Some(*micros),
        Cell::Date(days) => Some(i64::from(*days) * MICROS_A_DAY),
        Cell::Text(text) => cells::timestamp(text.as_bytes()),
        _ => None,
    }
}

/// A cell as text, in the spelling of its source; nothing for NULL.
#[must_use]
pub fn spelling(cell: &Cell<'_>) -> String {
    written(cell).unwrap_or_default().into_owned()
}

/// A cell as text, in the spelling of its source.
fn written<'a>(cell: &'a Cell<'_>) -> Option<Cow<'a, str>> {
    Some(match cell {
        Cell::Null | Cell::NotANumber => return None,
        Cell::Infinity(true) => Cow::Borrowed("-Infinity"),
        Cell::Infinity(false) => Cow::Borrowed("Infinity"),
        Cell::Bool(value) => Cow::Borrowed(if *value { "true" } else { "false" }),
        Cell::Number(text) | Cell::Text(text) | Cell::Nested(text) => Cow::Borrowed(text.as_ref()),
        Cell::Date(days) => Cow::Owned(calendar::iso_date(*days)),
        Cell::Timestamp(micros) => Cow::Owned(calendar::iso_timestamp(*micros)),
    })
}

/// A cell as a JSON value, so that a text `1` and a number 1 stay two things.
fn json<'a>(cell: &'a Cell<'_>) -> Option<Cow<'a, str>> {
    match cell {
        Cell::Infinity(_) => Some(Cow::Owned(format!("\"{}\"", written(cell)?))),
        Cell::Text(_) | Cell::Date(_) | Cell::Timestamp(_) => Some(Cow::Owned(quoted(&written(cell)?))),
        cell => written(cell),
    }
}

/// `text` as a JSON string.
#[must_use]
pub fn quoted(text: &str) -> String {
    let mut quoted = String::with_capacity(text.len() + 2);
    quoted.push('"');
    for character in text.chars() {
        match character {
            '"' | '\\' => quoted.extend(['\\', character]),
            '\n' => quoted.push_str("\\n"),
            '\r' => quoted.push_str("\\r"),
            '\t' => quoted.push_str("\\t"),
            control if control < ' ' => {
                let digit = |value: u32| char::from_digit(value, 16).unwrap_or('0');
                quoted.push_str("\\u00");
                quoted.extend([digit(control as u32 >> 4), digit(control as u32 & 15)]);
            }
            other => quoted.push(other),
        }
    }
    quoted.push('"');
    quoted
}
