//! Programs that call others: the same bits, and the same knowledge, as with the called program's
//! operations in place of the call.

use crate::client::{device, literal, max_error, small, uniform, Client, UNIFORM_RMS};
use ringwright_ir::he::{HeOpKind, KeyId, Program};
use ringwright_ir::ring::ValueId;
use ringwright_ir::text::{parse_he, print_he};
use ringwright_schemes::ckks::{
    analyse, explain, Analysed, Ciphertext, Error, Estimate, Evaluator, Expected, Parameters,
    ProgramBuilder,
};
use ringwright_schemes::rlwe::{required_keys, required_shapes};

/// Two results of two values: a weighted product that was rotated several times, and a scaled sum.
fn mixed(builder: &mut ProgramBuilder, x: ValueId, y: ValueId) -> [ValueId; 2] {
    let product = builder.mul_rescale(x, y).unwrap();
    let product = builder.gain_of_slots(product, x, 1.0).unwrap();
    let [one, two] = [1, 2].map(|steps| builder.rotate(product, steps).unwrap());
    let turned = builder.add(one, two).unwrap();
    let weighted = builder.mul_constant_rescale(turned, &[0.5, 0.25]).unwrap();
    let weighted = builder.name(weighted, "weighted");
    let shifted = builder.add_constant(weighted, &[0.125]).unwrap();
    let sum = builder.add(x, y).unwrap();
    let sum = builder.mul_constant_rescale(sum, &[0.25, 0.5]).unwrap();
    [shifted, sum]
}

/// An input with 16 times the noise of a fresh encryption, which may have errors in common with others.
fn any(builder: &mut ProgramBuilder, name: &str) -> ValueId {
    let fresh = builder.parameters().fresh(1.0, 1.0);
    noisy(builder, name, fresh)
}

fn noisy(builder: &mut ProgramBuilder, name: &str, fresh: Estimate) -> ValueId {
    let noisy = Estimate {
        noise: 16.0 * fresh.noise,
        peak: 16.0 * fresh.peak,
        ..fresh
    };
    builder.input_of_group(name, noisy, Some(0)).unwrap()
}

fn callee(parameters: &Parameters) -> Analysed {
    let mut builder = ProgramBuilder::new(parameters, "mixed");
    let [x, y] = ["x", "y"].map(|name| any(&mut builder, name));
    let results = mixed(&mut builder, x, y);
    builder.finish(&results).unwrap()
}

/// A callee that calls: what `mixed` makes of a value and its neighbours.
fn nested(parameters: &Parameters, call: bool) -> Analysed {
    let mixed = how(parameters, call);
    let mut builder = ProgramBuilder::new(parameters, "neighbours");
    let x = any(&mut builder, "x");
    let results = neighbours(&mut builder, x, &mixed);
    builder.finish(&results).unwrap()
}

/// What stands for `mixed` in a program: a call of it, or its operations.
type Mixed = Box<dyn Fn(&mut ProgramBuilder, ValueId, ValueId) -> [ValueId; 2]>;

fn how(parameters: &Parameters, call: bool) -> Mixed {
    let callee = callee(parameters);
    match call {
        true => Box::new(move |builder, x, y| {
            let called = builder.call(&callee, &[x, y]).unwrap();
            called.try_into().unwrap()
        }),
        false => Box::new(mixed),
    }
}

fn neighbours(builder: &mut ProgramBuilder, x: ValueId, mixed: &Mixed) -> [ValueId; 2] {
    let next = builder.rotate(x, 1).unwrap();
    mixed(builder, x, next)
}

/// The same program with calls, calls in calls among them, and without.
fn program(parameters: &Parameters, calls: bool) -> Analysed {
    let mixed = how(parameters, calls);
    let inner = nested(parameters, calls);
    let mut builder = ProgramBuilder::new(parameters, "main");
    let [a, b] = ["a", "b"].map(|name| {
        builder
            .input(name, parameters.fresh(1.0, UNIFORM_RMS))
            .unwrap()
    });
    let [first, _] = mixed(&mut builder, a, b);
    let [second, kept] = match calls {
        true => builder.call(&inner, &[a]).unwrap().try_into().unwrap(),
        false => neighbours(&mut builder, a, &mixed),
    };
    // Both have errors of `a`, and other noise than a fresh encryption.
    let sum = builder.sub(first, second).unwrap();
    let [third, _] = mixed(&mut builder, b, a);
    let sum = builder.add(sum, third).unwrap();
    builder.finish(&[sum, kept]).unwrap()
}

fn inputs(client: &Client) -> [Ciphertext; 2] {
    [1, 2].map(|stream| client.encrypt(&uniform(client.parameters.slots(), stream), stream as u8))
}

