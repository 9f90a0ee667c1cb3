//! What a machine costs: area, leakage and clock of its units, energy of what happens in them.
//!
//! Every number is a range with its provenance ([`Estimate`]). A total is the sum of its entries,
//! nothing else, and says which of them it is least sure of. Energy is events times energy per
//! event: a target lists what each of its simulator's [`Counters`] takes, so a program's energy
//! follows from its timing. What papers print of a machine stands beside that and enters no sum.

use crate::counters::{Counter, Counters};
use ringwright_silicon::{Block, BlockCost, Estimate, MemoryCost, ProcessError, Sourced};
use ringwright_sim::Provenance;
use ringwright_spec::PublishedCost;
use std::collections::{BTreeMap, BTreeSet};

/// What a cost entry counts; the unit is part of the name.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Quantity {
    /// Silicon area in square millimetres.
    AreaMm2,
    /// Leakage in milliwatts.
    LeakageMw,
    /// Flip-flops.
    FlipFlop,
    /// FPGA look-up tables.
    Lut,
    /// FPGA multiplier blocks.
    Dsp,
    /// FPGA block memories of 36 Kb.
    Bram36,
    /// FPGA memories of 288 Kb.
    Uram,
}

impl Quantity {
    /// All of them.
    pub const ALL: [Self; 7] = [
        Self::AreaMm2,
        Self::LeakageMw,
        Self::FlipFlop,
        Self::Lut,
        Self::Dsp,
        Self::Bram36,
        Self::Uram,
    ];

    /// Its name in files, as `area_mm2`.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::AreaMm2 => "area_mm2",
            Self::LeakageMw => "leakage_mw",
            Self::FlipFlop => "flipflops",
            Self::Lut => "lut",
            Self::Dsp => "dsp",
            Self::Bram36 => "bram36",
            Self::Uram => "uram",
        }
    }
}

/// One number for one part of a unit.
#[derive(Clone, Debug, PartialEq)]
pub struct CostEntry {
    /// The unit, named as in the simulator and the RTL.
    pub unit: &'static str,
    /// Which part of it, as `memories`.
    pub part: &'static str,
    /// What is counted.
    pub quantity: Quantity,
    /// How much of it.
    pub value: Estimate,
    /// How the number was obtained.
    pub provenance: Provenance,
    /// Paper and place, or the model's name.
    pub source: String,
}

/// The longest path through a part of a unit.
#[derive(Clone, Debug, PartialEq)]
pub struct PathEntry {
    /// The unit.
    pub unit: &'static str,
    /// Which part of it.
    pub part: &'static str,
    /// Setup included, in picoseconds.
    pub ps: Estimate,
    /// How the number was obtained.
    pub provenance: Provenance,
    /// Paper and place, or the model's name.
    pub source: String,
}

/// What one event takes.
#[derive(Clone, Debug, PartialEq)]
pub struct EventEnergy {
    /// The unit in which it happens.
    pub unit: &'static str,
    /// The counter that counts it: its group, and its name where not all of the group are meant.
    pub group: &'static str,
    /// The name in the group; `None` for each of them.
    pub name: Option<&'static str>,
    /// Picojoules for each.
    pub pj: Estimate,
    /// How the number was obtained.
    pub provenance: Provenance,
    /// Paper and place, or the model's name.
    pub source: String,
}

impl EventEnergy {
    fn counts(&self, counter: &Counter) -> bool {
        counter.group == self.group && self.name.is_none_or(|name| name == counter.name)
    }
}

/// The cost of a machine.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Cost {
    /// Sizes, in the order in which they are reported; each part of a unit once for each quantity.
    pub entries: Vec<CostEntry>,
    /// Paths; the longest decides the clock.
    pub paths: Vec<PathEntry>,
    /// Energies. A counter may have several, which add up, or none.
    pub events: Vec<EventEnergy>,
    /// Groups of counters that count what others count already.
    pub counted_elsewhere: Vec<&'static str>,
    /// What the machine has and nothing is known of.
    pub absent: Vec<&'static str>,
    /// What papers print of this machine.
    pub published: Vec<PublishedCost>,
}

