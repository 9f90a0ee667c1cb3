//! The DMA unit: one polynomial at a time between memory and a bank group.
//!
//! Memory holds polynomials as the program has them: coefficients in order, evaluations in
//! bit-reversed order. The banks hold them in the layouts of [`crate::shape`], and the unit makes
//! the addresses. It moves w words per cycle, each into another bank. Around an inverse transform
//! neighbours in memory are in neighbouring banks. Around a forward transform they are in one
//! bank, because the layout is bit-reversed; there the unit reads w streams N/w words apart in
//! turn, a burst of b words of each, and a register array of 2 x w x b words turns rows into columns:
//! b more cycles per transfer. (A bus as wide as the banks would not need that; the papers give no
//! width.) Hardware: `rise_dma.sv`. Of `latency` two cycles are registers in front of the bus and
//! behind it.

use super::bank_group::{BankGroup, PortError};
use crate::shape::{Layout, Shape};
use ringwright_sim::Trace;

/// The port.
#[derive(Clone, Copy, Debug)]
pub struct Dma {
    /// Words per cycle, w.
    pub words_per_cycle: usize,
    /// Words of one of several streams that follow each other; at least w are taken, at most all.
    pub burst_words: usize,
    /// Cycles from the command to the first word.
    pub latency: u64,
}

impl Dma {
    /// Cycles that a transfer of one polynomial takes.
    pub fn cycles(&self, shape: Shape, layout: Layout) -> u64 {
        self.fill(shape, layout) + self.stream(shape.n())
    }

    /// Cycles that a transfer of words to registers takes.
    pub fn stream(&self, words: usize) -> u64 {
        self.latency + words.div_ceil(self.words_per_cycle) as u64
    }

    /// Writes a polynomial into the banks from cycle `start` on; returns the first cycle after.
    pub fn load<T: Trace>(
        &self,
        start: u64,
        shape: Shape,
        layout: Layout,
        words: &[u64],
        group: &mut BankGroup<T>,
    ) -> Result<u64, PortError> {
        let first = start + self.latency + self.fill(shape, layout);
        for beat in 0..shape.n() / self.words_per_cycle {
            let cycle = first + beat as u64;
            for index in self.beat(shape, layout, beat) {
                group.write(cycle, shape.word_address(layout, index), words[index])?;
            }
            group.settle(cycle)?;
        }
        Ok(start + self.cycles(shape, layout))
    }

    /// Reads a polynomial out of the banks.
    pub fn store<T: Trace>(
        &self,
        start: u64,
        shape: Shape,
        layout: Layout,
        group: &mut BankGroup<T>,
        words: &mut [u64],
    ) -> Result<u64, PortError> {
        for beat in 0..shape.n() / self.words_per_cycle {
            for index in self.beat(shape, layout, beat) {
                let address = shape.word_address(layout, index);
                words[index] = group.read(start + beat as u64, address)?;
            }
        }
        Ok(start + self.cycles(shape, layout))
    }

    /// Positions in memory of the words that cross the banks' ports in one cycle.
    fn beat(&self, shape: Shape, layout: Layout, beat: usize) -> impl Iterator<Item = usize> {
        let w = self.words_per_cycle;
        let (first, apart) = match strided(layout) {
            true => (beat, shape.n() / w),
            false => (beat * w, 1),
        };
        (0..w).map(move |y| first + y * apart)
    }

    /// Cycles until w streams have each sent a burst, which can then be turned around.
    fn fill(&self, shape: Shape, layout: Layout) -> u64 {
        let w = self.words_per_cycle;
        match strided(layout) && w > 1 {
            true => self.burst_words.clamp(w, shape.n() / w) as u64,
            false => 0,
        }
    }
}

/// Whether neighbours in memory lie in one bank.
fn strided(layout: Layout) -> bool {
    matches!(layout, Layout::ForwardIn | Layout::ForwardOut)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::units::bank_group::interleaved;

    #[test]
    fn every_layout_crosses_the_ports_and_comes_back() {
        let shape = Shape { log_n: 8, log_p: 1 };
        let words: Vec<u64> = (0..shape.n() as u64).map(|i| 7 * i + 1).collect();
        for words_per_cycle in [1, 2, 8] {
            let dma = Dma {
                words_per_cycle,
                burst_words: 16,
                latency: 3,
            };
            use Layout::{ForwardIn, ForwardOut, InverseIn, InverseOut};
            for layout in [ForwardIn, ForwardOut, InverseIn, InverseOut] {
                let mut group =
                    BankGroup::new("BG0", shape.banks(), shape.bank_words(), 0, interleaved);
                let end = dma
                    .load(10, shape, layout, &words, &mut group)
                    .expect("no conflict");
                assert_eq!(end, 10 + dma.cycles(shape, layout));
                let mut back = vec![0; shape.n()];
                dma.store(end, shape, layout, &mut group, &mut back)
                    .expect("no conflict");
                assert_eq!(back, words, "{layout:?}");
            }
        }
    }
}
