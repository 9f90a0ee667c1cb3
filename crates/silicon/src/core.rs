//! Host cores: logic that was mapped, memories beside it, and what a cycle of a program takes.

use crate::memory::MemoryCost;
use crate::{Estimate, ProcessError};
use serde::Deserialize;
use std::sync::LazyLock;

const CORES: &str = include_str!("../../../spec/silicon/cores.toml");

/// A core in a process.
#[derive(Clone, Debug, PartialEq)]
pub struct CoreCost {
    /// Its cells, placed, in square micrometres.
    pub logic_um2: Estimate,
    /// Its memories.
    pub memories_um2: Estimate,
    /// An average cycle of a program, in picojoules: what of logic and memories takes part in one.
    pub cycle_pj: Estimate,
    /// What the shares that take part rest on.
    pub source: String,
}

impl CoreCost {
    /// The whole, in square micrometres.
    pub fn area_um2(&self) -> Estimate {
        self.logic_um2 + self.memories_um2
    }
}

/// Shares of a core that take part in a cycle.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct Activity {
    logic: f64,
    memories: f64,
    source: String,
}

/// A host of `hw/soc`, as it was mapped.
#[derive(Debug, Deserialize)]
pub(crate) struct Core {
    name: String,
    /// Of its cells, in the library of our points.
    pub(crate) area_um2: f64,
    memories: Vec<Memories>,
}

#[derive(Debug, Deserialize)]
struct Memories {
    words: u64,
    bits: u64,
    count: u32,
}

#[derive(Deserialize)]
struct File {
    core: Vec<Core>,
}

static RECORDED: LazyLock<Vec<Core>> = LazyLock::new(|| {
    // Ours is read by the tests.
    let file: File = toml::from_str(CORES).expect("the recorded cores read");
    file.core
});

impl Core {
    /// By the name that `hw/soc` gives it.
    pub(crate) fn recorded(name: &str) -> Result<&'static Self, ProcessError> {
        let found = RECORDED.iter().find(|core| core.name == name);
        found.ok_or_else(|| ProcessError::NoCore {
            core: name.into(),
            known: known(),
        })
    }

    /// What it takes, given its cells placed, a cycle in which all of them take part, and a memory
    /// of so many words and bits.
    pub(crate) fn cost(
        &self,
        [logic_um2, logic_pj]: [Estimate; 2],
        memory: impl Fn(u64, u64) -> MemoryCost,
        activity: &Activity,
    ) -> CoreCost {
        let of = |part: fn(&MemoryCost) -> Estimate| {
            let each = self.memories.iter();
            let each = each.map(|m| part(&memory(m.words, m.bits)) * f64::from(m.count));
            each.sum::<Estimate>()
        };
        CoreCost {
            logic_um2,
            memories_um2: of(|cost| cost.area_um2),
            cycle_pj: logic_pj * activity.logic + of(|cost| cost.access_pj) * activity.memories,
            source: activity.source.clone(),
        }
    }
}

fn known() -> String {
    let names: Vec<&str> = RECORDED.iter().map(|core| core.name.as_str()).collect();
    names.join(", ")
}
