//! Arrow streams that Python hands in.

use arrow_array::ffi_stream::{FFI_ArrowArrayStream, RecordBatchStreamReader};
use pyo3::exceptions::{PyTypeError, PyValueError};
use pyo3::prelude::*;
use pyo3::types::PyCapsule;

/// Takes the stream out of any object with `__arrow_c_stream__`.
#[expect(
    unsafe_code,
    reason = "the C stream interface hands over a pointer, under a name that says what it is"
)]
pub(crate) fn stream_reader(source: &Bound<'_, PyAny>) -> PyResult<RecordBatchStreamReader> {
    let capsule = source.call_method0("__arrow_c_stream__")?;
    let capsule = capsule
        .cast::<PyCapsule>()
        .map_err(|_| PyTypeError::new_err("`__arrow_c_stream__` gave no capsule"))?;
    let stream = capsule.pointer_checked(Some(c"arrow_array_stream"))?;
    // SAFETY: a capsule of this name points to an `ArrowArrayStream`; it is moved out, and left as a released one,
    // as the interface asks (Arrow PyCapsule interface, "lifetime semantics").
    let stream = unsafe { FFI_ArrowArrayStream::from_raw(stream.cast().as_ptr()) };
    RecordBatchStreamReader::try_new(stream).map_err(|error| PyValueError::new_err(error.to_string()))
}
