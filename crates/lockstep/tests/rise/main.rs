//! `rise` in lockstep with `crates/target-rise`: whole encryptions and decryptions, driven as a host
//! would, every instruction, every access of a bank, every constant and every interrupt paired.
//!
//! The machines are listed in `hw/rise/tb/lockstep_rise.toml`. Needs the libraries that `make
//! test-rtl` builds, beside that list, in the folder that RINGWRIGHT_LOCKSTEP_MODELS names;
//! RINGWRIGHT_LOCKSTEP_SEED chooses inputs and stalls. Tests named `slow` are for `make
//! test-rtl-slow`.
//!
//! Stalls of the memory and the host lengthen transfers and host steps by what no simulator can
//! know. A run with stalls therefore takes those lengths from the RTL, as data, places the
//! simulator's steps with them, and compares when every instruction begins and ends, and all words
//! of the results; which bank is used in which cycle is compared without stalls only.

mod bench;
mod host;
mod memory;
mod stalls;

use bench::{machine, seed, words, Bench};
use ringwright_arith::Modulus;
use ringwright_ir::interpret::Interpreter;
use ringwright_ir::ring::Module;
use ringwright_ir::{generate, Value};
use ringwright_lockstep::{Lockstep, Model, PairingError, Rtl};
use ringwright_schemes::ckks::Parameters;
use ringwright_schemes::rlwe::programs;
use ringwright_target::{Interval, Work};
use ringwright_target_rise::hosted::Hosted;
use ringwright_target_rise::schedule::What;
use stalls::Stalls;
use std::collections::{BTreeMap, VecDeque};
use std::convert::Infallible;

/// Cycles between the model's last record and the host's last access.
const MARGIN: u64 = 100;
/// Far beyond any run here.
const TOO_LONG: u64 = 20_000_000;
/// The largest magnitude of a binomial sample, k.
const LARGEST_ERROR: u64 = 21;

/// Without stalls every record has a partner. Returns the results.
fn exact(name: &str, module: &Module, inputs: &[Value]) -> Vec<Value> {
    let hosted = Hosted::new(&machine(name, &[]), module).expect("the machine runs it");
    compare(name, &hosted, module, inputs).unwrap_or_else(|e| panic!("{e}"))
}

/// Runs the design `name` beside the simulator of a program, up to the first difference.
fn compare(
    name: &str,
    hosted: &Hosted,
    module: &Module,
    inputs: &[Value],
) -> Result<Vec<Value>, PairingError> {
    let replay = format!("pytest hw/test_lockstep.py -k rise --rtl-seed={}", seed());
    let mut run = Lockstep::new(seed(), replay);
    let mut bench = Bench::new(name, hosted, inputs, |_| Stalls::never(), &mut run);
    let intervals = unstalled(hosted, &bench);
    let (results, records) = hosted.simulate(inputs, &intervals).expect("runs");
    let mut model = Model::new(records);
    let end = model.end().expect("records");
    while bench.rtl.cycle() <= end || !bench.host.is_done() {
        let cycle = bench.rtl.cycle();
        assert!(cycle.0 < end.0 + MARGIN, "the host waits for ever");
        bench.step(|rtl: &mut Rtl, inputs| {
            let outputs = rtl.step(inputs, &mut run)?;
            Ok::<_, PairingError>(outputs.to_vec())
        })?;
        model.step(cycle, &mut run)?;
    }
    let paired = run.finish()?;
    let least = hosted.steps().len() + hosted.n();
    assert!(paired > least as u64, "{paired} records");
    let found = bench.check_results(module, inputs);
    assert!(words(&found) == words(&results), "simulator and RTL differ");
    Ok(results)
}

/// When the steps are beside a host and a memory that never stall, behind the host's set-up.
fn unstalled(hosted: &Hosted, bench: &Bench) -> Vec<Interval> {
    intervals(hosted, &durations(hosted), bench.set_up_cycles())
}

fn durations(hosted: &Hosted) -> Vec<u64> {
    hosted.durations(|what, operations| host::cycles(what, operations.values().sum()))
}

fn intervals(hosted: &Hosted, durations: &[u64], offset: u64) -> Vec<Interval> {
    let shifted = |interval: Interval| Interval {
        start: interval.start + offset,
        end: interval.end + offset,
    };
    hosted.place(durations).into_iter().map(shifted).collect()
}

