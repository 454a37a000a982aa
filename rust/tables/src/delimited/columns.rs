//! Gives each column the one type that fits all its cells, and builds it.

use std::ops::Range;
use std::sync::Arc;

use arrow_array::builder::{Decimal128Builder, StringBuilder};
use arrow_array::{ArrayRef, BooleanArray, Date32Array, Float64Array, Int64Array, TimestampMicrosecondArray};
use arrow_buffer::NullBuffer;
use arrow_schema::{DataType, TimeUnit};

use crate::cells::{self, Reading};
use crate::delimited::layout::Shifts;
use crate::delimited::records::{Field, Records};
use crate::table::Note;

/// A type that a column can have.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Kind {
    /// `BOOLEAN`
    Boolean,
    /// `BIGINT`
    Integer,
    /// `HUGEINT`
    Huge,
    /// `DOUBLE`
    Double,
    /// `DECIMAL(precision, scale)`
    Decimal(u8, u8),
    /// `DATE`
    Date,
    /// `TIMESTAMP`
    Timestamp,
    /// `VARCHAR`
    Text,
}

impl Kind {
    /// The name of the type in `DuckDB`.
    #[must_use]
    pub fn sql_type(self) -> String {
        match self {
            Self::Boolean => "BOOLEAN".to_owned(),
            Self::Integer => "BIGINT".to_owned(),
            Self::Huge => "HUGEINT".to_owned(),
            Self::Double => "DOUBLE".to_owned(),
            Self::Decimal(precision, scale) => format!("DECIMAL({precision},{scale})"),
            Self::Date => "DATE".to_owned(),
            Self::Timestamp => "TIMESTAMP".to_owned(),
            Self::Text => "VARCHAR".to_owned(),
        }
    }

    /// The type of the Arrow arrays.
    #[must_use]
    pub fn data_type(self) -> DataType {
        match self {
            Self::Boolean => DataType::Boolean,
            Self::Integer => DataType::Int64,
            Self::Huge => DataType::Decimal128(38, 0),
            Self::Double => DataType::Float64,
            Self::Decimal(precision, scale) => DataType::Decimal128(precision, scale.cast_signed()),
            Self::Date => DataType::Date32,
            Self::Timestamp => DataType::Timestamp(TimeUnit::Microsecond, None),
            Self::Text => DataType::Utf8,
        }
    }
}

/// A column of the records.
#[derive(Clone, Copy)]
pub struct Cells<'r, 't> {
    /// All records.
    pub records: &'r Records<'t>,
    /// Those that are rows.
    pub rows: &'r [u32],
    /// Those that are displaced.
    pub shifts: &'r Shifts,
    /// Position of the column.
    pub column: usize,
}

impl<'r, 't> Cells<'r, 't> {
    fn iter(self, range: Range<usize>) -> impl Iterator<Item = Field<'t>> + use<'r, 't> {
        self.rows[range].iter().map(move |row| self.field(*row))
    }

    #[inline]
    fn field(self, row: u32) -> Field<'t> {
        if !self.shifts.is_empty()
            && let Some(shift) = self.shifts.get(row)
        {
            let source = shift.source(self.column);
            return source.map_or(Field::MISSING, |source| self.records.field(row as usize, source));
        }
        self.records.field(row as usize, self.column)
    }

    fn all(self) -> impl Iterator<Item = Field<'t>> + use<'r, 't> {
        self.iter(0..self.rows.len())
    }
}

/// A typed column in as many arrays as there are batches.
pub struct Built {
    /// The type that fits all cells.
    pub kind: Kind,
    /// One array a batch.
    pub arrays: Vec<ArrayRef>,
    /// What the type cost or hides.
    pub notes: Vec<Note>,
}

/// Types and builds a column called `name`, one array for each range of rows.
#[must_use]
pub fn build(cells: Cells<'_, '_>, name: &str, batches: &[Range<usize>]) -> Built {
    let survey = Survey::of(cells);
    let kind = survey.kind();
    let mut tokens = Tokens::default();
    let arrays = batches
        .iter()
        .map(|range| match kind {
            Kind::Text => text_array(cells.iter(range.clone()), range.len(), &mut tokens),
            Kind::Huge => decimal_array(kind, 0, cells.iter(range.clone()), range.len()),
            Kind::Decimal(_, scale) => decimal_array(kind, scale, cells.iter(range.clone()), range.len()),
            _ => survey.array(kind, range.clone()),
        })
        .collect();
    let notes = if kind == Kind::Text {
        text_notes(cells, name, &tokens)
    } else {
        survey.notes(name)
    };
    Built { kind, arrays, notes }
}

