//! Scheduled programs with the interface of a plain tower kernel.
//!
//! A server's program starts one kernel for each operation on a tower and tells it by the first
//! words of scalar data memory where its slots lie ([`super::tower_kernel`]). What is compiled here
//! takes the same words, so a library may choose either; the plain program stays what a checker
//! compares with.
//!
//! Transforms come from their formulas ([`transform`]). Everything else is a plain program, read as
//! a [`graph`] of values and given to the list scheduler ([`tasks`], `compiled`).
//!
//! Two are studies that no lowering starts: [`convolve`] makes one graph of three programs,
//! [`basis_extension`] is one with many moduli, whose result a ring program's extension is not.

pub mod basis_extension;
mod compiled;
mod convolve;
pub mod graph;
mod slots;
pub mod tasks;
mod transform;

pub use basis_extension::BasisExtension;
pub use compiled::compile;
pub use convolve::convolve;
pub use transform::transform;

use super::compile::known::Recipes;
use super::operation::Operation;
use super::shape::Shape;
use super::tower_kernel::{Making, TowerKernel};
use crate::config::LoadStorePipes;
use crate::isa::Program;
use crate::Config;
use graph::{Graph, Role};
use ringwright_ir::interrupt;
use ringwright_target::TransformSchedule;

/// Scheduled programs of one operation, and what bounds them.
pub struct Scheduled {
    /// The programs; a simulator says which is quickest.
    pub kernels: Vec<TowerKernel>,
    /// Cycles that load/store, compute and shuffle pipe work at least.
    pub occupied: [u64; 3],
    /// Of a transform: who found its order.
    pub schedule: Option<TransformSchedule>,
}

/// The scheduled programs of what a plain kernel computes; none where loads and stores have pipes of
/// their own, since a store may then overtake a load, and none for who wants them no more. Transforms are
/// made as `recipes` say.
pub fn scheduled(config: &Config, recipes: &Recipes, plain: &TowerKernel) -> Option<Scheduled> {
    if config.load_store_pipes == LoadStorePipes::Separate {
        return None;
    }
    let (shape, operation) = (plain.shape, plain.operation);
    let made = match operation {
        Operation::Convolve => convolve(config, recipes, shape),
        _ => transform(config, recipes, shape, operation),
    };
    made.or_else(|| {
        interrupt::check().ok()?;
        Some(reordered(config, plain))
    })
}

/// A plain program's own instructions in another order, less the loads and stores that a register
/// makes needless.
fn reordered(config: &Config, plain: &TowerKernel) -> Scheduled {
    let (operands, slots) = (plain.operation.operands(), plain.slots());
    let role = |slot: usize| match slot {
        slot if slot < operands => Role::Operand,
        slot if slot == operands => Role::Result,
        _ => Role::Table,
    };
    let mut graph = Graph::new(plain.shape, (0..slots).map(role).collect());
    graph.append(&plain.program.instructions, |register, offset| {
        (register.index(), offset)
    });
    let (programs, occupied) = compile(&graph, config);
    let prologue = slots::prologue(plain.operation.scalar(), slots);
    let kernel = |program: Vec<_>| TowerKernel {
        program: Program::new(&plain.program.name, [prologue.clone(), program].concat()),
        making: Making::Scheduled,
        ..plain.clone()
    };
    Scheduled {
        kernels: programs.into_iter().map(kernel).collect(),
        occupied,
        schedule: None,
    }
}

#[cfg(test)]
mod tests;
