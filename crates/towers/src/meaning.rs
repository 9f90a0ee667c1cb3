//! The ring operations that a kernel comes from, as a program of their own.
//!
//! A kernel's graph is what one target makes of a piece of a program. What that piece means is said by
//! the ring program itself, and a [`Meaning`] remembers which piece it was. So any other device can
//! compute what a kernel should, from the kernel's operands, without a look at the graph.

use crate::graph::Outcome;
use ringwright_ir::ring::{FuncId, Function, Module, Op, OpKind, Param, Type, ValueId};
use std::collections::HashMap;
use std::sync::Arc;

/// A piece of a program, as it became a kernel.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Piece {
    /// What it was.
    pub meaning: Meaning,
    /// Where each returned tower comes from.
    pub outcomes: Arc<[Outcome]>,
}

/// A piece of a module that became a kernel.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Meaning {
    /// A function, for those of its results that are wanted.
    Function {
        /// Which.
        func: FuncId,
        /// By result.
        wanted: Vec<bool>,
    },
    /// Operations of a function that is several kernels, as the entry is.
    Operations {
        /// Which.
        of: FuncId,
        /// Their positions, in order.
        ops: Vec<u32>,
        /// The values that come from outside: the kernel's parameters.
        reads: Vec<ValueId>,
        /// The values that leave: the kernel's results.
        leaves: Vec<ValueId>,
    },
}

impl Meaning {
    /// A module whose entry function takes the kernel's parameters and returns its results. It holds
    /// the functions that it calls, and no other. Where the program takes a secret, every parameter is
    /// one: what it went into is not followed.
    pub fn module(&self, of: &Module) -> Module {
        let mut entry = match self {
            Meaning::Function { func, wanted } => calling(of, *func, wanted),
            Meaning::Operations {
                of: func,
                ops,
                reads,
                leaves,
            } => piece(of.func(*func), ops, reads, leaves),
        };
        // Nothing calls the module's own entry function here, so its name is free.
        entry.name.clone_from(&of.entry().name);
        let mut given = of.entry().params.iter();
        let secret = given.any(|param| param.secret || param.ty == Type::Seed);
        entry
            .params
            .iter_mut()
            .for_each(|param| param.secret |= secret);
        let needed = called(of, &entry);
        let mut number: HashMap<FuncId, FuncId> = HashMap::new();
        let mut funcs = Vec::new();
        for (index, func) in of.funcs.iter().enumerate() {
            if needed[index] {
                number.insert(FuncId(index as u32), FuncId(funcs.len() as u32));
                funcs.push(func.clone());
            }
        }
        funcs.push(entry);
        let ops = funcs.iter_mut().flat_map(|func| &mut func.ops);
        for op in ops {
            if let OpKind::Call { func } = &mut op.kind {
                *func = number[func];
            }
        }
        Module {
            kind: of.kind,
            log_n: of.log_n,
            primes: of.primes.clone(),
            entry: FuncId(funcs.len() as u32 - 1),
            funcs,
        }
    }
}

/// By function, whether an entry function calls it, through others too. Callees stand before callers.
fn called(module: &Module, entry: &Function) -> Vec<bool> {
    let mut needed = vec![false; module.funcs.len()];
    let mark = |needed: &mut Vec<bool>, function: &Function| {
        for op in &function.ops {
            if let OpKind::Call { func } = op.kind {
                needed[func.index()] = true;
            }
        }
    };
    mark(&mut needed, entry);
    for index in (0..module.funcs.len()).rev() {
        if needed[index] {
            mark(&mut needed, &module.funcs[index]);
        }
    }
    needed
}

/// A function that calls one, and returns what is wanted.
fn calling(module: &Module, func: FuncId, wanted: &[bool]) -> Function {
    let callee = module.func(func);
    let count = callee.params.len() as u32;
    let results = callee.returns.len() as u32;
    let results: Vec<ValueId> = (count..count + results).map(ValueId).collect();
    let types = callee.params.iter().map(|param| param.ty.clone());
    let returns = results.iter().zip(wanted).filter(|(_, wanted)| **wanted);
    let call = Op {
        kind: OpKind::Call { func },
        args: (0..count).map(ValueId).collect(),
        results: results.clone(),
        loc: None,
    };
    function(
        callee.params.clone(),
        vec![call],
        types.chain(callee.result_types()).collect(),
        returns.map(|(&value, _)| value).collect(),
    )
}

/// Some operations of a function as one of their own, its values numbered anew.
fn piece(of: &Function, ops: &[u32], reads: &[ValueId], leaves: &[ValueId]) -> Function {
    let mut number: HashMap<ValueId, ValueId> = HashMap::new();
    let mut types: Vec<Type> = Vec::new();
    let mut define = |value: ValueId| {
        types.push(of.ty(value).clone());
        let new = ValueId(types.len() as u32 - 1);
        number.insert(value, new);
        new
    };
    let param = |&value: &ValueId| {
        let new = define(value);
        Param {
            name: format!("x{}", new.0),
            ty: of.ty(value).clone(),
            secret: false,
        }
    };
    let params = reads.iter().map(param).collect();
    let results = ops.iter().flat_map(|&op| &of.ops[op as usize].results);
    for &value in results {
        define(value);
    }
    let renumbered = |op: &Op| Op {
        kind: op.kind.clone(),
        args: op.args.iter().map(|arg| number[arg]).collect(),
        results: op.results.iter().map(|result| number[result]).collect(),
        loc: op.loc.clone(),
    };
    let ops = ops.iter().map(|&op| renumbered(&of.ops[op as usize]));
    let ops = ops.collect();
    let leaves = leaves.iter().map(|value| number[value]).collect();
    function(params, ops, types, leaves)
}

fn function(params: Vec<Param>, ops: Vec<Op>, types: Vec<Type>, returns: Vec<ValueId>) -> Function {
    let mut names: Vec<Option<String>> = vec![None; types.len()];
    for (name, param) in names.iter_mut().zip(&params) {
        *name = Some(param.name.clone());
    }
    Function {
        name: String::new(),
        params,
        ops,
        returns,
        types,
        names,
        composite: None,
        steps: false,
    }
}
