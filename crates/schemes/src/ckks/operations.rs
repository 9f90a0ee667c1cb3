//! The ring function of each ciphertext operation.
//!
//! Operands come as their parts, then a constant or key. Functions are named after the operation
//! and the level, built once per module, and called once per operation of the program.
//!
//! **Rotation** applies the automorphism to both parts in evaluation form, where it only permutes
//! words, and then switches σ(c1) from σ(s) to s. Key switching first, with a key for σ^-1(s),
//! permutes as many towers afterwards and so costs the same; in coefficient form the automorphism
//! would cost two more transforms per tower of c0. This order's keys are SEAL's.
//!
//! **Several rotations of one ciphertext** share the digits of c1 ("hoisting"); the bits are the
//! same, see `ringwright_ir::ring::composites::switch_digits`.

mod hoisting;
mod transform;

pub use hoisting::Hoisting;
pub(super) use transform::Turned;

use super::embedding::residue;
use super::{Error, Parameters};
use crate::rlwe::programs::key_type;
use crate::rlwe::towers::{ciphertext_towers, special_towers};
use crate::rlwe::KeyShape;
use ringwright_arith::Modulus;
use ringwright_ir::he::KeyId;
use ringwright_ir::ring::composites::{
    decompose, fast_extension, key_switch, mod_down, switch_digits,
};
use ringwright_ir::ring::{Basis, Domain, FuncId, FunctionBuilder, ModuleBuilder, Type, ValueId};
use std::collections::BTreeMap;

/// Builds the functions of one module.
pub(super) struct Operations<'a> {
    pub parameters: &'a Parameters,
    /// Of every key that the program needs.
    pub shapes: &'a BTreeMap<KeyId, KeyShape>,
    pub module: ModuleBuilder,
    /// The matrices, by level and terms.
    pub matrices: Vec<(usize, Vec<Turned>)>,
    /// What several automorphisms of one ciphertext do with its digits.
    pub hoisting: Hoisting,
}

/// Parts of a ciphertext, or of several.
type Parts = Vec<ValueId>;

