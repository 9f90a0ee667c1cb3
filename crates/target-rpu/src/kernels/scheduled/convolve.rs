//! a * b as polynomials in one program: a transform, a product, an inverse, nothing stored between.
//!
//! Three compiled programs follow each other in one graph. The product loads with the accesses of
//! the transform's last stores, and the inverse is made from the same formula backwards, so all that
//! goes from one to the next stays in registers. With two passes each the evaluations exist block by
//! block in the middle one, and only half-done transforms lie in scratch slots.

use super::graph::{Graph, Role};
use super::slots::prologue;
use super::transform::pair;
use super::{compile, Scheduled};
use crate::isa::{AReg, Instruction, MReg, Op, Program, VReg};
use crate::kernels::compile::known::Recipes;
use crate::kernels::{Making, Operation, Shape, TowerKernel};
use crate::Config;

/// Slots of the graph. The tables follow.
const A: usize = 0;
const B: usize = 1;
const RESULT: usize = 2;
const EVALUATIONS: usize = 3;
const PRODUCTS: usize = 4;
/// Two passes go through one more slot, there and back.
const PASSES: usize = 5;
const TABLES: usize = 7;

/// The fused program; `None` where there is no pair of transforms.
pub fn convolve(config: &Config, recipes: &Recipes, shape: Shape) -> Option<Scheduled> {
    let [there, back] = pair(config, recipes, shape)?;
    let table = [there.table.clone(), back.table.clone()].concat();
    let slots = TABLES + table.len().div_ceil(shape.slot());
    let role = |slot: usize| match slot {
        A | B => Role::Operand,
        RESULT => Role::Result,
        slot if slot < TABLES => Role::Scratch,
        _ => Role::Table,
    };
    let mut graph = Graph::new(shape, (0..slots).map(role).collect());
    let first = Ends {
        from: A,
        to: EVALUATIONS,
        through: PASSES,
        table: 0,
    };
    first.append(&mut graph, &there);
    multiply(&mut graph, &there);
    let last = Ends {
        from: PRODUCTS,
        to: RESULT,
        through: PASSES + 1,
        table: there.table.len(),
    };
    last.append(&mut graph, &back);
    let graph = graph.without_idle_scratch();
    let scratch_slots = graph.roles.iter().filter(|&&r| r == Role::Scratch).count();
    let (programs, occupied) = compile(&graph, config);
    let operation = Operation::Convolve;
    let start = prologue(operation.scalar(), graph.roles.len());
    let kernel = |program: Vec<Instruction>| TowerKernel {
        operation,
        shape,
        program: Program::new(operation.name(), [start.clone(), program].concat()),
        table: table.clone(),
        scratch_slots,
        making: Making::Scheduled,
    };
    Some(Scheduled {
        kernels: programs.into_iter().map(kernel).collect(),
        occupied,
        schedule: None,
    })
}

/// Where a transform of the graph begins, ends, and what is its own.
struct Ends {
    from: usize,
    to: usize,
    through: usize,
    /// First word of its table among all.
    table: usize,
}

impl Ends {
    fn append(&self, graph: &mut Graph, kernel: &TowerKernel) {
        let slot = kernel.shape.slot() as u32;
        let first_table = 2 + kernel.scratch_slots;
        let place = |register: AReg, offset: u32| match register.index() {
            0 => (self.from, offset),
            1 => (self.to, offset),
            scratch if scratch < first_table => (self.through, offset),
            table => {
                let word = self.table as u32 + (table - first_table) as u32 * slot + offset;
                (TABLES + (word / slot) as usize, word % slot)
            }
        };
        graph.append(&kernel.program.instructions, place);
    }
}

/// Products with b, vector by vector as the transform stores them.
fn multiply(graph: &mut Graph, there: &TowerKernel) {
    let [value, factor, product] = [0, 1, 2].map(VReg::from_field);
    let at = |slot: usize| AReg::from_field(slot as u64);
    let result = there.operation.operands();
    for &store in &there.program.instructions {
        let Instruction::VStore {
            rm, offset, mode, ..
        } = store
        else {
            continue;
        };
        if rm.index() != result {
            continue;
        }
        let load = |vd, slot| Instruction::VLoad {
            vd,
            rm: at(slot),
            offset,
            mode,
        };
        let multiply = Instruction::Vector {
            op: Op::Mul,
            vd: product,
            vs: value,
            vt: factor,
            rm: MReg::from_field(0),
        };
        let store = Instruction::VStore {
            vs: product,
            rm: at(PRODUCTS),
            offset,
            mode,
        };
        let program = [load(value, EVALUATIONS), load(factor, B), multiply, store];
        graph.append(&program, |register, offset| (register.index(), offset));
    }
}
