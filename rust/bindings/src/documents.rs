//! Text of documents, the normalising operations, and what sentences have in common.

use std::path::PathBuf;

use debriefer_tables::TableError;
use debriefer_tables::alignment;
use debriefer_tables::delimited;
use debriefer_tables::normalise::{self, Wanted};
use pyo3::prelude::*;

use crate::errors::detached;

/// See the stub.
#[pyfunction]
pub(crate) fn read_text(py: Python<'_>, path: PathBuf) -> PyResult<(String, &'static str)> {
    detached(py, move || delimited::read_text(&path))
}

type Normalised = (Vec<&'static str>, &'static str, String, Vec<String>, Vec<String>);

/// See the stub.
#[pyfunction]
#[pyo3(signature = (values, unit=None, *, first_day=false))]
#[expect(clippy::needless_pass_by_value, reason = "extracted from a Python list")]
pub(crate) fn normalise_column(
    py: Python<'_>,
    values: Vec<String>,
    unit: Option<String>,
    first_day: bool,
) -> PyResult<Normalised> {
    let done = detached(py, || {
        let texts: Vec<&str> = values.iter().map(String::as_str).collect();
        let wanted = Wanted {
            unit: unit.as_deref(),
            first_day,
        };
        Ok::<_, TableError>(normalise::normalise(&texts, wanted))
    })?;
    Ok((done.operations, done.sql_type, done.unit, done.written, done.values))
}

/// See the stub.
#[pyfunction]
#[expect(clippy::needless_pass_by_value, reason = "extracted from Python lists")]
pub(crate) fn common_places(
    py: Python<'_>,
    one: Vec<u32>,
    others: Vec<Vec<u32>>,
) -> PyResult<Vec<Vec<(usize, usize)>>> {
    detached(py, || {
        Ok::<_, TableError>(
            others
                .iter()
                .map(|other| alignment::common_places(&one, other))
                .collect(),
        )
    })
}
