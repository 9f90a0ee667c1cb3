//! Builds ciphertext programs: every operation is typed, checked and given its predicted noise
//! when it is added.
//!
//! **Levels** follow by themselves: where two operands differ, the higher one drops towers.
//! **Scales** do not: a sum of different scales is refused, and [`ProgramBuilder::match_scale`]
//! brings a value of a higher level to the other's scale at no further cost in levels.
//! [`ProgramBuilder::mul_rescale`] keeps the scale near the parameters' default even where primes
//! are longer than it: the product is multiplied by the integer nearest q·Δ/(Δ_a·Δ_b) before q is
//! dropped; [`ProgramBuilder::mul_rescale_to`] aims at any scale. Constants are encoded at the prime that the next rescaling drops, which leaves the
//! scale exactly as it was.

mod calls;
mod checks;
mod declared;
mod raising;
mod rotations;
mod scaled;
mod values;

use super::analyst::Analyst;
use super::client_only::require_special_primes;
use super::message_fit::check_fit;
use super::plaintext::check_scale;
use super::rotation_steps::shortest;
use super::{Analysed, Error, Estimate, Parameters};
use crate::rlwe;
use ringwright_ir::he::{Function, HeOpKind, Program, Values};
use ringwright_ir::ring::{Loc, ValueId};
use rotations::Composed;
use std::collections::{BTreeMap, HashMap, HashSet};

/// A plaintext vector that every run of a program is given ([`ProgramBuilder::plain`]).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Plain(usize);

/// A ciphertext program under construction.
pub struct ProgramBuilder {
    /// Constants, and the functions that are called.
    program: Program,
    /// The entry, which is under construction.
    function: Function,
    /// What is known of its values.
    analyst: Analyst,
    loc: Option<Loc>,
    /// Values already dropped to a level, so that each is dropped once.
    dropped: BTreeMap<(ValueId, u16), ValueId>,
    /// Names of values and of constants that are taken.
    names: HashSet<String>,
    constant_names: HashSet<String>,
    /// Constants that are known, by a hash of their values, so that each is held once.
    constants: HashMap<u64, Vec<usize>>,
    /// How rotations are composed; `None`: each is one operation.
    composed: Option<Composed>,
}

impl ProgramBuilder {
    /// An empty program.
    pub fn new(parameters: &Parameters, name: &str) -> Self {
        Self {
            program: Program {
                functions: Vec::new(),
                constants: Vec::new(),
            },
            function: Function {
                name: name.to_string(),
                ..Function::default()
            },
            analyst: Analyst::new(parameters),
            loc: None,
            dropped: BTreeMap::new(),
            names: HashSet::new(),
            constant_names: HashSet::new(),
            constants: HashMap::new(),
            composed: None,
        }
    }

    /// The parameters it builds for.
    pub fn parameters(&self) -> &Parameters {
        &self.analyst.parameters
    }

    /// The source line of the operations that follow; the first one given is the program's.
    pub fn at(&mut self, loc: Loc) -> &mut Self {
        self.function.loc.get_or_insert_with(|| loc.clone());
        self.loc = Some(loc);
        self
    }

    /// Names a value for text and errors; a name already taken gets a number.
    pub fn name(&mut self, value: ValueId, name: &str) -> ValueId {
        if self.check(value).is_ok() {
            if let Some(before) = self.function.names[value.index()].take() {
                self.names.remove(&before);
            }
            let name = self.unused_name(name);
            self.names.insert(name.clone());
            self.function.names[value.index()] = Some(name);
        }
        value
    }

    /// What is known of a value.
    ///
    /// # Errors
    /// A value of another program.
    pub fn ty(&self, value: ValueId) -> Result<&Estimate, Error> {
        self.check(value)?;
        Ok(self.analyst.of(value))
    }

    /// What no slot of a value is off by more, but with probability 2^-20.
    ///
    /// # Errors
    /// A value of another program.
    pub fn error_bound(&self, value: ValueId) -> Result<f64, Error> {
        Ok(self.analyst.model.error_bound(self.ty(value)?))
    }