/// A sum that says what it mixes.
#[derive(Clone, Debug, PartialEq)]
pub struct Total {
    /// The sum.
    pub value: Estimate,
    /// The provenances of its parts.
    pub provenances: BTreeSet<Provenance>,
    /// The unit whose range is the largest part of the sum's.
    pub dominated_by: &'static str,
}

/// The clock that the paths allow.
#[derive(Clone, Debug, PartialEq)]
pub struct ClockEstimate {
    /// The shortest period, in picoseconds.
    pub period_ps: Estimate,
    /// The unit and part that it waits for.
    pub slowest: (&'static str, &'static str),
    /// The provenances of all paths.
    pub provenances: BTreeSet<Provenance>,
}

impl ClockEstimate {
    /// Gigahertz.
    pub fn ghz(&self) -> Estimate {
        self.period_ps.inverse() * 1000.0
    }
}

/// Energy of what happened, by unit.
#[derive(Clone, Debug, PartialEq)]
pub struct Energy {
    /// Microjoules in each unit, those that take most first.
    pub units: Vec<(&'static str, Total)>,
    /// All of it.
    pub total: Total,
    /// What happened and has no energy here.
    pub uncounted: Vec<Counter>,
}

impl Cost {
    /// Adds area, leakage, flip-flops and path of `count` blocks.
    pub fn add_blocks(
        &mut self,
        unit: &'static str,
        part: &'static str,
        count: u64,
        block: &BlockCost,
    ) {
        let times = count as f64;
        let (area, leakage) = (block.area_um2 * (times * 1e-6), block.leakage_mw * times);
        let flipflops = Estimate::exactly(block.flipflops * times);
        let (known, modelled) = (block.provenance, Provenance::Modelled);
        for (quantity, value, provenance, source) in [
            (Quantity::AreaMm2, area, known, &block.source),
            (
                Quantity::LeakageMw,
                leakage,
                modelled,
                &block.leakage_source,
            ),
            (Quantity::FlipFlop, flipflops, known, &block.source),
        ] {
            self.entries.push(CostEntry {
                unit,
                part,
                quantity,
                value,
                provenance,
                source: format!("{count} x {source}"),
            });
        }
        self.paths.push(PathEntry {
            unit,
            part,
            ps: block.path_ps,
            provenance: block.provenance,
            source: block.source.clone(),
        });
    }

    /// Adds area and cycle of `count` memories, of `size` as text.
    pub fn add_memories(
        &mut self,
        unit: &'static str,
        count: u64,
        size: &str,
        memory: &MemoryCost,
    ) {
        self.entries.push(CostEntry {
            unit,
            part: MEMORIES,
            quantity: Quantity::AreaMm2,
            value: memory.area_um2 * (count as f64 * 1e-6),
            provenance: memory.provenance,
            source: format!("{count} x {size}: {}", memory.source),
        });
        self.paths.push(PathEntry {
            unit,
            part: MEMORIES,
            ps: memory.path_ps,
            provenance: memory.provenance,
            source: memory.path_source.clone(),
        });
    }

    /// Adds what an event takes.
    pub fn add_event(
        &mut self,
        unit: &'static str,
        group: &'static str,
        name: Option<&'static str>,
        energy: &Sourced,
    ) {
        self.events.push(EventEnergy {
            unit,
            group,
            name,
            pj: energy.value,
            provenance: energy.provenance,
            source: energy.source.clone(),
        });
    }

    /// The sum of all entries of one quantity; `None` where no entry counts it.
    pub fn total(&self, quantity: Quantity) -> Option<Total> {
        let of = |e: &&CostEntry| e.quantity == quantity;
        Total::of(
            self.entries
                .iter()
                .filter(of)
                .map(|e| (e.unit, e.value, e.provenance)),
        )
    }

