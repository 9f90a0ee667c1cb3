//! What a machine's host sees of a program: memories, registers, results.

use crate::error::{run_error, target_error, unknown_target};
use crate::interruptible::interruptible;
use crate::machine::Machine;
use crate::module::Module;
use pyo3::prelude::*;
use pyo3::types::PyBytes;
use ringwright_ir::Value;
use ringwright_target::image::{drawn, HostAction};
use ringwright_target::ImageError;

/// A program on a machine with inputs that were drawn, for benches of its hardware.
#[pyclass(frozen, module = "ringwright._ringwright")]
pub struct Image {
    image: ringwright_target::Image,
    /// The interpreter's.
    results: Vec<Value>,
}

#[pymethods]
impl Image {
    /// Every memory before the run: name, address, bytes, a word's lowest first.
    #[getter]
    fn memories<'py>(&self, py: Python<'py>) -> Vec<(&str, u64, Bound<'py, PyBytes>)> {
        let memories = self.image.memories.iter();
        let bytes = memories.map(|of| (of.name, of.base, PyBytes::new(py, &of.bytes())));
        bytes.collect()
    }

    /// The regions that hold something before the run: name, words.
    #[getter]
    fn regions(&self) -> Vec<(&str, Vec<u128>)> {
        let regions = self
            .image
            .memories
            .iter()
            .flat_map(|memory| &memory.regions);
        let filled = regions.filter_map(|region| Some((&*region.name, region.words.clone()?)));
        filled.collect()
    }

    /// The registers that are written for the run, in order: offset and word.
    #[getter]
    fn writes(&self) -> Vec<(u32, u32)> {
        let script = self.image.script.iter();
        let writes = script.flat_map(|action| match action {
            HostAction::Write(writes) => writes.as_slice(),
            _ => &[],
        });
        writes.map(|write| (write.offset, write.value)).collect()
    }

    /// What the run leaves: address and bytes of every tower that is returned.
    #[getter]
    fn results<'py>(&self, py: Python<'py>) -> Vec<(u64, Bound<'py, PyBytes>)> {
        let results = self.image.result_bytes(&self.results).into_iter();
        let results = results.map(|(address, bytes)| (address, PyBytes::new(py, &bytes)));
        results.collect()
    }
}

/// The image of a program with inputs drawn by a seed, its data from an address on; `None` where the
/// machine's target has none. Raises `MachineError` where the machine has no place for it.
#[pyfunction]
pub fn image(
    py: Python<'_>,
    machine: &Machine,
    module: &Module,
    seed: u64,
    base: u64,
) -> PyResult<Option<Image>> {
    let name = machine.0.target();
    let target = ringwright_targets::find(name).ok_or_else(|| unknown_target(name))?;
    let Some(image) = target.image else {
        return Ok(None);
    };
    let module = module.ring();
    interruptible(py, || drawn(image, &machine.0, module, seed, base))?
        .map(|(image, results)| Some(Image { image, results }))
        .map_err(|error| match error {
            ImageError::Machine(inner) => target_error(inner),
            ImageError::Program(inner) => run_error(inner),
        })
}
