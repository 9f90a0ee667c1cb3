//! Seeds that are published: the uniform half of a key or ciphertext in 32 bytes.
//!
//! The half that is uniform hides nothing by being unknown, so whoever made it may say of which seed it
//! was drawn; everybody draws the same words again, since the sampler is defined bit by bit. What is
//! secret (errors, secrets) comes from another seed, and both are derived from a third by SHAKE-256
//! with labels of their own ([`Seed::derive`]): the public one tells nothing of the others.

use super::{Error, Ring};
use ringwright_arith::Modulus;
use ringwright_ir::ring::Basis;
use ringwright_ir::Value;
use ringwright_kernels::Keccak;
use ringwright_ring::sampler::{self, Draw, Xof};
use ringwright_ring::{RnsPoly, Seed};
use std::sync::Arc;

/// 32 bytes that anybody may know.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct PublicSeed([u8; 32]);

impl PublicSeed {
    /// As published.
    pub fn from_bytes(bytes: [u8; 32]) -> Self {
        Self(bytes)
    }

    /// To be published.
    pub fn bytes(&self) -> [u8; 32] {
        self.0
    }

    /// For one purpose, under a label that no secret seed is derived with.
    pub(super) fn derived(root: &Seed, purpose: &str, context: &[u8]) -> Self {
        let drawn = root.derive(&format!("public seed of the {purpose}"), context);
        Self(*drawn.expose())
    }

    /// As the argument of a program that draws from it.
    pub(super) fn value(&self) -> Value {
        Value::Seed(Arc::new(Seed::from_bytes(self.0)))
    }

    /// What a program draws from it: uniform under the primes of `basis`, evaluation form.
    pub(super) fn uniform(
        &self,
        ring: &Ring,
        basis: &Basis,
        stream: &str,
    ) -> Result<RnsPoly, Error> {
        let internal = |error: &dyn std::fmt::Display| Error::Internal(error.to_string());
        let (seed, primes, n) = (Seed::from_bytes(self.0), ring.primes(), ring.n());
        let mut words = vec![0; n * basis.len()];
        let mut draws = Vec::with_capacity(basis.len());
        for (tower, out) in basis.iter().zip(words.chunks_exact_mut(n)) {
            let modulus = Modulus::new(primes[tower.index()]).map_err(|e| internal(&e))?;
            let xof = Xof::new(&seed, stream, tower.0).map_err(|e| internal(&e))?;
            draws.push(Draw::uniform(xof, &modulus, out));
        }
        sampler::draw(&Keccak::default(), draws);
        RnsPoly::from_words(n, words).map_err(|e| internal(&e))
    }
}
