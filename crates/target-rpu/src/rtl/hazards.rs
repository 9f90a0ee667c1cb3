//! Random programs that look for trouble: registers that are being read or written, full queues,
//! register memories and banks that are wanted twice. No interpreter knows what they should leave:
//! results are the simulator's, like the cycles.

use super::image::Image;
use crate::isa::Space;
use crate::kernels::arguments::poison;
use crate::random::{data_words, random_program, Options};
use crate::{Config, Memories};
use ringwright_ir::RunError;

/// Programs of a package.
const PROGRAMS: u64 = 3;

/// Instructions of each, after those that prepare its registers.
const INSTRUCTIONS: usize = 120;

/// Programs that the seeds from `seed` on make.
pub fn images(config: &Config, seed: u64) -> Result<Vec<Image>, RunError> {
    (0..PROGRAMS)
        .map(|number| image(config, number, seed.wrapping_add(number)))
        .collect()
}

fn image(config: &Config, number: u64, seed: u64) -> Result<Image, RunError> {
    let options = Options {
        instructions: INSTRUCTIONS,
        memory_order_error: false,
    };
    let words = data_words(config).ok_or_else(|| too_small(config))?;
    let program = random_program(seed, config, options).ok_or_else(|| too_small(config))?;
    let mut memories = Memories::new(config);
    poison(&mut memories, config);
    let mut sdm_words = 0;
    for segment in &program.data {
        let memory = match segment.space {
            Space::Vdm => &mut memories.vdm,
            Space::Sdm => &mut memories.sdm,
        };
        let end = segment.address as usize + segment.words.len();
        memory[segment.address as usize..end].copy_from_slice(&segment.words);
        if segment.space == Space::Sdm {
            sdm_words = end;
        }
    }
    Ok(Image {
        name: format!("random-{number}"),
        program,
        memories,
        vdm_words: words,
        sdm_words,
        result: Vec::new(),
        facts: vec![(
            "looks_for",
            "hazards, full queues, register memories and banks wanted twice".to_owned(),
        )],
    })
}

fn too_small(config: &Config) -> RunError {
    config.unsupported("random programs need four vectors and sixteen scalars of memory")
}
