//! Prints he programs. Printing never fails: errors show operations of wrong programs too.

use super::{CtType, ErrorFlow, HeOp, HeOpKind, Program, ResultErrors, Values};
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

/// `ct@6 (scale 2^26, max 1.0, rms 0.5, noise 18.0, peak 18.0)`; `ct@6 x 3` for three parts.
pub(super) fn type_text(ty: &CtType) -> String {
    let CtType {
        parts,
        level,
        scale,
        max,
        rms,
        noise,
        peak,
    } = ty;
    let parts = if *parts == 2 {
        String::new()
    } else {
        format!(" x {parts}")
    };
    let scale = float(*scale);
    let [max, rms, noise, peak] = [max, rms, noise, peak].map(|&value| number(value));
    format!("ct@{level}{parts} (scale {scale}, max {max}, rms {rms}, noise {noise}, peak {peak})")
}

fn write_program(program: &Program, out: &mut String) -> fmt::Result {
    for constant in &program.constants {
        let name = word(&constant.name);
        match &constant.values {
            Values::Known(values) => {
                let values = comma(values.iter().map(|&v| number(v)));
                writeln!(out, "constant {name} = [{values}]")?;
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
    for op in &program.ops {
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
    let returns = comma(program.returns.iter().map(|&v| value(program, v)));
    writeln!(out, "  return {returns}")?;
    if let Some(errors) = &program.errors {
        writeln!(out, "  {}", errors_text(errors))?;
    }
    out.push_str("}\n");
    Ok(())
}

/// `errors alone, 0, 0 -> [12.5, 3.5, 0.0, 4.1] even`: of every input, and of every result what it has
/// of each input and of its own.
fn errors_text(errors: &ErrorFlow) -> String {
    let group = |group: &Option<u32>| group.map_or("alone".to_string(), |group| group.to_string());
    let result = |result: &ResultErrors| {
        let shares = result.inherited.iter().chain([&result.own]);
        let shares = comma(shares.map(|&share| number(share)));
        format!("[{shares}]{}", if result.even { " even" } else { "" })
    };
    let (inputs, results) = (errors.inputs.iter(), errors.results.iter());
    format!(
        "errors {} -> {}",
        comma(inputs.map(group)),
        comma(results.map(result))
    )
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
