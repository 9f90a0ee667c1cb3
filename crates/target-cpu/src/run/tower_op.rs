//! One operation on one tower, or on a block of it.

use crate::plan::{Kind, Place, TowerOp, SMALL_BIAS};
use crate::tables::Tower;
use crate::width::Width;
use ringwright_ir::ring::Distribution;
use ringwright_ir::RunError;
use ringwright_kernels::{Factors, Start};
use ringwright_ring::sampler::{self, Xof};
use ringwright_ring::{automorphism, Seed, Wiped};
use std::sync::Arc;
use zeroize::Zeroizing;

/// Products that are handed to a kernel together.
const PAIRS: usize = 16;
/// Small integers that are reduced together.
const SMALL_BLOCK: usize = 256;

/// The operands of one operation.
pub struct Operands<'o, W> {
    pub op: &'o TowerOp<Place>,
    pub read: &'o dyn Fn(Place) -> &'o [W],
}

impl<W> Clone for Operands<'_, W> {
    fn clone(&self) -> Self {
        *self
    }
}

impl<W> Copy for Operands<'_, W> {}

impl<'o, W: Copy> Operands<'o, W> {
    /// The words of one operand; not of one that shares the result's buffer.
    fn at(&self, index: usize) -> &'o [W] {
        (self.read)(self.op.args[index])
    }

    /// Whether an operand shares the result's buffer.
    fn is_result(&self, index: usize) -> bool {
        self.op.args[index] == self.op.dst
    }

    /// Copies an operand to the result, unless it is there.
    fn bring(&self, index: usize, out: &mut [W]) {
        if !self.is_result(index) {
            out.copy_from_slice(self.at(index));
        }
    }
}

/// Runs operations modulo one prime.
pub struct TowerRunner<'r, W: Width> {
    /// The index of the prime in the module.
    pub prime: usize,
    /// Tables of all primes of the module.
    pub towers: &'r [Arc<Tower<W>>],
    /// Seed parameters of the function.
    pub seeds: &'r [&'r Seed],
}

