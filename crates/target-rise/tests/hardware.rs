//! Which steps the hardware does, and which are modelled: what the I/O controller refuses is said,
//! call by call.

use ringwright_arith::primes::ntt_primes;
use ringwright_ir::generate::{self, long, Long, Shape};
use ringwright_ir::ring::{Basis, Domain, Module, ModuleBuilder, RingKind, Type};
use ringwright_schemes::ckks::Parameters;
use ringwright_schemes::rlwe::programs;
use ringwright_sim::{Provenance, TraceRecord};
use ringwright_spec::Machine;
use ringwright_target::image::HostAction;
use ringwright_target::{Hardware, HostOperation, ImageError, StepKind, Timing, Work, HOST};
use ringwright_target_rise::hosted::Hosted;
use ringwright_target_rise::RISE;
use std::sync::Arc;

const LOG_N: u32 = 8;

fn timing(machine: &str, module: &Module) -> Arc<Timing> {
    let machine = Machine::load(machine).expect("shipped");
    let device = (RISE.lower)(&machine).expect("buildable");
    let kernel = device.lower(module).expect("it fits");
    kernel.timing().expect("simulated").clone()
}

fn described(kind: &StepKind) -> bool {
    matches!(kind.hardware, Hardware::Described { .. })
}

/// Of all steps of a run.
fn kinds(timing: &Timing) -> Vec<StepKind> {
    let steps = timing.unfolded();
    steps.iter().map(|step| step.kind.clone()).collect()
}

/// a, b, c -> (a + b) c or (a - b) c or a b, all evaluations.
fn pointwise(operation: &str) -> Module {
    let primes = ntt_primes(30, LOG_N, 1).expect("a prime");
    let mut mb = ModuleBuilder::new(LOG_N, &primes);
    let mut fb = mb.function("pointwise");
    let ty = Type::poly(&Basis::range(0..1), Domain::Eval);
    let [a, b, c] = ["a", "b", "c"].map(|name| fb.param(name, ty.clone(), false));
    let result = match operation {
        "add" => fb.add(a, b).and_then(|sum| fb.mul(sum, c)),
        "sub" => fb.sub(a, b).and_then(|difference| fb.mul(difference, c)),
        _ => fb.mul(a, b),
    };
    let main = fb.finish(&[result.expect("typed")]).expect("typed");
    mb.finish(main).expect("sound")
}

#[test]
fn a_client_asks_for_nothing_that_the_controller_refuses() {
    let parameters = Parameters::preset("4096-3x30").expect("a preset");
    let level = parameters.levels();
    let encrypt = programs::encrypt(&parameters, level).expect("a program");
    let decrypt = programs::decrypt(&parameters, level, 2).expect("a program");
    for machine in ["race", "rise-1bfu", "rise-32bfu", "ntt-accel-8"] {
        for module in [&encrypt, &decrypt] {
            let timing = timing(machine, module);
            assert!(!kinds(&timing).iter().any(described), "{machine}");
            assert_eq!(timing.provenances(), [Provenance::Simulated].into());
        }
    }
}

#[test]
fn a_call_without_request_is_modelled_from_its_registers_to_its_interrupt() {
    for operation in ["add", "sub", "mul"] {
        let timing = timing("rise-32bfu", &pointwise(operation));
        let kinds = kinds(&timing);
        assert!(kinds.len() > 5 && kinds.iter().all(described));
        assert_eq!(timing.provenances(), [Provenance::Modelled].into());
        for kind in &kinds {
            assert_eq!(kind.provenance(), Some(Provenance::Modelled), "{operation}");
        }
        let timeline = timing.timeline().expect("within the range");
        let said = ("provenance".to_owned(), "modelled".to_owned());
        assert!(timeline
            .spans()
            .iter()
            .all(|span| span.args.contains(&said)));
    }
}

#[test]
fn the_host_keeps_its_own_functions() {
    let parameters = Parameters::preset("4096-3x30").expect("a preset");
    let encrypt = programs::encrypt(&parameters, 1).expect("a program");
    let timing = timing("race", &encrypt);
    let mut functions = kinds(&timing);
    functions.retain(|kind| matches!(kind.work, Work::HostFunction { .. }));
    assert!(functions.len() > 4);
    assert!(functions.iter().all(|kind| kind.provenance().is_none()));
}

/// The image for the hardware's host refuses exactly the programs that have a modelled step.
#[test]
fn what_is_modelled_is_what_the_hardware_refuses() {
    let machine = Machine::load("rise-4bfu").expect("shipped");
    let primes = ntt_primes(30, LOG_N, 2).expect("primes");
    let mut counted = [0; 2];
    for seed in 0..200 {
        let shape = Shape {
            kind: RingKind::Standard,
            log_n: LOG_N,
            primes: primes.clone(),
            helpers: 0,
            ops: 1 + seed as usize % 4,
        };
        let module = generate::module(seed, &shape).expect("sound");
        let device = (RISE.lower)(&machine).expect("buildable");
        let Ok(kernel) = device.lower(&module) else {
            continue;
        };
        let timing = kernel.timing().expect("simulated");
        let refused = match Hosted::new(&machine, &module) {
            Ok(_) => false,
            Err(ImageError::Program(_)) => true,
            Err(error) => panic!("{error}"),
        };
        assert_eq!(kinds(timing).iter().any(described), refused, "seed {seed}");
        counted[usize::from(refused)] += 1;
    }
    assert!(counted.iter().all(|&count| count > 3), "{counted:?}");
}

