//! Raising: the message comes back with small multiples of the first prime, under more towers.

use crate::client::{literal, uniform, Client};
use ringwright_arith::crt::Crt;
use ringwright_ir::he::{KeyId, SecretId};
use ringwright_ir::text::{parse_he, print_he};
use ringwright_schemes::ckks::{analyse, Analysed, Parameters, ProgramBuilder};
use ringwright_schemes::rlwe::{required_shapes, KeyShape};

const WEIGHT: u16 = 32;

fn parameters() -> Parameters {
    Parameters::new(literal(9, &[30; 5], &[30], 20)).unwrap()
}

fn raised(parameters: &Parameters, weight: u16) -> Analysed {
    let mut builder = ProgramBuilder::new(parameters, "raised");
    let x = builder.input("x", parameters.fresh(1.0, 1.0)).unwrap();
    let top = builder.raise(x, weight, parameters.levels() as u16);
    builder.finish(&[x, top.unwrap()]).unwrap()
}

/// Integers of a decrypted polynomial, under all its towers.
fn integers(client: &Client, ciphertext: &ringwright_schemes::ckks::Ciphertext) -> Vec<f64> {
    let plaintext = client.decryptor.decrypt(ciphertext).unwrap();
    let poly = plaintext.poly();
    let crt = Crt::new(&client.parameters.q()[..plaintext.level()]).unwrap();
    let residues = |at: usize| -> Vec<u64> {
        let towers = 0..plaintext.level();
        towers.map(|tower| poly.tower(tower)[at]).collect()
    };
    let all = 0..client.parameters.n();
    all.map(|at| crt.centred_f64(&residues(at))).collect()
}

#[test]
fn a_raised_message_has_small_multiples_of_the_first_prime() {
    let parameters = parameters();
    let client = Client::new(&parameters);
    let values = uniform(parameters.slots(), 3);
    let program = raised(&parameters, WEIGHT);
    let sent = client.encrypt(&values, 5);
    let [low, high]: [_; 2] = client.run(&program, &[sent]).try_into().unwrap();
    assert_eq!(high.level(), parameters.levels());
    let first = parameters.q()[0] as f64;
    let [message, with_multiples] = [low, high.clone()].map(|of| integers(&client, &of));
    let mut squares = 0.0;
    for (message, found) in message.iter().zip(&with_multiples) {
        let multiple = ((found - message) / first).round();
        squares += multiple * multiple;
        assert!(multiple.abs() <= f64::from(WEIGHT + 1) / 2.0, "{multiple}");
        let off = found - multiple * first - message;
        // What the two switches add, far below the scale of 2^20.
        assert!(off.abs() < 6.0 * 2f64.powi(7), "{off}");
    }
    // A sum of numbers uniform over [-1/2, 1/2], rounded.
    let expected = f64::from(WEIGHT + 1) / 12.0;
    let variance = squares / with_multiples.len() as f64;
    assert!(
        (variance / expected - 1.0).abs() < 0.3,
        "{variance}, {expected}"
    );
    // What is known of the message holds.
    let (re, im) = {
        let plaintext = client.decryptor.decrypt(&high).unwrap();
        client.embedding.decode_complex(&plaintext).unwrap()
    };
    let slots = || re.iter().zip(&im).map(|(re, im)| re.hypot(*im));
    let known = program.results().nth(1).unwrap();
    let largest = slots().fold(0.0, f64::max);
    assert!(
        largest < known.max && known.max < 8.0 * largest,
        "{largest}, {}",
        known.max
    );
    let rms = (slots().map(|slot| slot * slot).sum::<f64>() / slots().count() as f64).sqrt();
    assert!(
        (0.5..2.0).contains(&(rms / known.rms)),
        "{rms}, {}",
        known.rms
    );
}

/// The key to the sparse secret is under two primes, whatever levels there are.
#[test]
fn keys_are_as_narrow_as_they_may_be() {
    let parameters = parameters();
    let program = raised(&parameters, WEIGHT);
    let shapes = required_shapes(program.program(), &parameters).unwrap();
    let (main, sparse) = (SecretId::MAIN, SecretId::sparse(WEIGHT).unwrap());
    let key = |from, to| &shapes[&KeyId::Switch { from, to }];
    let there = key(main, sparse);
    assert_eq!((there.level(), there.towers().len()), (1, 2));
    assert_eq!(*key(sparse, main), KeyShape::full(&parameters).unwrap());
    let client = Client::new(&parameters);
    let keys = client.keys_for(&program);
    let again = client.keys_for(&program);
    for id in keys.ids() {
        assert_eq!(
            keys.get(id).unwrap().polys(),
            again.get(id).unwrap().polys()
        );
    }
    let wide = [(
        KeyId::Switch {
            from: main,
            to: sparse,
        },
        KeyShape::full(&parameters).unwrap(),
    )];
    let refused = client
        .generator
        .evaluation_keys_of(&client.secret, &wide.into());
    let refused = refused.unwrap_err().to_string();
    assert!(refused.contains("switch s0 to h32"), "{refused}");
}

#[test]
fn weights_beyond_the_table_are_refused() {
    let mut secure = literal(13, &[30; 5], &[30], 20);
    secure.insecure = false;
    let secure = Parameters::new(secure).unwrap();
    let mut builder = ProgramBuilder::new(&secure, "raised");
    let x = builder.input("x", secure.fresh(1.0, 1.0)).unwrap();
    let refused = builder.raise(x, WEIGHT, 5).unwrap_err().to_string();
    for named in ["encapsulated secret of Hamming weight 32", "N = 8192"] {
        assert!(refused.contains(named), "{refused}");
    }
    // Whoever holds the secret asks the table too: the program may be a stranger's.
    let client = Client::new(&secure);
    let sparse = SecretId::sparse(WEIGHT).unwrap();
    for (from, to) in [(SecretId::MAIN, sparse), (sparse, SecretId::MAIN)] {
        let wanted = [KeyId::Switch { from, to }].into();
        let refused = client.generator.evaluation_keys(&client.secret, &wanted);
        let refused = refused.unwrap_err().to_string();
        assert!(refused.contains("Hamming weight 32"), "{refused}");
    }
    for (weight, level) in [(0, 5), (1 << 15, 5), (WEIGHT, 1), (WEIGHT, 6)] {
        let refused = builder.raise(x, weight, level).unwrap_err().to_string();
        assert!(refused.contains("allowed: "), "{refused}");
    }
}

/// A program that was read is analysed as the builder's was.
#[test]
fn a_raising_program_reads_as_it_prints() {
    let parameters = parameters();
    let built = raised(&parameters, WEIGHT);
    let text = print_he(built.program());
    assert!(text.contains("under h32"), "{text}");
    let inputs = [(parameters.fresh(1.0, 1.0), None)];
    let read = analyse(parse_he(&text).unwrap(), &parameters, &inputs).unwrap();
    assert_eq!(read, built);
    // Two towers do not go to a sparse secret.
    let wide = text.replacen("drop_level x, 1 -> ct@1", "drop_level x, 2 -> ct@2", 1);
    let wide = wide.replacen("-> ct@1 under", "-> ct@2 under", 1);
    let wide = wide
        .lines()
        .filter(|line| !line.contains("= raise") && !line.contains("h32, s0"));
    let wide = wide.collect::<Vec<_>>().join("\n");
    let wide = wide
        .replace("return x, %4", "return x")
        .replace(") -> ct@5, ct@5", ") -> ct@5");
    let refused = analyse(parse_he(&wide).unwrap(), &parameters, &inputs).unwrap_err();
    assert!(
        refused.to_string().contains("asked for level 2"),
        "{refused}"
    );
}