#[test]
fn calls_are_what_stands_in_their_place() {
    let parameters = small();
    let [calls, inline] = [true, false].map(|calls| program(&parameters, calls));
    assert_eq!(calls.program().functions.len(), 3);
    assert_eq!(calls.errors(), inline.errors());
    assert!(calls.results().eq(inline.results()));
    let of = |analysed: &Analysed| required_keys(analysed.program(), &parameters);
    assert_eq!(of(&calls), of(&inline));
    let of = |analysed: &Analysed| required_shapes(analysed.program(), &parameters).unwrap();
    assert_eq!(of(&calls), of(&inline));

    let client = Client::new(&parameters);
    let inputs = inputs(&client);
    let [a, b] = [calls, inline].map(|analysed| client.run(&analysed, &inputs));
    for (a, b) in a.iter().zip(&b) {
        assert_eq!(a.parts(), b.parts());
        assert_eq!(a.ty(), b.ty());
    }
}

#[test]
fn what_is_read_is_known_as_well() {
    let parameters = small();
    let built = program(&parameters, true);
    let read = parse_he(&print_he(built.program())).unwrap();
    assert_eq!(&read, built.program());
    let groups = built.errors().inputs.iter().copied();
    let known: Vec<_> = built.inputs().iter().cloned().zip(groups).collect();
    assert_eq!(analyse(read, &parameters, &known).unwrap(), built);
}

#[test]
fn a_function_is_expanded_once_for_the_scales_it_is_called_with() {
    let parameters = Parameters::new(literal(5, &[40; 4], &[40], 30)).unwrap();
    let weighted = {
        let mut builder = ProgramBuilder::new(&parameters, "weighted");
        let low = parameters.fresh_at(3, 2f64.powi(30), 1.0, 1.0);
        let x = noisy(&mut builder, "x", low);
        let y = builder.add_constant(x, &[0.5, 0.25]).unwrap();
        builder.finish(&[y]).unwrap()
    };
    let mut builder = ProgramBuilder::new(&parameters, "main");
    let x = builder
        .input("x", parameters.fresh(1.0, UNIFORM_RMS))
        .unwrap();
    let mut at_two_scales = Vec::new();
    for scale in [1u64 << 30, 1 << 31] {
        let y = builder.mul_rescale_to(x, x, scale as f64).unwrap();
        for _ in 0..2 {
            at_two_scales.extend(builder.call(&weighted, &[y]).unwrap());
        }
    }
    let analysed = builder.finish(&at_two_scales).unwrap();
    let client = Client::new(&parameters);
    let evaluator = Evaluator::new(&parameters, device());
    let prepared = evaluator.prepare(&analysed).unwrap();
    let functions = prepared.module().funcs.iter();
    let names: Vec<&str> = functions.map(|f| f.name.as_str()).collect();
    let of = |name: &str| names.iter().filter(|n| n.starts_with(name)).count();
    assert_eq!(of("weighted"), 2, "{names:?}");
    let sites: Vec<&str> = prepared.calls().iter().map(|site| site.kind).collect();
    assert_eq!(sites.iter().filter(|&&kind| kind == "call").count(), 4);

    let values = uniform(parameters.slots(), 3);
    let keys = client.keys_for(&analysed);
    let results = prepared.run(&[client.encrypt(&values, 3)], &keys).unwrap();
    for (result, scale) in results.iter().zip([30, 30, 31, 31]) {
        assert!((result.scale().log2() - f64::from(scale)).abs() < 0.01);
        let got = client.decrypt(result);
        let pairs = values.iter().zip([0.5, 0.25].into_iter().cycle());
        let expected: Vec<f64> = pairs.map(|(x, c)| x * x + c).collect();
        assert!(max_error(&got, &expected) < 1e-4);
    }
}

#[test]
fn the_table_has_every_function_once() {
    let table = explain(&program(&small(), true));
    let called: Vec<_> = table
        .functions
        .iter()
        .map(|f| (f.name.as_str(), f.calls))
        .collect();
    assert_eq!(called, [("mixed", 3), ("neighbours", 1)]);
    let call = table
        .rows
        .iter()
        .find(|row| row.op == "mixed(a, b)")
        .unwrap();
    // The relinearisation and two rotations.
    assert_eq!(call.keys.len(), 3);
    assert!(call.keys.contains(&KeyId::Mult));
    let weighted = table.functions[0]
        .rows
        .iter()
        .any(|row| row.value == "weighted");
    assert!(weighted);
    let text = table.to_string();
    assert!(text.contains("he mixed, the first of 3 calls"), "{text}");
}

