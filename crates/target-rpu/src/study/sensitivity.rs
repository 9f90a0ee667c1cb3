//! Program S on machines that differ in one parameter, as a page of the book.
//!
//! Two columns: the order that was made for the base machine, and one made for the very machine;
//! each with the published single-port register file and with free ports. What a machine refuses
//! stands there as its reason.

use super::korn_lambiotte::program;
use super::list_schedule::list_schedule;
use crate::config::{
    BusyRule, Config, LoadStorePipes, SourceRelease, VdmMap, VrfMap, VrfPorts, DEFAULT_MACHINE,
    TARGET,
};
use crate::isa::Program;
use crate::machine::time;
use crate::published;

use ringwright_sim::{Clock, Femtoseconds, Provenance};
use ringwright_spec::Machine;
use ringwright_target::TargetError;
use std::fmt::Write;

/// log2 of the degree of all that.
pub const LOG_N: u32 = 16;
/// HPLEs of RPU figures 4 and 5.
pub const HPLES: [usize; 7] = [4, 8, 16, 32, 64, 128, 256];
/// Banks of the same, with the clock that they allow in MHz (section VI-B).
pub const BANKS: [(usize, u64); 4] = [(32, 1290), (64, 1530), (128, 1680), (256, 1680)];

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

/// One changed parameter.
struct Variant {
    parameter: &'static str,
    value: String,
    change: Box<dyn Fn(&mut Config)>,
    /// What the paper says of it.
    published: &'static str,
}

/// A machine of the paper's grid: `base` with these HPLEs and banks and the clock of the banks.
pub fn grid(base: &Config, hples: usize, banks: (usize, u64)) -> Result<Config, StudyError> {
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
pub fn program_s(config: &Config) -> Result<Program, StudyError> {
    let (log_n, length) = (LOG_N, config.vector_length);
    let made = program(log_n, length).ok_or(StudyError::TooSmall { log_n, length });
    Ok(made?.0)
}

/// The other shipped machines of which a paper prints this transform, with the number.
fn others_in_print(base: &Machine) -> Result<Vec<(Machine, u64)>, StudyError> {
    let mut found = Vec::new();
    for shipped in Machine::shipped() {
        let machine = Machine::load(shipped.name)?;
        let of_target = machine.target() == TARGET && machine.identity() != base.identity();
        if let Some(printed) = published::cycles(&machine, LOG_N).filter(|_| of_target) {
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
    parameters(&mut page, &base, &plain, &scheduled);
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

fn parameters(page: &mut String, base: &Config, plain: &Program, scheduled: &Program) {
    for variant in variants() {
        let changed = |base: &Config| {
            let mut config = base.clone();
            (variant.change)(&mut config);
            config
        };
        let mut row = format!("| `{}` | {} |", variant.parameter, variant.value);
        for config in [changed(base), changed(&free_ports(base))] {
            let same = cycles(scheduled, &config);
            let anew = cycles(&list_schedule(plain, &config), &config);
            push(&mut row, format_args!(" {same} | {anew} |"));
        }
        push(page, format_args!("{row} {} |\n", variant.published));
    }
}

fn figure_4(page: &mut String, base: &Config, plain: &Program) -> Result<(), StudyError> {
    page.push_str(
        "\n## Lanes and banks\n\nThe grid of the paper's figures 4 and 5: cycles of S ordered for each \
         machine, and microseconds at the\nclock that the banks allow (1.29, 1.53, 1.68, 1.68 GHz). Free \
         register ports: below 64 lanes an\ninstruction's beats overlap its own results, and S has results \
         in the memories of their sources.\n\n| HPLEs | 32 banks | 64 banks | 128 banks | 256 banks |\n\
         |---|---|---|---|---|\n",
    );
    let free = free_ports(base);
    for hples in HPLES {
        push(page, format_args!("| {hples} |"));
        for banks in BANKS {
            let config = grid(&free, hples, banks)?;
            let scheduled = list_schedule(plain, &config);
            let text = match time(&scheduled, &config, &vec![0; config.sdm_words]) {
                Err(error) => error.what.to_string(),
                Ok(schedule) => {
                    let nanoseconds = schedule.cycles * config.clock.period().0 / 1_000_000;
                    format!(
                        "{} ({}.{:02} us)",
                        schedule.cycles,
                        nanoseconds / 1000,
                        nanoseconds % 1000 / 10
                    )
                }
            };
            push(page, format_args!(" {text} |"));
        }
        page.push('\n');
    }
    page.push_str(
        "\nThe paper: (256, 256) is 3.5 times as fast as (256, 32), (4, 256) takes a quarter to three \
         quarters less\nthan (4, 32) (its words are ambiguous), and (256, 128) is 16 % faster than \
         (128, 128).\n",
    );
    Ok(())
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

fn variants() -> Vec<Variant> {
    let mut all = Vec::new();
    let mut add = |parameter, value: &dyn ToString, published, change: Box<dyn Fn(&mut Config)>| {
        all.push(Variant {
            parameter,
            value: value.to_string(),
            change,
            published,
        });
    };
    for latency in [5, 10, 20, 40] {
        let words = "hardly sensitive (figure 8)";
        add(
            "compute_latency",
            &latency,
            words,
            Box::new(move |c| c.compute_latency = latency),
        );
    }
    for (ii, words) in [
        (2, "+16 % (figure 8)"),
        (3, "about 1.5 times a step (figure 8)"),
        (4, ""),
    ] {
        add("ii", &ii, words, Box::new(move |c| c.ii = ii));
    }
    for (latency, words) in [
        (4, "base of figure 9"),
        (10, "+1.7 % over 4 (figure 9)"),
        (20, ""),
    ] {
        add(
            "load_store_latency",
            &latency,
            words,
            Box::new(move |c| c.load_store_latency = latency),
        );
    }
    for (latency, words) in [
        (4, "no change up to 7 (figure 9)"),
        (7, "no change"),
        (10, "marginal"),
        (20, ""),
    ] {
        add(
            "shuffle_latency",
            &latency,
            words,
            Box::new(move |c| c.shuffle_latency = latency),
        );
    }
    for gap in [1, 2] {
        add("gap", &gap, "open", Box::new(move |c| c.gap = gap));
    }
    for depth in [2, 4, 16, 64] {
        add(
            "queue_depth",
            &depth,
            "open",
            Box::new(move |c| c.queue_depth = depth),
        );
    }
    add(
        "busy_rule",
        &"one_bit",
        "open",
        Box::new(|c| c.busy_rule = BusyRule::OneBit),
    );
    add(
        "source_release",
        &"completion",
        "open",
        Box::new(|c| c.source_release = SourceRelease::Completion),
    );
    add(
        "busy_rule, source_release",
        &"one_bit, completion",
        "open",
        Box::new(|c| {
            c.busy_rule = BusyRule::OneBit;
            c.source_release = SourceRelease::Completion;
        }),
    );
    add(
        "vrf_map",
        &"quotient",
        "open",
        Box::new(|c| c.vrf_map = VrfMap::Quotient),
    );
    add(
        "vdm_map",
        &"modulo",
        "open",
        Box::new(|c| c.vdm_map = VdmMap::Modulo),
    );
    add(
        "load_store_pipes",
        &"separate",
        "open",
        Box::new(|c| c.load_store_pipes = LoadStorePipes::Separate),
    );
    all
}

fn push(page: &mut String, text: std::fmt::Arguments<'_>) {
    // Writing to a string cannot fail.
    let _ = page.write_fmt(text);
}
