//! Ciphertext programs as ring programs: every operation becomes one call.
//!
//! The entry function takes the parts of the ciphertexts, then the keys, then the constants in
//! evaluation form, and is a list of calls with the operations' names and source lines, so that a
//! profile of the entry function is a profile of the ciphertext program.
//!
//! Where a program rotates one value several times, the digits of the key switch are computed by a
//! call of their own before the first, and shared. Programs say nothing of that: the results are
//! the same bits either way.

use super::explain::op_text;
use super::operations::Operations;
use super::{Analysed, Embedding, Error, Parameters, Plaintext};
use crate::rlwe::programs::{key_type, module};
use crate::rlwe::towers::ciphertext_towers;
use crate::rlwe::{self, galois_of, key_of, required_shapes, KeyShape};
use ringwright_ir::he::{HeOp, HeOpKind, KeyId, Program, Values};
use ringwright_ir::ring::{
    Domain, FuncId, FunctionBuilder, Loc, Module, ModuleBuilder, Type, ValueId,
};
use std::collections::{BTreeMap, BTreeSet};

/// A ciphertext program as a ring program.
#[derive(Clone, Debug)]
pub struct Expanded {
    /// The program; its entry function has the ciphertext program's name.
    pub module: Module,
    /// What each parameter of the entry function takes.
    pub inputs: Vec<Input>,
    /// One per operation of the entry function, in order: those of the ciphertext program, and the
    /// digits that several rotations share.
    pub calls: Vec<CallSite>,
}

/// What a parameter of the entry function takes.
#[derive(Clone, Debug)]
pub enum Input {
    /// A polynomial of an input ciphertext.
    Ciphertext {
        /// Which ciphertext.
        index: usize,
        /// Which of its parts.
        part: usize,
    },
    /// An evaluation key.
    Key(KeyId),
    /// A constant, **in evaluation form** (`rlwe::programs::plaintext_to_evaluations` takes it there).
    Constant(Plaintext),
    /// A plain argument of the program, as a constant.
    Plain {
        /// Which of them.
        argument: usize,
        /// Towers it is encoded for.
        level: usize,
        /// The scale it is encoded at.
        scale: f64,
    },
}

/// One operation's call.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct CallSite {
    /// The operation's word in a program's text: "mul_relin"; "decompose" for shared digits.
    pub kind: &'static str,
    /// The operation with its operands, as `explain` shows it.
    pub op: String,
    /// The ring function, for instance `ckks.mul_relin@6`.
    pub function: String,
    /// Towers of its first operand.
    pub level: usize,
    /// Name of the result.
    pub result: String,
    /// The user's source line.
    pub loc: Option<Loc>,
}

/// Expands a program under the parameters that it was analysed for, for keys of every level.
///
/// # Errors
/// A constant that does not fit.
pub fn expand(analysed: &Analysed) -> Result<Expanded, Error> {
    expand_for(analysed, &BTreeMap::new())
}

/// The same for keys of these shapes; of every level, where none is given.
///
/// # Errors
/// As [`expand`], and a key that does not reach the levels it is needed at, or of other digits or
/// special primes than the program's noise was predicted for ([`rlwe::Error::KeyShape`]).
pub fn expand_for(
    analysed: &Analysed,
    given: &BTreeMap<KeyId, KeyShape>,
) -> Result<Expanded, Error> {
    let (program, parameters) = (analysed.program(), analysed.parameters());
    let shapes = key_shapes(program, parameters, given)?;
    let callees = callees(analysed, &shapes)?;
    let calls = call_sites(program, &callees);
    let constants = constant_inputs(analysed)?;
    let mut mb = callees.module;
    let mut entry = Entry::new(mb.function(&program.name), analysed);
    entry.parameters(&shapes, &constants);
    for (op, callee) in program.ops.iter().zip(&callees.functions) {
        entry.call(op, callee, parameters)?;
    }
    let (main, inputs) = entry.finish(constants)?;
    Ok(Expanded {
        module: mb.finish(main)?,
        inputs,
        calls,
    })
}

