//! Bad input: a clear error that names what was given and what is allowed.

use crate::client::{device, literal, small, uniform, Client};
use ringwright_ring::RnsPoly;
use ringwright_schemes::ckks::Analysed;
use ringwright_schemes::ckks::Estimate;
use ringwright_schemes::ckks::{
    Ciphertext, Decryptor, Encryptor, Error, Evaluator, NoiseModel, Parameters, Plaintext,
    ProgramBuilder,
};
use ringwright_schemes::rlwe::{
    self, required_keys, EvaluationKeys, KeyGenerator, PublicKey, SwitchingKey,
};
use std::sync::Arc;

/// The error's text holds every part.
#[track_caller]
pub fn says<T>(result: Result<T, impl std::fmt::Display>, parts: &[&str]) {
    let text = match result {
        Ok(_) => panic!("accepted; expected {parts:?}"),
        Err(error) => error.to_string(),
    };
    for part in parts {
        assert!(text.contains(part), "{part:?} in {text:?}");
    }
}

pub fn other() -> Parameters {
    Parameters::new(literal(9, &[30; 4], &[30], 26)).unwrap()
}

#[test]
fn a_depth_the_set_cannot_carry_names_the_smallest_ring_that_can() {
    let parameters = Parameters::preset("8192-6x30").unwrap();
    for depth in 0..=5 {
        parameters.require_depth(depth).unwrap();
    }
    let refused = parameters.require_depth(6);
    says(
        refused.clone(),
        &[
            "carries multiplicative depth 5, not 6",
            "N that carries it is 16384",
        ],
    );
    says(refused, &["log2(QP) = 240", "16384-13x30"]);
    says(
        parameters.require_depth(56),
        &["not 56", "N that carries it is 65536"],
    );
    says(
        parameters.require_depth(1000),
        &["no N of the 128-bit table"],
    );
    // The advice holds: the degree carries it, the next smaller one does not.
    for depth in 1..50 {
        let fit = parameters.smallest_for_depth(depth).unwrap();
        let towers = vec![30; depth + 1];
        let mut found = literal(fit.log_n, &towers, &[30], 26);
        found.insecure = false;
        assert_eq!(Parameters::new(found.clone()).unwrap().depth(), depth);
        found.log_n -= 1;
        found.insecure = true;
        let smaller = Parameters::new(found).unwrap().security();
        assert!(smaller.verdicts().iter().any(|verdict| verdict.bits == 0));
    }
    let client_only = Parameters::preset("2048-30").unwrap();
    says(
        client_only.require_depth(1),
        &["depth 0, not 1", "4096", "4096-2x30"],
    );
}

#[test]
fn programs_that_are_too_deep() {
    let parameters = small();
    let mut builder = ProgramBuilder::new(&parameters, "deep");
    let mut power = builder.input("a", parameters.fresh(1.0, 0.5)).unwrap();
    for _ in 0..parameters.depth() {
        power = builder.mul_rescale(power, power).unwrap();
    }
    let allowed = [
        "carries multiplicative depth 4, not 5",
        "smallest N that carries it is 8192",
    ];
    says(builder.mul_rescale(power, power), &allowed);
    says(builder.mul(power, power), &allowed);
    says(builder.rescale(power), &allowed);
    says(builder.mul_constant(power, &[0.5]), &allowed);
}

/// The ring is not at fault where ciphertexts come with few levels.
#[test]
fn inputs_that_have_been_multiplied_before() {
    let parameters = small();
    let mut builder = ProgramBuilder::new(&parameters, "late");
    let ty = parameters.fresh_at(2, parameters.scale(), 1.0, 0.5);
    let a = builder.input("a", ty).unwrap();
    let square = builder.mul_rescale(a, a).unwrap();
    let words = ["level 2 of 5", "depth 1, not 2", "higher level"];
    says(builder.mul_rescale(square, square), &words);
    says(builder.require_levels(a, 3), &["depth 1, not 3"]);
}

