//! Program S on machines that differ in one parameter, as a page of the book.
//!
//! The variants are rows of `spec/rpu/sensitivity.toml`. Two columns: the order that was made for the
//! base machine, and one made for the very machine; each with the published single-port register file
//! and with free ports. What a machine refuses stands there as its reason.

use super::korn_lambiotte::program;
use super::list_schedule::list_schedule;
use crate::config::{Config, VrfPorts, DEFAULT_MACHINE, TARGET};
use crate::isa::Program;
use crate::machine::time;
use crate::published;
use ringwright_sim::{Clock, Femtoseconds, Provenance};
use ringwright_spec::{Machine, Setting};
use ringwright_target::TargetError;
use serde::Deserialize;
use std::collections::BTreeMap;
use std::fmt::Write;
use std::sync::LazyLock;

/// log2 of the degree of all that.
const LOG_N: u32 = 16;
/// HPLEs of RPU figures 4 and 5.
const HPLES: [usize; 7] = [4, 8, 16, 32, 64, 128, 256];
/// Banks of the same, with the clock that they allow in MHz (section VI-B).
const BANKS: [(usize, u64); 4] = [(32, 1290), (64, 1530), (128, 1680), (256, 1680)];

/// Why there is no page.
#[derive(Debug, thiserror::Error)]
pub enum StudyError {
    /// A shipped machine is none.
    #[error(transparent)]
    Spec(#[from] ringwright_spec::SpecError),
    /// A shipped machine cannot be built.
    #[error(transparent)]
    Target(#[from] TargetError),
    /// Program S needs more vectors.
    #[error("program S of 2^{log_n} words needs 16 vectors of {length}")]
    TooSmall {
        /// log2 of the degree.
        log_n: u32,
        /// Words of a vector.
        length: usize,
    },
    /// A clock without period.
    #[error(transparent)]
    Clock(#[from] ringwright_sim::ClockError),
}

/// The published machine with some values changed.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Variant {
    change: BTreeMap<String, Setting>,
    /// What the paper says of it.
    paper: String,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct File {
    variant: Vec<Variant>,
}

// Part of the program, not input: a test makes the page of it.
static VARIANTS: LazyLock<Vec<Variant>> = LazyLock::new(|| {
    let file: Result<File, _> =
        toml::from_str(include_str!("../../../../spec/rpu/sensitivity.toml"));
    file.unwrap_or_else(|error| panic!("spec/rpu/sensitivity.toml: {error}"))
        .variant
});

/// A machine of the paper's grid: `base` with these HPLEs and banks and the clock of the banks.
fn grid(base: &Config, hples: usize, banks: (usize, u64)) -> Result<Config, StudyError> {
    let period = Femtoseconds(1_000_000_000 / banks.1);
    Ok(Config {
        machine: format!("rpu-{hples}x{}", banks.0),
        hples,
        banks: banks.0,
        clock: Clock::new("core", period, Provenance::Published)?,
        ..base.clone()
    })
}

/// Program S for the vectors of a machine, in the order of its blocks.
fn program_s(config: &Config) -> Result<Program, StudyError> {
    let (log_n, length) = (LOG_N, config.vector_length);
    let made = program(log_n, length).ok_or(StudyError::TooSmall { log_n, length });
    Ok(made?.0)
}

/// The other shipped machines of one tile of which a paper prints this transform, with the number.
fn others_in_print(base: &Machine) -> Result<Vec<(Machine, u64)>, StudyError> {
    let mut found = Vec::new();
    for shipped in Machine::shipped() {
        let machine = Machine::load(shipped.name)?;
        let of_target = machine.target() == TARGET && machine.identity() != base.identity();
        let of_one_tile = of_target && machine.int("tiles")? == 1;
        if let Some(printed) = published::cycles(&machine, LOG_N).filter(|_| of_one_tile) {
            found.push((machine, printed.cycles));
        }
    }
    Ok(found)
}

/// The whole page.
pub fn page() -> Result<String, StudyError> {
    let machine = Machine::load(DEFAULT_MACHINE)?;
    let base = Config::new(&machine)?;
    let printed = published::cycles(&machine, LOG_N).map_or(0, |printed| printed.cycles);
    let plain = program_s(&base)?;
    let scheduled = list_schedule(&plain, &base);
    let mut page = HEAD.to_owned();
    let ours = cycles(&scheduled, &base);
    push(
        &mut page,
        format_args!("{}", base_text(&ours, &plain, &scheduled, &base, printed)),
    );
    parameters(&mut page, &machine, &plain, &scheduled)?;
    page.push_str(OTHERS);
    for (tile, printed) in others_in_print(&machine)? {
        let config = Config::new(&tile)?;
        let ours = cycles(&list_schedule(&plain, &config), &config);
        let naive = cycles(&plain, &config);
        let name = tile.name();
        push(
            &mut page,
            format_args!("| {name} | {naive} | {ours} | {printed} |\n"),
        );
    }
    figure_4(&mut page, &base, &plain)?;
    Ok(page)
}

const HEAD: &str = "\
<!-- Written by `cargo run --release -p ringwright-target-rpu --example sensitivity`; a test compares. -->
# How much each open question of the RPU matters

The papers do not say everything that a cycle-exact machine must know. What is open is a parameter of
`spec/rpu/params.toml`, with the reason for its default; here is what each does to the paper's own
program, *S*: the 64K transform by Korn and Lambiotte with 1024 compute and 1920 shuffle instructions.
All our numbers are `simulated`; the paper's own are `published`.

";

const OTHERS: &str = "
## The other machines of which a paper prints it

`rpu-128x128-strict` is the published machine with its paper read to the letter. TREBUCHET's tile has 64
lanes, 2 GHz, one empty cycle between instructions; version 2 has the published stacked register
memories, version 1 one memory for each register.

| machine | in the order of blocks | scheduled for it | published |
|---|---|---|---|
";

fn base_text(
    ours: &str,
    plain: &Program,
    scheduled: &Program,
    base: &Config,
    printed: u64,
) -> String {
    let free = free_ports(base);
    format!(
        "| program S, 64K | published register ports | free ports | published |\n|---|---|---|---|\n\
         | in the order of its blocks | {} | {} | 1.8 times the optimised one (figure 7) |\n\
         | put in order by our list scheduler | {ours} | {} | {printed} |\n\n\
         ## One parameter changed\n\n\
         Cycles of the same program (ordered for the base machine), and of S ordered for the very machine.\n\n\
         | parameter | value | same program | ordered for it | free ports, same | free ports, ordered | the paper |\n\
         |---|---|---|---|---|---|---|\n",
        cycles(plain, base),
        cycles(plain, &free),
        cycles(scheduled, &free),
    )
}

fn parameters(
    page: &mut String,
    machine: &Machine,
    plain: &Program,
    scheduled: &Program,
) -> Result<(), StudyError> {
    for Variant { change, paper } in VARIANTS.iter() {
        let changed = machine.with("changed", change, "a variant of the study", None)?;
        let changed = Config::new(&changed)?;
        let keys: Vec<&str> = change.keys().map(String::as_str).collect();
        let values: Vec<String> = change.values().map(word).collect();
        let mut row = format!("| `{}` | {} |", keys.join(", "), values.join(", "));
        for config in [&changed, &free_ports(&changed)] {
            let same = cycles(scheduled, config);
            let anew = cycles(&list_schedule(plain, config), config);
            push(&mut row, format_args!(" {same} | {anew} |"));
        }
        push(page, format_args!("{row} {paper} |\n"));
    }
    Ok(())
}

/// A value as the page has it.
fn word(setting: &Setting) -> String {
    match setting {
        Setting::Text(text) => text.clone(),
        number => number.to_string(),
    }
}

const FIGURE_4: &str = "
## Lanes and banks

The grid of the paper's figures 4 and 5: cycles of S ordered for each machine, and microseconds at the
clock that the banks allow (1.29, 1.53, 1.68, 1.68 GHz). Free register ports: below 64 lanes an
instruction's beats overlap its own results, and S has results in the memories of their sources.

| HPLEs | 32 banks | 64 banks | 128 banks | 256 banks |
|---|---|---|---|---|
";

const FIGURE_4_PAPER: &str = "
The paper: (256, 256) is 3.5 times as fast as (256, 32), (4, 256) takes a quarter to three quarters less
than (4, 32) (its words are ambiguous), and (256, 128) is 16 % faster than (128, 128).
";

fn figure_4(page: &mut String, base: &Config, plain: &Program) -> Result<(), StudyError> {
    page.push_str(FIGURE_4);
    let free = free_ports(base);
    for hples in HPLES {
        push(page, format_args!("| {hples} |"));
        for banks in BANKS {
            let config = grid(&free, hples, banks)?;
            let scheduled = list_schedule(plain, &config);
            let text = cycles_and_time(&scheduled, &config);
            push(page, format_args!(" {text} |"));
        }
        page.push('\n');
    }
    page.push_str(FIGURE_4_PAPER);
    Ok(())
}

/// Cycles, and microseconds with two digits behind the point.
fn cycles_and_time(program: &Program, config: &Config) -> String {
    match time(program, config, &vec![0; config.sdm_words]) {
        Err(error) => error.what.to_string(),
        Ok(schedule) => {
            let nanoseconds = schedule.cycles * config.clock.period().0 / 1_000_000;
            let (whole, part) = (nanoseconds / 1000, nanoseconds % 1000 / 10);
            format!("{} ({whole}.{part:02} us)", schedule.cycles)
        }
    }
}

fn free_ports(config: &Config) -> Config {
    Config {
        vrf_ports: VrfPorts::Unlimited,
        ..config.clone()
    }
}

fn cycles(program: &Program, config: &Config) -> String {
    match time(program, config, &vec![0; config.sdm_words]) {
        Ok(schedule) => schedule.cycles.to_string(),
        Err(error) => format!("refused: {}", error.what),
    }
}

fn push(page: &mut String, text: std::fmt::Arguments<'_>) {
    // Writing to a string cannot fail.
    let _ = page.write_fmt(text);
}
