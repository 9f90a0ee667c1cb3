//! Which call of the entry function each of its call steps is.
//!
//! Lowering keeps the order of calls, but drops one whose result nobody reads, makes nothing of one
//! that only hands its arguments on, and dissolves one of a composite. This finds what is left from
//! the module alone, and holds it against the steps: a profile with the wrong names would be worse
//! than none.

use crate::plan::{FunctionPlan, Step};
use ringwright_ir::ring::{Function, Module, OpKind};

/// One number per call step of the entry function; none where the steps are not those expected.
pub fn of_steps(module: &Module, plans: &[FunctionPlan]) -> Vec<usize> {
    let is_step = |func: usize| plans[func].results > 0 && module.funcs[func].composite.is_none();
    let expected = calls(module.entry())
        .enumerate()
        .filter(|&(_, (func, is_read))| is_read && is_step(func));
    let (numbers, funcs): (Vec<usize>, Vec<usize>) =
        expected.map(|(number, (func, _))| (number, func)).unzip();
    let steps = plans[module.entry.index()].steps.iter();
    let called = steps.filter_map(|step| match step {
        Step::Call { func, .. } => Some(*func),
        Step::Stage(_) => None,
    });
    match called.eq(funcs) {
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

    /// `negate`, which works, and `same`, which hands its argument on.
    fn callees(mb: &mut ModuleBuilder) -> Result<(FuncId, FuncId), VerifyError> {
        let ty = Type::poly(&Basis::range(0..2), Domain::Eval);
        let mut fb = mb.function("negate");
        let a = fb.param("a", ty.clone(), false);
        let negated = fb.neg(a)?;
        let negate = fb.finish(&[negated])?;
        let mut fb = mb.function("same");
        let a = fb.param("a", ty, false);
        Ok((negate, fb.finish(&[a])?))
    }

    /// Five calls, of which the numbers in `works` are to run.
    fn program() -> Result<(Module, Vec<usize>), VerifyError> {
        let primes = ntt_primes(30, LOG_N, 2).unwrap_or_default();
        let mut mb = ModuleBuilder::new(LOG_N, &primes);
        let (negate, same) = callees(&mut mb)?;
        let mut fb = mb.function("main");
        let a = fb.param("a", Type::poly(&Basis::range(0..2), Domain::Eval), false);
        let first = fb.call(negate, &[a])?;
        fb.call(negate, &[a])?;
        let handed_on = fb.call(same, &first)?;
        let second = fb.call(negate, &handed_on)?;
        let third = fb.call(negate, &second)?;
        let main = fb.finish(&third)?;
        let (unread, nothing_to_do) = (1, 2);
        let works = (0..5).filter(|&call| call != unread && call != nothing_to_do);
        Ok((mb.finish(main)?, works.collect()))
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