/// Begin and end of every instruction that the design reported, by what it reported.
type Spans = BTreeMap<u64, VecDeque<(u64, u64)>>;

/// Runs a program with stalls in every handshake: instructions take the time they take without,
/// transfers and the host what they took, and the results are the same.
fn stalled(name: &str, module: &Module, inputs: &[Value], chance: u64) {
    let hosted = Hosted::new(&machine(name, &[]), module).expect("the machine runs it");
    let mut run = Lockstep::new(seed(), "");
    let stalls = |side| Stalls::new(seed() << 8 | side, chance);
    let mut bench = Bench::new(name, &hosted, inputs, stalls, &mut run);
    let [begin, end] = ["begin", "end"].map(|event| run.probe("io_control", event));
    let (mut begun, mut spans) = (BTreeMap::new(), Spans::new());
    while !bench.host.is_done() {
        assert!(bench.rtl.cycle().0 < TOO_LONG, "the host waits for ever");
        let step = bench.step(|rtl, inputs| {
            let (outputs, records) = rtl.watch(inputs);
            for record in records {
                let (label, cycle) = (record.destination, record.cycle.0);
                if record.probe == begin {
                    begun.insert(label, cycle);
                } else if record.probe == end {
                    let span = (begun[&label], cycle + 1);
                    spans.entry(label).or_default().push_back(span);
                }
            }
            Ok::<_, Infallible>(outputs.to_vec())
        });
        step.unwrap_or_else(|never| match never {});
    }
    let found = spans.clone();
    let durations = measured(&hosted, &bench.host.steps, spans);
    let offset = bench.host.steps.first().expect("a host").1;
    let intervals = intervals(&hosted, &durations, offset);
    let mut expected = Spans::new();
    for (step, interval) in intervals.iter().enumerate() {
        if let Some(label) = hosted.label(step) {
            let span = (interval.start, interval.end);
            expected.entry(label).or_default().push_back(span);
        }
    }
    assert_eq!(found, expected, "seed {}", seed());
    bench.check_results(module, inputs);
}

/// Cycles of every step: of transfers and of the host as they were, of all else as simulated.
fn measured(hosted: &Hosted, host: &[(usize, u64, u64)], mut spans: Spans) -> Vec<u64> {
    let mut durations = durations(hosted);
    for &(step, begin, end) in host {
        durations[step] = end - begin;
    }
    for (step, duration) in durations.iter_mut().enumerate() {
        let span = hosted
            .label(step)
            .and_then(|label| spans.get_mut(&label)?.pop_front());
        if let (Some((begin, end)), Work::Transfer { .. }) =
            (span, &hosted.steps().get(step).kind.work)
        {
            *duration = end - begin;
        }
    }
    durations
}

fn encryption(parameters: &Parameters) -> Module {
    programs::encrypt(parameters, parameters.levels()).expect("a program")
}

fn decryption(parameters: &Parameters) -> Module {
    programs::decrypt(parameters, parameters.levels(), 2).expect("a program")
}

/// Encryption and decryption under the primes of a preset, N = 2^`log_n`.
fn both(preset: &str, log_n: u32) -> [Module; 2] {
    let parameters = Parameters::preset(preset).expect("a preset");
    [encryption, decryption].map(|program| Module {
        log_n,
        ..program(&parameters)
    })
}

fn exactly(name: &str, preset: &str, log_n: u32) {
    for module in both(preset, log_n) {
        exact(name, &module, &generate::inputs(seed(), &module));
    }
}

#[test]
#[ignore = "needs verilated models: make test-rtl"]
fn rise_with_one_butterfly_unit() {
    exactly("rise_1", "4096-3x30", 5);
    exactly("rise_1", "2048-30", 11);
}

#[test]
#[ignore = "needs verilated models: make test-rtl"]
fn slow_rise_with_one_butterfly_unit_and_three_towers() {
    exactly("rise_1", "4096-3x30", 12);
}

#[test]
#[ignore = "needs verilated models: make test-rtl"]
fn rise_with_two_of_sixty_bits() {
    exactly("rise_2", "16384-7x54", 6);
    exactly("rise_2", "4096-3x30", 10);
}

#[test]
#[ignore = "needs verilated models: make test-rtl"]
fn slow_rise_with_two_of_sixty_bits_and_seven_towers() {
    exactly("rise_2", "16384-7x54", 10);
}

#[test]
#[ignore = "needs verilated models: make test-rtl"]
fn rise_with_four() {
    exactly("rise_4", "4096-3x30", 12);
    exactly("rise_4", "2048-30", 6);
}

