//! Decrypts to encoded polynomials with the secret key.

use super::lowered::{run_for, Lowered};
use super::residues::check_ring;
use super::{programs, Error, Ring, SecretKey};
use ringwright_ir::Value;
use ringwright_ring::{RnsPoly, Seed};
use ringwright_target::Device;
use std::sync::Arc;

/// Decrypts ciphertexts of any level and number of parts.
pub struct Decryptor {
    ring: Ring,
    key: Arc<SecretKey>,
    lowered: Lowered<Shape>,
}

#[derive(PartialEq, Eq, PartialOrd, Ord)]
struct Shape {
    level: usize,
    parts: usize,
    flood: Option<u8>,
}

impl Decryptor {
    /// For one secret key.
    ///
    /// # Errors
    /// A key of another ring.
    pub fn new(ring: &Ring, key: Arc<SecretKey>, device: Arc<dyn Device>) -> Result<Self, Error> {
        check_ring("secret key", key.ring(), ring)?;
        Ok(Self {
            ring: ring.clone(),
            key,
            lowered: Lowered::new(device),
        })
    }

    /// The key that it decrypts with.
    pub fn key(&self) -> &SecretKey {
        &self.key
    }

    /// The message with its error, coefficient form; with `flood`, under noise uniform in
    /// [-2^bits, 2^bits) drawn from the seed.
    ///
    /// # Errors
    /// No parts, a level the ring does not have, or a device that cannot run the program.
    pub fn decrypt(
        &self,
        parts: &[Arc<RnsPoly>],
        flood: Option<(u8, Seed)>,
    ) -> Result<Arc<RnsPoly>, Error> {
        let level = parts.first().map_or(0, |part| part.towers());
        let (flood, seed) = flood.unzip();
        let shape = Shape {
            level,
            parts: parts.len(),
            flood,
        };
        let kernel = self.lowered.get(shape, || match flood {
            None => programs::decrypt(&self.ring, level, parts.len()),
            Some(bits) => programs::decrypt_share(&self.ring, level, parts.len(), bits),
        })?;
        let mut inputs: Vec<Value> = parts.iter().cloned().map(Value::Poly).collect();
        inputs.push(Value::Poly(self.key.towers().clone()));
        inputs.extend(seed.map(|seed| Value::Seed(Arc::new(seed))));
        let [message] = run_for(&*kernel, &inputs)?;
        Ok(message)
    }
}
