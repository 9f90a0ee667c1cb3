//! The setting of the list scheduler and of the colouring behind it.

use serde::{Deserialize, Serialize};

/// What a search varies.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub struct Knobs {
    /// Instructions a pipe is fed beyond the one that runs.
    pub ahead: u8,
    /// How far loads run before the oldest instruction that waits.
    pub window: u32,
    /// Registers that loads leave free. With single-port memories, registers that are free are what
    /// the colouring has to choose from.
    pub reserve: u8,
    /// How much the longest way to the end counts in the order, in percent; the rest is the graph's.
    #[serde(default)]
    pub urgency: u8,
    /// Size of the random part of an instruction's place in the order.
    pub noise: u32,
    /// Seed of the random part.
    pub seed: u64,
    /// Single-port memories: moves of the colouring for every value.
    #[serde(default)]
    pub moves: u32,
    /// Single-port memories: values that the colouring moves at once at most.
    #[serde(default = "usual_chain", skip_serializing_if = "is_usual_chain")]
    pub chain: u8,
}

/// What most recipes are happy with.
const USUAL_CHAIN: u8 = 10;

fn usual_chain() -> u8 {
    USUAL_CHAIN
}

fn is_usual_chain(&chain: &u8) -> bool {
    chain == USUAL_CHAIN
}

impl Knobs {
    /// Few values at a time and a patient colouring: finds registers in single-port memories where an
    /// instruction's beats meet its own results, below 64 HPLEs with vectors of 512. With more HPLEs it
    /// costs little.
    pub const SPARING: Knobs = Knobs {
        ahead: 0,
        window: 60,
        reserve: 16,
        urgency: 0,
        noise: 0,
        seed: 0,
        moves: 200,
        chain: 24,
    };
}

impl Default for Knobs {
    fn default() -> Self {
        Knobs {
            ahead: 1,
            window: 160,
            reserve: 6,
            urgency: 0,
            noise: 0,
            seed: 0,
            moves: 60,
            chain: USUAL_CHAIN,
        }
    }
}
