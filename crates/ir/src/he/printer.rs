//! Prints he programs. Printing never fails: errors show operations of wrong programs too.

use super::{CtType, Fact, Function, HeOp, HeOpKind, Message, Program, SecretId, Term, Values};
use crate::ring::printer::{comma, loc_text};
use crate::ring::ValueId;
use crate::words::word;
use std::fmt::{self, Write};

/// The text form of a program.
pub fn print_he(program: &Program) -> String {
    let mut out = String::new();
    // Writing to a string cannot fail.
    let _ = write_program(program, &mut out);
    out
}

/// One operation, without its type, source line and line end.
pub(super) fn op_text(program: &Program, function: &Function, op: &HeOp) -> String {
    let [operands, results] =
        [&op.args, &op.results].map(|values| comma(values.iter().map(|&v| value(function, v))));
    let what = match &op.kind {
        HeOpKind::Call { function } => {
            let callee = program.functions.get(*function);
            let callee = callee.map_or(format!("%{function}"), |callee| word(&callee.name));
            format!("call {callee}({operands})")
        }
        kind => format!("{} {operands}{}", kind.name(), attribute(program, kind)),
    };
    format!("{results} = {what}")
}

/// `ct@6`; `ct@6 x 3` for three parts; `ct@6 (t 65537, factor 1)` for an exact message; `ct@6 under h32`
/// for another secret than the program's own.
pub(super) fn type_text(ty: &CtType) -> String {
    let CtType {
        parts,
        level,
        message,
        secret,
    } = ty;
    let parts = if *parts == 2 {
        String::new()
    } else {
        format!(" x {parts}")
    };
    let message = match message {
        Message::Approximate => String::new(),
        Message::Exact { modulus, factor } => format!(" (t {modulus}, factor {factor})"),
    };
    let secret = match *secret {
        SecretId::MAIN => String::new(),
        other => format!(" under {other}"),
    };
    format!("ct@{level}{parts}{message}{secret}")
}

fn write_program(program: &Program, out: &mut String) -> fmt::Result {
    for constant in &program.constants {
        let name = word(&constant.name);
        match &constant.values {
            Values::Real(values) => {
                let values = comma(values.iter().map(|&v| number(v)));
                writeln!(out, "constant {name} = [{values}]")?;
            }
            Values::Complex(values) => {
                let pair = |[re, im]: &[f64; 2]| format!("({}, {})", number(*re), number(*im));
                let values = comma(values.iter().map(pair));
                writeln!(out, "complex {name} = [{values}]")?;
            }
            Values::Integer(values) => {
                let values = comma(values.iter().map(i64::to_string));
                writeln!(out, "integer {name} = [{values}]")?;
            }
            Values::Argument { max, rms } => {
                let [max, rms] = [max, rms].map(|&value| number(value));
                writeln!(out, "plain {name} (max {max}, rms {rms})")?;
            }
        }
    }
    if !program.constants.is_empty() {
        out.push('\n');
    }
    for (index, function) in program.functions.iter().enumerate() {
        if index > 0 {
            out.push('\n');
        }
        write_function(program, function, out)?;
    }
    Ok(())
}

fn write_function(program: &Program, function: &Function, out: &mut String) -> fmt::Result {
    write!(out, "he {}(", word(&function.name))?;
    let types = |values: &[ValueId]| {
        let types = values.iter().filter_map(|v| function.types.get(v.index()));
        comma(types.map(type_text))
    };
    let input = |i: usize| {
        let input = ValueId(i as u32);
        format!("\n  {}: {}", value(function, input), types(&[input]))
    };
    let inputs: Vec<_> = (0..function.inputs).map(input).collect();
    out.push_str(&inputs.join(","));
    out.push_str(if inputs.is_empty() { ")" } else { "\n)" });
    let levels = comma(function.returned().map(|ty| format!("ct@{}", ty.level)));
    writeln!(out, " -> {levels}{} {{", loc_text(function.loc.as_ref()))?;
    let mut claims = function.claims.iter().peekable();
    for (index, op) in function.ops.iter().enumerate() {
        while let Some(claim) = claims.next_if(|claim| claim.after <= index) {
            writeln!(out, "  {}", claim_text(function, &claim.fact))?;
        }
        let (text, ty) = (op_text(program, function, op), types(&op.results));
        writeln!(out, "  {text} -> {ty}{}", loc_text(op.loc.as_ref()))?;
    }
    for claim in claims {
        writeln!(out, "  {}", claim_text(function, &claim.fact))?;
    }
    let returns = comma(function.returns.iter().map(|&v| value(function, v)));
    writeln!(out, "  return {returns}")?;
    out.push_str("}\n");
    Ok(())
}

/// `claim bounded y, 1.0`, `claim slope z, 1.5, y`: the number before the values it comes from.
fn claim_text(function: &Function, fact: &Fact) -> String {
    let about = value(function, fact.value());
    let sources = fact.sources().iter().map(|&v| value(function, v));
    let number = match *fact {
        Fact::Bounded { max, .. } => Some(max),
        Fact::Slope { gain, .. } => Some(gain),
        Fact::Rows { norm, .. } => Some(norm),
        Fact::Near { off, .. } | Fact::Settled { off, .. } | Fact::Corrected { off, .. } => {
            Some(off)
        }
        Fact::Placed { .. } | Fact::Even { .. } => None,
    };
    let operands = [about]
        .into_iter()
        .chain(number.map(self::number))
        .chain(sources);
    format!("claim {} {}", fact.name(), comma(operands))
}

fn value(function: &Function, id: ValueId) -> String {
    match function.names.get(id.index()) {
        Some(Some(name)) => word(name),
        _ => format!("%{}", id.0),
    }
}

/// What follows the operands.
fn attribute(program: &Program, kind: &HeOpKind) -> String {
    let constant = |index: usize| match program.constants.get(index) {
        Some(constant) => word(&constant.name),
        None => format!("%{index}"),
    };
    match kind {
        HeOpKind::AddConstant { constant: index } => format!(", {}", constant(*index)),
        HeOpKind::MulConstant {
            constant: index,
            scale,
        } => {
            format!(", {}, scale {}", constant(*index), float(*scale))
        }
        HeOpKind::DropLevel { level } | HeOpKind::Raise { level } => format!(", {level}"),
        HeOpKind::SwitchKey { from, to } => format!(", {from}, {to}"),
        HeOpKind::Rotate { steps } | HeOpKind::RotateConjugate { steps } => format!(", {steps}"),
        HeOpKind::Transform { terms, scale } => {
            let term = |term: &Term| {
                format!(
                    "({}, {}, {})",
                    term.baby,
                    term.giant,
                    constant(term.constant)
                )
            };
            format!(
                ", scale {}, {}",
                float(*scale),
                comma(terms.iter().map(term))
            )
        }
        _ => String::new(),
    }
}

/// `2^40` for a power of two from 4 on, else as [`number`].
pub(super) fn float(value: f64) -> String {
    let exponent = value.log2();
    match exponent >= 2.0 && exponent.fract() == 0.0 && 2f64.powi(exponent as i32) == value {
        true => format!("2^{exponent}"),
        false => number(value),
    }
}

/// The shortest decimal form that reads back equal.
fn number(value: f64) -> String {
    match value == 0.0 || (1e-4..1e6).contains(&value.abs()) {
        true => format!("{value:?}"),
        false => format!("{value:e}"),
    }
}
