//! The verifier of the `he` dialect: what holds for every scheme.
//!
//! * Values: one per operation, numbered after the inputs; operands defined before use.
//! * Levels: 1 to the number of primes; operands agree; a rescale drops one, `drop_level` more.
//! * Scales: operands of a sum agree to 2^-40 (rounding of the scales themselves, nothing else);
//!   products multiply; a rescale divides by the dropped prime.
//! * Parts: 2, or 3 between a multiplication and its relinearisation.
//! * Room: scale times the largest slot value, plus six deviations of the noise, stays below half
//!   of the modulus.
//! * Errors, where they are said: of every input and of every result, finite and not negative.

use super::printer::{float, op_text, type_text};
use super::{Constant, CtType, HeOp, HeOpKind, Program, Values};
use crate::ring::{Loc, ValueId, VerifyError};
use std::collections::BTreeSet;

/// Scales that differ by less than this factor from 1 are equal: f64 rounding, nothing else.
const SCALE_TOLERANCE: f64 = 1.0 / (1u64 << 40) as f64;
/// A rescale's scale is held to this only, as primes come as their logarithms here.
const PRIME_TOLERANCE: f64 = 1e-9;
/// Deviations of the noise that have to fit besides the message.
const NOISE_DEVIATIONS: f64 = 6.0;

/// Checks every rule; the first broken one is the error. `log_q[l - 1]` is log2 of the product of
/// the first l primes, the modulus at level l.
pub fn verify(program: &Program, log_q: &[f64]) -> Result<(), VerifyError> {
    let check = Check { program, log_q };
    check
        .header()
        .map_err(|message| check.error(message, None, program.loc.clone()))?;
    for (index, op) in program.ops.iter().enumerate() {
        check
            .op(index, op)
            .map_err(|message| check.error(message, Some(op_text(program, op)), op.loc.clone()))?;
    }
    check
        .returns()
        .map_err(|message| check.error(message, None, program.loc.clone()))
}

/// Whether two scales are the same number, but for rounding.
pub fn same_scale(a: f64, b: f64) -> bool {
    close(a, b, SCALE_TOLERANCE)
}

fn close(a: f64, b: f64, tolerance: f64) -> bool {
    (a - b).abs() <= tolerance * a.abs().max(b.abs())
}

struct Check<'a> {
    program: &'a Program,
    log_q: &'a [f64],
}

