//! The rules: what an operation makes of what is known of its operands. The noise model
//! ([`super::noise`]) has the formulas, the origins ([`super::origins`]) say what adds up how.

mod transform;

use super::embedding::check_finite;
use super::estimate::same_scale;
use super::message_fit::check_fit;
use super::noise::{ConstantFactor, NoiseModel};
use super::origins::{AllOrigins, Origins};
use super::plaintext::{check_message_scale, check_scale, ROUNDED};
use super::{Analysed, Error, ErrorFlow, Estimate, Estimates, Parameters, ResultErrors};
use crate::rlwe::{self, check_level, galois_of, KeyShape};
use ringwright_ir::he::{
    Constant, Fact, Function, HeOpKind, KeyId, Message, Program, SecretId, Values,
};
use ringwright_ir::ring::ValueId;
use std::collections::BTreeMap;

/// What is known of the values so far.
#[derive(Debug)]
pub(super) struct Analyst {
    pub parameters: Parameters,
    pub model: NoiseModel,
    /// Of the function that is being analysed.
    known: Estimates,
    /// Of every value's error.
    origins: AllOrigins,
}

/// The operands of an operation, for rules and messages.
#[derive(Clone, Copy)]
struct Operands<'a> {
    args: &'a [ValueId],
    function: &'a Function,
    constants: &'a [Constant],
}

/// What is known of a result, the errors of the operands as they reach it, and the deviation that the
/// operation adds.
struct Outcome {
    estimate: Estimate,
    inherited: Origins,
    added: f64,
}

impl Outcome {
    /// With an error of the operation itself.
    fn with(mut self, added: f64) -> Self {
        self.added = self.added.hypot(added);
        self
    }

    fn scaled(mut self, factor: f64) -> Self {
        self.inherited = self.inherited.scaled(factor);
        self.added *= factor;
        self
    }
}

impl Analyst {
    pub fn new(parameters: &Parameters) -> Self {
        Self {
            parameters: parameters.clone(),
            model: NoiseModel::new(parameters),
            known: Estimates::default(),
            origins: AllOrigins::default(),
        }
    }

    /// What is known of a value that there is.
    pub fn of(&self, value: ValueId) -> &Estimate {
        &self.known.values[value.index()]
    }

    /// How many values there are.
    pub fn len(&self) -> usize {
        self.known.values.len()
    }

    /// Whether the errors of two values have something in common.
    pub fn meet(&self, a: ValueId, b: ValueId) -> bool {
        self.origins.meet(a, b)
    }

    /// Whether the errors of a value's slots have nothing in common.
    pub fn is_even(&self, value: ValueId) -> bool {
        self.origins.are_even(value)
    }

    /// The next value, an input.
    ///
    /// # Errors
    /// A type that the parameters do not have, bounds that cannot be, a message that does not fit.
    pub fn input(
        &mut self,
        name: &str,
        estimate: Estimate,
        group: Option<u32>,
    ) -> Result<(), Error> {
        check_level(&self.parameters, estimate.level.into())?;
        check_message_scale(estimate.scale)?;
        check_bounds(name, &estimate)?;
        if !(2..=3).contains(&estimate.parts) {
            return Err(Error::Parts {
                operation: "input",
                name: name.to_string(),
                given: estimate.parts,
                allowed: "2 or 3",
            });
        }
        check_fit(&self.parameters, &format!("input {name}"), &estimate)?;
        self.origins.input(group, estimate.peak);
        self.known.values.push(estimate);
        Ok(())
    }

    /// Refuses constants that do not fill the slots.
    ///
    /// # Errors
    /// A length that does not divide the slots, values that are not finite, or complex in a ring of
    /// real slots.
    pub fn check_constant(&self, values: &Values) -> Result<(), Error> {
        let finite = |values: &[f64]| check_finite("constant value", values);
        let given = match values {
            Values::Real(values) => finite(values).map(|()| values.len())?,
            Values::Complex(values) => {
                self.parameters.require_complex("a complex constant")?;
                finite(values.as_flattened()).map(|()| values.len())?
            }
            Values::Integer(values) => values.len(),
            Values::Argument { max, rms } => return finite(&[*max, *rms]),
        };
        let slots = self.parameters.slots();
        match given > 0 && slots.is_multiple_of(given) {
            true => Ok(()),
            false => {
                let allowed = format!("a length that divides the {slots} slots");
                Err(Error::Slots { given, allowed })
            }
        }
    }

