//! A search that a user asks for, and what is kept of it.
//!
//! Four transforms of a degree are searched for: there and back, each in the order of words that
//! suits it best, and each with the words in their order, which is what stands among other operations
//! on towers ([`super::fits_among_others`]). What is known is the start, of other machines where nothing
//! is known of this one; what is not quicker is not kept.

use super::known::{lent, Cached, Entry, Recipes, Tuned};
use super::recipe::{Recipe, Transform};
use super::search::{search_from, Budget};
use super::{check_degree, CompileError, ScheduleParameters};
use crate::config::Config;
use ringwright_ir::RunError;
use ringwright_spec::{Identity, Machine, Schedules};
use ringwright_target::{
    FoundSchedule, FoundSchedules, ScheduleSearch, Sought, TargetError, TransformError,
};

/// The search of this target.
pub const SEARCH: ScheduleSearch = ScheduleSearch {
    identity,
    read,
    search,
};

/// Where the random recipes start.
const SEED: u64 = 1;

fn identity(machine: &Machine) -> Result<Identity, TargetError> {
    Ok(ScheduleParameters::new(&Config::new(machine)?).identity())
}

fn read(schedules: &Schedules) -> Result<Identity, TargetError> {
    Ok(Cached::read(schedules)?.tuned.parameters.identity())
}

fn search(
    machine: &Machine,
    log_n: u32,
    tries: u32,
    sought: &[Sought],
) -> Result<FoundSchedules, TransformError> {
    let config = Config::new(machine)?;
    check_degree(&config, log_n)?;
    let parameters = ScheduleParameters::new(&config);
    let recipes = Recipes::of(machine)?;
    let mut cached = recipes.cached().iter().map(|cached| &cached.tuned);
    let own = cached.find(|tuned| tuned.parameters == parameters);
    let mut kept = own.cloned().unwrap_or(Tuned {
        parameters,
        kernel: Vec::new(),
    });
    let mut found = Vec::new();
    for &Sought { inverse, in_order } in sought {
        let asked = Asked {
            transform: match inverse {
                false => Transform::Forward,
                true => Transform::Inverse,
            },
            log_n: log_n as u8,
            among_others: in_order,
        };
        match asked.search(&config, &recipes, tries, &mut kept) {
            Ok(one) => found.push(one),
            // Words may have to change their order, or plain programs do.
            Err(CompileError::Registers(_)) if in_order => {}
            Err(error) => return Err(error.refusal(&config).into()),
        }
    }
    let text = toml::to_string(&kept).map_err(|error| RunError::Invalid(error.to_string()))?;
    Ok(FoundSchedules { text, found })
}

#[derive(Clone, Copy)]
struct Asked {
    transform: Transform,
    log_n: u8,
    among_others: bool,
}

impl Asked {
    /// Whether an entry is for this.
    fn is_for(self, entry: &Entry, config: &Config) -> bool {
        (entry.transform, entry.log_n) == (self.transform, self.log_n)
            && self.fits(&entry.recipe, config)
    }

    fn fits(self, recipe: &Recipe, config: &Config) -> bool {
        let problem = self.transform.problem(self.log_n);
        !self.among_others || recipe.fits_among_others(problem, config)
    }

    fn search(
        self,
        config: &Config,
        recipes: &Recipes,
        tries: u32,
        kept: &mut Tuned,
    ) -> Result<FoundSchedule, CompileError> {
        let known = recipes.entries(config, self.transform, self.log_n);
        let known = known
            .into_iter()
            .find(|(entry, _)| self.is_for(entry, config));
        let before = known.as_ref().map(|(entry, _)| entry.cycles);
        let start = match known {
            Some((entry, _)) => vec![entry.recipe],
            None => lent(config, self.transform, self.log_n)
                .into_iter()
                .filter(|recipe| self.fits(recipe, config))
                .collect(),
        };
        let budget = Budget {
            tries,
            seed: SEED,
            among_others: self.among_others,
        };
        let problem = self.transform.problem(self.log_n);
        let (recipe, kernel) = search_from(problem, config, budget, &start)?;
        if before.is_none_or(|before| kernel.cycles < before) {
            let entry = Entry {
                transform: self.transform,
                log_n: self.log_n,
                cycles: kernel.cycles,
                found_by: None,
                recipe,
            };
            keep(kept, entry, self, config);
        }
        Ok(FoundSchedule {
            inverse: self.transform != Transform::Forward,
            in_order: self.among_others,
            before,
            cycles: before.map_or(kernel.cycles, |before| before.min(kernel.cycles)),
        })
    }
}

/// Puts an entry in the place of what it is better than in every respect.
fn keep(kept: &mut Tuned, entry: Entry, asked: Asked, config: &Config) {
    let any = Asked {
        among_others: false,
        ..asked
    };
    let in_order = Asked {
        among_others: true,
        ..asked
    };
    let keeps_order = in_order.is_for(&entry, config);
    kept.kernel.retain(|old| {
        let as_good = old.cycles < entry.cycles || in_order.is_for(old, config) && !keeps_order;
        !any.is_for(old, config) || as_good
    });
    kept.kernel.push(entry);
}
