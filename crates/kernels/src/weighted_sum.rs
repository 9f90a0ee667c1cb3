//! Weighted sums of words that are not reduced: w0 x0 + w1 x1 + … + c modulo one q.
//!
//! The words come from other primes and may exceed q. Where they have more bits than a product takes
//! ([`Sums::word_bits`]), they are cut: x = x' + 2^b x'' has the weights w and 2^b w. The arithmetic is
//! that of sums of products.

use crate::arch::SumBody;
use crate::error::{check_isa, PlanError};
use crate::isa::Isa;
use crate::sums::{check_words, Bits, Reg, Reorder, SumKernel, SumWord, Sums, MOST_PRODUCTS};
use crate::vector::Lanes;
use ringwright_arith::Modulus;
use std::ops::Range;

/// A weighted sum modulo q < 2^62, of words below 2^62.
#[derive(Clone, Debug)]
pub struct WeightedSum {
    modulus: Modulus<u64>,
    operands: usize,
    plus: u64,
    body: Parts,
    /// For what does not fill a register.
    scalar: Parts,
}

/// Bits of the largest words that are summed.
const WORD_BITS: u32 = 62;
/// Words that fill several registers of every instruction set.
const WHOLE: usize = 32;
/// Registers that are summed at a time, to hide what the loop over the products costs.
const REGISTERS: usize = 2;
/// Blocks between what is read and what is fetched. Five towers of 2^16 words come from the third-level
/// cache or from memory: a key switch takes a quarter less than without, and a sixth less than with 16.
const AHEAD: usize = 64;

impl WeightedSum {
    /// The sum of `operands`, given as the bits of their largest word (1 to 62) and their weight below
    /// q, and of `plus` below q; on the given instruction set, or the best below it that serves this
    /// modulus. An instruction set that the machine lacks is an error.
    ///
    /// # Panics
    /// If a number of bits, a weight or the summand is out of range.
    pub fn with_isa(
        q: u64,
        operands: &[(u32, u64)],
        plus: u64,
        isa: Isa,
    ) -> Result<Self, PlanError> {
        let modulus = Modulus::new(q)?;
        let isa = check_isa(isa)?;
        let sound = |&(bits, weight): &(u32, u64)| (1..=WORD_BITS).contains(&bits) && weight < q;
        assert!(
            plus < q && operands.iter().all(sound),
            "a word out of range"
        );
        let parts = |isa| Parts::new(SumBody::choose(isa, modulus.bits()), &modulus, operands);
        Ok(Self {
            modulus,
            operands: operands.len(),
            plus,
            body: parts(isa),
            scalar: parts(Isa::Scalar),
        })
    }

    /// The instruction set in use.
    pub fn isa(&self) -> Isa {
        self.body.body.isa()
    }

    /// The sum into `out`, which is reduced; operands are below the powers of 2 that were given.
    ///
    /// # Panics
    /// If there are not as many operands as weights, one has another length than `out`, or the modulus
    /// does not fit a word.
    pub fn sum<W: SumWord>(&self, out: &mut [W], operands: &[&[W]]) {
        check_words::<W>(&self.modulus);
        assert_eq!(operands.len(), self.operands, "operands");
        let length = out.len();
        assert!(
            operands.iter().all(|x| x.len() == length),
            "slices of different lengths"
        );
        let whole = length - length % WHOLE;
        self.part(&self.body, &mut out[..whole], operands, 0..whole);
        self.part(&self.scalar, &mut out[whole..], operands, whole..length);
        debug_assert!(out.iter().all(|word| word.widened() < self.modulus.value()));
    }

    /// The words in a range, as many products at a time as a sum holds.
    fn part<W: SumWord>(
        &self,
        parts: &Parts,
        out: &mut [W],
        operands: &[&[W]],
        range: Range<usize>,
    ) {
        let most = parts.body.most_products(self.modulus.bits());
        let groups = parts.parts.len().div_ceil(most).max(1);
        for index in 0..groups {
            let some = &parts.parts[index * most..parts.parts.len().min((index + 1) * most)];
            let mut words: [&[W]; MOST_PRODUCTS] = [&[]; MOST_PRODUCTS];
            for (words, part) in words.iter_mut().zip(some) {
                *words = &operands[part.operand][range.clone()];
            }
            parts.body.enter(Sum {
                modulus: &self.modulus,
                out,
                words: &words[..some.len()],
                parts: some,
                plus: (index == 0).then_some(self.plus),
            });
        }
    }
}

/// The operands as one body takes them.
#[derive(Clone, Debug)]
struct Parts {
    body: SumBody,
    parts: Vec<Part>,
}

/// Some bits of one operand.
#[derive(Clone, Copy, Debug)]
struct Part {
    operand: usize,
    /// Whether the operand has other parts.
    is_cut: bool,
    /// Bits below these.
    shift: u32,
    /// These bits, shifted.
    mask: u64,
    /// 2^shift w modulo q.
    weight: u64,
}

