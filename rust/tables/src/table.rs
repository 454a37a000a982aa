//! What every reader gives back: typed columns in Arrow batches, and what was decided or repaired on the way.

use arrow_array::RecordBatch;
use arrow_schema::SchemaRef;

/// One thing that a reader decided or repaired, for the person who asks how a file was read.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Note {
    /// Stable identifier in lower case with hyphens, such as `ragged-rows`.
    pub code: &'static str,
    /// One sentence without a full stop.
    pub message: String,
    /// How many rows, cells or columns it concerns; 0 where counting means nothing.
    pub count: u64,
    /// At most [`Note::MAX_SAMPLES`] excerpts, each at most [`Note::MAX_SAMPLE_CHARS`] characters.
    pub samples: Vec<String>,
    /// The column that it concerns, where it is one column.
    pub column: Option<String>,
}

impl Note {
    /// Enough to recognise the problem without opening the file.
    pub const MAX_SAMPLES: usize = 3;
    /// A terminal line.
    pub const MAX_SAMPLE_CHARS: usize = 120;

    /// A note without samples.
    #[must_use]
    pub fn new(code: &'static str, message: impl Into<String>, count: u64) -> Self {
        Self {
            code,
            message: message.into(),
            count,
            samples: Vec::new(),
            column: None,
        }
    }

    /// Names the column that the note is about.
    #[must_use]
    pub fn with_column(mut self, name: &str) -> Self {
        self.column = Some(name.to_owned());
        self
    }

    /// Adds an excerpt while there is room.
    #[must_use]
    pub fn with_sample(mut self, sample: &str) -> Self {
        if self.samples.len() < Self::MAX_SAMPLES {
            self.samples.push(sample.chars().take(Self::MAX_SAMPLE_CHARS).collect());
        }
        self
    }
}

/// A column as the catalog registers it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Column {
    /// Name in the source's own spelling, made unique without regard to case; never empty.
    pub name: String,
    /// The `DuckDB` type that the catalog gives it: `VARCHAR`, `BIGINT`, `HUGEINT`, `DOUBLE`, `DECIMAL(p,s)`, `BOOLEAN`,
    /// `DATE`, `TIMESTAMP`, `TIMESTAMPTZ`, `TIME`, `BLOB` or `JSON`. The Arrow column casts to it without loss.
    pub sql_type: String,
}

/// A table read into memory.
#[derive(Clone, Debug)]
pub struct SourceTable {
    /// File stem, sheet or table name, in the source's own spelling.
    pub name: String,
    /// One for each field of `schema`, in order.
    pub columns: Vec<Column>,
    /// Arrow schema of every batch.
    pub schema: SchemaRef,
    /// The rows, in source order.
    pub batches: Vec<RecordBatch>,
    /// What was decided or repaired, in a fixed order.
    pub notes: Vec<Note>,
}

impl SourceTable {
    /// Number of rows.
    #[must_use]
    pub fn rows(&self) -> usize {
        self.batches.iter().map(RecordBatch::num_rows).sum()
    }
}

/// Why a file cannot be read as tables.
#[derive(Debug, thiserror::Error)]
#[error("{message}")]
pub struct TableError {
    /// What is wrong, without the file's name: the caller knows how the user spelled it.
    pub message: String,
    /// How to mend it, where that is known.
    pub hint: Option<String>,
}

impl TableError {
    /// An error without a hint.
    pub fn new(message: impl Into<String>) -> Self {
        Self {
            message: message.into(),
            hint: None,
        }
    }

    /// Adds what to do about it.
    #[must_use]
    pub fn with_hint(mut self, hint: impl Into<String>) -> Self {
        self.hint = Some(hint.into());
        self
    }
}
