//! From a graph to a program: the list scheduler at several settings, the simulator as judge.

use super::graph::{Graph, Place};
use super::tasks::Tasks;
use crate::isa::{AReg, Instruction, SReg, VReg, REGISTERS};
use crate::kernels::compile::placed::{Placed, FILLER};
use crate::kernels::compile::schedule::schedule;
use crate::kernels::compile::Knobs;
use crate::kernels::tower_kernel::{address, MODULUS_WORD};
use crate::Config;
use ringwright_ir::interrupt;

/// Settings of the scheduler: how far loads run ahead, what a pipe is fed beyond what runs, and the
/// registers that loads leave to the colouring.
const SETTINGS: [(u32, u8, u8); 6] = [
    (160, 0, 2),
    (60, 0, 2),
    (400, 1, 2),
    (60, 1, 2),
    (160, 1, 16),
    (60, 0, 32),
];

/// Programs worth timing; with single ports the scheduler's clock is not quite the simulator's.
const KEPT: usize = 3;

/// The quickest programs that the settings give, and the cycles that each pipe works at least. Where
/// one comes near that bound, the other settings are not tried.
pub fn compile(graph: &Graph, config: &Config) -> (Vec<Vec<Instruction>>, [u64; 3]) {
    let tasks = Tasks::new(graph, config);
    let occupied = tasks.occupied(config);
    let bound = occupied.into_iter().max().unwrap_or(0);
    // Filling and draining the pipes.
    let near = bound + bound / 128 + config.compute_latency + config.load_store_latency;
    let mut found: Vec<(u64, Vec<Instruction>)> = Vec::new();
    for &(window, ahead, reserve) in &SETTINGS {
        // Nothing is kept of what an interrupt cuts short.
        if interrupt::check().is_err() {
            break;
        }
        let knobs = Knobs {
            window,
            ahead,
            reserve,
            ..Knobs::default()
        };
        if let Some(schedule) = schedule(&tasks.graph, config, knobs) {
            found.push((schedule.cycles, emit(&tasks, &schedule.order)));
            if schedule.cycles <= near {
                break;
            }
        }
    }
    found.sort_by_key(|&(cycles, _)| cycles);
    found.truncate(KEPT);
    (
        found.into_iter().map(|(_, program)| program).collect(),
        occupied,
    )
}

fn emit(tasks: &Tasks, order: &[Placed]) -> Vec<Instruction> {
    let mut fillers = 0;
    let instruction = order.iter().map(|placed| match placed.task {
        FILLER => {
            // Another register each time: one that is being loaded would hold up the next.
            fillers += 1;
            let rt = SReg::from_field(REGISTERS as u64 - 1 - fillers % 8);
            Instruction::SLoad {
                rt,
                address: MODULUS_WORD,
            }
        }
        task => {
            let (instruction, place) = tasks.instructions[task as usize];
            with_registers(instruction, place, placed)
        }
    });
    instruction.collect()
}

fn with_registers(instruction: Instruction, at: Option<Place>, placed: &Placed) -> Instruction {
    let source = |i: usize| VReg::from_field(placed.sources[i].into());
    let result = |i: usize| VReg::from_field(placed.results[i].into());
    let base = |rm: AReg| at.map_or(rm, |place| address(place.slot));
    let (offset, mode) = at.map_or((0, crate::isa::Mode::Linear), |p| (p.offset, p.mode));
    match instruction {
        Instruction::VLoad { rm, .. } => Instruction::VLoad {
            vd: result(0),
            rm: base(rm),
            offset,
            mode,
        },
        Instruction::VStore { rm, .. } => Instruction::VStore {
            vs: source(0),
            rm: base(rm),
            offset,
            mode,
        },
        Instruction::Vector { op, rm, .. } => Instruction::Vector {
            op,
            vd: result(0),
            vs: source(0),
            vt: source(1),
            rm,
        },
        Instruction::VectorScalar { op, rt, rm, .. } => Instruction::VectorScalar {
            op,
            vd: result(0),
            vs: source(0),
            rt,
            rm,
        },
        Instruction::Butterfly { form, rm, .. } => Instruction::Butterfly {
            form,
            vd: result(0),
            vd1: result(1),
            vs: source(0),
            vt: source(1),
            vt1: source(2),
            rm,
        },
        Instruction::Broadcast { rt, .. } => Instruction::Broadcast { vd: result(0), rt },
        Instruction::Shuffle { op, .. } => Instruction::Shuffle {
            op,
            vd: result(0),
            vs: source(0),
            vt: source(1),
        },
        scalar => scalar,
    }
}