    /// The sums of one quantity by unit, in the order of the entries.
    pub fn by_unit(&self, quantity: Quantity) -> Vec<(&'static str, Total)> {
        let entries: Vec<_> = self
            .entries
            .iter()
            .filter(|e| e.quantity == quantity)
            .collect();
        let mut units: Vec<&'static str> = Vec::new();
        for entry in &entries {
            if !units.contains(&entry.unit) {
                units.push(entry.unit);
            }
        }
        let sum = |unit| {
            let own = entries.iter().filter(|e| e.unit == unit);
            Some((
                unit,
                Total::of(own.map(|e| (e.unit, e.value, e.provenance)))?,
            ))
        };
        units.into_iter().filter_map(sum).collect()
    }

    /// The clock that the longest path allows; `None` without paths.
    pub fn clock(&self) -> Option<ClockEstimate> {
        let slowest = self
            .paths
            .iter()
            .max_by(|a, b| a.ps.expected.total_cmp(&b.ps.expected))?;
        Some(ClockEstimate {
            period_ps: self
                .paths
                .iter()
                .fold(slowest.ps, |longest, path| longest.slower(path.ps)),
            slowest: (slowest.unit, slowest.part),
            provenances: self.paths.iter().map(|path| path.provenance).collect(),
        })
    }

