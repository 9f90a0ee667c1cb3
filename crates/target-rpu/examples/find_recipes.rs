//! Looks for recipes and prints them as entries of `src/kernels/compile/recipes.toml`.
//!
//! Arguments: machine, transform, log2 N, tries, seed, and after these in any order: `strict` for the
//! machine read strictly; `among_others` for a transform among other operations on towers; `KEY=VALUE`
//! for a parameter that differs from the machine's. A recipe that is known already is the start. Where
//! register memories have one port the search takes hours; `vrf_ports=unlimited` takes minutes, and what
//! it prints is a good start once it stands among the recipes of the machine with one port.

use ringwright_spec::Machine;
use ringwright_target_rpu::kernels::compile::known::{Entry, Recipes};
use ringwright_target_rpu::kernels::compile::recipe::Transform;
use ringwright_target_rpu::kernels::compile::{search_from, Budget, ScheduleParameters};
use ringwright_target_rpu::Config;

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let [machine, transform, log_n, tries, seed, rest @ ..] = &arguments[..] else {
        return Err(
            "arguments: machine transform log_n tries seed [strict] [among_others] [KEY=VALUE]"
                .into(),
        );
    };
    let has = |asked: &str| rest.iter().any(|word| word == asked);
    let among_others = has("among_others");
    let machine = Machine::load(machine)?;
    let read = machine.read_strictly().filter(|_| has("strict"));
    let machine = read.unwrap_or(machine);
    let config = changed(Config::new(&machine)?, rest)?;
    let transform: Transform = toml::Value::String(transform.clone()).try_into()?;
    let log_n: u8 = log_n.parse()?;
    let problem = transform.problem(log_n);
    let recipes = Recipes::of(&machine)?;
    let mut known = recipes.entries(&config, transform, log_n).into_iter();
    let fits = |entry: &Entry| !among_others || entry.recipe.fits_among_others(problem, &config);
    let start = known.find(|(entry, _)| fits(entry));
    let budget = Budget {
        tries: tries.parse()?,
        seed: seed.parse()?,
        among_others,
    };
    let start: Vec<_> = start.iter().map(|(entry, _)| entry.recipe).collect();
    let (recipe, kernel) = search_from(problem, &config, budget, &start)?;
    let entry = Entry {
        transform,
        log_n,
        cycles: kernel.cycles,
        found_by: Some(format!("find_recipes {}", arguments.join(" "))),
        recipe,
    };
    println!("[[machine.kernel]]\n{}", toml::to_string(&entry)?);
    Ok(())
}

/// The machine with the parameters that the words change.
fn changed(config: Config, words: &[String]) -> Result<Config, Box<dyn std::error::Error>> {
    let mut parameters = toml::Table::try_from(ScheduleParameters::new(&config))?;
    let words = words.iter();
    for word in words.filter(|word| !["among_others", "strict"].contains(&word.as_str())) {
        let (key, value) = word
            .split_once('=')
            .ok_or_else(|| format!("{word}: KEY=VALUE"))?;
        let number = value.parse().map(toml::Value::Integer);
        let value = number.unwrap_or_else(|_| toml::Value::String(value.to_owned()));
        if parameters.insert(key.to_owned(), value).is_none() {
            return Err(
                format!("{key}: known are {}", ScheduleParameters::NAMES.join(", ")).into(),
            );
        }
    }
    let parameters: ScheduleParameters = parameters.try_into()?;
    Ok(parameters.on(&config))
}