/// A script beside the steps of the timing, one by one, and memory without overlap.
#[test]
fn an_image_is_what_the_timing_leaves_to_the_host() {
    let parameters = Parameters::preset("4096-3x30").expect("a preset");
    let module = programs::encrypt(&parameters, parameters.levels()).expect("a program");
    let inputs = generate::inputs(1, &module);
    for name in ["race", "rise-4bfu"] {
        let machine = Machine::load(name).expect("shipped");
        let image = RISE.image.expect("it has one");
        let image = image(&machine, &module, &inputs, 0x1000).expect("it runs");
        let mut kinds = kinds(&timing(name, &module));
        kinds.retain(|kind| kind.units == [HOST]);
        assert_eq!(image.script.len(), kinds.len());
        for (action, kind) in image.script.iter().zip(kinds) {
            let Work::HostFunction { operations } = &kind.work else {
                panic!("{} on the host", kind.name);
            };
            let count = |operation| operations.get(&operation).copied().unwrap_or(0);
            match action {
                HostAction::Write(writes) => {
                    assert_eq!(count(HostOperation::RegisterWrite), writes.len() as u64);
                }
                HostAction::TakeInterrupt => assert_eq!(count(HostOperation::Interrupt), 1),
                HostAction::Function { name, writes, .. } => {
                    assert!(*name == kind.name && !writes.is_empty());
                }
            }
        }
        let memory = &image.memories[0];
        let end = memory.words as u64 * memory.addresses_per_word;
        let ends = memory.regions.iter().map(|region| {
            let size = region.length as u64 * memory.addresses_per_word;
            region.address + size
        });
        let next = memory.regions.iter().skip(1).map(|region| region.address);
        assert!(ends.zip(next.chain([end])).all(|(end, next)| end <= next));
    }
}

#[test]
fn what_is_called_often_is_cut_and_timed_once() {
    const CALLS: usize = 50;
    let prime = ntt_primes(27, LOG_N, 1).expect("a prime")[0];
    let module = |calls| long(Long::Calls, calls, LOG_N, prime).expect("valid");
    let (one, many) = (timing("race", &module(1)), timing("race", &module(CALLS)));
    assert_eq!((many.parts.len(), many.calls.len()), (1, CALLS));
    assert_eq!(many.parts, one.parts);
    assert_eq!(many.cycles.0, CALLS as u64 * one.cycles.0);
    assert_eq!(many.counters(), one.counters().times(CALLS as u64));
}

/// What a timing counts beside what the simulated units say they did.
#[test]
fn counters_are_what_the_units_record() {
    let parameters = Parameters::preset("4096-3x30").expect("a preset");
    let level = parameters.levels();
    let encrypt = programs::encrypt(&parameters, level).expect("a program");
    let decrypt = programs::decrypt(&parameters, level, 2).expect("a program");
    for (name, program) in [
        ("race", &encrypt),
        ("rise-4bfu", &encrypt),
        ("rise-32bfu", &decrypt),
    ] {
        let module = Module {
            log_n: LOG_N,
            ..program.clone()
        };
        let machine = Machine::load(name).expect("shipped");
        let hosted = Hosted::new(&machine, &module).expect("it runs");
        let inputs = generate::inputs(1, &module);
        let intervals = hosted.place(&hosted.durations(|_, _| 0));
        let (_, records) = hosted.simulate(&inputs, &intervals).expect("it runs");
        let recorded = |unit: &str, event: &str| {
            let of = |record: &&TraceRecord| record.unit == unit && record.event == event;
            records.iter().filter(of).count() as u64
        };
        let counters = hosted.timing().counters();
        for (unit, event, counter) in [
            ("BG0", "read", ("bank", "BG0 read")),
            ("BG0", "write", ("bank", "BG0 write")),
            ("BG1", "read", ("bank", "BG1 read")),
            ("BG1", "write", ("bank", "BG1 write")),
            ("twiddle_unit", "factor", ("bfu", "twiddle product")),
            ("reordering_unit", "word", ("reordering_unit", "word")),
            ("io_control", "accept", ("control", "call")),
            ("io_control", "interrupt", ("control", "interrupt")),
        ] {
            let counted = counters.get(counter.0, counter.1);
            assert!(counted > 0, "{name}: {counter:?}");
            assert_eq!(counted, recorded(unit, event), "{name}: {counter:?}");
        }
        let steps = hosted.steps().iter();
        let (mut bytes, mut writes) = (0, 0);
        for work in steps.map(|step| &step.kind.work) {
            match work {
                Work::Transfer { bytes: moved, .. } => bytes += moved,
                Work::HostFunction { operations } => {
                    writes += operations.get(&HostOperation::RegisterWrite).unwrap_or(&0);
                }
                Work::Kernel { .. } => {}
            }
        }
        let moved = ["bytes read", "bytes written"].map(|what| counters.get("dma", what));
        assert_eq!(moved.iter().sum::<u64>(), bytes, "{name}");
        assert_eq!(counters.get("control", "register write"), writes, "{name}");
        let results = ["butterfly", "product", "sum"].map(|what| counters.get("bfu", what));
        assert_eq!(
            results.iter().sum::<u64>(),
            recorded("bfu", "result"),
            "{name}"
        );
    }
}
