//! What the programs look like, and that cached ones never repeat randomness.

use crate::client::{device, max_error, small, uniform, Client, UNIFORM_RMS};
use ringwright_ir::he::KeyId;
use ringwright_ir::interpret::Interpreter;
use ringwright_ir::ring::{Loc, Module, OpKind};
use ringwright_ir::RunError;
use ringwright_schemes::ckks::{
    expand, Analysed, Ciphertext, Decryptor, Encryptor, Evaluator, Input, Parameters,
    ProgramBuilder,
};
use ringwright_schemes::rlwe::programs::{
    decrypt_share, encrypt, keygen_public, keygen_secret, keygen_switch, SwitchKind,
};
use ringwright_schemes::rlwe::{required_keys, KeyShape};
use ringwright_schemes::security::Table;
use ringwright_target::{Device, Executable};
use std::collections::BTreeSet;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::Arc;

#[test]
fn a_cached_encryption_run_twice_gives_two_different_ciphertexts() {
    let client = Client::new(&small());
    let plaintext = client.encode(&uniform(client.parameters.slots(), 1));
    let first = client.encryptor.encrypt(&plaintext).unwrap();
    let second = client.encryptor.encrypt(&plaintext).unwrap();
    for part in 0..2 {
        assert_ne!(first.parts()[part], second.parts()[part], "part {part}");
    }
}

#[test]
fn the_callers_own_seed_repeats_the_ciphertext() {
    let client = Client::new(&small());
    let values = uniform(client.parameters.slots(), 1);
    let words = |ct: &Ciphertext| ct.parts()[1].words().to_vec();
    assert_eq!(
        words(&client.encrypt(&values, 3)),
        words(&client.encrypt(&values, 3))
    );
    assert_ne!(
        words(&client.encrypt(&values, 3)),
        words(&client.encrypt(&values, 4))
    );
}

/// The interpreter, with a count of what it was asked to lower.
#[derive(Default)]
struct Counting(AtomicUsize);

impl Device for Counting {
    fn lower(&self, module: &Module) -> Result<Arc<dyn Executable>, RunError> {
        self.0.fetch_add(1, Ordering::Relaxed);
        Interpreter.lower(module)
    }

    fn machine(&self) -> &str {
        "counting"
    }
}

#[test]
fn kernels_are_made_once_and_run_often() {
    let client = Client::new(&small());
    let parameters = &client.parameters;
    let counting = Arc::new(Counting::default());
    let public = client.generator.public_key(&client.secret).unwrap();
    let encryptor = Encryptor::new(parameters, public, counting.clone()).unwrap();
    let decryptor = Decryptor::new(parameters, client.secret.clone(), counting.clone()).unwrap();
    let mut builder = ProgramBuilder::new(parameters, "sum");
    let a = builder.input("a", client.fresh()).unwrap();
    // Two constants of one level share the kernel that transforms them.
    let sum = builder.add_constant(a, &[0.5, 0.25]).unwrap();
    let sum = builder.add_constant(sum, &[0.5, 0.125]).unwrap();
    let program = builder.finish(&[sum]).unwrap();
    let evaluator = Evaluator::new(parameters, counting.clone());
    let prepared = evaluator.prepare(&program).unwrap();
    let keys = client.keys_for(&program);
    let made = |counting: &Counting| counting.0.load(Ordering::Relaxed);
    assert_eq!(
        made(&counting),
        2,
        "the program, and its constants' transform"
    );
    for _ in 0..3 {
        let plaintext = client.encode(&[0.25]);
        let plaintext = plaintext.with_bounds(1.0, UNIFORM_RMS).unwrap();
        let input = encryptor.encrypt(&plaintext).unwrap();
        let result = prepared.run(&[input], &keys).unwrap().remove(0);
        decryptor.decrypt(&result).unwrap();
        assert_eq!(
            made(&counting),
            4,
            "and one of encryption, one of decryption"
        );
    }
}

