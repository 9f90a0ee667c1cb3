//! What a function takes, counted in towers: the same on every target that runs the expansion.
//!
//! Transforms and products are those of the body, composites expanded; a target that replaces a
//! composite may need fewer. Keys are counted as they are read: a key switch at a lower level reads
//! a part of a key that is held for all levels.

use super::{Function, Module, Op, OpKind, Type};
use std::ops::AddAssign;

/// Towers that pass through each kind of work.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Count {
    /// Transforms, forward and inverse.
    pub transforms: usize,
    /// Products word by word, by a polynomial or by a number.
    pub products: usize,
    /// Towers of evaluation keys that are read.
    pub key_towers: usize,
}

impl AddAssign for Count {
    fn add_assign(&mut self, other: Self) {
        self.transforms += other.transforms;
        self.products += other.products;
        self.key_towers += other.key_towers;
    }
}

/// The counts of every operation of the entry function, in order.
pub fn count_entry(module: &Module) -> Vec<Count> {
    let mut functions: Vec<Count> = Vec::with_capacity(module.funcs.len());
    for function in &module.funcs {
        let mut total = Count::default();
        for op in &function.ops {
            total += count_op(function, op, &functions);
        }
        functions.push(total);
    }
    let entry = module.entry();
    let ops = entry.ops.iter();
    ops.map(|op| count_op(entry, op, &functions)).collect()
}

/// `functions`: the counts of those that stand before.
fn count_op(function: &Function, op: &Op, functions: &[Count]) -> Count {
    let towers = || {
        op.results
            .first()
            .map_or(0, |&id| towers_of(function.ty(id)))
    };
    match op.kind {
        OpKind::Ntt | OpKind::Intt => Count {
            transforms: towers(),
            ..Count::default()
        },
        OpKind::Mul | OpKind::MulScalar { .. } => Count {
            products: towers(),
            ..Count::default()
        },
        OpKind::Element { .. } => Count {
            key_towers: key_towers(function, op),
            ..Count::default()
        },
        OpKind::Call { func } => functions[func.index()],
        _ => Count::default(),
    }
}

/// Of the polynomial of a key: as many as it is restricted to where it is read.
fn key_towers(function: &Function, op: &Op) -> usize {
    let read = op.results.first();
    let restricted = function
        .ops
        .iter()
        .find(|user| matches!(user.kind, OpKind::Towers) && user.args.first() == read);
    let results = restricted.map_or(&op.results, |user| &user.results);
    results.first().map_or(0, |&id| towers_of(function.ty(id)))
}

fn towers_of(ty: &Type) -> usize {
    match ty {
        Type::Poly { basis, .. } => basis.len(),
        Type::Array { basis, len, .. } => basis.len() * usize::from(*len),
        Type::Seed => 0,
    }
}
