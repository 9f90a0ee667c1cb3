//! Programs with one thing wrong, to see that a checker catches it.
//!
//! Each kind is a mistake that a compiler, a scheduler or a decoder makes. A mutant may happen to
//! compute the same (two loads exchanged); whoever counts mutants has to prove that of each one
//! that is not caught.

use crate::isa::{encode, Instruction, Program, VReg};

/// A kind of mistake.
#[derive(Clone, Copy)]
pub struct Kind {
    /// What is wrong.
    pub name: &'static str,
    make: fn(&Program, usize) -> Option<Vec<Instruction>>,
}

impl Kind {
    /// The program with this mistake at one of its instructions; `None` where it cannot be made
    /// there, or gives no instruction.
    pub fn at(&self, program: &Program, instruction: usize) -> Option<Program> {
        program.instructions.get(instruction)?;
        let instructions = (self.make)(program, instruction)?;
        let possible = instructions.iter().all(|i| encode(i).is_ok());
        (possible && instructions != program.instructions).then(|| Program {
            data: program.data.clone(),
            ..Program::new(program.name.clone(), instructions)
        })
    }
}

/// Every kind.
pub const KINDS: [Kind; 30] = [
    kind("another destination", |p, i| register(p, i, "vd")),
    kind("another second destination", |p, i| register(p, i, "vd1")),
    kind("another first source", |p, i| register(p, i, "vs")),
    kind("another second source", |p, i| register(p, i, "vt")),
    kind("another factor", |p, i| register(p, i, "vt1")),
    kind("sources exchanged", |p, i| exchanged(p, i, "vs", "vt")),
    kind("second source and factor exchanged", |p, i| {
        exchanged(p, i, "vt", "vt1")
    }),
    kind("destinations exchanged", |p, i| {
        exchanged(p, i, "vd", "vd1")
    }),
    kind("another modulus register", |p, i| computing(p, i, "rm")),
    kind("another address register", |p, i| moving(p, i, "rm")),
    kind("another scalar register", |p, i| added(p, i, "rt", 1)),
    kind("offset one word further", |p, i| added(p, i, "offset", 1)),
    kind("offset one vector further", |p, i| {
        added(p, i, "offset", 16)
    }),
    kind("another mode", |p, i| {
        altered(p, i, "mode", |mode| (mode + 1) % 4)
    }),
    kind("linear mode", plain),
    kind("VALUE one more", |p, i| added(p, i, "value", 1)),
    kind("VALUE one less", |p, i| {
        altered(p, i, "value", |value| value.wrapping_sub(1))
    }),
    kind("another scalar address", |p, i| added(p, i, "address", 1)),
    kind("sum for difference, difference for sum", |p, i| {
        renamed(p, i, ADD_SUB)
    }),
    kind("product for sum, sum for product", |p, i| {
        renamed(p, i, ADD_MUL)
    }),
    kind("the other form of butterfly", |p, i| {
        altered(p, i, "form", |form| 1 - form)
    }),
    kind("product for butterfly", |p, i| {
        renamed(p, i, &[("bfly", "vmul")])
    }),
    kind("the other half of a shuffle", |p, i| renamed(p, i, HALVES)),
    kind("pack for unpack, unpack for pack", |p, i| {
        renamed(p, i, DIRECTIONS)
    }),
    kind("dropped", dropped),
    kind("done twice", |p, i| edited(p, |all| all.insert(i, all[i]))),
    kind("done again at the end", |p, i| {
        edited(p, |all| all.push(all[i]))
    }),
    kind("exchanged with the next", |p, i| swapped(p, i, i + 1)),
    kind("exchanged with one much later", |p, i| swapped(p, i, i + 5)),
    kind("nothing from here on", |p, i| {
        edited(p, |all| all.truncate(i))
    }),
];

type Names = &'static [(&'static str, &'static str)];

const ADD_SUB: Names = &[
    ("vadd", "vsub"),
    ("vsub", "vadd"),
    ("vadds", "vsubs"),
    ("vsubs", "vadds"),
];
const ADD_MUL: Names = &[
    ("vadd", "vmul"),
    ("vmul", "vadd"),
    ("vadds", "vmuls"),
    ("vmuls", "vadds"),
];
const HALVES: Names = &[
    ("unpklo", "unpkhi"),
    ("unpkhi", "unpklo"),
    ("pklo", "pkhi"),
    ("pkhi", "pklo"),
];
const DIRECTIONS: Names = &[
    ("unpklo", "pklo"),
    ("unpkhi", "pkhi"),
    ("pklo", "unpklo"),
    ("pkhi", "unpkhi"),
];

