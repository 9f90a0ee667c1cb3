//! Cycles of a transform on a machine, without values: the paper's program and ours.
//!
//! | generator | program |
//! |---|---|
//! | `korn-lambiotte` | the paper's, in the order of its blocks: figure 7's unoptimised one |
//! | `korn-lambiotte-scheduled` | the same instructions put in order by a list scheduler |
//! | `compiled` | ours: the machine's shipped recipe, else the best of those that ship for the size |
//!
//! A program may be written for one machine and timed on another, as figures 8 and 9 do.

use super::korn_lambiotte;
use super::list_schedule::list_schedule;
use crate::activity::activity;
use crate::config::Config;
use crate::isa::Program;
use crate::kernels::compile::known::{shipped, Recipes};
use crate::kernels::compile::recipe::Transform;
use crate::machine::time;
use crate::rtl::provenance;
use crate::schedule::Wait;
use crate::schedule::{index, Schedule};
use ringwright_spec::Machine;
use ringwright_target::{InstructionSetError, TransformProgram, TransformTime};

/// The paper's, the paper's in our scheduler's order, ours with words in any order.
pub const GENERATORS: [&str; 3] = [
    "korn-lambiotte",
    "korn-lambiotte-scheduled",
    "compiled-any-order",
];

/// Writes the program and times it.
pub(crate) fn timed(
    machine: &Machine,
    asked: TransformProgram<'_>,
) -> Result<TransformTime, InstructionSetError> {
    let config = Config::new(machine).map_err(|e| refused(&e))?;
    let program = write(asked.written_for.unwrap_or(machine), &asked)?;
    let schedule = time(&program, &config, &vec![0; config.sdm_words]).map_err(|e| refused(&e))?;
    Ok(TransformTime {
        cycles: schedule.cycles,
        clock: config.clock.clone(),
        provenance: provenance(&config),
        held: held(&program, &schedule),
        counters: schedule.counters.rows(),
        events: activity(&config, &program),
    })
}

fn write(machine: &Machine, asked: &TransformProgram<'_>) -> Result<Program, InstructionSetError> {
    let config = &Config::new(machine).map_err(|e| refused(&e))?;
    let recipes = Recipes::of(machine).map_err(|e| refused(&e))?;
    let (log_n, length) = (asked.log_n, config.vector_length);
    match (asked.generator, asked.inverse) {
        ("compiled-any-order", inverse) => compiled(config, &recipes, log_n, inverse),
        (name, false) if GENERATORS.contains(&name) => {
            let (plain, _) = korn_lambiotte::program(log_n, length).ok_or_else(|| {
                refused(&format!(
                    "korn-lambiotte of 2^{log_n} words: allowed are {} words to 2^17",
                    2 * length
                ))
            })?;
            Ok(match name {
                "korn-lambiotte" => plain,
                _ => list_schedule(&plain, config),
            })
        }
        (name, true) if GENERATORS.contains(&name) => {
            Err(refused(&format!("{name} writes forward transforms only")))
        }
        (name, _) => {
            let known = GENERATORS.join(", ");
            Err(refused(&format!(
                "no generator is called {name}; known: {known}"
            )))
        }
    }
}

/// The machine's own recipe, else the best of all that ship for the transform.
fn compiled(
    config: &Config,
    recipes: &Recipes,
    log_n: u32,
    inverse: bool,
) -> Result<Program, InstructionSetError> {
    let transform = match inverse {
        false => Transform::Forward,
        true => Transform::Inverse,
    };
    let (own, refusal) = recipes.quickest(config, transform, log_n as u8, false);
    if let Some(own) = own {
        return Ok(own.kernel.program);
    }
    if let Some(refusal) = refusal {
        return Err(InstructionSetError(refusal));
    }
    let problem = transform.problem(log_n as u8);
    let entries = shipped().iter().flat_map(|tuned| &tuned.kernel);
    let of_size = entries.filter(|e| (e.transform, u32::from(e.log_n)) == (transform, log_n));
    let kernels = of_size.filter_map(|e| e.recipe.compile(problem, config).ok());
    let best = kernels.min_by_key(|kernel| kernel.cycles);
    best.map(|kernel| kernel.program).ok_or_else(|| {
        let machine = &config.machine;
        refused(&format!(
            "no shipped recipe of 2^{log_n} words fits {machine}"
        ))
    })
}

/// How long the front end held instructions of each pipeline because a register was busy.
fn held(program: &Program, schedule: &Schedule) -> Vec<(&'static str, u64)> {
    let mut cycles = [0; 3];
    for wait in &schedule.waits {
        let Wait::Busy(_) = wait.reason else {
            continue;
        };
        // Instructions issue in order, so the one that waited is the next to issue.
        let next = schedule
            .instructions
            .partition_point(|times| times.issue < wait.until);
        if let Some(instruction) = program.instructions.get(next) {
            cycles[index(instruction.class())] += wait.until - wait.since;
        }
    }
    ["load/store", "compute", "shuffle"]
        .into_iter()
        .zip(cycles)
        .collect()
}

fn refused(what: &dyn std::fmt::Display) -> InstructionSetError {
    InstructionSetError(what.to_string())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::schedule::Waited;

    fn asked(generator: &str, log_n: u32) -> TransformProgram<'_> {
        TransformProgram {
            generator,
            log_n,
            inverse: false,
            written_for: None,
        }
    }

    #[test]
    fn every_generator_writes_every_published_size_and_ours_is_the_fastest() {
        let machine = Machine::load("rpu-128x128").expect("shipped");
        for log_n in 10..=16 {
            let [naive, scheduled, ours] =
                GENERATORS.map(|name| timed(&machine, asked(name, log_n)).expect(name).cycles);
            assert!(
                naive > scheduled && scheduled > ours,
                "2^{log_n}: {naive} {scheduled} {ours}"
            );
        }
    }

    #[test]
    fn instructions_that_wait_for_registers_are_counted_in_their_own_pipeline() {
        let machine = Machine::load("rpu-128x128").expect("shipped");
        let config = Config::new(&machine).expect("buildable");
        let program = write(&machine, &asked("korn-lambiotte", 12)).expect("a program");
        let schedule = time(&program, &config, &vec![0; config.sdm_words]).expect("it runs");
        let busy = |wait: &&Waited| matches!(wait.reason, Wait::Busy(_));
        let all: u64 = schedule
            .waits
            .iter()
            .filter(busy)
            .map(|w| w.until - w.since)
            .sum();
        let counted = held(&program, &schedule);
        assert_eq!(counted.iter().map(|row| row.1).sum::<u64>(), all);
        // In the order of blocks every shuffle pair waits for the butterfly just before it.
        let shuffles = counted[2].1;
        assert!(shuffles > schedule.counters.instructions[2] / 2 * config.compute_latency);
    }

    #[test]
    fn what_is_not_there_is_named() {
        let machine = Machine::load("rpu-128x128").expect("shipped");
        let error = |request| timed(&machine, request).expect_err("refused").0;
        assert!(error(asked("spiral", 16)).contains("known: korn-lambiotte"));
        assert!(error(asked("korn-lambiotte", 9)).contains("1024 words to 2^17"));
        assert!(error(asked("compiled-any-order", 20)).contains("no shipped recipe"));
        let inverse = TransformProgram {
            inverse: true,
            ..asked("korn-lambiotte", 16)
        };
        assert!(error(inverse).contains("forward transforms only"));
    }
}
