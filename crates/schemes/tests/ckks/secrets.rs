//! Secret keys: what they hide and how they come back.

use crate::client::{backend, rms_error, small, uniform, Client};
use ringwright_schemes::ckks::{Decryptor, KeyGenerator, NoiseModel};
use std::sync::Arc;

#[test]
fn debug_hides_the_secret() {
    let client = Client::new(&small());
    let shown = format!("{:?}", client.secret);
    assert_eq!(
        shown,
        format!("SecretKey({}, ..)", client.parameters.name())
    );
}

#[test]
fn a_secret_is_ternary_and_fresh_each_time() {
    let parameters = small();
    let generator = KeyGenerator::new(&parameters, backend());
    let (first, second) = (
        generator.secret_key().unwrap(),
        generator.secret_key().unwrap(),
    );
    assert_ne!(first.ternary(), second.ternary());
    assert_eq!(first.ternary().len(), parameters.n());
    for value in -1..=1 {
        // A third each; eight deviations of a binomial count.
        let n = parameters.n() as f64;
        let count = first.ternary().iter().filter(|&&c| c == value).count() as f64;
        assert!(
            (count - n / 3.0).abs() < 8.0 * (n * 2.0 / 9.0).sqrt(),
            "{value}: {count}"
        );
    }
}

#[test]
fn a_secret_read_back_decrypts() {
    let client = Client::new(&small());
    let values = uniform(client.parameters.slots(), 5);
    let ciphertext = client.encrypt(&values, 5);
    let again = client
        .generator
        .secret_from_ternary(client.secret.ternary())
        .unwrap();
    let decryptor = Decryptor::new(&client.parameters, Arc::new(again), backend()).unwrap();
    let plaintext = decryptor.decrypt(&ciphertext).unwrap();
    let got = client.embedding.decode_real(&plaintext).unwrap();
    let noise =
        NoiseModel::new(&client.parameters).slot_error(ciphertext.noise(), ciphertext.scale());
    assert!(rms_error(&got, &values) < 4.0 * noise);
}

#[test]
fn another_secret_decrypts_to_noise() {
    let client = Client::new(&small());
    let values = uniform(client.parameters.slots(), 5);
    let other = Arc::new(
        KeyGenerator::new(&client.parameters, backend())
            .secret_key()
            .unwrap(),
    );
    let decryptor = Decryptor::new(&client.parameters, other, backend()).unwrap();
    let plaintext = decryptor.decrypt(&client.encrypt(&values, 5)).unwrap();
    let got = client.embedding.decode_real(&plaintext).unwrap();
    assert!(rms_error(&got, &values) > 1.0);
}
