//! Wire formats: our own, versioned and checksummed, and those of other libraries.
//!
//! [`wire`] turns parameters, ciphertexts and keys into bytes and back; [`storage`] puts bytes into
//! files so that a full disk or a crash leaves either the old file or the new one, never half;
//! [`key_file`] counts what a secret key shares in the key's own file.
//! [`seal`] reads and writes what Microsoft SEAL (and TenSEAL) saves, [`openfhe`] what OpenFHE serialises; what all foreign formats share
//! is in [`foreign`].

pub mod foreign;
pub mod key_file;
pub mod openfhe;
pub mod seal;
pub mod storage;
pub mod wire;
