//! Recipes that are known for a machine: those that ship and those that the user's searches found.
//!
//! `recipes.toml` holds the first, by the parameters of the machines that they are for. The second
//! come with the machine description ([`Machine::with_schedules`]) as text of the same kind; their
//! cycles are counted again when they are compiled, and an entry that does not keep its word is not
//! used.
//!
//! [`Machine::with_schedules`]: ringwright_spec::Machine::with_schedules

use super::recipe::{Recipe, Transform};
use super::schedule_parameters::ScheduleParameters;
use super::Kernel;
use crate::config::{Config, DEFAULT_MACHINE, TARGET};
use ringwright_spec::{Machine, Schedules};
use ringwright_target::{Origin, TargetError};
use serde::{Deserialize, Serialize};
use std::cmp::Reverse;
use std::sync::LazyLock;

/// A recipe with what it is for.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Entry {
    /// What is computed.
    pub transform: Transform,
    /// log2 of N.
    pub log_n: u8,
    /// Cycles of the program.
    pub cycles: u64,
    /// What found it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub found_by: Option<String>,
    /// How it is made.
    #[serde(flatten)]
    pub recipe: Recipe,
}

/// The recipes for machines with certain parameters.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Tuned {
    /// The parameters.
    pub parameters: ScheduleParameters,
    /// The recipes.
    pub kernel: Vec<Entry>,
}

impl Tuned {
    /// The target's default machine with these parameters.
    pub fn config(&self) -> Result<Config, TargetError> {
        let base = Config::new(&Machine::load(DEFAULT_MACHINE)?)?;
        Ok(self.parameters.on(&base))
    }

    /// The names of the shipped machines that these recipes are for.
    pub fn names(&self) -> Vec<&'static str> {
        let fits = |name: &&str| {
            let machine = Machine::load(name).ok();
            let machine = machine.filter(|machine| machine.target() == TARGET);
            let config = machine.and_then(|machine| Config::new(&machine).ok());
            config.is_some_and(|config| ScheduleParameters::new(&config) == self.parameters)
        };
        let shipped = Machine::shipped().iter().map(|shipped| shipped.name);
        shipped.filter(fits).collect()
    }
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct File {
    machine: Vec<Tuned>,
}

// The recipes are part of the program, not input: a test compiles them all.
static SHIPPED: LazyLock<Vec<Tuned>> = LazyLock::new(|| {
    let file: Result<File, _> = toml::from_str(include_str!("recipes.toml"));
    file.unwrap_or_else(|error| panic!("recipes.toml: {error}"))
        .machine
});

/// The recipes of the headline kernels.
pub fn shipped() -> &'static [Tuned] {
    &SHIPPED
}

/// The recipes that ship for a transform on other machines, those of the machine most like this first.
pub fn lent(config: &Config, transform: Transform, log_n: u8) -> Vec<Recipe> {
    let parameters = ScheduleParameters::new(config);
    let mut others: Vec<&Tuned> = shipped().iter().collect();
    others.sort_by_key(|tuned| Reverse(tuned.parameters.in_common(&parameters)));
    let entries = others.into_iter().flat_map(|tuned| &tuned.kernel);
    let fits = entries.filter(|entry| (entry.transform, entry.log_n) == (transform, log_n));
    fits.map(|entry| entry.recipe).collect()
}

/// Recipes that a user's searches found.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Cached {
    /// Where they stand.
    pub file: String,
    /// The recipes, by the parameters that they were found for.
    pub tuned: Tuned,
}

impl Cached {
    /// Reads what came with a description.
    pub fn read(schedules: &Schedules) -> Result<Self, TargetError> {
        let Schedules { file, text } = schedules;
        let tuned = toml::from_str(text).map_err(|error| TargetError::Schedules {
            file: file.clone(),
            reason: one_line(&error),
        })?;
        Ok(Cached {
            file: file.clone(),
            tuned,
        })
    }
}

fn one_line(error: &toml::de::Error) -> String {
    format!("not read: {}", error.message().replace('\n', " "))
}

/// A kernel from a recipe that is known.
#[derive(Clone, Debug)]
pub struct Known {
    /// How it is made.
    pub recipe: Recipe,
    /// The kernel.
    pub kernel: Kernel,
    /// Who found the recipe.
    pub origin: Origin,
}

/// The recipes that ship, and those that came with a machine.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Recipes {
    cached: Vec<Cached>,
}

impl Recipes {
    /// What is known for a machine; an error where what came with it cannot be read.
    pub fn of(machine: &Machine) -> Result<Self, TargetError> {
        let cached = machine.schedules().iter().map(Cached::read);
        Ok(Recipes {
            cached: cached.collect::<Result<_, _>>()?,
        })
    }

    /// Those that came with the machine.
    pub fn cached(&self) -> &[Cached] {
        &self.cached
    }

    /// The quickest known kernel of a transform, and what of the cache was refused on the way.
    /// `among_others` asks for words in their order: see [`Recipe::fits_among_others`].
    pub fn quickest(
        &self,
        config: &Config,
        transform: Transform,
        log_n: u8,
        among_others: bool,
    ) -> (Option<Known>, Option<String>) {
        let problem = transform.problem(log_n);
        let mut refused = None;
        for (entry, origin) in self.entries(config, transform, log_n) {
            let recipe = entry.recipe;
            if among_others && !recipe.fits_among_others(problem, config) {
                continue;
            }
            let (file, said) = match (recipe.compile(problem, config), &origin) {
                (Ok(kernel), _) if kernel.cycles == entry.cycles => {
                    let known = Known {
                        recipe,
                        kernel,
                        origin,
                    };
                    return (Some(known), refused);
                }
                (Ok(kernel), Origin::Cache(file)) => (file, format!("it takes {}", kernel.cycles)),
                (Err(error), Origin::Cache(file)) => (file, error.to_string()),
                // What ships is held by a test; where a memory is too small it does not fit.
                _ => continue,
            };
            refused = Some(format!(
                "{file}: {} of 2^{log_n} words in {} cycles: not used: {said}",
                transform.name(),
                entry.cycles
            ));
        }
        (None, refused)
    }

    /// The entries for a transform, the quickest first.
    pub fn entries(
        &self,
        config: &Config,
        transform: Transform,
        log_n: u8,
    ) -> Vec<(&Entry, Origin)> {
        let parameters = ScheduleParameters::new(config);
        let shipped = shipped().iter().map(|tuned| (tuned, Origin::Shipped));
        let cached = self.cached.iter();
        let cached = cached.map(|cached| (&cached.tuned, Origin::Cache(cached.file.clone())));
        let of_machine = shipped
            .chain(cached)
            .filter(|(t, _)| t.parameters == parameters);
        let all = of_machine.flat_map(|(tuned, origin)| {
            let entries = tuned.kernel.iter();
            entries.map(move |entry| (entry, origin.clone()))
        });
        let fits =
            |(entry, _): &(&Entry, Origin)| (entry.transform, entry.log_n) == (transform, log_n);
        let mut found: Vec<(&Entry, Origin)> = all.filter(fits).collect();
        found.sort_by_key(|(entry, _)| entry.cycles);
        found
    }
}
