//! How a polynomial lies in the banks, and how long what is done with it takes.
//!
//! A memory has 2k banks for the k butterfly units of an NTT core. Word i lies in row i / 2k of the
//! bank whose number is the exclusive or of the digits of i in base 2k, so that the 2k words of any k
//! butterflies of a stage that differ in the digits' bits lie in all banks, whatever the stage.
//!
//! A stage takes a row of butterflies in a cycle, words in place. The next one begins behind its last
//! read, but not before what it reads first has been written: stages count rows in the order of
//! their words, so that is at most half a stage, a row and the butterfly's latency after the stage began.

use crate::config::{Config, RingOrder};
use crate::microcode::{Slot, ISA};
use ringwright_arith::bits::bit_reverse;
use ringwright_ir::ring::Domain;
use ringwright_ir::RunError;

/// Of one degree on one machine.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Shape {
    /// log2 of the degree.
    pub log_n: u32,
    /// log2 of the banks.
    pub log_banks: u32,
    /// Towers in each of the four memories.
    pub slots: usize,
    /// Towers behind the ring.
    pub landing: usize,
}

impl Shape {
    /// How polynomials of this degree lie in a machine's memories, or why they do not.
    pub fn of(config: &Config, log_n: u32) -> Result<Self, RunError> {
        let (least, most) = (config.log_butterflies + 2, config.max_log_n);
        if !(least..=most).contains(&log_n) {
            return Err(config.unsupported(format!(
                "N = {}: butterflies = {} and max_degree = {} take N of {} to {}",
                1u64 << log_n,
                config.banks() / 2,
                1u64 << most,
                1u64 << least,
                1u64 << most
            )));
        }
        let slots = (config.banks() * config.bank_words) >> log_n;
        Ok(Shape {
            log_n,
            log_banks: config.log_butterflies + 1,
            slots: slots.min(ISA.slots),
            landing: (config.landing_towers << (config.max_log_n - log_n)).min(ISA.slots),
        })
    }

    /// The degree.
    pub fn n(&self) -> usize {
        1 << self.log_n
    }

    /// Rows of a tower.
    pub fn rows(&self) -> u64 {
        1 << (self.log_n - self.log_banks)
    }

    /// The bank of a word.
    pub fn bank(&self, word: usize) -> usize {
        let mask = (1 << self.log_banks) - 1;
        let digits = std::iter::successors(Some(word), |rest| Some(rest >> self.log_banks));
        digits
            .take_while(|&rest| rest > 0)
            .fold(0, |bank, rest| bank ^ (rest & mask))
    }

    /// The words of the butterflies of a row of the stage that pairs words which differ in bit
    /// `pair`.
    pub fn row(&self, pair: u32, row: usize) -> Vec<usize> {
        let across = self.across(pair);
        let rest = (0..self.log_n).filter(|bit| !across.contains(bit));
        let base = rest
            .enumerate()
            .fold(0, |word, (place, bit)| word | (row >> place & 1) << bit);
        let spread = |lane: usize| {
            let bits = across.iter().enumerate();
            bits.fold(base, |word, (place, bit)| word | (lane >> place & 1) << bit)
        };
        (0..1 << self.log_banks).map(spread).collect()
    }

    /// The bits of words that differ within a row: the pair's, and the low ones that select other
    /// banks.
    fn across(&self, pair: u32) -> Vec<u32> {
        let low = (0..self.log_banks).filter(|bit| *bit != pair % self.log_banks);
        low.chain([pair]).collect()
    }

    /// The bits that a transform's stages pair, first to last.
    pub fn stages(&self, inverse: bool) -> Vec<u32> {
        match inverse {
            true => (0..self.log_n).collect(),
            false => (0..self.log_n).rev().collect(),
        }
    }

    /// Cycles from the beginning of a stage to that of the next.
    pub fn stage(&self, config: &Config) -> u64 {
        let rows = self.rows();
        rows.max(rows / 2 + 1 + config.ntt_latency)
    }

