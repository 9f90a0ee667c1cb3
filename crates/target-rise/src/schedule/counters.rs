//! How often the units of a part work: what energy is computed from.
//!
//! | group | counted |
//! |---|---|
//! | `bank` | words through the ports of either bank group |
//! | `bfu` | butterflies, products, sums, and products for the twiddle unit |
//! | `reordering_unit` | words that leave it |
//! | `sampler` | Keccak permutations; samples |
//! | `dma` | bytes from memory and to it, constants included |
//! | `control` | calls, registers written, interrupts |
//!
//! What a transform does is measured with its cycles; the rest follows from the degree.

use super::queue::Surroundings;
use crate::core::{Activity, Group, Pointwise};
use crate::lowered::{Drawn, Instruction, Part};
use crate::registers::REGISTERS;
use crate::shape::Shape;
use crate::twiddles::{Constants, Direction};
use crate::units::sampler::Sampler;
use ringwright_target::Counters;

const PORTS: [[&str; 2]; 2] = [["BG0 read", "BG0 write"], ["BG1 read", "BG1 write"]];

/// Of a part; `seeded`: whether it begins with the registers of the seed.
pub fn counters(common: &Surroundings<'_>, part: &Part, seeded: bool) -> Counters {
    let mut tally = Tally::default();
    for instruction in &part.instructions {
        tally.instruction(common, instruction);
    }
    let mut counters = Counters::new();
    tally.add_to(common, &mut counters);
    add_calls(common, part, seeded, &mut counters);
    counters
}

/// Of one transform in the first bank group.
pub fn transform_counters(shape: Shape, direction: Direction, activity: Activity) -> Counters {
    let mut counters = Counters::new();
    Words::new(shape, direction, activity).add_to(1, PORTS[0], &mut counters);
    counters
}

/// Polynomials of a part, by what is done with them; by bank group where there are two.
#[derive(Default)]
struct Tally {
    /// Written into a group by the DMA port or the sampler.
    filled: [u64; 2],
    stored: [u64; 2],
    forward: [u64; 2],
    inverse: [u64; 2],
    products: u64,
    sums: u64,
    loaded: u64,
    drawn: u64,
    permutations: u64,
}

impl Tally {
    fn instruction(&mut self, common: &Surroundings<'_>, instruction: &Instruction) {
        match instruction {
            Instruction::Load(_, group, _) => {
                self.filled[*group as usize] += 1;
                self.loaded += 1;
            }
            Instruction::Sample(drawn, group, _) => {
                self.filled[*group as usize] += 1;
                self.draw(common, drawn);
            }
            Instruction::LoadSum(_, drawn, group, _) => {
                self.filled[*group as usize] += 1;
                self.loaded += 1;
                self.draw(common, drawn);
            }
            Instruction::Transform(group, Direction::Forward) => {
                self.forward[*group as usize] += 1;
            }
            Instruction::Transform(group, Direction::Inverse) => {
                self.inverse[*group as usize] += 1;
            }
            Instruction::Pointwise(Pointwise::Mul) => self.products += 1,
            Instruction::Pointwise(_) => self.sums += 1,
            Instruction::Store(_, group, _) => self.stored[*group as usize] += 1,
        }
    }

    fn draw(&mut self, common: &Surroundings<'_>, drawn: &Drawn) {
        let n = common.instructions.shape.n();
        let permutations = |unit: Sampler| unit.permutations(n, drawn.draw, &drawn.stream);
        self.drawn += 1;
        self.permutations += common.config.sampler().map_or(0, permutations);
    }

    fn add_to(&self, common: &Surroundings<'_>, counters: &mut Counters) {
        let shape = common.instructions.shape;
        let (n, bytes) = (shape.n() as u64, common.config.bytes_per_word());
        let both = self.products + self.sums;
        for group in [Group::Bg0, Group::Bg1] {
            let (g, [read, write]) = (group as usize, PORTS[group as usize]);
            let results = if group == Group::Bg1 { both } else { 0 };
            counters.add("bank", read, n * (self.stored[g] + both));
            counters.add("bank", write, n * (self.filled[g] + results));
        }
        if let Some(measured) = &common.instructions.measured {
            for (of, direction) in [
                (self.forward, Direction::Forward),
                (self.inverse, Direction::Inverse),
            ] {
                let words = Words::new(shape, direction, measured.transform(direction).activity);
                of.iter()
                    .zip(PORTS)
                    .for_each(|(&times, ports)| words.add_to(times, ports, counters));
            }
        }
        counters.add("bfu", "product", n * self.products);
        counters.add("bfu", "sum", n * self.sums);
        counters.add("sampler", "sample", n * self.drawn);
        counters.add("sampler", "permutation", self.permutations);
        counters.add("dma", "bytes read", n * bytes * self.loaded);
        counters.add(
            "dma",
            "bytes written",
            n * bytes * self.stored.iter().sum::<u64>(),
        );
    }
}

/// Words of one transform.
struct Words {
    butterflies: u64,
    /// Coefficients times their factor, behind an inverse transform.
    scaled: u64,
    twiddles: u64,
    reordered: u64,
}

impl Words {
    fn new(shape: Shape, direction: Direction, of: Activity) -> Self {
        let scaling = match direction {
            Direction::Forward => 0,
            Direction::Inverse => shape.pass_issues(),
        };
        let p = shape.bfus() as u64;
        Words {
            butterflies: p * (of.operands - scaling),
            scaled: p * scaling,
            twiddles: p * of.factors,
            reordered: 2 * p * of.half_rows,
        }
    }

    fn add_to(&self, times: u64, [read, write]: [&'static str; 2], counters: &mut Counters) {
        counters.add("bank", read, times * (2 * self.butterflies + self.scaled));
        counters.add("bank", write, times * (self.reordered + self.scaled));
        counters.add("bfu", "butterfly", times * self.butterflies);
        counters.add("bfu", "product", times * self.scaled);
        counters.add("bfu", "twiddle product", times * self.twiddles);
        counters.add("reordering_unit", "word", times * self.reordered);
    }
}

/// What every call brings with it.
fn add_calls(common: &Surroundings<'_>, part: &Part, seeded: bool, counters: &mut Counters) {
    let calls = part.calls().count() as u64;
    let log_n = common.instructions.shape.log_n;
    let constants = Constants::words(log_n) as u64 * common.config.bytes_per_word();
    let seed = if seeded {
        REGISTERS.writes_per_run()
    } else {
        0
    };
    counters.add("dma", "bytes read", calls * constants);
    counters.add("control", "call", calls);
    counters.add(
        "control",
        "register write",
        calls * REGISTERS.writes_per_call() + seed,
    );
    counters.add("control", "interrupt", calls);
}
