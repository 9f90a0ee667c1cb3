//! The best of many recipes.
//!
//! A schedule takes milliseconds, so a search tries settings at random, mostly near the best so far,
//! all from one seed: the same budget finds the same program everywhere.

use super::kernel::{Front, Kernel};
use super::recipe::{Formula, Recipe};
use super::schedule::Knobs;
use super::CompileError;
use crate::config::{Config, VdmMap};
use ringwright_nttx::{Direction, Form, Problem};
use std::collections::HashMap;

/// How long to look.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Budget {
    /// Recipes to try.
    pub tries: u32,
    /// Where the random ones start.
    pub seed: u64,
}

/// The best kernel that `budget` finds, and how it is made.
pub fn search(
    problem: Problem,
    config: &Config,
    budget: Budget,
) -> Result<(Recipe, Kernel), CompileError> {
    search_from(problem, config, budget, None)
}

/// The same, beginning with a recipe that is known.
pub fn search_from(
    problem: Problem,
    config: &Config,
    budget: Budget,
    start: Option<Recipe>,
) -> Result<(Recipe, Kernel), CompileError> {
    let mut search = Search::new(problem, config, budget)?;
    if let Some(recipe) = start {
        search.attempt(recipe);
    }
    for step in 0..budget.tries.max(1) {
        let recipe = search.next(step);
        search.attempt(recipe);
    }
    search.finish()
}

/// Recipes that are timed by the simulator in the end.
const KEPT: usize = 6;

struct Search<'a> {
    problem: Problem,
    config: &'a Config,
    formulas: Vec<(Formula, u8)>,
    fronts: HashMap<(Formula, u8, u32), Option<Front>>,
    random: Random,
    best: Vec<(u64, Recipe)>,
}

impl<'a> Search<'a> {
    fn new(problem: Problem, config: &'a Config, budget: Budget) -> Result<Self, CompileError> {
        let random = Random(budget.seed.wrapping_mul(0x9e37_79b9_7f4a_7c15) | 1);
        let mut search = Search {
            problem,
            config,
            formulas: Vec::new(),
            fronts: HashMap::new(),
            random,
            best: Vec::new(),
        };
        let mut refusal = None;
        for (formula, scaled) in formulas(problem, config) {
            let recipe = recipe(formula, scaled, 0, Knobs::default());
            let plan = recipe.plan(problem, config.vector_length.ilog2() as u8);
            match plan
                .map_err(CompileError::from)
                .and_then(|plan| Front::new(&plan, config, 0))
            {
                Ok(front) => {
                    search.fronts.insert((formula, scaled, 0), Some(front));
                    search.formulas.push((formula, scaled));
                }
                Err(error) => refusal = Some(error),
            }
        }
        match (search.formulas.is_empty(), refusal) {
            (true, Some(refusal)) => Err(refusal),
            _ => Ok(search),
        }
    }

    fn next(&mut self, step: u32) -> Recipe {
        let config = self.config;
        // The first round looks at every formula.
        let fresh = self.best.is_empty() || self.random.below(8) == 0;
        let formula = match step as usize {
            step if step < 4 * self.formulas.len() => self.formulas[step % self.formulas.len()],
            _ => self.random.pick(&self.formulas),
        };
        if fresh || (step as usize) < 4 * self.formulas.len() {
            let knobs = (0..8).fold(Knobs::default(), |knobs, _| self.random.near(knobs, config));
            return recipe(formula.0, formula.1, self.random.pick(&OVERLAPS), knobs);
        }
        let (_, mut found) = self.random.pick(&self.best);
        for _ in 0..1 + self.random.below(2) {
            match self.random.below(8) {
                0 => (found.formula, found.scaled_stages) = formula,
                1 | 2 => found.overlap = self.random.pick(&OVERLAPS),
                _ => found.knobs = self.random.near(found.knobs, config),
            }
        }
        found
    }

    fn attempt(&mut self, recipe: Recipe) {
        let key = (recipe.formula, recipe.scaled_stages, recipe.overlap);
        let (problem, config) = (self.problem, self.config);
        let front = self.fronts.entry(key).or_insert_with(|| {
            let plan = recipe
                .plan(problem, config.vector_length.ilog2() as u8)
                .ok()?;
            Front::new(&plan, config, recipe.overlap).ok()
        });
        let Some(cycles) = front
            .as_ref()
            .and_then(|front| front.estimate(config, recipe.knobs))
        else {
            return;
        };
        let Some(cycles) = self.measured(&recipe, cycles) else {
            return;
        };
        if self.best.iter().any(|(_, known)| *known == recipe) {
            return;
        }
        self.best.push((cycles, recipe));
        self.best.sort_by_key(|&(cycles, _)| cycles);
        self.best.truncate(KEPT);
    }

