//! Encryption with the secret key: its noise, its seeds, and what programs make of it.

use crate::client::{device, rms_error, small, uniform, Client};
use ringwright_schemes::ckks::{
    Ciphertext, Evaluator, Expected, NoiseModel, ProgramBuilder, SymmetricEncryptor,
};
use ringwright_schemes::Insecure;

fn encryptor(client: &Client) -> SymmetricEncryptor {
    SymmetricEncryptor::new(&client.parameters, client.secret.clone(), device()).unwrap()
}

fn decoded(client: &Client, ciphertext: &Ciphertext) -> Vec<f64> {
    let plaintext = client.decryptor.decrypt(ciphertext).unwrap();
    client.embedding.decode_real(&plaintext).unwrap()
}

#[test]
fn the_noise_is_the_predicted_one_and_far_below_that_of_the_public_key() {
    let client = Client::new(&small());
    let values = uniform(client.parameters.slots(), 1);
    let ciphertext = encryptor(&client).encrypt(&client.encode(&values)).unwrap();
    let measured = rms_error(&decoded(&client, &ciphertext), &values);
    let model = NoiseModel::new(&client.parameters);
    let predicted = model.slot_error(ciphertext.noise(), ciphertext.scale());
    assert!(
        (0.8..1.25).contains(&(measured / predicted)),
        "{measured} for {predicted}"
    );
    // √(4N/3 + 1) times less.
    let ratio = model.encryption() / model.symmetric_encryption();
    let expected = (4.0 * client.parameters.n() as f64 / 3.0 + 1.0).sqrt();
    assert!(
        (ratio / expected - 1.0).abs() < 0.01,
        "{ratio} for {expected}"
    );
}

#[test]
fn two_encryptions_share_neither_half() {
    let client = Client::new(&small());
    let (encryptor, message) = (encryptor(&client), client.encode(&[0.5]));
    let [a, b] = [(); 2].map(|()| encryptor.encrypt(&message).unwrap());
    assert_ne!(a.parts()[0], b.parts()[0]);
    assert_ne!(a.parts()[1], b.parts()[1]);
    assert_ne!(a.mask(), b.mask());
}

/// The published seed is not the run's, and gives the second part at every level.
#[test]
fn the_second_part_is_drawn_from_the_published_seed() {
    let client = Client::new(&small());
    let seed = [9; 32];
    let message = client.encode(&[0.5]);
    let encrypted = encryptor(&client).encrypt_with_seed(&message, seed, Insecure);
    let ciphertext = encrypted.unwrap();
    let mask = ciphertext.mask().unwrap();
    assert_ne!(mask.bytes(), seed);
    for level in 1..=ciphertext.level() {
        let dropped = ciphertext.drop_level(level).unwrap();
        let drawn = mask.ciphertext_mask(&client.parameters, level).unwrap();
        assert_eq!(*dropped.parts()[1], drawn);
        let ty = dropped.ty();
        let again =
            Ciphertext::from_mask(&client.parameters, dropped.parts()[0].clone(), mask, &ty);
        assert_eq!(again.unwrap().parts(), dropped.parts());
    }
    assert!(mask.ciphertext_mask(&client.parameters, 0).is_err());
    assert!(mask.ciphertext_mask(&client.parameters, 6).is_err());
}

/// A program built for fresh public-key encryptions takes them, and its results have no seed; they are
/// expected too.
#[test]
fn programs_for_public_key_encryptions_take_them() {
    let client = Client::new(&small());
    let parameters = &client.parameters;
    let mut builder = ProgramBuilder::new(parameters, "square");
    let x = builder.input("x", parameters.fresh(1.0, 1.0)).unwrap();
    let square = builder.mul_rescale(x, x).unwrap();
    let program = builder.finish(&[square]).unwrap();
    let values = uniform(parameters.slots(), 2);
    let input = [encryptor(&client).encrypt(&client.encode(&values)).unwrap()];
    let prepared = Evaluator::new(parameters, device())
        .prepare(&program)
        .unwrap();
    let result = prepared
        .run(&input, &client.keys_for(&program))
        .unwrap()
        .remove(0);
    assert!(result.mask().is_none() && result.lineage().is_known());
    for (got, x) in decoded(&client, &result).iter().zip(&values) {
        assert!((got - x * x).abs() < result.error_bound());
    }
    let expected = Expected::new(parameters, &client.secret, &program, &input, 1).unwrap();
    assert_eq!(expected.parts().results[0], result.ty());
}
