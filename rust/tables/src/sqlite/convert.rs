//! From stored cells to the Arrow array of the column's type.

use std::sync::Arc;

use arrow_array::builder::{Float64Builder, Int64Builder};
use arrow_array::{ArrayRef, BinaryArray, Decimal128Array, Float64Array, Int64Array, StringArray, new_null_array};
use arrow_buffer::{Buffer, NullBuffer, OffsetBuffer, ScalarBuffer};
use arrow_schema::DataType;
use encoding_rs::Encoding;

use super::column::{Cells, ClosedBatch, Stored, Strings};
use crate::numbers::{DecimalShape, shortest};

/// The type that fits every stored value.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Target {
    BigInt,
    Double,
    Decimal(DecimalShape),
    Varchar,
    Blob,
}

impl Target {
    /// The `DuckDB` type and the Arrow type that carries it.
    pub(super) fn types(self) -> (String, DataType) {
        match self {
            Self::BigInt => ("BIGINT".to_owned(), DataType::Int64),
            Self::Double => ("DOUBLE".to_owned(), DataType::Float64),
            Self::Decimal(shape) => (shape.sql_type(), shape.arrow_type()),
            Self::Varchar => ("VARCHAR".to_owned(), DataType::Utf8),
            Self::Blob => ("BLOB".to_owned(), DataType::Binary),
        }
    }
}

/// The type of a column in which nothing is stored.
///
/// Source: `SQLite`'s affinity rules (<https://sqlite.org/datatype3.html>, section 3.1), with NUMERIC split into what
/// holds numbers and what holds dates.
pub(super) fn affinity(declared: &str) -> Target {
    let declared = declared.to_ascii_uppercase();
    let holds = |part: &str| declared.contains(part);
    if holds("INT") || declared.starts_with("BOOL") {
        Target::BigInt
    } else if holds("CHAR") || holds("CLOB") || holds("TEXT") {
        Target::Varchar
    } else if holds("BLOB") {
        Target::Blob
    } else if ["REAL", "FLOA", "DOUB", "NUM", "DEC"].into_iter().any(holds) {
        Target::Double
    } else {
        Target::Varchar
    }
}

/// Whether a declared type promises dates, which `SQLite` keeps as text.
pub(super) fn is_date_type(declared: &str) -> bool {
    let declared = declared.to_ascii_uppercase();
    declared.starts_with("DATE") || declared.starts_with("TIMESTAMP")
}

/// How the cells of one column become Arrow arrays.
pub(super) struct Convert {
    pub(super) target: Target,
    /// Whether BLOBs beside text are written as they are or as hexadecimal digits.
    pub(super) blobs_are_text: bool,
    /// Of the texts that are not UTF-8; UTF-8 where all are.
    pub(super) encoding: &'static Encoding,
}

impl Convert {
    /// Converts one batch; cells that the target has no place for are NULL tokens and become NULL.
    pub(super) fn batch(&self, (cells, nulls, rows): ClosedBatch) -> ArrayRef {
        match (self.target, cells) {
            (Target::BigInt, Cells::Integers(values)) => Arc::new(Int64Array::new(values.into(), nulls)),
            (Target::Double, Cells::Reals(values)) => Arc::new(Float64Array::new(values.into(), nulls)),
            (Target::Double, Cells::Integers(values)) => {
                let values: Vec<f64> = values.into_iter().map(exact).collect();
                Arc::new(Float64Array::new(values.into(), nulls))
            }
            (Target::Varchar, Cells::Text(cells)) => self.texts(cells, nulls.as_ref()),
            (Target::Blob, Cells::Blobs(cells)) => Arc::new(BinaryArray::new(
                offsets(cells.ends),
                Buffer::from_vec(cells.bytes),
                nulls,
            )),
            (target, Cells::Nothing) => new_null_array(&target.types().1, rows),
            (target, cells) => self.single(target, &cells.into_stored(nulls.as_ref())),
        }
    }

