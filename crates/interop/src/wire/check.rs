//! What every reader promises, for any bytes; the body of the fuzz target and of the smoke test.

use super::frame::Writer;
use super::kind::Kind;
use super::secret_key::read_and_expose;
use super::{
    kind_of, read_ciphertext, read_evaluation_keys, read_expected, read_parameters,
    read_public_key, write_ciphertext, write_evaluation_keys, write_expected, write_parameters,
    write_public_key, WireError,
};
use ringwright_schemes::ckks::{Parameters, ParametersLiteral};
use ringwright_schemes::rlwe::RingKind;
use ringwright_schemes::security::Insecure;
use std::sync::LazyLock;

/// Gives `bytes` to every reader, as they are and as the payload of an undamaged file, so that the
/// checksum does not keep a fuzzer out.
///
/// Panics when a reader does, or accepts bytes that it does not itself write for what it read.
pub fn check(bytes: &[u8]) {
    let _ = kind_of(bytes);
    for kind in Kind::ALL {
        assert_canonical(kind, bytes);
        assert_canonical(kind, &sealed(kind, bytes));
    }
}

/// The parameters under which [`check`] reads: small enough for thousands of readings a second.
pub fn check_parameters() -> Parameters {
    TINY.clone()
}

static TINY: LazyLock<Parameters> = LazyLock::new(|| {
    let literal = ParametersLiteral {
        name: "tiny".to_string(),
        kind: RingKind::Standard,
        log_n: 4,
        q_bits: vec![20, 20],
        p_bits: vec![21],
        digit: 1,
        log_scale: 10,
        insecure: true,
    };
    Parameters::new(literal).expect("a set that the tests use")
});

fn sealed(kind: Kind, payload: &[u8]) -> Vec<u8> {
    let mut file = Vec::new();
    let write = |out: &mut Vec<u8>| -> Result<(), WireError> {
        let len = payload.len() as u64;
        let mut writer = Writer::begin(out, kind, &TINY.id(), len)?;
        writer.bytes(payload)?;
        writer.finish()
    };
    write(&mut file).expect("a vector takes every byte");
    file
}

fn assert_canonical(kind: Kind, bytes: &[u8]) {
    if let Ok(again) = read_and_write(kind, bytes) {
        // What another version wrote is written in ours, and then the same again.
        if again.get(4..6) != bytes.get(4..6) {
            return assert_canonical(kind, &again);
        }
        assert_eq!(
            again, bytes,
            "a {kind} reads from bytes that it is not written as"
        );
    }
}

fn read_and_write(kind: Kind, bytes: &[u8]) -> Result<Vec<u8>, WireError> {
    let mut out = Vec::new();
    match kind {
        Kind::Parameters => write_parameters(&read_parameters(bytes, Some(Insecure))?, &mut out)?,
        Kind::Ciphertext => write_ciphertext(&read_ciphertext(bytes, &TINY)?, &mut out)?,
        Kind::PublicKey => write_public_key(&read_public_key(bytes, &TINY)?, &mut out)?,
        Kind::EvaluationKeys => {
            write_evaluation_keys(&read_evaluation_keys(bytes, &TINY)?, &mut out)?
        }
        Kind::SecretKey => out.extend_from_slice(&read_and_expose(bytes, &TINY)?),
        Kind::Expected => write_expected(&read_expected(bytes, &TINY)?, &mut out)?,
    }
    Ok(out)
}
