//! Shared decryptions: how much noise hides the error, and when there is no room.

use crate::client::{literal, rms_error, uniform, Client};
use ringwright_schemes::ckks::{Ciphertext, Error, Parameters, Share};
use ringwright_schemes::Insecure;

/// A set with room: the scale is far above the flood.
fn roomy() -> Client {
    Client::new(&Parameters::new(literal(9, &[55, 55], &[], 50)).unwrap())
}

fn encrypted(client: &Client, log_scale: i32) -> (Vec<f64>, Ciphertext) {
    let values = uniform(client.parameters.slots(), 9);
    let scale = 2f64.powi(log_scale);
    let plaintext = client.embedding.encode_real(&values, scale, 2).unwrap();
    let ciphertext = client
        .encryptor
        .encrypt_with_seed(&plaintext, [9; 32], Insecure)
        .unwrap();
    (values, ciphertext)
}

#[test]
fn a_shared_result_carries_the_flood_and_keeps_the_precision_asked_for() {
    let client = roomy();
    let (values, ciphertext) = encrypted(&client, 70);
    let share = Share {
        precision_bits: 20,
        ..Share::default()
    };
    let (plaintext, flooding) = client.decryptor.decrypt_share(&ciphertext, share).unwrap();
    let error = rms_error(&client.embedding.decode_real(&plaintext).unwrap(), &values);
    assert!(
        (error / flooding.slot_error).log2().abs() < 0.5,
        "2^{:.1}",
        error.log2()
    );
    assert!(flooding.slot_error <= (-20f64).exp2());
    // The error that depends on the key is 2^(15) and more times smaller.
    let own = rms_error(&client.decrypt(&ciphertext), &values);
    assert!(error > own * (f64::from(share.statistical_bits) / 2.0).exp2());
}

#[test]
fn two_shared_results_of_one_ciphertext_differ() {
    let client = roomy();
    let (_, ciphertext) = encrypted(&client, 70);
    let shared = || {
        client
            .decryptor
            .decrypt_share(&ciphertext, Share::default())
            .unwrap()
            .0
    };
    assert_ne!(shared().poly().words(), shared().poly().words());
}

#[test]
fn more_statistical_bits_and_more_queries_take_more_noise() {
    let client = roomy();
    let (_, ciphertext) = encrypted(&client, 80);
    let bits = |share| {
        client
            .decryptor
            .decrypt_share(&ciphertext, share)
            .unwrap()
            .1
            .bits
    };
    let base = bits(Share::default());
    assert_eq!(
        bits(Share {
            statistical_bits: 40,
            ..Share::default()
        }),
        base + 5
    );
    assert_eq!(
        bits(Share {
            queries: 1 << 4,
            ..Share::default()
        }),
        base + 4
    );
}

#[test]
fn no_room_is_refused_with_the_bits_needed_and_available() {
    let client = roomy();
    let (_, ciphertext) = encrypted(&client, 26);
    let refused = client
        .decryptor
        .decrypt_share(&ciphertext, Share::default())
        .unwrap_err();
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
}
