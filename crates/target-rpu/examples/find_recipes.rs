//! Looks for recipes and prints them as entries of `src/compile/recipes.toml`.
//!
//! Arguments: machine, transform, log2 N, tries, seed. A recipe that is shipped already is the start.

use ringwright_target_rpu::compile::recipe::{shipped, Entry, Transform};
use ringwright_target_rpu::compile::{search_from, Budget};

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let [machine, transform, log_n, tries, seed] = &arguments[..] else {
        return Err("arguments: machine transform log_n tries seed".into());
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
        entry.machine == *machine && entry.transform == transform && entry.log_n == log_n
    });
    let budget = Budget {
        tries: tries.parse()?,
        seed: seed.parse()?,
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