impl Parts {
    fn new(body: SumBody, q: &Modulus<u64>, operands: &[(u32, u64)]) -> Self {
        let taken = body.word_bits(q.bits());
        let part = |operand: usize, (bits, weight): (u32, u64)| {
            let pieces = bits.div_ceil(taken);
            let width = bits.div_ceil(pieces);
            (0..pieces).map(move |piece| Part {
                operand,
                is_cut: pieces > 1,
                shift: piece * width,
                mask: u64::MAX >> (u64::BITS - width),
                weight: q.mul(q.reduce(1 << (piece * width)), weight),
            })
        };
        let parts = operands.iter().enumerate();
        Self {
            body,
            parts: parts.flat_map(|(i, &given)| part(i, given)).collect(),
        }
    }
}

struct Sum<'a, W> {
    modulus: &'a Modulus<u64>,
    out: &'a mut [W],
    /// One for each part.
    words: &'a [&'a [W]],
    parts: &'a [Part],
    /// What is added; the words in `out` if nothing is given.
    plus: Option<u64>,
}

impl<W: SumWord> SumKernel for Sum<'_, W> {
    #[inline(always)]
    fn run<S: Sums>(self, s: S) {
        let v = s.lanes();
        let empty = Operand::<S, W> {
            words: &[],
            shift: v.count(0),
            mask: v.splat(0),
            weight: v.splat(0),
        };
        let mut operands = [empty; MOST_PRODUCTS];
        for (i, part) in self.parts.iter().enumerate() {
            operands[i] = Operand {
                words: W::cells(self.words[i]),
                shift: v.count(part.shift),
                mask: v.splat(part.mask),
                weight: v.splat(part.weight),
            };
        }
        let registers = Registers::<S, W> {
            s,
            constants: s.constants(self.modulus),
            operands: &operands[..self.parts.len()],
            plus: self.plus.map(|word| v.splat(word)),
        };
        let out = W::cells_mut(self.out);
        match self.parts.iter().any(|part| part.is_cut) {
            true => registers.all::<true>(out),
            false => registers.all::<false>(out),
        }
    }
}

type Cell<S, W> = <W as SumWord>::Cell<<S as Sums>::Lanes>;

/// What all registers of one sum share.
struct Registers<'a, S: Sums, W: SumWord> {
    s: S,
    constants: S::Constants,
    operands: &'a [Operand<'a, S, W>],
    plus: Option<Reg<S>>,
}

impl<S: Sums, W: SumWord> Registers<'_, S, W> {
    /// `CUT`: some operand is in several parts.
    #[inline(always)]
    fn all<const CUT: bool>(&self, out: &mut [Cell<S, W>]) {
        let (groups, rest) = out.as_chunks_mut();
        let done = REGISTERS * groups.len();
        for (group, out) in groups.iter_mut().enumerate() {
            self.sum::<CUT, REGISTERS>(REGISTERS * group, out);
        }
        for (index, out) in rest.as_chunks_mut().0.iter_mut().enumerate() {
            self.sum::<CUT, 1>(done + index, out);
        }
    }

    /// By index: with iterators the sums leave their registers, for a fifth of the time.
    #[expect(clippy::needless_range_loop)]
    #[inline(always)]
    fn sum<const CUT: bool, const R: usize>(&self, first: usize, out: &mut [Cell<S, W>; R]) {
        let (s, v) = (self.s, self.s.lanes());
        // No closures: they would not be compiled for the instruction set.
        let mut sums = [s.start(v.splat(0)); R];
        if let Some(plus) = self.plus {
            sums = [s.start(plus); R];
        } else {
            for j in 0..R {
                sums[j] = s.start(W::get(v, &out[j]));
            }
        }
        for operand in self.operands {
            for j in 0..R {
                v.prefetch(operand.words, first + AHEAD + j);
            }
            for j in 0..R {
                let mut x = W::get(v, &operand.words[first + j]);
                if CUT {
                    x = v.and(v.shift_right(x, operand.shift), operand.mask);
                }
                sums[j] = s.add_product(sums[j], x, operand.weight, &self.constants);
            }
        }
        for (sum, out) in sums.into_iter().zip(out) {
            W::put(v, s.total(sum, &self.constants), out);
        }
    }
}

/// A part in registers.
struct Operand<'a, S: Sums, W: SumWord> {
    words: &'a [Cell<S, W>],
    shift: <S::Lanes as Bits>::Count,
    mask: Reg<S>,
    weight: Reg<S>,
}

impl<S: Sums, W: SumWord> Clone for Operand<'_, S, W> {
    fn clone(&self) -> Self {
        *self
    }
}

impl<S: Sums, W: SumWord> Copy for Operand<'_, S, W> {}
