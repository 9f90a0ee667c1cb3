//! The verifier of the `he` dialect: what holds for every scheme.
//!
//! * Functions: at least one; every one but the last is called, by functions after it, nested at most
//!   [`MAX_CALL_DEPTH`] deep, and [`MAX_CALLED`] operations in all calls; arguments and results are of the
//!   types that the callee has.
//! * Values: the results of the operations, numbered after the inputs; operands defined before use.
//! * Levels: 1 to the number of primes; operands agree; a rescale drops one, `drop_level` more.
//! * Parts: 2, or 3 between a multiplication and its relinearisation.
//! * Messages: all approximate, or all exact under one t; operands of a sum have one factor, products
//!   multiply factors; constants of exact messages are integers.
//! * Secrets: operands agree; relinearisation and automorphisms are under the main one, and so are the
//!   program's inputs and results.
//! * Claims: of values that there are by then, with numbers that can be.

mod rules;

use super::printer::{op_text, type_text};
use super::{Claim, CtType, Function, HeOp, HeOpKind, Message, Program, SecretId, Values};
use crate::ring::{Loc, ValueId, VerifyError, MAX_CALL_DEPTH};
use rules::{
    claim, encoded_at, product, same_messages, same_types, sum, two_parts, under_main, unique,
    values,
};

/// Operations that the calls of a program may come to, calls in them expanded: an analysis goes through
/// each of them.
pub const MAX_CALLED: u64 = 1 << 22;

/// Checks every rule for a modulus of `levels` primes; the first broken one is the error.
pub fn verify(program: &Program, levels: usize) -> Result<(), VerifyError> {
    let Some(entry) = program.functions.last() else {
        let message = "a program of no functions; it has at least one, its entry".to_string();
        return Err(VerifyError {
            function: None,
            operation: None,
            loc: None,
            message,
        });
    };
    let of = |function| Check {
        program,
        function,
        levels,
    };
    let whole = of(entry);
    whole
        .names()
        .map_err(|message| whole.error(message, None, entry.loc.clone()))?;
    for (index, function) in program.functions.iter().enumerate() {
        of(function).function(index)?;
    }
    whole
        .calls()
        .and_then(|()| whole.main_secret())
        .map_err(|message| whole.error(message, None, entry.loc.clone()))
}

struct Check<'a> {
    program: &'a Program,
    function: &'a Function,
    levels: usize,
}

