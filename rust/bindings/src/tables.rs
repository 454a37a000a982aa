//! Names and readers.

use pyo3::prelude::*;

/// Returns the SQL name under which a source called `stem` is registered.
#[pyfunction]
pub(crate) fn canonical_name(stem: &str) -> String {
    debriefer_tables::names::canonical_name(stem)
}
