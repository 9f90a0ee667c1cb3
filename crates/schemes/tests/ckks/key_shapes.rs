//! Keys for some levels, keys between two secrets, and keys that are too many.

use crate::client::{device, literal, small, uniform, Client};
use ringwright_ir::he::{KeyId, SecretId};
use ringwright_ir::ring::{Basis, Digits};
use ringwright_schemes::ckks::Analysed;
use ringwright_schemes::ckks::{Decryptor, Evaluator, Parameters, ProgramBuilder, Switcher};
use ringwright_schemes::rlwe::{
    required_keys, required_shapes, EvaluationKeys, KeyGenerator, KeyShape, SwitchingKey,
};
use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

/// Level at which the program rotates.
const LOW: u16 = 2;

/// Three rotations of one value, two of which share its digits, all at the low level.
fn low_rotations(parameters: &Parameters) -> Analysed {
    let mut builder = ProgramBuilder::new(parameters, "low");
    let x = builder.input("x", parameters.fresh(1.0, 1.0)).unwrap();
    let low = builder.drop_level(x, LOW).unwrap();
    let once = builder.rotate(low, 1).unwrap();
    let twice = builder.rotate(low, 2).unwrap();
    let both = builder.add(once, twice).unwrap();
    let moved = builder.rotate(both, 1).unwrap();
    builder.finish(&[moved]).unwrap()
}

fn evaluator(client: &Client) -> Evaluator {
    Evaluator::new(&client.parameters, device())
}

fn bytes(keys: &EvaluationKeys) -> u64 {
    let shapes = keys.shapes().into_values();
    shapes.map(|shape| shape.bytes(keys.ring())).sum()
}

#[test]
fn keys_limited_to_a_low_level_run_a_program_that_rotates_there() {
    let client = Client::new(&small());
    let program = low_rotations(&client.parameters);
    let shapes = required_shapes(program.program(), &client.parameters).unwrap();
    let limited = client.generator.evaluation_keys_of(&client.secret, &shapes);
    let limited = limited.unwrap();
    let wanted = required_keys(program.program(), &client.parameters);
    let full = client.generator.evaluation_keys(&client.secret, &wanted);
    let full = full.unwrap();
    // Two digits of five, three towers of six.
    assert_eq!(bytes(&limited) * 5 * 6, bytes(&full) * 2 * 3);

    let values = uniform(client.parameters.slots(), 1);
    let input = [client.encrypt(&values, 2)];
    let run = |keys: &EvaluationKeys| {
        let prepared = evaluator(&client).prepare_for(&program, &keys.shapes());
        prepared.unwrap().run(&input, keys).unwrap().remove(0)
    };
    let (small, large) = (run(&limited), run(&full));
    // A limited key is a part of the full one: the same words.
    assert_eq!(small.parts(), large.parts());
    let plaintext = client.decryptor.decrypt(&small).unwrap();
    let decoded = client.embedding.decode_real(&plaintext).unwrap();
    let slots = values.len();
    for (slot, got) in decoded.iter().enumerate() {
        let expected = values[(slot + 2) % slots] + values[(slot + 3) % slots];
        assert!((got - expected).abs() < small.error_bound(), "slot {slot}");
    }
}

#[test]
fn a_key_that_does_not_reach_is_refused_with_both_shapes() {
    let client = Client::new(&small());
    let program = low_rotations(&client.parameters);
    let too_low = |(id, _)| (id, KeyShape::limited(&client.parameters, 1).unwrap());
    let shapes = required_shapes(program.program(), &client.parameters).unwrap();
    let low: BTreeMap<KeyId, KeyShape> = shapes.into_iter().map(too_low).collect();
    let refused = evaluator(&client).prepare_for(&program, &low);
    let refused = refused.err().unwrap().to_string();
    for named in [
        "galois 5",
        "for low",
        "asked for levels 1 to 2",
        "given: levels 1 to 1",
    ] {
        assert!(refused.contains(named), "{refused}");
    }
    // Prepared for keys of every level, run with these.
    let prepared = evaluator(&client).prepare(&program).unwrap();
    let keys = client.generator.evaluation_keys_of(&client.secret, &low);
    let input = [client.encrypt(&[0.5], 3)];
    let refused = prepared
        .run(&input, &keys.unwrap())
        .unwrap_err()
        .to_string();
    for named in [
        "galois 5",
        "rotate",
        "asked for levels 1 to 5",
        "given: levels 1 to 1",
    ] {
        assert!(refused.contains(named), "{refused}");
    }
}

