//! Readers of SQLite, JSON and workbooks, and the kind of a file.

use std::path::PathBuf;

use debriefer_tables::{json, kind, sqlite, workbook};
use pyo3::prelude::*;

use crate::errors::detached;
use crate::source::SourceTable;

/// An opened SQLite file; see the stub.
#[pyclass(frozen, module = "debriefer._core")]
pub(crate) struct SqliteSource(sqlite::SqliteSource);

type DeclaredColumn = (String, String, bool, u32);
type ForeignKey = (String, String, String);

#[pymethods]
impl SqliteSource {
    #[getter]
    fn tables(&self) -> Vec<(&str, &'static str)> {
        let tables = self.0.tables().iter();
        tables.map(|(name, kind)| (name.as_str(), kind.as_str())).collect()
    }

    fn declared(&self, py: Python<'_>, name: &str) -> PyResult<(Vec<DeclaredColumn>, Vec<ForeignKey>)> {
        let declared = detached(py, || self.0.declared(name))?;
        let columns = declared.columns.into_iter();
        let keys = declared.foreign_keys.into_iter();
        Ok((
            columns
                .map(|c| (c.name, c.declared_type, c.not_null, c.primary_key))
                .collect(),
            keys.map(|k| (k.from, k.table, k.to)).collect(),
        ))
    }

    fn read(&self, py: Python<'_>, name: &str) -> PyResult<SourceTable> {
        detached(py, || self.0.read(name)).map(SourceTable)
    }
}

/// Opens a SQLite file for reading.
#[pyfunction]
#[expect(clippy::needless_pass_by_value, reason = "PyO3 extracts paths by value")]
pub(crate) fn open_sqlite(py: Python<'_>, path: PathBuf) -> PyResult<SqliteSource> {
    detached(py, || sqlite::SqliteSource::open(&path)).map(SqliteSource)
}

/// Reads a JSON or JSON Lines file as one table or several.
#[pyfunction]
#[expect(clippy::needless_pass_by_value, reason = "PyO3 extracts paths by value")]
pub(crate) fn read_json(py: Python<'_>, path: PathBuf) -> PyResult<Vec<SourceTable>> {
    let tables = detached(py, || json::read(&path))?;
    Ok(tables.into_iter().map(SourceTable).collect())
}

/// Reads every sheet of a workbook that holds cells.
#[pyfunction]
#[expect(clippy::needless_pass_by_value, reason = "PyO3 extracts paths by value")]
pub(crate) fn read_workbook(py: Python<'_>, path: PathBuf) -> PyResult<Vec<SourceTable>> {
    let tables = detached(py, || workbook::read(&path))?;
    Ok(tables.into_iter().map(SourceTable).collect())
}

/// Names the kind of a file.
#[pyfunction]
#[expect(clippy::needless_pass_by_value, reason = "PyO3 extracts paths by value")]
pub(crate) fn detect_kind(py: Python<'_>, path: PathBuf) -> PyResult<Option<&'static str>> {
    let kind = detached(py, || kind::detect(&path))?;
    Ok(kind.map(kind::Kind::as_str))
}
