//! Area, power and resources of a machine, with the provenance of every number.

use ringwright_sim::Provenance;
use std::collections::BTreeSet;

/// What a cost entry counts; the unit is part of the name.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Quantity {
    /// Silicon area in square millimetres.
    AreaMm2,
    /// Power in watts, at the machine's clock.
    PowerW,
    /// FPGA look-up tables.
    Lut,
    /// FPGA flip-flops.
    FlipFlop,
    /// FPGA multiplier blocks.
    Dsp,
    /// FPGA block memories of 36 Kb.
    Bram36,
    /// FPGA memories of 288 Kb.
    Uram,
}

/// One number for one unit of the machine.
#[derive(Clone, Debug, PartialEq)]
pub struct CostEntry {
    /// The unit, named as in the simulator and the RTL.
    pub unit: String,
    /// What is counted.
    pub quantity: Quantity,
    /// How much of it.
    pub value: f64,
    /// How the number was obtained.
    pub provenance: Provenance,
    /// Paper and place, or the model's name.
    pub source: String,
}

/// The cost of a machine: a list of entries, each unit at most once per quantity.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Cost {
    /// The entries, in the order in which they are reported.
    pub entries: Vec<CostEntry>,
}

/// A sum that says what it mixes.
#[derive(Clone, Debug, PartialEq)]
pub struct Total {
    /// The sum.
    pub value: f64,
    /// The provenances of its parts.
    pub provenances: BTreeSet<Provenance>,
}

impl Cost {
    /// The sum of all entries of one quantity; `None` where no entry counts it.
    pub fn total(&self, quantity: Quantity) -> Option<Total> {
        let entries = || self.entries.iter().filter(|e| e.quantity == quantity);
        entries().next()?;
        Some(Total {
            value: entries().map(|e| e.value).sum(),
            provenances: entries().map(|e| e.provenance).collect(),
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn entry(unit: &str, quantity: Quantity, value: f64, provenance: Provenance) -> CostEntry {
        CostEntry {
            unit: unit.into(),
            quantity,
            value,
            provenance,
            source: "test".into(),
        }
    }

    #[test]
    fn a_total_names_what_it_mixes() {
        let (core, memory) = (1.5, 2.25);
        let cost = Cost {
            entries: vec![
                entry("core", Quantity::AreaMm2, core, Provenance::Modelled),
                entry("memory", Quantity::AreaMm2, memory, Provenance::Published),
            ],
        };
        let total = cost.total(Quantity::AreaMm2).expect("two entries");
        assert_eq!(total.value, core + memory);
        assert_eq!(
            total.provenances,
            BTreeSet::from([Provenance::Modelled, Provenance::Published])
        );
        assert_eq!(cost.total(Quantity::Dsp), None);
    }
}