impl Check<'_> {
    fn header(&self) -> Result<(), String> {
        let Program {
            name,
            types,
            names,
            inputs,
            ops,
            constants,
            ..
        } = self.program;
        if name.is_empty() {
            return Err("a program needs a name".into());
        }
        if types.len() != inputs + ops.len() || names.len() != types.len() {
            return Err(format!(
                "{} types and {} names for {inputs} inputs and {} operations; one each per value",
                types.len(),
                names.len(),
                ops.len()
            ));
        }
        unique(names.iter().flatten(), "value")?;
        unique(constants.iter().map(|c| &c.name), "constant")?;
        constants.iter().try_for_each(values)?;
        (0..*inputs).try_for_each(|i| {
            let shown = self.program.value_name(ValueId(i as u32));
            self.ty(&types[i])
                .map_err(|message| format!("input `{shown}`: {message}"))
        })
    }

    fn ty(&self, ty: &CtType) -> Result<(), String> {
        if !(2..=3).contains(&ty.parts) {
            return Err(format!("{} parts; allowed are 2 and 3", ty.parts));
        }
        let top = self.log_q.len();
        if ty.level == 0 || usize::from(ty.level) > top {
            return Err(format!("level {}; allowed are 1 to {top}", ty.level));
        }
        if !(ty.scale.is_finite() && ty.scale > 0.0) {
            return Err(format!("scale {}; it is positive and finite", ty.scale));
        }
        let ratings = [
            ("max", ty.max),
            ("rms", ty.rms),
            ("noise", ty.noise),
            ("peak", ty.peak),
        ];
        for (what, value) in ratings {
            if !(value.is_finite() && value >= 0.0) {
                return Err(format!("{what} {value}; it is finite and not negative"));
            }
        }
        let needed = (ty.scale * ty.max + NOISE_DEVIATIONS * ty.noise).log2() + 1.0;
        let room = self.log_q[usize::from(ty.level) - 1];
        match needed < room {
            true => Ok(()),
            false => Err(format!(
                "slots up to {} at scale {} do not fit: with sign and noise {needed:.1} bits, but the modulus at level {} has {room:.1}",
                ty.max,
                float(ty.scale),
                ty.level
            )),
        }
    }

    fn op(&self, index: usize, op: &HeOp) -> Result<(), String> {
        let own = self.program.inputs + index;
        if op.result.index() != own {
            return Err(format!(
                "the result is value {}, but operation {index} defines {own}",
                op.result.0
            ));
        }
        let args = op
            .args
            .iter()
            .map(|&v| self.operand(v, own))
            .collect::<Result<Vec<_>, _>>()?;
        let result = &self.program.types[own];
        let expected = self.shape(&op.kind, &args)?;
        if (result.parts, result.level) != (expected.parts, expected.level) {
            return Err(format!(
                "the result is {}, expected {} parts at level {}",
                type_text(result),
                expected.parts,
                expected.level
            ));
        }
        let tolerance = match op.kind {
            HeOpKind::Rescale => PRIME_TOLERANCE,
            _ => SCALE_TOLERANCE,
        };
        if !close(result.scale, expected.scale, tolerance) {
            return Err(format!(
                "the result has scale {}, expected {}",
                float(result.scale),
                float(expected.scale)
            ));
        }
        self.ty(result)
    }

    fn operand(&self, value: ValueId, defined: usize) -> Result<&CtType, String> {
        match value.index() < defined {
            true => Ok(&self.program.types[value.index()]),
            false => Err(format!(
                "`{}` is used before it is defined",
                self.program.value_name(value)
            )),
        }
    }

    /// Parts, level and scale that the result must have.
    fn shape(&self, kind: &HeOpKind, args: &[&CtType]) -> Result<Shape, String> {
        let expected = match kind {
            HeOpKind::Add | HeOpKind::Sub | HeOpKind::Mul | HeOpKind::MulRelin => 2,
            _ => 1,
        };
        if args.len() != expected {
            return Err(format!(
                "the number of operands is {}; {} takes {expected}",
                args.len(),
                kind.name()
            ));
        }
        let CtType {
            parts,
            level,
            scale,
            ..
        } = *args[0];
        let same = Shape {
            parts,
            level,
            scale,
        };
        match kind {
            HeOpKind::Add | HeOpKind::Sub => self.sum(args[0], args[1]),
            HeOpKind::Neg => Ok(same),
            HeOpKind::AddConstant { constant } => self.constant(*constant).map(|()| same),
            HeOpKind::MulConstant {
                constant,
                scale: factor,
            } => {
                self.constant(*constant)?;
                Ok(Shape {
                    scale: scale * factor,
                    ..same
                })
            }
            HeOpKind::Mul => Ok(Shape {
                parts: 3,
                ..self.product(args[0], args[1])?
            }),
            HeOpKind::MulRelin => self.product(args[0], args[1]),
            HeOpKind::Relinearise if parts == 3 => Ok(Shape { parts: 2, ..same }),
            HeOpKind::Relinearise => Err(format!(
                "the operand has {parts} parts; relinearise takes 3"
            )),
            HeOpKind::Rescale => self.rescaled(same),
            HeOpKind::DropLevel { level: to } if (1..=level).contains(to) => {
                Ok(Shape { level: *to, ..same })
            }
            HeOpKind::DropLevel { level: to } => Err(format!(
                "to level {to}; allowed are 1 to {level}, the operand's"
            )),
            HeOpKind::Rotate { .. } | HeOpKind::Conjugate | HeOpKind::RotateConjugate { .. } => {
                match parts {
                    2 => Ok(same),
                    _ => Err(format!(
                        "the operand has {parts} parts; {} takes 2",
                        kind.name()
                    )),
                }
            }
        }
    }

    fn sum(&self, a: &CtType, b: &CtType) -> Result<Shape, String> {
        same_level(a, b)?;
        if a.parts != b.parts {
            return Err(format!(
                "operand 1 has {} parts, operand 2 has {}; a sum needs equal parts: relinearise first",
                a.parts, b.parts
            ));
        }
        match same_scale(a.scale, b.scale) {
            true => Ok(Shape {
                parts: a.parts,
                level: a.level,
                scale: a.scale,
            }),
            false => Err(format!(
                "operand 1 has scale {}, operand 2 has scale {}; a sum needs equal scales",
                float(a.scale),
                float(b.scale)
            )),
        }
    }

    fn product(&self, a: &CtType, b: &CtType) -> Result<Shape, String> {
        same_level(a, b)?;
        match (a.parts, b.parts) {
            (2, 2) => Ok(Shape { parts: 2, level: a.level, scale: a.scale * b.scale }),
            (a, b) => Err(format!(
                "operand 1 has {a} parts, operand 2 has {b}; a product takes 2 and 2: relinearise first"
            )),
        }
    }

    fn rescaled(&self, from: Shape) -> Result<Shape, String> {
        if from.level < 2 {
            return Err("the operand is at level 1; rescale needs a tower to drop".into());
        }
        let level = usize::from(from.level);
        let dropped = (self.log_q[level - 1] - self.log_q[level - 2]).exp2();
        Ok(Shape {
            level: from.level - 1,
            scale: from.scale / dropped,
            ..from
        })
    }

    fn constant(&self, index: usize) -> Result<(), String> {
        let count = self.program.constants.len();
        match index < count {
            true => Ok(()),
            false => Err(format!(
                "constant number {index}, but the program has {count}"
            )),
        }
    }

    fn returns(&self) -> Result<(), String> {
        let Program { returns, types, .. } = self.program;
        if returns.is_empty() {
            return Err("nothing is returned; a program returns at least one value".into());
        }
        if let Some(&value) = returns.iter().find(|v| v.index() >= types.len()) {
            return Err(format!("value {} is returned but not defined", value.0));
        }
        self.errors()
    }

    fn errors(&self) -> Result<(), String> {
        let Program {
            inputs,
            returns,
            errors: Some(errors),
            ..
        } = self.program
        else {
            return Ok(());
        };
        let given = (errors.inputs.len(), errors.results.len());
        if given != (*inputs, returns.len()) {
            return Err(format!(
                "errors of {} inputs and {} results; the program has {inputs} and {}",
                given.0,
                given.1,
                returns.len()
            ));
        }
        for result in &errors.results {
            let shares = result.inherited.iter().chain([&result.own]);
            let wrong = shares.clone().find(|s| !(s.is_finite() && **s >= 0.0));
            if result.inherited.len() != *inputs || wrong.is_some() {
                let (inputs, given) = (inputs + 1, shares.count());
                let given = wrong.map_or(format!("{given} shares"), |s| format!("a share of {s}"));
                return Err(format!(
                    "errors of a result: {given}; {inputs} finite ones from 0 on allowed"
                ));
            }
        }
        Ok(())
    }

    fn error(&self, message: String, operation: Option<String>, loc: Option<Loc>) -> VerifyError {
        VerifyError {
            function: Some(self.program.name.clone()),
            operation,
            loc,
            message,
        }
    }
}

