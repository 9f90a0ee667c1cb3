//! Results that leave the key holder: how much noise hides the error, how often, and what a lying
//! server gets.

use crate::client::{literal, rms_error, uniform, Client};
use ringwright_arith::Modulus;
use ringwright_ring::RnsPoly;
use ringwright_schemes::ckks::Analysed;
use ringwright_schemes::ckks::{
    Ciphertext, Error, Expected, ExpectedParts, Flooding, Parameters, Plaintext, ProgramBuilder,
    Shared, Sharing,
};
use ringwright_schemes::rlwe;
use ringwright_schemes::Insecure;
use std::sync::Arc;

/// A set with room: the scale is far above the flood.
fn roomy() -> Client {
    Client::new(&Parameters::new(literal(9, &[55, 55], &[], 50)).unwrap())
}

/// Encrypts at a scale; `stream` makes values and seed.
fn encrypted(client: &Client, log_scale: i32, stream: u8) -> (Vec<f64>, Ciphertext) {
    let values = uniform(client.parameters.slots(), stream.into());
    let scale = 2f64.powi(log_scale);
    let plaintext = client.embedding.encode_real(&values, scale, 2).unwrap();
    let seed = [stream; 32];
    let ciphertext = client
        .encryptor
        .encrypt_with_seed(&plaintext, seed, Insecure);
    (values, ciphertext.unwrap())
}

/// A program that negates.
fn negation(client: &Client, input: &Ciphertext) -> Analysed {
    let mut builder = ProgramBuilder::new(&client.parameters, "negation");
    let x = builder.input("x", input.ty()).unwrap();
    let result = builder.neg(x).unwrap();
    builder.finish(&[result]).unwrap()
}

/// What a key holder expects and what an honest server returns.
struct Case {
    client: Client,
    expected: Expected,
    values: Vec<f64>,
    result: Ciphertext,
}

fn case(log_scale: i32, queries: u32) -> Case {
    let client = roomy();
    let (values, input) = encrypted(&client, log_scale, 9);
    let program = negation(&client, &input);
    let inputs = [input];
    let expected = Expected::new(
        &client.parameters,
        &client.secret,
        &program,
        &inputs,
        queries,
    )
    .unwrap();
    let result = client.run(&program, &inputs).remove(0);
    Case {
        values: values.iter().map(|x| -x).collect(),
        client,
        expected,
        result,
    }
}

impl Case {
    fn sized(&self, ciphertext: &Ciphertext, sharing: Sharing) -> Result<Shared, Error> {
        Shared::new(&self.client.secret, ciphertext, &self.expected, 0, sharing)
    }

    fn share(&self, ciphertext: &Ciphertext, sharing: Sharing) -> Result<Plaintext, Error> {
        let shared = self.sized(ciphertext, sharing)?;
        shared.count(&self.client.secret)?;
        self.client.decryptor.release(&shared)
    }

    /// A ciphertext of the result's type and whatever words.
    fn forged(&self, words: impl Fn(usize, usize, u64) -> u64) -> Ciphertext {
        let (n, q) = (self.client.parameters.n(), self.client.parameters.q());
        let part = |(index, part): (usize, &Arc<RnsPoly>)| {
            let forged = part.words().iter().enumerate();
            let forged = forged.map(|(at, &word)| words(index, at / n, word) % q[at / n]);
            Arc::new(RnsPoly::from_words(n, forged.collect()).unwrap())
        };
        let parts = self.result.parts().iter().enumerate().map(part).collect();
        Ciphertext::new(&self.client.parameters, parts, &self.result.ty()).unwrap()
    }

    /// Coefficients of what was shared, centred.
    fn coefficients(&self, plaintext: &Plaintext) -> Vec<i128> {
        let q = self.client.parameters.q();
        let [q0, q1] = [u128::from(q[0]), u128::from(q[1])];
        let modulus = Modulus::new(q[1]).unwrap();
        let inverse = modulus.inv(q[0] % q[1]).unwrap();
        let (low, high) = (plaintext.poly().tower(0), plaintext.poly().tower(1));
        let centred = |(&low, &high): (&u64, &u64)| {
            let difference = modulus.sub(high, low % q[1]);
            let whole = u128::from(low) + q0 * u128::from(modulus.mul(difference, inverse));
            match 2 * whole < q0 * q1 {
                true => whole as i128,
                false => whole as i128 - (q0 * q1) as i128,
            }
        };
        low.iter().zip(high).map(centred).collect()
    }
}

