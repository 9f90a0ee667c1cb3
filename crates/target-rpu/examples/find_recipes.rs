//! Looks for recipes and prints them as entries of `src/compile/recipes.toml`.
//!
//! Arguments: machine, transform, log2 N, tries, seed, and `among_others` for a transform among other
//! operations on towers. A recipe that is shipped already is the start.

use ringwright_target_rpu::compile::recipe::{shipped, Entry, Transform};
use ringwright_target_rpu::compile::{fits_among_others, search_from, Budget};

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let [machine, transform, log_n, tries, seed, rest @ ..] = &arguments[..] else {
        return Err("arguments: machine transform log_n tries seed [among_others]".into());
    };
    let among_others = match rest {
        [] => false,
        [word] if word == "among_others" => true,
        _ => return Err(format!("{rest:?}: nothing or among_others").into()),
    };
    let config = Entry::config(machine)?;
    let transform = match transform.as_str() {
        "forward" => Transform::Forward,
        "inverse" => Transform::Inverse,
        "inverse_cooley_tukey" => Transform::InverseCooleyTukey,
        other => {
            return Err(format!("transform {other}: forward, inverse, inverse_cooley_tukey").into())
        }
    };
    let log_n: u8 = log_n.parse()?;
    let known = shipped()?.into_iter().find(|entry| {
        let plan = || {
            entry
                .recipe
                .plan(transform.problem(log_n), config.vector_length.ilog2() as u8)
        };
        (&entry.machine, entry.transform, entry.log_n) == (machine, transform, log_n)
            && (!among_others || plan().is_ok_and(|plan| fits_among_others(&plan)))
    });
    let budget = Budget {
        tries: tries.parse()?,
        seed: seed.parse()?,
        among_others,
    };
    let start = known.map(|entry| entry.recipe);
    let (recipe, kernel) = search_from(transform.problem(log_n), &config, budget, start)?;
    let cycles = kernel.cycles;
    let entry = Entry {
        machine: machine.clone(),
        transform,
        log_n,
        cycles,
        recipe,
    };
    println!("[[kernel]]\n{}", toml::to_string(&entry)?);
    Ok(())
}