/// The shape of every key that the program needs.
fn key_shapes(
    program: &Program,
    parameters: &Parameters,
    given: &BTreeMap<KeyId, KeyShape>,
) -> Result<BTreeMap<KeyId, KeyShape>, Error> {
    let asked = required_shapes(program, parameters)?.into_iter();
    let shape = |(key, asked): (KeyId, KeyShape)| {
        let Some(given) = given.get(&key) else {
            return Ok((key, KeyShape::full(parameters)?));
        };
        match given.level() >= asked.level() && given.lifts_like(&asked) {
            true => Ok((key, given.clone())),
            false => Err(rlwe::Error::KeyShape {
                key,
                needed_by: format!(" for {}", program.name),
                asked: asked.to_string(),
                given: given.to_string(),
            }
            .into()),
        }
    };
    asked.map(shape).collect()
}

/// The ring functions of a program's operations.
struct Callees {
    module: ModuleBuilder,
    functions: Vec<Callee>,
}

/// The ring functions of one operation.
struct Callee {
    function: FuncId,
    digits: Option<Digits>,
}

/// What several rotations of one value share.
enum Digits {
    /// The first one has them computed.
    Compute(FuncId),
    /// The others find them there.
    Reuse,
}

fn callees(analysed: &Analysed, shapes: &BTreeMap<KeyId, KeyShape>) -> Result<Callees, Error> {
    let (program, parameters) = (analysed.program(), analysed.parameters());
    let mut operations = Operations {
        parameters,
        shapes,
        module: module(parameters),
    };
    let mut rotations = BTreeMap::<ValueId, usize>::new();
    for op in program.ops.iter().filter(|op| op.kind.is_automorphism()) {
        *rotations.entry(op.args[0]).or_default() += 1;
    }
    let mut computed = BTreeSet::new();
    let mut functions = Vec::with_capacity(program.ops.len());
    for op in &program.ops {
        let several = op.kind.is_automorphism() && rotations[&op.args[0]] > 1;
        functions.push(match several {
            true => of_digits(&mut operations, program, op, computed.insert(op.args[0]))?,
            false => Callee {
                function: callee(&mut operations, analysed, op)?,
                digits: None,
            },
        });
    }
    Ok(Callees {
        module: operations.module,
        functions,
    })
}

/// A rotation that shares its operand's digits with others; the first computes them.
fn of_digits(
    operations: &mut Operations,
    program: &Program,
    op: &HeOp,
    first: bool,
) -> Result<Callee, Error> {
    let level = usize::from(program.types[op.args[0].index()].level);
    let galois = galois_of(&op.kind, operations.parameters).unwrap_or(1);
    let digits = match first {
        true => Digits::Compute(operations.decompose(level)?),
        false => Digits::Reuse,
    };
    Ok(Callee {
        function: operations.automorphism_of_digits(level, galois)?,
        digits: Some(digits),
    })
}

/// One per call of the entry function.
fn call_sites(program: &Program, callees: &Callees) -> Vec<CallSite> {
    let name = |id: FuncId| callees.module.funcs()[id.index()].name.clone();
    let mut sites = Vec::new();
    for (op, callee) in program.ops.iter().zip(&callees.functions) {
        let level = usize::from(program.types[op.args[0].index()].level);
        if let Some(Digits::Compute(decompose)) = callee.digits {
            let operand = program.value_name(op.args[0]);
            sites.push(CallSite {
                kind: "decompose",
                op: format!("decompose {operand}"),
                function: name(decompose),
                level,
                result: format!("{operand}.digits"),
                loc: op.loc.clone(),
            });
        }
        sites.push(CallSite {
            kind: op.kind.name(),
            op: op_text(program, op),
            function: name(callee.function),
            level,
            result: program.value_name(op.result),
            loc: op.loc.clone(),
        });
    }
    sites
}

fn callee(operations: &mut Operations, analysed: &Analysed, op: &HeOp) -> Result<FuncId, Error> {
    let (program, a) = (analysed.program(), analysed.estimate(op.args[0]));
    let (level, parts) = (usize::from(a.level), usize::from(a.parts));
    let is_square = op.args.len() == 2 && op.args[0] == op.args[1];
    let integer = |constant: usize, scale| uniform(program, constant, scale);
    match op.kind {
        HeOpKind::Add => operations.add(level, parts),
        HeOpKind::Sub => operations.sub(level, parts),
        HeOpKind::Neg => operations.neg(level, parts),
        HeOpKind::AddConstant { constant } => match integer(constant, a.scale) {
            Some(integer) => operations.add_integer(level, integer),
            None => operations.add_plaintext(level),
        },
        HeOpKind::MulConstant { constant, scale } => match integer(constant, scale) {
            Some(integer) => operations.mul_integer(level, parts, integer),
            None => operations.mul_plaintext(level, parts),
        },
        HeOpKind::Mul if is_square => operations.square(level),
        HeOpKind::Mul => operations.mul(level),
        HeOpKind::MulRelin if is_square => operations.square_relin(level),
        HeOpKind::MulRelin => operations.mul_relin(level),
        HeOpKind::Relinearise => operations.relinearise(level),
        HeOpKind::Rescale => operations.rescale(level, parts),
        HeOpKind::DropLevel { level: to } => operations.drop_level(level, parts, to.into()),
        HeOpKind::Rotate { .. } | HeOpKind::Conjugate | HeOpKind::RotateConjugate { .. } => {
            let galois = galois_of(&op.kind, operations.parameters).unwrap_or(1);
            operations.automorphism(level, galois)
        }
    }
}

