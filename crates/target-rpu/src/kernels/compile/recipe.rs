//! What a search found: everything that makes a program out of a problem and a machine.
//!
//! Compiling one gives the same program everywhere, in milliseconds with free register ports and in up
//! to seconds with single ones. [`super::known`] has those that are known.

use super::kernel::{Front, Kernel, Shape};
use super::knobs::Knobs;
use super::CompileError;
use crate::config::Config;
use ringwright_nttx::{breakdown, Direction, Form, Layout, Plan, PlanError, Problem};
use serde::{Deserialize, Serialize};

/// A formula with its sizes; see [`ringwright_nttx::breakdown`].
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case", tag = "formula")]
#[allow(missing_docs)] // the fields are the arguments of the formula's function
pub enum Formula {
    OnePass,
    TwoPass { first: u8, registers: [u8; 2] },
    Strided { registers: u8 },
    Linear { registers: u8, early: u8 },
    KornLambiotte { registers: u8 },
}

fn is_zero(number: &u8) -> bool {
    *number == 0
}

/// What is computed, in words that a file can hold.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Transform {
    /// Coefficients to evaluations.
    Forward,
    /// Evaluations to coefficients with Gentleman-Sande butterflies.
    Inverse,
    /// The same with Cooley-Tukey butterflies alone.
    InverseCooleyTukey,
}

impl Transform {
    /// In words.
    pub fn name(self) -> &'static str {
        match self {
            Transform::Forward => "forward transform",
            Transform::Inverse => "inverse transform",
            Transform::InverseCooleyTukey => "inverse transform of Cooley-Tukey butterflies",
        }
    }

    /// The problem of this transform.
    pub fn problem(self, log_n: u8) -> Problem {
        match self {
            Transform::Forward => Problem::forward(log_n),
            Transform::Inverse => Problem::inverse(log_n),
            Transform::InverseCooleyTukey => Problem {
                form: Form::CooleyTukey,
                ..Problem::inverse(log_n)
            },
        }
    }
}

/// Whether a plan has words in their order before and after, and at most one buffer in between.
pub fn fits_among_others(plan: &Plan) -> bool {
    let mut ends = [plan.layouts.first(), plan.layouts.last()]
        .into_iter()
        .flatten();
    (1..=2).contains(&plan.passes.len()) && ends.all(Layout::is_natural)
}

/// A formula and a setting of the scheduler.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Recipe {
    /// The formula.
    #[serde(flatten)]
    pub formula: Formula,
    /// Stages that a swap follows, a mask for each pass; without it those of the formula.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub swaps: Option<[u32; 2]>,
    /// Inverse with Gentleman-Sande butterflies: see [`Plan::scaled_stages`].
    #[serde(default)]
    pub scaled_stages: u8,
    /// By how many percent blocks overlap; see [`super::graph`].
    pub overlap: u32,
    /// How many percent of the swaps next to memory a stride makes: see [`Dataflow::with_strides`].
    ///
    /// [`Dataflow::with_strides`]: ringwright_nttx::Dataflow::with_strides
    #[serde(default, skip_serializing_if = "is_zero")]
    pub strides: u8,
    /// The scheduler's setting.
    #[serde(flatten)]
    pub knobs: Knobs,
}

impl Recipe {
    /// The plan for a problem in vectors of 2^`log_vector` words.
    pub fn plan(&self, problem: Problem, log_vector: u8) -> Result<Plan, PlanError> {
        let forward = Problem {
            direction: Direction::Forward,
            form: Form::CooleyTukey,
            ..problem
        };
        let plan = match (self.formula, self.swaps) {
            (Formula::OnePass, None) => breakdown::one_pass(forward, log_vector),
            (Formula::OnePass, Some([swaps, _])) => {
                breakdown::one_pass_at(forward, log_vector, swaps)
            }
            (Formula::TwoPass { first, registers }, None) => {
                breakdown::two_pass(forward, log_vector, first, registers)
            }
            (Formula::TwoPass { first, registers }, Some(swaps)) => {
                breakdown::two_pass_at(forward, log_vector, first, registers, swaps)
            }
            (Formula::Linear { registers, early }, None) => {
                breakdown::linear(forward, log_vector, registers, early)
            }
            (Formula::Linear { registers, .. }, Some(swaps)) => {
                breakdown::linear_at(forward, log_vector, registers, swaps)
            }
            (Formula::Strided { registers }, _) => {
                breakdown::strided(forward, log_vector, registers)
            }
            (Formula::KornLambiotte { registers }, _) => {
                breakdown::korn_lambiotte(forward, log_vector, registers)
            }
        }?;
        Ok(match problem.direction {
            Direction::Forward => plan,
            Direction::Inverse => plan.inverse(problem.form, self.scaled_stages),
        })
    }

    /// Whether its plan for a problem is one that [`fits_among_others`].
    pub fn fits_among_others(&self, problem: Problem, config: &Config) -> bool {
        let plan = self.plan(problem, config.vector_length.ilog2() as u8);
        plan.is_ok_and(|plan| fits_among_others(&plan))
    }

    /// How the plan becomes a graph of instructions.
    pub(super) fn shape(&self) -> Shape {
        Shape {
            overlap: self.overlap,
            strides: self.strides,
        }
    }

    /// Compiles a problem.
    pub fn compile(&self, problem: Problem, config: &Config) -> Result<Kernel, CompileError> {
        let plan = self.plan(problem, config.vector_length.ilog2() as u8)?;
        Front::new(&plan, config, self.shape())?.finish(config, self.knobs)
    }
}