impl Operations<'_> {
    /// `a, b -> a + b`, part by part.
    pub fn add(&mut self, level: usize, parts: usize) -> Result<FuncId, Error> {
        self.function(&counted("add", parts, level), |f| {
            let (a, b) = (
                f.ciphertext("a", level, parts),
                f.ciphertext("b", level, parts),
            );
            a.into_iter()
                .zip(b)
                .map(|(a, b)| Ok(f.fb.add(a, b)?))
                .collect()
        })
    }

    /// `a, b -> a - b`, part by part.
    pub fn sub(&mut self, level: usize, parts: usize) -> Result<FuncId, Error> {
        self.function(&counted("sub", parts, level), |f| {
            let (a, b) = (
                f.ciphertext("a", level, parts),
                f.ciphertext("b", level, parts),
            );
            a.into_iter()
                .zip(b)
                .map(|(a, b)| Ok(f.fb.sub(a, b)?))
                .collect()
        })
    }

    /// `a -> -a`.
    pub fn neg(&mut self, level: usize, parts: usize) -> Result<FuncId, Error> {
        self.function(&counted("neg", parts, level), |f| {
            f.each(level, parts, |fb, part| Ok(fb.neg(part)?))
        })
    }

    /// `a.0, m -> a.0 + m`: the other parts stay.
    pub fn add_plaintext(&mut self, level: usize) -> Result<FuncId, Error> {
        self.function(&format!("ckks.add_plaintext@{level}"), |f| {
            let (part, m) = (f.poly("a.0", level), f.poly("m", level));
            Ok(vec![f.fb.add(part, m)?])
        })
    }

    /// `a.0 -> a.0 + integer`: a constant polynomial has one value everywhere.
    pub fn add_integer(&mut self, level: usize, integer: f64) -> Result<FuncId, Error> {
        let residues = self.residues(level, integer)?;
        self.function(&format!("ckks.add_integer.{integer}@{level}"), |f| {
            let part = f.poly("a.0", level);
            Ok(vec![f.fb.add_scalar(part, &residues)?])
        })
    }

    /// `a, m -> a·m`.
    pub fn mul_plaintext(&mut self, level: usize, parts: usize) -> Result<FuncId, Error> {
        self.function(&counted("mul_plaintext", parts, level), |f| {
            let a = f.ciphertext("a", level, parts);
            let m = f.poly("m", level);
            a.into_iter().map(|part| Ok(f.fb.mul(part, m)?)).collect()
        })
    }

    /// `a -> integer·a`.
    pub fn mul_integer(
        &mut self,
        level: usize,
        parts: usize,
        integer: f64,
    ) -> Result<FuncId, Error> {
        let residues = self.residues(level, integer)?;
        self.function(
            &counted(&format!("mul_integer.{integer}"), parts, level),
            |f| f.each(level, parts, |fb, part| Ok(fb.mul_scalar(part, &residues)?)),
        )
    }

    /// `a, b -> a·b` in three parts.
    pub fn mul(&mut self, level: usize) -> Result<FuncId, Error> {
        self.function(&format!("ckks.mul@{level}"), |f| {
            let (a, b) = (f.ciphertext("a", level, 2), f.ciphertext("b", level, 2));
            f.tensor(&a, &b)
        })
    }

    /// `a -> a²` in three parts.
    pub fn square(&mut self, level: usize) -> Result<FuncId, Error> {
        self.function(&format!("ckks.square@{level}"), |f| {
            let a = f.ciphertext("a", level, 2);
            f.tensor_square(&a)
        })
    }

    /// `a, b, key -> a·b` in two parts.
    pub fn mul_relin(&mut self, level: usize) -> Result<FuncId, Error> {
        let (shape, switch) = self.key_switch(KeyId::Mult, level)?;
        self.function(&format!("ckks.mul_relin@{level}"), |f| {
            let (a, b) = (f.ciphertext("a", level, 2), f.ciphertext("b", level, 2));
            let key = f.key(&shape);
            let product = f.tensor(&a, &b)?;
            f.relinearised(&product, key, switch)
        })
    }

    /// `a, key -> a²` in two parts.
    pub fn square_relin(&mut self, level: usize) -> Result<FuncId, Error> {
        let (shape, switch) = self.key_switch(KeyId::Mult, level)?;
        self.function(&format!("ckks.square_relin@{level}"), |f| {
            let a = f.ciphertext("a", level, 2);
            let key = f.key(&shape);
            let square = f.tensor_square(&a)?;
            f.relinearised(&square, key, switch)
        })
    }

    /// `a (three parts), key -> a (two parts)`.
    pub fn relinearise(&mut self, level: usize) -> Result<FuncId, Error> {
        let (shape, switch) = self.key_switch(KeyId::Mult, level)?;
        self.function(&format!("ckks.relinearise@{level}"), |f| {
            let a = f.ciphertext("a", level, 3);
            let key = f.key(&shape);
            f.relinearised(&a, key, switch)
        })
    }

    /// `a -> a divided by the last prime`, one tower fewer.
    pub fn rescale(&mut self, level: usize, parts: usize) -> Result<FuncId, Error> {
        let kept = ciphertext_towers(level - 1);
        let dropped = Basis::range(level as u16 - 1..level as u16);
        let divide = mod_down(&mut self.module, &kept, &dropped, Domain::Eval)?;
        self.function(&counted("rescale", parts, level), |f| {
            f.each(level, parts, |fb, part| Ok(fb.call(divide, &[part])?[0]))
        })
    }

    /// `a -> a` under fewer towers.
    pub fn drop_level(&mut self, level: usize, parts: usize, to: usize) -> Result<FuncId, Error> {
        self.function(&counted(&format!("drop_level.{to}"), parts, level), |f| {
            f.each(level, parts, |fb, part| {
                Ok(fb.towers(part, &ciphertext_towers(to))?)
            })
        })
    }

    /// `a, key -> a(X^galois)`: rotations and conjugation.
    pub fn automorphism(&mut self, level: usize, galois: u64) -> Result<FuncId, Error> {
        let (shape, switch) = self.key_switch(KeyId::Galois(galois), level)?;
        self.function(&format!("ckks.automorphism.{galois}@{level}"), |f| {
            let a = f.ciphertext("a", level, 2);
            let key = f.key(&shape);
            let moved = a
                .into_iter()
                .map(|part| Ok(f.fb.automorphism(part, galois)?))
                .collect::<Result<Parts, Error>>()?;
            let switched = f.fb.call(switch, &[moved[1], key])?;
            Ok(vec![f.fb.add(moved[0], switched[0])?, switched[1]])
        })
    }

    /// `a, key -> a` under the key's other secret.
    pub fn switch_key(&mut self, key: KeyId, level: usize) -> Result<FuncId, Error> {
        let (shape, switch) = self.key_switch(key, level)?;
        let KeyId::Switch { from, to } = key else {
            return Err(Error::Internal(format!("a switch with the key {key}")));
        };
        self.function(&format!("ckks.switch_key.{from}.{to}@{level}"), |f| {
            let a = f.ciphertext("a", level, 2);
            let key = f.key(&shape);
            let switched = f.fb.call(switch, &[a[1], key])?;
            Ok(vec![f.fb.add(a[0], switched[0])?, switched[1]])
        })
    }

    /// `a (one tower) -> a (towers up to this level)`: integers modulo the first prime, centred, which a
    /// digit of one prime brings under the others exactly.
    pub fn raise(&mut self, level: usize) -> Result<FuncId, Error> {
        let (own, others) = (Basis::range(0..1), Basis::range(1..level as u16));
        let extend = fast_extension(&mut self.module, &own, &others)?;
        self.function(&format!("ckks.raise.{level}@1"), |f| {
            f.each(1, 2, |fb, part| {
                let coefficients = fb.intt(part)?;
                let raised = fb.call(extend, &[coefficients])?[0];
                let raised = fb.ntt(raised)?;
                Ok(fb.concat(part, raised)?)
            })
        })
    }

    /// `a.1 -> digits`: what several automorphisms of a ciphertext share.
    pub fn decompose(&mut self, level: usize) -> Result<FuncId, Error> {
        let special = special_towers(self.parameters);
        let digit = self.parameters.grouping();
        Ok(decompose(
            &mut self.module,
            &ciphertext_towers(level),
            &special,
            digit,
        )?)
    }

    /// `a.0, digits of a.1, key -> a(X^galois)`: as [`Operations::automorphism`].
    pub fn automorphism_of_digits(&mut self, level: usize, galois: u64) -> Result<FuncId, Error> {
        let shape = self.shape(KeyId::Galois(galois))?;
        let (special, held, digit) = (shape.special(), shape.towers(), shape.grouping());
        let q = ciphertext_towers(level);
        let switch = switch_digits(&mut self.module, &q, special, &held, digit, galois)?;
        let digits = self.parameters.digits(level);
        self.function(
            &format!("ckks.automorphism_of_digits.{galois}@{level}"),
            |f| {
                let constant = f.poly("a.0", level);
                let raised = Type::poly(&q.join(special), Domain::Eval);
                let mut args: Parts = (0..digits)
                    .map(|i| f.fb.param(&format!("d{i}"), raised.clone(), false))
                    .collect();
                args.push(f.key(&shape));
                let moved = f.fb.automorphism(constant, galois)?;
                let switched = f.fb.call(switch, &args)?;
                Ok(vec![f.fb.add(moved, switched[0])?, switched[1]])
            },
        )
    }

    /// The switch with a key, and the key's shape.
    fn key_switch(&mut self, key: KeyId, level: usize) -> Result<(KeyShape, FuncId), Error> {
        let shape = self.shape(key)?;
        let (special, held, digit) = (shape.special(), shape.towers(), shape.grouping());
        let q = ciphertext_towers(level);
        let switch = key_switch(&mut self.module, &q, special, &held, digit)?;
        Ok((shape, switch))
    }

    fn shape(&self, key: KeyId) -> Result<KeyShape, Error> {
        let shape = self.shapes.get(&key).cloned();
        shape.ok_or_else(|| Error::Internal(format!("no shape of the key {key}")))
    }

    fn residues(&self, level: usize, integer: f64) -> Result<Vec<u128>, Error> {
        let residue = |&q: &u64| match Modulus::new(q) {
            Ok(modulus) => Ok(residue(integer, &modulus).into()),
            Err(error) => Err(Error::Internal(error.to_string())),
        };
        self.parameters.q()[..level].iter().map(residue).collect()
    }

    /// The function of this name, built if it was not.
    fn function(
        &mut self,
        name: &str,
        body: impl FnOnce(&mut Body) -> Result<Parts, Error>,
    ) -> Result<FuncId, Error> {
        if let Some(found) = self.module.find(name) {
            return Ok(found);
        }
        let mut f = Body {
            fb: self.module.function(name),
        };
        let returns = body(&mut f)?;
        Ok(f.fb.finish(&returns)?)
    }
}