/// The integer that stands for a constant of one value in all slots.
fn uniform(program: &Program, constant: usize, scale: f64) -> Option<f64> {
    let value = program.constants[constant].values.uniform()?;
    Some((value * scale).round_ties_even())
}

/// A constant at a level and scale (as bits, to be a key).
type ConstantUse = (usize, u16, u64);

/// The plaintext an operation takes, if it takes one.
fn constant_use(analysed: &Analysed, op: &HeOp) -> Option<ConstantUse> {
    let (program, a) = (analysed.program(), analysed.estimate(op.args[0]));
    let (constant, scale) = match op.kind {
        HeOpKind::AddConstant { constant } => (constant, a.scale),
        HeOpKind::MulConstant { constant, scale } => (constant, scale),
        _ => return None,
    };
    match uniform(program, constant, scale) {
        Some(_) => None,
        None => Some((constant, a.level, scale.to_bits())),
    }
}

fn constant_inputs(analysed: &Analysed) -> Result<BTreeMap<ConstantUse, Input>, Error> {
    let (program, parameters) = (analysed.program(), analysed.parameters());
    let uses: BTreeSet<_> = program
        .ops
        .iter()
        .filter_map(|op| constant_use(analysed, op))
        .collect();
    if uses.is_empty() {
        return Ok(BTreeMap::new());
    }
    let embedding = Embedding::new(parameters)?;
    let input = |used: ConstantUse| {
        let (constant, level, scale) = (used.0, usize::from(used.1), f64::from_bits(used.2));
        let input = match &program.constants[constant].values {
            Values::Real(values) => Input::Constant(repeated(&embedding, values, scale, level)?),
            Values::Complex(values) => {
                let slots = || values.iter().cycle().take(parameters.slots());
                let [re, im] = [0, 1].map(|part| slots().map(|v| v[part]).collect::<Vec<_>>());
                Input::Constant(embedding.encode_complex(&re, &im, scale, level)?)
            }
            Values::Integer(values) => {
                let reals: Vec<f64> = values.iter().map(|&value| value as f64).collect();
                Input::Constant(repeated(&embedding, &reals, scale, level)?)
            }
            Values::Argument { .. } => Input::Plain {
                argument: program
                    .plain_arguments()
                    .take_while(|&c| c < constant)
                    .count(),
                level,
                scale,
            },
        };
        Ok((used, input))
    };
    uses.into_iter().map(input).collect()
}

/// Encodes numbers, repeated to fill the slots.
pub(super) fn repeated(
    embedding: &Embedding,
    values: &[f64],
    scale: f64,
    level: usize,
) -> Result<Plaintext, Error> {
    let slots = embedding.parameters().slots();
    let repeated: Vec<f64> = values.iter().cycle().take(slots).copied().collect();
    embedding.encode_real(&repeated, scale, level)
}

/// The entry function under construction.
struct Entry<'a> {
    fb: FunctionBuilder<'a>,
    analysed: &'a Analysed,
    program: &'a Program,
    /// Parts of every ciphertext value, in order.
    values: Vec<Vec<ValueId>>,
    /// Digits of the ciphertext values that are rotated several times.
    digits: BTreeMap<ValueId, Vec<ValueId>>,
    keys: BTreeMap<KeyId, ValueId>,
    constants: BTreeMap<ConstantUse, ValueId>,
    inputs: Vec<Input>,
}

impl<'a> Entry<'a> {
    fn new(fb: FunctionBuilder<'a>, analysed: &'a Analysed) -> Self {
        let program = analysed.program();
        Self {
            fb,
            analysed,
            program,
            values: Vec::new(),
            digits: BTreeMap::new(),
            keys: BTreeMap::new(),
            constants: BTreeMap::new(),
            inputs: Vec::new(),
        }
    }

