//! The extension module `debriefer._core`: a table of contents.

mod capsules;
mod documents;
mod errors;
mod frames;
mod readers;
mod source;
mod sql;
mod tables;
mod values;

use pyo3::prelude::*;

/// Registers every exported name.
#[pymodule(gil_used = false)]
mod _core {
    #[pymodule_export]
    use crate::documents::{common_places, normalise_column, read_text};
    #[pymodule_export]
    use crate::frames::{FoundSlide, PacketRhythm, Stabilizer, packet_rhythm};
    #[pymodule_export]
    use crate::readers::{SqliteSource, detect_kind, open_sqlite, read_json, read_workbook};
    #[pymodule_export]
    use crate::source::SourceTable;
    #[pymodule_export]
    use crate::sql::{NormalizedSql, Rewrite, SqlSchema, nearest_names, tokenize_sql};
    #[pymodule_export]
    use crate::tables::{
        Dialect, assign_names, canonical_name, canonical_names, null_tokens, read_delimited, renamed_columns,
        reserved_words, sniff_dialect, unique_columns,
    };
    #[pymodule_export]
    use crate::values::{ValueIndex, ValueIndexBuilder};
}