    /// A ciphertext that the program takes; see [`Parameters::fresh`] for what is known of it. Its error has
    /// nothing to do with other inputs': the program refuses ciphertexts of which that is not known.
    ///
    /// # Errors
    /// An input after the first operation, a name twice, a type that the parameters do not have,
    /// or a message that does not fit the modulus.
    pub fn input(&mut self, name: &str, ty: Estimate) -> Result<ValueId, Error> {
        self.input_of_group(name, ty, None)
    }

    /// A ciphertext whose error may have something in common with those of the other inputs of the
    /// group; see [`super::Lineage::groups`].
    ///
    /// # Errors
    /// As [`ProgramBuilder::input`].
    pub fn input_of_group(
        &mut self,
        name: &str,
        ty: Estimate,
        group: Option<u32>,
    ) -> Result<ValueId, Error> {
        if !self.function.ops.is_empty() {
            let what = format!("input {name:?} comes after the first operation");
            return Err(Error::Program { what });
        }
        if self.names.contains(name) {
            return Err(Error::Program {
                what: format!("two inputs are named {name:?}"),
            });
        }
        let known = ty.ty();
        self.analyst.input(name, ty, group)?;
        self.function.inputs += 1;
        Ok(self.define(known, Some(name.to_string())))
    }

    /// Sum.
    ///
    /// # Errors
    /// Scales or parts that differ, or a sum that does not fit.
    pub fn add(&mut self, a: ValueId, b: ValueId) -> Result<ValueId, Error> {
        self.linear(HeOpKind::Add, "add", a, b)
    }

    /// Difference.
    ///
    /// # Errors
    /// As [`ProgramBuilder::add`], and of a value from itself.
    pub fn sub(&mut self, a: ValueId, b: ValueId) -> Result<ValueId, Error> {
        if a == b {
            self.check(a)?;
            return Err(self.transparent("sub", a));
        }
        self.linear(HeOpKind::Sub, "sub", a, b)
    }

    /// Negation.
    ///
    /// # Errors
    /// A value of another program.
    pub fn neg(&mut self, a: ValueId) -> Result<ValueId, Error> {
        self.check(a)?;
        self.push(HeOpKind::Neg, &[a])
    }

    /// Sum with a constant vector, repeated to fill the slots.
    ///
    /// # Errors
    /// A length that does not divide the slots, values that are not finite or do not fit.
    pub fn add_constant(&mut self, a: ValueId, values: &[f64]) -> Result<ValueId, Error> {
        self.check(a)?;
        let constant = self.constant(Values::Real(values.to_vec()))?;
        self.add_plain(a, Plain(constant))
    }

    /// Sum with a complex constant vector (real and imaginary parts), repeated to fill the slots.
    ///
    /// # Errors
    /// As [`ProgramBuilder::add_constant`]; a conjugate-invariant ring, whose slots are real.
    pub fn add_complex(&mut self, a: ValueId, values: &[[f64; 2]]) -> Result<ValueId, Error> {
        self.check(a)?;
        let constant = self.constant(Values::Complex(values.to_vec()))?;
        self.add_plain(a, Plain(constant))
    }

    /// Sum with a plain argument.
    ///
    /// # Errors
    /// A sum that does not fit, whatever the argument.
    pub fn add_plain(&mut self, a: ValueId, Plain(constant): Plain) -> Result<ValueId, Error> {
        self.check(a)?;
        self.plain_values(constant)?;
        self.push(HeOpKind::AddConstant { constant }, &[a])
    }

    /// Product with a constant vector, repeated to fill the slots, encoded at the scale of the
    /// prime that the next [`ProgramBuilder::rescale`] drops.
    ///
    /// # Errors
    /// Numbers that are all zero at that scale, too few levels for that rescaling, and as
    /// [`ProgramBuilder::add_constant`].
    pub fn mul_constant(&mut self, a: ValueId, values: &[f64]) -> Result<ValueId, Error> {
        let prime = self.last_prime(a)?;
        if values.iter().all(|value| (value * prime).abs() <= 0.5) {
            return Err(self.transparent("mul_constant", a));
        }
        self.mul_constant_at_scale(a, values, prime)
    }

