//! The extension module `debriefer._core`: a table of contents.

mod errors;
mod source;
mod sql;
mod tables;

use pyo3::prelude::*;

/// Registers every exported name.
#[pymodule(gil_used = false)]
mod _core {
    #[pymodule_export]
    use crate::source::SourceTable;
    #[pymodule_export]
    use crate::sql::{NormalizedSql, Rewrite, SqlSchema, nearest_names, tokenize_sql};
    #[pymodule_export]
    use crate::tables::canonical_name;
}
