//! One operation at a time, from its definition.

use super::{unfolded, Tower};
use crate::ring::{Basis, Distribution, Domain, Type};
use crate::{RunError, Value};
use ringwright_arith::bits::bit_reverse;
use ringwright_arith::{Modulus, RingKind, Word};
use ringwright_ring::sampler::{self, Xof};
use ringwright_ring::{RnsPoly, Seed};
use std::sync::Arc;
use zeroize::{Zeroize, Zeroizing};

/// The surroundings of one operation of a verified function.
pub(super) struct Operations<'a, W: Word> {
    pub towers: &'a [Tower<W>],
    pub kind: RingKind,
    pub n: usize,
    /// Type of the first operand.
    pub operand: Option<&'a Type>,
    /// Type of the result.
    pub result: &'a Type,
}

impl<W: Word> Operations<'_, W> {
    pub(super) fn zero(&self) -> RnsPoly<W> {
        RnsPoly::zero(self.n, basis_of(self.result).len())
    }

    pub(super) fn ntt(&self, x: &RnsPoly<W>) -> RnsPoly<W> {
        self.each_tower(x, |tower, words| {
            self.in_standard_ring(Domain::Coeff, &tower.modulus, words, |words| {
                tower.transform.forward(words);
            });
        })
    }

    pub(super) fn intt(&self, x: &RnsPoly<W>) -> RnsPoly<W> {
        self.each_tower(x, |tower, words| {
            self.in_standard_ring(Domain::Eval, &tower.modulus, words, |words| {
                tower.transform.inverse(words);
            });
        })
    }

    pub(super) fn pairwise(
        &self,
        a: &RnsPoly<W>,
        b: &RnsPoly<W>,
        combine: impl Fn(&Modulus<W>, W, W) -> W,
    ) -> RnsPoly<W> {
        let mut out = self.zero();
        for (i, tower) in self.result_towers().enumerate() {
            for (k, word) in out.tower_mut(i).iter_mut().enumerate() {
                *word = combine(&tower.modulus, a.tower(i)[k], b.tower(i)[k]);
            }
        }
        out
    }

    /// `change(modulus, position of the tower, word)`
    pub(super) fn each_word(
        &self,
        x: &RnsPoly<W>,
        change: impl Fn(&Modulus<W>, usize, W) -> W,
    ) -> RnsPoly<W> {
        let mut out = x.clone();
        for (i, tower) in self.result_towers().enumerate() {
            for word in out.tower_mut(i) {
                *word = change(&tower.modulus, i, *word);
            }
        }
        out
    }

    pub(super) fn automorphism(&self, x: &RnsPoly<W>, galois: u64) -> RnsPoly<W> {
        let domain = self.result.domain().unwrap_or(Domain::Eval);
        self.each_tower(x, |tower, words| {
            self.in_standard_ring(domain, &tower.modulus, words, |words| {
                let source = Zeroizing::new(words.to_vec());
                match domain {
                    Domain::Coeff => substitute(&tower.modulus, galois, &source, words),
                    Domain::Eval => permute_evaluations(galois, &source, words),
                }
            });
        })
    }

    /// Runs an operation of the standard ring, of words that are in this form before it.
    fn in_standard_ring(
        &self,
        form: Domain,
        q: &Modulus<W>,
        words: &mut [W],
        operation: impl FnOnce(&mut [W]),
    ) {
        let mut whole = match (self.kind, form) {
            (RingKind::Standard, _) => return operation(words),
            (RingKind::ConjugateInvariant, Domain::Coeff) => unfolded::coefficients(q, words),
            (RingKind::ConjugateInvariant, Domain::Eval) => unfolded::evaluations(words),
        };
        operation(&mut whole);
        // In either form the first half says all.
        words.copy_from_slice(&whole[..words.len()]);
        whole.as_mut_slice().zeroize();
    }

    pub(super) fn towers(&self, x: &Value<W>) -> Value<W> {
        match x {
            Value::Poly(poly) => Value::Poly(Arc::new(self.select(poly))),
            Value::Array(items) => Value::Array(Arc::new(
                items.iter().map(|item| self.select(item)).collect(),
            )),
            Value::Seed(seed) => Value::Seed(seed.clone()),
        }
    }

    pub(super) fn concat(&self, a: &RnsPoly<W>, b: &RnsPoly<W>) -> RnsPoly<W> {
        let mut out = self.zero();
        for i in 0..out.towers() {
            let source = if i < a.towers() {
                a.tower(i)
            } else {
                b.tower(i - a.towers())
            };
            out.tower_mut(i).copy_from_slice(source);
        }
        out
    }

    pub(super) fn switch_modulus(&self, x: &RnsPoly<W>) -> RnsPoly<W> {
        let mut out = self.zero();
        for (i, tower) in self.result_towers().enumerate() {
            for (word, &integer) in out.tower_mut(i).iter_mut().zip(x.tower(0)) {
                *word = tower.modulus.reduce(integer);
            }
        }
        out
    }

    pub(super) fn sample(
        &self,
        dist: Distribution,
        stream: &str,
        seed: &Value<W>,
    ) -> Result<RnsPoly<W>, RunError> {
        let Value::Seed(seed) = seed else {
            return Err(RunError::Invalid("sample takes a seed".into()));
        };
        match dist {
            Distribution::Uniform => self.uniform(seed, stream),
            _ => self.small(dist, seed, stream),
        }
    }

    /// Each tower from the stream's part that its prime's index numbers.
    fn uniform(&self, seed: &Seed, stream: &str) -> Result<RnsPoly<W>, RunError> {
        let mut out = self.zero();
        for (i, tower) in basis_of(self.result).iter().enumerate() {
            let modulus = &self.towers[tower.index()].modulus;
            let xof = Xof::new(seed, stream, tower.0).map_err(invalid)?;
            sampler::uniform(xof, modulus, out.tower_mut(i));
        }
        Ok(out)
    }

    /// The same integers under every prime, all from part 0 of the stream.
    fn small(&self, dist: Distribution, seed: &Seed, stream: &str) -> Result<RnsPoly<W>, RunError> {
        let xof = Xof::new(seed, stream, 0).map_err(invalid)?;
        let integers = small_integers(dist, xof, self.n)?;
        let mut out = self.zero();
        for (i, tower) in self.result_towers().enumerate() {
            sampler::to_tower(&integers, &tower.modulus, out.tower_mut(i));
        }
        Ok(out)
    }

    fn select(&self, x: &RnsPoly<W>) -> RnsPoly<W> {
        let from = self.operand.map(basis_of).unwrap_or(basis_of(self.result));
        let mut out = self.zero();
        for (i, tower) in basis_of(self.result).iter().enumerate() {
            if let Some(position) = from.position(tower) {
                out.tower_mut(i).copy_from_slice(x.tower(position));
            }
        }
        out
    }

    fn each_tower(&self, x: &RnsPoly<W>, change: impl Fn(&Tower<W>, &mut [W])) -> RnsPoly<W> {
        let mut out = x.clone();
        for (i, tower) in self.result_towers().enumerate() {
            change(tower, out.tower_mut(i));
        }
        out
    }

    fn result_towers(&self) -> impl Iterator<Item = &Tower<W>> {
        basis_of(self.result)
            .iter()
            .map(|t| &self.towers[t.index()])
    }
}

