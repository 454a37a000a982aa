//! The one mapping from Rust errors to Python exceptions, and the one door that releases the GIL.

use pyo3::prelude::*;

/// Runs `work` without the GIL and turns its error into the Python exception tree.
pub(crate) fn detached<T: Send, E: Send + IntoPyError>(
    py: Python<'_>,
    work: impl Send + FnOnce() -> Result<T, E>,
) -> PyResult<T> {
    py.detach(work).map_err(|error| error.into_py_error(py))
}

/// An engine's error that knows its class in `debriefer.errors`.
pub(crate) trait IntoPyError {
    /// Builds the Python exception.
    fn into_py_error(self, py: Python<'_>) -> PyErr;
}

/// Builds `debriefer.errors.<class>(message, hint=hint)`.
pub(crate) fn python_error(py: Python<'_>, class: &str, message: &str, hint: Option<&str>) -> PyErr {
    let build = || -> PyResult<Bound<'_, PyAny>> {
        let kwargs = pyo3::types::PyDict::new(py);
        kwargs.set_item("hint", hint)?;
        py.import("debriefer.errors")?
            .getattr(class)?
            .call((message,), Some(&kwargs))
    };
    build().map_or_else(|error| error, PyErr::from_value)
}
