//! Which key it is.

use ringwright_schemes::rlwe;

/// An identity in hexadecimal; `None` where it is not known.
pub fn key_id(identity: rlwe::Identity) -> Option<String> {
    let digits = |bytes: [u8; 16]| bytes.iter().map(|byte| format!("{byte:02x}")).collect();
    identity.is_known().then(|| digits(identity.bytes()))
}