    /// Cycles of so many stages: until another can follow or, behind the last of a transform, until the
    /// last word can be read. `hw/medha/rtl/medha_ntt_core.sv` takes these, which its bench asserts.
    pub fn transform(&self, config: &Config, stages: u32, last: bool) -> u64 {
        let stages = u64::from(stages);
        match last {
            true => (stages - 1) * self.stage(config) + self.rows() + config.ntt_latency - 1,
            false => stages * self.stage(config),
        }
    }

    /// Cycles of a dyadic operation that reads each word of a memory so many times, until its last word can
    /// be read; `hw/medha/rtl/medha_dyadic_core.sv` takes these.
    pub fn dyadic(&self, config: &Config, passes: u64) -> u64 {
        let words = (self.n() / config.dyadic_lanes).max(1) as u64;
        config.issue_cycles + passes * words + config.dyadic_latency - 1
    }

    /// Cycles of an automorphism: each row takes as long as its words that go to one bank, and the last
    /// can be read two cycles after it is chosen; `hw/medha/rtl/medha_automorphism.sv` takes these.
    pub fn automorphism(&self, config: &Config, galois: u64, domain: Domain) -> u64 {
        let banks = 1 << self.log_banks;
        let mut waits = vec![0u64; banks];
        let mut cycles = 0;
        for row in 0..self.rows() as usize {
            waits.fill(0);
            for word in row * banks..(row + 1) * banks {
                waits[self.bank(self.image(galois, domain, word))] += 1;
            }
            cycles += waits.iter().max().copied().unwrap_or(0);
        }
        config.issue_cycles + cycles + 2
    }

    /// Where the word of a tower goes when X becomes X to the power `galois`.
    pub fn image(&self, galois: u64, domain: Domain, word: usize) -> usize {
        let (n, galois) = (self.n() as u64, galois % (2 * self.n() as u64));
        match domain {
            Domain::Coeff => (word as u64 * galois % n) as usize,
            Domain::Eval => {
                // Word i is at the power 2 brv(i) + 1; it is the image's at the power divided by galois.
                let power = 2 * bit_reverse(word, self.log_n) as u64 + 1;
                let power = power * inverse(galois, 2 * n) % (2 * n);
                bit_reverse(((power - 1) / 2) as usize, self.log_n)
            }
        }
    }

    /// Cycles of a tower on the ring, from an RPAU to the last of `hops` neighbours.
    pub fn broadcast(&self, config: &Config, from: usize, hops: usize) -> u64 {
        let links = (0..hops).map(|hop| link(config, (from + hop) % config.rpaus));
        let words = (self.n() / config.ring_words).max(1) as u64;
        config.issue_cycles + links.sum::<u64>() + words
    }

    /// Bytes of a tower in the memory behind the DMA lanes.
    pub fn bytes(&self) -> u64 {
        self.n() as u64 * crate::config::BYTES_PER_WORD
    }

    /// Cycles of a tower through a DMA lane.
    pub fn transfer(&self, config: &Config) -> u64 {
        config.dma_latency + self.bytes().div_ceil(config.dma_bytes_per_cycle)
    }
}

/// The inverse of an odd number modulo a power of two.
pub fn inverse(x: u64, modulus: u64) -> u64 {
    // Each step doubles the bits that are right.
    let step = |y: u64| y.wrapping_mul(2u64.wrapping_sub(x.wrapping_mul(y)));
    (0..6).fold(x, |y, _| step(y)) % modulus
}

/// Links that a tower takes, from an RPAU to the last of those that get it, in the order of the ring.
pub fn hops(config: &Config, from: u8, to: &[(u8, Slot)]) -> usize {
    let count = config.rpaus;
    to.last().map_or(0, |&(last, _)| {
        (usize::from(last) + count - usize::from(from)) % count
    })
}

/// Cycles of the link from an RPAU to the next.
pub fn link(config: &Config, from: usize) -> u64 {
    let next = (from + 1) % config.rpaus;
    let crossed = slr(config, from).abs_diff(slr(config, next)) as u64;
    config.hop_cycles + config.slr_cycles * crossed
}

