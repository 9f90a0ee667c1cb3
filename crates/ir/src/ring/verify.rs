//! The verifier: what every module must obey before anything runs it.
//!
//! * The ring: log2 N in 4..=17; distinct primes below 2^127, each 1 mod 2N, or 4N in a
//!   conjugate-invariant ring.
//! * Functions: unique names; callees stand before callers, so there is no recursion.
//! * Values: numbered in order of definition, defined before use, named at most once.
//! * Types: the rules of [`signature`](super::signature), applied to every operation.
//! * Calls: nested at most [`MAX_CALL_DEPTH`] deep. A function in steps only calls; only the entry and
//!   functions in steps call it.
//! * Seeds: never returned.
//! * Streams: a stream name is sampled at most once in a whole run, counted through calls. A
//!   function that samples can therefore be called at most once.
//! * Composites: the signature fits the tag. That the body computes it is not decidable here;
//!   build it with [`composites`](super::composites).
//!
//! Errors name the function, the operation and the user's source line.

use super::composite_signature::check_signature;
use super::error::VerifyError;
use super::printer::describe_op;
use super::signature::{check_type, list, results, Scope};
use super::{streams, Function, Module, Op, OpKind, RingKind, Type, ValueId};
use ringwright_arith::primes::is_prime;
use std::collections::{BTreeSet, HashMap};
use std::ops::RangeInclusive;

/// Allowed log2 of the ring degree.
pub const LOG_N: RangeInclusive<u32> = 4..=17;
/// Primes are below 2 to this power.
pub const MAX_PRIME_BITS: u32 = 127;

/// Calls within calls; an executor may recurse.
pub const MAX_CALL_DEPTH: usize = 64;

/// Checks every rule; the first broken one is the error.
pub fn verify(module: &Module) -> Result<(), VerifyError> {
    check_ring(module).map_err(of_module)?;
    let mut names = BTreeSet::new();
    let mut depths = Vec::with_capacity(module.funcs.len());
    for (index, func) in module.funcs.iter().enumerate() {
        if !names.insert(&func.name) {
            return Err(of_module(format!(
                "two functions are called `{}`",
                func.name
            )));
        }
        let check = FunctionCheck {
            module,
            index,
            func,
        };
        check.run()?;
        depths.push(check.depth(&depths)?);
    }
    match module.entry.index() < module.funcs.len() {
        true => streams::check(module),
        false => Err(of_module(format!(
            "the entry is function number {}, but there are {}",
            module.entry.0,
            module.funcs.len()
        ))),
    }
}

fn of_module(message: String) -> VerifyError {
    VerifyError {
        function: None,
        operation: None,
        loc: None,
        message,
    }
}

fn check_ring(module: &Module) -> Result<(), String> {
    if !LOG_N.contains(&module.log_n) {
        return Err(format!(
            "log_n is {}; allowed are {} to {}",
            module.log_n,
            LOG_N.start(),
            LOG_N.end()
        ));
    }
    let count = module.primes.len();
    if count == 0 || count > usize::from(u16::MAX) {
        return Err(format!("{count} primes; allowed are 1 to {}", u16::MAX));
    }
    let mut before = HashMap::new();
    for (i, &q) in module.primes.iter().enumerate() {
        let again = before.insert(q, i);
        check_prime(module.kind, module.log_n, q, again)
            .map_err(|message| format!("q{i} = {q} {message}"))?;
    }
    Ok(())
}

/// `before`: the position of the same number, where it has one already.
fn check_prime(kind: RingKind, log_n: u32, q: u128, before: Option<usize>) -> Result<(), String> {
    if q >> MAX_PRIME_BITS != 0 {
        return Err(format!("is not below 2^{MAX_PRIME_BITS}"));
    }
    if q % u128::from(kind.order(log_n)) != 1 {
        return Err(format!("is not 1 modulo {}", kind.order_text(log_n)));
    }
    if !is_prime(q) {
        return Err("is not prime".into());
    }
    match before {
        Some(first) => Err(format!("is q{first} again; primes are distinct")),
        None => Ok(()),
    }
}

struct FunctionCheck<'a> {
    module: &'a Module,
    index: usize,
    func: &'a Function,
}

