//! Programs that a device has lowered, once per shape.

use super::Error;
use ringwright_ir::ring::Module;
use ringwright_ir::Value;
use ringwright_ring::RnsPoly;
use ringwright_target::{Device, Executable};
use std::collections::BTreeMap;
use std::sync::{Arc, Mutex, PoisonError};

/// Kernels by shape, lowered when first asked for.
pub(crate) struct Lowered<K> {
    device: Arc<dyn Device>,
    kernels: Mutex<BTreeMap<K, Arc<dyn Executable>>>,
}

impl<K: Ord> Lowered<K> {
    pub(crate) fn new(device: Arc<dyn Device>) -> Self {
        Self {
            device,
            kernels: Mutex::new(BTreeMap::new()),
        }
    }

    /// The kernel of this shape; its module is built at the first request.
    pub(crate) fn get(
        &self,
        shape: K,
        build: impl FnOnce() -> Result<Module, Error>,
    ) -> Result<Arc<dyn Executable>, Error> {
        // A panic elsewhere cannot leave a half-lowered kernel in the map.
        let mut kernels = self.kernels.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(kernel) = kernels.get(&shape) {
            return Ok(kernel.clone());
        }
        let kernel = self.device.lower(&build()?)?;
        kernels.insert(shape, kernel.clone());
        Ok(kernel)
    }
}

/// Runs a kernel whose results are polynomials.
pub(crate) fn run(kernel: &dyn Executable, inputs: &[Value]) -> Result<Vec<Arc<RnsPoly>>, Error> {
    polys(kernel.run(inputs)?)
}

/// The polynomials that a device returned.
pub(crate) fn polys(values: Vec<Value>) -> Result<Vec<Arc<RnsPoly>>, Error> {
    let poly = |value| match value {
        Value::Poly(poly) => Ok(poly),
        _ => Err(Error::Internal(
            "a device returned something other than a polynomial".into(),
        )),
    };
    values.into_iter().map(poly).collect()
}

/// Runs a kernel with exactly this number of results.
pub(crate) fn run_for<const K: usize>(
    kernel: &dyn Executable,
    inputs: &[Value],
) -> Result<[Arc<RnsPoly>; K], Error> {
    let results = run(kernel, inputs)?;
    let count = results.len();
    results
        .try_into()
        .map_err(|_| Error::Internal(format!("a device returned {count} results instead of {K}")))
}
