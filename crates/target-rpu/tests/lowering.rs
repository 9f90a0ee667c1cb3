//! What a lowered program promises beside its values.

use ringwright_arith::primes::ntt_primes;
use ringwright_ir::ring::{Basis, Domain, Module, ModuleBuilder, Type};
use ringwright_ir::RunError;
use ringwright_spec::Machine;
use ringwright_target::{Device, Executable, HostOperation, TransformAsked, WordOrder, Work};
use ringwright_target_rpu::RPU;
use std::collections::BTreeSet;
use std::sync::Arc;

fn device(machine: &str) -> Arc<dyn Device> {
    (RPU.lower)(&Machine::load(machine).expect("it ships")).expect("it can be set up")
}

/// `square(x)` by a function, called `calls` times in a row; `apart`: by a function in steps.
fn squares(log_n: u32, bits: u32, calls: usize, apart: bool) -> Module {
    let primes = ntt_primes(bits, log_n, 2).expect("there are primes");
    let mut mb = ModuleBuilder::new(log_n, &primes);
    let ty = Type::poly(&Basis::range(0..2), Domain::Coeff);
    let mut fb = mb.function("square");
    let x = fb.param("x", ty.clone(), false);
    let evaluations = fb.ntt(x).expect("coefficients");
    let product = fb.mul(evaluations, evaluations).expect("evaluations");
    let result = fb.intt(product).expect("evaluations");
    let mut square = fb.finish(&[result]).expect("sound");
    if apart {
        let mut fb = mb.function("step");
        fb.steps();
        let x = fb.param("x", ty.clone(), false);
        let result = fb.call(square, &[x]).expect("one argument");
        square = fb.finish(&result).expect("sound");
    }
    let mut fb = mb.function("main");
    let mut x = fb.param("x", ty, false);
    for _ in 0..calls {
        x = fb.call(square, &[x]).expect("one argument")[0];
    }
    let main = fb.finish(&[x]).expect("sound");
    mb.finish(main).expect("sound")
}

/// One transform of one tower.
fn transform(log_n: u32, prime: u64, there: bool) -> Module {
    let mut mb = ModuleBuilder::new(log_n, &[prime.into()]);
    let mut fb = mb.function("transform");
    let domain = if there { Domain::Coeff } else { Domain::Eval };
    let x = fb.param("x", Type::poly(&Basis::range(0..1), domain), false);
    let y = if there { fb.ntt(x) } else { fb.intt(x) };
    let main = fb.finish(&[y.expect("its domain")]).expect("sound");
    mb.finish(main).expect("sound")
}

fn lowered(machine: &str, module: &Module) -> Arc<dyn Executable> {
    device(machine).lower(module).expect("it fits")
}

#[test]
fn a_function_takes_the_same_time_wherever_it_is_called() {
    let (once, calls) = (lowered("rpu-8x8", &squares(8, 30, 1, true)), 3);
    let often = lowered("rpu-8x8", &squares(8, 30, calls, true));
    let (once, often) = (once.timing().unwrap(), often.timing().unwrap());
    assert_eq!((once.parts.len(), once.calls.len()), (1, 1));
    // The first is begun by the host, the last ends with its interrupt.
    assert_eq!((often.parts.len(), often.calls.len()), (calls, calls));
    for call in &often.calls {
        assert_eq!(call.exposed, once.cycles);
    }
    assert_eq!(often.counters(), once.counters().times(calls as u64));
}

#[test]
fn calls_one_behind_the_other_are_one_region_where_that_is_quicker() {
    let calls = 3;
    let apart = lowered("rpu-8x8", &squares(8, 30, calls, true));
    let joined = lowered("rpu-8x8", &squares(8, 30, calls, false));
    let (apart, joined) = (apart.timing().unwrap(), joined.timing().unwrap());
    assert_eq!((joined.parts.len(), joined.calls.len()), (1, 1));
    assert_eq!(joined.calls[0].sources.len(), calls);
    assert!(joined.cycles < apart.cycles);
    // Between them nothing is transformed back and forth: the last call's result leaves alone.
    let shares: Vec<_> = joined.shares().collect();
    let exposed: u64 = shares.iter().map(|(_, share)| share.exposed.0).sum();
    assert_eq!(exposed, joined.cycles.0);
    let called: Vec<Option<usize>> = shares.iter().map(|(source, _)| source.call).collect();
    assert_eq!(called, [Some(0), Some(1), Some(2)]);
}

/// The transform of a ring program and the one that is shown alone, words in order, are one number.
#[test]
fn a_transform_alone_takes_what_a_programs_transform_takes() {
    let study = RPU.transform.expect("it has one");
    for (machine, log_n) in [("rpu-8x8", 8), ("rpu-128x128", 10), ("rpu-128x128", 13)] {
        let described = Machine::load(machine).expect("it ships");
        let start = described.int("start_cycles").expect("declared") as u64;
        let order = WordOrder::InOrder;
        let report = study(&described, &TransformAsked::new(log_n, order)).expect("it fits");
        let back = report.inverse_cycles.expect("it was asked for");
        for (there, cycles) in [(true, report.cycles), (false, back)] {
            let kernel = lowered(machine, &transform(log_n, report.modulus, there));
            let steps = &kernel.timing().expect("simulated").parts[0].steps;
            let computed = steps.iter().filter_map(|step| match step.kind.work {
                Work::Kernel { cycles } => Some(cycles),
                _ => None,
            });
            assert_eq!(computed.collect::<Vec<_>>(), [start + cycles], "{machine}");
        }
    }
}