    /// Every operation and claim of a function whose inputs there are.
    ///
    /// # Errors
    /// As [`Analyst::op`].
    pub fn body(&mut self, program: &Program, function: &Function) -> Result<(), Error> {
        let mut claims = function.claims.iter().peekable();
        for (index, op) in function.ops.iter().enumerate() {
            while let Some(claim) = claims.next_if(|claim| claim.after <= index) {
                self.claim(&claim.fact);
            }
            self.op(program, function, &op.kind, &op.args)?;
        }
        claims.for_each(|claim| self.claim(&claim.fact));
        Ok(())
    }

    /// The next values, an operation's results. The operands are of a verified function; `program` has
    /// the constants and the functions that may be called.
    ///
    /// # Errors
    /// An exact message, a sum of different scales, a scale below 1, a result that does not fit, a
    /// conjugate in a ring of real slots.
    pub fn op(
        &mut self,
        program: &Program,
        function: &Function,
        kind: &HeOpKind,
        args: &[ValueId],
    ) -> Result<(), Error> {
        if let HeOpKind::Call { function } = kind {
            return self.call(program, &program.functions[*function], args);
        }
        let constants = &program.constants;
        let operands = Operands {
            args,
            function,
            constants,
        };
        let Outcome {
            estimate,
            inherited,
            added,
        } = self.outcome(kind, operands)?;
        let origins = match added > 0.0 {
            true => inherited.plus(&Origins::new(self.origins.next(), added)),
            false => inherited,
        };
        let peak = origins.deviation(self.origins.groups());
        let noise = estimate.noise.min(peak);
        let estimate = Estimate {
            noise,
            peak,
            ..estimate
        };
        check_message_scale(estimate.scale)?;
        check_fit(&self.parameters, kind.name(), &estimate)?;
        self.origins.push(origins);
        self.known.values.push(estimate);
        Ok(())
    }

    /// What a function returns for these arguments: its operations one by one. Where one is refused,
    /// nothing has changed.
    fn call(
        &mut self,
        program: &Program,
        callee: &Function,
        args: &[ValueId],
    ) -> Result<(), Error> {
        let values = args.iter().map(|&arg| self.of(arg).clone()).collect();
        let calls = BTreeMap::new();
        let caller = std::mem::replace(&mut self.known, Estimates { values, calls });
        self.origins.enter(args);
        let analysed = self.body(program, callee);
        let inside = std::mem::replace(&mut self.known, caller);
        if let Err(error) = analysed {
            self.origins.leave(&[]);
            let (function, error) = (callee.name.clone(), Box::new(error));
            return Err(Error::Call { function, error });
        }
        self.origins.leave(&callee.returns);
        let first = ValueId(self.len() as u32);
        let returned = callee
            .returns
            .iter()
            .map(|value| &inside.values[value.index()]);
        self.known.values.extend(returned.cloned());
        self.known.calls.insert(first, inside);
        Ok(())
    }

    /// What is claimed of values that there are.
    pub fn claim(&mut self, fact: &Fact) {
        match *fact {
            Fact::Bounded { value, max } => {
                let known = &mut self.known.values[value.index()];
                known.max = known.max.min(max);
                known.rms = known.rms.min(known.max);
            }
            Fact::Slope { value, of, gain } => self.limit(value, &[of], gain * self.relative(of)),
            Fact::Rows { value, of, norm } => {
                // It says nothing where slots have errors in common.
                if self.origins.are_even(of) {
                    self.limit(value, &[of], norm * self.relative(of));
                }
            }
            Fact::Placed { value, ref of } => {
                let largest = of.iter().map(|&of| self.relative(of)).fold(0.0, f64::max);
                self.limit(value, of, largest);
            }
            Fact::Even { value } => self.origins.set_even(value),
            Fact::Settled { value, off } => {
                let own = self.model.deviation_of(off, self.of(value).scale);
                let known = &mut self.known.values[value.index()];
                if own < known.peak {
                    self.origins.settle(value, own);
                    (known.peak, known.noise) = (own, known.noise.min(own));
                }
            }
            Fact::Near { value, of, off } => {
                let own = self.model.deviation_of(off, self.of(value).scale);
                let peak = self.origins.add(value, own);
                let noise = self.of(value).noise.hypot(own);
                self.stands_for(value, of, peak, noise);
            }
            Fact::Corrected { value, of, off } => {
                let own = self.model.deviation_of(off, self.of(value).scale);
                let share = self.of(value).scale / self.of(of).scale;
                self.origins.copy(value, of, share);
                let peak = self.origins.add(value, own);
                let noise = (share * self.of(of).noise).hypot(own);
                self.stands_for(value, of, peak, noise);
            }
        }
    }