    /// Product with a constant vector encoded at a given scale; the scales multiply.
    ///
    /// # Errors
    /// As [`ProgramBuilder::add_constant`].
    pub fn mul_constant_at_scale(
        &mut self,
        a: ValueId,
        values: &[f64],
        scale: f64,
    ) -> Result<ValueId, Error> {
        self.mul_values_at_scale(a, Values::Real(values.to_vec()), scale)
    }

    /// Product with a plain argument, encoded at the scale of the prime that the next
    /// [`ProgramBuilder::rescale`] drops.
    ///
    /// # Errors
    /// Too few levels for that rescaling, or a product that does not fit, whatever the argument.
    pub fn mul_plain(&mut self, a: ValueId, plain: Plain) -> Result<ValueId, Error> {
        let prime = self.last_prime(a)?;
        self.mul_plain_at_scale(a, plain, prime)
    }

    fn mul_plain_at_scale(
        &mut self,
        a: ValueId,
        Plain(constant): Plain,
        scale: f64,
    ) -> Result<ValueId, Error> {
        self.check(a)?;
        self.plain_values(constant)?;
        self.push(HeOpKind::MulConstant { constant, scale }, &[a])
    }

    /// Product with a complex constant vector (real and imaginary parts), encoded at the scale of the
    /// prime that the next [`ProgramBuilder::rescale`] drops.
    ///
    /// # Errors
    /// As [`ProgramBuilder::mul_constant`]; a conjugate-invariant ring, whose slots are real.
    pub fn mul_complex(&mut self, a: ValueId, values: &[[f64; 2]]) -> Result<ValueId, Error> {
        let prime = self.last_prime(a)?;
        let small = |value: &[f64; 2]| value.iter().all(|part| (part * prime).abs() <= 0.5);
        if values.iter().all(small) {
            return Err(self.transparent("mul_complex", a));
        }
        self.mul_complex_at_scale(a, values, prime)
    }

    /// Product with a complex constant vector encoded at a given scale; the scales multiply.
    ///
    /// # Errors
    /// As [`ProgramBuilder::add_complex`].
    pub fn mul_complex_at_scale(
        &mut self,
        a: ValueId,
        values: &[[f64; 2]],
        scale: f64,
    ) -> Result<ValueId, Error> {
        self.mul_values_at_scale(a, Values::Complex(values.to_vec()), scale)
    }

    /// Product with values of any kind, encoded at a given scale; the scales multiply.
    ///
    /// # Errors
    /// As [`ProgramBuilder::add_complex`].
    pub fn mul_values_at_scale(
        &mut self,
        a: ValueId,
        values: Values,
        scale: f64,
    ) -> Result<ValueId, Error> {
        check_scale(scale)?;
        self.check(a)?;
        let constant = self.constant(values)?;
        self.mul_plain_at_scale(a, Plain(constant), scale)
    }

    /// Every slot times i: a product with X^(N/2), exact and of no level.
    ///
    /// # Errors
    /// A conjugate-invariant ring, whose slots are real.
    pub fn mul_i(&mut self, a: ValueId) -> Result<ValueId, Error> {
        self.mul_complex_at_scale(a, &[[0.0, 1.0]], 1.0)
    }

    /// Product with a constant vector, rescaled: one level, the scale unchanged.
    ///
    /// # Errors
    /// As [`ProgramBuilder::mul_constant`].
    pub fn mul_constant_rescale(&mut self, a: ValueId, values: &[f64]) -> Result<ValueId, Error> {
        let product = self.mul_constant(a, values)?;
        self.rescale(product)
    }

    /// Product, relinearised; the scales multiply. Rescale it.
    ///
    /// # Errors
    /// No special primes, operands of three parts, or a product that does not fit.
    pub fn mul(&mut self, a: ValueId, b: ValueId) -> Result<ValueId, Error> {
        require_special_primes(self.parameters(), "mul")?;
        let (a, b) = self.factors("mul", a, b)?;
        self.push(HeOpKind::MulRelin, &[a, b])
    }