    /// What these events take; `None` where none of them has an energy.
    pub fn energy(&self, counters: &Counters) -> Option<Energy> {
        let happened: Vec<(Counter, u64)> = counters.iter().collect();
        let mut parts: BTreeMap<&'static str, Vec<(&'static str, Estimate, Provenance)>> =
            BTreeMap::new();
        for event in &self.events {
            let counted = happened.iter().filter(|(counter, _)| event.counts(counter));
            let times: u64 = counted.map(|(_, times)| times).sum();
            if times > 0 {
                let microjoules = event.pj * (times as f64 * 1e-6);
                let unit = parts.entry(event.unit).or_default();
                unit.push((event.unit, microjoules, event.provenance));
            }
        }
        let total = Total::of(parts.values().flatten().copied())?;
        let of_unit = |(unit, parts): (&'static str, Vec<_>)| Some((unit, Total::of(parts)?));
        let mut units: Vec<_> = parts.into_iter().filter_map(of_unit).collect();
        units.sort_by(|(_, a), (_, b)| b.value.expected.total_cmp(&a.value.expected));
        let known = |counter: &Counter| {
            self.counted_elsewhere.contains(&counter.group)
                || self.events.iter().any(|e| e.counts(counter))
        };
        let uncounted = happened.into_iter().map(|(counter, _)| counter);
        Some(Energy {
            units,
            total,
            uncounted: uncounted.filter(|counter| !known(counter)).collect(),
        })
    }
}

/// The part of a unit that is memories of a compiler.
const MEMORIES: &str = "memories";

impl Total {
    fn of(parts: impl IntoIterator<Item = (&'static str, Estimate, Provenance)>) -> Option<Self> {
        let parts: Vec<_> = parts.into_iter().collect();
        let mut widths: BTreeMap<&'static str, f64> = BTreeMap::new();
        for (unit, value, _) in &parts {
            *widths.entry(unit).or_default() += value.width();
        }
        let (&dominated_by, _) = widths.iter().max_by(|a, b| a.1.total_cmp(b.1))?;
        Some(Self {
            value: parts.iter().map(|(_, value, _)| *value).sum(),
            provenances: parts.iter().map(|(_, _, provenance)| *provenance).collect(),
            dominated_by,
        })
    }
}

/// Why a machine's cost is not known.
#[derive(Debug, thiserror::Error)]
pub enum CostError {
    /// The machine cannot be set up.
    #[error(transparent)]
    Machine(#[from] crate::TargetError),
    /// The process says nothing of a block.
    #[error(transparent)]
    Process(#[from] ProcessError),
}

/// An energy that follows from a block's: a share of what all of it takes.
pub fn share_of(block: &BlockCost, share: f64) -> Sourced {
    Sourced {
        value: block.operation_pj * share,
        provenance: Provenance::Modelled,
        source: block.operation_source.clone(),
    }
}

/// An access to a memory.
pub fn access(memory: &MemoryCost) -> Sourced {
    Sourced {
        value: memory.access_pj,
        provenance: Provenance::Modelled,
        source: memory.energy_source.clone(),
    }
}

/// A block of the hardware, with numbers for parameters.
pub fn block(name: &str, parameters: &[(&str, u64)]) -> Block {
    let with = |block: Block, &(parameter, value): &(&str, u64)| block.with(parameter, value);
    parameters.iter().fold(Block::new(name), with)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn entry(unit: &'static str, value: Estimate, provenance: Provenance) -> CostEntry {
        CostEntry {
            unit,
            part: "all",
            quantity: Quantity::AreaMm2,
            value,
            provenance,
            source: "test".into(),
        }
    }

    fn cost() -> Cost {
        let event = |unit, group, name, pj| EventEnergy {
            unit,
            group,
            name,
            pj: Estimate::around(pj, 0.5),
            provenance: Provenance::Modelled,
            source: "test".into(),
        };
        Cost {
            entries: vec![
                entry("core", Estimate::around(1.5, 0.1), Provenance::Synthesised),
                entry("memory", Estimate::within(2.0, 2.0), Provenance::Fitted),
                entry("core", Estimate::exactly(0.25), Provenance::Modelled),
            ],
            events: vec![
                event("core", "core", Some("product"), 10.0),
                event("memory", "bank", None, 2.0),
                event("core", "bank", Some("read"), 1.0),
            ],
            counted_elsewhere: vec!["port"],
            ..Cost::default()
        }
    }

    #[test]
    fn a_total_is_its_entries_and_names_what_it_mixes() {
        let cost = cost();
        let total = cost.total(Quantity::AreaMm2).expect("three entries");
        assert_eq!(total.value, cost.entries.iter().map(|e| e.value).sum());
        assert_eq!(total.dominated_by, "memory");
        assert_eq!(
            total.provenances,
            BTreeSet::from([
                Provenance::Synthesised,
                Provenance::Fitted,
                Provenance::Modelled
            ])
        );
        let units = cost.by_unit(Quantity::AreaMm2);
        assert_eq!(
            units.iter().map(|(unit, _)| *unit).collect::<Vec<_>>(),
            ["core", "memory"]
        );
        let sum: Estimate = units.iter().map(|(_, total)| total.value).sum();
        assert!((sum.expected - total.value.expected).abs() < 1e-12);
        assert_eq!(cost.total(Quantity::Dsp), None);
    }

    #[test]
    fn energy_is_events_times_energy_per_event() {
        let mut counters = Counters::new();
        counters.add("core", "product", 3_000_000);
        counters.add("bank", "read", 2_000_000);
        counters.add("bank", "write", 1_000_000);
        counters.add("port", "0", 7);
        counters.add("link", "word", 1);
        let energy = cost().energy(&counters).expect("events with energy");
        assert!((energy.total.value.expected - 38.0).abs() < 1e-9);
        assert_eq!(energy.units[0].0, "core");
        assert!((energy.units[1].1.value.expected - 6.0).abs() < 1e-9);
        let uncounted: Vec<_> = energy
            .uncounted
            .iter()
            .map(|counter| counter.group)
            .collect();
        assert_eq!(uncounted, ["link"]);
        assert_eq!(cost().energy(&Counters::new()), None);
    }

    #[test]
    fn the_longest_path_decides_the_clock() {
        let path = |unit, ps| PathEntry {
            unit,
            part: "all",
            ps,
            provenance: Provenance::Synthesised,
            source: "test".into(),
        };
        let cost = Cost {
            paths: vec![
                path("core", Estimate::around(500.0, 0.1)),
                path("memory", Estimate::within(400.0, 2.0)),
            ],
            ..Cost::default()
        };
        let clock = cost.clock().expect("two paths");
        assert_eq!(clock.slowest.0, "core");
        assert_eq!(
            clock.period_ps,
            Estimate {
                low: 450.0,
                expected: 500.0,
                high: 800.0
            }
        );
        assert!((clock.ghz().expected - 2.0).abs() < 1e-9);
        assert_eq!(Cost::default().clock(), None);
    }
}
