//! The one mapping from Rust errors to Python exceptions, and the one door that releases the GIL.

use std::panic::{self, AssertUnwindSafe};

use pyo3::prelude::*;

/// Runs `work` without the GIL and turns its error into the Python exception tree.
///
/// A panic becomes a `SourceError`: left alone it would be no `Exception` in Python and end the whole task for one
/// file.
pub(crate) fn detached<T: Send, E: Send + IntoPyError>(
    py: Python<'_>,
    work: impl Send + FnOnce() -> Result<T, E>,
) -> PyResult<T> {
    match py.detach(|| panic::catch_unwind(AssertUnwindSafe(work))) {
        Ok(result) => result.map_err(|error| error.into_py_error(py)),
        Err(payload) => {
            let said = payload.downcast_ref::<&str>().copied().map(str::to_owned);
            let said = said
                .or_else(|| payload.downcast_ref::<String>().cloned())
                .unwrap_or_default();
            let message = format!("the reader failed unexpectedly: {said}");
            Err(python_error(
                py,
                "SourceError",
                &message,
                Some("please report this file"),
            ))
        }
    }
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
