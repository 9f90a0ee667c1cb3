//! What a program does to levels, scales and noise, line by line.

use super::{Analysed, Estimate, Estimates, NoiseModel, Parameters};
use crate::rlwe::{keys_by_function, keys_of};
use ringwright_ir::he::{Function, HeOp, HeOpKind, KeyId, Program};
use ringwright_ir::ring::{Loc, ValueId};
use std::collections::BTreeSet;
use std::fmt;

/// A program's table: inputs first, then one row per result of an operation.
#[derive(Clone, Debug, PartialEq)]
pub struct Explanation {
    /// The program's name.
    pub name: String,
    /// Name of the parameters.
    pub parameters: String,
    /// The rows.
    pub rows: Vec<Row>,
    /// The functions that are called, each as its first call has it.
    pub functions: Vec<Called>,
}

/// A function in its first call.
#[derive(Clone, Debug, PartialEq)]
pub struct Called {
    /// The function's name.
    pub name: String,
    /// How often it is called, calls in calls included.
    pub calls: usize,
    /// Inputs first, then one row per result of an operation.
    pub rows: Vec<Row>,
}

/// One value of a program.
#[derive(Clone, Debug, PartialEq)]
pub struct Row {
    /// The user's source line.
    pub loc: Option<Loc>,
    /// Name of the value.
    pub value: String,
    /// The operation with its operands, or `input`; empty for what the operation above it returns besides.
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
        program,
        parameters,
        model: NoiseModel::new(parameters),
        keys: keys_by_function(program, parameters),
    };
    let mut called = vec![(0, None); program.functions.len()];
    count(program, program.entry(), analysed.estimates(), &mut called);
    let callees = program.functions.iter().zip(called);
    let called = callees.filter_map(|(function, (calls, first))| {
        Some(Called {
            name: function.name.clone(),
            calls,
            rows: table.rows(function, first?),
        })
    });
    Explanation {
        name: program.name().to_string(),
        parameters: parameters.name().to_string(),
        rows: table.rows(program.entry(), analysed.estimates()),
        functions: called.collect(),
    }
}

/// By function: how often it is called, and what is known inside its first call.
fn count<'a>(
    program: &Program,
    function: &Function,
    known: &'a Estimates,
    called: &mut [(usize, Option<&'a Estimates>)],
) {
    for op in &function.ops {
        let HeOpKind::Call { function: callee } = op.kind else {
            continue;
        };
        let inside = op.results.first().and_then(|first| known.calls.get(first));
        if let Some(inside) = inside {
            called[callee].0 += 1;
            called[callee].1.get_or_insert(inside);
            count(program, &program.functions[callee], inside, called);
        }
    }
}

struct Table<'a> {
    program: &'a Program,
    parameters: &'a Parameters,
    model: NoiseModel,
    /// By function.
    keys: Vec<BTreeSet<KeyId>>,
}

impl Table<'_> {
    fn rows(&self, function: &Function, known: &Estimates) -> Vec<Row> {
        let inputs = (0..function.inputs).map(|index| (ValueId(index as u32), None));
        let results = function.ops.iter();
        let results = results.flat_map(|op| op.results.iter().map(move |&v| (v, Some(op))));
        let values = inputs.chain(results);
        let row = |(value, op)| self.row(function, &known.values, value, op);
        values.map(row).collect()
    }

    fn row(
        &self,
        function: &Function,
        known: &[Estimate],
        value: ValueId,
        op: Option<&HeOp>,
    ) -> Row {
        let ty = &known[value.index()];
        Row {
            loc: op.map_or_else(|| function.loc.clone(), |op| op.loc.clone()),
            value: function.value_name(value),
            op: match op {
                None => "input".to_string(),
                Some(op) if op.results.first() == Some(&value) => {
                    op_text(self.program, function, op)
                }
                Some(_) => String::new(),
            },
            level: ty.level,
            scale_bits: ty.scale.log2(),
            noise_bits: ty.noise.log2(),
            precision_bits: -self.model.slot_error(ty.noise, ty.scale).log2(),
            bound_bits: -self.model.error_bound(ty).log2(),
            room_bits: self.room(ty),
            keys: op.map_or_else(Vec::new, |op| self.keys(op)),
        }
    }

    /// The keys that an operation needs; of a call, those of the function.
    fn keys(&self, op: &HeOp) -> Vec<KeyId> {
        match op.kind {
            HeOpKind::Call { function } => self.keys[function].iter().copied().collect(),
            ref kind => keys_of(kind, self.parameters).into_iter().collect(),
        }
    }

    fn room(&self, ty: &Estimate) -> f64 {
        let used = (ty.max * ty.scale + ty.noise).log2() + 1.0;
        self.parameters.log_q(ty.level.into()) - used
    }
}

/// An operation with its operands; a rotation with its steps, a call with its function.
pub(super) fn op_text(program: &Program, function: &Function, op: &HeOp) -> String {
    let mut args: Vec<String> = op
        .args
        .iter()
        .map(|&arg| function.value_name(arg))
        .collect();
    match op.kind {
        HeOpKind::Rotate { steps } => args.push(steps.to_string()),
        HeOpKind::Transform { ref terms, .. } => args.push(match terms.len() {
            1 => "1 term".to_string(),
            terms => format!("{terms} terms"),
        }),
        HeOpKind::Call { function } => {
            let callee = &program.functions[function].name;
            return format!("{callee}({})", args.join(", "));
        }
        _ => {}
    }
    format!("{} {}", op.kind.name(), args.join(", "))
}

impl fmt::Display for Explanation {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        writeln!(f, "he {} under {}", self.name, self.parameters)?;
        write_rows(f, &self.rows)?;
        for Called { name, calls, rows } in &self.functions {
            match calls {
                1 => writeln!(f, "\nhe {name}, called once")?,
                calls => writeln!(f, "\nhe {name}, the first of {calls} calls")?,
            }
            write_rows(f, rows)?;
        }
        Ok(())
    }
}

fn write_rows(f: &mut fmt::Formatter<'_>, rows: &[Row]) -> fmt::Result {
    let headings = HEADINGS.map(|(name, _)| name.to_string());
    for cells in std::iter::once(headings).chain(rows.iter().map(Row::cells)) {
        let padded = cells.iter().zip(HEADINGS);
        let padded = padded.map(|(cell, (_, width))| format!("{cell:width$}"));
        writeln!(f, "{}", padded.collect::<Vec<_>>().join("  ").trim_end())?;
    }
    Ok(())
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