    /// A value with the message of another, and errors of its own.
    fn stands_for(&mut self, value: ValueId, of: ValueId, peak: f64, noise: f64) {
        let (max, rms) = (self.of(of).max, self.of(of).rms);
        let known = &mut self.known.values[value.index()];
        (known.max, known.rms) = (known.max.min(max), known.rms.min(rms));
        (known.peak, known.noise) = (peak, noise.min(peak));
    }

    /// Where the errors of these values come from.
    fn error_flow(&self, entry: &Function) -> ErrorFlow {
        let (inputs, groups) = (entry.inputs as u32, self.origins.groups());
        let result = |value: &ValueId| {
            let origins = self.origins.of(*value);
            let of = |has: &dyn Fn(u32) -> bool| origins.of_sources(groups, has);
            ResultErrors {
                inherited: (0..inputs).map(|input| of(&|s| s == input)).collect(),
                own: of(&|source| source >= inputs),
                even: origins.slots_are_independent(groups),
            }
        };
        ErrorFlow {
            inputs: groups.0.clone(),
            results: entry.returns.iter().map(result).collect(),
        }
    }

    /// With the program that these are the values of.
    pub fn finish(self, program: Program) -> Analysed {
        Analysed {
            errors: self.error_flow(program.entry()),
            parameters: self.parameters,
            entry: self.known,
            program,
        }
    }

    /// A value's peak in units of the message.
    fn relative(&self, value: ValueId) -> f64 {
        self.of(value).peak / self.of(value).scale
    }

    /// Limits what a value has of the errors of others; `most` in units of the message.
    fn limit(&mut self, value: ValueId, of: &[ValueId], most: f64) {
        let most = most * self.of(value).scale;
        let peak = self.origins.limit(value, of, most);
        let known = &mut self.known.values[value.index()];
        (known.peak, known.noise) = (peak, known.noise.min(peak));
    }

    /// Of an operation with one result that is no call.
    fn outcome(&self, kind: &HeOpKind, operands: Operands) -> Result<Outcome, Error> {
        let Operands {
            args, constants, ..
        } = operands;
        let a = args[0];
        match *kind {
            HeOpKind::Add => self.sum("add", operands),
            HeOpKind::Sub => self.sum("sub", operands),
            HeOpKind::Neg => Ok(self.same(a)),
            HeOpKind::AddConstant { constant } => {
                Ok(self.constant_sum(a, &constants[constant].values))
            }
            HeOpKind::MulConstant { constant, scale } => {
                check_scale(scale)?;
                let factor = factor(&constants[constant].values, scale);
                Ok(self.constant_product(a, &factor))
            }
            HeOpKind::Mul => Ok(self.product(a, args[1])),
            HeOpKind::MulRelin => Ok(self.relinearised(self.product(a, args[1]))),
            HeOpKind::Relinearise => Ok(self.relinearised(self.same(a))),
            HeOpKind::Rescale => Ok(self.rescaled(a)),
            HeOpKind::DropLevel { level } => {
                let mut dropped = self.same(a);
                dropped.estimate.level = level;
                Ok(dropped)
            }
            HeOpKind::Rotate { .. } | HeOpKind::Conjugate | HeOpKind::RotateConjugate { .. } => {
                if !matches!(kind, HeOpKind::Rotate { .. }) {
                    self.parameters.require_complex("conjugate")?;
                }
                let galois = galois_of(kind, &self.parameters).unwrap_or(1);
                let mut turned = self.same(a);
                let order = self.parameters.kind().order(self.parameters.log_n());
                turned.inherited = turned.inherited.turned(galois, order / 2);
                let added = self.model.key_switch(turned.estimate.level.into());
                Ok(self.switched(turned, added))
            }
            HeOpKind::SwitchKey { from, to } => self.to_secret(a, from, to),
            HeOpKind::Raise { level } => self.raised(a, level),
            HeOpKind::Transform { ref terms, scale } => self.transformed(operands, terms, scale),
            HeOpKind::Call { .. } => Err(Error::Internal("a call is no single operation".into())),
        }
    }

