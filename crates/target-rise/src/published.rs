//! What the papers print, from `spec/rise/published.toml`; never mixed with simulated numbers.

use ringwright_spec::{Machine, PublishedCost};
use ringwright_target::PublishedCycles;
use serde::Deserialize;
use std::sync::LazyLock;

/// Cycles of one transform, as printed.
#[derive(Clone, Debug, PartialEq, Eq, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct PublishedTransform {
    /// log2 of the degree.
    pub log_n: u32,
    /// Butterfly units.
    pub bfus: usize,
    /// Width of a word.
    pub word_bits: u32,
    /// The number.
    pub cycles: u64,
    /// Paper, table and page.
    pub source: String,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct File {
    transform: Vec<PublishedTransform>,
    cost: Vec<PublishedCost>,
}

/// Every printed transform.
pub fn transforms() -> &'static [PublishedTransform] {
    &FILE.transform
}

/// The number printed for a degree, a number of units and a width.
pub fn cycles(log_n: u32, bfus: usize, word_bits: u32) -> Option<PublishedCycles> {
    let fits = |row: &&PublishedTransform| {
        (row.log_n, row.bfus, row.word_bits) == (log_n, bfus, word_bits)
    };
    let row = FILE.transform.iter().find(fits)?;
    Some(PublishedCycles {
        cycles: row.cycles,
        source: row.source.clone(),
    })
}

/// What is printed of a machine's silicon.
pub fn costs(machine: &Machine) -> Vec<PublishedCost> {
    PublishedCost::of(&FILE.cost, machine)
}

// Part of the program, not input: the tests read it.
static FILE: LazyLock<File> = LazyLock::new(|| {
    let text = include_str!("../../../spec/rise/published.toml");
    toml::from_str(text).unwrap_or_else(|e| panic!("spec/rise/published.toml: {e}"))
});

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_30_bit_rows_fit_butterflies_and_stalls_without_drains() {
        let latency = 9;
        let narrow: Vec<_> = transforms()
            .iter()
            .filter(|row| row.word_bits == 30)
            .collect();
        assert!(!narrow.is_empty());
        for row in narrow {
            let (n, p) = (1u64 << row.log_n, row.bfus as u64);
            let fit = n / (2 * p) * u64::from(row.log_n) + latency * n / p - 1;
            // The row of N = 4096 is printed one below its fit.
            assert!(fit.abs_diff(row.cycles) <= 1, "N = {n}: {fit}");
        }
    }
}
