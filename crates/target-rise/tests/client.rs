//! Encryption and decryption of every parameter set, from the encoded polynomial on: bit for bit
//! as the interpreter, on RACE, RISE and NTT_Accel, in time that does not depend on values.

use ringwright_ir::interpret::Interpreter;
use ringwright_ir::ring::Module;
use ringwright_ir::{generate, RunError, Value};
use ringwright_schemes::ckks::Parameters;
use ringwright_schemes::rlwe::programs;
use ringwright_spec::Machine;
use ringwright_target::{Executable, HostOperation, Interval, Timing, Work, HOST};
use ringwright_target_rise::{closed_form, Config, RISE};
use std::sync::Arc;

/// The most that `word_bits` can be (`spec/rise/params.toml`).
const WIDEST: u32 = 60;

/// The largest N that is run here.
const LARGEST: usize = 32768;

/// A shipped machine; `wide` gives it the widest words, and its banks room for the largest N.
fn machine(name: &str, wide: bool) -> Machine {
    let shipped = Machine::load(name).expect("shipped");
    if !wide {
        return shipped;
    }
    let depth = LARGEST as i64 / (4 * shipped.int("bfus").expect("declared"));
    edited(name, &[("word_bits", WIDEST.into()), ("bank_words", depth)])
}

/// A shipped machine with other values, as a user would edit its file.
fn edited(name: &str, values: &[(&str, i64)]) -> Machine {
    let shipped = Machine::shipped()
        .iter()
        .find(|shipped| shipped.name == name);
    let mut text = shipped.expect("shipped").text.to_owned();
    for (key, value) in values {
        let old = Machine::load(name)
            .expect("shipped")
            .int(key)
            .expect("declared");
        let line = |value: i64| format!("{key} = {{ value = {value},");
        assert!(text.contains(&line(old)), "{name} gives {key}");
        text = text.replace(&line(old), &line(*value));
    }
    Machine::parse("edited.toml", &text).expect("sound")
}

fn lower(machine: &Machine, module: &Module) -> Result<Arc<dyn Executable>, RunError> {
    (RISE.lower)(machine).expect("buildable").lower(module)
}

fn timing(kernel: &dyn Executable) -> &Timing {
    kernel.timing().expect("a simulated machine has a clock")
}

fn words(value: &Value) -> Option<&[u64]> {
    match value {
        Value::Poly(poly) => Some(poly.words()),
        _ => None,
    }
}

/// A program, inputs, and what the interpreter makes of them.
struct Expected {
    module: Module,
    inputs: Vec<Value>,
    results: Vec<Value>,
}

impl Expected {
    fn of(module: Module) -> Self {
        let inputs = generate::inputs(7, &module);
        let reference = Interpreter.prepare(&module).expect("valid");
        let results = reference.run(&inputs).expect("runs");
        Expected {
            module,
            inputs,
            results,
        }
    }

    /// Lowers and runs the program; the kernel, once its results are right.
    fn on(&self, machine: &Machine) -> Arc<dyn Executable> {
        let kernel = lower(machine, &self.module).expect("the set fits the machine");
        let found = kernel.run(&self.inputs).expect("runs");
        let same = self.results.iter().map(words).eq(found.iter().map(words));
        let program = &self.module.entry().name;
        assert!(same, "{}: {program} differs", machine.name());
        kernel
    }
}

fn count(timing: &Timing, name: &str) -> usize {
    let steps = timing.unfolded();
    let named = steps.iter().filter(|step| step.kind.name == name);
    named.count()
}

/// What the host does, without the calls' registers and interrupts.
fn host_functions(timing: &Timing) -> Vec<&'static str> {
    let calling = [HostOperation::RegisterWrite, HostOperation::Interrupt];
    let own = |work: &Work| match work {
        Work::HostFunction { operations } => !operations
            .keys()
            .any(|operation| calling.contains(operation)),
        _ => false,
    };
    let steps = timing.unfolded();
    let kinds = steps.iter().map(|step| step.kind);
    let own = kinds.filter(|kind| own(&kind.work));
    own.map(|kind| kind.name).collect()
}

/// When the step of this name and number runs.
fn interval(timing: &Timing, name: &str, which: usize) -> Interval {
    let steps = timing.unfolded();
    let intervals = steps.place(|kind| kind.work.device_cycles());
    let mut named = steps
        .iter()
        .zip(intervals)
        .filter(|(step, _)| step.kind.name == name);
    named.nth(which).expect("there").1
}

/// Whether the widest machine that can be described takes these primes.
fn has_words_for(parameters: &Parameters) -> bool {
    parameters.q().iter().all(|prime| prime >> WIDEST == 0)
}