const fn kind(name: &'static str, make: fn(&Program, usize) -> Option<Vec<Instruction>>) -> Kind {
    Kind { name, make }
}

fn edited(program: &Program, edit: impl FnOnce(&mut Vec<Instruction>)) -> Option<Vec<Instruction>> {
    let mut all = program.instructions.clone();
    edit(&mut all);
    Some(all)
}

fn dropped(program: &Program, i: usize) -> Option<Vec<Instruction>> {
    edited(program, |all| {
        all.remove(i);
    })
}

fn replaced(program: &Program, i: usize, by: Instruction) -> Option<Vec<Instruction>> {
    edited(program, |all| all[i] = by)
}

fn swapped(program: &Program, i: usize, j: usize) -> Option<Vec<Instruction>> {
    (j < program.instructions.len()).then_some(())?;
    edited(program, |all| all.swap(i, j))
}

/// One operand changed.
fn altered(
    program: &Program,
    i: usize,
    operand: &str,
    change: impl Fn(u64) -> u64,
) -> Option<Vec<Instruction>> {
    let instruction = program.instructions.get(i)?;
    let value = change(instruction.operand(operand)?);
    let number = |name: &str| match name == operand {
        true => value,
        false => instruction.operand(name).unwrap_or(0),
    };
    replaced(
        program,
        i,
        Instruction::from_operands(instruction.mnemonic(), number)?,
    )
}

fn added(program: &Program, i: usize, operand: &str, step: u64) -> Option<Vec<Instruction>> {
    altered(program, i, operand, |value| value + step)
}

/// The register that was written last and is another one, so that something is in it.
fn register(program: &Program, i: usize, operand: &str) -> Option<Vec<Instruction>> {
    let now = program.instructions.get(i)?.operand(operand)?;
    let before = program.instructions[..i].iter().rev();
    let mut written = before
        .flat_map(Instruction::vector_destinations)
        .map(VReg::number);
    let other = written.find(|&register| u64::from(register) != now);
    let other = other.map_or((now + 1) % 64, u64::from);
    altered(program, i, operand, |_| other)
}

fn exchanged(program: &Program, i: usize, one: &str, other: &str) -> Option<Vec<Instruction>> {
    let instruction = program.instructions.get(i)?;
    let (a, b) = (instruction.operand(one)?, instruction.operand(other)?);
    let number = |name: &str| match name {
        _ if name == one => b,
        _ if name == other => a,
        _ => instruction.operand(name).unwrap_or(0),
    };
    replaced(
        program,
        i,
        Instruction::from_operands(instruction.mnemonic(), number)?,
    )
}

fn computing(program: &Program, i: usize, operand: &str) -> Option<Vec<Instruction>> {
    program.instructions.get(i)?.modulus()?;
    added(program, i, operand, 1)
}

/// Another address register among those that are loaded.
fn moving(program: &Program, i: usize, operand: &str) -> Option<Vec<Instruction>> {
    let now = program.instructions.get(i)?.address_register()?;
    let loaded = program.instructions[..i].iter().filter_map(|i| match *i {
        Instruction::ALoad { rt, .. } => Some(rt),
        _ => None,
    });
    let other = loaded.rev().find(|&register| register != now)?;
    altered(program, i, operand, |_| other.number().into())
}

/// A vector load or store of consecutive words.
fn plain(program: &Program, i: usize) -> Option<Vec<Instruction>> {
    let instruction = program.instructions.get(i)?;
    instruction.operand("mode")?;
    let number = |name: &str| match name {
        "mode" | "value" => 0,
        _ => instruction.operand(name).unwrap_or(0),
    };
    replaced(
        program,
        i,
        Instruction::from_operands(instruction.mnemonic(), number)?,
    )
}

/// Another instruction with the same operands.
fn renamed(program: &Program, i: usize, names: Names) -> Option<Vec<Instruction>> {
    let instruction = program.instructions.get(i)?;
    let (_, other) = names
        .iter()
        .find(|(name, _)| *name == instruction.mnemonic())?;
    let number = |name: &str| instruction.operand(name).unwrap_or(0);
    replaced(program, i, Instruction::from_operands(other, number)?)
}
