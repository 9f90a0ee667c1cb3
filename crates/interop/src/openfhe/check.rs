//! What every reader promises, for any bytes; the body of the fuzz target and of the smoke test.

use super::whole;
use super::{
    read_ciphertext, read_parameters, read_public_key, read_relinearisation_key,
    read_rotation_keys, write_ciphertext, write_public_key, write_relinearisation_key,
    write_rotation_keys,
};
use crate::foreign::{Declared, ForeignError};
use ringwright_schemes::ckks::{GivenPrimes, Parameters};
use ringwright_schemes::rlwe::RingKind;
use ringwright_schemes::security::Insecure;
use std::sync::LazyLock;

/// Gives `bytes` to every reader.
///
/// Panics when a reader does, or when what was accepted does not write, with the bytes as template or
/// whole, what reads the same again.
pub fn check(bytes: &[u8]) {
    let _ = read_parameters(bytes, Some(bytes), "read", 1, Some(Insecure));
    let _ = read_parameters(bytes, None, "read", 1, Some(Insecure));
    for again in READERS {
        if let Ok(written) = again(bytes) {
            assert_eq!(
                again(&written).expect("what was written reads"),
                written,
                "a second reading differs"
            );
        }
    }
}

/// The parameters under which [`check`] reads: those of the golden data.
pub fn check_parameters() -> Parameters {
    GOLDEN.clone()
}

static GOLDEN: LazyLock<Parameters> = LazyLock::new(|| {
    Parameters::from_primes(GivenPrimes {
        name: "golden".to_string(),
        kind: RingKind::Standard,
        log_n: 4,
        q: vec![
            1_152_921_504_606_845_473,
            1_125_899_906_842_273,
            1_125_899_906_842_817,
        ],
        p: Some(vec![1_152_921_504_606_844_513, 1_152_921_504_606_844_417]),
        digit: 2,
        log_scale: 50,
        insecure: true,
    })
    .expect("a set that the tests use")
});

/// Reads and writes again: the bytes themselves as template, or whole.
type Again = fn(&[u8]) -> Result<Vec<u8>, ForeignError>;

/// Under which objects are written whole.
const TAG: &str = "check";

const READERS: [Again; 8] = [
    |bytes| {
        write_ciphertext(
            &read_ciphertext(bytes, &GOLDEN, &Declared::default())?,
            bytes,
        )
    },
    |bytes| write_public_key(&read_public_key(bytes, &GOLDEN)?, bytes),
    |bytes| write_relinearisation_key(&read_relinearisation_key(bytes, &GOLDEN)?, bytes),
    |bytes| write_rotation_keys(&GOLDEN, &read_rotation_keys(bytes, &GOLDEN)?, bytes),
    |bytes| whole::write_ciphertext(&read_ciphertext(bytes, &GOLDEN, &Declared::default())?, TAG),
    |bytes| whole::write_public_key(&GOLDEN, &read_public_key(bytes, &GOLDEN)?, TAG),
    |bytes| {
        whole::write_relinearisation_key(&GOLDEN, &read_relinearisation_key(bytes, &GOLDEN)?, TAG)
    },
    |bytes| whole::write_rotation_keys(&GOLDEN, &read_rotation_keys(bytes, &GOLDEN)?, TAG),
];
