//! What is precomputed per prime and per automorphism, shared by all programs of a device.
//!
//! Nothing is evicted: the tables of a process are those of the few parameter sets it works with.

use ringwright_arith::{Modulus, RingKind};
use ringwright_ir::RunError;
use ringwright_kernels::{
    InnerProduct, Isa, Keccak, KernelWord, NttPlan, Permutation, Pointwise, WeightedSum,
};
use ringwright_ring::automorphism;
use std::collections::HashMap;
use std::sync::{Arc, Mutex, PoisonError};

/// Tables of one prime in one ring.
#[derive(Debug)]
pub struct Tower<W: KernelWord> {
    /// The prime.
    pub modulus: Modulus<W>,
    /// Transforms.
    pub ntt: NttPlan<W>,
    /// Word by word.
    pub pointwise: Pointwise<W>,
    /// Sums of products.
    pub inner_product: InnerProduct,
}

/// A ring and a prime, or a Galois element.
type Key = (RingKind, u32, u64);

/// Tables of all primes, for towers of one kind of words.
pub type Towers<W> = Mutex<HashMap<Key, Arc<Tower<W>>>>;

/// All tables of one device.
#[derive(Debug)]
pub struct Tables {
    machine: String,
    isa: Isa,
    /// For towers of 64-bit words.
    pub wide: Towers<u64>,
    /// For towers of 32-bit words.
    pub short: Towers<u32>,
    permutations: Mutex<HashMap<Key, Arc<Permutation>>>,
}

impl Tables {
    /// Empty tables of a machine whose kernels use one instruction set.
    pub fn new(machine: &str, isa: Isa) -> Self {
        let machine = machine.to_owned();
        Tables {
            machine,
            isa,
            wide: Mutex::default(),
            short: Mutex::default(),
            permutations: Mutex::default(),
        }
    }

    /// Of these tables, that of a prime below 2^62 (2^30 for words of 32 bits), of those that the ring
    /// takes.
    pub fn tower<W: KernelWord>(
        &self,
        towers: &Towers<W>,
        kind: RingKind,
        log_n: u32,
        q: u128,
    ) -> Result<Arc<Tower<W>>, RunError> {
        let word =
            u64::try_from(q).map_err(|_| self.unsupported(q, &"allowed are primes below 2^62"))?;
        let mut towers = towers.lock().unwrap_or_else(PoisonError::into_inner);
        let key = (kind, log_n, word);
        if let Some(found) = towers.get(&key) {
            return Ok(found.clone());
        }
        let built = Arc::new(self.build(key)?);
        towers.insert(key, built.clone());
        Ok(built)
    }

    fn build<W: KernelWord>(&self, (kind, log_n, q): Key) -> Result<Tower<W>, RunError> {
        let reason = |error: &dyn std::fmt::Display| self.unsupported(q.into(), error);
        let inner_product = InnerProduct::with_isa(q, self.isa).map_err(|e| reason(&e))?;
        let q = W::from_u128(q.into());
        Ok(Tower {
            modulus: Modulus::new(q).map_err(|e| reason(&e))?,
            ntt: NttPlan::of_ring(kind, log_n, q, self.isa).map_err(|e| reason(&e))?,
            pointwise: Pointwise::with_isa(q, self.isa).map_err(|e| reason(&e))?,
            inner_product,
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

    /// What draws streams.
    pub fn keccak(&self) -> Result<Keccak, RunError> {
        Keccak::with_isa(self.isa).map_err(|error| self.unusable(&error))
    }

    /// The permutation of X -> X^galois in evaluation form: which word of the operand each word of
    /// the result is.
    pub fn permutation(
        &self,
        kind: RingKind,
        log_n: u32,
        galois: u64,
    ) -> Result<Arc<Permutation>, RunError> {
        let mut permutations = self
            .permutations
            .lock()
            .unwrap_or_else(PoisonError::into_inner);
        let key = (kind, log_n, galois);
        if let Some(found) = permutations.get(&key) {
            return Ok(found.clone());
        }
        let invalid = |error: &dyn std::fmt::Display| RunError::Invalid(error.to_string());
        let built = automorphism::eval_permutation(kind, log_n, galois).map_err(|e| invalid(&e))?;
        let built = Arc::new(Permutation::new(built).map_err(|e| invalid(&e))?);
        permutations.insert(key, built.clone());
        Ok(built)
    }

    fn unsupported(&self, q: u128, reason: &dyn std::fmt::Display) -> RunError {
        self.unusable(&format_args!("prime {q}: {reason}"))
    }

    fn unusable(&self, reason: &dyn std::fmt::Display) -> RunError {
        RunError::Unsupported {
            machine: self.machine.clone(),
            reason: reason.to_string(),
        }
    }
}
