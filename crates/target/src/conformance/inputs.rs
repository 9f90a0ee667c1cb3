//! Inputs on which wrong programs show.

use ringwright_ir::generate;
use ringwright_ir::ring::{Basis, Module, Type};
use ringwright_ir::Value;
use ringwright_ring::RnsPoly;
use std::sync::Arc;

/// Which inputs a program runs on.
#[derive(Clone, Copy, Debug)]
pub enum Sets {
    /// One set of boundary words, two of random ones.
    Boundary,
    /// Two sets of random words.
    Random(u64),
}

impl Sets {
    /// The inputs, one list per run.
    pub fn of(self, module: &Module) -> Vec<Vec<Value>> {
        match self {
            Sets::Boundary => vec![
                boundary(module),
                generate::inputs(1, module),
                generate::inputs(2, module),
            ],
            Sets::Random(seed) => {
                vec![
                    generate::inputs(seed, module),
                    generate::inputs(!seed, module),
                ]
            }
        }
    }
}

/// The same coefficient of every tower is at the same boundary, so that (q-1)/2 and (q+1)/2 are
/// together the two integers next to half of the towers' product.
fn boundary(module: &Module) -> Vec<Value> {
    let mut values = generate::inputs(3, module);
    for (param, value) in module.entry().params.iter().zip(&mut values) {
        match &param.ty {
            Type::Poly { basis, .. } => *value = Value::Poly(Arc::new(edges(module, basis))),
            Type::Array { basis, len, .. } => {
                let items = (0..*len).map(|_| edges(module, basis)).collect();
                *value = Value::Array(Arc::new(items));
            }
            Type::Seed => {}
        }
    }
    values
}

fn edges(module: &Module, basis: &Basis) -> RnsPoly {
    let mut poly = RnsPoly::zero(module.n(), basis.len());
    for (i, q) in basis.values(&module.primes).into_iter().enumerate() {
        let q = q as u64;
        let edges = [q - 1, (q - 1) / 2, q.div_ceil(2), 0, 1, q - 2, q / 2 - 1];
        let words = edges.iter().cycle();
        poly.tower_mut(i)
            .iter_mut()
            .zip(words)
            .for_each(|(word, &edge)| *word = edge);
    }
    poly
}
