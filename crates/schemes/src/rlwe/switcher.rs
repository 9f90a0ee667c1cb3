//! Takes ciphertexts from one secret to another.

use super::lowered::{run_for, Lowered};
use super::residues::check_ring;
use super::{programs, Error, Ring, SwitchingKey};
use ringwright_ir::he::{KeyId, SecretId};
use ringwright_ir::Value;
use ringwright_ring::RnsPoly;
use ringwright_target::Device;
use std::sync::Arc;

/// Re-encrypts ciphertexts of two parts, of any level that its key reaches.
pub struct Switcher {
    ring: Ring,
    id: KeyId,
    key: SwitchingKey,
    lowered: Lowered<usize>,
}

impl Switcher {
    /// With the key between two secrets.
    ///
    /// # Errors
    /// A key of another ring.
    pub fn new(
        ring: &Ring,
        (from, to): (SecretId, SecretId),
        key: SwitchingKey,
        device: Arc<dyn Device>,
    ) -> Result<Self, Error> {
        check_ring("evaluation key", key.ring(), ring)?;
        Ok(Self {
            ring: ring.clone(),
            id: KeyId::Switch { from, to },
            key,
            lowered: Lowered::new(device),
        })
    }

    /// The key that it switches with.
    pub fn key(&self) -> &SwitchingKey {
        &self.key
    }

    /// Both parts under the other secret.
    ///
    /// # Errors
    /// Parts above the levels of the key ([`Error::KeyShape`]), or a device that cannot run the
    /// program.
    pub fn switch(&self, [c0, c1]: [&Arc<RnsPoly>; 2]) -> Result<[Arc<RnsPoly>; 2], Error> {
        let (level, shape) = (c0.towers(), self.key.shape());
        if level > shape.level() {
            return Err(Error::KeyShape {
                key: self.id,
                needed_by: String::new(),
                asked: format!("level {level}"),
                given: shape.to_string(),
            });
        }
        let kernel = self
            .lowered
            .get(level, || programs::switch(&self.ring, level, shape))?;
        let inputs = [
            Value::Poly(c0.clone()),
            Value::Poly(c1.clone()),
            Value::Array(self.key.polys().clone()),
        ];
        run_for(&*kernel, &inputs)
    }
}