#[test]
fn no_stream_occurs_twice_in_any_program() {
    let parameters = small();
    let modules = [
        keygen_secret(&parameters).unwrap(),
        keygen_public(&parameters).unwrap(),
        keygen_switch(
            &parameters,
            SwitchKind::Square,
            &KeyShape::full(&parameters).unwrap(),
        )
        .unwrap(),
        encrypt(&parameters, 3).unwrap(),
        decrypt_share(&parameters, 3, 2, 30).unwrap(),
    ];
    let streams: Vec<String> = modules.iter().flat_map(streams).collect();
    let distinct: BTreeSet<&String> = streams.iter().collect();
    assert_eq!(distinct.len(), streams.len(), "{streams:?}");
    // 1 secret, 2 public, 2 per digit, 3 per encryption, 1 flood.
    assert_eq!(
        streams.len(),
        1 + 2 + 2 * parameters.digits(parameters.levels()) + 3 + 1
    );
}

fn streams(module: &Module) -> Vec<String> {
    let ops = module.funcs.iter().flat_map(|func| &func.ops);
    ops.filter_map(|op| match &op.kind {
        OpKind::Sample { stream, .. } => Some(stream.clone()),
        _ => None,
    })
    .collect()
}

#[test]
fn secrets_and_seeds_are_marked() {
    let parameters = small();
    let module = encrypt(&parameters, 2).unwrap();
    let secret = |name: &str| {
        module.funcs[module.entry.index()]
            .params
            .iter()
            .any(|p| p.name == name && p.secret)
    };
    assert!(secret("m") && secret("seed") && !secret("b") && !secret("a"));
}

#[test]
fn an_expanded_program_is_one_call_per_operation_with_its_line() {
    let parameters = small();
    let mut builder = ProgramBuilder::new(&parameters, "motion");
    let now = builder.input("now", parameters.fresh(1.0, 0.5)).unwrap();
    let before = builder.input("before", parameters.fresh(1.0, 0.5)).unwrap();
    builder.at(Loc {
        file: "camera.py".into(),
        line: 13,
    });
    let d = builder.sub(now, before).unwrap();
    builder.name(d, "d");
    builder.at(Loc {
        file: "camera.py".into(),
        line: 14,
    });
    let s = builder.mul(d, d).unwrap();
    let s = builder.rescale(s).unwrap();
    let s = builder.rotate(s, 1).unwrap();
    let s = builder.mul_constant(s, &[1.0, 0.5]).unwrap();
    let program = builder.finish(&[s]).unwrap();
    let expanded = expand(&program).unwrap();
    let names: Vec<&str> = expanded
        .calls
        .iter()
        .map(|call| call.function.as_str())
        .collect();
    let galois = 5;
    let automorphism = format!("ckks.automorphism.{galois}@4");
    let expected = [
        "ckks.sub@5",
        "ckks.square_relin@5",
        "ckks.rescale@5",
        &automorphism,
        "ckks.mul_plaintext@4",
    ];
    assert_eq!(names, expected);
    assert_eq!(expanded.calls[0].result, "d");
    let entry = &expanded.module.funcs[expanded.module.entry.index()];
    assert_eq!(entry.ops.len(), program.program().entry().ops.len());
    for (op, call) in entry.ops.iter().zip(&expanded.calls) {
        assert_eq!(op.loc, call.loc);
        assert!(matches!(op.kind, OpKind::Call { .. }));
    }
    let keys = BTreeSet::from([KeyId::Mult, KeyId::Galois(galois)]);
    assert_eq!(required_keys(program.program(), program.parameters()), keys);
    let inputs = expanded.inputs.iter().map(|input| match input {
        Input::Ciphertext { index, part } => format!("ct {index}.{part}"),
        Input::Key(key) => format!("{key:?}"),
        Input::Constant { place, .. } => format!("constant@{}", place.level),
        Input::Plain { argument, place } => format!("plain {argument}@{}", place.level),
    });
    let inputs: Vec<String> = inputs.collect();
    assert_eq!(
        inputs,
        [
            "ct 0.0",
            "ct 0.1",
            "ct 1.0",
            "ct 1.1",
            "Mult",
            "Galois(5)",
            "constant@4"
        ]
    );
}

