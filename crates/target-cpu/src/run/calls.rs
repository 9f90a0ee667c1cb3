//! Which call of the entry function each of its steps is.
//!
//! Lowering keeps the order of calls, but drops one whose result nobody reads, and makes nothing of one that
//! only hands its arguments on. One that became part of the entry function is in the stages between those
//! that stayed calls; the last of several stands for all of them. This finds what is left from the module
//! alone, and holds it against the steps: a profile with the wrong names would be worse than none.

use crate::lower::Lowered;
use crate::plan::Step;
use ringwright_ir::ring::{Function, Module, OpKind};

/// One number per step of the entry function, where it is a call's; none where the steps are not those
/// expected.
pub fn of_steps(module: &Module, lowered: &Lowered) -> Vec<Option<usize>> {
    let Lowered { plans, inlined } = lowered;
    let makes_something = |func: usize| plans[func].results > 0;
    let expected = calls(module.entry())
        .enumerate()
        .filter(|&(_, (func, is_read))| is_read && makes_something(func))
        .map(|(number, (func, _))| (number, func));
    let mut expected = expected.peekable();
    let is_part = |func: usize| inlined[func] || module.funcs[func].composite.is_some();
    let mut part = None;
    let mut numbers = Vec::new();
    for step in &plans[module.entry.index()].steps {
        while let Some((number, _)) = expected.next_if(|&(_, func)| is_part(func)) {
            part = Some(number);
        }
        match *step {
            Step::Stage(_) => numbers.push(part),
            Step::Call { func, .. } => match expected.next() {
                Some((number, callee)) if callee == func => {
                    numbers.push(Some(number));
                    part = None;
                }
                _ => return Vec::new(),
            },
        }
    }
    match expected.all(|(_, func)| is_part(func)) {
        true => numbers,
        false => Vec::new(),
    }
}

/// Callee of every call in order, and whether anything of it reaches the function's results.
fn calls(function: &Function) -> impl Iterator<Item = (usize, bool)> + '_ {
    let needed = function.needed();
    function.ops.iter().filter_map(move |op| match op.kind {
        OpKind::Call { func } => {
            let is_read = op.results.iter().any(|value| needed[value.index()]);
            Some((func.index(), is_read))
        }
        _ => None,
    })
}

#[cfg(test)]
mod tests {
    use crate::{Cpu, Options};
    use ringwright_arith::primes::ntt_primes;
    use ringwright_ir::generate;
    use ringwright_ir::ring::{Basis, Domain, FuncId, Module, ModuleBuilder, Type, VerifyError};
    use ringwright_ir::Value;
    use ringwright_kernels::Isa;
    use ringwright_target::Device;
    use std::time::Instant;

    const LOG_N: u32 = 4;

    /// `turn`, which is called, `negate`, which becomes part of its caller, and `same`, which hands its
    /// argument on.
    fn callees(mb: &mut ModuleBuilder) -> Result<[FuncId; 3], VerifyError> {
        let ty = Type::poly(&Basis::range(0..2), Domain::Eval);
        let mut fb = mb.function("turn");
        let a = fb.param("a", ty.clone(), false);
        let turned = fb.automorphism(a, 3)?;
        let turn = fb.finish(&[turned])?;
        let mut fb = mb.function("negate");
        let a = fb.param("a", ty.clone(), false);
        let negated = fb.neg(a)?;
        let negate = fb.finish(&[negated])?;
        let mut fb = mb.function("same");
        let a = fb.param("a", ty, false);
        Ok([turn, negate, fb.finish(&[a])?])
    }

    /// Seven calls, and the numbers under which times are to come.
    fn program() -> Result<(Module, Vec<usize>), VerifyError> {
        let primes = ntt_primes(30, LOG_N, 2).unwrap_or_default();
        let mut mb = ModuleBuilder::new(LOG_N, &primes);
        let [turn, negate, same] = callees(&mut mb)?;
        let mut fb = mb.function("main");
        let a = fb.param("a", Type::poly(&Basis::range(0..2), Domain::Eval), false);
        let first = fb.call(turn, &[a])?;
        fb.call(turn, &[a])?;
        let handed_on = fb.call(same, &first)?;
        let second = fb.call(negate, &handed_on)?;
        let third = fb.call(negate, &second)?;
        let fourth = fb.call(turn, &third)?;
        let last = fb.call(negate, &fourth)?;
        let main = fb.finish(&last)?;
        // The second is not read, the third does nothing, and two become one.
        Ok((mb.finish(main)?, vec![0, 4, 5, 6]))
    }

    #[test]
    fn calls_are_timed_in_order_and_apart_under_their_numbers() {
        let (module, works) = program().expect("valid");
        let inputs = generate::inputs(1, &module);
        for threads in [1, 2] {
            let options = Options {
                threads,
                isa: Isa::Scalar,
                poison: true,
            };
            let cpu = Cpu::new("test", options).expect("threads start");
            let kernel = cpu.lower(&module).expect("lowers");
            let mut free = Instant::now();
            let (values, profile) = kernel.run_profiled(&inputs).expect("runs");
            let times = profile.times;
            let end = Instant::now();
            let numbers: Vec<usize> = times.iter().map(|time| time.call).collect();
            assert_eq!(numbers, works);
            for time in &times {
                assert!(free <= time.start);
                free = time.start + time.duration;
            }
            assert!(free <= end);
            let again = kernel.run(&inputs).expect("runs");
            let [Value::Poly(profiled), Value::Poly(plain)] = [&values[0], &again[0]] else {
                panic!("a polynomial")
            };
            assert!(profiled == plain);
        }
    }
}
