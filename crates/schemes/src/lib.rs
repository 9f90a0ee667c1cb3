//! CKKS: parameters and security, keys, encoding, operations as programs.