#[test]
fn rotations_of_one_value_share_its_digits_bit_for_bit() {
    let client = Client::new(&small());
    let parameters = &client.parameters;
    let steps = [1, 3, -2];
    let program = |steps: &[i32]| {
        let mut builder = ProgramBuilder::new(parameters, "turns");
        let a = builder.input("a", client.fresh()).unwrap();
        let mut turned: Vec<_> = steps
            .iter()
            .map(|&k| builder.rotate(a, k).unwrap())
            .collect();
        if steps.len() > 1 {
            turned.push(builder.conjugate(a).unwrap());
        }
        builder.finish(&turned).unwrap()
    };
    let names = |program: &Analysed| -> Vec<String> {
        let calls = expand(program).unwrap().calls;
        calls.iter().map(|call| call.op.clone()).collect()
    };
    let expected = [
        "decompose a",
        "rotate a, 1",
        "rotate a, 3",
        "rotate a, -2",
        "conjugate a",
    ];
    assert_eq!(names(&program(&steps)), expected);
    assert_eq!(names(&program(&steps[..1])), ["rotate a, 1"]);

    let input = client.encrypt(&uniform(parameters.slots(), 1), 1);
    let keys = client.keys_for(&program(&steps));
    let evaluator = Evaluator::new(parameters, device());
    let run = |steps: &[i32]| {
        let prepared = evaluator.prepare(&program(steps)).unwrap();
        prepared.run(std::slice::from_ref(&input), &keys).unwrap()
    };
    for (shared, step) in run(&steps).iter().zip(steps) {
        let alone = run(&[step]);
        assert_eq!(shared.parts(), alone[0].parts(), "{step} steps");
    }
}

#[test]
fn equal_operations_share_one_function() {
    let parameters = small();
    let mut builder = ProgramBuilder::new(&parameters, "sums");
    let a = builder.input("a", parameters.fresh(1.0, 0.5)).unwrap();
    let sum = (0..3).try_fold(a, |sum, _| builder.add(sum, a)).unwrap();
    let program = builder.finish(&[sum]).unwrap();
    let expanded = expand(&program).unwrap();
    let adds = expanded
        .module
        .funcs
        .iter()
        .filter(|func| func.name == "ckks.add@5")
        .count();
    assert_eq!((adds, expanded.calls.len()), (1, 3));
}

#[test]
fn a_prepared_program_runs_many_times_and_returns_every_result() {
    let client = Client::new(&small());
    let mut builder = ProgramBuilder::new(&client.parameters, "two results");
    let a = builder.input("a", client.fresh()).unwrap();
    let doubled = builder.add(a, a).unwrap();
    let program = builder.finish(&[doubled, a]).unwrap();
    let prepared = Evaluator::new(&client.parameters, device())
        .prepare(&program)
        .unwrap();
    let keys = client.keys_for(&program);
    for stream in 1..3 {
        let values = uniform(client.parameters.slots(), stream.into());
        let input = client.encrypt(&values, stream);
        let results = prepared.run(std::slice::from_ref(&input), &keys).unwrap();
        assert_eq!(results.len(), 2);
        assert_eq!(results[1].parts(), input.parts());
        assert_ne!(results[0].parts(), input.parts());
    }
}

#[test]
fn every_preset_is_secure_and_names_its_source() {
    for name in Parameters::presets() {
        let parameters = Parameters::preset(name).unwrap();
        let security = parameters.security();
        assert!(security.bits() >= Some(128), "{name}");
        assert_eq!(security.gate().unwrap().excess, 0.0, "{name}");
        // The standard ends at N = 2^15.
        let table = match parameters.log_n() <= 15 {
            true => Table::Standard2018,
            false => Table::Guidelines2024,
        };
        assert_eq!(security.source(), table.source(), "{name}");
        let primes = parameters.primes();
        let distinct: BTreeSet<u64> = primes.iter().copied().collect();
        assert_eq!(distinct.len(), primes.len(), "{name}");
        assert!(
            primes.iter().all(|q| q % (2 * parameters.n() as u64) == 1),
            "{name}"
        );
        let bits = |primes: &[u64]| -> u32 { primes.iter().map(|q| q.ilog2() + 1).sum() };
        let digits = parameters.grouping().cut(parameters.q()).into_iter();
        let special = bits(parameters.p());
        assert!(
            special == 0 || digits.map(bits).all(|digit| digit <= special),
            "{name}: special primes are as long as a digit"
        );
    }
}

/// x * w + w, with the numbers w in the program, or given with the run.
fn weighted(client: &Client, weights: Option<&[f64]>) -> Analysed {
    let mut builder = ProgramBuilder::new(&client.parameters, "weighted");
    let x = builder.input("x", client.fresh()).unwrap();
    let (product, sum) = match weights {
        Some(values) => {
            let product = builder.mul_constant_rescale(x, values).unwrap();
            (product, builder.add_constant(product, values).unwrap())
        }
        None => {
            let w = builder.plain("w", 1.0, 0.75).unwrap();
            let product = builder.mul_plain(x, w).unwrap();
            let product = builder.rescale(product).unwrap();
            (product, builder.add_plain(product, w).unwrap())
        }
    };
    builder.finish(&[product, sum]).unwrap()
}

