//! What no transform on a machine can go below.

use crate::config::Config;

/// Cycles in which the lanes do nothing but butterflies: (N/2) log2 N of them.
pub fn bound(config: &Config, log_n: u32) -> u64 {
    let butterflies = u64::from(log_n) << (log_n - 1);
    let instructions = butterflies / config.vector_length as u64;
    instructions * (config.beats() as u64 * config.ii + config.gap)
}
