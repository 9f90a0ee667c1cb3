//! Runs a lowered program.
//!
//! Results are written straight into the memory that the caller receives: the entry function's
//! result slots are the towers of fresh polynomials, a callee's are slots of its caller. Buffers
//! move between owners as slices, so no two strands can ever hold the same one.

mod called;
pub mod calls;
mod drawing;
mod function;
mod strand;
mod tower_op;

use crate::plan::{FunctionPlan, Return};
use crate::resources::Resources;
use crate::scratch::{stride, Scratch};
use crate::tables::Tower;
use crate::width::{are_reduced, are_reduced_in_parallel, Width};
use called::Arguments;
use function::{Executor, Spans};
use ringwright_arith::Word;
use ringwright_ir::ring::{Module, Type};
use ringwright_ir::{interrupt, RunError, Value};
use ringwright_kernels::Keccak;
use ringwright_ring::{RnsPoly, Seed};
use ringwright_target::{with_late, CallTime, Executable, Late, Profile};
use std::sync::Arc;

/// A program that was lowered for this machine.
#[derive(Debug)]
pub struct Program<W: Width> {
    /// The verified module.
    pub module: Module,
    /// One plan per function.
    pub plans: Vec<FunctionPlan>,
    /// Which call of the entry function each of its steps is part of; empty where this is unknown.
    pub calls: Vec<Option<usize>>,
    /// What a run has to do, on towers.
    pub operations: u64,
    /// Tables, one per prime of the module.
    pub towers: Vec<Arc<Tower<W>>>,
    /// Draws streams.
    pub keccak: Keccak,
    /// Whether working memory is zeroised after each run.
    pub secret: bool,
    /// Threads and memory of the device.
    pub resources: Arc<Resources>,
}

impl<W: Width> Executable for Program<W> {
    fn run(&self, inputs: &[Value]) -> Result<Vec<Value>, RunError> {
        self.run_timed(inputs, None)
    }

    fn run_late(&self, inputs: &[Value], late: Late) -> Result<Vec<Value>, RunError> {
        let params = &self.module.entry().params;
        let wanted = params.iter().filter(|param| param.ty == Type::Seed).count();
        let seeds = seeds(inputs);
        let begins = !self.plan().early().is_empty() && seeds.len() == wanted;
        match self.resources.is_parallel() && begins {
            true => self.run_beside(inputs, seeds, late),
            false => self.run(&with_late(inputs, late.index, (late.make)()?)),
        }
    }

    fn run_profiled(&self, inputs: &[Value]) -> Result<(Vec<Value>, Profile), RunError> {
        let mut spans = Spans::new();
        let values = self.run_timed(inputs, Some(&mut spans))?;
        let mut times = Vec::<CallTime>::new();
        for (call, (start, duration)) in self.calls.iter().zip(spans) {
            match (*call, times.last_mut()) {
                (Some(call), Some(before)) if before.call == call => before.duration += duration,
                (Some(call), _) => times.push(CallTime {
                    call,
                    start,
                    duration,
                }),
                (None, _) => {}
            }
        }
        let profile = Profile {
            times,
            checked: None,
        };
        Ok((values, profile))
    }
}

impl<W: Width> Program<W> {
    fn plan(&self) -> &FunctionPlan {
        &self.plans[self.module.entry.index()]
    }

    fn run_timed(
        &self,
        inputs: &[Value],
        spans: Option<&mut Spans>,
    ) -> Result<Vec<Value>, RunError> {
        let checked = &self.resources.checked;
        checked.check(&self.module, inputs, are_reduced::<W>)?;
        let arguments = arguments(inputs)?;
        let mut outputs = self.empty_outputs();
        let done = self.execute(&arguments, &mut outputs, spans);
        // Also of a run that was stopped.
        arguments.release();
        done?;
        self.copy_repeated(&arguments, &mut outputs);
        Ok(self.values(outputs))
    }

    /// Polynomials to be written, one list per returned value.
    fn empty_outputs(&self) -> Vec<Vec<RnsPoly>> {
        let n = self.module.n();
        let unwritten = |towers| {
            let mut poly = W::unwritten(n, towers);
            if self.resources.poison {
                words_mut::<W>(&mut poly).fill(<W as Word>::MAX);
            }
            poly
        };
        let empty = |ty: &Type| match ty {
            Type::Poly { basis, .. } => vec![unwritten(basis.len())],
            Type::Array { basis, len, .. } => (0..*len).map(|_| unwritten(basis.len())).collect(),
            Type::Seed => Vec::new(),
        };
        self.module
            .entry()
            .result_types()
            .iter()
            .map(empty)
            .collect()
    }

