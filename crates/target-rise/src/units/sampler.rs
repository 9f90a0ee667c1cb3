//! The error sampling unit: SHAKE-256 and two samplers that take its blocks apart.
//!
//! The bits are those of `ringwright_ring::sampler`, whose definition the unit follows by itself:
//! seed, name length, name and tower are absorbed, 64 bits per cycle; every permutation gives a
//! block of 1088 bits, 25 centred binomial samples of 42 bits each (weight of the low 21 minus
//! weight of the high 21) or 136 bytes, of which 255 is skipped and any other gives (byte mod 3) - 1
//! (dissertation section 3.4.1). While a block is taken apart, the next permutation runs.
//!
//! One sample, or one byte, is taken per cycle and written into a bank group as a residue. The
//! number of blocks depends on N alone: skipped bytes move the write counter, never the time. (The
//! spare bytes run out with probability below 2^-115; the words left over then keep what they
//! held.) **Dropped:** keeping the samples on chip. Both halves of an encryption and every tower
//! need the ternary polynomial again, but 14 N bits of memory would be a quarter of the two
//! polynomials that the machine holds, so the unit draws it again from the same seed.
//!
//! A polynomial that arrives by DMA can be added on the way: one word per sample, `m + e0`. With
//! ternary samples the bus then shows where bytes were skipped, which says nothing of the others.
//!
//! Seed and messages are registers of the device: the seed is written for every run, what follows it
//! (length, name, tower and padding, in lanes of 64 bits) once. Hardware: `rise_sampler.sv`, whose
//! last lane of a block goes straight into the permutation, so that a register fits between sample
//! and bank.

use super::bank_group::{BankGroup, PortError};
use crate::shape::{Layout, Shape};
use ringwright_ring::shake::{Shake256, BLOCK_BYTES, BLOCK_WORDS};
use ringwright_sim::Trace;

/// Bits of one half of a binomial sample.
const HALF: u32 = 21;
/// Binomial samples of a block.
const SAMPLES: u64 = (BLOCK_WORDS as u64 * 64) / (2 * HALF as u64);
/// Lanes of a block are absorbed one per cycle.
const ABSORB_CYCLES: u64 = BLOCK_WORDS as u64;

/// What the unit can draw.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Draw {
    /// Uniform over {-1, 0, 1}.
    Ternary,
    /// Centred binomial, k = 21.
    Binomial,
}

/// The unit.
#[derive(Clone, Copy, Debug)]
pub struct Sampler {
    /// Cycles of one permutation.
    pub permutation_cycles: u64,
}

/// One polynomial to draw.
pub struct Request<'a> {
    /// The distribution.
    pub draw: Draw,
    /// 32 secret bytes.
    pub seed: &'a [u8],
    /// The stream's name.
    pub stream: &'a str,
    /// The modulus of the residues.
    pub q: u64,
    /// What is added to it on the way, and the cycles until its first word.
    pub addend: Option<(&'a [u64], u64)>,
}

impl Sampler {
    /// Cycles from the command until the last word is in its bank, `first_word` those until the
    /// first word of an addend.
    pub fn cycles(&self, n: usize, draw: Draw, stream: &str, first_word: u64) -> u64 {
        let per_block = per_block(draw);
        let blocks = blocks(n, draw);
        let last = match draw {
            Draw::Ternary => per_block,
            Draw::Binomial => n as u64 - (blocks - 1) * per_block,
        };
        self.first(stream, first_word) + (blocks - 1) * self.period(draw) + last
    }

    /// Permutations for a polynomial: those that absorb the message, the last of which gives the first
    /// block, and one for every further block.
    pub fn permutations(&self, n: usize, draw: Draw, stream: &str) -> u64 {
        absorbing(stream) + blocks(n, draw) - 1
    }

    /// Draws a polynomial into the banks from cycle `start` on; returns the first cycle after.
    pub fn draw<T: Trace>(
        &self,
        start: u64,
        shape: Shape,
        layout: Layout,
        request: &Request<'_>,
        group: &mut BankGroup<T>,
    ) -> Result<u64, PortError> {
        let (n, draw) = (shape.n(), request.draw);
        let first_word = request.addend.map_or(0, |(_, cycles)| cycles);
        let first = start + self.first(request.stream, first_word);
        let length = [request.stream.len() as u8];
        let parts = [request.seed, &length, request.stream.as_bytes(), &[0, 0]];
        let mut sponge = Shake256::new(&parts);
        let mut index = 0;
        for block in 0..blocks(n, draw) {
            let words = sponge.next_block();
            for position in 0..per_block(draw) {
                let Some(value) = sample(words, draw, position).filter(|_| index < n) else {
                    continue;
                };
                let mut residue = if value < 0 {
                    request.q - value.unsigned_abs()
                } else {
                    value.unsigned_abs()
                };
                if let Some((words, _)) = request.addend {
                    let sum = residue + words[index];
                    residue = if sum >= request.q {
                        sum - request.q
                    } else {
                        sum
                    };
                }
                let cycle = first + block * self.period(draw) + position;
                group.write(cycle, shape.word_address(layout, index), residue)?;
                group.settle(cycle)?;
                index += 1;
            }
        }
        Ok(start + self.cycles(n, draw, request.stream, first_word))
    }

