//! A program with its values, its time and, where asked for, its trace.

use crate::check::check;
use crate::config::Config;
use crate::isa::Program;
use crate::machine::simulate;
use crate::program_error::ProgramError;
use crate::schedule::Schedule;
use crate::values::{execute, Memories};

/// Runs a program; the memories are those before it and after it.
pub fn run(
    program: &Program,
    config: &Config,
    memories: &mut Memories,
) -> Result<Schedule, ProgramError> {
    memories.prepare(program, config)?;
    let checked = check(program, config, &memories.sdm)?;
    let simulated = simulate(program, config, &checked)?;
    match is_narrow(config) {
        true => execute::<u64>(program, config, &checked, memories, &mut ())?,
        false => execute::<u128>(program, config, &checked, memories, &mut ())?,
    }
    Ok(simulated.schedule)
}

/// Whether words fit 64 bits.
pub(crate) fn is_narrow(config: &Config) -> bool {
    config.word_bits <= u64::BITS
}
