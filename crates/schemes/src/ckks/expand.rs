//! Ciphertext programs as ring programs: every operation becomes one call.
//!
//! The entry function takes the parts of the ciphertexts, then the keys, then the constants in
//! evaluation form, and is a list of calls with the operations' names and source lines, so that a
//! profile of the entry function is a profile of the ciphertext program.
//!
//! Where a program rotates one value several times, the digits of the key switch are computed by a
//! call of their own before the first, and shared. Programs say nothing of that: the results are
//! the same bits either way.
//!
//! A function that is called becomes a ring function of calls, one for each set of scales that its
//! arguments come with: constants are encoded at them. It takes the keys and constants that it needs from
//! its caller.

use super::constants::{argument, constant_uses, uniform, ConstantUse};
use super::explain::op_text;
use super::operations::{Hoisting, Operations, Turned};
use super::{Analysed, Error, Estimate, Estimates, Parameters, Place};
use crate::rlwe::programs::{key_type, module, plain_type};
use crate::rlwe::towers::ciphertext_towers;
use crate::rlwe::{self, galois_of, keys_of, required_shapes, rotation_key, KeyShape};
use ringwright_ir::he::{Function, HeOp, HeOpKind, KeyId, Program, Term, Values};
use ringwright_ir::ring::{Domain, FuncId, FunctionBuilder, Loc, Module, Type, ValueId};
use std::collections::{BTreeMap, BTreeSet, HashMap};
use std::sync::Arc;

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
    Constant {
        /// Which of the program's.
        constant: usize,
        /// What it is encoded for, when the program is made ready.
        place: Place,
    },
    /// A plain argument of the program, as a constant.
    Plain {
        /// Which of them.
        argument: usize,
        /// What it is encoded for.
        place: Place,
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
/// A program that breaks a rule of its dialect.
pub fn expand(analysed: &Analysed) -> Result<Expanded, Error> {
    expand_for(analysed, &BTreeMap::new(), Hoisting::Shared)
}

/// The same for keys of these shapes; of every level, where none is given. Digits that several automorphisms
/// of one ciphertext have in common are shared or not; the results are the same words.
///
/// # Errors
/// As [`expand`], and a key that does not reach the levels it is needed at, or of other digits or
/// special primes than the program's noise was predicted for ([`rlwe::Error::KeyShape`]).
pub fn expand_for(
    analysed: &Analysed,
    given: &BTreeMap<KeyId, KeyShape>,
    hoisting: Hoisting,
) -> Result<Expanded, Error> {
    let (program, parameters) = (analysed.program(), analysed.parameters());
    let shapes = key_shapes(program, parameters, given)?;
    let operations = Operations {
        parameters,
        shapes: &shapes,
        module: module(parameters),
        matrices: Vec::new(),
        hoisting,
    };
    let mut expander = Expander {
        program,
        operations,
        names: BTreeSet::new(),
        known: HashMap::new(),
    };
    let (entry, callees) = expander.function(program.entry(), analysed.estimates(), Role::Entry)?;
    let inputs = inputs(program.entry(), &entry);
    let constants = entry.constants.iter();
    let constants = constants.map(|&(constant, place)| constant_input(program, constant, place));
    let calls = expander.call_sites(&callees);
    Ok(Expanded {
        module: expander.operations.module.finish(entry.function)?,
        inputs: inputs.chain(constants).collect(),
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
            return Ok((key, KeyShape::whole(parameters, key)?));
        };
        let made_so = *given == KeyShape::of(parameters, key, given.level())?;
        match given.level() >= asked.level() && made_so {
            true => Ok((key, given.clone())),
            false => Err(rlwe::Error::KeyShape {
                key,
                needed_by: format!(" for {}", program.name()),
                asked: asked.to_string(),
                given: given.to_string(),
            }
            .into()),
        }
    };
    asked.map(shape).collect()
}

/// A ring function of a function, and what it takes behind the parts of its inputs, in this order.
#[derive(Debug)]
struct Made {
    function: FuncId,
    keys: BTreeSet<KeyId>,
    constants: BTreeSet<ConstantUse>,
}

/// What an operation is a call of.
struct Callee {
    /// The ring function, with the keys and constants that it takes.
    made: Arc<Made>,
    digits: Option<Digits>,
}

/// What several rotations of one value share.
enum Digits {
    /// The first one has them computed.
    Compute(FuncId),
    /// The others find them there.
    Reuse,
}

/// Which function of a program.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Role {
    Entry,
    Callee,
}