    /// What the simulator counts, asked only for what may be among the best: with single ports an
    /// instruction that issues earlier than planned may take a port from another.
    fn measured(&self, recipe: &Recipe, estimate: u64) -> Option<u64> {
        let promising = self
            .best
            .first()
            .is_none_or(|&(least, _)| 32 * estimate < 33 * least);
        if !promising || !self.config.single_port() {
            return Some(estimate);
        }
        let front = self
            .fronts
            .get(&(recipe.formula, recipe.scaled_stages, recipe.overlap))?;
        let kernel = front.as_ref()?.finish(self.config, recipe.knobs).ok()?;
        Some(kernel.cycles)
    }

    fn finish(self) -> Result<(Recipe, Kernel), CompileError> {
        let kernel = |&(_, recipe): &(u64, Recipe)| {
            let kernel = recipe.compile(self.problem, self.config).ok()?;
            Some((recipe, kernel))
        };
        let found = self
            .best
            .iter()
            .filter_map(kernel)
            .min_by_key(|(_, kernel)| kernel.cycles);
        found.ok_or(CompileError::Registers(Knobs::default()))
    }
}

fn recipe(formula: Formula, scaled_stages: u8, overlap: u32, knobs: Knobs) -> Recipe {
    Recipe {
        formula,
        scaled_stages,
        overlap,
        knobs,
    }
}

const OVERLAPS: [u32; 12] = [0, 10, 20, 25, 30, 35, 40, 45, 50, 60, 70, 80];

/// Formulas that may suit, with the stages that carry 1/N.
fn formulas(problem: Problem, config: &Config) -> Vec<(Formula, u8)> {
    let vectors = problem
        .log_n
        .saturating_sub(config.vector_length.ilog2() as u8);
    let most = vectors.min(5);
    let mut found = vec![];
    if vectors <= 5 {
        found.push((Formula::OnePass, vectors.min(3)));
    }
    for first in 2..problem.log_n {
        for second in (most.saturating_sub(2)..=most).filter(|&r| r > 0) {
            let registers = [most, second];
            found.push((Formula::TwoPass { first, registers }, second));
        }
    }
    found.push((Formula::Strided { registers: most }, 0));
    if config.vdm_map == VdmMap::Modulo {
        found.clear();
        found.extend((0..most).map(|early| {
            (
                Formula::Linear {
                    registers: most,
                    early,
                },
                most,
            )
        }));
    }
    if (problem.direction, problem.form) != (Direction::Inverse, Form::GentlemanSande) {
        found.iter_mut().for_each(|(_, scaled)| *scaled = 0);
    }
    found
}

struct Random(u64);

impl Random {
    fn below(&mut self, limit: u64) -> u64 {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        (self.0 >> 32) % limit
    }

    fn pick<T: Copy>(&mut self, choices: &[T]) -> T {
        choices[self.below(choices.len() as u64) as usize]
    }

    /// One setting changed.
    fn near(&mut self, mut knobs: Knobs, config: &Config) -> Knobs {
        let choices = if config.single_port() { 8 } else { 4 };
        match self.below(choices) {
            0 => knobs.ahead = self.pick(&[0, 0, 1, 1, 2]),
            1 => knobs.window = self.pick(&[60, 100, 140, 160, 180, 200, 220, 240, 280, 400, 600]),
            2 => knobs.reserve = self.pick(&[1, 2, 3, 4, 6, 8, 10]),
            3 => {
                knobs.noise = self.pick(&[0, 2, 4, 8, 12, 16, 32]);
                knobs.seed = self.below(1 << 16);
            }
            4 => knobs.constant_memories = self.pick(&[1, 2, 2, 3, 3, 4]),
            5 => knobs.guests = self.pick(&[1, 2, 2, 3, 4, 8]),
            6 => knobs.wait = self.pick(&[0, 0, 1, 2, 9]),
            _ => knobs.hot = self.pick(&[1, 2, 3, 4, 6, 8, 12]),
        }
        knobs
    }
}