#[test]
fn wider_primes_than_any_machine_has_are_refused() {
    let presets = Parameters::presets().into_iter();
    let presets = presets.map(|preset| Parameters::preset(preset).expect("a preset"));
    let beyond: Vec<Parameters> = presets
        .filter(|parameters| !has_words_for(parameters))
        .collect();
    assert!(!beyond.is_empty());
    for parameters in beyond {
        let module = programs::encrypt(&parameters, 1).expect("a program");
        let refused = lower(&machine("race", true), &module).map(|_| ());
        let reason = refused.expect_err("too wide").to_string();
        let widest = format!("word_bits = {WIDEST} is the widest");
        assert!(reason.contains(&widest), "{reason}");
    }
}

#[test]
fn every_parameter_set_that_fits_encrypts_and_decrypts_bit_for_bit() {
    for preset in Parameters::presets() {
        let parameters = Parameters::preset(preset).expect("a preset");
        if !has_words_for(&parameters) || parameters.n() > LARGEST {
            continue;
        }
        let (level, wide) = (parameters.levels(), parameters.q()[0] >> 30 != 0);
        let encrypt = Expected::of(programs::encrypt(&parameters, level).expect("a program"));
        let decrypt = Expected::of(programs::decrypt(&parameters, level, 2).expect("a program"));
        for name in [
            "race",
            "rise-1bfu",
            "rise-32bfu",
            "rise-32bfu-interleaved",
            "ntt-accel-8",
        ] {
            let machine = machine(name, wide);
            let kernel = encrypt.on(&machine);
            let encryption = timing(&*kernel);
            let kernel = decrypt.on(&machine);
            let decryption = timing(&*kernel);
            // Two half-encryptions and one decryption per tower (RACE, section IV-B); alone, each
            // of the three transforms is a call.
            let (halves, wholes) = match name {
                "ntt-accel-8" => (3 * level, level),
                _ => (2 * level, level),
            };
            assert_eq!(count(encryption, "interrupt"), halves, "{name}, {preset}");
            assert_eq!(count(decryption, "interrupt"), wholes, "{name}, {preset}");
        }
    }
}

fn smallest_encryption() -> Module {
    let parameters = Parameters::preset("4096-3x30").expect("a preset");
    programs::encrypt(&parameters, 1).expect("a program")
}

#[test]
fn calls_take_what_the_formulas_say() {
    let config = Config::new(&machine("race", false)).expect("buildable");
    for preset in ["1024-27", "2048-30", "4096-3x30"] {
        let parameters = Parameters::preset(preset).expect("a preset");
        let shape = config.shape(parameters.log_n()).expect("it fits");
        let level = parameters.levels();
        let cycles = |module: &Module| {
            let kernel = lower(&machine("race", false), module).expect("fits");
            timing(&*kernel).cycles.0
        };
        let encrypt = cycles(&programs::encrypt(&parameters, level).expect("a program"));
        let half = closed_form::half_encryption(&config, shape);
        assert_eq!(encrypt, 2 * level as u64 * half, "{preset}");
        let decrypt = cycles(&programs::decrypt(&parameters, level, 2).expect("a program"));
        let whole = closed_form::decryption(&config, shape);
        assert_eq!(decrypt, level as u64 * whole, "{preset}");
    }
}

#[test]
fn a_call_is_the_published_schedule() {
    let names = |machine: &str, module: &Module| -> Vec<String> {
        let kernel = lower(&self::machine(machine, false), module).expect("fits");
        let steps = timing(&*kernel).unfolded();
        let kinds = steps.iter().map(|step| step.kind);
        let device = kinds.filter(|kind| kind.units[0] != HOST);
        device.map(|kind| kind.name.to_owned()).collect()
    };
    let half = |load_u, load_e| {
        let steps = [
            "start",
            "load constants",
            load_u,
            "ntt",
            "load",
            "mul",
            load_e,
        ];
        [&steps[..], &["ntt", "add", "store", "interrupt"]].concat()
    };
    let encrypt = smallest_encryption();
    let race = [half("load", "load"), half("load", "load")].concat();
    assert_eq!(names("race", &encrypt), race);
    // m is loaded with e0 added on the way; the second call begins before the first has stored.
    let mut first = half("sample", "load and add samples");
    let end = first.split_off(first.len() - 2);
    let mut second = half("sample", "sample");
    let rest = second.split_off(2);
    let rise = [first, second, end, rest].concat();
    assert_eq!(names("rise-1bfu", &encrypt), rise);
    let parameters = Parameters::preset("4096-3x30").expect("a preset");
    let decrypt = programs::decrypt(&parameters, 1, 2).expect("a program");
    let steps = [
        "start",
        "load constants",
        "load",
        "load",
        "mul",
        "load",
        "add",
        "intt",
    ];
    let decryption = [&steps[..], &["store", "interrupt"]].concat();
    assert_eq!(names("race", &decrypt), decryption);
}