/// NULL tokens and how often each occurs, in order of first occurrence.
#[derive(Debug, Default)]
struct Tokens(Vec<(String, u64)>);

impl Tokens {
    fn count(&mut self, token: &str) {
        match self.0.iter_mut().find(|(known, _)| known == token) {
            Some((_, count)) => *count += 1,
            None => self.0.push((token.to_owned(), 1)),
        }
    }

    fn total(&self) -> u64 {
        self.0.iter().map(|(_, count)| count).sum()
    }

    fn list(&self) -> String {
        let listed: Vec<String> = self
            .0
            .iter()
            .map(|(token, count)| format!("`{token}` ({count})"))
            .collect();
        listed.join(", ")
    }
}

/// What all cells of a column have in common.
#[derive(Debug, Default)]
struct Survey {
    booleans: u64,
    integers: u64,
    huge: u64,
    decimals: u64,
    infinite: u64,
    dates: u64,
    timestamps: u64,
    text: bool,
    exponents: bool,
    beyond_double: bool,
    integer_digits: u8,
    scale: u8,
    padded: u64,
    tokens: Tokens,
    /// The value of each row so far, as an integer or the bits of a double; anything where there is none.
    values: Vec<u64>,
    present: Vec<bool>,
}

/// Integers up to 2^53 are doubles, too.
const MAX_DOUBLE_INTEGER: u64 = 1 << 53;
const MAX_PRECISION: u8 = 38;

impl Survey {
    fn of(cells: Cells<'_, '_>) -> Self {
        let mut survey = Self::default();
        for field in cells.all() {
            if !survey.take(&field) {
                survey.text = true;
                break;
            }
        }
        survey
    }

    fn push(&mut self, value: u64) {
        self.values.push(value);
        self.present.push(true);
    }

    fn push_null(&mut self) {
        self.values.push(0);
        self.present.push(false);
    }

    /// Counts a cell; false where it has no reading as a value.
    #[inline]
    fn take(&mut self, field: &Field<'_>) -> bool {
        let cell = cells::trim(field.inner.as_bytes());
        self.padded += u64::from(cell.len() < field.inner.len());
        let taken = match cell.first() {
            None => {
                if !field.inner.is_empty() {
                    self.tokens.count("");
                }
                self.push_null();
                return true;
            }
            Some(b'0'..=b'9' | b'-' | b'.') => self.take_number(cell) || self.take_day(cell),
            Some(b't' | b'f') => self.take_boolean(cell),
            _ => false,
        };
        taken || self.take_word(cell)
    }

    #[inline]
    fn take_number(&mut self, cell: &[u8]) -> bool {
        if let Some(value) = cells::integer(cell) {
            self.integers += 1;
            self.beyond_double |= value.unsigned_abs() > MAX_DOUBLE_INTEGER && !is_double(i128::from(value));
            self.see_digits(cell.len() - usize::from(value < 0), 0);
            self.push_integer(value);
        } else if let Some(decimal) = cells::decimal(cell) {
            self.become_double();
            self.decimals += 1;
            self.beyond_double |= !decimal.double_is_exact;
            if decimal.unscaled.is_none() {
                self.exponents = true;
            } else {
                self.see_digits(usize::from(decimal.integer_digits), decimal.scale);
            }
            self.push(decimal.value.to_bits());
        } else if let Some(value) = cells::huge_integer(cell) {
            self.become_double();
            self.huge += 1;
            self.beyond_double |= !is_double(value);
            self.see_digits(cell.len() - usize::from(value < 0), 0);
            #[allow(clippy::cast_precision_loss)] // used only where `beyond_double` stays false
            self.push((value as f64).to_bits());
        } else {
            return false;
        }
        true
    }

    fn holds_doubles(&self) -> bool {
        self.decimals + self.huge + self.infinite > 0
    }

    fn push_integer(&mut self, value: i64) {
        if self.holds_doubles() {
            self.push(double_bits(value));
        } else {
            self.push(value.cast_unsigned());
        }
    }

