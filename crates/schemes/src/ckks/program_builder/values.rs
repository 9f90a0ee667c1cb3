//! Values, their names, and constants.

use super::{Plain, ProgramBuilder};
use crate::ckks::embedding::check_finite;
use crate::ckks::Error;
use ringwright_ir::he::{Constant, CtType, HeOp, HeOpKind, Values};
use ringwright_ir::ring::ValueId;
use std::collections::HashSet;
use std::hash::{DefaultHasher, Hash, Hasher};

impl ProgramBuilder {
    /// A plaintext vector that every run is given: a length that divides the slots, values up to
    /// `max`, of root mean square up to `rms`.
    ///
    /// # Errors
    /// Bounds that are not finite, negative, or `rms > max`.
    pub fn plain(&mut self, name: &str, max: f64, rms: f64) -> Result<Plain, Error> {
        check_finite("bound of a plain argument", &[max, rms])?;
        if !(0.0..=max).contains(&rms) {
            return Err(Error::Shape {
                what: format!("plain argument {name}"),
                given: format!("max {max}, rms {rms}"),
                expected: "0 <= rms <= max".into(),
            });
        }
        let name = self.unused_constant(name);
        Ok(Plain(self.hold(name, Values::Argument { max, rms })))
    }

    /// Index of a constant; equal values are held once.
    pub(super) fn constant(&mut self, values: Values) -> Result<usize, Error> {
        self.analyst.check_constant(&values)?;
        let hash = hash(&values);
        let same = |at: &usize| self.program.constants[*at].values == values;
        let mut held = self.constants.get(&hash).into_iter().flatten();
        if let Some(&found) = held.find(|at| same(at)) {
            return Ok(found);
        }
        let name = self.unused_constant(&format!("c{}", self.program.constants.len()));
        let constant = self.hold(name, values);
        self.constants.entry(hash).or_default().push(constant);
        Ok(constant)
    }

    pub(super) fn plain_values(&self, constant: usize) -> Result<&Values, Error> {
        let found = self.program.constants.get(constant);
        found
            .map(|constant| &constant.values)
            .ok_or_else(|| Error::Program {
                what: "a plain argument of another program".into(),
            })
    }

    fn hold(&mut self, name: String, values: Values) -> usize {
        self.constant_names.insert(name.clone());
        self.program.constants.push(Constant { name, values });
        self.program.constants.len() - 1
    }

    /// Adds an operation of one result whose operands were checked, if the result fits the modulus.
    pub(super) fn push(&mut self, kind: HeOpKind, args: &[ValueId]) -> Result<ValueId, Error> {
        let first = ValueId(self.function.types.len() as u32);
        self.push_all(kind, args).map(|_| first)
    }

    /// Adds an operation whose operands were checked, if its results fit the modulus.
    pub(super) fn push_all(
        &mut self,
        kind: HeOpKind,
        args: &[ValueId],
    ) -> Result<Vec<ValueId>, Error> {
        self.analyst
            .op(&self.program, &self.function, &kind, args)?;
        let new = self.function.types.len()..self.analyst.len();
        let new = new.map(|value| self.analyst.of(ValueId(value as u32)).ty());
        let types: Vec<CtType> = new.collect();
        let results = types.into_iter().map(|ty| self.define(ty, None));
        let results: Vec<ValueId> = results.collect();
        self.function.ops.push(HeOp {
            kind,
            args: args.to_vec(),
            results: results.clone(),
            loc: self.loc.clone(),
        });
        Ok(results)
    }

    /// The next value, which the analyst knows already.
    pub(super) fn define(&mut self, ty: CtType, name: Option<String>) -> ValueId {
        let value = ValueId(self.function.types.len() as u32);
        self.function.types.push(ty);
        self.names.extend(name.clone());
        self.function.names.push(name);
        value
    }

    /// The name, with a number if it is taken.
    pub(super) fn unused_name(&self, name: &str) -> String {
        unused(name, &self.names)
    }

    /// The constant's name, with a number if it is taken.
    fn unused_constant(&self, name: &str) -> String {
        unused(name, &self.constant_names)
    }

    /// The value's name for messages.
    pub(super) fn label(&self, value: ValueId) -> String {
        self.function.value_name(value)
    }
}

fn hash(values: &Values) -> u64 {
    let mut hasher = DefaultHasher::new();
    match values {
        Values::Real(values) => values.iter().for_each(|v| v.to_bits().hash(&mut hasher)),
        Values::Complex(values) => {
            let numbers = values.as_flattened().iter();
            numbers.for_each(|v| v.to_bits().hash(&mut hasher));
        }
        Values::Integer(values) => values.hash(&mut hasher),
        Values::Argument { max, rms } => [max.to_bits(), rms.to_bits()].hash(&mut hasher),
    }
    hasher.finish()
}

fn unused(name: &str, taken: &HashSet<String>) -> String {
    let numbered = (2u32..).map(|number| format!("{name}_{number}"));
    std::iter::once(name.to_string())
        .chain(numbered)
        .find(|name| !taken.contains(name))
        .unwrap_or_default()
}
