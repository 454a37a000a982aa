//! Names and readers.

use std::path::PathBuf;

use debriefer_tables::delimited;
use debriefer_tables::names::{self, NameRequest};
use pyo3::prelude::*;
use pyo3::types::{PyList, PyString};

use crate::errors::detached;
use crate::source::SourceTable;

/// See the stub.
#[pyfunction]
pub(crate) fn canonical_name(stem: &str) -> String {
    names::canonical_name(stem)
}

/// See the stub.
#[pyfunction]
pub(crate) fn canonical_names<'py>(stems: &Bound<'py, PyList>) -> PyResult<Bound<'py, PyList>> {
    let py = stems.py();
    let mut name = String::new();
    let mut canonical = Vec::with_capacity(stems.len());
    for stem in stems.iter() {
        name.clear();
        names::push_canonical_name(stem.cast::<PyString>()?.to_str()?, &mut name);
        canonical.push(PyString::new(py, &name));
    }
    PyList::new(py, canonical)
}

/// See the stub.
#[pyfunction]
pub(crate) fn assign_names(sources: Vec<(String, Option<String>)>) -> Vec<(String, Vec<String>, Vec<String>)> {
    let requests: Vec<_> = sources
        .into_iter()
        .map(|(path, table)| NameRequest { path, table })
        .collect();
    names::assign_names(&requests)
        .into_iter()
        .map(|assigned| (assigned.name, assigned.aliases, assigned.contested))
        .collect()
}

/// See the stub.
#[pyfunction]
#[allow(clippy::needless_pass_by_value)] // extracted from a Python list
pub(crate) fn unique_columns(names: Vec<String>) -> Vec<String> {
    names::unique_columns(&names)
}

/// See the stub.
#[pyfunction]
#[allow(clippy::needless_pass_by_value)] // extracted from Python lists
pub(crate) fn renamed_columns(
    sources: Vec<String>,
    columns: Vec<String>,
) -> Option<(&'static str, String, u64, Vec<String>)> {
    let note = names::renamed_columns(&sources, &columns)?;
    Some((note.code, note.message, note.count, note.samples))
}

/// See the stub.
#[pyfunction]
pub(crate) fn reserved_words() -> Vec<&'static str> {
    debriefer_tables::keywords::RESERVED.to_vec()
}

/// See the stub.
#[pyfunction]
pub(crate) fn null_tokens() -> Vec<&'static str> {
    debriefer_tables::null_tokens::NULL_TOKENS.to_vec()
}

/// See the stub.
#[pyfunction]
pub(crate) fn read_delimited(py: Python<'_>, path: PathBuf) -> PyResult<Vec<SourceTable>> {
    let tables = detached(py, move || delimited::read_delimited(&path))?;
    Ok(tables.into_iter().map(SourceTable).collect())
}

/// See the stub.
#[pyclass(frozen, get_all, module = "debriefer._core")]
pub(crate) struct Dialect {
    delimiter: char,
    quotechar: Option<char>,
    escapechar: Option<char>,
    encoding: &'static str,
    skip_rows: usize,
    has_header: bool,
}

/// See the stub.
#[pyfunction]
pub(crate) fn sniff_dialect(py: Python<'_>, path: PathBuf) -> PyResult<Dialect> {
    let found = detached(py, move || delimited::sniff_dialect(&path))?;
    Ok(Dialect {
        delimiter: found.delimiter,
        quotechar: found.quote,
        escapechar: found.escape,
        encoding: found.encoding,
        skip_rows: found.skip_rows,
        has_header: found.has_header,
    })
}
