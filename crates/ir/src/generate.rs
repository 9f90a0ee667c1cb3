//! Random valid ring modules and inputs, for property tests of everything that runs programs.
//!
//! A seed determines the module. It has helper functions that later ones call, and an entry; the
//! bodies draw from every operation and every composite, over bases in any order, with residues
//! and words often where reductions and centring turn: 0, q-1, (q-1)/2, (q+1)/2.

mod body;
mod long;
mod product;
mod words;

use crate::ring::{Basis, Module, ModuleBuilder, RingKind, Type, VerifyError};
use crate::Value;
use body::{in_steps, Body};
use ringwright_arith::{Choices, Word};
use ringwright_ring::{RnsPoly, Seed};
use std::sync::Arc;
use words::word_below;

pub use long::{long, Long};
pub use product::Product;

/// What to generate.
#[derive(Clone, Debug)]
pub struct Shape {
    /// The ring.
    pub kind: RingKind,
    /// log2 of the ring degree.
    pub log_n: u32,
    /// The module's primes, two at least.
    pub primes: Vec<u128>,
    /// Functions before the entry.
    pub helpers: usize,
    /// Operations that are tried per function.
    pub ops: usize,
}

/// A valid module; the error is that of a shape that has none.
pub fn module(seed: u64, shape: &Shape) -> Result<Module, VerifyError> {
    if shape.primes.len() < 2 {
        let message = format!("{} primes; a key switch needs two", shape.primes.len());
        return Err(VerifyError {
            function: None,
            operation: None,
            loc: None,
            message,
        });
    }
    let mut random = Choices::new(seed);
    let mut mb = ModuleBuilder::over(shape.kind, shape.log_n, &shape.primes);
    let mut callable = Vec::new();
    for i in 0..shape.helpers {
        let body = Body::new(&mut mb, &mut random, &format!("helper{i}"));
        let helper = body.generate(shape.ops, &mut callable)?;
        callable.push(helper);
    }
    for step in 0..random.below(3) {
        in_steps(&mut mb, &mut random, &mut callable, step)?;
    }
    let main = Body::new(&mut mb, &mut random, "main").generate(shape.ops, &mut callable)?;
    mb.finish(main.id)
}

/// Inputs that fit the entry. The seeds among them are not secret.
pub fn inputs<W: Word>(seed: u64, module: &Module) -> Vec<Value<W>> {
    let mut random = Choices::new(seed);
    let params = &module.entry().params;
    params
        .iter()
        .map(|param| input(module, &param.ty, &mut random))
        .collect()
}

fn input<W: Word>(module: &Module, ty: &Type, random: &mut Choices) -> Value<W> {
    match ty {
        Type::Seed => {
            let words: [u64; 4] = std::array::from_fn(|_| random.word());
            let bytes = std::array::from_fn(|i| words[i / 8].to_le_bytes()[i % 8]);
            Value::Seed(Arc::new(Seed::from_bytes(bytes)))
        }
        Type::Poly { basis, .. } => Value::Poly(Arc::new(poly(module, basis, random))),
        Type::Array { basis, len, .. } => Value::Array(Arc::new(
            (0..*len).map(|_| poly(module, basis, random)).collect(),
        )),
    }
}

fn poly<W: Word>(module: &Module, basis: &Basis, random: &mut Choices) -> RnsPoly<W> {
    let mut poly = RnsPoly::zero(module.n(), basis.len());
    for (i, tower) in basis.iter().enumerate() {
        let q = module.prime(tower);
        poly.tower_mut(i)
            .fill_with(|| W::from_u128(word_below(random, q)));
    }
    poly
}