#[test]
fn a_shared_result_carries_the_flood_and_keeps_the_precision_asked_for() {
    let case = case(70, 1);
    let sharing = Sharing {
        precision_bits: 20,
        ..Sharing::default()
    };
    let flooding = case.sized(&case.result, sharing).unwrap().flooding();
    let plaintext = case.share(&case.result, sharing).unwrap();
    let shared = case.client.embedding.decode_real(&plaintext).unwrap();
    let error = rms_error(&shared, &case.values);
    assert!(
        (error / flooding.slot_error).log2().abs() < 0.5,
        "2^{:.1}",
        error.log2()
    );
    assert!(flooding.slot_error <= (-20f64).exp2());
    // The error that depends on the key is 2^(15) and more times smaller.
    let own = rms_error(&case.client.decrypt(&case.result), &case.values);
    assert!(error * sharing.advantage() > own);
}

#[test]
fn one_result_shared_twice_has_the_same_values_and_counts_once() {
    let case = case(70, 1);
    let first = case.share(&case.result, Sharing::default()).unwrap();
    let again = case.share(&case.result, Sharing::default()).unwrap();
    assert_eq!(first.poly().words(), again.poly().words());
    assert_eq!(case.client.secret.shared().len(), 1);
    // The flood is the key's secret: the same case under another key has another one.
    let other = Client::of_seed(&case.client.parameters, [3; 32]);
    assert_ne!(other.secret.identity(), case.client.secret.identity());
}

#[test]
fn budgets_of_record_and_key_end() {
    let two = Sharing {
        queries: 2,
        ..Sharing::default()
    };
    let case = case(80, 1);
    case.share(&case.result, two).unwrap();
    let doubled = case.forged(|_, _, word| 2 * word);
    let refused = case.share(&doubled, two).unwrap_err();
    assert!(
        refused.to_string().contains("against this record"),
        "{refused}"
    );
    // Another record of the same key.
    let (_, input) = encrypted(&case.client, 80, 5);
    let program = negation(&case.client, &input);
    let of = |queries| {
        let inputs = [input.clone()];
        let expected = Expected::new(
            &case.client.parameters,
            &case.client.secret,
            &program,
            &inputs,
            queries,
        )
        .unwrap();
        let result = case.client.run(&program, &inputs).remove(0);
        Shared::new(&case.client.secret, &result, &expected, 0, two)?.count(&case.client.secret)
    };
    of(1).unwrap();
    let refused = of(2).unwrap_err();
    assert!(refused.to_string().contains("under this key"), "{refused}");
    assert_eq!(case.client.secret.shared().len(), 2);
}

#[test]
fn more_statistical_bits_and_more_queries_take_more_noise() {
    let parameters = roomy().parameters;
    let ty = parameters.fresh_at(2, 2f64.powi(80), 1.0, 1.0);
    let bits = |sharing| Flooding::size(&parameters, &ty, sharing).unwrap().bits;
    let base = bits(Sharing::default());
    assert_eq!(
        bits(Sharing {
            statistical_bits: 40,
            ..Sharing::default()
        }),
        base + 5
    );
    assert_eq!(
        bits(Sharing {
            queries: 1 << 4,
            ..Sharing::default()
        }),
        base + 4
    );
    let refused = |sharing: Sharing| sharing.check().unwrap_err().to_string();
    let none = refused(Sharing {
        queries: 0,
        ..Sharing::default()
    });
    assert!(none.contains("queries = 0"), "{none}");
    let nothing = refused(Sharing {
        statistical_bits: 0,
        ..Sharing::default()
    });
    assert!(nothing.contains("2 to 100"), "{nothing}");
}

#[test]
fn no_room_is_refused_with_the_bits_needed_and_available() {
    let case = case(26, 1);
    let refused = case.share(&case.result, Sharing::default()).unwrap_err();
    let Error::NoRoomToShare {
        needed, available, ..
    } = refused
    else {
        panic!("{refused}");
    };
    assert!(f64::from(needed) > available);
    let text = refused.to_string();
    for expected in [
        format!("needs {needed} bits"),
        format!("room for {available:.1}"),
    ] {
        assert!(text.contains(&expected), "{expected} in {text}");
    }
    assert!(case.client.secret.shared().is_empty());
}

