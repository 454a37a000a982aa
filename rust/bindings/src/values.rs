//! The value index.

use std::path::PathBuf;
use std::sync::Mutex;

use arrow_array::RecordBatchReader;
use arrow_array::cast::AsArray;
use arrow_array::types::Int64Type;
use debriefer_tables::values::{Builder, Hit, Index, ValueError};
use pyo3::prelude::*;

use crate::capsules::stream_reader;
use crate::errors::{IntoPyError, detached, python_error};

impl IntoPyError for ValueError {
    fn into_py_error(self, py: Python<'_>) -> PyErr {
        python_error(
            py,
            "CatalogError",
            &self.to_string(),
            Some("delete it and build it again"),
        )
    }
}

type FoundCell = (usize, usize, String, String, String, u64, &'static str, f64);

fn found_cell(hit: &Hit<'_>) -> FoundCell {
    (
        hit.start,
        hit.end,
        hit.table.to_owned(),
        hit.column.to_owned(),
        hit.value.to_owned(),
        hit.count,
        hit.kind.as_str(),
        hit.score,
    )
}

/// An opened index; see the stub.
#[pyclass(frozen, module = "debriefer._core")]
pub(crate) struct ValueIndex(Index);

#[pymethods]
impl ValueIndex {
    #[staticmethod]
    #[expect(clippy::needless_pass_by_value, reason = "PyO3 extracts paths by value")]
    fn open(py: Python<'_>, path: PathBuf) -> PyResult<Self> {
        detached(py, || Index::open(&path)).map(Self)
    }

    #[getter]
    fn fingerprint(&self) -> &str {
        self.0.fingerprint()
    }

    #[getter]
    fn cells(&self) -> u64 {
        self.0.cells()
    }

    #[getter]
    fn left_out(&self) -> u64 {
        self.0.left_out()
    }

    fn verify(&self, py: Python<'_>) -> PyResult<()> {
        detached(py, || self.0.verify())
    }

    fn find(&self, py: Python<'_>, question: &str, limit: usize) -> PyResult<Vec<FoundCell>> {
        let hits = detached(py, || self.0.find(question, limit))?;
        Ok(hits.iter().map(found_cell).collect())
    }

    fn spelt(&self, py: Python<'_>, text: &str, limit: usize) -> PyResult<Vec<FoundCell>> {
        let hits = detached(py, || self.0.spelt(text, limit))?;
        Ok(hits.iter().map(found_cell).collect())
    }
}

/// A builder; see the stub.
#[pyclass(frozen, module = "debriefer._core")]
pub(crate) struct ValueIndexBuilder(Mutex<Option<Builder>>);

#[pymethods]
impl ValueIndexBuilder {
    #[new]
    #[expect(clippy::needless_pass_by_value, reason = "PyO3 extracts paths by value")]
    fn new(target: PathBuf) -> Self {
        Self(Mutex::new(Some(Builder::new(&target))))
    }

    fn column(&self, py: Python<'_>, table: &str, column: &str) -> PyResult<()> {
        detached(py, || {
            self.with(|builder| {
                builder.column(table, column);
                Ok(())
            })
        })
    }

    fn add(&self, py: Python<'_>, cells: &Bound<'_, PyAny>, numeric: bool) -> PyResult<()> {
        let mut reader = stream_reader(cells)?;
        detached(py, || self.with(|builder| add_batches(builder, &mut reader, numeric)))
    }

    fn finish(&self, py: Python<'_>, fingerprint: &str) -> PyResult<()> {
        detached(py, || match self.0.lock().ok().and_then(|mut builder| builder.take()) {
            Some(builder) => builder.finish(fingerprint),
            None => Err(ValueError::Misused("the index was written already")),
        })
    }
}

impl ValueIndexBuilder {
    fn with(&self, work: impl FnOnce(&mut Builder) -> Result<(), ValueError>) -> Result<(), ValueError> {
        match self.0.lock().ok().as_deref_mut() {
            Some(Some(builder)) => work(builder),
            _ => Err(ValueError::Misused("the index was written already")),
        }
    }
}

/// Takes batches of two columns: the cells as text, and how often each occurs.
fn add_batches(builder: &mut Builder, reader: &mut dyn RecordBatchReader, numeric: bool) -> Result<(), ValueError> {
    for batch in reader {
        let batch = batch.map_err(std::io::Error::other)?;
        let counts = batch
            .columns()
            .get(1)
            .and_then(|counts| counts.as_primitive_opt::<Int64Type>());
        let (Some(counts), Some(cells)) = (counts, batch.columns().first()) else {
            return Err(ValueError::Misused("the cells and their counts are two columns"));
        };
        let count = |at: usize| u64::try_from(counts.value(at)).unwrap_or(0);
        if let Some(cells) = cells.as_string_opt::<i32>() {
            add_cells(builder, cells.iter(), count, numeric)?;
        } else if let Some(cells) = cells.as_string_opt::<i64>() {
            add_cells(builder, cells.iter(), count, numeric)?;
        } else if let Some(cells) = cells.as_string_view_opt() {
            add_cells(builder, cells.iter(), count, numeric)?;
        } else {
            return Err(ValueError::Misused("the cells are texts"));
        }
    }
    Ok(())
}

fn add_cells<'a>(
    builder: &mut Builder,
    cells: impl Iterator<Item = Option<&'a str>>,
    count: impl Fn(usize) -> u64,
    numeric: bool,
) -> Result<(), ValueError> {
    for (at, cell) in cells.enumerate() {
        if let Some(cell) = cell {
            builder.add(cell, count(at), numeric)?;
        }
    }
    Ok(())
}
