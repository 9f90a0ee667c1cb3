//! A host's time: counts of operations times the cycles of each.
//!
//! A device that lacks something leaves it to its host and says only what is to be done, in counts
//! (a butterfly, a sample, a register write); a [`Host`] knows what each costs. Costs that a fit
//! cannot tell apart carry a range, and a sum of them has one as well.

use crate::error::ScheduleError;
use crate::workload::{ResourceId, Stage, StageKind};
use ringwright_sim::{ClockError, Femtoseconds, Provenance};
use std::collections::{BTreeMap, BTreeSet};

/// Clock and costs of a processor.
#[derive(Clone, Debug, PartialEq)]
pub struct Host {
    name: String,
    period: Femtoseconds,
    costs: BTreeMap<String, OperationCost>,
}

#[derive(Clone, Debug, PartialEq)]
struct OperationCost {
    cycles: f64,
    low: f64,
    high: f64,
    provenance: Provenance,
}

/// What a host function costs.
#[derive(Clone, Debug, PartialEq)]
pub struct HostCost {
    /// Cycles of the host's clock, rounded up.
    pub cycles: u64,
    /// The least and the most it may be where costs are not told apart; otherwise both `cycles`.
    pub range: (u64, u64),
    /// Where the costs come from; empty for nothing to do.
    pub provenances: BTreeSet<Provenance>,
}

/// A cost that a fit cannot tell.
#[derive(Clone, Debug, PartialEq)]
pub struct Uncertain {
    /// The operation.
    pub operation: String,
    /// Cycles of the host that are taken for it.
    pub cycles: f64,
    /// The least and the most it may be.
    pub range: (f64, f64),
    /// How often it occurs.
    pub count: u64,
}

/// Why a host function has no cost.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum HostError {
    /// Operations whose cost on this host is not known.
    #[error("host {host}: the cost of {} is not known; known: {known}", .missing.join(", "))]
    NotKnown {
        /// The host.
        host: String,
        /// What was asked for.
        missing: Vec<String>,
        /// The operations that have a cost.
        known: String,
    },
    /// The same, asked for beforehand.
    #[error("host {host}: the cost of {} is not known; {}", .missing.join(", "), knowing(.able))]
    Lacking {
        /// The host.
        host: String,
        /// What was asked for.
        missing: Vec<String>,
        /// The hosts that ship and know the cost of everything that was asked for.
        able: Vec<String>,
    },
    /// More cycles than 64 bits count.
    #[error("host {host}: the operations take 2^64 cycles or more")]
    TooLong {
        /// The host.
        host: String,
    },
}

fn knowing(able: &[String]) -> String {
    match able.is_empty() {
        true => "no host that ships knows all".to_owned(),
        false => format!("host {} knows all", able.join(" or ")),
    }
}

impl Host {
    /// As described in its file.
    pub fn new(description: &ringwright_spec::Host) -> Self {
        let costs = description.operations().map(|(declared, cost)| {
            let (low, high) = cost.range.unwrap_or((cost.cycles, cost.cycles));
            let cost = OperationCost {
                cycles: cost.cycles,
                low,
                high,
                provenance: cost.provenance,
            };
            (declared.name.clone(), cost)
        });
        Self {
            name: description.name().to_string(),
            period: Femtoseconds(description.clock_fs()),
            costs: costs.collect(),
        }
    }

    /// The name.
    pub fn name(&self) -> &str {
        &self.name
    }

    /// Period of the clock.
    pub fn period(&self) -> Femtoseconds {
        self.period
    }

