//! Checks inputs, each immutable polynomial once.
//!
//! A kernel relies on shapes and on reduced words, and an evaluation key has tens of megabytes of
//! them. A value that passed is remembered by a weak reference together with its primes: while it
//! lives its contents cannot change (`Arc::get_mut` refuses as long as a weak reference exists),
//! and once it is dead its address is forgotten. Results of a run are remembered as they are.
//!
//! Secret inputs, and results of runs that had some, are not: a weak reference would keep their
//! owner from overwriting them.

use ringwright_ir::ring::{Basis, Module, Type};
use ringwright_ir::{arguments, RunError, Value};
use ringwright_ring::RnsPoly;
use std::collections::HashMap;
use std::sync::{Arc, Mutex, PoisonError, Weak};

/// The values that were found right.
#[derive(Debug, Default)]
pub struct Checked {
    known: Mutex<Known>,
}

#[derive(Debug, Default)]
struct Known {
    by_address: HashMap<usize, Vec<Entry>>,
    /// Size at which dead entries are looked for.
    limit: usize,
}

#[derive(Debug)]
struct Entry {
    value: Held,
    primes: Vec<u128>,
}

#[derive(Debug)]
enum Held {
    Poly(Weak<RnsPoly>),
    Array(Weak<Vec<RnsPoly>>),
}

/// Whether the words of each tower are below its prime.
pub type AreReduced = fn(&RnsPoly, &[u128]) -> bool;

/// Fewest entries that are worth a search for dead ones.
const SMALLEST_LIMIT: usize = 64;

impl Checked {
    /// Whether the inputs fit the entry function; the error is the interpreter's.
    pub fn check(
        &self,
        module: &Module,
        inputs: &[Value],
        are_reduced: AreReduced,
    ) -> Result<(), RunError> {
        let params = &module.entry().params;
        let fit = |(param, input): (&ringwright_ir::ring::Param, &Value)| {
            self.is_known(module, &param.ty, input)
                || is_right(module, &param.ty, input, are_reduced)
        };
        if params.len() != inputs.len() || !params.iter().zip(inputs).all(fit) {
            arguments::check(module, inputs)?;
        }
        for (param, input) in params.iter().zip(inputs) {
            if !param.secret {
                self.remember(module, &param.ty, input);
            }
        }
        Ok(())
    }

    /// Remembers a value that is right by construction.
    pub fn remember(&self, module: &Module, ty: &Type, value: &Value) {
        let (Some(primes), Some((address, held))) = (primes(module, ty), hold(value)) else {
            return;
        };
        if self.is_known(module, ty, value) {
            return;
        }
        let mut known = self.known.lock().unwrap_or_else(PoisonError::into_inner);
        if known.by_address.len() >= known.limit {
            known.forget_dead();
        }
        known.by_address.entry(address).or_default().push(Entry {
            value: held,
            primes,
        });
    }

    fn is_known(&self, module: &Module, ty: &Type, value: &Value) -> bool {
        let (Some(primes), Some((address, _))) = (primes(module, ty), hold(value)) else {
            return false;
        };
        if !has_shape(module, ty, value) {
            return false;
        }
        let known = self.known.lock().unwrap_or_else(PoisonError::into_inner);
        let entries = known
            .by_address
            .get(&address)
            .map_or(&[][..], Vec::as_slice);
        entries
            .iter()
            .any(|entry| entry.value.is_alive() && entry.primes == primes)
    }
}

impl Known {
    fn forget_dead(&mut self) {
        self.by_address.retain(|_, entries| {
            entries.retain(|entry| entry.value.is_alive());
            !entries.is_empty()
        });
        self.limit = SMALLEST_LIMIT.max(2 * self.by_address.len());
    }
}

impl Held {
    fn is_alive(&self) -> bool {
        match self {
            Held::Poly(poly) => poly.strong_count() > 0,
            Held::Array(items) => items.strong_count() > 0,
        }
    }
}

