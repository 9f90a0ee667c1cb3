//! What a unit does in a step, and for how long.

use super::measured::Measured;
use crate::config::Config;
use crate::core::{Group, Pointwise};
use crate::lowered::{Drawn, Instruction, Lowered};
use crate::shape::{Layout, Shape};
use crate::twiddles::Direction;
use crate::units::bank_group::PortError;
use crate::units::{BFU, DMA, SAMPLER};
use ringwright_target::{HostOperation, HostOperations, Task, Work, HOST};

/// What is done in a step.
pub struct Does {
    /// What a ledger calls it.
    pub name: &'static str,
    /// What it is for.
    pub task: Task,
    /// How long it takes.
    pub work: Work,
    /// Who does it.
    pub units: &'static [&'static str],
}

impl Does {
    /// A function of the host.
    pub fn host(name: &'static str, operations: HostOperations) -> Self {
        Does {
            name,
            task: Task::of_host(&operations),
            work: Work::HostFunction { operations },
            units: &[HOST],
        }
    }

    /// Accesses of the host to the device.
    pub fn control(name: &'static str, operation: HostOperation, count: u64) -> Self {
        Self::host(name, [(operation, count)].into())
    }
}

/// An instruction as a step.
pub struct Described {
    /// What is done.
    pub does: Does,
    /// The bank groups in use meanwhile.
    pub groups: &'static [Group],
}

/// Describes the instructions of one program.
pub struct Instructions<'a> {
    config: &'a Config,
    /// Degree and units.
    pub shape: Shape,
    /// Of a program that has instructions.
    pub measured: Option<Measured>,
}

impl<'a> Instructions<'a> {
    /// Measures what the butterfly units take.
    pub fn new(config: &'a Config, program: &Lowered) -> Result<Self, PortError> {
        let measure = |constants| Measured::new(config, program.shape, constants);
        Ok(Instructions {
            config,
            shape: program.shape,
            measured: program.constants.first().map(measure).transpose()?,
        })
    }

    /// The step of an instruction.
    pub fn describe(&self, instruction: &Instruction) -> Described {
        match instruction {
            Instruction::Load(_, group, layout) => self.moves("load", *group, *layout),
            Instruction::Store(_, group, layout) => self.moves("store", *group, *layout),
            Instruction::Sample(drawn, group, _) => Described {
                does: Does {
                    name: "sample",
                    task: Task::Sample,
                    work: Work::Kernel {
                        cycles: self.sampling(drawn, 0),
                    },
                    units: &[SAMPLER],
                },
                groups: one(*group),
            },
            Instruction::LoadSum(_, drawn, group, _) => Described {
                does: Does {
                    name: "load and add samples",
                    task: Task::Sample,
                    work: self.transfer(self.sampling(drawn, self.config.dma().latency)),
                    units: &[DMA, SAMPLER],
                },
                groups: one(*group),
            },
            Instruction::Transform(group, direction) => {
                let name = match direction {
                    Direction::Forward => "ntt",
                    Direction::Inverse => "intt",
                };
                let cycles = |measured: &Measured| measured.transform(*direction).cycles;
                self.computes(name, cycles, one(*group))
            }
            Instruction::Pointwise(operation) => {
                let name = match operation {
                    Pointwise::Mul => "mul",
                    Pointwise::Add => "add",
                    Pointwise::SubFrom0 | Pointwise::SubFrom1 => "sub",
                };
                let cycles = |measured: &Measured| measured.pointwise;
                self.computes(name, cycles, &[Group::Bg0, Group::Bg1])
            }
        }
    }

    fn moves(&self, name: &'static str, group: Group, layout: Layout) -> Described {
        Described {
            does: Does {
                name,
                task: Task::Move,
                work: self.transfer(self.config.dma().cycles(self.shape, layout)),
                units: &[DMA],
            },
            groups: one(group),
        }
    }

    /// A tower through the port.
    fn transfer(&self, cycles: u64) -> Work {
        let bytes = self.shape.n() as u64 * self.config.bytes_per_word();
        Work::Transfer { cycles, bytes }
    }

    fn sampling(&self, drawn: &Drawn, first_word: u64) -> u64 {
        let (sampler, n) = (self.config.sampler(), self.shape.n());
        sampler.map_or(0, |unit| {
            unit.cycles(n, drawn.draw, &drawn.stream, first_word)
        })
    }

    fn computes(
        &self,
        name: &'static str,
        cycles: impl Fn(&Measured) -> u64,
        groups: &'static [Group],
    ) -> Described {
        Described {
            does: Does {
                name,
                task: Task::Compute,
                work: Work::Kernel {
                    cycles: self.measured.as_ref().map_or(0, cycles),
                },
                units: &[BFU],
            },
            groups,
        }
    }
}

fn one(group: Group) -> &'static [Group] {
    match group {
        Group::Bg0 => &[Group::Bg0],
        Group::Bg1 => &[Group::Bg1],
    }
}