#[test]
fn what_is_not_expected_is_refused() {
    let case = case(70, 1);
    let refused = |ciphertext: &Ciphertext, word: &str| {
        let error = case.share(ciphertext, Sharing::default()).unwrap_err();
        assert!(matches!(error, Error::NotExpected { .. }), "{error}");
        assert!(error.to_string().contains(word), "{word} in {error}");
    };
    // All words times 2^40, scale and noise as if that were so.
    let mut ty = case.result.ty();
    (ty.scale, ty.noise, ty.peak) = (ty.scale * 2f64.powi(35), 0.0, 0.0);
    let parts = case.forged(|_, _, word| word).parts().to_vec();
    let header = Ciphertext::new(&case.client.parameters, parts, &ty).unwrap();
    refused(&header, "scale");
    let dropped = encrypted(&case.client, 50, 1).1.drop_level(1).unwrap();
    refused(&dropped, "level");
    // A record that somebody changed, or another key's.
    let mut parts: ExpectedParts = case.expected.parts().clone();
    parts.results[0].noise = 0.0;
    let code = *case.expected.code();
    let changed = Expected::from_parts(&case.client.parameters, parts, code);
    let share = |expected: &Expected, index| {
        let sharing = Sharing::default();
        Shared::new(&case.client.secret, &case.result, expected, index, sharing)
    };
    let error = share(&changed, 0).unwrap_err().to_string();
    assert!(error.contains("the record"), "{error}");
    let error = share(&case.expected, 1).unwrap_err().to_string();
    assert!(
        error.contains("the result") && error.contains("0 to 0"),
        "{error}"
    );
    // What a stranger says of an input's noise is no prediction.
    let read = |c: &Ciphertext| {
        Ciphertext::new(&case.client.parameters, c.parts().to_vec(), &c.ty()).unwrap()
    };
    let (_, input) = encrypted(&case.client, 70, 9);
    let program = negation(&case.client, &input);
    let error = Expected::new(
        &case.client.parameters,
        &case.client.secret,
        &program,
        &[read(&input)],
        1,
    )
    .unwrap_err();
    assert!(matches!(error, Error::NotMadeHere { .. }), "{error}");
    let imported = case.client.generator;
    let imported = imported
        .secret_from_ternary(case.client.secret.ternary())
        .unwrap();
    let error =
        Expected::new(&case.client.parameters, &imported, &program, &[input], 1).unwrap_err();
    assert!(matches!(error, Error::Rlwe(rlwe::Error::NoRoot)), "{error}");
}

/// What an honest but curious server is trusted not to do. The flood hides errors of the size that was
/// predicted; a server that sends other words under a truthful header learns the key.
#[test]
fn a_lying_server_recovers_the_key_where_words_are_not_checked() {
    let ternary = |case: &Case| -> Vec<i128> {
        let secret = case.client.secret.ternary().iter();
        secret.map(|&c| i128::from(c)).collect()
    };
    let rounded = |values: Vec<i128>, shift: u32| -> Vec<i128> {
        let half = 1i128 << (shift - 1);
        values.into_iter().map(|v| (v + half) >> shift).collect()
    };
    // (0, 2^k) decrypts to 2^k·s.
    let secret = case(50, 1);
    let k = 60;
    let forged = secret.forged(|part, _, _| if part == 0 { 0 } else { 1 << k });
    let shared = secret.share(&forged, Sharing::default()).unwrap();
    assert_eq!(rounded(secret.coefficients(&shared), k), ternary(&secret));
    // 2^k times the result decrypts to 2^k times message and error: with it c0 + c1·s = m + e is
    // exact, which is solved for s.
    let scaled = case(45, 1);
    let q = scaled.client.parameters.q().iter();
    let modulus: Vec<_> = q.map(|&q| Modulus::new(q).unwrap()).collect();
    let forged = scaled.forged(|_, tower, word| modulus[tower].mul(word, 1 << 50));
    let shared = scaled.share(&forged, Sharing::default()).unwrap();
    let message = rounded(scaled.coefficients(&shared), 50);
    let exact = scaled.client.decryptor.decrypt(&scaled.result).unwrap();
    assert_eq!(message, scaled.coefficients(&exact));
}