impl<W: Width> TowerRunner<'_, W> {
    /// Computes the result into `out`.
    pub fn run(&self, kind: &Kind, args: Operands<W>, out: &mut [W]) -> Result<(), RunError> {
        let tower = &*self.towers[self.prime];
        let pointwise = &tower.pointwise;
        match kind {
            Kind::Zero => out.fill(W::ZERO),
            Kind::Ntt if args.is_result(0) => tower.ntt.forward(out),
            Kind::Ntt => tower.ntt.forward_into(out, args.at(0)),
            Kind::Intt if args.is_result(0) => tower.ntt.inverse(out),
            Kind::Intt => tower.ntt.inverse_into(out, args.at(0)),
            Kind::Add if args.is_result(0) => pointwise.add_in_place(out, args.at(1)),
            Kind::Add => pointwise.add_into(out, args.at(0), args.at(1)),
            Kind::Sub if args.is_result(0) => pointwise.sub_in_place(out, args.at(1)),
            Kind::Sub => pointwise.sub_into(out, args.at(0), args.at(1)),
            Kind::Mul if args.is_result(0) => pointwise.mul_in_place(out, args.at(1)),
            Kind::Mul => pointwise.mul_into(out, args.at(0), args.at(1)),
            Kind::Neg if args.is_result(0) => pointwise.neg_in_place(out),
            Kind::Neg => pointwise.neg_into(out, args.at(0)),
            Kind::MulScalar(factor) if args.is_result(0) => {
                pointwise.mul_scalar_in_place(out, word(*factor));
            }
            Kind::MulScalar(factor) => {
                pointwise.mul_scalar_into(out, args.at(0), word(*factor));
            }
            Kind::AddScalar(summand) if args.is_result(0) => {
                pointwise.add_scalar_in_place(out, word(*summand));
            }
            Kind::AddScalar(summand) => {
                pointwise.add_scalar_into(out, args.at(0), word(*summand));
            }
            Kind::SubMulScalar(factor) => {
                pointwise.sub_mul_scalar_into(out, args.at(0), args.at(1), word(*factor));
            }
            Kind::WeightedSum(sum) => {
                let operands: Vec<&[W]> = (0..args.op.args.len()).map(|i| args.at(i)).collect();
                sum.sum(out, &operands);
            }
            Kind::InnerProduct | Kind::PermutedInnerProduct(_) => self.sums([args], [out]),
            Kind::SwitchModulus => pointwise.reduce_into(out, args.at(0)),
            Kind::SwitchCentred { from } => {
                let from = self.towers[*from].modulus.value();
                pointwise.reduce_centred_into(out, args.at(0), from);
            }
            Kind::AutomorphismEval(permutation) => {
                tower.inner_product.permute(out, args.at(0), permutation);
            }
            Kind::FromBiased => self.remove_bias(args.at(0), out),
            Kind::FromSigned => self.reduce_signed(args.at(0), out),
            _ => return self.run_fallible(kind, args, out),
        }
        Ok(())
    }

    fn run_fallible(&self, kind: &Kind, args: Operands<W>, out: &mut [W]) -> Result<(), RunError> {
        let modulus = &self.towers[self.prime].modulus;
        match kind {
            Kind::AutomorphismCoeff(ring, galois) => {
                automorphism::apply_coeff(*ring, *galois, modulus, args.at(0), out).map_err(invalid)
            }
            Kind::Extend(table) => {
                let sources: Vec<&[W]> = (0..args.op.args.len()).map(|i| args.at(i)).collect();
                table.extend(&sources, &mut [out]).map_err(invalid)
            }
            Kind::SampleSmall {
                dist: Distribution::Flood { bits },
                stream,
                seed,
            } => flood(
                *bits,
                Xof::new(self.seeds[*seed], stream, 0).map_err(invalid)?,
                out,
            ),
            _ => Err(invalid(format!("{kind:?} has no body"))),
        }
    }

    /// Sums of products with the same first operands, each with its last operand if that has no
    /// partner.
    pub fn sums<const H: usize>(&self, args: [Operands<W>; H], mut out: [&mut [W]; H]) {
        let Some(first) = args.first() else { return };
        let kernel = &self.towers[self.prime].inner_product;
        let count = first.op.args.len();
        let mut begin = Start::Zero;
        if count % 2 == 1 {
            begin = match args.iter().any(|args| args.is_result(count - 1)) {
                false => Start::Words(args.map(|args| args.at(count - 1))),
                true => {
                    for (args, out) in args.iter().zip(&mut out) {
                        args.bring(count - 1, out);
                    }
                    Start::Out
                }
            };
        }
        for start in (0..count / 2).step_by(PAIRS) {
            let mut products: [Factors<H, W>; PAIRS] = [(&[], [&[]; H]); PAIRS];
            let some = PAIRS.min(count / 2 - start);
            for (i, product) in products[..some].iter_mut().enumerate() {
                let operand = 2 * (start + i);
                *product = (first.at(operand), args.map(|args| args.at(operand + 1)));
            }
            let products = &products[..some];
            let out = out.each_mut().map(|out| &mut **out);
            match &first.op.kind {
                Kind::PermutedInnerProduct(p) => {
                    kernel.permuted_sums(out, products, p, 0..p.positions().len(), begin);
                }
                _ => kernel.sums(out, products, begin),
            }
            begin = Start::Out;
        }
    }

    fn remove_bias(&self, words: &[W], out: &mut [W]) {
        let Tower {
            modulus, pointwise, ..
        } = &*self.towers[self.prime];
        let back = modulus.neg(modulus.reduce(word(SMALL_BIAS)));
        if modulus.value() >= word(2 * SMALL_BIAS) {
            pointwise.add_scalar_into(out, words, back);
        } else {
            pointwise.reduce_into(out, words);
            pointwise.add_scalar_in_place(out, back);
        }
    }

    fn reduce_signed(&self, words: &[W], out: &mut [W]) {
        let modulus = &self.towers[self.prime].modulus;
        let mut small = Zeroizing::new([0i64; SMALL_BLOCK]);
        for (words, out) in words.chunks(SMALL_BLOCK).zip(out.chunks_mut(SMALL_BLOCK)) {
            let small = &mut small[..words.len()];
            small
                .iter_mut()
                .zip(words)
                .for_each(|(small, word)| *small = word.low_u64() as i64);
            sampler::to_tower(small, modulus, out);
        }
    }
}

/// A constant of the plan, which fits: a residue, or a bias.
pub(super) fn word<W: Width>(constant: u64) -> W {
    W::from_u128(constant.into())
}

/// Draws flooding noise and stores it in two's complement.
fn flood<W: Width>(bits: u8, stream: Xof, out: &mut [W]) -> Result<(), RunError> {
    let mut wide = Wiped::<i64>::zeros(out.len());
    sampler::flood(stream, bits, &mut wide).map_err(invalid)?;
    out.iter_mut()
        .zip(wide.iter())
        .for_each(|(out, &x)| *out = word(x as u64));
    Ok(())
}

/// An error that a verified and checked program cannot cause.
pub(super) fn invalid(error: impl std::fmt::Display) -> RunError {
    RunError::Invalid(error.to_string())
}