#[test]
fn scales_that_differ_are_named_both() {
    let parameters = small();
    let mut builder = ProgramBuilder::new(&parameters, "scales");
    let a = builder.input("a", parameters.fresh(1.0, 0.5)).unwrap();
    let square = builder.mul(a, a).unwrap();
    builder.name(square, "square");
    says(
        builder.add(square, a),
        &[
            "2^52.000000000 (square)",
            "2^26.000000000 (a)",
            "match_scale",
        ],
    );
    says(builder.sub(a, square), &["sub", "2^26.000000000 (a)"]);
    says(builder.match_scale(a, square), &["match_scale", "level 5"]);
}

#[test]
fn messages_and_constants_that_do_not_fit() {
    let parameters = small();
    let client = Client::new(&parameters);
    let encode =
        |values: &[f64], scale: f64, level| client.embedding.encode_real(values, scale, level);
    let slots = parameters.slots();
    says(
        encode(&vec![0.0; slots + 1], 1.0, 1),
        &["257 values", "at most 256"],
    );
    says(encode(&[f64::NAN], 1.0, 1), &["value 0 is NaN"]);
    says(encode(&[0.0, f64::INFINITY], 1.0, 1), &["value 1 is inf"]);
    says(
        encode(&[1.0], 0.0, 1),
        &["scale 0e0 of a message", "1 or more"],
    );
    says(encode(&[1.0], 1.0, 6), &["level 6 is outside 1 to 5"]);
    says(encode(&[1.0], 1.0, 0), &["level 0 is outside 1 to 5"]);
    says(
        encode(&vec![16.0; slots], parameters.scale(), 1),
        &["31.0 bits", "level 1 has 30.0"],
    );
    let mut builder = ProgramBuilder::new(&parameters, "fit");
    says(
        builder.input("a", parameters.fresh_at(1, 2f64.powi(29), 8.0, 1.0)),
        &["input a", "33.0"],
    );
    let a = builder.input("a", parameters.fresh(1.0, 0.5)).unwrap();
    says(
        builder.add_constant(a, &[0.0; 3]),
        &["3 values", "divides the 256 slots"],
    );
    says(builder.add_constant(a, &[]), &["0 values"]);
    says(
        builder.mul_constant(a, &[f64::NAN]),
        &["constant value 0 is NaN"],
    );
    says(builder.bounded(a, 0.0), &["bounded by 0", "above 0"]);
    says(
        builder.input("a", parameters.fresh(1.0, 0.5)),
        &["two inputs are named \"a\""],
    );
    let huge = builder.add_constant(a, &[1e35]).unwrap();
    says(builder.mul(huge, huge), &["mul does not fit"]);
    says(
        builder.input("b", parameters.fresh(1.0, 0.5)),
        &["after the first operation"],
    );
}

#[test]
fn rescaling_into_the_noise() {
    let parameters = small();
    let mut builder = ProgramBuilder::new(&parameters, "lost");
    let a = builder.input("a", parameters.fresh(1.0, 0.5)).unwrap();
    says(builder.rescale(a), &["no precision", "mul_rescale"]);
}

#[test]
fn parts_that_an_operation_does_not_take() {
    let parameters = small();
    let mut builder = ProgramBuilder::new(&parameters, "parts");
    let a = builder.input("a", parameters.fresh(1.0, 0.5)).unwrap();
    let three = builder.mul_no_relin(a, a).unwrap();
    let two = builder.mul(a, a).unwrap();
    says(builder.mul(three, a), &["has 3 parts", "relinearise first"]);
    says(
        builder.rotate(three, 1),
        &["has 3 parts", "relinearise first"],
    );
    says(builder.relinearise(a), &["a has 2 parts", "3"]);
    says(builder.add(two, three), &["has 3 parts"]);
}

#[test]
fn sets_without_special_primes_evaluate_nothing_that_needs_a_key() {
    let parameters = Parameters::preset("4096-3x30").unwrap();
    let mut builder = ProgramBuilder::new(&parameters, "client");
    let a = builder.input("a", parameters.fresh(1.0, 0.5)).unwrap();
    says(
        builder.mul(a, a),
        &["mul needs an evaluation key", "4096-3x30", "8192-6x30"],
    );
    says(builder.rotate(a, 1), &["rotate needs an evaluation key"]);
}

