//! Gives each column the one type that fits all its cells, and builds it.

mod survey;
mod text;

use std::ops::Range;
use std::sync::Arc;

use arrow_array::ArrayRef;
use arrow_array::builder::{Decimal128Builder, StringBuilder};
use arrow_schema::{DataType, TimeUnit};

use self::survey::Survey;
use self::text::{MAX_PADDED_TOKEN_BYTES, Tokens, text_notes};
use crate::cells;
use crate::delimited::layout::Shifts;
use crate::delimited::records::{Field, Records};
use crate::null_tokens::is_null_token;
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

fn value_of<'t>(field: &Field<'t>) -> &'t [u8] {
    cells::trim(field.inner.as_bytes())
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
        if field.inner.len() <= MAX_PADDED_TOKEN_BYTES && is_null_token(value_of(&field)) {
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
