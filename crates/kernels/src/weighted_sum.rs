//! Weighted sums of words that are not reduced: w0 x0 + w1 x1 + … + c modulo one q.
//!
//! The words come from other primes and may exceed q. Long ones are cut into pieces with weights of their
//! own ([`WeightedSums`]).

use crate::arch::{prefetch, SumBody};
use crate::error::{check_isa, PlanError};
use crate::isa::Isa;
use crate::sums::{
    check_words, Reg, SumKernel, SumWord, Sums, WeightedSums, LONGEST, MOST_PRODUCTS, PIECES,
};
use crate::vector::Lanes;
use ringwright_arith::Modulus;
use std::ops::Range;

/// A weighted sum modulo q < 2^62, of words below 2^62.
#[derive(Clone, Debug)]
pub struct WeightedSum {
    modulus: Modulus<u64>,
    operands: usize,
    plus: u64,
    body: Groups,
    /// For what does not fill a register.
    scalar: Groups,
}

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
        let sound = |&(bits, weight): &(u32, u64)| (1..=LONGEST).contains(&bits) && weight < q;
        assert!(
            plus < q && operands.iter().all(sound),
            "a word out of range"
        );
        let groups = |isa| Groups::new(SumBody::choose(isa, modulus.bits()), &modulus, operands);
        Ok(Self {
            modulus,
            operands: operands.len(),
            plus,
            body: groups(isa),
            scalar: groups(Isa::Scalar),
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

    /// The words in a range.
    fn part<W: SumWord>(
        &self,
        groups: &Groups,
        out: &mut [W],
        operands: &[&[W]],
        range: Range<usize>,
    ) {
        for (index, group) in groups.groups.iter().enumerate() {
            let mut words: [&[W]; MOST_PRODUCTS] = [&[]; MOST_PRODUCTS];
            for (words, operand) in words.iter_mut().zip(group) {
                *words = &operands[operand.index][range.clone()];
            }
            groups.body.enter(Sum {
                modulus: &self.modulus,
                out,
                words: &words[..group.len()],
                operands: group,
                plus: (index == 0).then_some(self.plus),
            });
        }
    }
}

/// The operands, as many together as a body's sum holds.
#[derive(Clone, Debug)]
struct Groups {
    body: SumBody,
    groups: Vec<Vec<Operand>>,
}

/// One operand, and the weights of its pieces.
#[derive(Clone, Copy, Debug)]
struct Operand {
    index: usize,
    bits: u32,
    weights: [u64; PIECES],
}

impl Groups {
    fn new(body: SumBody, q: &Modulus<u64>, operands: &[(u32, u64)]) -> Self {
        let limits = body.limits();
        let fits = |group: &[Operand], bits: u32| {
            let all = group.iter().map(|operand| operand.bits).chain([bits]);
            group.len() < MOST_PRODUCTS && (limits.fits)(q.bits(), &all.collect::<Vec<_>>())
        };
        let mut groups: Vec<Vec<Operand>> = vec![Vec::new()];
        for (index, &(bits, weight)) in operands.iter().enumerate() {
            let radix = q.reduce(1 << (limits.cut)(bits));
            let mut weights = [weight; PIECES];
            for piece in 1..PIECES {
                weights[piece] = q.mul(weights[piece - 1], radix);
            }
            let operand = Operand {
                index,
                bits,
                weights,
            };
            match groups.last_mut() {
                Some(last) if fits(last, bits) => last.push(operand),
                _ => groups.push(vec![operand]),
            }
        }
        Self { body, groups }
    }
}

struct Sum<'a, W> {
    modulus: &'a Modulus<u64>,
    out: &'a mut [W],
    /// One for each operand.
    words: &'a [&'a [W]],
    operands: &'a [Operand],
    /// What is added; the words in `out` if nothing is given.
    plus: Option<u64>,
}

impl<W: SumWord> SumKernel for Sum<'_, W> {
    #[inline(always)]
    fn run<S: WeightedSums>(self, s: S) {
        let constants = s.constants(self.modulus);
        let mut operands = [InRegisters::<S, W> {
            words: &[],
            weights: s.weights(1, &[0; PIECES], &constants),
        }; MOST_PRODUCTS];
        for (i, operand) in self.operands.iter().enumerate() {
            operands[i] = InRegisters {
                words: W::cells(self.words[i]),
                weights: s.weights(operand.bits, &operand.weights, &constants),
            };
        }
        let registers = Registers::<S, W> {
            s,
            constants,
            operands: &operands[..self.operands.len()],
            plus: self.plus.map(|word| s.lanes().splat(word)),
        };
        registers.all(W::cells_mut(self.out));
    }
}

type Cell<S, W> = <W as SumWord>::Cell<<S as Sums>::Lanes>;

/// What all registers of one sum share.
struct Registers<'a, S: WeightedSums, W: SumWord> {
    s: S,
    constants: S::Constants,
    operands: &'a [InRegisters<'a, S, W>],
    plus: Option<Reg<S>>,
}

impl<S: WeightedSums, W: SumWord> Registers<'_, S, W> {
    #[inline(always)]
    fn all(&self, out: &mut [Cell<S, W>]) {
        let (groups, rest) = out.as_chunks_mut();
        let done = REGISTERS * groups.len();
        for (group, out) in groups.iter_mut().enumerate() {
            self.sum::<REGISTERS>(REGISTERS * group, out);
        }
        for (index, out) in rest.as_chunks_mut().0.iter_mut().enumerate() {
            self.sum::<1>(done + index, out);
        }
    }

    /// By index: with iterators the sums leave their registers, for a fifth of the time.
    #[expect(clippy::needless_range_loop)]
    #[inline(always)]
    fn sum<const R: usize>(&self, first: usize, out: &mut [Cell<S, W>; R]) {
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
                prefetch::<false, _>(operand.words, first + AHEAD + j);
            }
            for j in 0..R {
                let x = W::get(v, &operand.words[first + j]);
                sums[j] = s.add_weighted(sums[j], x, &operand.weights, &self.constants);
            }
        }
        for (sum, out) in sums.into_iter().zip(out) {
            W::put(v, s.total(sum, &self.constants), out);
        }
    }
}

/// An operand with its weights in registers.
struct InRegisters<'a, S: WeightedSums, W: SumWord> {
    words: &'a [Cell<S, W>],
    weights: S::Weights,
}

impl<S: WeightedSums, W: SumWord> Clone for InRegisters<'_, S, W> {
    fn clone(&self) -> Self {
        *self
    }
}

impl<S: WeightedSums, W: SumWord> Copy for InRegisters<'_, S, W> {}
