//! What a program does to levels, scales and noise, line by line.

use super::{Analysed, Estimate, NoiseModel, Parameters};
use crate::rlwe::key_of;
use ringwright_ir::he::{HeOp, HeOpKind, KeyId, Program};
use ringwright_ir::ring::{Loc, ValueId};
use std::fmt;

/// A program's table: inputs first, then one row per operation.
#[derive(Clone, Debug, PartialEq)]
pub struct Explanation {
    /// The program's name.
    pub name: String,
    /// Name of the parameters.
    pub parameters: String,
    /// The rows.
    pub rows: Vec<Row>,
}

/// One value of a program.
#[derive(Clone, Debug, PartialEq)]
pub struct Row {
    /// The user's source line.
    pub loc: Option<Loc>,
    /// Name of the value.
    pub value: String,
    /// The operation with its operands, or `input`.
    pub op: String,
    /// Towers that remain.
    pub level: u16,
    /// log2 of the scale.
    pub scale_bits: f64,
    /// log2 of the predicted noise of a coefficient.
    pub noise_bits: f64,
    /// Bits after the binary point that the slots' real parts keep (root mean square).
    pub precision_bits: f64,
    /// The same of what no slot's real part is off by more, but with probability 2^-20.
    pub bound_bits: f64,
    /// Bits of modulus that message and noise leave free.
    pub room_bits: f64,
    /// Keys the operation needs.
    pub keys: Vec<KeyId>,
}

/// The table of a program.
pub fn explain(analysed: &Analysed) -> Explanation {
    let (program, parameters) = (analysed.program(), analysed.parameters());
    let table = Table {
        analysed,
        program,
        parameters,
        model: NoiseModel::new(parameters),
    };
    let inputs = (0..program.inputs).map(|index| table.row(ValueId(index as u32), None));
    let ops = program.ops.iter().map(|op| table.row(op.result, Some(op)));
    Explanation {
        name: program.name.clone(),
        parameters: parameters.name().to_string(),
        rows: inputs.chain(ops).collect(),
    }
}

struct Table<'a> {
    analysed: &'a Analysed,
    program: &'a Program,
    parameters: &'a Parameters,
    model: NoiseModel,
}

impl Table<'_> {
    fn row(&self, value: ValueId, op: Option<&HeOp>) -> Row {
        let ty = self.analysed.estimate(value);
        let key = op.and_then(|op| key_of(&op.kind, self.parameters));
        Row {
            loc: op.map_or_else(|| self.program.loc.clone(), |op| op.loc.clone()),
            value: self.program.value_name(value),
            op: op.map_or("input".to_string(), |op| op_text(self.program, op)),
            level: ty.level,
            scale_bits: ty.scale.log2(),
            noise_bits: ty.noise.log2(),
            precision_bits: -self.model.slot_error(ty.noise, ty.scale).log2(),
            bound_bits: -self.model.error_bound(ty).log2(),
            room_bits: self.room(ty),
            keys: key.into_iter().collect(),
        }
    }

    fn room(&self, ty: &Estimate) -> f64 {
        let used = (ty.max * ty.scale + ty.noise).log2() + 1.0;
        self.parameters.log_q(ty.level.into()) - used
    }
}

/// An operation with its operands; a rotation with its steps.
pub(super) fn op_text(program: &Program, op: &HeOp) -> String {
    let mut args: Vec<String> = op.args.iter().map(|&arg| program.value_name(arg)).collect();
    if let HeOpKind::Rotate { steps } = op.kind {
        args.push(steps.to_string());
    }
    format!("{} {}", op.kind.name(), args.join(", "))
}

impl fmt::Display for Explanation {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        writeln!(f, "he {} under {}", self.name, self.parameters)?;
        writeln!(
            f,
            "{}",
            HEADINGS
                .map(|(name, width)| format!("{name:width$}"))
                .join("  ")
                .trim_end()
        )?;
        for row in &self.rows {
            let cells = row.cells();
            let padded = cells
                .iter()
                .zip(HEADINGS)
                .map(|(cell, (_, width))| format!("{cell:width$}"));
            writeln!(f, "{}", padded.collect::<Vec<_>>().join("  ").trim_end())?;
        }
        Ok(())
    }
}

const HEADINGS: [(&str, usize); 9] = [
    ("line", 16),
    ("value", 8),
    ("operation", 24),
    ("level", 5),
    ("scale", 7),
    ("noise", 7),
    ("precision", 9),
    ("any slot", 8),
    ("keys", 0),
];

impl Row {
    fn cells(&self) -> [String; 9] {
        let keys: Vec<String> = self.keys.iter().map(KeyId::to_string).collect();
        [
            self.loc.as_ref().map_or(String::new(), Loc::to_string),
            self.value.clone(),
            self.op.clone(),
            self.level.to_string(),
            format!("2^{:.1}", self.scale_bits),
            format!("2^{:.1}", self.noise_bits),
            format!("2^{:.1}", -self.precision_bits),
            format!("2^{:.1}", -self.bound_bits),
            keys.join(" "),
        ]
    }
}
