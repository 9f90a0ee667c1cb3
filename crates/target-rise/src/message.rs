//! What the samplers absorb behind the seed: one message for each stream, in the lanes of the
//! register window `message`. The device holds one seed and so many lanes.

use crate::config::Config;
use crate::lowered::Lowered;
use crate::registers::REGISTERS;
use ringwright_ir::RunError;
use ringwright_ring::shake::BLOCK_BYTES;
use std::collections::{BTreeMap, BTreeSet};

const SEED_BYTES: usize = 32;

/// First lane and blocks of each stream's message, one behind the other. Refuses what the device
/// has no room for, and a second seed.
pub fn places(
    config: &Config,
    program: &Lowered,
) -> Result<BTreeMap<String, (u32, u32)>, RunError> {
    let mut messages = BTreeMap::new();
    let mut seeds: Vec<Option<Vec<usize>>> = vec![None; program.parts.len()];
    let (mut lanes, mut seed) = (0_u32, None);
    for frame in program.frames() {
        let known = &mut seeds[frame.segment.kernel];
        let given = known.get_or_insert_with(|| {
            frame.part.drawn().for_each(|drawn| {
                messages.entry(drawn.stream.clone()).or_insert_with(|| {
                    let blocks = (SEED_BYTES + 1 + drawn.stream.len() + 2) / BLOCK_BYTES + 1;
                    let first = lanes;
                    lanes += ((blocks * BLOCK_BYTES - SEED_BYTES) / 8) as u32;
                    (first, blocks as u32)
                });
            });
            let parameters: BTreeSet<usize> = frame.part.drawn().map(|it| it.seed).collect();
            parameters.into_iter().collect()
        });
        for &parameter in given.iter() {
            let input = frame.seed(parameter);
            if *seed.get_or_insert(input) != input {
                return Err(config.unsupported("two seeds; the device holds one"));
            }
        }
    }
    let room = REGISTERS.window("message").words / 2;
    match lanes <= room {
        true => Ok(messages),
        false => Err(config.unsupported(format!(
            "messages of {lanes} lanes; the device holds {room}"
        ))),
    }
}

/// What a message holds behind the seed.
pub fn tail(stream: &str, blocks: u32) -> Vec<u8> {
    let mut bytes = vec![stream.len() as u8];
    bytes.extend(stream.as_bytes());
    // The tower, 0: all towers of a sample are the same integers.
    bytes.extend([0, 0, 0x1f]);
    bytes.resize(blocks as usize * BLOCK_BYTES - SEED_BYTES, 0);
    if let Some(last) = bytes.last_mut() {
        *last |= 0x80;
    }
    bytes
}
