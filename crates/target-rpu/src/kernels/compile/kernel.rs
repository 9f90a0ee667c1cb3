//! A compiled transform: its program, where its words lie, how it is run.

use super::graph::task_graph;
use super::knobs::Knobs;
use super::memory_map::{scalars, MemoryMap};
use super::placed::FILLER;
use super::schedule;
use super::task_graph::TaskGraph;
use super::{emit, CompileError};
use crate::config::Config;
use crate::isa::{reciprocal, Program};
use crate::schedule::Schedule;
use crate::units::scalar::is_modulus;
use crate::{run, time, Memories};
use ringwright_ir::interrupt;
use ringwright_nttx::{Dataflow, Layout, Plan, Roots};

/// A plan with the program that carries it out on one machine, for any modulus.
#[derive(Clone, Debug)]
pub struct Kernel {
    /// The plan.
    pub plan: Plan,
    /// Its graph, with the constants.
    pub dataflow: Dataflow,
    /// Addresses.
    pub map: MemoryMap,
    /// The program.
    pub program: Program,
    /// Cycles of the program, counted by the simulator.
    pub cycles: u64,
    /// Cycles that load/store, compute and shuffle pipe are occupied: none can take fewer.
    pub occupied: [u64; 3],
}

impl Kernel {
    /// Compiles with the first setting of the scheduler that finds registers, without a search.
    pub fn compile(plan: &Plan, config: &Config) -> Result<Self, CompileError> {
        let front = Front::new(plan, config, Shape::default())?;
        let windows = [160, 60, 400];
        let settings = windows.map(|window| Knobs {
            window,
            reserve: 2,
            ..Knobs::default()
        });
        let mut kernel = Err(CompileError::Registers(Knobs::default()));
        for knobs in settings {
            kernel = front.finish(config, knobs);
            if kernel.is_ok() {
                break;
            }
        }
        kernel
    }

    /// Memories with a transform's operand, in index order, and the constants of the prime `q`.
    pub fn memories(
        &self,
        config: &Config,
        q: u128,
        words: &[u128],
    ) -> Result<Memories, CompileError> {
        let word_bits = config.word_bits;
        if !is_modulus(q, word_bits) {
            return Err(CompileError::Modulus { q, word_bits });
        }
        let wanted = 1usize << self.plan.problem.bits();
        if words.len() != wanted {
            return Err(CompileError::Words {
                given: words.len(),
                wanted,
            });
        }
        let roots = Roots::new(self.plan.problem.log_n, q)?;
        let mut memories = Memories::new(config);
        let constants = self.map.constants(&self.dataflow, &roots);
        memories.vdm[2 * wanted..2 * wanted + constants.len()].copy_from_slice(&constants);
        for (index, &word) in words.iter().enumerate() {
            memories.vdm[self.plan.layouts[0].address(index)] = word;
        }
        memories.sdm[scalars::MODULUS as usize] = q;
        memories.sdm[scalars::MODULUS as usize + 1] = reciprocal(q, word_bits).unwrap_or_default();
        memories.sdm[scalars::N_INVERSE as usize] = roots.n_inverse();
        Ok(memories)
    }

    /// The result, in index order, in memories after a run.
    pub fn result(&self, memories: &Memories) -> Vec<u128> {
        let passes = self.plan.passes.len();
        let base = self.map.buffers[passes % 2] as usize;
        let layout: &Layout = &self.plan.layouts[passes];
        let words = 0..1usize << self.plan.problem.bits();
        words
            .map(|index| memories.vdm[base + layout.address(index)])
            .collect()
    }

    /// Runs on words in index order.
    pub fn run(
        &self,
        config: &Config,
        q: u128,
        words: &[u128],
    ) -> Result<(Vec<u128>, Schedule), CompileError> {
        let mut memories = self.memories(config, q, words)?;
        let schedule = run(&self.program, config, &mut memories)?;
        Ok((self.result(&memories), schedule))
    }
}

/// How a plan becomes a graph of instructions.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub(super) struct Shape {
    /// By how many percent blocks overlap; see [`super::graph`].
    pub(super) overlap: u32,
    /// See [`Dataflow::with_strides`].
    pub(super) strides: u8,
}

/// All that does not depend on the scheduler's setting.
pub(super) struct Front {
    plan: Plan,
    dataflow: Dataflow,
    map: MemoryMap,
    tasks: TaskGraph,
}

impl Front {
    pub(super) fn new(plan: &Plan, config: &Config, shape: Shape) -> Result<Self, CompileError> {
        // Recipes are tried one after the other: of an interrupt each asks anew.
        interrupt::check().map_err(|_| CompileError::Interrupted)?;
        let length = 1 << plan.log_vector;
        if length != config.vector_length {
            let machine = config.vector_length;
            return Err(CompileError::VectorLength {
                plan: length,
                machine,
            });
        }
        let dataflow = Dataflow::new(plan)?.with_strides(shape.strides);
        let map = MemoryMap::new(&dataflow, config)?;
        let tasks = task_graph(&dataflow, &map, config, shape.overlap);
        Ok(Front {
            plan: plan.clone(),
            dataflow,
            map,
            tasks,
        })
    }

    /// Cycles of a setting with free ports, as the scheduler counts them.
    pub(super) fn estimate(&self, config: &Config, knobs: Knobs) -> Option<u64> {
        schedule::with_free_ports(&self.tasks, config, knobs).map(|schedule| schedule.cycles)
    }

    /// The kernel of a setting, timed by the simulator.
    pub(super) fn finish(&self, config: &Config, knobs: Knobs) -> Result<Kernel, CompileError> {
        let schedule = schedule::schedule(&self.tasks, config, knobs);
        // What an interrupt cut short says nothing of this setting.
        interrupt::check().map_err(|_| CompileError::Interrupted)?;
        let schedule = schedule.ok_or(CompileError::Registers(knobs))?;
        let name = format!(
            "{:?}-2^{}",
            self.plan.problem.direction, self.plan.problem.log_n
        );
        let program = emit::program(&name.to_lowercase(), &self.tasks, &schedule.order);
        let timing = time(&program, config, &vec![0; config.sdm_words])?;
        Ok(Kernel {
            plan: self.plan.clone(),
            dataflow: self.dataflow.clone(),
            map: self.map.clone(),
            program,
            cycles: timing.cycles,
            occupied: self.occupied(&schedule, config),
        })
    }

    fn occupied(&self, schedule: &schedule::Schedule, config: &Config) -> [u64; 3] {
        let mut sum = [0; 3];
        for task in schedule
            .order
            .iter()
            .map(|placed| placed.task)
            .filter(|&t| t != FILLER)
        {
            let class = self.tasks.tasks[task as usize].class();
            sum[class as usize] += self.tasks.length(task, config);
        }
        sum
    }
}