#[test]
#[ignore = "needs verilated models: make test-rtl"]
fn race() {
    exactly("race", "1024-27", 10);
    exactly("race", "4096-3x30", 7);
}

#[test]
#[ignore = "needs verilated models: make test-rtl"]
fn ntt_accel() {
    exactly("ntt_accel", "1024-27", 10);
    exactly("ntt_accel", "4096-3x30", 6);
}

#[test]
#[ignore = "needs verilated models: make test-rtl"]
fn what_the_machine_encrypts_it_decrypts() {
    let parameters = Parameters::preset("1024-27").expect("a preset");
    let run = |module: &Module, inputs: &[Value]| {
        let kernel = Interpreter.prepare(module).expect("valid");
        kernel.run(inputs).expect("runs")
    };
    let module = programs::keygen_secret(&parameters).expect("a program");
    let secret = run(&module, &generate::inputs(seed(), &module)).remove(1);
    let module = programs::keygen_public(&parameters).expect("a program");
    let mut inputs = generate::inputs(seed() + 1, &module);
    inputs[0] = secret.clone();
    let public = run(&module, &inputs);

    let encrypt = encryption(&parameters);
    let mut inputs = generate::inputs(seed() + 2, &encrypt);
    inputs[1..3].clone_from_slice(&public);
    let message = inputs[0].clone();
    let mut ciphertext = exact("rise_1", &encrypt, &inputs);
    ciphertext.push(secret);
    let found = exact("rise_1", &decryption(&parameters), &ciphertext);

    // The error is e u + e0 + e1 s with e, e0, e1 of at most k and u, s of N ternary coefficients.
    let bound = LARGEST_ERROR * (2 * parameters.n() as u64 + 1);
    let q = Modulus::new(parameters.q()[0]).expect("odd");
    for (&m, &found) in words(&[message])[0].iter().zip(words(&found)[0]) {
        let error = q.centred(q.sub(found, m));
        assert!(error.unsigned_abs() <= bound.into(), "{error}");
    }
}

#[test]
#[ignore = "needs verilated models: make test-rtl"]
fn stalls_lengthen_transfers_and_nothing_else() {
    let machines = [
        ("rise_1", "4096-3x30"),
        ("rise_4", "4096-3x30"),
        ("race", "2048-30"),
    ];
    for (name, preset) in machines {
        for chance in [20, 128, 220] {
            for module in both(preset, 7) {
                stalled(name, &module, &generate::inputs(seed(), &module), chance);
            }
        }
    }
}

/// Which steps a parameter moves.
type Moved = fn(&What) -> bool;

/// A controller that differs from the design by a cycle, in one parameter after the other.
#[test]
#[ignore = "needs verilated models: make test-rtl"]
fn another_machine_is_caught_in_its_first_wrong_cycle() {
    let first: [(&str, Moved); 3] = [
        ("start_cycles", |what| matches!(what, What::Constants(_))),
        ("interrupt_cycles", |what| {
            matches!(what, What::Interrupt(_))
        }),
        ("bfu_latency", |what| {
            matches!(what, What::Instruction(0, 1))
        }),
    ];
    let [module, _] = both("1024-27", 7);
    let inputs = generate::inputs(seed(), &module);
    let right = Hosted::new(&machine("race", &[]), &module).expect("runs");
    for (key, is_wrong) in first {
        let value = machine("race", &[]).int(key).expect("declared") + 1;
        let wrong = machine("race", &[(key, value)]);
        let wrong = Hosted::new(&wrong, &module).expect("runs");
        let Err(PairingError::Difference(difference)) = compare("race", &wrong, &module, &inputs)
        else {
            panic!("{key} differs unnoticed");
        };
        let image = right.image(&inputs, 0).expect("inputs of the program");
        let offset = image.set_up.len() as u64 * host::CYCLES_OF_ACCESS;
        let spans = intervals(&right, &durations(&right), offset);
        let step = right.what().iter().position(is_wrong).expect("a step");
        let cycle = difference.cycle().0;
        match key {
            "start_cycles" => assert_eq!(cycle, spans[step].start),
            "interrupt_cycles" => assert_eq!(cycle, spans[step].end - 1),
            // The first result leaves, or the factors for the next, while it runs.
            _ => assert!((spans[step].start..spans[step].end).contains(&cycle)),
        }
    }
}