/// The die of an RPAU.
pub fn slr(config: &Config, rpau: usize) -> usize {
    match config.ring_order {
        RingOrder::Straight => rpau * config.slrs / config.rpaus,
        RingOrder::Folded => {
            let place = rpau * 2 * config.slrs / config.rpaus;
            place.min(2 * config.slrs - 1 - place)
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use ringwright_spec::Machine;
    use std::collections::BTreeSet;

    fn config(changes: &str) -> Config {
        let given = changes.lines().map(|line| {
            let (key, value) = line.split_once(" = ").expect("key = value");
            format!(
                "{key} = {{ value = {value}, source = \"test\" }}
"
            )
        });
        let head = "name = \"m\"
target = \"medha\"
title = \"t\"
[parameters]
";
        let text = format!("{head}{}", given.collect::<String>());
        Config::new(&Machine::parse("m.toml", &text).expect("allowed")).expect("built")
    }

    #[test]
    fn every_row_of_every_stage_takes_one_word_of_each_bank() {
        for (butterflies, log_n) in [(1, 4), (2, 5), (4, 9), (16, 12)] {
            let config = config(&format!(
                "butterflies = {butterflies}\ndyadic_lanes = 1\nring_words = 1\nmax_degree = 4096\nbank_words = 65536"
            ));
            let shape = Shape::of(&config, log_n).expect("a degree");
            for pair in 0..log_n {
                let mut all = BTreeSet::new();
                for row in 0..shape.rows() as usize {
                    let words = shape.row(pair, row);
                    let banks: BTreeSet<usize> = words.iter().map(|&w| shape.bank(w)).collect();
                    assert_eq!(banks.len(), 2 * butterflies);
                    assert!(words.iter().all(|word| words.contains(&(word ^ 1 << pair))));
                    all.extend(words);
                }
                assert_eq!(all.len(), shape.n());
            }
        }
    }

    #[test]
    fn no_stage_reads_what_is_not_written_and_none_could_begin_earlier() {
        for (latency, log_n) in [(5, 6), (9, 6), (18, 8), (18, 10), (64, 10)] {
            let config = config(&format!(
                "butterflies = 4\ndyadic_lanes = 8\nring_words = 8\nmax_degree = 4096\nntt_latency = {latency}"
            ));
            let shape = Shape::of(&config, log_n).expect("a degree");
            for inverse in [false, true] {
                let mut least = 0;
                for pair in shape.stages(inverse).windows(2) {
                    let rows = 0..shape.rows() as usize;
                    let mut written = vec![0; shape.n()];
                    for row in rows.clone() {
                        let at = row as u64 + latency;
                        shape
                            .row(pair[0], row)
                            .iter()
                            .for_each(|&w| written[w] = at);
                    }
                    for row in rows {
                        let words = shape.row(pair[1], row);
                        let ready = words.iter().map(|&w| written[w]).max().unwrap_or(0);
                        least = least.max(ready.saturating_sub(row as u64));
                    }
                }
                assert_eq!(
                    least.max(shape.rows()),
                    shape.stage(&config),
                    "{latency} {log_n}"
                );
            }
        }
    }

    #[test]
    fn an_automorphism_moves_words_where_its_definition_says() {
        let shape = Shape::of(&config(""), 6).expect("a degree");
        for galois in [3u64, 5, 127] {
            let words: Vec<u128> = (0..64).collect();
            let moved = ringwright_target::definition::automorphism_of_evaluations(galois, &words);
            for word in 0..64 {
                assert_eq!(moved[shape.image(galois, Domain::Eval, word)], word as u128);
            }
        }
    }

    #[test]
    fn a_folded_ring_crosses_one_border_at_most() {
        let folded = config("");
        let straight = config("ring_order = \"straight\"");
        let longest = |config: &Config| (0..config.rpaus).map(|r| link(config, r)).max();
        assert_eq!(longest(&folded), Some(4));
        assert_eq!(longest(&straight), Some(8));
        assert_eq!(
            (0..10).map(|r| slr(&folded, r)).collect::<Vec<_>>(),
            [0, 0, 1, 2, 3, 3, 3, 2, 1, 0]
        );
    }
}