/// A function and the scales of its arguments, as bits.
type Scaled = (usize, Vec<u64>);

struct Expander<'a> {
    program: &'a Program,
    operations: Operations<'a>,
    /// Of functions that there are.
    names: BTreeSet<String>,
    /// Functions that are called, by all that they depend on.
    known: HashMap<Scaled, Arc<Made>>,
}

impl Expander<'_> {
    /// A ring function of a function whose values are of these estimates, and what its operations call.
    fn function(
        &mut self,
        function: &Function,
        known: &Estimates,
        role: Role,
    ) -> Result<(Arc<Made>, Vec<Callee>), Error> {
        let callees = self.callees(function, known)?;
        let made = || callees.iter().map(|callee| &callee.made);
        let keys = made().flat_map(|made| &made.keys).copied().collect();
        let constants = made().flat_map(|made| &made.constants).copied().collect();
        let name = self.unused_name(&function.name);
        let (parameters, shapes) = (self.operations.parameters, self.operations.shapes);
        let mut body = Body {
            fb: self.operations.module.function(&name),
            function,
            values: Vec::new(),
            digits: BTreeMap::new(),
            keys: BTreeMap::new(),
            constants: BTreeMap::new(),
        };
        if role == Role::Callee {
            body.fb.steps();
        }
        body.parameters(self.program, parameters, &keys, shapes, &constants);
        for (op, callee) in function.ops.iter().zip(&callees) {
            body.call(op, callee)?;
        }
        let function = body.finish()?;
        let made = Made {
            function,
            keys,
            constants,
        };
        Ok((Arc::new(made), callees))
    }

    fn callees(&mut self, function: &Function, known: &Estimates) -> Result<Vec<Callee>, Error> {
        let mut rotations = BTreeMap::<ValueId, usize>::new();
        for op in function.ops.iter().filter(|op| op.kind.is_automorphism()) {
            *rotations.entry(op.args[0]).or_default() += 1;
        }
        let mut computed = BTreeSet::new();
        let mut callees = Vec::with_capacity(function.ops.len());
        for op in &function.ops {
            let shared = self.operations.hoisting == Hoisting::Shared;
            let several = shared && op.kind.is_automorphism() && rotations[&op.args[0]] > 1;
            callees.push(match op.kind {
                HeOpKind::Call { function } => Callee {
                    made: self.called(function, op, known)?,
                    digits: None,
                },
                _ if several => self.of_digits(function, op, computed.insert(op.args[0]))?,
                _ => self.of_operation(op, &known.values[op.args[0].index()])?,
            });
        }
        Ok(callees)
    }

    /// The ring function of a function, for the scales that it is called with.
    fn called(
        &mut self,
        function: usize,
        op: &HeOp,
        caller: &Estimates,
    ) -> Result<Arc<Made>, Error> {
        let missing = || Error::Internal("a call that was not analysed".into());
        let inside = op.results.first().and_then(|v| caller.calls.get(v));
        let inside = inside.ok_or_else(missing)?;
        let scales = op.args.iter().map(|v| caller.values[v.index()].scale);
        let key = (function, scales.map(f64::to_bits).collect());
        if let Some(made) = self.known.get(&key) {
            return Ok(made.clone());
        }
        let callee = &self.program.functions[function];
        let (made, _) = self.function(callee, inside, Role::Callee)?;
        self.known.insert(key, made.clone());
        Ok(made)
    }

    /// A rotation that shares its operand's digits with others; the first computes them.
    fn of_digits(&mut self, function: &Function, op: &HeOp, first: bool) -> Result<Callee, Error> {
        let operations = &mut self.operations;
        let level = usize::from(function.types[op.args[0].index()].level);
        let galois = galois_of(&op.kind, operations.parameters).unwrap_or(1);
        let digits = match first {
            true => Digits::Compute(operations.decompose(level)?),
            false => Digits::Reuse,
        };
        let function = operations.automorphism_of_digits(level, galois)?;
        Ok(self.callee(function, op, BTreeSet::new(), Some(digits)))
    }

    fn of_operation(&mut self, op: &HeOp, a: &Estimate) -> Result<Callee, Error> {
        let constants = constant_uses(self.program, &op.kind, a);
        let constants = constants.into_iter().collect();
        let function = match &op.kind {
            HeOpKind::Transform { terms, .. } => self.transform(terms, a.level, &constants)?,
            _ => operation(&mut self.operations, self.program, op, a)?,
        };
        Ok(self.callee(function, op, constants, None))
    }

    /// The ring function of a matrix, which takes its constants in this order.
    fn transform(
        &mut self,
        terms: &[Term],
        level: u16,
        constants: &BTreeSet<ConstantUse>,
    ) -> Result<FuncId, Error> {
        let parameters = self.operations.parameters;
        let place = |index: usize| constants.iter().position(|used| used.0 == index);
        let turned = |term: &Term| {
            let constant = place(term.constant);
            Ok(Turned {
                giant: rotation_key(term.giant, parameters),
                baby: rotation_key(term.baby, parameters),
                constant: constant.ok_or_else(|| Error::Internal("a term's constant".into()))?,
            })
        };
        let turned = terms
            .iter()
            .map(turned)
            .collect::<Result<Vec<_>, Error>>()?;
        self.operations.transform(level.into(), turned)
    }

    fn callee(
        &self,
        function: FuncId,
        op: &HeOp,
        constants: BTreeSet<ConstantUse>,
        digits: Option<Digits>,
    ) -> Callee {
        let made = Made {
            function,
            keys: keys_of(&op.kind, self.operations.parameters),
            constants,
        };
        Callee {
            made: Arc::new(made),
            digits,
        }
    }

    /// One per call of the entry function.
    fn call_sites(&self, callees: &[Callee]) -> Vec<CallSite> {
        let (program, entry) = (self.program, self.program.entry());
        let functions = self.operations.module.funcs();
        let name = |id: FuncId| functions[id.index()].name.clone();
        let mut sites = Vec::new();
        for (op, callee) in entry.ops.iter().zip(callees) {
            let level = usize::from(entry.types[op.args[0].index()].level);
            if let Some(Digits::Compute(decompose)) = callee.digits {
                let operand = entry.value_name(op.args[0]);
                sites.push(CallSite {
                    kind: "decompose",
                    op: format!("decompose {operand}"),
                    function: name(decompose),
                    level,
                    result: format!("{operand}.digits"),
                    loc: op.loc.clone(),
                });
            }
            let results: Vec<String> = op.results.iter().map(|&v| entry.value_name(v)).collect();
            sites.push(CallSite {
                kind: op.kind.name(),
                op: op_text(program, entry, op),
                function: name(callee.made.function),
                level,
                result: results.join(", "),
                loc: op.loc.clone(),
            });
        }
        sites
    }

    /// The name; with a number, if there is one of it for other scales.
    fn unused_name(&mut self, name: &str) -> String {
        unused(name, &mut self.names)
    }
}

