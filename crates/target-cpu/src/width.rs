//! How wide the words of a program's towers are.
//!
//! Where all primes of a program are below 2^30 its towers are of 32-bit words: keys, digits and
//! results are half as long to read, and transforms take half the time or less on AVX2. Else they
//! are of 64 bits. A program is lowered to the same plan either way.

use crate::resources::{Memory, Resources};
use crate::tables::{Tables, Towers};
use rayon::prelude::*;
use ringwright_arith::Word;
use ringwright_ir::ring::{Distribution, Module, OpKind};
use ringwright_kernels::{KernelWord, SumWord};
use ringwright_ring::RnsPoly;

/// A word that towers are made of.
pub trait Width: KernelWord + SumWord {
    /// The tables for such words.
    fn towers(tables: &Tables) -> &Towers<Self>;
    /// Working memory of such words.
    fn memory(resources: &Resources) -> &Memory<Self>;
    /// A polynomial that holds any such words.
    fn unwritten(n: usize, towers: usize) -> RnsPoly;
    /// The words of a polynomial, tower-major; none where one does not fit.
    fn words(poly: &RnsPoly) -> Option<&[Self]>;
    /// The same, to be written.
    fn words_mut(poly: &mut RnsPoly) -> Option<&mut [Self]>;
}

/// Whether the towers of a program are of 32-bit words. Flooding noise is drawn as 64-bit integers.
pub fn is_short(module: &Module) -> bool {
    let fits = |q: &u128| u128::BITS - q.leading_zeros() <= u32::MAX_MODULUS_BITS;
    let mut ops = module.funcs.iter().flat_map(|function| &function.ops);
    module.primes.iter().all(fits) && !ops.any(|op| draws_flood(&op.kind))
}

fn draws_flood(kind: &OpKind) -> bool {
    let flood = |dist: &Distribution| matches!(dist, Distribution::Flood { .. });
    matches!(kind, OpKind::Sample { dist, .. } if flood(dist))
}

/// Whether the words of each tower are below its prime; every one is looked at, whatever it is.
pub fn are_reduced<W: Width>(poly: &RnsPoly, primes: &[u128]) -> bool {
    let Some(words) = W::words(poly) else {
        return false;
    };
    let mut towers = words.chunks_exact(poly.n()).zip(primes);
    towers.all(|(words, &q)| is_reduced(words, W::from_u128(q)))
}

/// The same, by all threads of the pool that this one belongs to.
pub fn are_reduced_in_parallel<W: Width>(poly: &RnsPoly, primes: &[u128]) -> bool {
    let Some(words) = W::words(poly) else {
        return false;
    };
    let towers: Vec<_> = words.chunks_exact(poly.n()).zip(primes).collect();
    let is_reduced = |&(words, &q): &(&[W], &u128)| is_reduced(words, W::from_u128(q));
    towers.par_iter().with_max_len(1).all(is_reduced)
}

/// Whether every word is below `q`, which is below half the words' range.
fn is_reduced<W: Word>(words: &[W], q: W) -> bool {
    let most = q.wrapping_sub(W::ONE);
    let sign = words
        .iter()
        .fold(W::ZERO, |sign, &word| sign | most.wrapping_sub(word) | word);
    sign.bit_length() < W::BITS
}

impl Width for u64 {
    fn towers(tables: &Tables) -> &Towers<u64> {
        &tables.wide
    }
    fn memory(resources: &Resources) -> &Memory<u64> {
        &resources.wide
    }
    fn unwritten(n: usize, towers: usize) -> RnsPoly {
        RnsPoly::unwritten(n, towers)
    }
    fn words(poly: &RnsPoly) -> Option<&[u64]> {
        Some(poly.words())
    }
    fn words_mut(poly: &mut RnsPoly) -> Option<&mut [u64]> {
        Some(poly.words_mut())
    }
}

impl Width for u32 {
    fn towers(tables: &Tables) -> &Towers<u32> {
        &tables.short
    }
    fn memory(resources: &Resources) -> &Memory<u32> {
        &resources.short
    }
    fn unwritten(n: usize, towers: usize) -> RnsPoly {
        RnsPoly::unwritten_short(n, towers)
    }
    fn words(poly: &RnsPoly) -> Option<&[u32]> {
        poly.short()
    }
    fn words_mut(poly: &mut RnsPoly) -> Option<&mut [u32]> {
        poly.short_mut()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use ringwright_arith::primes::ntt_primes;
    use ringwright_ir::ring::{Basis, Domain, ModuleBuilder, Type};

    const LOG_N: u32 = 4;

    fn program(primes: &[u128], dist: Distribution) -> Module {
        let mut mb = ModuleBuilder::new(LOG_N, primes);
        let mut fb = mb.function("main");
        let seed = fb.param("seed", Type::Seed, true);
        let basis = Basis::range(0..primes.len() as u16);
        let sample = fb.sample(dist, "e", &basis, Domain::Coeff, seed);
        let main = fb.finish(&[sample.expect("valid")]).expect("valid");
        mb.finish(main).expect("valid")
    }

    #[test]
    fn words_at_the_edge_are_told_apart() {
        let (q, small) = ((1_u64 << 62) - 57, (1_u32 << 30) - 35);
        assert!(is_reduced(&[0, 1, q - 1], q) && is_reduced(&[0, 1, small - 1], small));
        for wrong in [q, q + 1, 1 << 63, u64::MAX] {
            assert!(!is_reduced(&[0, wrong, q - 1], q), "{wrong}");
        }
        for wrong in [small, small + 1, 1 << 31, u32::MAX] {
            assert!(!is_reduced(&[0, wrong, small - 1], small), "{wrong}");
        }
    }

    #[test]
    fn all_primes_and_all_samples_must_fit() {
        let primes = |bits| ntt_primes(bits, LOG_N, 1).expect("a prime");
        let (short, wide) = (primes(30), primes(31));
        let both = [short.clone(), wide.clone()].concat();
        let small = Distribution::Binomial21;
        assert!(is_short(&program(&short, small)));
        assert!(!is_short(&program(&wide, small)));
        assert!(!is_short(&program(&both, small)));
        assert!(!is_short(&program(
            &short,
            Distribution::Flood { bits: 20 }
        )));
    }
}
