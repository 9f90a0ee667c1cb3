//! X to X^g: a permutation of words, for which B512 has no instruction.
//!
//! In coefficient form the word at i goes to g i, with a sign; in evaluation form the word at
//! exponent 2x + 1 goes to (2x + 1)/g, that is, x goes to h x + (h - 1)/2 with h = 1/g. Both are
//! x -> g x + c modulo a power of two, and such a map is built bit by bit: g is odd, so bit 0 of
//! the image is bit 0 of x, inverted if c is odd; and with bit 0 known the other bits are again
//! such a map, g x' + c', where c' = (g x0 + c) >> 1. So the permutation is log2 N passes over
//! pairs; in pass k a pair that differs in bit k is exchanged or not, according to the k bits below
//! that are already in place. Bit k of x is bit k of the position in coefficient form, bit
//! log2 N - 1 - k in evaluation form, which is bit-reversed.
//!
//! Pairs of one instruction may decide differently; a mask m of zeros and ones then selects:
//! d = (high - low) m, low + d, high - d. A vector of pairs costs 9 instructions with a mask (three
//! loads, four operations, two stores), 4 if all are exchanged, none if all stay. Signs cost one
//! more pass. The general alternative, one word at a time through `repeated 0` loads and
//! overlapping stores, takes 2N instructions; this takes at most 9 N/1024 log2 N, and fewer for
//! the rotations by powers of two that sums over slots need: g = 1 modulo 2^(j+2) leaves the first
//! j + 1 passes out.

use super::assembler::{register, SETS};
use super::Writer;
use crate::isa::{Mode, Op};
use crate::kernels::shape::Pairs;
use crate::kernels::table::Symbol;
use ringwright_arith::bits::bit_reverse;
use ringwright_ir::ring::Domain;

/// Registers of a set.
const LOW: usize = 0;
const HIGH: usize = 1;
const MASK: usize = 2;
const DIFFERENCE: usize = 3;
const MOVED: usize = 4;
const LOW_RESULT: usize = 5;
const HIGH_RESULT: usize = 6;

/// Writes the program.
pub fn write(writer: &mut Writer, galois: u64, domain: Domain) {
    let map = Map::new(writer.shape.log_n, galois, domain);
    // Fences load a word of the table, so there is one even where no vector of pairs needs a mask.
    writer.place(vec![Symbol::One; writer.shape.vector()]);
    let mut written = false;
    for bit in 0..map.log_n {
        written |= exchange(writer, &map, bit, written);
    }
    if domain == Domain::Coeff {
        signs(writer, &map, written);
    }
}

/// x -> factor x + summand on the positions of a tower.
struct Map {
    log_n: u32,
    factor: u64,
    summand: u64,
    domain: Domain,
}

impl Map {
    fn new(log_n: u32, galois: u64, domain: Domain) -> Self {
        let (factor, summand) = match domain {
            Domain::Coeff => (galois, 0),
            Domain::Eval => {
                let inverse = inverse_of_odd(galois) & ((2 << log_n) - 1);
                (inverse, inverse / 2)
            }
        };
        Map {
            log_n,
            factor,
            summand,
            domain,
        }
    }

    /// log2 of the distance of two words whose places differ in this bit.
    fn log_distance(&self, bit: u32) -> u32 {
        match self.domain {
            Domain::Coeff => bit,
            Domain::Eval => self.log_n - 1 - bit,
        }
    }

    /// What is left of the sum once the low `bits` bits of the image are those of this position.
    fn carry(&self, position: usize, bits: u32) -> u64 {
        let position = position & ((1 << self.log_n) - 1);
        let image = match self.domain {
            Domain::Coeff => position,
            Domain::Eval => bit_reverse(position, self.log_n),
        } as u64;
        (0..bits).fold(self.summand, |carry, bit| {
            let of_argument = (image >> bit ^ carry) & 1;
            (self.factor * of_argument + carry) >> 1
        })
    }

    fn is_exchanged(&self, position: usize, bit: u32) -> bool {
        self.carry(position, bit) & 1 == 1
    }
}

/// Modulo 2^64, by Newton's iteration, which doubles the right bits: 3, 6, .. 96.
fn inverse_of_odd(x: u64) -> u64 {
    (0..5).fold(x, |inverse, _| {
        inverse.wrapping_mul(2u64.wrapping_sub(x.wrapping_mul(inverse)))
    })
}

/// What becomes of the pairs of one instruction.
enum Choice {
    Stay,
    Exchange,
    Select(Vec<Symbol>),
}

