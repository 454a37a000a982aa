//! What all cells of a column have in common, and the type that follows.

use std::ops::Range;
use std::sync::Arc;

use arrow_array::{ArrayRef, BooleanArray, Date32Array, Float64Array, Int64Array, TimestampMicrosecondArray};
use arrow_buffer::NullBuffer;

use super::text::Tokens;
use super::{Cells, Kind};
use crate::cells;
use crate::delimited::records::Field;
use crate::null_tokens::is_null_token;
use crate::table::Note;

/// What all cells of a column have in common.
#[derive(Debug, Default)]
pub(super) struct Survey {
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
    pub(super) fn of(cells: Cells<'_, '_>) -> Self {
        let mut survey = Self::default();
        for field in cells.all() {
            if !survey.take(&field) {
                survey.text = true;
                break;
            }
        }
        survey
    }

    pub(super) fn push(&mut self, value: u64) {
        self.values.push(value);
        self.present.push(true);
    }

    pub(super) fn push_null(&mut self) {
        self.values.push(0);
        self.present.push(false);
    }

    /// Counts a cell; false where it has no reading as a value.
    #[inline]
    pub(super) fn take(&mut self, field: &Field<'_>) -> bool {
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
    pub(super) fn take_number(&mut self, cell: &[u8]) -> bool {
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

    pub(super) fn holds_doubles(&self) -> bool {
        self.decimals + self.huge + self.infinite > 0
    }

    pub(super) fn push_integer(&mut self, value: i64) {
        if self.holds_doubles() {
            self.push(double_bits(value));
        } else {
            self.push(value.cast_unsigned());
        }
    }

    /// Turns the integers seen so far into doubles, once.
    pub(super) fn become_double(&mut self) {
        if !self.holds_doubles() {
            for value in &mut self.values {
                *value = double_bits(value.cast_signed());
            }
        }
    }

    pub(super) fn see_digits(&mut self, integer_digits: usize, scale: u8) {
        let integer_digits = u8::try_from(integer_digits).unwrap_or(u8::MAX);
        self.integer_digits = self.integer_digits.max(integer_digits);
        self.scale = self.scale.max(scale);
    }

    pub(super) fn take_day(&mut self, cell: &[u8]) -> bool {
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

    pub(super) fn take_boolean(&mut self, cell: &[u8]) -> bool {
        let Some(value) = cells::boolean(cell) else {
            return false;
        };
        self.booleans += 1;
        self.push(u64::from(value));
        true
    }

    pub(super) fn take_word(&mut self, cell: &[u8]) -> bool {
        if let Some(value) = cells::infinity(cell) {
            self.become_double();
            self.infinite += 1;
            self.push(value.to_bits());
        } else if is_null_token(cell) {
            self.tokens.count(std::str::from_utf8(cell).unwrap_or_default());
            self.push_null();
        } else {
            return false;
        }
        true
    }

    pub(super) fn kind(&self) -> Kind {
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
    pub(super) fn array(&self, kind: Kind, range: Range<usize>) -> ArrayRef {
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

    pub(super) fn precision(&self) -> u8 {
        self.integer_digits.saturating_add(self.scale).max(1)
    }

    pub(super) fn notes(&self, name: &str) -> Vec<Note> {
        let mut notes = Vec::new();
        let blank = self.tokens.blanks();
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

pub(super) fn is_double(value: i128) -> bool {
    #[allow(clippy::cast_precision_loss, clippy::cast_possible_truncation)] // the loss is what is asked for
    let back = (value as f64) as i128;
    back == value
}

#[allow(clippy::cast_precision_loss)] // used only where `beyond_double` stays false
fn double_bits(value: i64) -> u64 {
    (value as f64).to_bits()
}
