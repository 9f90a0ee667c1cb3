//! Cycles as formulas, derived from the schedule; tests hold the simulator to them.
//!
//! L = log2 N, p = log2 P, D the latency of the butterfly units, W = D + 4 + the reordering unit's
//! extra latency: a stage's last results are in their banks W cycles after its last operands were
//! read.
//!
//! One batch of factors held (the published unit). A stage issues N/2P times and drains; between
//! two batches of one stage the butterflies wait D cycles; batch 0 of a stage is made while the
//! stage before drains, which takes longer. Stage s has 2^s/P batches if that is more than one, and
//! the sum of 2^s/P - 1 over s = p .. L-1 is N/P - 1 - (L - p):
//!
//! ```text
//! forward: L (N/2P + W) + D (N/P - 1 - L + p)
//! inverse: the same + N/P + D (N/P - 1) + D + 1
//! ```
//!
//! The published table fits (N/2P) L + (9/P) N - 1: the same butterflies and D N/P cycles of
//! stalls, but nothing for L stages that drain.
//!
//! Enough batches held: no product displaces a butterfly, L (N/2P + W), [`floor`]. What no machine
//! here can beat is [`bound`], the larger of that and of what the multipliers have to do.
//!
//! A machine that stops at every stage for its factors takes [`drained_stages`]: a yardstick, which
//! machines go below that make factors while a stage drains.

use crate::config::Config;
use crate::shape::{Layout, Shape};
use crate::twiddles::{batches, Constants, Direction};

/// Cycles of a transform on a machine that holds one batch of factors.
pub fn stalled(config: &Config, shape: Shape, direction: Direction) -> u64 {
    let (n, l, p) = (
        shape.n() as u64,
        u64::from(shape.log_n),
        shape.bfus() as u64,
    );
    let d = config.bfu_latency;
    let stalls = n / p + u64::from(shape.log_p) - 1 - l;
    let forward = floor(config, shape) + d * stalls;
    match direction {
        Direction::Forward => forward,
        Direction::Inverse => forward + n / p + d * (n / p - 1) + d + 1,
    }
}

/// Cycles of a forward transform whose factors are always there: butterflies and drains.
pub fn floor(config: &Config, shape: Shape) -> u64 {
    u64::from(shape.log_n) * (shape.issues() + config.drain())
}

/// Cycles that a forward transform takes at least, in whatever order factors and butterflies are
/// issued, however many batches are held: L N/2P + max(L W, F + W), F the batches of factors that
/// are not constants, sum of max(1, 2^s/P) over s = 1 .. L-1.
///
/// Why nothing beats it. The P butterfly units take one issue a cycle: N/2P issues of butterflies a
/// stage, and one for each batch of factors. (a) The controller begins a stage when the results of
/// the stage before are in their banks (`rise_control.sv`), W cycles after its last butterfly, so
/// each of the L stages takes N/2P + W: [`floor`]. (b) A batch is made for butterflies that follow
/// it, so all F come before the last butterfly, and that one's results are in their banks W cycles
/// behind it: L N/2P + F + W.
///
/// Of hardware whose stages overlap this says nothing: the paper prints 103 cycles at N = 256,
/// which is less.
pub fn bound(config: &Config, shape: Shape) -> u64 {
    let stages = u64::from(shape.log_n);
    let factors: u64 = (1..shape.log_n).map(|stage| batches(shape, stage)).sum();
    let drains = stages * config.drain();
    stages * shape.issues() + drains.max(factors + config.drain())
}

/// Cycles in which P multipliers do all products, factors included, one after the other, and
/// every stage drains: ((N/2) L + N - 1)/P + L W, rounded up. No bound: a machine that makes factors
/// while a stage drains is faster.
pub fn drained_stages(config: &Config, shape: Shape) -> u64 {
    let (n, l, p) = (
        shape.n() as u64,
        u64::from(shape.log_n),
        shape.bfus() as u64,
    );
    (n / 2 * l + n - 1).div_ceil(p) + l * config.drain()
}

/// Cycles of a product or sum of two polynomials: N/P issues, one cycle in the banks, D in the
/// butterfly units.
pub fn pass(config: &Config, shape: Shape) -> u64 {
    shape.pass_issues() + config.bfu_latency + 1
}

/// Cycles of one half-encryption k u + e of polynomials in memory, on a machine that holds one
/// batch of factors: two transforms, a product and a sum, and the transfers that nothing hides. The
/// key is loaded beside the first transform, which takes longer.
pub fn half_encryption(config: &Config, shape: Shape) -> u64 {
    let dma = config.dma();
    let transfers =
        2 * dma.cycles(shape, Layout::ForwardIn) + dma.cycles(shape, Layout::ForwardOut);
    let transform = stalled(config, shape, Direction::Forward);
    call(config, shape) + transfers + 2 * transform + 2 * pass(config, shape)
}

/// Cycles of one decryption c1 s + c0: three loads, of which the bank groups hide none, a product,
/// a sum, an inverse transform, a store.
pub fn decryption(config: &Config, shape: Shape) -> u64 {
    let dma = config.dma();
    let transfers =
        3 * dma.cycles(shape, Layout::InverseIn) + dma.cycles(shape, Layout::InverseOut);
    let transform = stalled(config, shape, Direction::Inverse);
    call(config, shape) + transfers + 2 * pass(config, shape) + transform
}

/// Cycles around every call: its start, its constants, its interrupt.
fn call(config: &Config, shape: Shape) -> u64 {
    let constants = config.dma().stream(Constants::words(shape.log_n));
    config.start_cycles + constants + config.interrupt_cycles
}

/// Cycles of a forward transform of N = 8P, where a stage is one reorder group, if no stage waited
/// for anything but its own operands and every factor were there: the group's last operands enter
/// three cycles after its first, its first half-row is in the banks D + 1 cycles later at the
/// earliest, and the next stage reads it one cycle after that. L - 1 stages of D + 5 cycles, then a
/// last one of D + 8: (L - 1)(D + 5) + D + 8.
pub fn one_group_floor(config: &Config, shape: Shape) -> u64 {
    let (l, d) = (u64::from(shape.log_n), config.bfu_latency);
    (l - 1) * (d + 5) + d + 8
}