#[test]
fn a_key_of_other_digits_is_refused_by_programs_whose_noise_was_predicted_for_these() {
    let mut literal = literal(9, &[30; 5], &[30, 30], 26);
    literal.digit = 2;
    let client = Client::new(&Parameters::new(literal).unwrap());
    let program = low_rotations(&client.parameters);
    let [basis, special] = [Basis::range(0..LOW), Basis::range(5..6)];
    let narrow = KeyShape::new(&client.parameters, basis, Digits::Of(1), special).unwrap();
    let shapes = required_keys(program.program(), &client.parameters).into_iter();
    let shapes = shapes.map(|id| (id, narrow.clone())).collect();
    let refused = evaluator(&client).prepare_for(&program, &shapes).err();
    let refused = refused.unwrap().to_string();
    for named in [
        "digits of 2, special primes [q5..q6]",
        "digits of 1, special primes [q5]",
    ] {
        assert!(refused.contains(named), "{refused}");
    }
}

#[test]
fn shapes_that_are_none_are_refused_by_what_is_allowed() {
    let parameters = small();
    let refused = |basis, digit, special, named: &str| {
        let error = KeyShape::new(&parameters, basis, Digits::Of(digit), special).unwrap_err();
        assert!(error.to_string().contains(named), "{error}");
    };
    let special = || Basis::range(5..6);
    refused(Basis::range(1..3), 1, special(), "the first of 5");
    refused(Basis::range(0..6), 1, special(), "the first of 5");
    refused(Basis::range(0..0), 1, special(), "the first of 5");
    refused(Basis::range(0..2), 0, special(), "1 to 5");
    refused(Basis::range(0..2), 2, special(), "at least 60");
    refused(Basis::range(0..2), 1, Basis::range(1..2), "[q2..q5]");
    refused(Basis::range(0..2), 1, Basis::range(0..0), "[q2..q5]");
    assert!(KeyShape::limited(&parameters, 6).is_err());
    let client_only = Parameters::preset("1024-27").unwrap();
    let error = KeyShape::full(&client_only).unwrap_err().to_string();
    assert!(error.contains("no special prime"), "{error}");
    let full = KeyShape::full(&parameters).unwrap();
    let error = SwitchingKey::of_shape(&parameters, full, Vec::new()).unwrap_err();
    assert!(error.to_string().contains("10, two per digit"), "{error}");
}

/// A product at a low level, with a key for it and with one for every level.
#[test]
fn a_key_for_products_borrows_the_primes_above_its_levels() {
    let mut literal = literal(9, &[30; 12], &[30, 30], 26);
    literal.digit = 2;
    let client = Client::new(&Parameters::new(literal).unwrap());
    let parameters = &client.parameters;
    let of = |level| KeyShape::of(parameters, KeyId::Mult, level).unwrap();
    assert_eq!(of(12), KeyShape::full(parameters).unwrap());
    // Three special primes, the first of which is a ciphertext prime that nobody has at level 6.
    let [basis, special] = [Basis::range(0..6), Basis::range(11..14)];
    let two = Digits::At(1 << 3);
    assert_eq!(
        of(6),
        KeyShape::new(parameters, basis, two, special).unwrap()
    );
    // Automorphisms share digits with others, and digits of one prime stay so.
    let rotation = KeyShape::of(parameters, KeyId::Galois(5), 6).unwrap();
    assert_eq!(rotation, KeyShape::limited(parameters, 6).unwrap());
    let single = small();
    let product = KeyShape::of(&single, KeyId::Mult, 2).unwrap();
    assert_eq!(product, KeyShape::limited(&single, 2).unwrap());

    let mut builder = ProgramBuilder::new(parameters, "square");
    let x = builder.input("x", parameters.fresh(1.0, 1.0)).unwrap();
    let x = builder.drop_level(x, 6).unwrap();
    let square = builder.mul(x, x).unwrap();
    let program = builder.finish(&[square]).unwrap();
    let values = uniform(parameters.slots(), 1);
    let input = [client.encrypt(&values, 12)];
    for level in [6, 7, 12] {
        let wanted = BTreeMap::from([(KeyId::Mult, of(level))]);
        let keys = client.generator.evaluation_keys_of(&client.secret, &wanted);
        let keys = keys.unwrap();
        let prepared = evaluator(&client).prepare_for(&program, &keys.shapes());
        let square = prepared.unwrap().run(&input, &keys).unwrap().remove(0);
        let plaintext = client.decryptor.decrypt(&square).unwrap();
        let decoded = client.embedding.decode_real(&plaintext).unwrap();
        for (got, x) in decoded.iter().zip(&values) {
            assert!((got - x * x).abs() < square.error_bound(), "level {level}");
        }
    }
}

