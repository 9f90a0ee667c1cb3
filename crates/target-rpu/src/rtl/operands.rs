//! Random polynomials under one prime, and what the reference interpreter makes of them.

use ringwright_arith::primes::ntt_primes;
use ringwright_arith::roots::minimal_primitive_root_2n;
use ringwright_arith::Modulus;
use ringwright_ir::ring::{Basis, Domain, Module, ModuleBuilder, Type};
use ringwright_ir::{generate, interpret, RunError, Value};

/// The automorphism X to X^5: what rotates the slots of CKKS by one.
pub const GALOIS: u64 = 5;

/// Operands and results of every case, in index order.
pub struct Operands {
    /// log2 of the ring degree.
    pub log_n: u32,
    /// The prime.
    pub q: u128,
    /// The smallest primitive 2N-th root of unity.
    pub root: u128,
    /// x, coefficients.
    pub coefficients: Vec<u128>,
    /// x, evaluations.
    pub evaluations: Vec<u128>,
    /// y, evaluations.
    pub other: Vec<u128>,
    /// x y, evaluations.
    pub product: Vec<u128>,
    /// x at X^[`GALOIS`], coefficients.
    pub moved: Vec<u128>,
}

impl Operands {
    /// Under the largest prime of `bits` bits.
    pub fn new(log_n: u32, bits: u32, seed: u64) -> Result<Self, RunError> {
        let invalid = |error: &dyn std::fmt::Display| RunError::Invalid(error.to_string());
        let q = ntt_primes(bits, log_n, 1).map_err(|error| invalid(&error))?[0];
        let modulus = Modulus::<u128>::new(q).map_err(|error| invalid(&error))?;
        let root = minimal_primitive_root_2n(&modulus, log_n).map_err(|error| invalid(&error))?;
        let module = module(log_n, q)?;
        let inputs = generate::inputs::<u128>(seed, &module);
        let mut polys = interpret::run(&module, &inputs)?.into_iter().map(words);
        let mut next = || polys.next().unwrap_or_default();
        Ok(Operands {
            log_n,
            q,
            root,
            coefficients: next(),
            evaluations: next(),
            other: next(),
            product: next(),
            moved: next(),
        })
    }
}

/// x, y -> x, ntt x, y, (ntt x) y, x at X^5.
fn module(log_n: u32, prime: u128) -> Result<Module, RunError> {
    let basis = Basis::range(0..1);
    let mut mb = ModuleBuilder::new(log_n, &[prime]);
    let mut fb = mb.function("vectors");
    let x = fb.param("x", Type::poly(&basis, Domain::Coeff), false);
    let y = fb.param("y", Type::poly(&basis, Domain::Eval), false);
    let evaluations = fb.ntt(x)?;
    let product = fb.mul(evaluations, y)?;
    let moved = fb.automorphism(x, GALOIS)?;
    let main = fb.finish(&[x, evaluations, y, product, moved])?;
    Ok(mb.finish(main)?)
}

fn words(value: Value<u128>) -> Vec<u128> {
    match value {
        Value::Poly(poly) => poly.words().to_vec(),
        _ => Vec::new(),
    }
}