/// One function under construction.
struct Body<'a> {
    fb: FunctionBuilder<'a>,
}

impl Body<'_> {
    fn poly(&mut self, name: &str, level: usize) -> ValueId {
        self.fb.param(
            name,
            Type::poly(&ciphertext_towers(level), Domain::Eval),
            false,
        )
    }

    fn ciphertext(&mut self, name: &str, level: usize, parts: usize) -> Parts {
        (0..parts)
            .map(|part| self.poly(&format!("{name}.{part}"), level))
            .collect()
    }

    fn key(&mut self, shape: &KeyShape) -> ValueId {
        self.fb.param("key", key_type(shape), false)
    }

    /// A parameter of some parts, each sent through the same operation.
    fn each(
        &mut self,
        level: usize,
        parts: usize,
        operation: impl Fn(&mut FunctionBuilder, ValueId) -> Result<ValueId, Error>,
    ) -> Result<Parts, Error> {
        let a = self.ciphertext("a", level, parts);
        a.into_iter()
            .map(|part| operation(&mut self.fb, part))
            .collect()
    }

    /// (a0 + a1 s)(b0 + b1 s) by powers of s.
    fn tensor(&mut self, a: &[ValueId], b: &[ValueId]) -> Result<Parts, Error> {
        let constant = self.fb.mul(a[0], b[0])?;
        let left = self.fb.mul(a[0], b[1])?;
        let right = self.fb.mul(a[1], b[0])?;
        let linear = self.fb.add(left, right)?;
        Ok(vec![constant, linear, self.fb.mul(a[1], b[1])?])
    }

    fn tensor_square(&mut self, a: &[ValueId]) -> Result<Parts, Error> {
        let constant = self.fb.mul(a[0], a[0])?;
        let mixed = self.fb.mul(a[0], a[1])?;
        let linear = self.fb.add(mixed, mixed)?;
        Ok(vec![constant, linear, self.fb.mul(a[1], a[1])?])
    }

    fn relinearised(
        &mut self,
        d: &[ValueId],
        key: ValueId,
        switch: FuncId,
    ) -> Result<Parts, Error> {
        let switched = self.fb.call(switch, &[d[2], key])?;
        Ok(vec![
            self.fb.add(d[0], switched[0])?,
            self.fb.add(d[1], switched[1])?,
        ])
    }
}

/// `ckks.add@6`, and `ckks.add/3@6` for three parts.
fn counted(operation: &str, parts: usize, level: usize) -> String {
    match parts {
        2 => format!("ckks.{operation}@{level}"),
        parts => format!("ckks.{operation}/{parts}@{level}"),
    }
}
