//! What papers print of a machine's silicon, by the parameters that they state with it.

use crate::{Machine, Setting};
use serde::Deserialize;
use std::collections::BTreeMap;

/// Area, power or energy, as printed: a `[[cost]]` of `spec/<target>/published.toml`.
#[derive(Clone, Debug, PartialEq, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct PublishedCost {
    /// Of what, with its unit, as `area_mm2`.
    pub quantity: String,
    /// The value.
    pub value: f64,
    /// Paper and place.
    pub source: String,
    /// What the paper states of the machine.
    pub parameters: BTreeMap<String, Setting>,
}

impl PublishedCost {
    /// Those of a machine that has all that the paper states.
    pub fn of(rows: &[Self], machine: &Machine) -> Vec<Self> {
        let fits = |row: &&Self| machine.agrees_with(&row.parameters);
        rows.iter().filter(fits).cloned().collect()
    }
}
