//! What the papers print, from `spec/rpu/published.toml`; never mixed with simulated numbers.

use ringwright_spec::{Machine, PublishedCost, Setting};
use ringwright_target::PublishedCycles;
use serde::Deserialize;
use std::collections::BTreeMap;
use std::sync::LazyLock;

/// Cycles of one transform, as printed.
#[derive(Clone, Debug, PartialEq, Deserialize)]
#[serde(deny_unknown_fields)]
struct PublishedTransform {
    log_n: u32,
    cycles: u64,
    source: String,
    /// What the paper states of the machine.
    parameters: BTreeMap<String, Setting>,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct File {
    transform: Vec<PublishedTransform>,
    cost: Vec<PublishedCost>,
}

// Part of the program, not input: the tests read it.
static FILE: LazyLock<File> = LazyLock::new(|| {
    let file: Result<File, _> = toml::from_str(include_str!("../../../spec/rpu/published.toml"));
    file.unwrap_or_else(|error| panic!("spec/rpu/published.toml: {error}"))
});

/// The number printed for a degree and a machine that has all that the paper states with it.
pub fn cycles(machine: &Machine, log_n: u32) -> Option<PublishedCycles> {
    let fits =
        |row: &&PublishedTransform| row.log_n == log_n && machine.agrees_with(&row.parameters);
    let row = FILE.transform.iter().find(fits)?;
    Some(PublishedCycles {
        cycles: row.cycles,
        source: row.source.clone(),
    })
}

/// What is printed of a machine's silicon.
pub fn costs(machine: &Machine) -> Vec<PublishedCost> {
    PublishedCost::of(&FILE.cost, machine)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Of one degree no machine has two numbers, and every key is a parameter of that kind.
    #[test]
    fn rows_are_of_different_machines_with_declared_parameters() {
        let declared = |name: &str| {
            let all = (crate::RPU.parameters)().iter();
            all.clone().find(|parameter| parameter.name == name)
        };
        for (i, row) in FILE.transform.iter().enumerate() {
            for (name, setting) in &row.parameters {
                let declared = declared(name).unwrap_or_else(|| panic!("{name}"));
                assert!(declared.kind.allows(setting), "{name}");
            }
            let same = |other: &&PublishedTransform| {
                let keys = row.parameters.iter();
                let differs = |(key, value): (&String, &Setting)| {
                    other.parameters.get(key).is_some_and(|v| v != value)
                };
                other.log_n == row.log_n && !keys.clone().any(differs)
            };
            assert_eq!(FILE.transform[i + 1..].iter().find(same), None);
        }
    }
}
