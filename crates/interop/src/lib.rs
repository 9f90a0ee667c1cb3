//! Wire formats: our own, versioned and checksummed.
//!
//! [`wire`] turns parameters, ciphertexts and keys into bytes and back; [`storage`] puts bytes into
//! files so that a full disk or a crash leaves either the old file or the new one, never half.

pub mod storage;
pub mod wire;
