//! What is precomputed per prime and per automorphism, shared by all programs of a device.
//!
//! Nothing is evicted: the tables of a process are those of the few parameter sets it works with.

use crate::transform::Transform;
use ringwright_arith::Modulus;
use ringwright_ir::RunError;
use ringwright_kernels::{InnerProduct, Isa, Permutation, Pointwise, WeightedSum};
use ringwright_ring::automorphism;
use std::collections::HashMap;
use std::sync::{Arc, Mutex, PoisonError};

/// Tables of one prime at one ring degree.
#[derive(Debug)]
pub struct Tower {
    /// The prime.
    pub modulus: Modulus<u64>,
    /// Transforms.
    pub ntt: Transform,
    /// Word by word.
    pub pointwise: Pointwise<u64>,
    /// Sums of products.
    pub inner_product: InnerProduct,
}

/// All tables of one device.
#[derive(Debug)]
pub struct Tables {
    machine: String,
    isa: Isa,
    towers: Mutex<HashMap<(u32, u64), Arc<Tower>>>,
    permutations: Mutex<HashMap<(u32, u64), Arc<Permutation>>>,
}

impl Tables {
    /// Empty tables of a machine whose kernels use one instruction set.
    pub fn new(machine: &str, isa: Isa) -> Self {
        let machine = machine.to_owned();
        Tables {
            machine,
            isa,
            towers: Mutex::default(),
            permutations: Mutex::default(),
        }
    }

    /// The tables of a prime below 2^62, 1 mod 2N.
    pub fn tower(&self, log_n: u32, q: u128) -> Result<Arc<Tower>, RunError> {
        let word =
            u64::try_from(q).map_err(|_| self.unsupported(q, &"allowed are primes below 2^62"))?;
        let mut towers = self.towers.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(found) = towers.get(&(log_n, word)) {
            return Ok(found.clone());
        }
        let built = Arc::new(self.build(log_n, word)?);
        towers.insert((log_n, word), built.clone());
        Ok(built)
    }

    fn build(&self, log_n: u32, q: u64) -> Result<Tower, RunError> {
        let reason = |error: &dyn std::fmt::Display| self.unsupported(q.into(), error);
        Ok(Tower {
            modulus: Modulus::new(q).map_err(|e| reason(&e))?,
            ntt: Transform::new(log_n, q, self.isa).map_err(|e| reason(&e))?,
            pointwise: Pointwise::with_isa(q, self.isa).map_err(|e| reason(&e))?,
            inner_product: InnerProduct::with_isa(q, self.isa).map_err(|e| reason(&e))?,
        })
    }

    /// A weighted sum modulo a prime, of words of so many bits.
    pub fn weighted_sum(
        &self,
        q: u128,
        operands: &[(u32, u64)],
        plus: u64,
    ) -> Result<WeightedSum, RunError> {
        let made = WeightedSum::with_isa(q as u64, operands, plus, self.isa);
        made.map_err(|error| self.unsupported(q, &error))
    }

    /// The permutation of X -> X^galois in evaluation form: which word of the operand each word of
    /// the result is.
    pub fn permutation(&self, log_n: u32, galois: u64) -> Result<Arc<Permutation>, RunError> {
        let mut permutations = self
            .permutations
            .lock()
            .unwrap_or_else(PoisonError::into_inner);
        if let Some(found) = permutations.get(&(log_n, galois)) {
            return Ok(found.clone());
        }
        let invalid = |error: &dyn std::fmt::Display| RunError::Invalid(error.to_string());
        let built = automorphism::eval_permutation(log_n, galois).map_err(|e| invalid(&e))?;
        let built = Arc::new(Permutation::new(built).map_err(|e| invalid(&e))?);
        permutations.insert((log_n, galois), built.clone());
        Ok(built)
    }

    fn unsupported(&self, q: u128, reason: &dyn std::fmt::Display) -> RunError {
        RunError::Unsupported {
            machine: self.machine.clone(),
            reason: format!("prime {q}: {reason}"),
        }
    }
}
