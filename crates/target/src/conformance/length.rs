//! Programs of any length on a device, for whoever asks what their length costs.

use super::case::same;
use crate::Device;
use ringwright_arith::primes::ntt_primes;
use ringwright_ir::generate::{self, long, Long};
use ringwright_ir::interpret::Interpreter;
use ringwright_ir::ring::Module;
use ringwright_ir::{RunError, Value};

/// Bits of the prime; every machine takes such words.
const PRIME_BITS: u32 = 30;

/// A program of about `ops` operations, long in this way, on one tower of degree 2^`log_n`.
///
/// # Errors
/// A degree that no program has.
pub fn program(how: Long, ops: usize, log_n: u32) -> Result<Module, String> {
    program_of(how, ops, log_n, PRIME_BITS)
}

/// The same under a prime of so many bits.
pub(super) fn program_of(how: Long, ops: usize, log_n: u32, bits: u32) -> Result<Module, String> {
    let primes = ntt_primes(bits, log_n, 1).map_err(|error| error.to_string())?;
    long(how, ops, log_n, primes[0]).map_err(|error| error.to_string())
}

/// The smallest degree whose programs the device takes, as a logarithm; none where it takes none.
pub fn smallest_degree(device: &dyn Device) -> Option<u32> {
    let takes = |log_n: &u32| {
        let module = program(Long::Products, 1, *log_n);
        module.is_ok_and(|module| device.lower(&module).is_ok())
    };
    (4..=17).find(takes)
}

/// Runs a program on random words; they must come out as the interpreter has them.
///
/// # Errors
/// What the device says of the program, or the first word that differs.
pub fn compare(device: &dyn Device, module: &Module) -> Result<(), RunError> {
    let inputs: Vec<Value> = generate::inputs(1, module);
    let expected = Interpreter.prepare(module)?.run(&inputs)?;
    let found = device.lower(module)?.run(&inputs)?;
    same(&expected, &found).map_err(RunError::Invalid)
}