#[test]
fn what_a_machine_lacks_is_the_hosts() {
    let encrypt = smallest_encryption();
    let names = |machine: &str| {
        let kernel = lower(&self::machine(machine, false), &encrypt).expect("fits");
        host_functions(timing(&*kernel))
    };
    assert!(names("rise-1bfu").is_empty());
    let samples = ["sample ternary", "sample binomial", "sample binomial"];
    // RACE takes m + e0 as one polynomial (section IV-A).
    assert_eq!(names("race"), [&samples[..], &["add"]].concat());
    let rest = ["add", "mul", "add", "mul", "add"];
    assert_eq!(names("ntt-accel-8"), [&samples[..], &rest].concat());
}

#[test]
fn the_key_is_loaded_beside_the_transform() {
    let kernel = lower(&machine("race", false), &smallest_encryption()).expect("fits");
    let timing = timing(&*kernel);
    let at = |name, which| interval(timing, name, which);
    let (transform, key) = (at("ntt", 0), at("load", 1));
    assert!(transform.start <= key.start && key.end <= transform.end);
    // BG0 is free again when the product has been taken, and not before.
    assert_eq!(at("load", 2).start, at("mul", 0).end);
}

#[test]
fn a_second_set_of_registers_draws_samples_beside_the_last_transfer() {
    let encrypt = smallest_encryption();
    let lowered = |calls: i64| {
        let given = Machine::load("rise-1bfu")
            .expect("shipped")
            .int("queued_calls");
        let machine = match given.expect("declared") == calls {
            true => machine("rise-1bfu", false),
            false => edited("rise-1bfu", &[("queued_calls", calls)]),
        };
        lower(&machine, &encrypt).expect("fits")
    };
    let (one, two) = (lowered(1), lowered(2));
    let (one, two) = (timing(&*one), timing(&*two));
    let at = |name, which| interval(two, name, which);
    // The first of e0's places is m's, so the samples are u, u, e1.
    let (store, sample) = (at("store", 0), at("sample", 1));
    assert!(sample.start <= store.start && store.end <= sample.end);
    let hidden = store.end - store.start;
    assert!(
        one.cycles.0 - two.cycles.0 >= hidden,
        "{} and {}",
        one.cycles.0,
        two.cycles.0
    );
}

#[test]
fn time_depends_on_no_value() {
    let module = smallest_encryption();
    let kernel = lower(&machine("rise-1bfu", false), &module).expect("fits");
    // A run that takes another time than the kernel says is an error.
    for seed in 0..3 {
        kernel
            .run(&generate::inputs(seed, &module))
            .expect("on time");
    }
}

#[test]
fn what_does_not_fit_is_refused_by_the_name_of_the_constraint() {
    let refusal = |machine: &Machine, module: &Module| match lower(machine, module) {
        Err(error @ RunError::Unsupported { .. }) => error.to_string(),
        Err(error) => panic!("{error}"),
        Ok(_) => panic!("it was lowered"),
    };
    let encrypt = |preset| {
        let parameters = Parameters::preset(preset).expect("a preset");
        programs::encrypt(&parameters, 1).expect("a program")
    };
    let wide = refusal(&machine("race", false), &encrypt("16384-7x54"));
    assert!(wide.contains("54 bits: word_bits = 30"), "{wide}");
    let shallow = edited("race", &[("bank_words", 256)]);
    let deep = refusal(&shallow, &encrypt("2048-30"));
    assert_eq!(
        deep,
        "race cannot run this program: N = 2048: 4 banks of bank_words = 256 hold N up to 1024"
    );
    let parameters = Parameters::preset("4096-3x30").expect("a preset");
    let mut small = programs::encrypt(&parameters, 1).expect("a program");
    small.log_n = 7;
    let units = refusal(&machine("rise-32bfu", false), &small);
    assert!(units.contains("log2 N > 2 + log2 P"), "{units}");
    let unbuffered = edited("race", &[("write_buffer", 0)]);
    let overflow = refusal(&unbuffered, &encrypt("2048-30"));
    assert!(overflow.contains("the write buffer of bank"), "{overflow}");
}

#[test]
fn what_cannot_be_built_is_refused_by_the_name_of_the_parameter() {
    let machine = edited("rise-4bfu", &[("dma_bytes_per_cycle", 128)]);
    let port = (RISE.lower)(&machine).err().expect("refused").to_string();
    assert!(port.contains("one for each of the 16 banks"), "{port}");
}
