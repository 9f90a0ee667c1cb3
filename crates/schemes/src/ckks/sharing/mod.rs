//! Results that leave the key holder.
//!
//! An exact CKKS decryption reveals the ciphertext's error, which is linear in the secret (Li,
//! Micciancio, "On the Security of Homomorphic Encryption on Approximate Numbers", EUROCRYPT
//! 2021). The remedy is noise flooding before the result leaves the key holder (Li, Micciancio,
//! Schultz, Sorrell, "Securing Approximate Homomorphic Encryption Using Differential Privacy",
//! CRYPTO 2022; OpenFHE's NOISE_FLOODING_DECRYPT, whose default of 30 statistical bits is ours).
//!
//! Flooding helps only where the error is what the key holder thinks it is. A server that multiplies a
//! ciphertext by 2^20, or sends (0, 2^k), gets 2^20 times the error or the secret itself under the
//! same flood. No field of a ciphertext shows that, since the server writes them all. So the key holder
//! predicts ([`Expected`], from ciphertexts that it made itself) and shares against that prediction:
//!
//! 1. `expect`: program, inputs and noise of the results, authenticated by the secret key;
//! 2. the server computes;
//! 3. [`Shared`]: level, scale and parts are the prediction's, the flood is sized from its noise. That the
//!    words are those of the program the key holder either computes again (every target has the same
//!    words) or believes, where it takes the server for honest but curious;
//! 4. the query is counted ([`SharedResult`](crate::rlwe::SharedResult), saved with the key), then the result is decrypted.
//!
//! One ciphertext shared twice gives the same values: an average of many would flood less.

mod expected;
mod shared;

pub use expected::{Expected, ExpectedParts};
pub use shared::Shared;