    /// Turns the integers seen so far into doubles, once.
    fn become_double(&mut self) {
        if !self.holds_doubles() {
            for value in &mut self.values {
                *value = double_bits(value.cast_signed());
            }
        }
    }

    fn see_digits(&mut self, integer_digits: usize, scale: u8) {
        let integer_digits = u8::try_from(integer_digits).unwrap_or(u8::MAX);
        self.integer_digits = self.integer_digits.max(integer_digits);
        self.scale = self.scale.max(scale);
    }

    fn take_day(&mut self, cell: &[u8]) -> bool {
        if let Some(days) = cells::date(cell) {
            self.dates += 1;
            self.push(i64::from(days).cast_unsigned());
        } else if let Some(micros) = cells::timestamp(cell) {
            self.timestamps += 1;
            self.push(micros.cast_unsigned());
        } else {
            return false;
        }
        true
    }

    fn take_boolean(&mut self, cell: &[u8]) -> bool {
        let Some(value) = cells::boolean(cell) else {
            return false;
        };
        self.booleans += 1;
        self.push(u64::from(value));
        true
    }

    fn take_word(&mut self, cell: &[u8]) -> bool {
        if let Some(value) = cells::infinity(cell) {
            self.become_double();
            self.infinite += 1;
            self.push(value.to_bits());
        } else if cells::is_null_token(cell) {
            self.tokens.count(std::str::from_utf8(cell).unwrap_or_default());
            self.push_null();
        } else {
            return false;
        }
        true
    }

    fn kind(&self) -> Kind {
        let fractions = self.decimals + self.infinite;
        let numbers = self.integers + self.huge + fractions;
        let families = [self.booleans, numbers, self.dates, self.timestamps];
        if self.text || families.iter().filter(|count| **count > 0).count() != 1 {
            return Kind::Text;
        }
        if self.booleans > 0 {
            Kind::Boolean
        } else if self.dates > 0 {
            Kind::Date
        } else if self.timestamps > 0 {
            Kind::Timestamp
        } else if fractions == 0 && self.huge == 0 {
            Kind::Integer
        } else if fractions == 0 {
            Kind::Huge
        } else if self.infinite == numbers {
            // `inf` alone is a word.
            Kind::Text
        } else if !self.beyond_double {
            Kind::Double
        } else if !self.exponents && self.infinite == 0 && self.precision() <= MAX_PRECISION {
            Kind::Decimal(self.precision(), self.scale)
        } else {
            Kind::Text
        }
    }

    /// Builds the rows of a batch from the values that were seen.
    fn array(&self, kind: Kind, range: Range<usize>) -> ArrayRef {
        let present = &self.present[range.clone()];
        let nulls = present.contains(&false).then(|| NullBuffer::from(present));
        let values = self.values[range].iter().copied();
        match kind {
            Kind::Boolean => Arc::new(BooleanArray::new(values.map(|v| v != 0).collect(), nulls)),
            Kind::Date => {
                // `take_day` has stored a day, which has 32 bits.
                #[allow(clippy::cast_possible_truncation)]
                let days = values.map(|v| v as i32).collect();
                Arc::new(Date32Array::new(days, nulls))
            }
            Kind::Timestamp => {
                let micros = values.map(u64::cast_signed).collect();
                Arc::new(TimestampMicrosecondArray::new(micros, nulls))
            }
            Kind::Double => Arc::new(Float64Array::new(values.map(f64::from_bits).collect(), nulls)),
            _ => Arc::new(Int64Array::new(values.map(u64::cast_signed).collect(), nulls)),
        }
    }

    fn precision(&self) -> u8 {
        self.integer_digits.saturating_add(self.scale).max(1)
    }

    fn notes(&self, name: &str) -> Vec<Note> {
        let mut notes = Vec::new();
        let blank = self
            .tokens
            .0
            .iter()
            .find(|(token, _)| token.is_empty())
            .map_or(0, |(_, count)| *count);
        if self.tokens.total() > 0 {
            let message = format!("in `{name}`, these became NULL among values: {}", self.tokens.list());
            notes.push(Note::new("null-tokens", message, self.tokens.total()).with_column(name));
        }
        if self.padded > blank {
            let message = format!("in `{name}`, blanks around values were ignored");
            notes.push(Note::new("padded-cells", message, self.padded - blank).with_column(name));
        }
        if self.infinite > 0 {
            let message = format!("in `{name}`, `inf` is an infinite number");
            notes.push(Note::new("infinite-values", message, self.infinite).with_column(name));
        }
        notes
    }
}

