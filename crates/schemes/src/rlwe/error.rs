//! What can go wrong with keys and encrypted polynomials, with what was given and what is allowed.

use super::ring::RingError;
use ringwright_ir::he::KeyId;
use ringwright_ir::ring::VerifyError;
use ringwright_ir::RunError;
use ringwright_target::BufferError;

/// A request that is refused whatever the scheme, or a device that failed.
#[derive(Debug, thiserror::Error)]
pub enum Error {
    /// An unusable ring.
    #[error(transparent)]
    Ring(#[from] RingError),
    /// A key or ciphertext made under other parameters.
    #[error("{what} belongs to parameters {given}, expected {expected}")]
    ForeignParameters {
        /// The object.
        what: String,
        /// Name and first bytes of the fingerprint of its parameters.
        given: String,
        /// The same of the parameters asked for.
        expected: String,
    },
    /// A key or ciphertext of another secret key.
    #[error(
        "{what} belongs to the secret key {given}, not to {expected}: decrypted or computed with, it \
         would give noise as large as the modulus"
    )]
    ForeignKey {
        /// The object.
        what: String,
        /// The first bytes of its key's identity.
        given: String,
        /// The same of the key asked for.
        expected: String,
    },
    /// Words that are not a polynomial of these parameters.
    #[error("{what}: {given}, expected {expected}")]
    Shape {
        /// The object.
        what: String,
        /// What was given.
        given: String,
        /// What is allowed.
        expected: String,
    },
    /// A level the parameters do not have.
    #[error("level {given} is outside 1 to {max} of {name}")]
    Level {
        /// The level given.
        given: usize,
        /// Levels of the parameters.
        max: usize,
        /// Name of the parameters.
        name: String,
    },
    /// A switching key, under parameters without special primes.
    #[error(
        "{operation} needs an evaluation key, and {name} has no special prime: it encrypts and \
         decrypts only"
    )]
    NoSpecialPrimes {
        /// The operation.
        operation: String,
        /// Name of the parameters.
        name: String,
    },
    /// A key that the program needs and was not given.
    #[error("missing evaluation key ({key}){needed_by}; keys given: {given}")]
    MissingKey {
        /// The key.
        key: KeyId,
        /// The operation that needs it and its line, where they are known: " for ..., ...".
        needed_by: String,
        /// The keys there are.
        given: String,
    },
    /// A key of another shape than was asked for.
    #[error("evaluation key ({key}){needed_by}: asked for {asked}; given: {given}")]
    KeyShape {
        /// The key.
        key: KeyId,
        /// The operation that needs it, where it is known: " for ...".
        needed_by: String,
        /// The shape asked for.
        asked: String,
        /// The shape that is there.
        given: String,
    },
    /// A key between two secrets, asked for with one.
    #[error("evaluation key ({key}) takes two secret keys: make it with `switching_key_between`")]
    TwoSecrets {
        /// The key.
        key: KeyId,
    },
    /// Keys larger than the memory that is free.
    #[error(
        "{what} take {needed} bytes, and {available} bytes of memory are free; fewer keys, or keys \
         limited to the levels that need them, are smaller"
    )]
    Memory {
        /// The keys.
        what: String,
        /// Their bytes.
        needed: u64,
        /// Bytes that the operating system calls available.
        available: u64,
    },
    /// A file that could not be written.
    #[error("{what} could not be written to a file in {folder}: {reason}")]
    Storage {
        /// What was to be written.
        what: String,
        /// Where.
        folder: String,
        /// What the system said.
        reason: String,
    },
    /// As many results were shared as may be.
    #[error("{what}; allowed: {allowed}")]
    SharingBudget {
        /// What was shared.
        what: String,
        /// What may be.
        allowed: String,
    },
    /// A secret key without a root.
    #[error(
        "this secret key has no root (it is another library's, or was saved in format 1): results are \
         shared under keys that were drawn here"
    )]
    NoRoot,
    /// The operating system gave no randomness.
    #[error("no randomness from the operating system: {reason}")]
    Randomness {
        /// What the system said.
        reason: String,
    },
    /// The device refused the program or an argument.
    #[error(transparent)]
    Run(#[from] RunError),
    /// The device has no room for keys or constants.
    #[error(transparent)]
    Buffer(BufferError),
    /// A built program broke a rule of its dialect.
    #[error(transparent)]
    Verify(#[from] VerifyError),
    /// A lower layer refused what a checked ring should have ruled out, or a device broke its
    /// contract.
    #[error("{0}")]
    Internal(String),
}

impl From<BufferError> for Error {
    fn from(error: BufferError) -> Self {
        match error {
            BufferError::Run(error) => Error::Run(error),
            other => Error::Buffer(other),
        }
    }
}

/// The first bytes of a fingerprint, for messages.
pub(super) fn short(id: &[u8]) -> String {
    id[..4].iter().map(|byte| format!("{byte:02x}")).collect()
}