    /// Sum over the operations of count times cycles. An operation counted 0 times costs nothing,
    /// known or not.
    pub fn cost<'a>(
        &self,
        operations: impl IntoIterator<Item = (&'a str, u64)>,
    ) -> Result<HostCost, HostError> {
        let (mut cycles, mut low, mut high) = (0.0, 0.0, 0.0);
        let mut provenances = BTreeSet::new();
        let mut missing = Vec::new();
        for (name, count) in operations.into_iter().filter(|(_, count)| *count > 0) {
            let Some(cost) = self.costs.get(name) else {
                missing.push(name.to_string());
                continue;
            };
            cycles += cost.cycles * count as f64;
            low += cost.low * count as f64;
            high += cost.high * count as f64;
            provenances.insert(cost.provenance);
        }
        if !missing.is_empty() {
            return Err(self.not_known(missing));
        }
        Ok(HostCost {
            cycles: self.whole(cycles)?,
            range: (self.whole(low)?, self.whole(high)?),
            provenances,
        })
    }

    /// A host function on `resource` that does these operations. `counted`: where their counts come
    /// from, if from less than what exists; the stage has the least certain of that and of the costs.
    pub fn stage<'a>(
        &self,
        name: impl Into<String>,
        resource: ResourceId,
        operations: impl IntoIterator<Item = (&'a str, u64)>,
        counted: Option<Provenance>,
    ) -> Result<Stage, HostStageError> {
        let name = name.into();
        let cost = self.cost(operations)?;
        let duration = self.time(&name, cost.cycles)?;
        let (low, high) = cost.range;
        let range = match low == high {
            true => None,
            false => Some((self.time(&name, low)?, self.time(&name, high)?)),
        };
        let provenances = cost.provenances.into_iter().chain(counted);
        let provenance = Provenance::least_certain(provenances);
        let stage = Stage::new(
            name,
            StageKind::HostFunction,
            resource,
            duration,
            provenance.unwrap_or(Provenance::Modelled),
        );
        Ok(Stage { range, ..stage })
    }

    /// The costs among these operations that are a range; what moves the time most comes first.
    pub fn uncertain<'a>(
        &self,
        operations: impl IntoIterator<Item = (&'a str, u64)>,
    ) -> Vec<Uncertain> {
        let counted = operations.into_iter().filter(|(_, count)| *count > 0);
        let ranged = counted.filter_map(|(name, count)| {
            let cost = self.costs.get(name).filter(|cost| cost.low < cost.high)?;
            Some(Uncertain {
                operation: name.to_owned(),
                cycles: cost.cycles,
                range: (cost.low, cost.high),
                count,
            })
        });
        let mut found: Vec<Uncertain> = ranged.collect();
        let weight = |each: &Uncertain| (each.range.1 - each.range.0) * each.count as f64;
        found.sort_by(|a, b| weight(b).total_cmp(&weight(a)));
        found
    }

    /// An error where the cost of an operation is not known; it names the hosts that know them all.
    pub fn require<'a>(
        &self,
        operations: impl IntoIterator<Item = &'a str>,
    ) -> Result<(), HostError> {
        let needed: BTreeSet<&str> = operations.into_iter().collect();
        let unknown = needed
            .iter()
            .filter(|name| !self.costs.contains_key(**name));
        let missing: Vec<String> = unknown.map(|name| (*name).to_owned()).collect();
        if missing.is_empty() {
            return Ok(());
        }
        let shipped = ringwright_spec::Host::shipped().iter();
        let read = shipped.filter_map(|each| ringwright_spec::Host::load(each.name).ok());
        let hosts = read.map(|description| Self::new(&description));
        let able = hosts.filter(|host| needed.iter().all(|name| host.costs.contains_key(*name)));
        Err(HostError::Lacking {
            host: self.name.clone(),
            missing,
            able: able.map(|host| host.name).collect(),
        })
    }

    /// Duration of cycles.
    pub fn time(&self, what: &str, cycles: u64) -> Result<Femtoseconds, ScheduleError> {
        let fs = cycles.checked_mul(self.period.0);
        fs.map(Femtoseconds).ok_or_else(|| ScheduleError::TooLong {
            what: format!("{what} on host {}", self.name),
        })
    }

    fn whole(&self, cycles: f64) -> Result<u64, HostError> {
        let cycles = cycles.ceil();
        // 2^64 as f64 is exact; every smaller f64 fits.
        if cycles < 18_446_744_073_709_551_616.0 {
            return Ok(cycles as u64);
        }
        Err(HostError::TooLong {
            host: self.name.clone(),
        })
    }

    fn not_known(&self, missing: Vec<String>) -> HostError {
        let known: Vec<&str> = self.costs.keys().map(String::as_str).collect();
        HostError::NotKnown {
            host: self.name.clone(),
            missing,
            known: match known.is_empty() {
                true => "nothing".to_string(),
                false => known.join(", "),
            },
        }
    }
}