/// The name, or with the least number from 2 on under which it is not taken yet.
fn unused(name: &str, taken: &mut BTreeSet<String>) -> String {
    let numbered = (2u64..).map(|number| format!("{name}.{number}"));
    let mut names = std::iter::once(name.to_string()).chain(numbered);
    let free = names.find(|name| taken.insert(name.clone()));
    free.unwrap_or_default()
}

/// The ring function of one operation that is no call; `a` is known of its first operand.
fn operation(
    operations: &mut Operations,
    program: &Program,
    op: &HeOp,
    a: &Estimate,
) -> Result<FuncId, Error> {
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
        HeOpKind::SwitchKey { from, to } => {
            operations.switch_key(KeyId::Switch { from, to }, level)
        }
        HeOpKind::Raise { level: to } => operations.raise(to.into()),
        HeOpKind::Transform { .. } | HeOpKind::Call { .. } => {
            Err(Error::Internal("a call is no single operation".into()))
        }
    }
}

/// What the parts of the entry's inputs, and its keys, take.
fn inputs<'a>(entry: &'a Function, made: &'a Made) -> impl Iterator<Item = Input> + 'a {
    let types = entry.types.iter().take(entry.inputs).enumerate();
    let parts = types.flat_map(|(index, ty)| (0..ty.parts).map(move |part| (index, part)));
    let parts = parts.map(|(index, part)| Input::Ciphertext {
        index,
        part: part.into(),
    });
    parts.chain(made.keys.iter().map(|&key| Input::Key(key)))
}

