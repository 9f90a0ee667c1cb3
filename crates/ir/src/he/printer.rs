//! Prints he programs. Printing never fails: errors show operations of wrong programs too.

use super::{CtType, Fact, HeOp, HeOpKind, Message, Program, Values};
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
pub(super) fn op_text(program: &Program, op: &HeOp) -> String {
    let operands = comma(op.args.iter().map(|&v| value(program, v)));
    let name = value(program, op.result);
    format!(
        "{name} = {} {operands}{}",
        op.kind.name(),
        attribute(program, &op.kind)
    )
}

/// `ct@6`; `ct@6 x 3` for three parts; `ct@6 (t 65537, factor 1)` for an exact message.
pub(super) fn type_text(ty: &CtType) -> String {
    let CtType {
        parts,
        level,
        message,
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
    format!("ct@{level}{parts}{message}")
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
    write!(out, "he {}(", word(&program.name))?;
    let input = |i: usize| {
        let ty = program.types.get(i).map(type_text).unwrap_or_default();
        format!("\n  {}: {ty}", value(program, ValueId(i as u32)))
    };
    out.push_str(&(0..program.inputs).map(input).collect::<Vec<_>>().join(","));
    out.push_str(if program.inputs == 0 { ")" } else { "\n)" });
    let returned = program
        .returns
        .iter()
        .filter_map(|v| program.types.get(v.index()));
    write!(
        out,
        " -> {}",
        comma(returned.map(|ty| format!("ct@{}", ty.level)))
    )?;
    writeln!(out, "{} {{", loc_text(program.loc.as_ref()))?;
    let mut claims = program.claims.iter().peekable();
    for (index, op) in program.ops.iter().enumerate() {
        while let Some(claim) = claims.next_if(|claim| claim.after <= index) {
            writeln!(out, "  {}", claim_text(program, &claim.fact))?;
        }
        let ty = program
            .types
            .get(op.result.index())
            .map(type_text)
            .unwrap_or_default();
        writeln!(
            out,
            "  {} -> {ty}{}",
            op_text(program, op),
            loc_text(op.loc.as_ref())
        )?;
    }
    for claim in claims {
        writeln!(out, "  {}", claim_text(program, &claim.fact))?;
    }
    let returns = comma(program.returns.iter().map(|&v| value(program, v)));
    writeln!(out, "  return {returns}")?;
    out.push_str("}\n");
    Ok(())
}

/// `claim bounded y, 1.0`, `claim slope z, 1.5, y`: the number before the values it comes from.
fn claim_text(program: &Program, fact: &Fact) -> String {
    let about = value(program, fact.value());
    let sources = fact.sources().iter().map(|&v| value(program, v));
    let number = match *fact {
        Fact::Bounded { max, .. } => Some(max),
        Fact::Slope { gain, .. } => Some(gain),
        Fact::Rows { norm, .. } => Some(norm),
        Fact::Placed { .. } => None,
    };
    let operands = [about]
        .into_iter()
        .chain(number.map(self::number))
        .chain(sources);
    format!("claim {} {}", fact.name(), comma(operands))
}

fn value(program: &Program, id: ValueId) -> String {
    match program.names.get(id.index()) {
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
        HeOpKind::DropLevel { level } => format!(", {level}"),
        HeOpKind::Rotate { steps } | HeOpKind::RotateConjugate { steps } => format!(", {steps}"),
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
