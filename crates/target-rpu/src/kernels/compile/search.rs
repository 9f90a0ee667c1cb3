//! The best of many recipes.
//!
//! A schedule takes milliseconds, so a search tries settings at random, mostly near the best so far,
//! all from one seed: the same budget finds the same program everywhere.

use super::kernel::{Front, Kernel, Shape};
use super::knobs::Knobs;
use super::recipe::{fits_among_others, Formula, Recipe};
use super::CompileError;
use crate::config::{Config, VdmMap};
use ringwright_ir::interrupt;
use ringwright_nttx::{Direction, Form, Problem};
use std::collections::HashMap;

/// How long to look.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Budget {
    /// Recipes to try.
    pub tries: u32,
    /// Where the random ones start.
    pub seed: u64,
    /// Only what fits among other operations on towers: see [`Recipe::fits_among_others`].
    pub among_others: bool,
}

/// The best kernel that `budget` finds, and how it is made.
pub fn search(
    problem: Problem,
    config: &Config,
    budget: Budget,
) -> Result<(Recipe, Kernel), CompileError> {
    search_from(problem, config, budget, &[])
}

/// The same, beginning with recipes that are known.
pub fn search_from(
    problem: Problem,
    config: &Config,
    budget: Budget,
    start: &[Recipe],
) -> Result<(Recipe, Kernel), CompileError> {
    let mut search = Search::new(problem, config, budget)?;
    for &recipe in start {
        search.attempt(recipe, recipe.knobs.moves);
    }
    for step in 0..budget.tries.max(1) {
        interrupt::check().map_err(|_| CompileError::Interrupted)?;
        let recipe = search.next(step);
        search.attempt(recipe, SCREENING_MOVES);
    }
    let mut found = search.finish();
    if found.is_none() {
        search.attempt_sparingly();
        found = search.finish();
    }
    interrupt::check().map_err(|_| CompileError::Interrupted)?;
    found.ok_or(CompileError::Registers(Knobs::SPARING))
}

/// Recipes that are timed by the simulator in the end.
const KEPT: usize = 12;

/// Moves of a colouring that only tells whether a recipe is worth more.
const SCREENING_MOVES: u32 = 100;

/// Of these, of the same formula: so that a formula that is slow at first is not lost.
const KEPT_OF_EACH: usize = 3;

/// What a front depends on: formula, scaled stages, overlap, swaps.
type Key = (Formula, u8, Shape, Option<[u32; 2]>);

fn key(recipe: &Recipe) -> Key {
    (
        recipe.formula,
        recipe.scaled_stages,
        recipe.shape(),
        recipe.swaps,
    )
}

struct Search<'a> {
    problem: Problem,
    config: &'a Config,
    among_others: bool,
    formulas: Vec<(Formula, u8)>,
    fronts: HashMap<Key, Option<Front>>,
    random: Random,
    best: Vec<(u64, Recipe)>,
}