fn is_double(value: i128) -> bool {
    #[allow(clippy::cast_precision_loss, clippy::cast_possible_truncation)] // the loss is what is asked for
    let back = (value as f64) as i128;
    back == value
}

fn value_of<'t>(field: &Field<'t>) -> &'t [u8] {
    cells::trim(field.inner.as_bytes())
}

#[allow(clippy::cast_precision_loss)] // used only where `beyond_double` stays false
fn double_bits(value: i64) -> u64 {
    (value as f64).to_bits()
}

fn decimal_array<'t>(kind: Kind, scale: u8, fields: impl Iterator<Item = Field<'t>>, rows: usize) -> ArrayRef {
    let mut builder = Decimal128Builder::with_capacity(rows).with_data_type(kind.data_type());
    fields.for_each(|field| builder.append_option(scaled(value_of(&field), scale)));
    Arc::new(builder.finish())
}

fn scaled(cell: &[u8], scale: u8) -> Option<i128> {
    let (value, own_scale) = if let Some(value) = cells::huge_integer(cell) {
        (value, 0)
    } else {
        let decimal = cells::decimal(cell)?;
        (decimal.unscaled?, decimal.scale)
    };
    value.checked_mul(10_i128.checked_pow(u32::from(scale - own_scale))?)
}

fn text_array<'t>(fields: impl Iterator<Item = Field<'t>>, rows: usize, tokens: &mut Tokens) -> ArrayRef {
    let mut builder = StringBuilder::with_capacity(rows, rows * 12);
    for field in fields {
        if field.is_null() {
            builder.append_null();
            continue;
        }
        if field.inner.len() <= MAX_TOKEN_BYTES && cells::is_null_token(value_of(&field)) {
            tokens.count(field.inner.trim());
        }
        if field.is_literal() {
            builder.append_value(field.inner);
        } else {
            builder.append_value(field.text());
        }
    }
    Arc::new(builder.finish())
}

/// `#DIV/0!` and room for blanks.
const MAX_TOKEN_BYTES: usize = 10;

fn text_notes(cells: Cells<'_, '_>, name: &str, tokens: &Tokens) -> Vec<Note> {
    let mut notes = Vec::new();
    if tokens.total() > 0 {
        let message = format!("in `{name}`, these look like NULL and stay text: {}", tokens.list());
        notes.push(Note::new("null-like-text", message, tokens.total()).with_column(name));
    }
    if let Some((kind, count, sample)) = common_reading(cells) {
        let what = match kind {
            Reading::LeadingZeros => "codes made of digits, kept as text",
            Reading::Date => "dates, kept as text",
            Reading::Time => "times or durations, kept as text",
            _ => "numbers, kept as text",
        };
        let message = format!("`{name}` holds {what}");
        notes.push(
            Note::new(kind.code(), message, count)
                .with_sample(sample)
                .with_column(name),
        );
    }
    notes
}

/// The reading that all cells of a text column share, how many have one, and the first that is not a plain number.
fn common_reading<'t>(cells: Cells<'_, 't>) -> Option<(Reading, u64, &'t str)> {
    let mut common: Option<(Reading, &str)> = None;
    let mut count = 0;
    for field in cells.all() {
        let cell = field.inner.trim();
        if cell.is_empty() || cells::is_null_token(cell.as_bytes()) {
            continue;
        }
        let reading = cells::reading(cell)?;
        count += 1;
        common = Some(match common {
            None => (reading, cell),
            Some((known, sample)) if known == reading => (known, sample),
            Some((known, sample)) => match (known, reading) {
                (Reading::Number, kind) if kind < Reading::Number => (kind, cell),
                (kind, Reading::Number) if kind < Reading::Number => (kind, sample),
                (Reading::Thousands, kind) if kind < Reading::Thousands => (kind, cell),
                (kind, Reading::Thousands) if kind < Reading::Thousands => (kind, sample),
                (Reading::Scaled, Reading::Currency) => (Reading::Currency, cell),
                (Reading::Currency, Reading::Scaled) => (Reading::Currency, sample),
                _ => return None,
            },
        });
    }
    common.map(|(reading, sample)| (reading, count, sample))
}