    fn texts(&self, cells: Strings, nulls: Option<&NullBuffer>) -> ArrayRef {
        let bytes = Buffer::from_vec(cells.bytes);
        let ends = offsets(cells.ends);
        if let Ok(array) = StringArray::try_new(ends.clone(), bytes.clone(), nulls.cloned()) {
            return Arc::new(array);
        }
        let place = |end: i32| usize::try_from(end).unwrap_or(0);
        let decoded = ends.windows(2).enumerate().map(|(row, pair)| {
            let valid = nulls.is_none_or(|nulls| nulls.is_valid(row));
            valid.then(|| self.text(&bytes[place(pair[0])..place(pair[1])]))
        });
        Arc::new(decoded.collect::<StringArray>())
    }

    fn text(&self, cell: &[u8]) -> String {
        match std::str::from_utf8(cell) {
            Ok(text) => text.to_owned(),
            Err(_) => self.encoding.decode_without_bom_handling(cell).0.into_owned(),
        }
    }

    fn single(&self, target: Target, cells: &[Stored]) -> ArrayRef {
        match target {
            Target::BigInt => {
                let mut array = Int64Builder::with_capacity(cells.len());
                for cell in cells {
                    array.append_option(if let Stored::Integer(value) = cell {
                        Some(*value)
                    } else {
                        None
                    });
                }
                Arc::new(array.finish())
            }
            Target::Double => {
                let mut array = Float64Builder::with_capacity(cells.len());
                for cell in cells {
                    array.append_option(match cell {
                        Stored::Integer(value) => Some(exact(*value)),
                        Stored::Real(value) => Some(*value),
                        _ => None,
                    });
                }
                Arc::new(array.finish())
            }
            Target::Decimal(shape) => {
                let values: Decimal128Array = cells
                    .iter()
                    .map(|cell| match cell {
                        Stored::Integer(value) => shape.unscaled(&value.to_string()),
                        Stored::Real(value) => shape.unscaled(&shortest(*value)),
                        _ => None,
                    })
                    .collect();
                Arc::new(values.with_data_type(shape.arrow_type()))
            }
            Target::Varchar => Arc::new(cells.iter().map(|cell| self.written(cell)).collect::<StringArray>()),
            Target::Blob => new_null_array(&DataType::Binary, cells.len()),
        }
    }

    fn written(&self, cell: &Stored) -> Option<String> {
        Some(match cell {
            Stored::Null => return None,
            Stored::Integer(value) => value.to_string(),
            Stored::Real(value) => shortest(*value),
            Stored::Text(cell) => self.text(cell),
            Stored::Blob(cell) if self.blobs_are_text => String::from_utf8_lossy(cell).into_owned(),
            Stored::Blob(cell) => hexadecimal(cell),
        })
    }
}

fn hexadecimal(bytes: &[u8]) -> String {
    let digit = |value: u8| char::from(b"0123456789ABCDEF"[usize::from(value)]);
    bytes
        .iter()
        .flat_map(|byte| [digit(byte >> 4), digit(byte & 15)])
        .collect()
}

fn offsets(ends: Vec<i32>) -> OffsetBuffer<i32> {
    OffsetBuffer::new(ScalarBuffer::from(ends))
}

/// Only called where no integer of the column is beyond 2^53.
#[expect(clippy::cast_precision_loss, reason = "integers up to 2^53 are exact")]
fn exact(value: i64) -> f64 {
    value as f64
}

#[cfg(test)]
mod tests {
    use super::{Target, affinity, hexadecimal, is_date_type};

    #[test]
    fn declarations_decide_where_nothing_is_stored() {
        for (declared, target) in [
            ("INTEGER", Target::BigInt),
            ("BOOLEAN", Target::BigInt),
            ("VARCHAR(255)", Target::Varchar),
            ("DOUBLE PRECISION", Target::Double),
            ("decimal(10,5)", Target::Double),
            ("DATETIME", Target::Varchar),
            ("BLOB", Target::Blob),
            ("", Target::Varchar),
        ] {
            assert_eq!(affinity(declared), target, "{declared}");
        }
        assert!(is_date_type("datetime") && is_date_type("TIMESTAMP") && !is_date_type("TEXT"));
    }

    #[test]
    fn blobs_are_written_as_sqlite_writes_them() {
        // SELECT hex(x'00FF1a')
        assert_eq!(hexadecimal(&[0x00, 0xFF, 0x1A]), "00FF1A");
    }
}