impl<'a> Search<'a> {
    fn new(problem: Problem, config: &'a Config, budget: Budget) -> Result<Self, CompileError> {
        let random = Random(budget.seed.wrapping_mul(0x9e37_79b9_7f4a_7c15) | 1);
        let mut search = Search {
            problem,
            config,
            among_others: budget.among_others,
            formulas: Vec::new(),
            fronts: HashMap::new(),
            random,
            best: Vec::new(),
        };
        let mut refusal = None;
        for (formula, scaled) in formulas(problem, config, budget.among_others) {
            let recipe = recipe(formula, scaled, 0, Knobs::default());
            let plan = recipe.plan(problem, config.vector_length.ilog2() as u8);
            if budget.among_others && !plan.as_ref().is_ok_and(fits_among_others) {
                continue;
            }
            match plan
                .map_err(CompileError::from)
                .and_then(|plan| Front::new(&plan, config, Shape::default()))
            {
                Ok(front) => {
                    search.fronts.insert(key(&recipe), Some(front));
                    search.formulas.push((formula, scaled));
                }
                Err(error) => refusal = Some(error),
            }
        }
        match search.formulas.is_empty() {
            true => Err(refusal.unwrap_or(CompileError::Registers(Knobs::default()))),
            false => Ok(search),
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
        // The better half the time.
        let count = self.best.len() as u64;
        let place = self.random.below(count).min(self.random.below(count));
        let (_, mut found) = self.best[place as usize];
        for _ in 0..1 + self.random.below(2) {
            match self.random.below(8) {
                0 => {
                    (found.formula, found.scaled_stages, found.swaps) = (formula.0, formula.1, None)
                }
                3 | 4 if self.moves_swaps(found.formula) => {
                    found.swaps = self.swaps(&found);
                }
                5 if config.vdm_map == VdmMap::Modulo => found.strides = self.random.pick(&STRIDES),
                1 | 2 => found.overlap = self.random.pick(&OVERLAPS),
                _ => found.knobs = self.random.near(found.knobs, config),
            }
        }
        found
    }

    /// Whether other swaps than the formula's own may do: those of two passes with strides leave the
    /// evaluations in order.
    fn moves_swaps(&self, formula: Formula) -> bool {
        match formula {
            _ if self.among_others => false,
            Formula::OnePass | Formula::Linear { .. } => true,
            Formula::TwoPass { .. } => {
                self.problem.form == Form::CooleyTukey
                    && self.problem.direction == Direction::Inverse
            }
            _ => false,
        }
    }

    /// A swap moved to another stage.
    fn swaps(&mut self, recipe: &Recipe) -> Option<[u32; 2]> {
        let mut swaps = recipe.swaps.or_else(|| self.own_swaps(recipe.formula))?;
        for _ in 0..1 + self.random.below(2) {
            let pass = self.random.below(2) as usize;
            let [from, to] =
                [(); 2].map(|()| 1u32 << self.random.below(u64::from(self.problem.log_n)));
            if swaps[pass] & from != 0 && swaps[pass] & to == 0 {
                swaps[pass] ^= from | to;
            }
        }
        Some(swaps)
    }

    fn own_swaps(&self, formula: Formula) -> Option<[u32; 2]> {
        let log_vector = self.config.vector_length.ilog2();
        let mask = |count: u32| (1u32 << count) - 1;
        let vectors = u32::from(self.problem.log_n) - log_vector;
        Some(match formula {
            Formula::OnePass => [mask(log_vector), 0],
            Formula::Linear { registers, early } => {
                let keep = vectors - u32::from(registers);
                [
                    mask(early.into()) << keep,
                    mask(log_vector - u32::from(early)),
                ]
            }
            Formula::TwoPass {
                first,
                registers: [r1, r2],
            } => {
                let keep = vectors - u32::from(r2);
                [
                    mask((first - r1).into()) << keep,
                    mask((self.problem.log_n - first - r2).into()),
                ]
            }
            _ => return None,
        })
    }

    /// Looks at a recipe, with no more than so many moves of its colouring.
    fn attempt(&mut self, recipe: Recipe, moves: u32) {
        let key = key(&recipe);
        let (problem, config) = (self.problem, self.config);
        let front = self.fronts.entry(key).or_insert_with(|| {
            let plan = recipe
                .plan(problem, config.vector_length.ilog2() as u8)
                .ok()?;
            Front::new(&plan, config, recipe.shape()).ok()
        });
        let Some(cycles) = front
            .as_ref()
            .and_then(|front| front.estimate(config, recipe.knobs))
        else {
            return;
        };
        let Some(cycles) = self.measured(&recipe, cycles, moves) else {
            return;
        };
        if self.best.iter().any(|(_, known)| *known == recipe) {
            return;
        }
        self.best.push((cycles, recipe));
        self.best.sort_by_key(|&(cycles, _)| cycles);
        let mut others = Vec::new();
        self.best.retain(|(_, recipe)| {
            others.push(recipe.formula);
            others
                .iter()
                .filter(|&&formula| formula == recipe.formula)
                .count()
                <= KEPT_OF_EACH
        });
        self.best.truncate(KEPT);
    }

    /// Looks at every formula anew where nothing else finds registers.
    fn attempt_sparingly(&mut self) {
        self.best.clear();
        for (formula, scaled) in self.formulas.clone() {
            let sparing = recipe(formula, scaled, SPARING_OVERLAP, Knobs::SPARING);
            self.attempt(sparing, sparing.knobs.moves);
        }
    }

    /// What the simulator counts. Single ports only add to what free ones take, so it is asked for
    /// what may be among the best; a colouring with few moves tells which are worth many.
    fn measured(&self, recipe: &Recipe, estimate: u64, moves: u32) -> Option<u64> {
        if !self.config.single_port() {
            return Some(estimate);
        }
        if self
            .best
            .first()
            .is_some_and(|&(least, _)| estimate >= least)
        {
            return None;
        }
        let front = self.fronts.get(&key(recipe))?;
        let knobs = Knobs {
            moves: recipe.knobs.moves.min(moves),
            ..recipe.knobs
        };
        let kernel = front.as_ref()?.finish(self.config, knobs).ok()?;
        Some(kernel.cycles)
    }

    /// The quickest of the best; none where more moves of a colouring find no registers.
    fn finish(&self) -> Option<(Recipe, Kernel)> {
        let kernel = |&(_, recipe): &(u64, Recipe)| {
            let kernel = recipe.compile(self.problem, self.config).ok()?;
            Some((recipe, kernel))
        };
        let compiled = self.best.iter().filter_map(kernel);
        compiled.min_by_key(|(_, kernel)| kernel.cycles)
    }
}

fn recipe(formula: Formula, scaled_stages: u8, overlap: u32, knobs: Knobs) -> Recipe {
    Recipe {
        formula,
        swaps: None,
        scaled_stages,
        overlap,
        strides: 0,
        knobs,
    }
}

/// Percent of the swaps next to memory that a stride makes.
const STRIDES: [u8; 9] = [0, 20, 30, 40, 50, 60, 70, 80, 100];

/// Percent by which blocks overlap where registers are few.
const SPARING_OVERLAP: u32 = 25;

const OVERLAPS: [u32; 12] = [0, 10, 20, 25, 30, 35, 40, 45, 50, 60, 70, 80];

/// Formulas that may suit, with the stages that carry 1/N.
fn formulas(problem: Problem, config: &Config, among_others: bool) -> Vec<(Formula, u8)> {
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
    if config.vdm_map == VdmMap::Modulo && !among_others {
        // Strides clash in the banks; without them words do not keep their order.
        found.retain(|(formula, _)| *formula == Formula::OnePass);
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
        let choices = if config.single_port() { 7 } else { 5 };
        match self.below(choices) {
            0 => knobs.ahead = self.pick(&[0, 0, 1, 1, 2]),
            1 => knobs.window = self.pick(&[60, 100, 140, 160, 180, 200, 220, 240, 280, 400, 600]),
            2 => knobs.reserve = self.pick(&[1, 2, 3, 4, 6, 8, 10, 12, 14, 16, 18]),
            3 => {
                knobs.noise = self.pick(&[0, 2, 4, 8, 12, 16, 32]);
                knobs.seed = self.below(1 << 16);
            }
            4 => knobs.urgency = self.pick(&[0, 0, 5, 10, 20, 40, 70, 100]),
            5 => knobs.moves = self.pick(&[100, 200, 300, 600]),
            _ => knobs.chain = self.pick(&[10, 16, 24]),
        }
        knobs
    }
}