#[test]
fn plain_arguments_give_the_words_of_constants() {
    let client = Client::new(&small());
    let evaluator = Evaluator::new(&client.parameters, Arc::new(Interpreter));
    let open = weighted(&client, None);
    let keys = client.keys_for(&open);
    let prepared = evaluator.prepare(&open).unwrap();
    let input = client.encrypt(&[0.5, -0.25], 1);
    for weights in [[0.5, -0.75], [1.0, 0.125]] {
        let constants = evaluator
            .prepare(&weighted(&client, Some(&weights)))
            .unwrap();
        let expected = constants.run(std::slice::from_ref(&input), &keys).unwrap();
        // The second time the encodings are there.
        for _ in 0..2 {
            let bound = evaluator.bind(&prepared, &[weights.to_vec()]).unwrap();
            let found = bound.run(std::slice::from_ref(&input), &keys).unwrap();
            for (found, expected) in found.iter().zip(&expected) {
                let pairs = found.parts().iter().zip(expected.parts());
                for (found, expected) in pairs {
                    assert_eq!(found.words(), expected.words());
                }
                // What is predicted holds for every argument within the bounds.
                assert!(found.error_bound() >= expected.error_bound());
            }
        }
    }
    let text = ringwright_ir::text::print_he(open.program());
    assert!(text.contains("plain w (max 1.0, rms 0.75)"), "{text}");
    assert_eq!(
        ringwright_ir::text::parse_he(&text).unwrap(),
        *open.program()
    );
}

#[test]
fn plain_arguments_are_held_to_their_bounds() {
    let client = Client::new(&small());
    let evaluator = Evaluator::new(&client.parameters, Arc::new(Interpreter));
    let open = weighted(&client, None);
    let prepared = evaluator.prepare(&open).unwrap();
    let refused = |given: &[Vec<f64>]| evaluator.bind(&prepared, given).err().unwrap().to_string();
    assert!(refused(&[]).contains("0 "), "{}", refused(&[]));
    assert!(refused(&[vec![1.5, 0.0]]).contains("1.5"));
    assert!(refused(&[vec![1.0, 1.0]]).contains("root mean square 1"));
    assert!(refused(&[vec![0.5; 3]]).contains("length 3"));
    assert!(refused(&[vec![f64::NAN]]).contains("NaN"));
    let unbound = prepared.run(&[client.encrypt(&[0.5], 1)], &client.keys_for(&open));
    let unbound = unbound.unwrap_err().to_string();
    assert!(unbound.contains("plain arguments"), "{unbound}");
    let mut other = ProgramBuilder::new(&client.parameters, "other");
    let mut small = ProgramBuilder::new(&client.parameters, "small");
    let x = other.input("x", client.fresh()).unwrap();
    let foreign = small.plain("w", 1.0, 1.0).unwrap();
    assert!(other.add_plain(x, foreign).is_err());
    assert!(small.plain("w", 1.0, 2.0).is_err());
}

/// The scales differ in less than what the arguments' names show of them.
#[test]
fn a_constant_may_be_taken_at_two_scales_that_look_alike() {
    let client = Client::new(&small());
    let parameters = &client.parameters;
    let mut builder = ProgramBuilder::new(parameters, "twice");
    let x = builder.input("x", client.fresh()).unwrap();
    let weights = [0.5, 0.25];
    let products = [1.0, 1.000_001].map(|factor| {
        let scale = factor * (1u64 << 30) as f64;
        let product = builder.mul_constant_at_scale(x, &weights, scale);
        builder.rescale(product.unwrap()).unwrap()
    });
    let program = builder.finish(&products).unwrap();
    let values = uniform(parameters.slots(), 1);
    for result in client.run(&program, &[client.encrypt(&values, 1)]) {
        let expected = values.iter().zip(weights.iter().cycle());
        let expected: Vec<f64> = expected.map(|(value, weight)| value * weight).collect();
        assert!(max_error(&client.decrypt(&result), &expected) <= result.error_bound());
    }
}