/// Why a host function, or a step of a device, cannot be placed.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum HostStageError {
    /// It has no cost.
    #[error(transparent)]
    Host(#[from] HostError),
    /// It takes too long, or its resource is something else for others.
    #[error(transparent)]
    Schedule(#[from] ScheduleError),
    /// A step of a device takes too long.
    #[error(transparent)]
    Clock(#[from] ClockError),
    /// A step of a device without a unit.
    #[error("step {name}: 0 units; it occupies 1 or more")]
    NoUnit {
        /// The step.
        name: &'static str,
    },
}

#[cfg(test)]
mod tests {
    use super::*;

    const PERIOD: u64 = 500_000;

    fn host() -> Host {
        let text = format!(
            "name = \"h\"\ntitle = \"t\"\n[parameters]\n\
             clock_fs = {{ value = {PERIOD}, source = \"test\" }}\n[cycles]\n\
             butterfly = {{ value = 2.5, provenance = \"rtl\", source = \"test\" }}\n\
             interrupt = {{ value = 7, low = 6, high = 9, provenance = \"fitted\", source = \"test\" }}\n"
        );
        Host::new(&ringwright_spec::Host::parse("h.toml", &text).unwrap())
    }

    #[test]
    fn a_cost_is_the_sum_of_counts_times_cycles_rounded_up_once() {
        let cost = host().cost([("butterfly", 3), ("interrupt", 2)]).unwrap();
        assert_eq!(cost.cycles, (3.0 * 2.5 + 2.0 * 7.0_f64).ceil() as u64);
        let bound = |each: f64| (3.0 * 2.5 + 2.0 * each).ceil() as u64;
        assert_eq!(cost.range, (bound(6.0), bound(9.0)));
        let mixed = BTreeSet::from([Provenance::Rtl, Provenance::Fitted]);
        assert_eq!(cost.provenances, mixed);
    }

    #[test]
    fn an_unknown_cost_is_refused_and_never_zero() {
        let message = host()
            .cost([("butterfly", 1), ("modular_mul", 1), ("word_move", 1)])
            .unwrap_err()
            .to_string();
        assert_eq!(
            message,
            "host h: the cost of modular_mul, word_move is not known; known: butterfly, interrupt"
        );
        let nothing = host().cost([("modular_mul", 0)]).unwrap();
        assert_eq!((nothing.cycles, nothing.provenances.len()), (0, 0));
    }

    #[test]
    fn a_stage_takes_the_cycles_and_the_least_certain_provenance() {
        let stage = host()
            .stage(
                "work",
                ResourceId(0),
                [("butterfly", 2), ("interrupt", 1)],
                None,
            )
            .unwrap();
        assert_eq!(stage.duration, Femtoseconds((2 * 5 / 2 + 7) * PERIOD));
        assert_eq!(stage.provenance, Provenance::Fitted);
        assert_eq!(stage.kind, StageKind::HostFunction);
        let end = |interrupt: u64| Femtoseconds((2 * 5 / 2 + interrupt) * PERIOD);
        assert_eq!(stage.range, Some((end(6), end(9))));
        let certain = host().stage("work", ResourceId(0), [("butterfly", 2)], None);
        assert_eq!(certain.expect("known").range, None);
    }

    #[test]
    fn too_much_work_is_an_error() {
        let forever = [("butterfly", u64::MAX)];
        assert!(matches!(
            host().cost(forever),
            Err(HostError::TooLong { .. })
        ));
        let long = host().stage("work", ResourceId(0), [("butterfly", u64::MAX / 4)], None);
        assert!(long.unwrap_err().to_string().contains("work on host h"));
    }
}
