//! What Microsoft SEAL 4 saves: parameters, ciphertexts, public keys, relinearisation and Galois keys.
//!
//! ```text
//! every object, little-endian            16 header: 2 magic 0xA15E · 1 header's size, 16 · 1 major · 1 minor
//!                                           · 1 compression (0 none, 1 zlib, 2 zstd) · 2 zero · 8 bytes in all
//!                                        body, compressed as the header says; objects inside it are not
//! parameters    1 scheme, 2 is CKKS · 8 N · 8 primes · (header · 8 prime) each · header · 8 plain modulus, 0
//! ciphertext    32 parms_id · 1 evaluation form? · 8 parts · 8 N · 8 towers · 8 scale (f64) · 8 correction, 1
//!               · header · 8 words · the words, part after part, tower after tower
//! public key    a ciphertext of two parts under all primes
//! keys          32 parms_id · 8 keys · per key: 8 digits, 0 where it is absent · (header · ciphertext) each
//! ```
//!
//! The layout is that of 4.1 and 4.3, which read their own objects only ([`Version`]).
//!
//! Source: SEAL 4.1, native/src/seal: serialization.h, encryptionparams.cpp, ciphertext.cpp,
//! kswitchkeys.cpp, util/hash.h (`parms_id` is BLAKE2b-256 over scheme, N, primes and plain modulus).
//! TenSEAL's messages carry these objects as they are.
//!
//! **What agrees.** Words: the evaluation form is bit-reversed over the smallest primitive 2N-th root,
//! ours too. Keys: one digit per tower, one special prime, (−a·s + e + P·s' on the digit's tower, a);
//! Galois keys by element, permuted first and switched then. SEAL calls the last prime special, unless
//! it is the only one.
//!
//! **What does not.** SEAL's slot j is the polynomial's value at ζ^(3^j), ours at ζ^(5^j): a vector
//! read from SEAL is, slot for slot, a permutation of ours, see [`slots`]. SEAL's public keys are under
//! the special prime too ([`ringwright_schemes::rlwe::ExtendedPublicKey`]). A ciphertext carries
//! neither bounds nor noise ([`crate::foreign::Declared`]).
//!
//! **Absent.** Objects whose uniform part is replaced by a seed (SEAL's `Serializable`) are refused:
//! loading and saving them in SEAL writes them out. Secret keys of SEAL are neither read nor written.
//!
//! Writers do not compress: words of a ciphertext are random to their prime's bits. Readers take what
//! the stream yields field by field, so a small file that unpacks to a large one is refused at the
//! first field that announces more than the parameters have.

mod check;
mod ciphertext;
mod header;
mod keys;
mod parameters;
mod parms_id;
pub mod slots;
mod stream;

use crate::foreign::Library;

pub use check::{check, check_parameters};
pub use ciphertext::{read_ciphertext, write_ciphertext};
pub use header::Version;
pub use keys::{
    read_galois_keys, read_public_key, read_relinearisation_key, write_galois_keys,
    write_public_key, write_relinearisation_key,
};
pub use parameters::{read_parameters, write_parameters};

const LIBRARY: Library = Library::Seal;