impl FunctionCheck<'_> {
    fn run(&self) -> Result<(), VerifyError> {
        self.header().map_err(|message| self.error(message))?;
        let mut defined = self.func.params.len();
        for op in &self.func.ops {
            defined = self
                .op(op, defined)
                .map_err(|message| self.op_error(op, message))?;
        }
        self.footer(defined).map_err(|message| self.error(message))
    }

    fn header(&self) -> Result<(), String> {
        let Function {
            name,
            params,
            types,
            names,
            ..
        } = self.func;
        if name.is_empty() {
            return Err("a function needs a name".into());
        }
        if types.len() != names.len() || types.len() < params.len() {
            return Err(format!(
                "{} parameters, {} value types and {} value names do not fit together",
                params.len(),
                types.len(),
                names.len()
            ));
        }
        for (i, param) in params.iter().enumerate() {
            if types[i] != param.ty || names[i].as_ref() != Some(&param.name) {
                return Err(format!("value {i} is not parameter `{}`", param.name));
            }
            check_type(&self.scope(), &param.ty)
                .map_err(|message| format!("parameter `{}`: {message}", param.name))?;
        }
        self.value_names()
    }

    fn value_names(&self) -> Result<(), String> {
        let mut seen = BTreeSet::new();
        for name in self.func.names.iter().flatten() {
            if name.is_empty() {
                return Err("a value has an empty name".into());
            }
            if !seen.insert(name) {
                return Err(format!("two values are called `{name}`"));
            }
        }
        Ok(())
    }

    /// Checks one operation; returns the number of values defined after it.
    fn op(&self, op: &Op, defined: usize) -> Result<usize, String> {
        let args = op.args.iter().map(|&v| self.operand(v, defined));
        let args = args.collect::<Result<Vec<&Type>, String>>()?;
        let written = self.written(op, defined)?;
        let expected = results(&self.scope(), &op.kind, &args, written)?;
        match expected == written {
            true => Ok(defined + written.len()),
            false => Err(format!(
                "the results are written as {}, but are {}",
                list(written.iter()),
                list(expected.iter())
            )),
        }
    }

    fn operand(&self, value: ValueId, defined: usize) -> Result<&Type, String> {
        match value.index() < defined {
            true => Ok(self.func.ty(value)),
            false => Err(format!(
                "`{}` is used before it is defined",
                self.func.value_name(value)
            )),
        }
    }

    /// The types that the function gives to the operation's results.
    fn written(&self, op: &Op, defined: usize) -> Result<&[Type], String> {
        let in_order = op
            .results
            .iter()
            .enumerate()
            .all(|(i, v)| v.index() == defined + i);
        if !in_order {
            return Err(format!(
                "results are not numbered in order of definition, from {defined}"
            ));
        }
        let end = defined + op.results.len();
        let types = &self.func.types;
        types
            .get(defined..end)
            .ok_or_else(|| format!("no types for values {defined}..{end}"))
    }

    fn footer(&self, defined: usize) -> Result<(), String> {
        if defined != self.func.types.len() {
            let types = self.func.types.len();
            return Err(format!(
                "{types} value types, but {defined} values are defined"
            ));
        }
        if self.func.returns.is_empty() {
            return Err("nothing is returned; a function returns at least one value".into());
        }
        if let Some(&value) = self.func.returns.iter().find(|v| v.index() >= defined) {
            return Err(format!(
                "`{}` is returned but not defined",
                self.func.value_name(value)
            ));
        }
        if let Some(&value) = self
            .func
            .returns
            .iter()
            .find(|&&v| *self.func.ty(v) == Type::Seed)
        {
            let name = self.func.value_name(value);
            return Err(format!(
                "seed `{name}` is returned; a seed never leaves a function"
            ));
        }
        match self.func.composite {
            Some(composite) => check_signature(composite, self.func),
            None => Ok(()),
        }
    }

    /// How deep calls nest below this function, `callees` being the depths of those before.
    fn depth(&self, callees: &[usize]) -> Result<usize, VerifyError> {
        let mut depth = 0;
        self.steps()?;
        for op in &self.func.ops {
            if let OpKind::Call { func } = op.kind {
                depth = depth.max(1 + callees[func.index()]);
                if depth > MAX_CALL_DEPTH {
                    let message = format!("calls nest {depth} deep; allowed are {MAX_CALL_DEPTH}");
                    return Err(self.op_error(op, message));
                }
            }
        }
        Ok(depth)
    }

    /// That kernels are called, and call, no lists of kernels.
    fn steps(&self) -> Result<(), VerifyError> {
        let may_call = self.func.steps || self.index == self.module.entry.index();
        for op in &self.func.ops {
            let message = match op.kind {
                OpKind::Call { func } if self.module.func(func).steps && !may_call => {
                    "a function in steps is called by the entry and by functions in steps alone"
                }
                OpKind::Call { .. } => continue,
                _ if self.func.steps => "a function in steps only calls",
                _ => continue,
            };
            return Err(self.op_error(op, message.to_string()));
        }
        Ok(())
    }

    fn scope(&self) -> Scope<'_> {
        let Module {
            kind,
            log_n,
            primes,
            funcs,
            ..
        } = self.module;
        Scope {
            kind: *kind,
            log_n: *log_n,
            primes,
            funcs: &funcs[..self.index],
        }
    }

    fn describe(&self, op: &Op) -> String {
        describe_op(&self.module.funcs, self.func, op)
    }

    fn error(&self, message: String) -> VerifyError {
        let function = Some(self.func.name.clone());
        VerifyError {
            function,
            operation: None,
            loc: None,
            message,
        }
    }

    fn op_error(&self, op: &Op, message: String) -> VerifyError {
        let operation = Some(self.describe(op));
        VerifyError {
            operation,
            loc: op.loc.clone(),
            ..self.error(message)
        }
    }
}