    /// Product of three parts: sums of products are relinearised once.
    ///
    /// # Errors
    /// As [`ProgramBuilder::mul`].
    pub fn mul_no_relin(&mut self, a: ValueId, b: ValueId) -> Result<ValueId, Error> {
        let (a, b) = self.factors("mul_no_relin", a, b)?;
        self.push(HeOpKind::Mul, &[a, b])
    }

    /// Three parts to two.
    ///
    /// # Errors
    /// No special primes, or an operand of two parts.
    pub fn relinearise(&mut self, a: ValueId) -> Result<ValueId, Error> {
        require_special_primes(self.parameters(), "relinearise")?;
        self.require_parts("relinearise", a, 3, "3")?;
        self.push(HeOpKind::Relinearise, &[a])
    }

    /// Product, relinearised and rescaled: one level, the scale back near the default (see the
    /// module).
    ///
    /// # Errors
    /// Too few levels, and as [`ProgramBuilder::mul`].
    pub fn mul_rescale(&mut self, a: ValueId, b: ValueId) -> Result<ValueId, Error> {
        let left = self.product_scale(a, b)?;
        self.mul_rescale_to(a, b, self.parameters().scale().max(left))
    }

    /// Drops the last tower and divides by its prime, value and scale alike.
    ///
    /// # Errors
    /// At level 1, naming the smallest N for the depth; or when no precision would be left.
    pub fn rescale(&mut self, a: ValueId) -> Result<ValueId, Error> {
        self.last_prime(a)?;
        self.check_precision(&self.analyst.rescaled_estimate(a))?;
        self.push(HeOpKind::Rescale, &[a])
    }

    /// As [`ProgramBuilder::rescale`], for what is a small part of a larger sum: it may be smaller
    /// than its own noise.
    ///
    /// # Errors
    /// At level 1, naming the smallest N for the depth.
    pub fn rescale_part(&mut self, a: ValueId) -> Result<ValueId, Error> {
        self.last_prime(a)?;
        self.push(HeOpKind::Rescale, &[a])
    }

    /// Brings a value to the scale and level of another that has fewer levels: a product with the
    /// constant 1 at the right scale, and a rescaling.
    ///
    /// # Errors
    /// A value that is not at a higher level than the other.
    pub fn match_scale(&mut self, a: ValueId, like: ValueId) -> Result<ValueId, Error> {
        let (level, scale) = (self.ty(like)?.level, self.ty(like)?.scale);
        if self.ty(a)?.level <= level {
            let what = format!(
                "match_scale: {} is at level {}, it must be above the level {level} of {}",
                self.label(a),
                self.ty(a)?.level,
                self.label(like)
            );
            return Err(Error::Program { what });
        }
        let a = self.drop_level(a, level + 1)?;
        let factor = scale * self.last_prime(a)? / self.ty(a)?.scale;
        let product = self.mul_constant_at_scale(a, &[1.0], factor)?;
        self.rescale(product)
    }

    /// Fewer towers, the same value.
    ///
    /// # Errors
    /// A level above the value's own or below 1, or a message that no longer fits.
    pub fn drop_level(&mut self, a: ValueId, level: u16) -> Result<ValueId, Error> {
        let own = self.ty(a)?.level;
        if level == own {
            return Ok(a);
        }
        if let Some(&found) = self.dropped.get(&(a, level)) {
            return Ok(found);
        }
        if !(1..own).contains(&level) {
            let (max, name) = (own.into(), self.label(a));
            let given = level.into();
            return Err(rlwe::Error::Level { given, max, name }.into());
        }
        let result = self.push(HeOpKind::DropLevel { level }, &[a])?;
        self.dropped.insert((a, level), result);
        Ok(result)
    }

