//! A function of a module as a program of its own.

use super::{FuncId, Function, Module, Op, OpKind, ValueId};

impl Module {
    /// The module whose entry only calls this function, with the entry's name.
    pub fn calling(&self, func: FuncId) -> Self {
        let callee = self.func(func);
        let params = callee.params.len() as u32;
        let results: Vec<ValueId> = (params..).map(ValueId).take(callee.returns.len()).collect();
        let returned = callee.returns.iter().map(|&value| callee.ty(value).clone());
        let given = callee.params.iter().map(|param| param.ty.clone());
        let names = callee.params.iter().map(|param| Some(param.name.clone()));
        let entry = Function {
            name: self.entry().name.clone(),
            params: callee.params.clone(),
            ops: vec![Op {
                kind: OpKind::Call { func },
                args: (0..params).map(ValueId).collect(),
                results: results.clone(),
                loc: None,
            }],
            types: given.chain(returned).collect(),
            names: names.chain(results.iter().map(|_| None)).collect(),
            returns: results,
            composite: None,
            steps: false,
        };
        let mut funcs = self.funcs[..=func.index()].to_vec();
        funcs.push(entry);
        Module {
            entry: FuncId(funcs.len() as u32 - 1),
            funcs,
            primes: self.primes.clone(),
            ..*self
        }
    }
}
