//! Schemes: parameters, keys, encoding and operations as programs.
//!
//! A scheme does not compute. It checks parameters, encodes vectors, and builds programs of the
//! two dialects in `ringwright_ir`; whoever holds a [`ringwright_target::Device`] passes it in, and
//! that device runs key generation, encryption, evaluation and decryption alike. So what a
//! simulated accelerator executes is exactly what is executed here.
//!
//! Reading order: [`security`] (which parameters are safe), [`rlwe`] (what all schemes share), then
//! [`ckks`].

#![warn(missing_docs)]

pub mod ckks;
pub mod rlwe;
pub mod security;

pub use security::Insecure;