    /// Under another secret. Only ciphertexts of one tower go to a sparse one: its key is under no more.
    fn to_secret(&self, a: ValueId, from: SecretId, to: SecretId) -> Result<Outcome, Error> {
        let key = KeyId::Switch { from, to };
        let shape = KeyShape::of(&self.parameters, key, self.of(a).level.into())?;
        let level = usize::from(self.of(a).level);
        if level > shape.level() {
            return Err(rlwe::Error::KeyShape {
                key,
                needed_by: String::new(),
                asked: format!("level {level}"),
                given: shape.to_string(),
            }
            .into());
        }
        let mut moved = self.same(a);
        moved.estimate.secret = to;
        Ok(self.switched(moved, self.model.switch_with(level, &shape, to)))
    }

    /// Under more towers: with multiples of the first prime, which are part of the message from now on.
    fn raised(&self, a: ValueId, level: u16) -> Result<Outcome, Error> {
        let mut raised = self.same(a);
        let known = &mut raised.estimate;
        let (max, rms) = self.model.multiples(known);
        known.level = level;
        known.max += max;
        known.rms = known.rms.hypot(rms);
        Ok(raised)
    }

    fn same(&self, a: ValueId) -> Outcome {
        Outcome {
            estimate: self.of(a).clone(),
            inherited: self.origins.of(a).clone(),
            added: 0.0,
        }
    }

    fn sum(&self, operation: &'static str, operands: Operands) -> Result<Outcome, Error> {
        let (a, b) = (operands.args[0], operands.args[1]);
        let (left, right) = (self.of(a), self.of(b));
        if !same_scale(left.scale, right.scale) {
            return Err(Error::ScaleMismatch {
                operation,
                left: left.scale.log2(),
                left_name: operands.function.value_name(a),
                right: right.scale.log2(),
                right_name: operands.function.value_name(b),
            });
        }
        let noise = match self.origins.meet(a, b) {
            true => left.noise + right.noise,
            false => left.noise.hypot(right.noise),
        };
        let estimate = Estimate {
            max: left.max + right.max,
            rms: left.rms + right.rms,
            noise,
            ..left.clone()
        };
        let sum = Outcome {
            estimate,
            inherited: self.origins.of(a).clone().plus(self.origins.of(b)),
            added: 0.0,
        };
        Ok(sum.with(self.model.scales_apart(left, right)))
    }

    fn constant_sum(&self, a: ValueId, values: &Values) -> Outcome {
        let (known, (max, rms)) = (self.of(a), values.magnitude());
        let added = self.model.constant_sum_rounding(known, max);
        let mut sum = self.same(a);
        sum.estimate.noise = self.model.constant_sum(known);
        sum.estimate.max += max;
        sum.estimate.rms += rms;
        sum.with(added)
    }

    fn constant_product(&self, a: ValueId, factor: &ConstantFactor) -> Outcome {
        let known = self.of(a);
        let mut product = self.same(a).scaled(factor.max * factor.scale);
        product.estimate = Estimate {
            scale: known.scale * factor.scale,
            max: known.max * factor.max,
            rms: (known.rms * factor.max).min(known.max * factor.rms),
            noise: self.model.constant_product(known, factor),
            ..known.clone()
        };
        product.with(self.model.constant_rounding(known, factor))
    }