/// From one secret to another, at every level that the key reaches, by a key of a narrower shape.
#[test]
fn a_ciphertext_goes_from_one_secret_to_another() {
    let mut literal = literal(9, &[30; 5], &[30, 30], 26);
    literal.digit = 2;
    let parameters = Parameters::new(literal).unwrap();
    let [alice, bob] = [[1; 32], [2; 32]].map(|seed| Client::of_seed(&parameters, seed));
    let secrets = (SecretId(0), SecretId(1));
    let shapes = [
        KeyShape::full(&parameters).unwrap(),
        KeyShape::limited(&parameters, 3).unwrap(),
        KeyShape::new(
            &parameters,
            Basis::range(0..3),
            Digits::Of(1),
            Basis::range(5..6),
        )
        .unwrap(),
    ];
    let values = uniform(parameters.slots(), 4);
    let ciphertext = alice.encrypt(&values, 5);
    for shape in shapes {
        let between = |from: &Client, to: &Client| {
            let key = from
                .generator
                .switching_key_between(&from.secret, &to.secret, &shape);
            key.unwrap()
        };
        let key = between(&alice, &bob);
        assert_ne!(key.polys(), between(&bob, &alice).polys());
        let switcher =
            Switcher::new(&parameters, secrets, key, bob.secret.identity(), device()).unwrap();
        for level in 1..=shape.level() {
            let switched = switcher
                .switch(&ciphertext.drop_level(level).unwrap())
                .unwrap();
            assert_eq!(switched.identity(), bob.secret.identity());
            let plaintext = bob.decryptor.decrypt(&switched).unwrap();
            let decoded = bob.embedding.decode_real(&plaintext).unwrap();
            let off = decoded
                .iter()
                .zip(&values)
                .map(|(got, sent)| (got - sent).abs());
            let off = off.fold(0.0, f64::max);
            assert!(
                off < switched.error_bound(),
                "{shape}, level {level}: {off}"
            );
            // Whom it no longer belongs to reads nothing.
            assert!(alice.decryptor.decrypt(&switched).is_err());
        }
        let above = ciphertext.drop_level(shape.level() + 1);
        if let Ok(above) = above {
            let refused = switcher.switch(&above).unwrap_err().to_string();
            for named in [
                "switch s0 to s1",
                "asked for level 4",
                "given: levels 1 to 3",
            ] {
                assert!(refused.contains(named), "{refused}");
            }
        }
    }
}

#[test]
fn a_key_between_two_secrets_takes_both() {
    let client = Client::new(&small());
    let id = KeyId::Switch {
        from: SecretId(3),
        to: SecretId(0),
    };
    let wanted = BTreeSet::from([id]);
    let refused = client.generator.evaluation_keys(&client.secret, &wanted);
    let refused = refused.unwrap_err().to_string();
    assert!(refused.contains("switch s3 to s0"), "{refused}");
    let full = KeyShape::full(&client.parameters).unwrap();
    let key = client
        .generator
        .switching_key_between(&client.secret, &client.secret, &full);
    let keys = EvaluationKeys::none(&client.parameters);
    let keys = keys
        .with_switch(SecretId(3), SecretId(0), key.unwrap())
        .unwrap();
    assert_eq!(keys.ids(), wanted);
    assert!(keys.get(id).is_ok());
    let other = Decryptor::new(&client.parameters, Arc::clone(&client.secret), device());
    assert!(other.is_ok());
}

/// Every rotation that there is: refused before the first is drawn.
#[test]
#[cfg(target_os = "linux")]
fn keys_larger_than_the_memory_are_refused_with_both_numbers() {
    let parameters = Parameters::preset("16384-13x30").unwrap();
    let generator = KeyGenerator::new(&parameters, device());
    let secret = generator
        .secret_from_ternary(&vec![1; parameters.n()])
        .unwrap();
    let every = (0..parameters.n() as u64).map(|index| KeyId::Galois(2 * index + 1));
    let every: BTreeSet<KeyId> = every.collect();
    let one = KeyShape::full(&parameters).unwrap().bytes(&parameters);
    let refused = generator
        .evaluation_keys(&secret, &every)
        .unwrap_err()
        .to_string();
    let needed = format!("take {} bytes", one * every.len() as u64);
    for named in [
        needed.as_str(),
        "bytes of memory are free",
        "16384 evaluation keys",
    ] {
        assert!(refused.contains(named), "{refused}");
    }
}
