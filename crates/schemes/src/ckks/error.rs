//! What can go wrong, with what was given and what is allowed.

use super::parameters::ParameterError;
use crate::rlwe;
use ringwright_ir::ring::VerifyError;
use ringwright_ir::RunError;
use ringwright_target::BufferError;

/// A request that CKKS refuses, or a device that failed.
#[derive(Debug, thiserror::Error)]
pub enum Error {
    /// What keys, rings and devices refuse whatever the scheme.
    #[error(transparent)]
    Rlwe(#[from] rlwe::Error),
    /// Unusable parameters, or parameters that cannot do what was asked.
    #[error(transparent)]
    Parameters(#[from] ParameterError),
    /// Words, or bounds of a message, that cannot be.
    #[error("{what}: {given}, expected {expected}")]
    Shape {
        /// The object.
        what: String,
        /// What was given.
        given: String,
        /// What is allowed.
        expected: String,
    },
    /// More values than slots, or a length that does not divide them.
    #[error("{given} values do not fit: {allowed}")]
    Slots {
        /// Values given.
        given: usize,
        /// Lengths allowed.
        allowed: String,
    },
    /// A value that is not a finite number.
    #[error("{what} {index} is {value}, not a finite number")]
    NotFinite {
        /// The kind of value.
        what: &'static str,
        /// Position.
        index: usize,
        /// The value given.
        value: f64,
    },
    /// A scale that is not a positive finite number.
    #[error("scale {given} is not a positive finite number")]
    Scale {
        /// The scale given.
        given: f64,
    },
    /// A scale under which integers say nothing of the slots.
    #[error("scale {given:e} of a message: finite, 1 or more allowed")]
    MessageScale {
        /// The scale given.
        given: f64,
    },
    /// A message that wraps around the modulus.
    #[error(
        "{what} does not fit: |value| up to {max:.3e} at scale 2^{log_scale:.1} needs \
         {needed:.1} bits, the modulus at level {level} has {available:.1}; \
         use a smaller scale or smaller values, or stay at a higher level"
    )]
    Overflow {
        /// The operation or object.
        what: String,
        /// Largest absolute slot value.
        max: f64,
        /// log2 of the scale.
        log_scale: f64,
        /// Bits of modulus needed, sign included.
        needed: f64,
        /// Bits of modulus there are.
        available: f64,
        /// The level.
        level: usize,
    },
    /// A rescaling that leaves noise only.
    #[error(
        "rescaling would leave no precision: at scale 2^{log_scale:.1} slots are off by \
         {slot_error:.3e}, their values are at most {max:.3e}; use a larger scale, or keep it with mul_rescale"
    )]
    NoPrecision {
        /// log2 of the scale after it.
        log_scale: f64,
        /// Predicted error of the slots' real parts.
        slot_error: f64,
        /// Largest absolute slot value.
        max: f64,
    },
    /// A message that is not encrypted at all.
    #[error(
        "{what} is transparent: nothing in it depends on the secret key, so that anybody reads it; \
         u - u and u * 0 make such values"
    )]
    Transparent {
        /// What holds it.
        what: String,
    },
    /// Two operands whose scales differ.
    #[error(
        "{operation}: scales differ: 2^{left:.9} ({left_name}) and 2^{right:.9} ({right_name}); \
         bring one to the other's with match_scale"
    )]
    ScaleMismatch {
        /// The operation.
        operation: &'static str,
        /// log2 of the left scale.
        left: f64,
        /// The left operand.
        left_name: String,
        /// log2 of the right scale.
        right: f64,
        /// The right operand.
        right_name: String,
    },
    /// What a called function's operations refuse, for the arguments of the call.
    #[error("in {function}: {error}")]
    Call {
        /// The function.
        function: String,
        /// What was refused.
        error: Box<Error>,
    },
    /// An operand of the wrong number of polynomials.
    #[error("{operation}: {name} has {given} parts, allowed: {allowed}")]
    Parts {
        /// The operation.
        operation: &'static str,
        /// The operand.
        name: String,
        /// Parts it has.
        given: u8,
        /// Parts allowed.
        allowed: &'static str,
    },
    /// An operation that uses an evaluation key, under parameters without special primes.
    #[error(
        "{operation} needs an evaluation key, and {name} has no special prime: \
         it encrypts and decrypts only; presets with one: {alternatives}"
    )]
    ClientOnly {
        /// The operation.
        operation: String,
        /// Name of the parameters.
        name: String,
        /// Presets that have special primes.
        alternatives: String,
    },
    /// A program run with something that is not its input.
    #[error(
        "{program}: input {index} ({name}): {what} {given}, the program was built for {expected}"
    )]
    Input {
        /// The program.
        program: String,
        /// Position.
        index: usize,
        /// Name of the input.
        name: String,
        /// The property that differs.
        what: &'static str,
        /// The property of the ciphertext given.
        given: String,
        /// The property the program was built for.
        expected: String,
    },
    /// A program run with ciphertexts whose errors have more in common than it was built for.
    #[error(
        "{program}: the errors of {name} and of {other} may have something in common (they were read \
         from elsewhere, or computed from one ciphertext); the program was built for errors that \
         have not: build it for the ciphertexts at hand"
    )]
    Related {
        /// The program.
        program: String,
        /// An input.
        name: String,
        /// The input that it meets, or its own slots.
        other: String,
    },
    /// A program run with too few or too many ciphertexts.
    #[error("{program} takes {expected} ciphertexts, {given} given")]
    InputCount {
        /// The program.
        program: String,
        /// Ciphertexts given.
        given: usize,
        /// Ciphertexts expected.
        expected: usize,
    },
    /// Sharing a decryption would bury the message under the noise that protects the key.
    #[error(
        "no room to share this result: flooding for {statistical} statistical bits needs \
         {needed} bits of noise, and a result that keeps {precision} bits after the point has \
         room for {available:.1} (scale 2^{log_scale:.1}); encrypt at a larger scale, or ask for \
         less precision or fewer statistical bits"
    )]
    NoRoomToShare {
        /// Statistical bits asked for.
        statistical: u32,
        /// Bits of flooding noise they need.
        needed: u32,
        /// Bits after the point that the result was to keep.
        precision: u32,
        /// Bits of noise there is room for.
        available: f64,
        /// log2 of the ciphertext's scale.
        log_scale: f64,
    },
    /// What is to be shared is not what was expected.
    #[error("{what}: {given}, expected {expected}")]
    NotExpected {
        /// The property.
        what: String,
        /// What was given.
        given: String,
        /// What the key holder expects.
        expected: String,
    },
    /// A prediction from what a stranger said.
    #[error(
        "{what} was read from elsewhere: what it says of its noise is anybody's word, and a result is \
         shared on the strength of it; encrypt the input here"
    )]
    NotMadeHere {
        /// The ciphertext.
        what: String,
    },
    /// Two inputs, or two constants, of one name; or a value of another program.
    #[error("{what}")]
    Program {
        /// What is wrong.
        what: String,
    },
    /// A lower layer refused what checked parameters should have ruled out, or a device broke
    /// its contract.
    #[error("{0}")]
    Internal(String),
}

impl From<BufferError> for Error {
    fn from(error: BufferError) -> Self {
        Error::Rlwe(error.into())
    }
}

impl From<RunError> for Error {
    fn from(error: RunError) -> Self {
        Error::Rlwe(error.into())
    }
}

impl From<VerifyError> for Error {
    fn from(error: VerifyError) -> Self {
        Error::Rlwe(error.into())
    }
}