fn hold(value: &Value) -> Option<(usize, Held)> {
    match value {
        Value::Poly(poly) => Some((Arc::as_ptr(poly) as usize, Held::Poly(Arc::downgrade(poly)))),
        Value::Array(items) => Some((
            Arc::as_ptr(items) as usize,
            Held::Array(Arc::downgrade(items)),
        )),
        Value::Seed(_) => None,
    }
}

fn primes(module: &Module, ty: &Type) -> Option<Vec<u128>> {
    ty.basis().map(|basis| basis.values(&module.primes))
}

fn has_shape(module: &Module, ty: &Type, value: &Value) -> bool {
    let fits =
        |poly: &RnsPoly, basis: &Basis| (poly.n(), poly.towers()) == (module.n(), basis.len());
    match (ty, value) {
        (Type::Poly { basis, .. }, Value::Poly(poly)) => fits(poly, basis),
        (Type::Array { basis, len, .. }, Value::Array(items)) => {
            items.len() == usize::from(*len) && items.iter().all(|item| fits(item, basis))
        }
        (Type::Seed, Value::Seed(_)) => true,
        _ => false,
    }
}

fn is_right(module: &Module, ty: &Type, value: &Value, are_reduced: AreReduced) -> bool {
    let primes = primes(module, ty).unwrap_or_default();
    let reduced = |poly: &RnsPoly| are_reduced(poly, &primes);
    let right = has_shape(module, ty, value)
        && match value {
            Value::Poly(poly) => reduced(poly),
            Value::Array(items) => items.iter().all(reduced),
            Value::Seed(_) => true,
        };
    // What lies in a file was read from it, all of it.
    if let Value::Array(items) = value {
        let home = items.first().and_then(RnsPoly::home);
        home.iter().for_each(|home| home.release());
    }
    right
}

#[cfg(test)]
mod tests {
    use super::*;
    use ringwright_arith::primes::ntt_primes;
    use ringwright_ir::ring::{Domain, ModuleBuilder};

    fn are_reduced(poly: &RnsPoly, primes: &[u128]) -> bool {
        let mut towers = poly.iter().zip(primes);
        towers.all(|(words, &q)| words.iter().all(|&word| u128::from(word) < q))
    }

    /// A program of one polynomial under one prime.
    fn program(log_n: u32, prime: u128) -> Module {
        let mut mb = ModuleBuilder::new(log_n, &[prime]);
        let mut fb = mb.function("main");
        let a = fb.param("a", Type::poly(&Basis::range(0..1), Domain::Coeff), false);
        let main = fb.finish(&[a]).expect("valid");
        mb.finish(main).expect("valid")
    }

    #[test]
    fn a_known_value_is_not_known_under_a_smaller_prime() {
        let log_n = 4;
        let primes = ntt_primes(20, log_n, 2).expect("two primes");
        let (large, small) = (program(log_n, primes[0]), program(log_n, primes[1]));
        let mut poly = RnsPoly::zero(large.n(), 1);
        poly.tower_mut(0)[3] = primes[1] as u64;
        let inputs = [Value::Poly(Arc::new(poly))];
        let checked = Checked::default();
        for _ in 0..2 {
            checked
                .check(&large, &inputs, are_reduced)
                .expect("reduced");
            assert!(matches!(
                checked.check(&small, &inputs, are_reduced),
                Err(RunError::Argument { .. })
            ));
        }
    }

    #[test]
    fn values_that_are_gone_are_forgotten() {
        let log_n = 4;
        let module = program(log_n, ntt_primes(20, log_n, 1).expect("a prime")[0]);
        let checked = Checked::default();
        for _ in 0..4 * SMALLEST_LIMIT {
            let inputs = [Value::Poly(Arc::new(RnsPoly::zero(module.n(), 1)))];
            checked
                .check(&module, &inputs, are_reduced)
                .expect("reduced");
        }
        let known = checked.known.lock().expect("nobody panicked");
        assert!(known.by_address.len() <= SMALLEST_LIMIT);
    }
}
