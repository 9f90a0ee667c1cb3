//! Abacus: the smallest target, the code of the book's chapter "Add a target".
//!
//! One adder and multiplier takes a word a cycle; one port brings towers from memory and back. It has
//! no transform unit and says so. `cargo run --release -p ringwright-targets --example abacus`

use ringwright_arith::Modulus;
use ringwright_ir::arguments::Signature;
use ringwright_ir::ring::Module;
use ringwright_ir::{interrupt, verify, RunError, Value};
use ringwright_sim::{Clock, Femtoseconds, Provenance};
use ringwright_target::conformance::{run_device, Budget};
use ringwright_target::{check_size, Called, Counters, Device, Executable, Hardware};
use ringwright_target::{Part, StepKind, Steps, Task, Timing, Work};
use ringwright_towers::{Constants, Graph, Kind, Memory, Program, Shelf, Val, Words};
use std::sync::Arc;
use zeroize::Zeroizing;

// [word]
/// One word of a tower; `None` for what the abacus has no unit for.
fn word(kind: &Kind, q: &Modulus<u64>, args: &[u64], constants: &[u128]) -> Option<u64> {
    let constant = |index: u32| constants[index as usize] as u64;
    Some(match (kind, args) {
        (Kind::Zero, []) => 0,
        (Kind::Add, [a, b]) => q.add(*a, *b),
        (Kind::Sub, [a, b]) => q.sub(*a, *b),
        (Kind::Neg, [a]) => q.neg(*a),
        (Kind::Mul, [a, b]) => q.mul(*a, *b),
        (Kind::MulScalar(factor), [a]) => q.mul(*a, constant(factor.0)),
        (Kind::AddScalar(summand), [a]) => q.add(*a, constant(summand.0)),
        (Kind::SwitchModulus { .. }, [a]) => q.reduce(*a),
        _ => return None,
    })
}

// [device]
pub(crate) struct Abacus;

impl Device for Abacus {
    fn lower(&self, module: &Module) -> Result<Arc<dyn Executable>, RunError> {
        verify(module)?;
        check_size(self.machine(), module)?;
        let program = Program::new(module, &|_| false, Constants::AsArguments)?;
        let q = |&q: &u128| Modulus::new(u64::try_from(q).ok()?).ok();
        let moduli: Option<Vec<Modulus<u64>>> = module.primes.iter().map(q).collect();
        let moduli = moduli.ok_or_else(|| unsupported("a prime of more than 62 bits"))?;
        for graph in program.kernels.iter().map(|kernel| &kernel.graph) {
            for node in &graph.nodes {
                let args = vec![0; node.args.len()];
                word(&node.kind, &moduli[0], &args, &graph.constants)
                    .ok_or_else(|| unsupported(&format!("no unit for {:?}", node.kind)))?;
            }
        }
        Ok(Arc::new(Lowered {
            timing: Arc::new(time(module.n() as u64, &program)?),
            signature: Signature::of(module),
            moduli,
            program,
        }))
    }

    fn machine(&self) -> &str {
        "abacus"
    }
}

fn unsupported(reason: &str) -> RunError {
    RunError::Unsupported {
        machine: "abacus".into(),
        reason: reason.into(),
    }
}

// [kernel]
struct Lowered {
    signature: Signature,
    moduli: Vec<Modulus<u64>>,
    program: Program,
    timing: Arc<Timing>,
}

impl Executable for Lowered {
    fn run(&self, inputs: &[Value]) -> Result<Vec<Value>, RunError> {
        self.signature.check(inputs)?;
        let mut memory = Shelf::new(self.program.towers);
        memory.load(&self.program.inputs, inputs);
        for call in &self.program.calls {
            interrupt::check()?;
            let graph = &self.program.kernels[call.kernel].graph;
            let mut towers = Shelf::new(graph.towers());
            for (param, at) in (0..).zip(call.args.iter().flat_map(Val::towers)) {
                towers.share(param, memory.tower(at)?);
            }
            self.compute(graph, self.program.constants(call), &mut towers)?;
            for (tower, &place) in graph.outcomes().1.iter().zip(&call.results) {
                memory.share(place, towers.tower(tower.0)?);
            }
        }
        memory.values(&self.program.outputs, inputs)
    }

    fn timing(&self) -> Option<&Arc<Timing>> {
        Some(&self.timing)
    }
}

impl Lowered {
    /// Every node of a graph, in order; its parameters are there.
    fn compute(
        &self,
        graph: &Graph,
        constants: &[u128],
        towers: &mut Shelf,
    ) -> Result<(), RunError> {
        for node in &graph.nodes {
            let q = &self.moduli[graph.prime(node.result).index()];
            let args = node.args.iter().map(|arg| towers.tower(arg.0));
            let args: Vec<Words> = args.collect::<Result<_, _>>()?;
            let words = (0..1 << self.signature.log_n).map(|i| {
                let args: Vec<u64> = args.iter().map(|words| words[i]).collect();
                word(&node.kind, q, &args, constants)
            });
            let words: Option<Vec<u64>> = words.collect();
            let words = words.ok_or_else(|| unsupported("a kind that lowering let pass"))?;
            towers.set(node.result.0, &Zeroizing::new(words));
        }
        Ok(())
    }
}

fn invalid(error: impl ToString) -> RunError {
    RunError::Invalid(error.to_string())
}

// [time]
const BYTES_PER_WORD: u64 = 8;
const PERIOD: Femtoseconds = Femtoseconds(1_000_000);

/// Each kernel once, then the calls.
fn time(n: u64, program: &Program) -> Result<Timing, RunError> {
    let kernels = program.kernels.iter();
    let parts = kernels.map(|kernel| Arc::new(part(n, &kernel.graph)));
    let called = program.calls.iter().map(|call| Called {
        part: call.kernel,
        sources: call.sources.clone(),
    });
    let clock = Clock::new("abacus", PERIOD, Provenance::Modelled).map_err(invalid)?;
    let (parts, called) = (parts.collect(), called.collect());
    Timing::new(clock, &["port", "adder"], parts, called).map_err(invalid)
}

/// Operands in, a word a cycle, the result out: what waits for what, and what was moved.
fn part(n: u64, graph: &Graph) -> Part {
    let kind = |name, task, work, units| StepKind {
        name,
        task,
        work,
        hardware: Hardware::Described { through_rtl: None },
        units,
    };
    let moved = |name, towers: usize| {
        let cycles = n * towers as u64;
        let bytes = cycles * BYTES_PER_WORD;
        kind(
            name,
            Task::Move,
            Work::Transfer { cycles, bytes },
            &["port"],
        )
    };
    let compute = kind(
        "compute",
        Task::Compute,
        Work::Kernel { cycles: n },
        &["adder"],
    );
    let (mut steps, mut counters) = (Steps::new(), Counters::new());
    let mut stored: Vec<Option<usize>> = vec![None; graph.towers()];
    for node in &graph.nodes {
        let line = graph.line(node);
        let made = node.args.iter().filter_map(|arg| stored[arg.index()]);
        let made: Vec<usize> = made.collect();
        let loaded = steps.push(moved("load", node.args.len()), &made, line);
        let computed = steps.push(compute.clone(), &[loaded], line);
        let result = steps.push(moved("store", 1), &[computed], line);
        stored[node.result.index()] = Some(result);
        counters.add("memory", "words read", n * node.args.len() as u64);
        counters.add("memory", "words written", n);
    }
    Part::new(steps, counters)
}

// [main]
fn main() {
    println!("{}", run_device(&Abacus, &Budget::default()));
}