#[test]
fn a_record_of_expectations_is_of_what_is_computed() {
    let parameters = small();
    let digest = |analysed: &Analysed| Expected::digest_of(analysed);
    let [calls, again] = [true, true].map(|calls| program(&parameters, calls));
    assert_eq!(digest(&calls), digest(&again));
    let mut renamed: Program = calls.program().clone();
    renamed.functions[0].name = "otherwise".to_string();
    let known: Vec<_> = calls.inputs().iter().map(|e| (e.clone(), None)).collect();
    let renamed = analyse(renamed, &parameters, &known).unwrap();
    assert_eq!(digest(&calls), digest(&renamed));
    let mut other = calls.program().clone();
    for op in &mut other.functions[0].ops {
        if op.kind == (HeOpKind::Rotate { steps: 2 }) {
            op.kind = HeOpKind::Rotate { steps: 3 };
        }
    }
    let other = analyse(other, &parameters, &known).unwrap();
    assert_ne!(digest(&calls), digest(&other));
}

#[test]
fn keys_of_a_function_are_asked_for_by_its_operation() {
    let parameters = small();
    let analysed = program(&parameters, true);
    let client = Client::new(&parameters);
    let mult = [KeyId::Mult].into_iter().collect();
    let keys = client
        .generator
        .evaluation_keys(&client.secret, &mult)
        .unwrap();
    let evaluator = Evaluator::new(&parameters, device());
    let prepared = evaluator.prepare(&analysed).unwrap();
    let refused = prepared.run(&inputs(&client), &keys).unwrap_err();
    assert!(
        refused.to_string().contains("for rotate %4, 1"),
        "{refused}"
    );
}

#[test]
fn what_does_not_fit_a_call_is_refused_and_leaves_nothing() {
    let parameters = small();
    let callee = callee(&parameters);
    let mut builder = ProgramBuilder::new(&parameters, "main");
    let fresh = |max| parameters.fresh(max, max);
    let x = builder.input("x", fresh(1.0)).unwrap();
    let large = builder.input("large", fresh(1.5)).unwrap();
    let low = parameters.fresh_at(4, parameters.scale(), 1.0, 1.0);
    let low = builder.input("low", low).unwrap();
    let three = builder.mul_no_relin(x, x).unwrap();
    let mut refused = |args: &[ValueId]| builder.call(&callee, args).unwrap_err().to_string();
    assert_eq!(refused(&[x]), "mixed takes 2 ciphertexts, 1 given");
    for (args, what) in [
        ([x, large], "values up to"),
        ([low, x], "level"),
        ([x, three], "parts"),
    ] {
        let message = refused(&args);
        assert!(
            message.contains(what) && message.contains("mixed"),
            "{message}"
        );
    }

    // What the callee claims was found for less noise, and for values that have nothing in common.
    let fresh_callee = {
        let mut builder = ProgramBuilder::new(&parameters, "fresh");
        let [a, b] = ["a", "b"].map(|name| {
            let low = parameters.fresh_at(4, parameters.scale(), 1.0, 1.0);
            builder.input(name, low).unwrap()
        });
        let product = builder.mul(a, b).unwrap();
        builder.finish(&[product]).unwrap()
    };
    let rotated = builder.rotate(x, 1).unwrap();
    for (args, what) in [([rotated, low], "noise"), ([x, x], "errors")] {
        let message = builder.call(&fresh_callee, &args).unwrap_err().to_string();
        assert!(message.contains(what), "{what}: {message}");
    }

    // The operands of a sum come at scales that differ.
    let adder = {
        let mut builder = ProgramBuilder::new(&parameters, "adder");
        let [x, y] = ["x", "y"].map(|name| any(&mut builder, name));
        let sum = builder.add(x, y).unwrap();
        builder.finish(&[sum]).unwrap()
    };
    let scaled = builder.mul_constant_at_scale(x, &[0.5], 4.0).unwrap();
    match builder.call(&adder, &[x, scaled]).unwrap_err() {
        Error::Call { function, error } => {
            assert_eq!(function, "adder");
            assert!(matches!(*error, Error::ScaleMismatch { .. }), "{error}");
        }
        other => panic!("{other}"),
    }

    let with_plain = {
        let mut builder = ProgramBuilder::new(&parameters, "with_plain");
        let x = builder.input("x", fresh(1.0)).unwrap();
        let weights = builder.plain("weights", 1.0, 1.0).unwrap();
        let y = builder.add_plain(x, weights).unwrap();
        builder.finish(&[y]).unwrap()
    };
    let message = builder.call(&with_plain, &[x]).unwrap_err().to_string();
    assert!(message.contains("plain arguments"), "{message}");
    let other = Parameters::new(literal(9, &[30; 4], &[30], 26)).unwrap();
    let message = builder.call(&self::callee(&other), &[x, x]).unwrap_err();
    assert!(message.to_string().contains("mixed"), "{message}");

    let double = builder.add(x, x).unwrap();
    let analysed = builder.finish(&[double]).unwrap();
    assert_eq!(analysed.program().functions.len(), 1);
}
