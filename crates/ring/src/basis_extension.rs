//! Exact basis extension: the centred integer of some residues, under other primes.
//!
//! Let A be the product of the source moduli a_i and x the representative in (-A/2, A/2). With
//! y_i = x_i (A/a_i)^-1 mod a_i we have x = sum y_i A/a_i - v A, where v is the integer nearest to
//! sum y_i/a_i. Halevi, Polyakov and Shoup (CT-RSA 2019) take v from floating point and accept
//! that it is sometimes wrong; here every bit is fixed. The sum is taken with 64 bits after the
//! point, each term rounded down by less than 3 units, so v is certain unless the fraction lies
//! within 3k units below a tie. There (a share of about 3k 2^-64 of all x, and the boundaries
//! that tests ask for) the balanced mixed-radix digits decide ([`Crt`]). A is odd, so an exact
//! tie does not exist.
//!
//! Values are public residues of ciphertexts; the choice of path depends on them.

use crate::rns_poly::ShapeError;
use ringwright_arith::crt::{self, CrtError, MAX_TOWERS};
use ringwright_arith::{Crt, Modulus, ModulusError, Shoup, Word};

/// Coefficients that are worked on together: their digits stay in the cache.
const CHUNK: usize = 256;
/// Products below 2^124 that fit an accumulator beside one word.
const PRODUCTS: usize = 15;

/// Why there is no extension between these moduli.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
pub enum BasisError {
    /// The source moduli do not determine an integer.
    #[error("source basis: {0}")]
    Source(#[from] CrtError),
    /// A target is no modulus.
    #[error("target basis, modulus {index}: {source}")]
    Target {
        /// Its position.
        index: usize,
        /// What is wrong with it.
        source: ModulusError,
    },
}

/// Extension from one list of moduli to another; they may overlap.
#[derive(Clone, Debug)]
pub struct BasisExtension {
    source: Crt,
    /// (A/a_i)^-1 mod a_i.
    inverses: Vec<Shoup<u64>>,
    targets: Vec<Target>,
}

/// What one target modulus b needs.
#[derive(Clone, Debug)]
struct Target {
    modulus: Modulus<u64>,
    /// A/a_i mod b.
    weights: Vec<u64>,
    /// -v A mod b for v = 0 ..= k.
    multiples: Vec<u64>,
    /// a_0 .. a_(i-1) mod b.
    radices: Vec<u64>,
}

impl BasisExtension {
    /// Precomputes for odd, pairwise coprime source moduli and odd target moduli below 2^62.
    pub fn new(from: &[u64], to: &[u64]) -> Result<Self, BasisError> {
        let source = Crt::new(from)?;
        let inverses = (0..from.len()).map(|i| inverse(&source, from, i)).collect();
        let targets = to.iter().enumerate().map(|(index, &q)| {
            let modulus = Modulus::new(q).map_err(|source| BasisError::Target { index, source })?;
            Ok(Target::new(modulus, from))
        });
        let targets = targets.collect::<Result<_, BasisError>>()?;
        Ok(Self {
            source,
            inverses,
            targets,
        })
    }

    /// Extends tower by tower: `src` has one reduced tower per source modulus, `dst` one per
    /// target modulus, all of one length, in words that all moduli fit.
    pub fn extend<W: Word>(&self, src: &[&[W]], dst: &mut [&mut [W]]) -> Result<(), ShapeError> {
        let length = self.check(src, dst)?;
        let mut work = Work::new(src.len());
        for start in (0..length).step_by(CHUNK) {
            let range = start..length.min(start + CHUNK);
            work.load(self, src, range.clone());
            for (target, tower) in self.targets.iter().zip(dst.iter_mut()) {
                target.combine(&work, &mut tower[range.clone()]);
            }
            for &index in &work.near_ties {
                self.extend_by_digits(src, dst, start + index);
            }
        }
        Ok(())
    }

    fn check<W>(&self, src: &[&[W]], dst: &[&mut [W]]) -> Result<usize, ShapeError> {
        let length = src.first().map_or(0, |tower| tower.len());
        let lengths = src
            .iter()
            .map(|t| t.len())
            .chain(dst.iter().map(|t| t.len()));
        let checks = std::iter::once(("source towers", src.len(), self.inverses.len()))
            .chain(std::iter::once((
                "target towers",
                dst.len(),
                self.targets.len(),
            )))
            .chain(lengths.map(|given| ("words of a tower", given, length)));
        for (what, given, expected) in checks {
            if given != expected {
                return Err(ShapeError::Length {
                    what,
                    given,
                    expected,
                });
            }
        }
        Ok(length)
    }