/// The polynomial that the verifier promised.
pub(super) fn as_poly<W: Word>(value: &Value<W>) -> Result<&RnsPoly<W>, RunError> {
    match value {
        Value::Poly(poly) => Ok(poly),
        _ => Err(RunError::Invalid("operand is not a polynomial".into())),
    }
}

/// One item of the array that the verifier promised.
pub(super) fn in_array<W: Word>(value: &Value<W>, index: u16) -> Result<&RnsPoly<W>, RunError> {
    match value {
        Value::Array(items) => items.get(usize::from(index)),
        _ => None,
    }
    .ok_or_else(|| RunError::Invalid(format!("operand has no item {index}")))
}

/// A rule that the verifier enforces, should it be broken here.
fn invalid(error: impl ToString) -> RunError {
    RunError::Invalid(error.to_string())
}

/// Operations that use this act on polynomials, as verified.
fn basis_of(ty: &Type) -> &Basis {
    static NONE: Basis = Basis(Vec::new());
    ty.basis().unwrap_or(&NONE)
}

fn small_integers(dist: Distribution, xof: Xof, n: usize) -> Result<Zeroizing<Vec<i64>>, RunError> {
    let mut wide = Zeroizing::new(vec![0i64; n]);
    let mut narrow = Zeroizing::new(vec![0i8; n]);
    match dist {
        Distribution::Ternary => sampler::ternary(xof, &mut narrow),
        Distribution::Flood { bits } => {
            sampler::flood(xof, bits, &mut wide).map_err(invalid)?;
            return Ok(wide);
        }
        _ => sampler::binomial21(xof, &mut narrow),
    }
    for (wide, &narrow) in wide.iter_mut().zip(narrow.iter()) {
        *wide = narrow.into();
    }
    Ok(wide)
}

/// X^i goes to X^(i galois), and X^N is -1.
fn substitute<W: Word>(q: &Modulus<W>, galois: u64, source: &[W], target: &mut [W]) {
    let n = source.len() as u64;
    for (i, &coefficient) in source.iter().enumerate() {
        let exponent = i as u64 * galois % (2 * n);
        let place = (exponent % n) as usize;
        target[place] = if exponent < n {
            coefficient
        } else {
            q.neg(coefficient)
        };
    }
}

/// Word i of the result is the value at psi^((2 brv(i) + 1) galois).
fn permute_evaluations<W: Word>(galois: u64, source: &[W], target: &mut [W]) {
    let log_n = source.len().trailing_zeros();
    let mask = 2 * source.len() as u64 - 1;
    for (i, word) in target.iter_mut().enumerate() {
        let exponent = ((2 * bit_reverse(i, log_n) as u64 + 1) * galois) & mask;
        *word = source[bit_reverse((exponent / 2) as usize, log_n)];
    }
}