    fn execute(
        &self,
        arguments: &Arguments<W>,
        outputs: &mut [Vec<RnsPoly>],
        spans: Option<&mut Spans>,
    ) -> Result<(), RunError> {
        let plan = self.plan();
        let results = self.results(outputs);
        let mut arena = self.arena();
        self.resources.install(|| {
            self.executor()
                .function(plan, arguments, results, arena.words(), spans)
        })
    }

    /// Runs the steps that read seeds alone beside what makes the late input, then the others.
    fn run_beside(
        &self,
        inputs: &[Value],
        seeds: Vec<&Seed>,
        late: Late,
    ) -> Result<Vec<Value>, RunError> {
        let (plan, executor) = (self.plan(), self.executor());
        let mut outputs = self.empty_outputs();
        let results = self.results(&mut outputs);
        let mut arena = self.arena();
        let inputs = self.resources.install(|| {
            let (mut frame, below) = executor.frame(plan, results, arena.words());
            let (early, others) = plan.steps.split_at(plan.early().len());
            let none = Arguments {
                towers: Vec::new(),
                seeds,
                homes: Vec::new(),
            };
            let begin = || executor.steps(early, &none, &mut frame, &mut [], None);
            let (made, begun) = rayon::join(late.make, begin);
            let inputs = with_late(inputs, late.index, made?);
            begun?;
            let checked = &self.resources.checked;
            checked.check(&self.module, &inputs, are_reduced_in_parallel::<W>)?;
            executor.steps(others, &arguments(&inputs)?, &mut frame, below, None)?;
            arena.wiped_in_parallel();
            Ok::<_, RunError>(inputs)
        })?;
        self.copy_repeated(&arguments(&inputs)?, &mut outputs);
        Ok(self.values(outputs))
    }

    fn executor(&self) -> Executor<'_, W> {
        Executor {
            program: self,
            n: self.module.n(),
            counted: interrupt::expect(self.operations),
        }
    }

    /// Working memory of a run.
    fn arena(&self) -> Scratch<'_, W> {
        let frames = &W::memory(&self.resources).frames;
        let stride = stride::<W>(self.module.n());
        frames.take(self.plan().arena * stride, self.secret)
    }

    /// The entry function's result slots.
    fn results<'a>(&self, outputs: &'a mut [Vec<RnsPoly>]) -> Vec<&'a mut [W]> {
        let (plan, n) = (self.plan(), self.module.n());
        let mut results: Vec<&mut [W]> = Vec::with_capacity(plan.results);
        let polys = outputs.iter_mut().flatten();
        let towers = polys.flat_map(|poly| words_mut(poly).chunks_exact_mut(n));
        for (tower, place) in towers.zip(&plan.returns) {
            if *place == Return::Slot(results.len()) {
                results.push(tower);
            }
        }
        results
    }

    /// Fills the returned towers that are parameters, or returned before.
    fn copy_repeated(&self, arguments: &Arguments<W>, outputs: &mut [Vec<RnsPoly>]) {
        let n = self.module.n();
        let of_tower = |tower: usize| tower * n..(tower + 1) * n;
        let mut first_of_slot = Vec::with_capacity(self.plan().results);
        let towers: Vec<(usize, usize, usize)> = positions(outputs);
        for (&place, &(value, item, tower)) in self.plan().returns.iter().zip(&towers) {
            match place {
                Return::Param(param) => {
                    words_mut::<W>(&mut outputs[value][item])[of_tower(tower)]
                        .copy_from_slice(arguments.towers[param]);
                }
                Return::Slot(slot) if slot == first_of_slot.len() => {
                    first_of_slot.push((value, item, tower));
                }
                Return::Slot(slot) => {
                    let (from_value, from_item, from_tower) = first_of_slot[slot];
                    let from = words_mut::<W>(&mut outputs[from_value][from_item]);
                    let words = from[of_tower(from_tower)].to_vec();
                    words_mut::<W>(&mut outputs[value][item])[of_tower(tower)]
                        .copy_from_slice(&words);
                }
            }
        }
    }

    fn values(&self, outputs: Vec<Vec<RnsPoly>>) -> Vec<Value> {
        let types = self.module.entry().result_types();
        let value = |(mut polys, ty): (Vec<RnsPoly>, &Type)| {
            let value = match (ty, polys.len()) {
                (Type::Poly { .. }, 1) => Value::Poly(Arc::new(polys.remove(0))),
                _ => Value::Array(Arc::new(polys)),
            };
            if !self.secret {
                self.resources.checked.remember(&self.module, ty, &value);
            }
            value
        };
        outputs.into_iter().zip(&types).map(value).collect()
    }
}