/// A squaring program and a client to run it.
fn squaring(parameters: &Parameters) -> Analysed {
    let mut builder = ProgramBuilder::new(parameters, "square");
    let a = builder.input("a", parameters.fresh(1.0, 0.5)).unwrap();
    let square = builder.mul_rescale(a, a).unwrap();
    builder.finish(&[square]).unwrap()
}

#[test]
fn keys_and_ciphertexts_of_other_parameters() {
    let (here, there) = (Client::new(&small()), Client::new(&other()));
    let foreign = ["belongs to parameters test-512 (", "expected test-512 ("];
    let values = uniform(8, 1);
    let stranger = there.encrypt(&values, 1);
    let device = || device();
    let public = there.generator.public_key(&there.secret).unwrap();
    says(
        Encryptor::new(&here.parameters, public, device()).map(|_| ()),
        &foreign,
    );
    let secret = there.secret.clone();
    says(
        Decryptor::new(&here.parameters, secret, device()).map(|_| ()),
        &foreign,
    );
    says(here.decryptor.decrypt(&stranger), &foreign);
    says(here.encryptor.encrypt(&there.encode(&values)), &foreign);
    says(here.embedding.decode_real(&there.encode(&values)), &foreign);
    says(here.generator.public_key(&there.secret), &foreign);
    let program = squaring(&here.parameters);
    let wanted = required_keys(program.program(), program.parameters());
    says(
        here.generator.evaluation_keys(&there.secret, &wanted),
        &foreign,
    );
    let prepared = Evaluator::new(&here.parameters, device())
        .prepare(&program)
        .unwrap();
    let their_keys = there.keys_for(&squaring(&there.parameters));
    let own = here.encrypt(&values, 1);
    says(prepared.run(&[own], &their_keys), &foreign);
    says(
        prepared.run(&[stranger], &here.keys_for(&program)),
        &foreign,
    );
    let key = their_keys.mult().cloned();
    says(
        EvaluationKeys::new(&here.parameters, key, Default::default()),
        &foreign,
    );
}

#[test]
fn inputs_a_program_was_not_built_for() {
    let client = Client::new(&small());
    let program = squaring(&client.parameters);
    let keys = client.keys_for(&program);
    let prepared = Evaluator::new(&client.parameters, device())
        .prepare(&program)
        .unwrap();
    let good = client.encrypt(&uniform(8, 1), 1);
    let with = |change: &dyn Fn(&mut Estimate)| {
        let mut ty = good.ty();
        change(&mut ty);
        let ciphertext = Ciphertext::new(&client.parameters, good.parts().to_vec(), &ty).unwrap();
        assert!(!ciphertext.lineage().is_known());
        prepared.run(&[ciphertext], &keys)
    };
    says(
        prepared.run(&[], &keys),
        &["square takes 1 ciphertexts, 0 given"],
    );
    says(
        prepared.run(&[good.drop_level(3).unwrap()], &keys),
        &["input 0 (a)", "level 3", "for 5"],
    );
    says(
        with(&|ty| ty.scale *= 2.0),
        &["scale 2^27.000000", "for 2^26.000000"],
    );
    says(with(&|ty| ty.max = 4.0), &["values up to 4", "for 1"]);
    says(with(&|ty| ty.noise *= 2.0), &["noise"]);
    let none = EvaluationKeys::none(&client.parameters);
    says(
        prepared.run(&[good], &none),
        &["missing evaluation key (mult) for mul_relin a, a", "none"],
    );
}

#[test]
fn bounds_of_inputs_that_say_nothing() {
    let parameters = small();
    let refused = |change: &dyn Fn(&mut Estimate)| {
        let mut ty = parameters.fresh(1.0, 0.5);
        change(&mut ty);
        ProgramBuilder::new(&parameters, "bounds").input("a", ty)
    };
    let allowed = "0 <= rms <= max";
    says(refused(&|ty| ty.max = -1.0), &["max -1", allowed]);
    says(refused(&|ty| ty.max = f64::NAN), &["max NaN", allowed]);
    says(refused(&|ty| ty.rms = 2.0), &["rms 2", "input a", allowed]);
    says(refused(&|ty| ty.noise = -1.0), &["noise -1", allowed]);
    says(refused(&|ty| ty.noise = f64::INFINITY), &["noise inf"]);
    assert!(refused(&|_| ()).is_ok());
}