    /// A product before relinearisation.
    fn product(&self, a: ValueId, b: ValueId) -> Outcome {
        let estimate = self.product_estimate(a, b);
        let (left, right) = (self.of(a), self.of(b));
        let of_left = self.origins.of(a).clone().scaled(right.max * right.scale);
        let of_right = self.origins.of(b).clone().scaled(left.max * left.scale);
        let double = self.model.double_precision(&estimate);
        let product = Outcome {
            estimate,
            inherited: of_left.plus(&of_right),
            added: 0.0,
        };
        let errors = self.model.errors_product(left.peak, right.peak);
        product.with(errors).with(double)
    }

    /// What is known of a product before relinearisation, but for its peak.
    pub fn product_estimate(&self, a: ValueId, b: ValueId) -> Estimate {
        let (left, right) = (self.of(a), self.of(b));
        Estimate {
            parts: 3,
            scale: left.scale * right.scale,
            max: left.max * right.max,
            rms: (left.max * right.rms).min(left.rms * right.max),
            noise: self.model.product(left, right, self.origins.meet(a, b)),
            ..left.clone()
        }
    }

    /// A product of two parts again.
    fn relinearised(&self, product: Outcome) -> Outcome {
        let added = self.model.relinearisation(product.estimate.level.into());
        self.switched(product, added)
    }

    /// After a key switch to two parts, which adds so much noise.
    fn switched(&self, mut from: Outcome, added: f64) -> Outcome {
        from.estimate.noise = from.estimate.noise.hypot(added);
        from.estimate.parts = 2;
        from.with(self.model.alone() * added)
    }

    fn rescaled(&self, a: ValueId) -> Outcome {
        let estimate = self.rescaled_estimate(a);
        let prime = self.last_prime(self.of(a).level);
        let double = self.model.double_precision(&estimate);
        let mut rescaled = self.same(a).scaled(prime.recip());
        rescaled.estimate = estimate;
        let rounding = self.model.rescaling_peak(&rescaled.estimate);
        rescaled.with(rounding).with(double)
    }

    /// What is known of a value after division by the last prime, but for its peak.
    pub fn rescaled_estimate(&self, a: ValueId) -> Estimate {
        let known = self.of(a);
        let prime = self.last_prime(known.level);
        Estimate {
            level: known.level - 1,
            scale: known.scale / prime,
            noise: self.model.rescaled(known),
            ..known.clone()
        }
    }

    /// The prime that rescaling at a level drops.
    fn last_prime(&self, level: u16) -> f64 {
        self.parameters.q()[usize::from(level) - 1] as f64
    }
}

/// Refuses messages of another scheme.
///
/// # Errors
/// An exact one.
pub(super) fn check_message(name: &str, message: Message) -> Result<(), Error> {
    match message {
        Message::Approximate => Ok(()),
        Message::Exact { modulus, .. } => Err(Error::Shape {
            what: format!("input {name}"),
            given: format!("integers modulo {modulus}"),
            expected: "approximate numbers, which are what CKKS encrypts".to_string(),
        }),
    }
}

/// Refuses bounds that say nothing: both come from whoever declares an input.
fn check_bounds(name: &str, known: &Estimate) -> Result<(), Error> {
    let Estimate {
        max,
        rms,
        noise,
        peak,
        ..
    } = *known;
    let ordered = max.is_finite() && (0.0..=max * ROUNDED).contains(&rms);
    if ordered && [noise, peak].iter().all(|v| v.is_finite() && *v >= 0.0) {
        return Ok(());
    }
    Err(Error::Shape {
        what: format!("bounds of input {name}"),
        given: format!("max {max}, rms {rms}, noise {noise}, peak {peak}"),
        expected: "finite numbers, 0 <= rms <= max, noise >= 0, peak >= 0".to_string(),
    })
}

/// What a constant at this scale contributes to a product.
fn factor(values: &Values, scale: f64) -> ConstantFactor {
    let (max, rms) = values.magnitude();
    let error = |value: f64| value * scale - (value * scale).round_ties_even();
    let uniform_error = match values {
        // One number in every slot is two coefficients.
        Values::Complex(values) => match values[..] {
            [[re, im]] => Some(error(re).hypot(error(im))),
            _ => None,
        },
        values => values.uniform().map(error),
    };
    ConstantFactor {
        max,
        rms,
        scale,
        uniform_error,
    }
}