/// Words of every unit are those of the listed instructions, and bytes those of what is brought.
#[test]
fn units_work_as_often_as_the_listing_says() {
    let (machine, log_n) = ("rpu-8x8", 8);
    let described = Machine::load(machine).expect("it ships");
    let int = |key| described.int(key).expect("declared") as u64;
    let prime = ntt_primes(30, log_n, 1).expect("a prime")[0] as u64;
    let kernel = lowered(machine, &transform(log_n, prime, true));
    let counters = kernel.timing().expect("simulated").counters();
    let [listing] = &kernel.listings()[..] else {
        panic!("one kernel");
    };
    let lines: Vec<&str> = listing
        .text
        .lines()
        .filter(|l| !l.starts_with('#'))
        .collect();
    // Operands of a line, destinations first: how many are written, by mnemonic.
    let written = |line: &str| match line.split(' ').next() {
        Some("vstore") => 0,
        Some("bfly" | "bflyi") => 2,
        _ => 1,
    };
    let registers = |line: &str| -> Vec<String> {
        let words = line.split([' ', ',']).filter(|word| !word.is_empty());
        let vectors = words.skip(1).filter(|w| w.starts_with('v'));
        vectors.map(str::to_owned).collect()
    };
    let (mut reads, mut writes) = (0, 0);
    for line in &lines {
        let operands = registers(line);
        let (results, sources) = operands.split_at(written(line).min(operands.len()));
        reads += sources.iter().collect::<BTreeSet<_>>().len() as u64;
        writes += results.iter().collect::<BTreeSet<_>>().len() as u64;
    }
    let length = int("vector_length");
    assert_eq!(counters.get("vrf", "reads"), reads * length);
    assert_eq!(counters.get("vrf", "writes"), writes * length);
    let ports: u64 = counters.of("vrf_port").map(|(_, rows)| rows).sum();
    assert_eq!(ports * int("hples"), (reads + writes) * length);
    let butterflies = u64::from(log_n) << (log_n - 1);
    assert!(counters.get("law", "multiplications") >= butterflies);
    assert_eq!(counters.get("law", "additions"), 2 * butterflies);
    let all: u64 = counters.of("instruction").map(|(_, count)| count).sum();
    assert_eq!(all, lines.len() as u64);
    let tower = (int("word_bits").next_power_of_two() / 8) << log_n;
    for name in ["load towers", "store towers"] {
        assert_eq!(counters.get("dma", name), tower, "{name}");
    }
}

/// A program is one list of commands: its host takes one interrupt, whether its towers fit or not.
#[test]
fn a_program_takes_one_interrupt() {
    let interrupts = |machine: &Machine, calls| {
        let device = (RPU.lower)(machine).expect("it can be set up");
        let kernel = device.lower(&squares(8, 30, calls, true)).expect("it fits");
        let steps = kernel.timing().expect("simulated").unfolded();
        let of = |operation: HostOperation| {
            let taken = steps.iter().map(|step| match &step.kind.work {
                Work::HostFunction { operations } => operations.get(&operation).copied(),
                _ => None,
            });
            taken.flatten().sum::<u64>()
        };
        (
            of(HostOperation::Interrupt),
            of(HostOperation::RegisterWrite),
        )
    };
    let shipped = Machine::load("rpu-8x8").expect("it ships");
    for calls in [1, 3] {
        assert_eq!(interrupts(&shipped, calls), (1, 2));
    }
    let text = include_str!("../../../machines/rpu-8x8.toml");
    let smaller = text.replace("vdm_words = { value = 8192", "vdm_words = { value = 1024");
    assert_ne!(smaller, text);
    let small = interrupts(&Machine::parse("small.toml", &smaller).expect("sound"), 1);
    assert_eq!(small, (1, 2));
}

#[test]
fn listings_are_programs_of_the_assembler() {
    let listings = lowered("rpu-8x8", &squares(8, 30, 2, true)).listings();
    let names: Vec<&str> = listings.iter().map(|each| each.name.as_str()).collect();
    assert_eq!(names, ["word_by_word", "ntt", "intt"]);
    for listing in listings {
        for text in [Some(listing.text), listing.plain].iter().flatten() {
            ringwright_target_rpu::isa::assemble(&listing.name, text).expect("its own text");
        }
    }
}

#[test]
fn what_does_not_fit_is_refused_by_name() {
    let refusal = |module: &Module| match device("rpu-8x8").lower(module) {
        Err(RunError::Unsupported { machine, reason }) => format!("{machine}: {reason}"),
        Err(other) => panic!("not a refusal of the machine: {other}"),
        Ok(_) => panic!("it was lowered"),
    };
    let instructions = refusal(&squares(12, 30, 1, true));
    assert!(
        instructions.contains("ntt of degree 4096 takes"),
        "{instructions}"
    );
    assert!(
        instructions.contains("instruction memory holds 1024"),
        "{instructions}"
    );
    let bits = refusal(&squares(8, 64, 1, true));
    assert!(bits.contains("of 64 bits; words of 64 bits hold"), "{bits}");
    assert!(bits.contains("up to 63 bits"), "{bits}");
}
