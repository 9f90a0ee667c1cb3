//! What every reader promises, for any bytes; the body of the fuzz target and of the smoke test.

use super::header::{Header, Version};
use super::{
    read_ciphertext, read_galois_keys, read_parameters, read_public_key, read_relinearisation_key,
    write_ciphertext, write_galois_keys, write_parameters, write_public_key,
    write_relinearisation_key,
};
use crate::foreign::{Declared, ForeignError};
use ringwright_schemes::ckks::{GivenPrimes, Parameters};
use ringwright_schemes::rlwe::RingKind;
use ringwright_schemes::security::Insecure;
use std::sync::LazyLock;

/// Gives `bytes` to every reader, as they are and as the body of an object under a header that fits.
///
/// Panics when a reader does, or when what it accepted is written in a way that reads differently.
pub fn check(bytes: &[u8]) {
    let headed = [&Header::write(bytes.len(), Version::default())[..], bytes].concat();
    for bytes in [bytes, &headed] {
        for again in READERS {
            if let Ok(written) = again(bytes) {
                let twice = again(&written).expect("what was written reads");
                assert_eq!(written, twice, "a second reading differs");
            }
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
        q: vec![1_099_511_625_409, 1_099_511_626_049, 1_099_511_627_297],
        p: Some(vec![2_199_023_255_521]),
        digit: 1,
        log_scale: 30,
        insecure: true,
    })
    .expect("a set that the tests use")
});

/// Reads and writes again.
type Again = fn(&[u8]) -> Result<Vec<u8>, ForeignError>;

const READERS: [Again; 5] = [
    |bytes| {
        write_parameters(
            &read_parameters(bytes, "read", 1, Some(Insecure))?,
            Version::default(),
        )
    },
    |bytes| {
        let declared = Declared::default();
        write_ciphertext(
            &read_ciphertext(bytes, &GOLDEN, &declared)?,
            Version::default(),
        )
    },
    |bytes| write_public_key(&read_public_key(bytes, &GOLDEN)?, Version::default()),
    |bytes| {
        write_relinearisation_key(
            &read_relinearisation_key(bytes, &GOLDEN)?,
            Version::default(),
        )
    },
    |bytes| {
        write_galois_keys(
            &GOLDEN,
            &read_galois_keys(bytes, &GOLDEN)?,
            Version::default(),
        )
    },
];
