//! What a function takes, counted in towers: the same on every target that runs the expansion.
//!
//! Transforms and products are those of the body, composites expanded; a target that replaces a
//! composite may need fewer. Keys are counted as they are read: a key switch at a lower level reads
//! a part of a key that is held for all levels.

use super::{Function, Module, Op, OpKind, Type, ValueId};
use std::collections::HashMap;
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
        // Calls of calls multiply, so that a small module may have more than a word counts.
        self.transforms = self.transforms.saturating_add(other.transforms);
        self.products = self.products.saturating_add(other.products);
        self.key_towers = self.key_towers.saturating_add(other.key_towers);
    }
}

/// The counts of every operation of the entry function, in order.
pub fn count_entry(module: &Module) -> Vec<Count> {
    let mut functions: Vec<Count> = Vec::with_capacity(module.funcs.len());
    let mut of_entry = Vec::new();
    for function in &module.funcs {
        let restricted = restricted(function);
        let ops = function.ops.iter();
        let counts = ops.map(|op| count_op(function, op, &functions, &restricted));
        let counts: Vec<Count> = counts.collect();
        let mut total = Count::default();
        counts.iter().for_each(|&count| total += count);
        if functions.len() == module.entry.index() {
            of_entry = counts;
        }
        functions.push(total);
    }
    of_entry
}

/// Towers of the entry's parameters and of all results of a run, those of called functions each time
/// that they are called: what a machine has to list that looks through calls.
pub fn towers_expanded(module: &Module) -> u64 {
    let mut functions: Vec<u64> = Vec::with_capacity(module.funcs.len());
    for function in &module.funcs {
        let made = |op: &Op| match op.kind {
            OpKind::Call { func } => functions[func.index()],
            _ => towers(function, &op.results),
        };
        let total = function.ops.iter().map(made);
        functions.push(total.fold(0, u64::saturating_add));
    }
    let entry = module.entry();
    let inputs = entry.params.iter().map(|param| towers_of(&param.ty) as u64);
    let own = functions[module.entry.index()];
    inputs.fold(own, u64::saturating_add)
}

fn towers(function: &Function, values: &[ValueId]) -> u64 {
    let each = values.iter().map(|&value| towers_of(function.ty(value)));
    each.map(|towers| towers as u64).sum()
}

/// `functions`: the counts of those that stand before; `restricted`: see there.
fn count_op(
    function: &Function,
    op: &Op,
    functions: &[Count],
    restricted: &HashMap<ValueId, ValueId>,
) -> Count {
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
            key_towers: key_towers(function, op, restricted),
            ..Count::default()
        },
        OpKind::Call { func } => functions[func.index()],
        _ => Count::default(),
    }
}

/// Of each value whose towers are selected, the first selection.
fn restricted(function: &Function) -> HashMap<ValueId, ValueId> {
    let mut selections = HashMap::new();
    for op in &function.ops {
        if let (OpKind::Towers, [from, ..], [to, ..]) = (&op.kind, &op.args[..], &op.results[..]) {
            selections.entry(*from).or_insert(*to);
        }
    }
    selections
}

/// Of the polynomial of a key: as many as it is restricted to where it is read.
fn key_towers(function: &Function, op: &Op, restricted: &HashMap<ValueId, ValueId>) -> usize {
    let read = op
        .results
        .first()
        .map(|id| restricted.get(id).unwrap_or(id));
    read.map_or(0, |&id| towers_of(function.ty(id)))
}

fn towers_of(ty: &Type) -> usize {
    match ty {
        Type::Poly { basis, .. } => basis.len(),
        Type::Array { basis, len, .. } => basis.len() * usize::from(*len),
        Type::Seed => 0,
    }
}
