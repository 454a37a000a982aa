//! `SourceTable`: what the readers give to the catalog.

use arrow_array::RecordBatchIterator;
use arrow_array::ffi_stream::FFI_ArrowArrayStream;
use debriefer_tables as tables;
use pyo3::prelude::*;
use pyo3::types::PyCapsule;

use crate::errors::{IntoPyError, python_error};

impl IntoPyError for tables::TableError {
    fn into_py_error(self, py: Python<'_>) -> PyErr {
        python_error(py, "SourceError", &self.message, self.hint.as_deref())
    }
}

/// A table read into memory; see the stub.
#[pyclass(frozen, module = "debriefer._core")]
pub(crate) struct SourceTable(pub(crate) tables::SourceTable);

#[pymethods]
impl SourceTable {
    #[getter]
    fn name(&self) -> &str {
        &self.0.name
    }

    #[getter]
    fn columns(&self) -> Vec<(&str, &str)> {
        self.0
            .columns
            .iter()
            .map(|c| (c.name.as_str(), c.sql_type.as_str()))
            .collect()
    }

    #[getter]
    fn rows(&self) -> usize {
        self.0.rows()
    }

    #[getter]
    fn notes(&self) -> Vec<(&str, &str, u64, Vec<String>)> {
        self.0
            .notes
            .iter()
            .map(|n| (n.code, n.message.as_str(), n.count, n.samples.clone()))
            .collect()
    }

    #[getter]
    fn hints(&self) -> Vec<(&str, &str, u64)> {
        self.0
            .notes
            .iter()
            .filter_map(|n| Some((n.column.as_deref()?, n.code, n.count)))
            .collect()
    }

    #[pyo3(signature = (requested_schema=None))]
    fn __arrow_c_stream__<'py>(
        &self,
        py: Python<'py>,
        requested_schema: Option<Bound<'py, PyAny>>,
    ) -> PyResult<Bound<'py, PyCapsule>> {
        drop(requested_schema);
        let batches: Vec<_> = self.0.batches.iter().cloned().map(Ok).collect();
        let reader = RecordBatchIterator::new(batches, self.0.schema.clone());
        PyCapsule::new_with_value(py, FFI_ArrowArrayStream::new(Box::new(reader)), c"arrow_array_stream")
    }
}
