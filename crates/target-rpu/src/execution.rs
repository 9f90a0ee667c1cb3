//! A program in text on a machine, for the command line.

use crate::config::Config;
use crate::isa::assemble;
use crate::rtl::provenance;
use crate::timeline::{konata, timeline};
use crate::values::Memories;
use crate::{run, Schedule};
use ringwright_spec::Machine;
use ringwright_target::{Execution, InstructionSetError, Stall};

/// Runs a program; the memories begin with the words given, the rest is zero.
pub(crate) fn executed(
    machine: &Machine,
    name: &str,
    text: &str,
    memories: [Vec<u128>; 2],
) -> Result<Execution, InstructionSetError> {
    let refused = |error: &dyn std::fmt::Display| InstructionSetError(error.to_string());
    let program =
        assemble(name, text).map_err(|error| InstructionSetError(format!("{name}: {error}")))?;
    let config = Config::new(machine).map_err(|error| refused(&error))?;
    let [vdm, sdm] = memories;
    let mut memories = Memories {
        vdm: fill(name, "VDM", vdm, config.vdm_words)?,
        sdm: fill(name, "SDM", sdm, config.sdm_words)?,
    };
    let schedule = run(&program, &config, &mut memories).map_err(|error| refused(&error))?;
    let timeline = timeline(&program, &config, &schedule).map_err(|error| refused(&error))?;
    Ok(Execution {
        cycles: schedule.cycles,
        provenance: provenance(&config),
        pipeline_log: konata(&program, &schedule),
        stalls: stalls(&schedule),
        counters: schedule.counters.rows(),
        clock: config.clock,
        timeline,
        memories: vec![("vdm", memories.vdm), ("sdm", memories.sdm)],
    })
}

fn fill(
    name: &str,
    memory: &str,
    mut words: Vec<u128>,
    size: usize,
) -> Result<Vec<u128>, InstructionSetError> {
    if words.len() > size {
        return Err(InstructionSetError(format!(
            "{name}: {} words given for the {memory}, which has {size}",
            words.len()
        )));
    }
    words.resize(size, 0);
    Ok(words)
}

/// Cycles of every unit by what it did.
pub(crate) fn stalls(schedule: &Schedule) -> Vec<Stall> {
    let rows = schedule.stalls.rows().into_iter();
    rows.map(|(unit, reason, cycles)| Stall {
        unit,
        reason,
        cycles,
    })
    .collect()
}
