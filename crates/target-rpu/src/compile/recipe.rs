//! What a search found: everything that makes a program out of a problem and a machine.
//!
//! `recipes.toml` holds those of the headline kernels; compiling one takes milliseconds and gives the
//! same program everywhere.

use super::kernel::{Front, Kernel};
use super::schedule::Knobs;
use super::CompileError;
use crate::config::Config;
use ringwright_nttx::{breakdown, Direction, Form, Plan, PlanError, Problem};
use ringwright_spec::Machine;
use ringwright_target::TargetError;
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

    /// Compiles a problem.
    pub fn compile(&self, problem: Problem, config: &Config) -> Result<Kernel, CompileError> {
        let plan = self.plan(problem, config.vector_length.ilog2() as u8)?;
        Front::new(&plan, config, self.overlap)?.finish(config, self.knobs)
    }
}

/// A recipe with what it is for.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Entry {
    /// Name of the machine description.
    pub machine: String,
    /// What is computed.
    pub transform: Transform,
    /// log2 of N.
    pub log_n: u8,
    /// Cycles of the program.
    pub cycles: u64,
    /// How it is made.
    #[serde(flatten)]
    pub recipe: Recipe,
}

impl Entry {
    /// The machine: a shipped one, or the published one with free register ports and as many HPLEs
    /// and banks as `rpu-64x64-freeports` says.
    pub fn config(machine: &str) -> Result<Config, TargetError> {
        let grid = machine
            .strip_prefix("rpu-")
            .and_then(|rest| rest.strip_suffix("-freeports"));
        let sizes = grid.and_then(|sizes| sizes.split_once('x'));
        let number = |text: &str| text.parse().ok();
        let base = match sizes {
            Some(_) => Machine::load("rpu-128x128-freeports")?,
            None => Machine::load(machine)?,
        };
        let mut config = Config::new(&base)?;
        if let Some((hples, banks)) = sizes.and_then(|(h, b)| Some((number(h)?, number(b)?))) {
            (config.hples, config.banks) = (hples, banks);
            config.machine = machine.to_owned();
        }
        Ok(config)
    }
}

#[derive(Deserialize)]
struct File {
    kernel: Vec<Entry>,
}

/// The recipes of the headline kernels.
pub fn shipped() -> Result<Vec<Entry>, toml::de::Error> {
    toml::from_str::<File>(include_str!("recipes.toml")).map(|file| file.kernel)
}