#[test]
fn words_that_are_not_of_the_parameters() {
    let client = Client::new(&small());
    let parameters = &client.parameters;
    let good = client.encrypt(&uniform(8, 1), 1);
    let damaged = |word: u64| {
        let mut poly = (*good.parts()[0]).clone();
        poly.words_mut()[0] = word;
        Arc::new(poly)
    };
    let q = parameters.q()[0];
    let limit = format!("below {q}");
    let parts = vec![damaged(q), good.parts()[1].clone()];
    says(
        Ciphertext::new(parameters, parts, &good.ty()),
        &["tower 0 not reduced", &limit],
    );
    let one = vec![good.parts()[0].clone()];
    says(Ciphertext::new(parameters, one, &good.ty()), &["1 parts"]);
    says(
        Plaintext::new(parameters, damaged(u64::MAX), 1.0, 1.0, 1.0),
        &["not reduced"],
    );
    let parts = || good.parts()[0].clone();
    assert!(PublicKey::new(parameters, parts(), parts()).is_ok());
    says(
        PublicKey::new(parameters, damaged(q), parts()),
        &["public key", "not reduced"],
    );
    says(
        SwitchingKey::new(parameters, Vec::new()),
        &["0 polynomials", "10, two per digit"],
    );
    let polys = vec![(*good.parts()[0]).clone(); 10];
    says(SwitchingKey::new(parameters, polys), &["5 towers", "6"]);
    says(good.drop_level(6), &["level 6", "1 to 5"]);
    let bound = Estimate {
        max: 9.0,
        ..good.ty()
    };
    let wide = Ciphertext::new(parameters, good.parts().to_vec(), &bound).unwrap();
    says(
        wide.drop_level(1),
        &["the message does not fit", "level 1 has 30.0"],
    );
    says(
        client.encode(&[0.9]).with_bounds(0.5, 0.5),
        &["max 0.5", "0.9"],
    );
}

#[test]
fn secrets_that_are_not_ternary() {
    let parameters = small();
    let generator = KeyGenerator::new(&parameters, device());
    says(
        generator.secret_from_ternary(&[0; 5]),
        &["5 coefficients", "512"],
    );
    says(
        generator.secret_from_ternary(&[2; 512]),
        &["out of range", "-1, 0 or 1"],
    );
}

#[test]
fn programs_are_held_to_the_parameters_they_run_under() {
    let (here, there) = (small(), other());
    let program = squaring(&here);
    let refused = Evaluator::new(&there, device())
        .prepare(&program)
        .map(|_| ());
    assert!(matches!(
        refused,
        Err(Error::Rlwe(rlwe::Error::ForeignParameters { .. }))
    ));
}

/// The error of encryption takes a message at the very end of the modulus around it.
#[test]
fn encryption_keeps_its_own_headroom() {
    let parameters = Parameters::preset("2048-30").unwrap();
    let client = Client::new(&parameters);
    let half = (parameters.q()[0] / 2) as f64;
    let encrypt = |edge: f64| {
        let values = vec![edge / parameters.scale(); parameters.slots()];
        let plaintext = client.encode(&values);
        client.encryptor.encrypt(&plaintext)
    };
    says(encrypt(-half), &["error of its encryption", "level 1"]);
    let room = 8.0 * NoiseModel::new(&parameters).encryption();
    for _ in 0..8 {
        let edge = -(half - room - 1.0);
        let encrypted = encrypt(edge).unwrap();
        let error = edge / parameters.scale() - client.decrypt(&encrypted)[0];
        assert!(error.abs() <= encrypted.error_bound(), "{error}");
    }
    // A decrypted message is measured where its encoding was not seen.
    let edge = encrypt(-(half - room - 1.0)).unwrap();
    let again = client.decryptor.decrypt(&edge).unwrap();
    let outcome = client.encryptor.encrypt(&again);
    assert!(outcome.is_ok() || matches!(outcome, Err(Error::Overflow { .. })));
}

