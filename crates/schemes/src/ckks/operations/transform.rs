//! The ring functions of a matrix ([`HeOpKind::Transform`](ringwright_ir::he::HeOpKind::Transform)).
//!
//! | function | what it does |
//! |---|---|
//! | `decompose` | the digits of the operand, once ([`Hoisting::Shared`]) |
//! | `transform_baby`, once a baby step | moves the operand, and takes its digits times the key ([`Hoisting::Anew`]) |
//! | `transform_sums` | the digits moved by each baby step, times its key, where they are shared; these products times the constants, added up for every giant step |
//! | `transform_turn`, once a giant step | divides the second part by the special primes, moves it and switches its key |
//! | `transform_divide` | adds up and divides both parts |
//!
//! In between values are under the ciphertext and the special primes and P times as large, P the product of
//! the latter. So there is one division for each giant step and two at the end, where rotations one by one
//! take two each. The sums keep what a baby step made of a tower at hand for all constants: nothing is
//! transformed in them, so every prime is one strand.

use super::{Body, Hoisting, Operations, Parts};
use crate::ckks::Error;
use crate::rlwe::programs::{key_type, plain_type};
use crate::rlwe::towers::{ciphertext_towers, special_towers};
use crate::rlwe::KeyShape;
use ringwright_arith::Modulus;
use ringwright_ir::he::KeyId;
use ringwright_ir::ring::composites::{fast_mod_down, key_product, sum_digits};
use ringwright_ir::ring::{Basis, Domain, FuncId, ValueId};
use std::collections::{BTreeMap, BTreeSet};

/// A term: the Galois elements of its steps, where they move anything.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(in crate::ckks) struct Turned {
    /// Behind the product.
    pub giant: Option<u64>,
    /// Before it.
    pub baby: Option<u64>,
    /// Which of the constants that the function takes.
    pub constant: usize,
}

/// What comes before the sums.
enum Before {
    /// The digits.
    Digits(FuncId),
    /// Every baby step, by its Galois element.
    Babies(Vec<(u64, FuncId)>),
}

/// The terms of one matrix, by giant step.
type ByGiant = BTreeMap<Option<u64>, Vec<Turned>>;