fn choose(writer: &Writer, map: &Map, bit: u32, pairs: &Pairs) -> Choice {
    let mask = (0..writer.shape.vector()).map(|i| match map.is_exchanged(pairs.position(i), bit) {
        true => Symbol::One,
        false => Symbol::Zero,
    });
    let mask: Vec<Symbol> = mask.collect();
    if mask.iter().all(|&symbol| symbol == Symbol::Zero) {
        Choice::Stay
    } else if mask.iter().all(|&symbol| symbol == Symbol::One) {
        Choice::Exchange
    } else {
        Choice::Select(mask)
    }
}

/// One pass; whether it was needed. The first one also moves what stays.
fn exchange(writer: &mut Writer, map: &Map, bit: u32, written: bool) -> bool {
    let pairs = writer.shape.pairs(map.log_distance(bit));
    let mut moves: Vec<(Pairs, Choice)> = pairs
        .into_iter()
        .map(|pairs| (pairs, choose(writer, map, bit, &pairs)))
        .collect();
    let stays = |choice: &Choice| matches!(choice, Choice::Stay);
    if moves.iter().all(|(_, choice)| stays(choice)) {
        return false;
    }
    if written {
        moves.retain(|(_, choice)| !stays(choice));
    }
    for group in moves.chunks(SETS) {
        exchange_group(writer, group, written);
    }
    true
}

fn exchange_group(writer: &mut Writer, group: &[(Pairs, Choice)], written: bool) {
    for (set, (pairs, choice)) in group.iter().enumerate() {
        writer.load_current(register(set, LOW), written, pairs.low, pairs.mode);
        writer.load_current(register(set, HIGH), written, pairs.high, pairs.mode);
        if let Choice::Select(mask) = choice {
            let place = writer.place(mask.clone());
            writer.load_constants(register(set, MASK), place);
        }
    }
    for (set, (_, choice)) in group.iter().enumerate() {
        if let Choice::Select(_) = choice {
            select(writer, set);
        }
    }
    for (set, (pairs, choice)) in group.iter().enumerate() {
        let (low, high) = match choice {
            Choice::Stay => (LOW, HIGH),
            Choice::Exchange => (HIGH, LOW),
            Choice::Select(_) => (LOW_RESULT, HIGH_RESULT),
        };
        writer.store(register(set, low), pairs.low, pairs.mode);
        writer.store(register(set, high), pairs.high, pairs.mode);
    }
}

fn select(writer: &mut Writer, set: usize) {
    let all = [LOW, HIGH, MASK, DIFFERENCE, MOVED, LOW_RESULT, HIGH_RESULT];
    let [low, high, mask, difference, moved, low_result, high_result] =
        all.map(|index| register(set, index));
    let code = &mut writer.code;
    code.vector(Op::Sub, difference, high, low);
    code.vector(Op::Mul, moved, difference, mask);
    code.vector(Op::Add, low_result, low, moved);
    code.vector(Op::Sub, high_result, high, moved);
}

/// Multiplies by the signs, where a vector has any; the only pass if no word has moved.
fn signs(writer: &mut Writer, map: &Map, written: bool) {
    let length = writer.shape.vector();
    let sign = |position: usize| match map.carry(position, map.log_n) & 1 {
        0 => Symbol::One,
        _ => Symbol::MinusOne,
    };
    let vectors = (0..writer.shape.vectors()).map(|vector| {
        let first = vector * length;
        let signs: Vec<Symbol> = (first..first + length).map(sign).collect();
        (first as u32, signs)
    });
    let plain = |signs: &[Symbol]| signs.iter().all(|&sign| sign == Symbol::One);
    let mut vectors: Vec<_> = vectors.collect();
    vectors.retain(|(_, signs)| !written || !plain(signs));
    for group in vectors.chunks(SETS) {
        for (set, (offset, signs)) in group.iter().enumerate() {
            writer.load_current(register(set, LOW), written, *offset, Mode::Linear);
            let place = writer.place(signs.clone());
            writer.load_constants(register(set, MASK), place);
        }
        for set in 0..group.len() {
            let [result, word, sign] = [LOW_RESULT, LOW, MASK].map(|index| register(set, index));
            writer.code.vector(Op::Mul, result, word, sign);
        }
        for (set, (offset, _)) in group.iter().enumerate() {
            writer.store(register(set, LOW_RESULT), *offset, Mode::Linear);
        }
    }
}