    fn parameters(
        &mut self,
        shapes: &BTreeMap<KeyId, KeyShape>,
        constants: &BTreeMap<ConstantUse, Input>,
    ) {
        for index in 0..self.program.inputs {
            let parts =
                (0..self.program.types[index].parts).map(|part| self.part(index, part.into()));
            let parts = parts.collect();
            self.values.push(parts);
        }
        for (&key, shape) in shapes {
            let value = self.fb.param(&key_name(key), key_type(shape), false);
            self.keys.insert(key, value);
            self.inputs.push(Input::Key(key));
        }
        let mut names = BTreeSet::new();
        for &(constant, level, scale) in constants.keys() {
            let name = &self.program.constants[constant].name;
            let name = format!("{name}@{level}.{:.2}", f64::from_bits(scale).log2());
            // Two scales may differ by less than their names say.
            let numbered = (2..).map(|number| format!("{name}.{number}"));
            let mut free = std::iter::once(name.clone()).chain(numbered);
            let name = free.find(|name| names.insert(name.clone())).unwrap_or(name);
            let ty = Type::poly(&ciphertext_towers(level.into()), Domain::Eval);
            let value = self.fb.param(&name, ty, false);
            self.constants.insert((constant, level, scale), value);
        }
    }

    fn part(&mut self, index: usize, part: usize) -> ValueId {
        let level = self.program.types[index].level;
        let name = format!("{}.{part}", self.program.value_name(ValueId(index as u32)));
        self.inputs.push(Input::Ciphertext { index, part });
        self.fb.param(
            &name,
            Type::poly(&ciphertext_towers(level.into()), Domain::Eval),
            false,
        )
    }

    fn call(&mut self, op: &HeOp, callee: &Callee, parameters: &Parameters) -> Result<(), Error> {
        self.fb.at(op.loc.clone());
        let own = self.values[op.args[0].index()].clone();
        if let Some(Digits::Compute(decompose)) = callee.digits {
            let digits = self.fb.call(decompose, &own[1..2])?;
            self.digits.insert(op.args[0], digits);
        }
        let only_first = matches!(op.kind, HeOpKind::AddConstant { .. });
        let mut args: Vec<ValueId> = match (only_first, &callee.digits) {
            (true, _) => vec![own[0]],
            (false, Some(_)) => [&own[..1], &self.digits[&op.args[0]]].concat(),
            (false, None) => self.operands(op),
        };
        args.extend(key_of(&op.kind, parameters).map(|key| self.keys[&key]));
        args.extend(constant_use(self.analysed, op).map(|used| self.constants[&used]));
        let untouched = if only_first {
            own[1..].to_vec()
        } else {
            Vec::new()
        };
        let mut parts = self.fb.call(callee.function, &args)?;
        if let Some(name) = &self.program.names[op.result.index()] {
            for (index, &part) in parts.iter().enumerate() {
                self.fb.name(part, &format!("{name}.{index}"));
            }
        }
        parts.extend(untouched);
        self.values.push(parts);
        Ok(())
    }

    /// Parts of the operands; a square takes its operand once.
    fn operands(&self, op: &HeOp) -> Vec<ValueId> {
        let is_square =
            matches!(op.kind, HeOpKind::Mul | HeOpKind::MulRelin) && op.args[0] == op.args[1];
        let operands = if is_square {
            &op.args[..1]
        } else {
            &op.args[..]
        };
        operands
            .iter()
            .flat_map(|arg| self.values[arg.index()].iter().copied())
            .collect()
    }

    fn finish(
        mut self,
        constants: BTreeMap<ConstantUse, Input>,
    ) -> Result<(FuncId, Vec<Input>), Error> {
        let returned = |value: &ValueId| self.values[value.index()].iter().copied();
        let returns: Vec<ValueId> = self.program.returns.iter().flat_map(returned).collect();
        self.inputs.extend(constants.into_values());
        Ok((self.fb.finish(&returns)?, self.inputs))
    }
}

fn key_name(key: KeyId) -> String {
    match key {
        KeyId::Mult => "key.mult".to_string(),
        KeyId::Galois(element) => format!("key.galois.{element}"),
        KeyId::Switch { from, to } => format!("key.switch.{from}.{to}"),
    }
}
