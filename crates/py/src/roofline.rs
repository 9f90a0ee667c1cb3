//! Where a program lies under its machine's roofs.

use crate::machine::Backend;
use crate::timing::Timing;
use pyo3::prelude::*;
use ringwright_target as target;

/// A program on a machine whose products are counted.
#[pyclass(frozen, module = "ringwright._ringwright")]
pub struct Roofline(target::Roofline);

/// `None` where the machine counts no products, or the program makes none or moves no byte.
#[pyfunction]
pub fn roofline(backend: &Backend, timing: &Timing) -> Option<Roofline> {
    let roofs = backend.device().roofs()?;
    roofs.of(&timing.0).map(Roofline)
}

#[pymethods]
impl Roofline {
    /// Modular products that the program makes, in the machine's words.
    #[getter]
    fn products(&self) -> u64 {
        self.0.products
    }

    /// Bytes between the device and the memory behind it.
    #[getter]
    fn bytes_moved(&self) -> u64 {
        self.0.bytes
    }

    /// How long the device takes, femtoseconds.
    #[getter]
    fn time_fs(&self) -> u64 {
        self.0.time.0
    }

    /// Products a byte.
    #[getter]
    fn intensity(&self) -> f64 {
        self.0.intensity()
    }

    /// Products a second.
    #[getter]
    fn attained(&self) -> f64 {
        self.0.attained()
    }

    /// Products a second that the roofs allow at this intensity.
    #[getter]
    fn allowed(&self) -> f64 {
        self.0.allowed()
    }

    /// The lower roof there: "memory" or "compute".
    #[getter]
    fn limit(&self) -> &'static str {
        self.0.limit().as_str()
    }

    /// The machine's products a second at most.
    #[getter]
    fn products_per_second(&self) -> f64 {
        self.0.roofs.products_per_second
    }

    /// The machine's bytes a second at most.
    #[getter]
    fn bytes_per_second(&self) -> f64 {
        self.0.roofs.bytes_per_second
    }
}