    /// Cycles until the first sample can be written.
    fn first(&self, stream: &str, first_word: u64) -> u64 {
        (absorbing(stream) * (ABSORB_CYCLES + self.permutation_cycles)).max(first_word)
    }

    /// Cycles between two blocks.
    fn period(&self, draw: Draw) -> u64 {
        per_block(draw).max(self.permutation_cycles)
    }
}

/// Permutations that absorb seed, name and tower.
fn absorbing(stream: &str) -> u64 {
    let message = 32 + 1 + stream.len() + 2;
    (message / BLOCK_BYTES) as u64 + 1
}

/// Cycles in which a block is taken apart.
fn per_block(draw: Draw) -> u64 {
    match draw {
        Draw::Ternary => BLOCK_BYTES as u64,
        Draw::Binomial => SAMPLES,
    }
}

/// Blocks read for a polynomial.
fn blocks(n: usize, draw: Draw) -> u64 {
    match draw {
        Draw::Ternary => (n + n / 128 + 64).div_ceil(BLOCK_BYTES) as u64,
        Draw::Binomial => (n as u64).div_ceil(SAMPLES),
    }
}

/// What position `position` of a block gives; `None` for a skipped byte.
fn sample(block: &[u64; BLOCK_WORDS], draw: Draw, position: u64) -> Option<i64> {
    let position = position as usize;
    match draw {
        Draw::Ternary => {
            let byte = (block[position / 8] >> (8 * (position % 8))) & 0xff;
            (byte != 0xff).then_some((byte % 3) as i64 - 1)
        }
        Draw::Binomial => {
            let weight = |from: usize| -> i64 {
                let bit = |at: usize| (block[at / 64] >> (at % 64) & 1) as i64;
                (from..from + HALF as usize).map(bit).sum()
            };
            let start = position * 2 * HALF as usize;
            Some(weight(start) - weight(start + HALF as usize))
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::units::bank_group::interleaved;
    use ringwright_arith::Modulus;
    use ringwright_ring::sampler::{binomial21, ternary, to_tower, Xof};
    use ringwright_ring::Seed;

    #[test]
    fn the_bits_are_those_of_the_ring() {
        let shape = Shape { log_n: 9, log_p: 0 };
        let (q, layout) = (7681, Layout::ForwardIn);
        let unit = Sampler {
            permutation_cycles: 24,
        };
        let addend: Vec<u64> = (0..shape.n() as u64).map(|i| q - 1 - 3 * i).collect();
        let modulus = Modulus::new(q).expect("odd");
        for (seed, stream) in [([1; 32], "u"), ([9; 32], &*"long ".repeat(50))] {
            for draw in [Draw::Ternary, Draw::Binomial] {
                let xof = Xof::new(&Seed::from_bytes(seed), stream, 0).expect("a short name");
                let mut small = vec![0i8; shape.n()];
                match draw {
                    Draw::Ternary => ternary(xof, &mut small),
                    Draw::Binomial => binomial21(xof, &mut small),
                }
                let mut expected = vec![0u64; shape.n()];
                to_tower(&small, &modulus, &mut expected);
                for (word, &other) in expected.iter_mut().zip(&addend) {
                    *word = modulus.add(*word, other);
                }
                let mut group =
                    BankGroup::new("BG0", shape.banks(), shape.bank_words(), 0, interleaved);
                let request = Request {
                    draw,
                    seed: &seed,
                    stream,
                    q,
                    addend: Some((&addend, 1000)),
                };
                let end = unit
                    .draw(0, shape, layout, &request, &mut group)
                    .expect("ports");
                assert_eq!(end, unit.cycles(shape.n(), draw, stream, 1000));
                for (i, &word) in expected.iter().enumerate() {
                    let address = shape.word_address(layout, i);
                    assert_eq!(group.read(end + i as u64, address), Ok(word), "word {i}");
                }
            }
        }
    }
}