#[test]
fn bounds_below_the_values_are_refused() {
    let client = Client::new(&small());
    let ones = client.encode(&vec![1.0; client.parameters.slots()]);
    says(
        ones.clone().with_bounds(1.0, 1e-6),
        &["rms 0.000001", "rms at least 1"],
    );
    says(ones.clone().with_bounds(0.5, 0.5), &["max at least 1"]);
    assert!(ones.with_bounds(1.0, 1.0).is_ok());
}

#[test]
fn what_is_not_encrypted_is_remarked() {
    let client = Client::new(&small());
    let fresh = client.encrypt(&[0.5], 1);
    let (n, towers) = (client.parameters.n(), fresh.level());
    let zero = RnsPoly::from_words(n, vec![0; n * towers]).unwrap();
    let parts = vec![fresh.parts()[0].clone(), Arc::new(zero)];
    says(
        Ciphertext::new(&client.parameters, parts, &fresh.ty()),
        &["the ciphertext is transparent"],
    );
    let mut builder = ProgramBuilder::new(&client.parameters, "gone");
    let ty = client.parameters.fresh(1.0, 1.0);
    let [a, b] = ["a", "b"].map(|name| builder.input(name, ty.clone()).unwrap());
    says(builder.sub(a, a), &["sub", "u - u"]);
    says(builder.mul_constant(a, &[0.0]), &["mul_constant", "u * 0"]);
    // Nothing shows that two inputs are one ciphertext until they are there.
    let difference = builder.sub(a, b).unwrap();
    let program = builder.finish(&[difference]).unwrap();
    let prepared = Evaluator::new(&client.parameters, device()).prepare(&program);
    let keys = EvaluationKeys::none(&client.parameters);
    let same = prepared.unwrap().run(&[fresh.clone(), fresh], &keys);
    says(
        same,
        &["gone", "errors of a and of b", "something in common"],
    );
}

#[test]
fn headers_that_cannot_be_are_refused() {
    let client = Client::new(&small());
    let fresh = client.encrypt(&[0.5], 1);
    let with = |change: &dyn Fn(&mut Estimate)| {
        let mut ty = fresh.ty();
        change(&mut ty);
        Ciphertext::new(&client.parameters, fresh.parts().to_vec(), &ty)
    };
    says(
        with(&|ty| ty.scale = 1e-300),
        &["scale 1e-300", "1 or more"],
    );
    says(with(&|ty| ty.scale = 1e300), &["does not fit"]);
    says(
        with(&|ty| ty.rms = 2.0),
        &["root mean square 2", "at most 1"],
    );
    says(with(&|ty| ty.noise = f64::NAN), &["magnitude or noise NaN"]);
}

/// Encoding that is done within encryption fails as it does alone, and gives what it promised.
#[test]
fn messages_that_are_encoded_late() {
    let (client, elsewhere) = (Client::new(&small()), Client::new(&other()));
    let (level, scale) = (client.parameters.levels(), client.parameters.scale());
    let encrypt = |level, values: &[f64]| {
        let encode = || client.embedding.encode_real(values, scale, level);
        client.encryptor.encrypt_encoded(level, encode)
    };
    let alone = client.embedding.encode_real(&[f64::NAN], scale, level);
    let reason = alone.err().map(|error| error.to_string());
    says(encrypt(level, &[f64::NAN]), &[&reason.unwrap()]);
    says(encrypt(level + 1, &[1.0]), &[&format!("{}", level + 1)]);
    let promised = |level, plaintext: Plaintext| {
        let encrypted = client.encryptor.encrypt_encoded(level, || Ok(plaintext));
        encrypted.map(|_| ())
    };
    assert!(promised(level - 1, client.encode(&[1.0])).is_err());
    says(promised(4, elsewhere.encode(&[1.0])), &["plaintext"]);
    let slots = client.decrypt(&encrypt(level, &[0.5]).unwrap());
    assert!((slots[0] - 0.5).abs() < 1e-3 && slots[1].abs() < 1e-3);
}