impl Operations<'_> {
    /// `a, keys by their elements, constants -> matrix·a`.
    pub fn transform(&mut self, level: usize, terms: Vec<Turned>) -> Result<FuncId, Error> {
        let mut by_giant = ByGiant::new();
        for term in &terms {
            by_giant.entry(term.giant).or_default().push(*term);
        }
        let babies: BTreeSet<u64> = terms.iter().filter_map(|term| term.baby).collect();
        let giants = by_giant.keys().flatten();
        let elements: BTreeSet<u64> = babies.iter().chain(giants).copied().collect();
        let count = 1 + terms.iter().map(|term| term.constant).max().unwrap_or(0);
        let number = self.number(level, terms);
        let name = format!("ckks.transform.{number}@{level}");
        if let Some(found) = self.module.find(&name) {
            return Ok(found);
        }
        let before = self.before(level, &babies)?;
        let sums = self.sums(number, level, (&by_giant, &babies), count)?;
        let turns = by_giant.keys().map(|giant| match giant {
            None => Ok(None),
            Some(galois) => self.turn(level, *galois).map(Some),
        });
        let turns: Vec<Option<FuncId>> = turns.collect::<Result<_, _>>()?;
        let divide = self.divide(level, by_giant.len())?;
        let shapes = elements
            .iter()
            .map(|&e| Ok((e, self.shape(KeyId::Galois(e))?)));
        let shapes: Vec<_> = shapes.collect::<Result<_, Error>>()?;
        let plain = plain_type(self.parameters, level, true);
        self.function(&name, |f| {
            f.fb.steps();
            let a = f.ciphertext("a", level, 2);
            let keys = shapes.iter();
            let keys = keys.map(|(element, shape)| (*element, f.key_of(*element, shape)));
            let keys: BTreeMap<u64, ValueId> = keys.collect();
            let constants = (0..count).map(|i| f.fb.param(&format!("c{i}"), plain.clone(), false));
            let constants: Parts = constants.collect();
            let mut args = a.clone();
            match before {
                Before::Digits(decompose) => {
                    args.extend(f.fb.call(decompose, &a[1..])?);
                    args.extend(babies.iter().map(|baby| keys[baby]));
                }
                Before::Babies(functions) => {
                    for (baby, function) in functions {
                        args.extend(f.fb.call(function, &[a[0], a[1], keys[&baby]])?);
                    }
                }
            }
            args.extend(constants);
            let mut moved = Parts::new();
            let sums = f.fb.call(sums, &args)?;
            for ((giant, turn), sum) in by_giant.keys().zip(turns).zip(sums.chunks_exact(2)) {
                match (giant, turn) {
                    (Some(giant), Some(turn)) => {
                        moved.extend(f.fb.call(turn, &[sum[0], sum[1], keys[giant]])?);
                    }
                    _ => moved.extend_from_slice(sum),
                }
            }
            Ok(f.fb.call(divide, &moved)?)
        })
    }

    /// The number of a matrix: equal ones have the same.
    fn number(&mut self, level: usize, terms: Vec<Turned>) -> usize {
        let matrix = (level, terms);
        let known = self.matrices.iter().position(|known| *known == matrix);
        known.unwrap_or_else(|| {
            self.matrices.push(matrix);
            self.matrices.len() - 1
        })
    }

    /// What comes before the sums.
    fn before(&mut self, level: usize, babies: &BTreeSet<u64>) -> Result<Before, Error> {
        match self.hoisting {
            Hoisting::Shared if !babies.is_empty() => Ok(Before::Digits(self.decompose(level)?)),
            _ => {
                let function = |&galois: &u64| Ok((galois, self.baby(level, galois)?));
                let functions = babies.iter().map(function);
                Ok(Before::Babies(functions.collect::<Result<_, Error>>()?))
            }
        }
    }

    /// `a, key -> a moved`, under the key's secret again, under Q and P and P times as large.
    fn baby(&mut self, level: usize, galois: u64) -> Result<FuncId, Error> {
        let shape = self.shape(KeyId::Galois(galois))?;
        let (q, p) = (ciphertext_towers(level), special_towers(self.parameters));
        let (held, digit) = (shape.towers(), shape.grouping());
        let product = key_product(&mut self.module, &q, &p, &held, digit)?;
        let factor = self.special_product(level)?;
        self.function(&format!("ckks.transform_baby.{galois}@{level}"), |f| {
            let a = f.ciphertext("a", level, 2);
            let key = f.key(&shape);
            let moved = f.fb.automorphism(a[1], galois)?;
            let switched = f.fb.call(product, &[moved, key])?;
            let constant = f.fb.mul_scalar(a[0], &factor)?;
            let constant = f.fb.automorphism(constant, galois)?;
            Ok(vec![
                f.lifted(switched[0], constant, (&q, &p))?,
                switched[1],
            ])
        })
    }

    /// `a, digits of a.1 and baby keys or what comes of them, constants -> two sums for each giant step`.
    fn sums(
        &mut self,
        number: usize,
        level: usize,
        (by_giant, babies): (&ByGiant, &BTreeSet<u64>),
        count: usize,
    ) -> Result<FuncId, Error> {
        let (q, p) = (ciphertext_towers(level), special_towers(self.parameters));
        let mut switches = Vec::new();
        if self.hoisting == Hoisting::Shared {
            for &baby in babies {
                let shape = self.shape(KeyId::Galois(baby))?;
                let (held, digit) = (shape.towers(), shape.grouping());
                let sum = sum_digits(&mut self.module, &q, &p, &held, digit, baby)?;
                switches.push((baby, shape, sum));
            }
        }
        let digits = match switches.is_empty() {
            true => 0,
            false => self.parameters.digits(level),
        };
        let factor = self.special_product(level)?;
        let plain = plain_type(self.parameters, level, true);
        self.function(&format!("ckks.transform_sums.{number}@{level}"), |f| {
            let a = f.ciphertext("a", level, 2);
            let digits = (0..digits).map(|i| f.fb.param(&format!("d{i}"), plain.clone(), false));
            let digits: Parts = digits.collect();
            let mut moved = BTreeMap::new();
            if switches.is_empty() {
                for &baby in babies {
                    let halves = [0, 1].map(|half| format!("u{baby}.{half}"));
                    let halves = halves.map(|name| f.fb.param(&name, plain.clone(), false));
                    moved.insert(baby, halves);
                }
            }
            let keys = switches.iter();
            let keys = keys.map(|(baby, shape, _)| f.key_of(*baby, shape));
            let keys: Parts = keys.collect();
            let constants = (0..count).map(|i| f.fb.param(&format!("c{i}"), plain.clone(), false));
            let constants: Parts = constants.collect();
            let a = a.into_iter().map(|part| f.fb.mul_scalar(part, &factor));
            let a: Parts = a.collect::<Result<_, _>>()?;
            for (&(baby, _, sum), key) in switches.iter().zip(keys) {
                let switched = f.fb.call(sum, &[&digits[..], &[key]].concat())?;
                let constant = f.fb.automorphism(a[0], baby)?;
                let lifted = f.lifted(switched[0], constant, (&q, &p))?;
                moved.insert(baby, [lifted, switched[1]]);
            }
            let mut returns = Parts::new();
            for terms in by_giant.values() {
                for half in 0..2 {
                    returns.push(f.row(terms, half, (&a, &moved, &constants), (&q, &p))?);
                }
            }
            Ok(returns)
        })
    }

    /// `two sums, key -> the sums moved`, under the key's secret again.
    fn turn(&mut self, level: usize, galois: u64) -> Result<FuncId, Error> {
        let shape = self.shape(KeyId::Galois(galois))?;
        let (q, p) = (ciphertext_towers(level), special_towers(self.parameters));
        let down = fast_mod_down(&mut self.module, &q, &p, Domain::Eval)?;
        let (held, digit) = (shape.towers(), shape.grouping());
        let product = key_product(&mut self.module, &q, &p, &held, digit)?;
        let ty = plain_type(self.parameters, level, true);
        self.function(&format!("ckks.transform_turn.{galois}@{level}"), |f| {
            let v = [0, 1].map(|half| f.fb.param(&format!("v.{half}"), ty.clone(), false));
            let key = f.key(&shape);
            let divided = f.fb.call(down, &v[1..])?;
            let turned = f.fb.automorphism(divided[0], galois)?;
            let switched = f.fb.call(product, &[turned, key])?;
            let moved = f.fb.automorphism(v[0], galois)?;
            Ok(vec![f.fb.add(switched[0], moved)?, switched[1]])
        })
    }

    /// `pairs of sums -> their sum divided by the special primes`.
    fn divide(&mut self, level: usize, pairs: usize) -> Result<FuncId, Error> {
        let (q, p) = (ciphertext_towers(level), special_towers(self.parameters));
        let down = fast_mod_down(&mut self.module, &q, &p, Domain::Eval)?;
        let ty = plain_type(self.parameters, level, true);
        self.function(&format!("ckks.transform_divide.{pairs}@{level}"), |f| {
            let names = (0..2 * pairs).map(|i| format!("v{}.{}", i / 2, i % 2));
            let parts: Parts = names
                .map(|name| f.fb.param(&name, ty.clone(), false))
                .collect();
            let mut returns = Parts::new();
            for half in 0..2 {
                let mut sum = parts[half];
                for &part in parts[half..].iter().step_by(2).skip(1) {
                    sum = f.fb.add(sum, part)?;
                }
                returns.extend(f.fb.call(down, &[sum])?);
            }
            Ok(returns)
        })
    }

    /// The product of the special primes modulo each prime of a level.
    fn special_product(&self, level: usize) -> Result<Vec<u128>, Error> {
        let product = |&q: &u64| {
            let q = Modulus::new(q).map_err(|error| Error::Internal(error.to_string()))?;
            let special = self.parameters.p().iter();
            let product = special.fold(1, |product, &p| q.mul(product, q.reduce(p)));
            Ok(u128::from(product))
        };
        self.parameters.q()[..level].iter().map(product).collect()
    }
}

