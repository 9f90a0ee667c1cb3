//! What the host does in a case, access by access.
//!
//! A write takes two cycles of the bus. An interrupt takes three: the host sees the line in one and
//! reads the status register in two. The host begins every step as soon as it has ended the one
//! before.

use crate::hosted::Hosted;
use crate::request;
use crate::schedule::What;
use ringwright_ir::RunError;
use ringwright_target::image::{HostAction, RegisterWrite};
use ringwright_target::{Image, Interval};

/// Bits of an access: 32 of the word to write, or of the cycle in which an interrupt is seen, counted
/// from the first access; ten of the register's offset; one that says it waits for an interrupt.
pub const ACCESS_BITS: u32 = 43;

const OFFSET: u32 = 32;
const INTERRUPT: u128 = 1 << 42;
const CYCLES_OF_ACCESS: u64 = 2;

/// Every access of the host, in order.
pub fn accesses(hosted: &Hosted, image: &Image) -> Result<Vec<u128>, RunError> {
    let write =
        |write: &RegisterWrite| u128::from(write.offset) << OFFSET | u128::from(write.value);
    let status = u128::from(request::write("status", 0, 0).offset) << OFFSET;
    let intervals = intervals(hosted, image.set_up.len() as u64 * CYCLES_OF_ACCESS);
    let mut accesses: Vec<u128> = image.set_up.iter().map(write).collect();
    for (step, action) in hosted.host_steps().into_iter().zip(&image.script) {
        match action {
            HostAction::Write(writes) => accesses.extend(writes.iter().map(write)),
            HostAction::TakeInterrupt => {
                accesses.push(INTERRUPT | status | u128::from(intervals[step].start));
            }
            HostAction::Function { name, .. } => {
                let reason = format!("a program of a package leaves {name} to the host");
                return Err(RunError::Invalid(reason));
            }
        }
    }
    Ok(accesses)
}

/// When each step is, the first `offset` cycles behind the first access.
pub fn intervals(hosted: &Hosted, offset: u64) -> Vec<Interval> {
    let durations = hosted.durations(|what, operations| match what {
        What::TakeInterrupt => 1 + CYCLES_OF_ACCESS,
        _ => operations.values().sum::<u64>() * CYCLES_OF_ACCESS,
    });
    let shifted = |interval: Interval| Interval {
        start: interval.start + offset,
        end: interval.end + offset,
    };
    hosted.place(&durations).into_iter().map(shifted).collect()
}
