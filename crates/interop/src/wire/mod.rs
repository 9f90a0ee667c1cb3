//! The format of everything that leaves the process.
//!
//! ```text
//! offset  bytes  field                      all numbers little-endian
//!      0      4  magic "RWHE"
//!      4      2  version, 3, or 4 of parameters whose ring is not standard; versions 1 and 2 are read
//!      6      2  kind: 1 parameters, 2 ciphertext, 3 public key, 4 evaluation keys, 5 secret key,
//!                6 what is expected
//!      8     32  fingerprint of the parameters
//!     40      8  length of the payload
//!     48      …  payload
//!    end      8  CRC-64/XZ over all that comes before
//! ```
//!
//! Words are packed: a tower under a prime q takes N·⌈log2 q⌉ bits, first coefficient first, low
//! bit first. So the length of a file is the number of bits that a link has to carry, plus at most
//! some hundred bytes.
//!
//! **Checksum, not signature.** A CRC finds every damage of up to 64 adjacent bits and misses others
//! with probability 2^-64; that is what storage and links need. SHA3-256 was tried in its place and
//! dropped: anybody can recompute a hash as well as a CRC, so it authenticates nothing either, and
//! it takes longer than the transforms of an encryption. Who needs authenticity signs the file.
//!
//! **Readers are total.** For any bytes they return a value or a [`WireError`]; sizes are compared
//! with the bytes at hand before anything is allocated, every word is below its prime, and what is
//! accepted encodes to the same bytes again. [`check`] says so to the fuzzer and to the tests.
//!
//! **Version 2** begins what belongs to a secret key with that key's identity, 16 bytes, all zero where it
//! is not known, and says how long a vector is. What version 1 holds is of unknown keys and fills all slots.
//!
//! **Version 3** holds the seed in place of the words where a uniform half was drawn from a public seed
//! ([`ringwright_schemes::rlwe::PublicSeed`]): half of every key that was generated here, and of every
//! encryption with a secret key. A reader draws the words again. Evaluation keys say their shapes.
//!
//! **Version 4** is of parameters alone, and of those whose ring is conjugate-invariant: they name its kind. A
//! reader of version 3 refuses them; what is of a standard ring has the bytes that it had.
//!
//! The secret key has its own functions with their own names ([`expose_secret_key`]); nothing else
//! ever writes one.

mod check;
mod ciphertext;
mod crc64;
mod error;
mod expected;
mod frame;
mod keys;
mod kind;
mod packing;
mod parameters;
mod secret_key;

pub use check::{check, check_parameters};
pub use ciphertext::{ciphertext_len, read_ciphertext, write_ciphertext};
pub use error::WireError;
pub use expected::{expected_len, read_expected, write_expected};
pub use frame::{kind_of, parameters_id_of};
pub use keys::{
    evaluation_keys_len, public_key_len, read_evaluation_keys, read_evaluation_keys_into,
    read_public_key, write_evaluation_keys, write_public_key,
};
pub use kind::Kind;
pub use parameters::{parameters_len, read_parameters, write_parameters};
pub use secret_key::{expose_secret_key, read_secret_key, secret_key_len, shared_in_file};
