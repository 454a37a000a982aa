//! Packet rhythm and slide stabilisation.

use std::sync::{Mutex, MutexGuard, PoisonError};

use debriefer_frames as frames;
use numpy::PyReadonlyArray1;
use pyo3::exceptions::PyValueError;
use pyo3::prelude::*;

use crate::errors::{IntoPyError, detached, python_error};

impl IntoPyError for frames::Error {
    fn into_py_error(self, py: Python<'_>) -> PyErr {
        python_error(py, "MediaError", &self.to_string(), None)
    }
}

type Opened = Option<(usize, f64)>;
/// What only the end made known, the slides, live regions, and how many were left out.
type Finished = (Opened, Opened, Vec<FoundSlide>, Vec<PyRegion>, usize);
type PyRegion = (usize, usize, usize, usize);

/// See the stub.
#[pyclass(frozen, get_all, module = "debriefer._core")]
pub(crate) struct PacketRhythm {
    readable: bool,
    reason: String,
    bursts: Vec<(f64, f64)>,
    keyframes: Vec<f64>,
    interval: f64,
}

/// See the stub.
#[pyfunction]
#[allow(clippy::needless_pass_by_value)] // extracted from Python lists
pub(crate) fn packet_rhythm(
    py: Python<'_>,
    times: Vec<f64>,
    sizes: Vec<u64>,
    keys: Vec<bool>,
) -> PyResult<PacketRhythm> {
    let found = detached(py, move || frames::rhythm::rhythm(&times, &sizes, &keys))?;
    let frames::rhythm::Rhythm {
        readable,
        reason,
        bursts,
        keyframes,
        interval,
    } = found;
    Ok(PacketRhythm {
        readable,
        reason,
        bursts,
        keyframes,
        interval,
    })
}

/// See the stub.
#[pyclass(frozen, get_all, module = "debriefer._core")]
pub(crate) struct FoundSlide {
    state: usize,
    start: f64,
    end: f64,
    revisit_of: Option<usize>,
    change: &'static str,
    changed: Vec<PyRegion>,
    moving: bool,
}

/// See the stub.
#[pyclass(frozen, module = "debriefer._core")]
pub(crate) struct Stabilizer(Mutex<Option<frames::Stabilizer>>);

impl Stabilizer {
    /// A panic in between leaves the engine as it was at the last statement; the lock itself is sound.
    fn lock(&self) -> MutexGuard<'_, Option<frames::Stabilizer>> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

#[pymethods]
impl Stabilizer {
    #[new]
    fn new() -> Self {
        Self(Mutex::new(Some(frames::Stabilizer::new())))
    }

    #[allow(clippy::needless_pass_by_value)] // borrowed from Python for the length of the call
    fn push(
        &self,
        py: Python<'_>,
        luma: PyReadonlyArray1<'_, u8>,
        width: usize,
        height: usize,
        line_size: usize,
        pts: f64,
    ) -> PyResult<(Opened, Opened, u8, bool)> {
        let bytes = luma.as_slice()?;
        let step = detached(py, || {
            let plane = frames::Plane::new(bytes, width, height, line_size)?;
            self.lock().as_mut().map(|engine| engine.push(&plane, pts)).transpose()
        })?
        .ok_or_else(finished)?;
        Ok((step.opened, step.scene, step.shows, step.calmest))
    }

    fn hold(&self, pts: f64) -> PyResult<Opened> {
        self.lock().as_mut().map(|engine| engine.hold(pts)).ok_or_else(finished)
    }

    fn compact(&self, py: Python<'_>) -> PyResult<Vec<usize>> {
        detached(py, || {
            Ok::<_, frames::Error>(self.lock().as_mut().map(frames::Stabilizer::compact))
        })?
        .ok_or_else(finished)
    }

    fn finish(&self, py: Python<'_>, pts: f64) -> PyResult<Finished> {
        let engine = self.lock().take().ok_or_else(finished)?;
        let (step, found) = detached(py, move || Ok::<_, frames::Error>(engine.finish(pts)))?;
        let slides = found.slides.iter().map(slide).collect();
        let live = found.live.iter().map(region).collect();
        Ok((step.opened, step.scene, slides, live, found.left_out))
    }
}

fn finished() -> PyErr {
    PyValueError::new_err("the stabilizer has been finished")
}

fn region(region: &frames::Region) -> PyRegion {
    (region.left, region.top, region.right, region.bottom)
}

fn slide(slide: &frames::FoundSlide) -> FoundSlide {
    let change = match slide.change {
        frames::Change::First => "first",
        frames::Change::Cut => "cut",
        frames::Change::Fade => "fade",
        frames::Change::Partial => "partial",
        frames::Change::Revisit => "revisit",
    };
    FoundSlide {
        state: slide.state,
        start: slide.start,
        end: slide.end,
        revisit_of: slide.revisit_of,
        change,
        changed: slide.changed.iter().map(region).collect(),
        moving: slide.moving,
    }
}