    /// Slot i becomes slot i + steps, cyclically; any number of steps.
    ///
    /// # Errors
    /// No special primes, an operand of three parts, or a step that those of
    /// [`ProgramBuilder::compose_rotations`] do not compose.
    pub fn rotate(&mut self, a: ValueId, steps: i32) -> Result<ValueId, Error> {
        let steps = self.shortest_way(steps);
        self.check(a)?;
        match steps {
            0 => Ok(a),
            steps => self.rotated(a, steps),
        }
    }

    /// The complex conjugate of every slot.
    ///
    /// # Errors
    /// As [`ProgramBuilder::rotate`]; a conjugate-invariant ring, whose slots are real.
    pub fn conjugate(&mut self, a: ValueId) -> Result<ValueId, Error> {
        self.automorphism(HeOpKind::Conjugate, "conjugate", a)
    }

    /// The complex conjugate of slot i + steps in slot i: one automorphism, whose key is neither the
    /// rotation's nor the conjugation's.
    ///
    /// # Errors
    /// As [`ProgramBuilder::rotate`].
    pub fn rotate_conjugate(&mut self, a: ValueId, steps: i32) -> Result<ValueId, Error> {
        match self.shortest_way(steps) {
            0 => self.conjugate(a),
            steps if self.composed.is_some() => {
                let rotated = self.rotate(a, steps)?;
                self.conjugate(rotated)
            }
            steps => self.automorphism(HeOpKind::RotateConjugate { steps }, "rotate_conjugate", a),
        }
    }

    /// The program, verified, with what is known of it.
    ///
    /// # Errors
    /// No returned value, or one of another program.
    pub fn finish(mut self, returns: &[ValueId]) -> Result<Analysed, Error> {
        for &value in returns {
            self.check(value)?;
        }
        self.function.returns = returns.to_vec();
        self.program.functions.push(self.function);
        ringwright_ir::he::verify(&self.program, self.analyst.parameters.levels())?;
        Ok(self.analyst.finish(self.program))
    }

    fn linear(
        &mut self,
        kind: HeOpKind,
        operation: &'static str,
        a: ValueId,
        b: ValueId,
    ) -> Result<ValueId, Error> {
        self.check_scales(operation, a, b)?;
        let (a, b) = self.same_level(a, b)?;
        let (left, right) = (self.ty(a)?, self.ty(b)?);
        if left.parts != right.parts {
            let (name, given) = (self.label(b), right.parts);
            let allowed = "the same as the other operand; relinearise first";
            return Err(Error::Parts {
                operation,
                name,
                given,
                allowed,
            });
        }
        self.push(kind, &[a, b])
    }

    /// Operands of a product, at one level.
    fn factors(
        &mut self,
        operation: &'static str,
        a: ValueId,
        b: ValueId,
    ) -> Result<(ValueId, ValueId), Error> {
        let (a, b) = self.same_level(a, b)?;
        self.require_parts(operation, a, 2, "2; relinearise first")?;
        self.require_parts(operation, b, 2, "2; relinearise first")?;
        let product = self.analyst.product_estimate(a, b);
        match check_fit(self.parameters(), operation, &product) {
            // Without a tower to rescale by, the program is too deep.
            Err(Error::Overflow { .. }) if product.level == 1 => self.last_prime(a).map(|_| ())?,
            fit => fit?,
        }
        Ok((a, b))
    }

    fn automorphism(
        &mut self,
        kind: HeOpKind,
        operation: &'static str,
        a: ValueId,
    ) -> Result<ValueId, Error> {
        require_special_primes(self.parameters(), operation)?;
        self.require_parts(operation, a, 2, "2; relinearise first")?;
        self.push(kind, &[a])
    }

    fn same_level(&mut self, a: ValueId, b: ValueId) -> Result<(ValueId, ValueId), Error> {
        let level = self.ty(a)?.level.min(self.ty(b)?.level);
        Ok((self.drop_level(a, level)?, self.drop_level(b, level)?))
    }

    fn shortest_way(&self, steps: i32) -> i32 {
        shortest(steps, self.parameters().slots())
    }
}