/// What a constant takes. It is not encoded: a simulated machine's time needs no words.
fn constant_input(program: &Program, constant: usize, place: Place) -> Input {
    match program.constants[constant].values {
        Values::Argument { .. } => Input::Plain {
            argument: argument(program, constant),
            place,
        },
        _ => Input::Constant { constant, place },
    }
}

/// A ring function of calls under construction.
struct Body<'a> {
    fb: FunctionBuilder<'a>,
    function: &'a Function,
    /// Parts of every ciphertext value, in order.
    values: Vec<Vec<ValueId>>,
    /// Digits of the ciphertext values that are rotated several times.
    digits: BTreeMap<ValueId, Vec<ValueId>>,
    keys: BTreeMap<KeyId, ValueId>,
    constants: BTreeMap<ConstantUse, ValueId>,
}

impl Body<'_> {
    /// Parts of the inputs, then keys, then constants in evaluation form.
    fn parameters(
        &mut self,
        program: &Program,
        parameters: &Parameters,
        keys: &BTreeSet<KeyId>,
        shapes: &BTreeMap<KeyId, KeyShape>,
        constants: &BTreeSet<ConstantUse>,
    ) {
        for (index, ty) in self.function.types[..self.function.inputs]
            .iter()
            .enumerate()
        {
            let name = self.function.value_name(ValueId(index as u32));
            let of_part = |part| (format!("{name}.{part}"), poly(ty.level));
            let parts: Vec<_> = (0..ty.parts).map(of_part).collect();
            let parts = parts.into_iter();
            let parts = parts
                .map(|(name, ty)| self.fb.param(&name, ty, false))
                .collect();
            self.values.push(parts);
        }
        for key in keys {
            let value = self
                .fb
                .param(&key_name(*key), key_type(&shapes[key]), false);
            self.keys.insert(*key, value);
        }
        let mut names = BTreeSet::new();
        for &(constant, place) in constants {
            let (name, level) = (&program.constants[constant].name, place.level);
            // Two scales may differ by less than their names say.
            let name = format!("{name}@{level}.{:.2}", place.scale().log2());
            let name = unused(&name, &mut names);
            let ty = plain_type(parameters, level.into(), place.extended);
            let value = self.fb.param(&name, ty, false);
            self.constants.insert((constant, place), value);
        }
    }

    fn call(&mut self, op: &HeOp, callee: &Callee) -> Result<(), Error> {
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
        let Made {
            function,
            keys,
            constants,
        } = &*callee.made;
        args.extend(keys.iter().map(|key| self.keys[key]));
        args.extend(constants.iter().map(|used| self.constants[used]));
        let mut parts = self.fb.call(*function, &args)?;
        let made = parts.len();
        if only_first {
            parts.extend(&own[1..]);
        }
        let mut parts = parts.into_iter().enumerate();
        for result in &op.results {
            let count = self.function.types[result.index()].parts.into();
            let of_result: Vec<(usize, ValueId)> = parts.by_ref().take(count).collect();
            if let Some(name) = &self.function.names[result.index()] {
                let new = of_result.iter().filter(|(number, _)| *number < made);
                for (index, (_, part)) in new.enumerate() {
                    self.fb.name(*part, &format!("{name}.{index}"));
                }
            }
            let parts = of_result.into_iter().map(|(_, part)| part);
            self.values.push(parts.collect());
        }
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

    fn finish(self) -> Result<FuncId, Error> {
        let returned = |value: &ValueId| self.values[value.index()].iter().copied();
        let returns: Vec<ValueId> = self.function.returns.iter().flat_map(returned).collect();
        Ok(self.fb.finish(&returns)?)
    }
}

fn poly(level: u16) -> Type {
    Type::poly(&ciphertext_towers(level.into()), Domain::Eval)
}

fn key_name(key: KeyId) -> String {
    match key {
        KeyId::Mult => "key.mult".to_string(),
        KeyId::Galois(element) => format!("key.galois.{element}"),
        KeyId::Switch { from, to } => format!("key.switch.{from}.{to}"),
    }
}