/// Value, item and tower of every returned tower, in order.
fn positions(outputs: &[Vec<RnsPoly>]) -> Vec<(usize, usize, usize)> {
    let items = outputs.iter().enumerate().flat_map(|(value, polys)| {
        polys
            .iter()
            .enumerate()
            .map(move |(item, poly)| (value, item, poly.towers()))
    });
    items
        .flat_map(|(value, item, towers)| (0..towers).map(move |tower| (value, item, tower)))
        .collect()
}

/// The words of a result, which was made for them.
fn words_mut<W: Width>(poly: &mut RnsPoly) -> &mut [W] {
    W::words_mut(poly).unwrap_or_default()
}

fn seeds(inputs: &[Value]) -> Vec<&Seed> {
    let found = inputs.iter().filter_map(|input| match input {
        Value::Seed(seed) => Some(&**seed),
        _ => None,
    });
    found.collect()
}

/// Towers and seeds of inputs that were found right.
fn arguments<W: Width>(inputs: &[Value]) -> Result<Arguments<'_, W>, RunError> {
    let mut towers: Vec<&[W]> = Vec::new();
    let mut homes = Vec::new();
    for input in inputs {
        let polys = match input {
            Value::Poly(poly) => std::slice::from_ref(&**poly),
            Value::Array(items) => items,
            Value::Seed(_) => &[],
        };
        for poly in polys {
            let words = W::words(poly);
            let words = words.ok_or_else(|| RunError::Invalid("words beyond 32 bits".into()))?;
            towers.extend(words.chunks_exact(poly.n()));
            homes.resize(towers.len(), poly.home());
        }
    }
    let seeds = seeds(inputs);
    if homes.iter().all(Option::is_none) {
        homes = Vec::new();
    }
    Ok(Arguments {
        towers,
        seeds,
        homes,
    })
}

#[cfg(test)]
mod tests {
    use crate::scratch::ScratchPool;
    use crate::{Cpu, Options};
    use ringwright_arith::primes::ntt_primes;
    use ringwright_ir::generate;
    use ringwright_ir::ring::{Basis, Domain, Module, ModuleBuilder, Type, VerifyError};
    use ringwright_kernels::Isa;
    use ringwright_target::Device;

    const LOG_N: u32 = 4;

    /// Uses frame slots, because every tower is read by the others, and locals.
    fn program(secret: bool) -> Result<Module, VerifyError> {
        let primes = ntt_primes(30, LOG_N, 3).unwrap_or_default();
        let basis = Basis::range(0..3);
        let mut mb = ModuleBuilder::new(LOG_N, &primes);
        let mut fb = mb.function("main");
        let a = fb.param("a", Type::poly(&basis, Domain::Coeff), secret);
        let negated = fb.neg(a)?;
        let first = fb.towers(negated, &Basis::range(0..1))?;
        let spread = fb.switch_modulus(first, &basis)?;
        let sum = fb.add(spread, a)?;
        let transformed = fb.ntt(sum)?;
        let main = fb.finish(&[transformed])?;
        mb.finish(main)
    }

    /// Whether any word of the working memory is left after a run.
    fn leaves_words(secret: bool, threads: usize) -> bool {
        let options = Options {
            threads,
            isa: Isa::Scalar,
            poison: false,
        };
        let cpu = Cpu::new("test", options).expect("threads start");
        let module = program(secret).expect("valid");
        let inputs = generate::inputs(1, &module);
        cpu.lower(&module)
            .expect("lowers")
            .run(&inputs)
            .expect("runs");
        let resources = cpu.resources();
        let left = |pool: &ScratchPool<u32>| {
            let mut taken = pool.take(module.n(), false);
            taken.words().iter().any(|&word| word != 0)
        };
        left(&resources.short.frames) || left(&resources.short.locals)
    }

    #[test]
    fn secrets_do_not_outlive_a_run() {
        for threads in [1, 2] {
            assert!(!leaves_words(true, threads));
            assert!(leaves_words(false, threads), "the test would see nothing");
        }
    }
}
