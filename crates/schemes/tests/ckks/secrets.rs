//! Secret keys: what they hide and how they come back.

use crate::client::{device, rms_error, small, uniform, Client};
use ringwright_arith::Modulus;
use ringwright_ring::sampler::{self, Xof};
use ringwright_schemes::ckks::{Decryptor, Evaluator, NoiseModel, ProgramBuilder};
use ringwright_schemes::rlwe::{self, EvaluationKeys, Identity, KeyGenerator};
use std::sync::Arc;

#[test]
fn debug_hides_the_secret() {
    let client = Client::new(&small());
    let shown = format!("{:?}", client.secret);
    let (name, identity) = (client.parameters.name(), client.secret.identity());
    assert_eq!(shown, format!("SecretKey({name}, {identity}, ..)"));
}

#[test]
fn a_secret_is_ternary_and_fresh_each_time() {
    let parameters = small();
    let generator = KeyGenerator::new(&parameters, device());
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
    let decryptor = Decryptor::new(&client.parameters, Arc::new(again), device()).unwrap();
    let plaintext = decryptor.decrypt(&ciphertext).unwrap();
    let got = client.embedding.decode_real(&plaintext).unwrap();
    let noise =
        NoiseModel::new(&client.parameters).slot_error(ciphertext.noise(), ciphertext.scale());
    assert!(rms_error(&got, &values) < 4.0 * noise);
}

#[test]
fn another_secret_is_refused_by_name_and_would_decrypt_to_noise() {
    let client = Client::new(&small());
    let values = uniform(client.parameters.slots(), 5);
    let other = KeyGenerator::new(&client.parameters, device());
    let other = Arc::new(other.secret_key().unwrap());
    let (name, own) = (other.identity().to_string(), client.secret.identity());
    let decryptor = Decryptor::new(&client.parameters, other, device()).unwrap();
    let ciphertext = client.encrypt(&values, 5);
    let refused = decryptor.decrypt(&ciphertext).unwrap_err().to_string();
    for word in [name, own.to_string(), "the ciphertext".to_string()] {
        assert!(refused.contains(&word), "{word} in {refused}");
    }
    // Without the identity nobody notices.
    let nameless = ciphertext.with_identity(Identity::UNKNOWN);
    let plaintext = decryptor.decrypt(&nameless).unwrap();
    let got = client.embedding.decode_real(&plaintext).unwrap();
    assert!(rms_error(&got, &values) > 1.0);
}

/// What was published of a root before uniform halves had seeds of their own drew errors and uniform
/// halves from `derive("public key")` alone. A key made of the same root today has other errors: equal
/// ones beside another uniform half would give the secret away without any noise.
#[test]
fn a_key_made_again_has_none_of_an_earlier_version_s_errors() {
    let client = Client::new(&small());
    let parameters = &client.parameters;
    let (n, q) = (parameters.n(), parameters.q()[0]);
    let public = client.generator.public_key(&client.secret).unwrap();
    let root = &client.secret.birth().unwrap().root;
    let earlier = root.derive("public key", &parameters.id());
    let xof = Xof::new(&earlier, "ckks.public.e", 0).unwrap();
    let mut errors = vec![0; n];
    sampler::binomial21(xof, &mut errors);
    // b + a·s is the error, in coefficient form what decryption returns.
    let parts = [public.b().clone(), public.a().clone()];
    let decryptor = rlwe::Decryptor::new(parameters, client.secret.clone(), device()).unwrap();
    let today = decryptor.decrypt(&parts, None).unwrap();
    let modulus = Modulus::<u64>::new(q).unwrap();
    let equal = today.tower(0).iter().zip(&errors);
    let equal = equal.filter(|(word, error)| modulus.centred(**word) == i128::from(**error));
    // The most likely value has a chance of an eighth.
    assert!(equal.count() < n / 4);
}

#[test]
fn keys_made_again_are_the_same_and_those_of_two_clients_are_not_mixed() {
    let parameters = small();
    let [alice, bob] = [[1; 32], [2; 32]].map(|seed| Client::of_seed(&parameters, seed));
    let mut builder = ProgramBuilder::new(&parameters, "product");
    let ty = parameters.fresh(1.0, 1.0);
    let [a, b] = ["a", "b"].map(|name| builder.input(name, ty.clone()).unwrap());
    let product = builder.mul_rescale(a, b).unwrap();
    let program = builder.finish(&[product]).unwrap();
    let words = |keys: &EvaluationKeys| {
        let key = keys.mult().unwrap();
        key.polys()
            .iter()
            .flat_map(|p| p.words().to_vec())
            .collect::<Vec<_>>()
    };
    assert_eq!(
        words(&alice.keys_for(&program)),
        words(&alice.keys_for(&program))
    );
    assert_ne!(
        words(&alice.keys_for(&program)),
        words(&bob.keys_for(&program))
    );

    let prepared = Evaluator::new(&parameters, device())
        .prepare(&program)
        .unwrap();
    let (x, y) = (alice.encrypt(&[0.5], 1), bob.encrypt(&[0.5], 2));
    let keys = alice.keys_for(&program);
    let result = prepared
        .run(&[x.clone(), alice.encrypt(&[0.5], 3)], &keys)
        .unwrap();
    assert_eq!(result[0].identity(), alice.secret.identity());
    let other = bob.secret.identity().to_string();
    for (inputs, keys) in [
        ([x.clone(), y.clone()], &keys),
        ([y.clone(), x.clone()], &keys),
        (
            [x.clone(), alice.encrypt(&[0.5], 3)],
            &bob.keys_for(&program),
        ),
        ([x, y], &EvaluationKeys::none(&parameters)),
    ] {
        let refused = prepared.run(&inputs, keys).unwrap_err().to_string();
        assert!(
            refused.contains(&other) && refused.contains("product: input"),
            "{refused}"
        );
    }
}