#[derive(Clone, Copy)]
struct Shape {
    parts: u8,
    level: u16,
    scale: f64,
}

fn same_level(a: &CtType, b: &CtType) -> Result<(), String> {
    match a.level == b.level {
        true => Ok(()),
        false => Err(format!(
            "operand 1 is at level {}, operand 2 at level {}; drop_level brings them together",
            a.level, b.level
        )),
    }
}

fn values(constant: &Constant) -> Result<(), String> {
    let name = &constant.name;
    match &constant.values {
        Values::Known(values) => {
            let len = values.len();
            if !len.is_power_of_two() {
                return Err(format!(
                    "constant `{name}` has {len} values; allowed are powers of two"
                ));
            }
            match values.iter().find(|value| !value.is_finite()) {
                Some(value) => Err(format!("constant `{name}` holds {value}")),
                None => Ok(()),
            }
        }
        &Values::Argument { max, rms } => match max.is_finite() && (0.0..=max).contains(&rms) {
            true => Ok(()),
            false => Err(format!(
                "plain argument `{name}` of max {max} and rms {rms}; finite, 0 <= rms <= max allowed"
            )),
        },
    }
}

fn unique<'a>(names: impl Iterator<Item = &'a String>, what: &str) -> Result<(), String> {
    let mut seen = BTreeSet::new();
    for name in names {
        if name.is_empty() {
            return Err(format!("a {what} has an empty name"));
        }
        if !seen.insert(name) {
            return Err(format!("two {what}s are called `{name}`"));
        }
    }
    Ok(())
}
