//! Any bytes as a machine and a program: what the fuzz target runs.

use super::{random_program, Options};
use crate::checker::mutation::KINDS;
use crate::config::{
    BusyRule, Config, LoadStorePipes, SourceRelease, VdmMap, VrfClash, VrfMap, VrfPorts,
};
use crate::isa::{decode, Program};
use crate::{run, time, Memories};
use std::collections::BTreeMap;

/// Instructions of a random program, which mutations then spoil.
const INSTRUCTIONS: usize = 60;

/// Reads `bytes` as a machine like `small`, the seed of a program, and mistakes to make in it, or as
/// the words of a program; the body shared by the fuzz target and the smoke test.
///
/// Panics when the simulator does, when it refuses a random program without mistakes, when two runs
/// differ, or when the cycles of a unit do not add up.
pub fn check(small: &Config, bytes: &[u8]) {
    let mut bytes = Bytes(bytes);
    let config = machine(small, &mut bytes);
    if bytes.next() == 0 {
        let words = std::iter::from_fn(|| bytes.word()).filter_map(|word| decode(word).ok());
        let program = Program::new("fuzz", words.collect());
        survives(&program, &config);
        return;
    }
    let options = Options {
        instructions: INSTRUCTIONS,
        memory_order_error: false,
    };
    let seed = bytes.word().unwrap_or(0);
    let Some(mut program) = random_program(seed, &config, options) else {
        return;
    };
    let legal = config.vrf_clash == VrfClash::Stall;
    let taken = survives(&program, &config);
    assert!(taken || !legal, "refused: {config:?}\n{program}");
    while let Some(kind) = KINDS.get(bytes.next().wrapping_sub(1) as usize) {
        let place = bytes.next() as usize % program.instructions.len().max(1);
        program = kind.at(&program, place).unwrap_or(program);
    }
    survives(&program, &config);
}

/// Whether the program ran; either way what comes back is sound.
fn survives(program: &Program, config: &Config) -> bool {
    let memories = Memories::new(config);
    let (mut first, mut second) = (memories.clone(), memories.clone());
    let ran = run(program, config, &mut first);
    assert_eq!(ran, run(program, config, &mut second));
    assert_eq!(first, second);
    match ran {
        Ok(schedule) => {
            assert_eq!(time(program, config, &memories.sdm), Ok(schedule.clone()));
            let mut totals: BTreeMap<&str, u64> = BTreeMap::new();
            for (unit, _, cycles) in schedule.stalls.rows() {
                *totals.entry(unit).or_default() += cycles;
            }
            for (unit, cycles) in totals {
                assert_eq!(cycles, schedule.cycles, "{unit}");
            }
            true
        }
        Err(error) => {
            let message = error.to_string();
            assert!(!message.contains(char::is_control), "{message:?}");
            false
        }
    }
}

/// A machine like `small` with every other choice of the papers' open questions.
fn machine(small: &Config, bytes: &mut Bytes<'_>) -> Config {
    let mut one_of = |choices: [usize; 4]| choices[bytes.next() as usize % 4];
    Config {
        hples: one_of([8, 1, 4, 32]),
        banks: one_of([8, 4, 16, 64]),
        ii: one_of([1, 1, 2, 4]) as u64,
        compute_latency: one_of([10, 4, 7, 20]) as u64,
        shuffle_latency: one_of([5, 3, 9, 20]) as u64,
        load_store_latency: one_of([6, 1, 3, 20]) as u64,
        gap: one_of([0, 0, 1, 3]) as u64,
        queue_depth: one_of([8, 1, 2, 4]),
        vrf_ports: [VrfPorts::Single, VrfPorts::Unlimited][one_of([0, 0, 0, 1])],
        vrf_map: [VrfMap::Modulo, VrfMap::Quotient][one_of([0, 1, 0, 1])],
        vrf_clash: [VrfClash::Stall, VrfClash::Error][one_of([0, 0, 0, 1])],
        vdm_map: [VdmMap::Skewed, VdmMap::Modulo][one_of([0, 1, 0, 1])],
        load_store_pipes: [LoadStorePipes::Shared, LoadStorePipes::Separate][one_of([0, 1, 0, 1])],
        busy_rule: [BusyRule::SharedReads, BusyRule::OneBit][one_of([0, 1, 0, 1])],
        source_release: [SourceRelease::Readout, SourceRelease::Completion][one_of([0, 1, 0, 1])],
        ..small.clone()
    }
}

/// Bytes from the left; behind the end there are zeros.
struct Bytes<'a>(&'a [u8]);

impl Bytes<'_> {
    fn next(&mut self) -> u8 {
        let (first, rest) = self.0.split_first().unwrap_or((&0, &[]));
        self.0 = rest;
        *first
    }

    fn word(&mut self) -> Option<u64> {
        let (word, rest) = self.0.split_first_chunk()?;
        self.0 = rest;
        Some(u64::from_le_bytes(*word))
    }
}
