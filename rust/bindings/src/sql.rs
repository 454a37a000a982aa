//! The SQL door.

use debriefer_sql as sql;
use pyo3::prelude::*;
use pyo3::types::{PyMapping, PyString};

use crate::errors::{IntoPyError, python_error};

impl IntoPyError for sql::SqlError {
    fn into_py_error(self, py: Python<'_>) -> PyErr {
        python_error(py, "SqlError", &self.message, Some(&self.hint))
    }
}

/// Compiled names; see the stub.
#[pyclass(frozen, module = "debriefer._core")]
pub(crate) struct SqlSchema(sql::Schema);

#[pymethods]
impl SqlSchema {
    #[new]
    #[pyo3(signature = (tables=None, aliases=None, temporal=None, lists=None, dates=None, *, macros=false))]
    fn new(
        tables: Option<&Bound<'_, PyMapping>>,
        aliases: Option<&Bound<'_, PyMapping>>,
        temporal: Option<&Bound<'_, PyMapping>>,
        lists: Option<&Bound<'_, PyMapping>>,
        dates: Option<&Bound<'_, PyMapping>>,
        macros: bool,
    ) -> PyResult<Self> {
        let tables: Vec<(String, Vec<String>)> = pairs(tables)?;
        let aliases: Vec<(String, String)> = pairs(aliases)?;
        let temporal: Vec<(String, Vec<String>)> = pairs(temporal)?;
        let lists: Vec<(String, Vec<String>)> = pairs(lists)?;
        let dates: Vec<(String, Vec<String>)> = pairs(dates)?;
        let mut schema = sql::Schema::new(
            tables.iter().map(|(name, columns)| (name.as_str(), columns.as_slice())),
            aliases.iter().map(|(alias, table)| (alias.as_str(), table.as_str())),
        );
        for (table, columns) in &temporal {
            schema.set_temporal(table, columns);
        }
        for (table, columns) in &lists {
            schema.set_lists(table, columns);
        }
        for (table, columns) in &dates {
            schema.set_dates(table, columns);
        }
        if macros {
            schema.set_macros();
        }
        Ok(Self(schema))
    }

    fn normalize(&self, sql: &Bound<'_, PyString>) -> PyResult<NormalizedSql> {
        let py = sql.py();
        let Ok(text) = sql.to_str() else {
            let message = "the statement holds half a character (a lone surrogate)";
            return Err(python_error(py, "SqlError", message, Some("decode the text as UTF-8")));
        };
        let edits = sql::normalize(text, &self.0).map_err(|error| error.into_py_error(py))?;
        let original = sql.clone().unbind();
        let sql = if edits.is_empty() {
            original.clone_ref(py)
        } else {
            PyString::new(py, &sql::apply(text, &edits)).unbind()
        };
        Ok(NormalizedSql { sql, original, edits })
    }
}

/// The pairs of a mapping, or none.
fn pairs<'py, V: for<'a> FromPyObject<'a, 'py>>(mapping: Option<&Bound<'py, PyMapping>>) -> PyResult<Vec<(String, V)>> {
    let Some(mapping) = mapping else { return Ok(Vec::new()) };
    mapping
        .items()?
        .iter()
        .map(|pair| pair.extract::<(String, V)>())
        .collect()
}

/// A statement as it runs; see the stub.
#[pyclass(frozen, module = "debriefer._core")]
pub(crate) struct NormalizedSql {
    sql: Py<PyString>,
    original: Py<PyString>,
    edits: Vec<sql::Edit>,
}

#[pymethods]
impl NormalizedSql {
    #[getter]
    fn sql(&self, py: Python<'_>) -> Py<PyString> {
        self.sql.clone_ref(py)
    }

    #[getter]
    fn original(&self, py: Python<'_>) -> Py<PyString> {
        self.original.clone_ref(py)
    }

    #[getter]
    fn rewrites(&self, py: Python<'_>) -> PyResult<Vec<Rewrite>> {
        let text = self.original.bind(py).to_str()?;
        Ok(sql::characters(text, &self.edits)
            .zip(&self.edits)
            .map(|((start, end), edit)| Rewrite {
                kind: edit.kind.name(),
                before: text[edit.start as usize..edit.end as usize].to_owned(),
                after: edit.text(text).into_owned(),
                start,
                end,
            })
            .collect())
    }

    fn __repr__(&self, py: Python<'_>) -> PyResult<String> {
        Ok(format!("NormalizedSql({})", self.sql.bind(py).repr()?))
    }
}

/// One rewrite; see the stub.
#[pyclass(frozen, eq, hash, module = "debriefer._core")]
#[derive(PartialEq, Eq, Hash)]
pub(crate) struct Rewrite {
    #[pyo3(get)]
    kind: &'static str,
    #[pyo3(get)]
    before: String,
    #[pyo3(get)]
    after: String,
    #[pyo3(get)]
    start: usize,
    #[pyo3(get)]
    end: usize,
}

#[pymethods]
impl Rewrite {
    fn __str__(&self) -> String {
        format!("{}: `{}` -> `{}`", self.kind, self.before, self.after)
    }

    fn __repr__(&self) -> String {
        format!(
            "Rewrite(kind={:?}, before={:?}, after={:?}, start={}, end={})",
            self.kind, self.before, self.after, self.start, self.end
        )
    }
}

/// The known names that are nearest to `name`.
#[pyfunction]
#[pyo3(signature = (name, names, count=3))]
pub(crate) fn nearest_names(name: &str, names: &Bound<'_, PyAny>, count: usize) -> PyResult<Vec<String>> {
    let names: Vec<String> = names.extract()?;
    let near = sql::nearest(name, names.iter().map(String::as_str), count);
    Ok(near.into_iter().map(str::to_owned).collect())
}

/// Kind and byte offsets of each token.
#[pyfunction]
pub(crate) fn tokenize_sql(sql: &str) -> Vec<(&'static str, u32, u32)> {
    sql::lexer::Lexer::new(sql)
        .map(|token| (token.kind.name(), token.start, token.end))
        .collect()
}