impl Check<'_> {
    /// Names and constants of the whole program.
    fn names(&self) -> Result<(), String> {
        let Program {
            functions,
            constants,
        } = self.program;
        if functions.iter().any(|function| function.name.is_empty()) {
            return Err("a program needs a name, and so does each of its functions".into());
        }
        unique(functions.iter().map(|f| &f.name), "function")?;
        unique(constants.iter().map(|c| &c.name), "constant")?;
        constants.iter().try_for_each(values)
    }

    /// One function; those before it hold.
    fn function(&self, index: usize) -> Result<(), VerifyError> {
        let loc = || self.function.loc.clone();
        self.header()
            .map_err(|message| self.error(message, None, loc()))?;
        let mut own = self.function.inputs;
        for op in &self.function.ops {
            let checked = self.op(index, own, op);
            checked.map_err(|message| {
                let text = op_text(self.program, self.function, op);
                self.error(message, Some(text), op.loc.clone())
            })?;
            own += op.results.len();
        }
        self.returns()
            .and_then(|()| self.claims())
            .map_err(|message| self.error(message, None, loc()))
    }

    /// That nothing under another secret goes into the program or comes out.
    fn main_secret(&self) -> Result<(), String> {
        let Function { types, inputs, .. } = self.function;
        let of_inputs = types[..*inputs].iter().map(|ty| ("an input", ty));
        let of_results = self.function.returned().map(|ty| ("a result", ty));
        let mut all = of_inputs.chain(of_results);
        match all.find(|(_, ty)| ty.secret != SecretId::MAIN) {
            Some((what, ty)) => Err(format!(
                "{what} is {}; the program's inputs and results are under {}",
                type_text(ty),
                SecretId::MAIN
            )),
            None => Ok(()),
        }
    }

    fn header(&self) -> Result<(), String> {
        let Function {
            types,
            names,
            inputs,
            ops,
            ..
        } = self.function;
        let made: usize = ops.iter().map(|op| op.results.len()).sum();
        if types.len() != inputs + made || names.len() != types.len() {
            return Err(format!(
                "{} types and {} names for {inputs} inputs and {made} results of operations; one each \
                 per value",
                types.len(),
                names.len(),
            ));
        }
        unique(names.iter().flatten(), "value")?;
        (0..*inputs).try_for_each(|i| {
            let shown = self.function.value_name(ValueId(i as u32));
            self.ty(&types[i])
                .map_err(|message| format!("input `{shown}`: {message}"))
        })
    }

    /// That every function is called, none too deep, and not too much in all.
    fn calls(&self) -> Result<(), String> {
        let functions = &self.program.functions;
        let mut called = vec![false; functions.len()];
        // By function: how deep the calls in it nest, and operations, those of calls included.
        let mut known: Vec<(usize, u64)> = Vec::with_capacity(functions.len());
        for function in functions {
            let (mut depth, mut operations) = (0, function.ops.len() as u64);
            for op in &function.ops {
                if let HeOpKind::Call { function: callee } = op.kind {
                    let (below, its) = known[callee];
                    depth = depth.max(1 + below);
                    operations = operations.saturating_add(its);
                    called[callee] = true;
                }
            }
            if depth > MAX_CALL_DEPTH {
                let name = &function.name;
                return Err(format!(
                    "calls in `{name}` nest {depth} deep; allowed are {MAX_CALL_DEPTH}"
                ));
            }
            known.push((depth, operations));
        }
        if let Some((_, operations)) = known.last() {
            let of_calls = operations - self.function.ops.len() as u64;
            if of_calls > MAX_CALLED {
                return Err(format!(
                    "the calls come to {of_calls} operations; allowed are {MAX_CALLED}"
                ));
            }
        }
        let callees = functions.iter().take(functions.len() - 1);
        match callees.zip(called).find(|(_, called)| !called) {
            Some((function, _)) => Err(format!("`{}` is never called", function.name)),
            None => Ok(()),
        }
    }

    fn ty(&self, ty: &CtType) -> Result<(), String> {
        if !(2..=3).contains(&ty.parts) {
            return Err(format!("{} parts; allowed are 2 and 3", ty.parts));
        }
        let top = self.levels;
        if ty.level == 0 || usize::from(ty.level) > top {
            return Err(format!("level {}; allowed are 1 to {top}", ty.level));
        }
        if ty.secret.weight() == Some(0) {
            return Err("a secret of no coefficients".into());
        }
        match ty.message {
            Message::Exact { modulus, factor } if !(1..modulus).contains(&factor) => Err(format!(
                "factor {factor} of integers modulo {modulus}; allowed is 1 to the modulus - 1"
            )),
            _ => Ok(()),
        }
    }

    /// An operation of function `index`, whose first result is value `own`.
    fn op(&self, index: usize, own: usize, op: &HeOp) -> Result<(), String> {
        if let Some((value, _)) = op.results.iter().zip(own..).find(|(v, o)| v.index() != *o) {
            return Err(format!(
                "value {} is a result, but the next value is {own}",
                value.0
            ));
        }
        let args = op
            .args
            .iter()
            .map(|&v| self.operand(v, own))
            .collect::<Result<Vec<_>, _>>()?;
        let results = &self.function.types[own..own + op.results.len()];
        if let HeOpKind::Call { function } = op.kind {
            return self.call(index, function, &args, results);
        }
        let [result] = results else {
            return Err(format!(
                "the number of results is {}; {} has 1",
                results.len(),
                op.kind.name()
            ));
        };
        let expected = self.shape(&op.kind, &args)?;
        if (result.parts, result.level) != (expected.parts, expected.level) {
            return Err(format!(
                "the result is {}, expected {} parts at level {}",
                type_text(result),
                expected.parts,
                expected.level
            ));
        }
        // The prime that a rescale divides by, and with it the factor, is the scheme's to know.
        let other_message = op.kind != HeOpKind::Rescale && result.message != expected.message;
        if other_message || result.secret != expected.secret {
            return Err(format!(
                "the result is {}, expected {}",
                type_text(result),
                type_text(&expected)
            ));
        }
        same_messages(result, &expected, |_, _| true)?;
        self.ty(result)
    }

    /// A call in function `index`: arguments and results are of the callee's types.
    fn call(
        &self,
        index: usize,
        function: usize,
        args: &[&CtType],
        results: &[CtType],
    ) -> Result<(), String> {
        if function >= index {
            return Err(format!(
                "a call of function {function} in function {index}; callees precede callers"
            ));
        }
        let callee = &self.program.functions[function];
        let inputs = callee.types.iter().take(callee.inputs);
        same_types("arguments", args.iter().copied(), inputs)?;
        same_types("results", results.iter(), callee.returned())
    }

    fn operand(&self, value: ValueId, defined: usize) -> Result<&CtType, String> {
        match value.index() < defined {
            true => Ok(&self.function.types[value.index()]),
            false => Err(format!(
                "`{}` is used before it is defined",
                self.function.value_name(value)
            )),
        }
    }

    /// The type that the result must have.
    fn shape(&self, kind: &HeOpKind, args: &[&CtType]) -> Result<CtType, String> {
        let expected = match kind {
            HeOpKind::Add | HeOpKind::Sub | HeOpKind::Mul | HeOpKind::MulRelin => 2,
            _ => 1,
        };
        if args.len() != expected {
            return Err(format!(
                "the number of operands is {}; {} takes {expected}",
                args.len(),
                kind.name()
            ));
        }
        let same = *args[0];
        let CtType { parts, level, .. } = same;
        match kind {
            HeOpKind::Add | HeOpKind::Sub => sum(args[0], args[1]),
            HeOpKind::Neg => Ok(same),
            HeOpKind::AddConstant { constant } => self.constant(*constant, &same).map(|()| same),
            HeOpKind::MulConstant { constant, scale } => {
                self.constant(*constant, &same)?;
                encoded_at(*scale, &same).map(|()| same)
            }
            HeOpKind::Mul => Ok(CtType {
                parts: 3,
                ..product(args[0], args[1])?
            }),
            HeOpKind::MulRelin => {
                under_main(kind, args[0])?;
                product(args[0], args[1])
            }
            HeOpKind::Relinearise if parts == 3 => {
                under_main(kind, args[0])?;
                Ok(CtType { parts: 2, ..same })
            }
            HeOpKind::Relinearise => Err(format!(
                "the operand has {parts} parts; relinearise takes 3"
            )),
            HeOpKind::Rescale if level < 2 => {
                Err("the operand is at level 1; rescale needs a tower to drop".into())
            }
            HeOpKind::Rescale => Ok(CtType {
                level: level - 1,
                ..same
            }),
            HeOpKind::DropLevel { level: to } if (1..=level).contains(to) => {
                Ok(CtType { level: *to, ..same })
            }
            HeOpKind::DropLevel { level: to } => Err(format!(
                "to level {to}; allowed are 1 to {level}, the operand's"
            )),
            HeOpKind::Rotate { .. } | HeOpKind::Conjugate | HeOpKind::RotateConjugate { .. } => {
                under_main(kind, args[0])?;
                two_parts(kind, args[0]).map(|()| same)
            }
            HeOpKind::SwitchKey { from, to } => {
                two_parts(kind, args[0])?;
                match same.secret == *from && from != to {
                    true => Ok(CtType {
                        secret: *to,
                        ..same
                    }),
                    false => Err(format!(
                        "from {from} to {to}, the operand is under {}; it goes from the operand's \
                         secret to another",
                        same.secret
                    )),
                }
            }
            HeOpKind::Raise { level: to } => {
                two_parts(kind, args[0])?;
                if same.message != Message::Approximate {
                    return Err(
                        "the operand's message is exact; raise takes approximate ones".into(),
                    );
                }
                match level == 1 && *to > 1 {
                    true => Ok(CtType { level: *to, ..same }),
                    false => Err(format!(
                        "from level {level} to level {to}; it goes from level 1 to one above"
                    )),
                }
            }
            HeOpKind::Transform { terms, scale } => {
                under_main(kind, args[0])?;
                two_parts(kind, args[0])?;
                if terms.is_empty() {
                    return Err("a matrix of no terms; it has at least one".into());
                }
                let mut constants = terms.iter().map(|term| term.constant);
                constants.try_for_each(|constant| self.constant(constant, &same))?;
                encoded_at(*scale, &same).map(|()| same)
            }
            HeOpKind::Call { .. } => Err("a call has the types of its function".into()),
        }
    }

    fn constant(&self, index: usize, with: &CtType) -> Result<(), String> {
        let constants = &self.program.constants;
        let Some(constant) = constants.get(index) else {
            let count = constants.len();
            return Err(format!(
                "constant number {index}, but the program has {count}"
            ));
        };
        match (with.message, &constant.values) {
            (Message::Approximate, _) | (_, Values::Integer(_)) => Ok(()),
            (Message::Exact { .. }, _) => Err(format!(
                "constant `{}` is not of integers, the ciphertext's message is exact",
                constant.name
            )),
        }
    }

    fn returns(&self) -> Result<(), String> {
        let Function { returns, types, .. } = self.function;
        if returns.is_empty() {
            return Err("nothing is returned; a program returns at least one value".into());
        }
        if let Some(&value) = returns.iter().find(|v| v.index() >= types.len()) {
            return Err(format!("value {} is returned but not defined", value.0));
        }
        Ok(())
    }

    fn claims(&self) -> Result<(), String> {
        let ops = &self.function.ops;
        let mut before = 0;
        // Values that there are by then.
        let (mut counted, mut there) = (0, self.function.inputs);
        for Claim { after, fact } in &self.function.claims {
            if !(before..=ops.len()).contains(after) {
                let all = ops.len();
                return Err(format!(
                    "a claim after {after} operations; allowed are {before} to {all}, in order"
                ));
            }
            before = *after;
            there += ops[counted..*after]
                .iter()
                .map(|op| op.results.len())
                .sum::<usize>();
            counted = *after;
            let values = [fact.value()].into_iter().chain(fact.sources().to_vec());
            for value in values {
                self.operand(value, there)?;
            }
            claim(fact)?;
        }
        Ok(())
    }

    fn error(&self, message: String, operation: Option<String>, loc: Option<Loc>) -> VerifyError {
        VerifyError {
            function: Some(self.function.name.clone()),
            operation,
            loc,
            message,
        }
    }
}
