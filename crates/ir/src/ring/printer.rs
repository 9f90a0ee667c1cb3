//! Prints ring modules. Printing never fails: errors show operations of wrong programs too.

use super::{infer, Function, Loc, Module, Op, OpKind, Param, RingKind, Scope, Type, ValueId};
use crate::words::{quoted, word};
use std::fmt::{self, Display, Write};

/// A header that is longer has one parameter per line.
const LINE: usize = 96;

/// The text form of a module.
pub fn print(module: &Module) -> String {
    let mut out = String::new();
    // Writing to a string cannot fail.
    let _ = Printer {
        module,
        out: &mut out,
    }
    .module();
    out
}

/// The operation as errors show it: text form without its source line.
pub(super) fn describe_op(funcs: &[Function], func: &Function, op: &Op) -> String {
    op_text(
        funcs,
        func,
        &Op {
            loc: None,
            ..op.clone()
        },
    )
}

/// One operation, without line end.
fn op_text(funcs: &[Function], func: &Function, op: &Op) -> String {
    let mut out = String::new();
    let _ = OpPrinter {
        funcs,
        func,
        op,
        out: &mut out,
    }
    .op();
    out
}

/// `  @ file:line`
pub(crate) fn loc_text(loc: Option<&Loc>) -> String {
    loc.map(|loc| format!("  @ {}:{}", word(&loc.file), loc.line))
        .unwrap_or_default()
}

/// Items between commas.
pub(crate) fn comma<T: Display>(items: impl IntoIterator<Item = T>) -> String {
    items
        .into_iter()
        .map(|item| item.to_string())
        .collect::<Vec<_>>()
        .join(", ")
}

struct Printer<'a> {
    module: &'a Module,
    out: &'a mut String,
}

impl Printer<'_> {
    fn module(&mut self) -> fmt::Result {
        let Module {
            kind,
            log_n,
            primes,
            funcs,
            entry,
        } = self.module;
        if *kind != RingKind::Standard {
            writeln!(self.out, "kind {}", word(kind.name()))?;
        }
        writeln!(self.out, "log_n {log_n}")?;
        for (i, q) in primes.iter().enumerate() {
            writeln!(self.out, "prime q{i} = {q}")?;
        }
        match funcs.get(entry.index()) {
            Some(func) => writeln!(self.out, "entry {}", word(&func.name))?,
            None => writeln!(self.out, "entry %{}", entry.0)?,
        }
        (0..funcs.len()).try_for_each(|index| self.function(index))
    }

    fn function(&mut self, index: usize) -> fmt::Result {
        let func = &self.module.funcs[index];
        let params: Vec<String> = func.params.iter().map(param).collect();
        let returned = func
            .returns
            .iter()
            .filter_map(|v| func.types.get(v.index()));
        let composite = func
            .composite
            .map(|c| format!(" is {c}"))
            .unwrap_or_default();
        let steps = if func.steps { " in steps" } else { "" };
        let (name, results) = (word(&func.name), comma(returned));
        let folded = format!(
            "ring {name}({}) -> {results}{composite}{steps} {{",
            params.join(", ")
        );
        if folded.len() <= LINE {
            writeln!(self.out, "\n{folded}")?;
        } else {
            let params = params.join(",\n  ");
            writeln!(
                self.out,
                "\nring {name}(\n  {params}\n) -> {results}{composite}{steps} {{"
            )?;
        }
        for op in &func.ops {
            self.op(index, op)?;
        }
        let returns = func.returns.iter().map(|&v| value(func, v));
        writeln!(self.out, "  return {}\n}}", comma(returns))
    }

    fn op(&mut self, index: usize, op: &Op) -> fmt::Result {
        let Module {
            kind,
            log_n,
            primes,
            funcs,
            ..
        } = self.module;
        let func = &funcs[index];
        write!(self.out, "  {}", op_text(funcs, func, op))?;
        let scope = Scope {
            kind: *kind,
            log_n: *log_n,
            primes,
            funcs: &funcs[..index],
        };
        if must_write_types(&scope, func, op) {
            let types = op.results.iter().filter_map(|v| func.types.get(v.index()));
            write!(self.out, " -> {}", comma(types))?;
        }
        writeln!(self.out, "{}", loc_text(op.loc.as_ref()))
    }
}

/// Whether the parser could not find the types of the results by itself.
fn must_write_types(scope: &Scope, func: &Function, op: &Op) -> bool {
    let types = |values: &[ValueId]| -> Option<Vec<&Type>> {
        values.iter().map(|v| func.types.get(v.index())).collect()
    };
    let inferred = types(&op.args).and_then(|args| infer(scope, &op.kind, &args));
    match (inferred, types(&op.results)) {
        (Some(inferred), Some(written)) => !inferred.iter().eq(written),
        _ => true,
    }
}

fn param(param: &Param) -> String {
    let secret = if param.secret { "secret " } else { "" };
    format!("{}: {secret}{}", word(&param.name), param.ty)
}

fn value(func: &Function, id: ValueId) -> String {
    match func.names.get(id.index()) {
        Some(Some(name)) => word(name),
        _ => format!("%{}", id.0),
    }
}

struct OpPrinter<'a> {
    funcs: &'a [Function],
    func: &'a Function,
    op: &'a Op,
    out: &'a mut String,
}

impl OpPrinter<'_> {
    fn op(&mut self) -> fmt::Result {
        if !self.op.results.is_empty() {
            write!(self.out, "{} = ", self.values(&self.op.results))?;
        }
        self.out.push_str(self.op.kind.name());
        let args = self.values(&self.op.args);
        match &self.op.kind {
            OpKind::Call { func } => {
                let callee = self.funcs.get(func.index()).map(|f| word(&f.name));
                let callee = callee.unwrap_or_else(|| format!("%{}", func.0));
                write!(self.out, " {callee}({args})")
            }
            OpKind::Sample { dist, stream } => {
                write!(self.out, " {dist} {} {args}", quoted(stream))
            }
            _ if args.is_empty() => Ok(()),
            kind => write!(self.out, " {args}{}", attribute(kind)),
        }
    }

    fn values(&self, ids: &[ValueId]) -> String {
        comma(ids.iter().map(|&id| value(self.func, id)))
    }
}

/// What follows the operands.
fn attribute(kind: &OpKind) -> String {
    match kind {
        OpKind::MulScalar { residues } | OpKind::AddScalar { residues } => {
            format!(", [{}]", comma(residues))
        }
        OpKind::Automorphism { galois } => format!(", {galois}"),
        OpKind::Element { index } => format!(", {index}"),
        _ => String::new(),
    }
}