    /// The exact path, for one coefficient.
    fn extend_by_digits<W: Word>(&self, src: &[&[W]], dst: &mut [&mut [W]], index: usize) {
        let (mut residues, mut digits) = ([0; MAX_TOWERS], [0; MAX_TOWERS]);
        let (residues, digits) = (&mut residues[..src.len()], &mut digits[..src.len()]);
        for (residue, tower) in residues.iter_mut().zip(src) {
            *residue = tower[index].low_u64();
        }
        self.source.balanced_digits(residues, digits);
        for (target, tower) in self.targets.iter().zip(dst.iter_mut()) {
            tower[index] = W::from_u128(target.of_digits(digits).into());
        }
    }
}

impl Target {
    fn new(modulus: Modulus<u64>, from: &[u64]) -> Self {
        let product = crt::mod_of_product(from, &modulus);
        let step = modulus.neg(product);
        let next = |&multiple: &u64| Some(modulus.add(multiple, step));
        Self {
            weights: (0..from.len())
                .map(|i| crt::mod_of_product(&others(from, i), &modulus))
                .collect(),
            multiples: std::iter::successors(Some(0), next)
                .take(from.len() + 1)
                .collect(),
            radices: (0..from.len())
                .map(|i| crt::mod_of_product(&from[..i], &modulus))
                .collect(),
            modulus,
        }
    }

    /// sum y_i A/a_i - v A.
    fn combine<W: Word>(&self, work: &Work, out: &mut [W]) {
        let mut sums = [0u128; CHUNK];
        let sums = &mut sums[..out.len()];
        for (sum, &v) in sums.iter_mut().zip(&work.multiples) {
            *sum = u128::from(self.multiples[v]);
        }
        for (group, weights) in self.weights.chunks(PRODUCTS).enumerate() {
            if group > 0 {
                sums.iter_mut()
                    .for_each(|sum| *sum = u128::from(self.modulus.reduce_u128(*sum)));
            }
            for (i, &weight) in weights.iter().enumerate() {
                let terms = &work.terms[group * PRODUCTS + i];
                for (sum, &term) in sums.iter_mut().zip(terms) {
                    *sum += u128::from(term) * u128::from(weight);
                }
            }
        }
        for (word, &sum) in out.iter_mut().zip(sums.iter()) {
            *word = W::from_u128(self.modulus.reduce_u128(sum).into());
        }
    }

    fn of_digits(&self, digits: &[i64]) -> u64 {
        let q = &self.modulus;
        let terms = digits.iter().zip(&self.radices);
        terms.fold(0, |sum, (&digit, &radix)| {
            q.add(sum, q.mul(q.from_i128(i128::from(digit)), radix))
        })
    }
}

/// The terms of one chunk of coefficients.
struct Work {
    /// y_i, one row per source modulus.
    terms: Vec<[u64; CHUNK]>,
    /// sum y_i/a_i + 1/2, with 64 bits after the point.
    sums: [u128; CHUNK],
    /// v.
    multiples: [usize; CHUNK],
    /// Coefficients whose v is not certain.
    near_ties: Vec<usize>,
}

impl Work {
    fn new(towers: usize) -> Self {
        Self {
            terms: vec![[0; CHUNK]; towers],
            sums: [0; CHUNK],
            multiples: [0; CHUNK],
            near_ties: Vec::new(),
        }
    }

    fn load<W: Word>(
        &mut self,
        extension: &BasisExtension,
        src: &[&[W]],
        range: std::ops::Range<usize>,
    ) {
        self.sums.fill(1 << 63);
        let sources = extension.source.moduli().iter().zip(&extension.inverses);
        for (((a, inverse), tower), terms) in sources.zip(src).zip(&mut self.terms) {
            let words = tower[range.clone()].iter().map(|word| word.low_u64());
            for ((word, term), sum) in words.zip(terms).zip(&mut self.sums) {
                debug_assert!(word < a.value());
                *term = a.mul_shoup(word, inverse);
                *sum += u128::from(fraction(a, *term));
            }
        }
        self.round(range.len());
    }

    fn round(&mut self, length: usize) {
        let uncertain = 3 * self.terms.len() as u64;
        self.near_ties.clear();
        for (index, &sum) in self.sums[..length].iter().enumerate() {
            self.multiples[index] = (sum >> 64) as usize;
            if sum as u64 >= uncertain.wrapping_neg() {
                self.near_ties.push(index);
            }
        }
    }
}

/// y/a with 64 bits after the point, too small by less than 3 units: the reciprocal
/// floor(2^(bits+63)/a) is too small by less than 1, times y < 2^bits, over 2^(bits-1).
#[inline(always)]
fn fraction(a: &Modulus<u64>, y: u64) -> u64 {
    let (low, high) = y.wide_mul(a.barrett_reciprocal());
    let shift = a.bits() - 1;
    (low >> shift) | (high << (u64::BITS - shift))
}

/// (A/a_i)^-1 mod a_i; the moduli are coprime.
fn inverse(source: &Crt, from: &[u64], i: usize) -> Shoup<u64> {
    let a = &source.moduli()[i];
    a.shoup(crt::inverse_of_product(&others(from, i), a).unwrap_or(0))
}

fn others(from: &[u64], i: usize) -> Vec<u64> {
    [&from[..i], &from[i + 1..]].concat()
}
