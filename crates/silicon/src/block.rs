//! A block that is asked for, and the answer.

use crate::Estimate;
use ringwright_spec::{Provenance, Setting};
use std::collections::BTreeMap;

/// Parameters of a block by name: numbers, and names of variants.
pub(crate) type Settings = BTreeMap<String, Setting>;

/// `Width = 30, Stages = 8`.
pub(crate) fn shown(settings: &Settings) -> String {
    let each: Vec<_> = settings
        .iter()
        .map(|(name, value)| format!("{name} = {value}"))
        .collect();
    each.join(", ")
}

/// A module of `hw/` with parameters.
#[derive(Clone, Debug, PartialEq)]
pub struct Block {
    pub(crate) name: String,
    pub(crate) settings: Settings,
}

impl Block {
    /// A module with its defaults.
    pub fn new(name: &str) -> Self {
        Self {
            name: name.into(),
            settings: Settings::new(),
        }
    }

    /// With a number of its parameters. Those that neither terms nor variants name do not matter.
    #[must_use]
    pub fn with(mut self, parameter: &str, value: u64) -> Self {
        let value = Setting::Int(value as i64);
        self.settings.insert(parameter.into(), value);
        self
    }

    /// With a variant.
    #[must_use]
    pub fn with_variant(mut self, parameter: &str, variant: &str) -> Self {
        self.settings
            .insert(parameter.into(), Setting::Text(variant.into()));
        self
    }
}

/// What a block takes in a process.
#[derive(Clone, Debug, PartialEq)]
pub struct BlockCost {
    /// Placed, in square micrometres.
    pub area_um2: Estimate,
    /// The longest path, setup included, in picoseconds.
    pub path_ps: Estimate,
    /// An operation that all of it takes part in, operands random, in picojoules.
    pub operation_pj: Estimate,
    /// Where that comes from.
    pub operation_source: String,
    /// Leakage in milliwatts.
    pub leakage_mw: Estimate,
    /// Where that comes from.
    pub leakage_source: String,
    /// How many flip-flops.
    pub flipflops: f64,
    /// `Synthesised` of a recorded point, `Modelled` between points. The scale to the process is a
    /// range around it.
    pub provenance: Provenance,
    /// Which points, and what scales them.
    pub source: String,
}