impl Body<'_> {
    /// The key of an automorphism, one among others.
    fn key_of(&mut self, galois: u64, shape: &KeyShape) -> ValueId {
        let name = format!("key.{galois}");
        self.fb.param(&name, key_type(shape), false)
    }

    /// A value under Q and P with another added under Q.
    fn lifted(
        &mut self,
        a: ValueId,
        of_q: ValueId,
        (q, p): (&Basis, &Basis),
    ) -> Result<ValueId, Error> {
        let kept = self.fb.towers(a, q)?;
        let kept = self.fb.add(kept, of_q)?;
        let special = self.fb.towers(a, p)?;
        Ok(self.fb.concat(kept, special)?)
    }

    /// One half of a giant step's sum: constants times what the baby steps made, or the operand itself,
    /// which is under Q and nothing under P.
    fn row(
        &mut self,
        terms: &[Turned],
        half: usize,
        (a, moved, constants): (&Parts, &BTreeMap<u64, [ValueId; 2]>, &Parts),
        (q, p): (&Basis, &Basis),
    ) -> Result<ValueId, Error> {
        let (mut kept, mut special) = (None, None);
        for term in terms {
            let constant = constants[term.constant];
            let own = self.fb.towers(constant, q)?;
            let Some(baby) = term.baby else {
                self.accumulate(&mut kept, own, a[half])?;
                continue;
            };
            let value = moved[&baby][half];
            let of_q = self.fb.towers(value, q)?;
            self.accumulate(&mut kept, own, of_q)?;
            let own = self.fb.towers(constant, p)?;
            let of_p = self.fb.towers(value, p)?;
            self.accumulate(&mut special, own, of_p)?;
        }
        let special = match special {
            Some(special) => special,
            None => self.fb.zero(p, Domain::Eval)?,
        };
        let kept = kept.ok_or_else(|| Error::Internal("a step of no term".into()))?;
        Ok(self.fb.concat(kept, special)?)
    }

    /// Adds a product to a sum.
    fn accumulate(
        &mut self,
        sum: &mut Option<ValueId>,
        a: ValueId,
        b: ValueId,
    ) -> Result<(), Error> {
        let product = self.fb.mul(a, b)?;
        *sum = Some(match *sum {
            Some(before) => self.fb.add(before, product)?,
            None => product,
        });
        Ok(())
    }
}
