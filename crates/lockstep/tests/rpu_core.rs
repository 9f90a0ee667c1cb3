//! `rpu_core` in lockstep with `crates/target-rpu`: hand-written and random programs, every issue,
//! stall, start, hold, busy bit, and every word that goes to a register, a bank or a scalar, paired.
//! And machines that differ from their simulator, caught in their first wrong cycle.
//!
//! The machines are `<name>.toml` beside `<name>.so` in the folder that RINGWRIGHT_LOCKSTEP_MODELS
//! names, made by `make test-rtl` from `hw/rpu/tb/lockstep_rpu_core.toml`.
//! RINGWRIGHT_LOCKSTEP_SEED chooses the programs, RINGWRIGHT_LOCKSTEP_RUNS how many.

mod compiled;
mod rpu_moves;

use compiled::compiled;
use ringwright_arith::Choices;
use ringwright_lockstep::{Difference, Lockstep, Model, PairingError, Rtl};
use ringwright_sim::{Cycle, TraceRecord};
use ringwright_spec::Machine;
use ringwright_target_rpu::config::{LoadStorePipes, SourceRelease, VdmMap};
use ringwright_target_rpu::isa::{
    assemble, encode_all, reciprocal, Instruction, Op, Program, Space,
};
use ringwright_target_rpu::random::{coverage, random_program, required, Coverage, Options};
use ringwright_target_rpu::{traced, Config, Memories, Schedule};
use rpu_moves::Moves;
use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};

/// Instructions of a random program, after those that prepare its registers.
const INSTRUCTIONS: usize = 120;

/// Cycles from the start to the first instruction in decode.
const START_CYCLES: u64 = 2;

/// Cycles after a program's end in which nothing may happen.
const QUIET: u64 = 8;

/// The modulus at the beginning of the scalar memory, for programs that bring none; words of the
/// memories are below it.
const MODULUS: u128 = (1 << (DATA_BITS + 1)) - 3;
const DATA_BITS: u32 = 17;

/// `rpu_pkg::memory_e`.
#[derive(Clone, Copy, Debug)]
enum Memory {
    Instruction,
    Scalar,
    Vector,
}

/// Where the output vector has the width of the port to off-chip memory.
const PORT_BYTES: u32 = 8;

/// The input vector of `hw/rpu/tb/lockstep_rpu_core.sv`.
type Inputs = [u32; 13];

const REQUEST: u32 = 1 << 2;
const WRITE: u32 = 1 << 3;
const START: u32 = 1 << 4;

fn access(memory: Memory, address: usize, data: Option<u128>) -> Inputs {
    let word = data.unwrap_or(0);
    let quarter = |i: u32| (word >> (32 * i)) as u32;
    let write = if data.is_some() { WRITE } else { 0 };
    let control = memory as u32 | REQUEST | write;
    let mut inputs = [0; 13];
    inputs[..4].copy_from_slice(&[0, 1, 2, 3].map(quarter));
    inputs[4..6].copy_from_slice(&[address as u32, control]);
    inputs
}

/// A machine, as RTL and as simulator.
struct Design {
    name: String,
    config: Config,
    library: PathBuf,
}

fn folder() -> PathBuf {
    let folder = std::env::var_os("RINGWRIGHT_LOCKSTEP_MODELS");
    PathBuf::from(folder.expect("RINGWRIGHT_LOCKSTEP_MODELS is not set; make test-rtl sets it"))
}

fn design(description: &Path) -> Design {
    let text = std::fs::read_to_string(description).expect("a machine description");
    let machine = Machine::parse(&description.display().to_string(), &text);
    let machine = machine.unwrap_or_else(|e| panic!("{e}"));
    Design {
        name: machine.name().to_owned(),
        config: Config::new(&machine).unwrap_or_else(|e| panic!("{e}")),
        library: description.with_extension("so"),
    }
}

fn designs() -> Vec<Design> {
    let files = std::fs::read_dir(folder()).expect("the folder of models");
    let mut descriptions: Vec<PathBuf> = files
        .map(|file| file.expect("a file").path())
        .filter(|path| path.extension().is_some_and(|e| e == "toml"))
        .collect();
    descriptions.sort();
    assert!(!descriptions.is_empty(), "no machine in the folder");
    descriptions.iter().map(|path| design(path)).collect()
}

fn number(variable: &str, otherwise: u64) -> u64 {
    let text = std::env::var(variable);
    text.map_or(otherwise, |text| text.parse().expect("a number"))
}

fn seed() -> u64 {
    number("RINGWRIGHT_LOCKSTEP_SEED", 1)
}

fn random_programs(config: &Config) -> Vec<Program> {
    let options = Options {
        instructions: INSTRUCTIONS,
        memory_order_error: false,
    };
    let runs = number("RINGWRIGHT_LOCKSTEP_RUNS", 1);
    (0..runs)
        .map(|run| random_program(seed() + run, config, options).expect("large memories"))
        .collect()
}

fn hand_written() -> Vec<Program> {
    let texts = [
        ("chain", include_str!("rpu_programs/chain.b512")),
        ("ports", include_str!("rpu_programs/ports.b512")),
        ("banks", include_str!("rpu_programs/banks.b512")),
    ];
    let read = |(name, text)| assemble(name, text).unwrap_or_else(|e| panic!("{e}"));
    texts.into_iter().map(read).collect()
}

/// A simulated run: its memories before and after, its times, its records.
struct Simulated {
    before: Memories,
    after: Memories,
    schedule: Schedule,
    records: Vec<TraceRecord>,
}

fn simulate(program: &Program, config: &Config) -> Simulated {
    let mut random = Choices::new(seed());
    let mut before = Memories::new(config);
    for word in before.vdm.iter_mut().chain(&mut before.sdm) {
        *word = u128::from(random.word() % (1 << DATA_BITS));
    }
    before.sdm[0] = MODULUS;
    before.sdm[1] = reciprocal(MODULUS, config.word_bits).expect("odd and narrow");
    let mut after = before.clone();
    let result = traced(program, config, &mut after);
    let (schedule, records) = result.unwrap_or_else(|e| panic!("{e}\n{program}"));
    program.data.iter().for_each(|segment| {
        let memory = match segment.space {
            Space::Vdm => &mut before.vdm,
            Space::Sdm => &mut before.sdm,
        };
        let first = segment.address as usize;
        memory[first..first + segment.words.len()].copy_from_slice(&segment.words);
    });
    Simulated {
        before,
        after,
        schedule,
        records,
    }
}

struct Bench {
    run: Lockstep,
    rtl: Rtl,
}

impl Bench {
    fn new(design: &Design, program: &Program) -> Self {
        let seed = seed();
        let (name, program) = (&design.name, &program.name);
        let replay = format!("pytest hw/test_lockstep_rpu.py --rtl-seed={seed}");
        let mut run = Lockstep::new(seed, format!("{replay} # {name}, {program}"));
        let rtl = Rtl::load(&design.library, seed, &mut run).unwrap_or_else(|e| panic!("{e}"));
        Bench { run, rtl }
    }

    /// A cycle in which the simulator does nothing.
    fn step(&mut self, inputs: &Inputs) -> Result<Vec<u32>, PairingError> {
        Ok(self.rtl.step(inputs, &mut self.run)?.to_vec())
    }

    fn fill(&mut self, memory: Memory, words: &[u128], first: usize) -> Result<(), PairingError> {
        for (i, &word) in words.iter().enumerate() {
            self.step(&access(memory, first + i, Some(word)))?;
        }
        Ok(())
    }

    /// Reads a memory back and compares it; a word is there a cycle after its address.
    fn compare(&mut self, memory: Memory, words: &[u128]) -> Result<(), PairingError> {
        self.step(&access(memory, 0, None))?;
        for (i, &word) in words.iter().enumerate() {
            let next = (i + 1) % words.len();
            let outputs = self.step(&access(memory, next, None))?;
            let found = (0..4).fold(0, |sum, q| sum | u128::from(outputs[q]) << (32 * q));
            assert_eq!(found, word, "word {i} of memory {}", memory as u32);
        }
        Ok(())
    }

    /// Starts what lies at `first`; the RTL keeps pace with the records until they have ended.
    fn play(
        &mut self,
        simulated: &Simulated,
        first: usize,
        count: usize,
        moves: &mut Moves,
    ) -> Result<(), PairingError> {
        let zero = self.rtl.cycle().0 + START_CYCLES;
        let mut records = simulated.records.clone();
        for record in &mut records {
            record.cycle = Cycle(record.cycle.0 + zero);
            if (record.unit, record.event) == ("front_end", "issue") {
                record.destination += first as u64;
            }
        }
        let mut model = Model::new(records);
        let mut inputs = [0; 13];
        inputs[4..6].copy_from_slice(&[first as u32, START | (count as u32) << 8]);
        let end = zero + simulated.schedule.cycles;
        while self.rtl.cycle().0 <= end + QUIET {
            let cycle = self.rtl.cycle();
            moves.offer(&mut inputs);
            let outputs = self.step(&inputs)?;
            moves.take(&outputs);
            model.step(cycle, &mut self.run)?;
            assert_eq!(outputs[4] & 2 != 0, cycle.0 == end, "done");
            if cycle.0 == end {
                let cycles = u64::from(outputs[5]);
                assert_eq!(cycles, simulated.schedule.cycles, "the cycle counter");
            }
            inputs = [0; 13];
        }
        Ok(())
    }
}

/// What lies in the instruction memory.
fn instructions(program: &Program) -> Vec<u128> {
    let words = encode_all(program).expect("legal");
    words.into_iter().map(u128::from).collect()
}

/// Fills the memories, runs the program, reads the memories back; returns the pairs.
fn run(
    design: &Design,
    program: &Program,
    simulated: &Simulated,
) -> Result<(u64, Lockstep), PairingError> {
    let mut bench = Bench::new(design, program);
    let words = instructions(program);
    let room = design.config.im_words - words.len();
    let first = Choices::new(seed()).below(room + 1);
    bench.fill(Memory::Instruction, &words, first)?;
    bench.fill(Memory::Vector, &simulated.before.vdm, 0)?;
    bench.fill(Memory::Scalar, &simulated.before.sdm, 0)?;
    bench.play(simulated, first, words.len(), &mut Moves::none())?;
    let paired = bench.run.paired();
    bench.compare(Memory::Vector, &simulated.after.vdm)?;
    bench.compare(Memory::Scalar, &simulated.after.sdm)?;
    Ok((paired, bench.run))
}

/// What the programs of a machine met: bins of their texts, and reasons to wait in their runs.
#[derive(Default)]
struct Met {
    bins: Coverage,
    /// Of these units and reasons, those that took cycles are set.
    reasons: BTreeMap<Reason, bool>,
    programs: usize,
    instructions: usize,
    cycles: u64,
    paired: u64,
}

impl Met {
    fn add(&mut self, program: &Program, config: &Config, simulated: &Simulated, paired: u64) {
        for (bin, count) in coverage(program, config) {
            *self.bins.entry(bin).or_default() += count;
        }
        for (unit, reason, cycles) in simulated.schedule.stalls.rows() {
            *self.reasons.entry((unit, reason)).or_default() |= cycles > 0;
        }
        self.programs += 1;
        self.instructions += program.instructions.len();
        self.cycles += simulated.schedule.cycles;
        self.paired += paired;
    }
}

/// A unit, and what its cycles went to.
type Reason = (&'static str, &'static str);

/// Rows that stay 0 on every machine: of what the unit does not do.
fn cannot_occur((unit, reason): Reason) -> bool {
    match reason {
        "initiation interval" => unit != "compute",
        "bank conflict" => ["compute", "shuffle"].contains(&unit),
        "row clash" => unit != "load_store",
        _ => false,
    }
}

#[test]
#[ignore = "needs verilated models: make test-rtl"]
fn rpu_core_is_its_simulator() {
    let mut reasons: BTreeMap<Reason, bool> = BTreeMap::new();
    let mut missing = BTreeSet::new();
    for design in designs() {
        let mut met = Met::default();
        for program in hand_written()
            .iter()
            .chain(&random_programs(&design.config))
        {
            let simulated = simulate(program, &design.config);
            let (paired, _) = run(&design, program, &simulated)
                .unwrap_or_else(|e| panic!("{}, {}\n{e}\n{program}", design.name, program.name));
            met.add(program, &design.config, &simulated, paired);
        }
        let wanted = required(&design.config);
        let covered = wanted
            .iter()
            .filter(|&bin| met.bins.contains_key(bin))
            .count();
        println!(
            "{}: {} programs, {} instructions, {} cycles, {} records equal, {covered} of {} bins",
            design.name,
            met.programs,
            met.instructions,
            met.cycles,
            met.paired,
            wanted.len()
        );
        let name = &design.name;
        let bins = wanted.into_iter().filter(|bin| !met.bins.contains_key(bin));
        missing.extend(bins.map(|bin| format!("{name}: {bin}")));
        for (reason, met) in met.reasons {
            *reasons.entry(reason).or_default() |= met;
        }
    }
    let occurred = reasons.values().filter(|&&met| met).count();
    println!("{occurred} of {} reasons of units", reasons.len());
    reasons.retain(|&reason, &mut met| !met && !cannot_occur(reason));
    missing.extend(
        reasons
            .into_keys()
            .map(|(unit, reason)| format!("{unit}: {reason}")),
    );
    assert!(missing.is_empty(), "not covered: {missing:#?}");
}

/// The machine with half the data memories: the rest is what moves.
fn halved(config: &Config) -> Config {
    Config {
        vdm_words: config.vdm_words / 2,
        sdm_words: config.sdm_words / 2,
        ..config.clone()
    }
}

/// Fills the memories and runs the program while lines move; returns the pairs and the lines.
fn run_beside_moves(
    design: &Design,
    program: &Program,
    simulated: &Simulated,
) -> Result<(u64, u64), PairingError> {
    let mut bench = Bench::new(design, program);
    let words = instructions(program);
    let config = &design.config;
    let whole = |words: &[u128], all: usize| {
        let mut words = words.to_vec();
        words.resize(all, 0);
        words
    };
    bench.fill(Memory::Instruction, &whole(&words, config.im_words), 0)?;
    let mut vectors = whole(&simulated.before.vdm, config.vdm_words);
    let mut scalars = whole(&simulated.before.sdm, config.sdm_words);
    bench.fill(Memory::Vector, &vectors, 0)?;
    bench.fill(Memory::Scalar, &scalars, 0)?;
    let port_bytes = bench.step(&[0; 13])?[4] >> PORT_BYTES;
    let mut moves = Moves::beside(config, port_bytes as usize, words.len(), seed());
    bench.play(simulated, 0, words.len(), &mut moves)?;
    let paired = bench.run.paired();
    vectors[..simulated.after.vdm.len()].copy_from_slice(&simulated.after.vdm);
    scalars[..simulated.after.sdm.len()].copy_from_slice(&simulated.after.sdm);
    let instructions = whole(&words, config.im_words);
    for (memory, mut words) in [
        (Memory::Vector, vectors),
        (Memory::Scalar, scalars),
        (Memory::Instruction, instructions),
    ] {
        moves.apply(memory, &mut words);
        bench.compare(memory, &words)?;
    }
    Ok((paired, moves.lines))
}

/// What moves beside a program changes none of its cycles and none of its words.
#[test]
#[ignore = "needs verilated models: make test-rtl"]
fn moves_beside_a_program_change_nothing() {
    for design in designs() {
        let config = halved(&design.config);
        let (mut cycles, mut records, mut moved) = (0, 0, 0);
        for program in &random_programs(&config) {
            let simulated = simulate(program, &config);
            let (paired, lines) = run_beside_moves(&design, program, &simulated)
                .unwrap_or_else(|e| panic!("{}, {}\n{e}\n{program}", design.name, program.name));
            cycles += simulated.schedule.cycles;
            records += paired;
            moved += lines;
        }
        let name = &design.name;
        println!("{name}: {moved} lines moved beside {cycles} cycles, {records} records equal");
        assert!(moved > 0, "{name}");
    }
}

/// log2 of the degrees of compiled kernels, the largest that most of them have memory for here and
/// one with room for all.
const DEGREES: [u32; 2] = [10, 8];

#[test]
#[ignore = "needs verilated models: make test-rtl"]
fn compiled_kernels_run_on_the_core() {
    let mut names = BTreeSet::new();
    for design in designs() {
        for log_n in DEGREES {
            for kernel in compiled(&design.config, log_n) {
                let program = &kernel.program;
                let simulated = simulate(program, &design.config);
                let result = &simulated.after.vdm[..kernel.expected.len()];
                assert_eq!(result, kernel.expected, "{}, {}", design.name, program.name);
                let (paired, _) = run(&design, program, &simulated)
                    .unwrap_or_else(|e| panic!("{}, {}\n{e}", design.name, program.name));
                let (name, cycles) = (&design.name, simulated.schedule.cycles);
                println!(
                    "{name}, {}: {cycles} cycles, {paired} records equal",
                    program.name
                );
                names.insert(program.name.clone());
            }
        }
    }
    for kernel in [
        "ntt of 2^10",
        "intt of 2^10",
        "mul of 2^10",
        "convolve of 2^8",
    ] {
        let ran = names.iter().any(|name| name.starts_with(kernel));
        assert!(ran, "{kernel} words fitted no machine: {names:?}");
    }
}

fn difference(error: PairingError) -> Difference {
    match error {
        PairingError::Difference(difference) => *difference,
        other => panic!("{other}"),
    }
}

/// The first cycle in which two traces differ.
fn first_difference(one: &[TraceRecord], other: &[TraceRecord]) -> Option<u64> {
    let key = |r: &TraceRecord| (r.cycle.0, r.unit, r.event, r.destination, r.value);
    let sorted = |records: &[TraceRecord]| {
        let mut keys: Vec<_> = records.iter().map(key).collect();
        keys.sort_unstable();
        keys
    };
    let (one, other) = (sorted(one), sorted(other));
    let first = one.iter().zip(&other).find(|(a, b)| a != b);
    first.map(|(a, b)| a.0.min(b.0))
}

/// Runs a program against records that are not those of the design; where that was found.
fn caught(design: &Design, program: &Program, wrong: &Simulated) -> u64 {
    let mut bench = Bench::new(design, program);
    let words = instructions(program);
    let mut fill = || {
        bench.fill(Memory::Instruction, &words, 0)?;
        bench.fill(Memory::Vector, &wrong.before.vdm, 0)?;
        bench.fill(Memory::Scalar, &wrong.before.sdm, 0)
    };
    fill().unwrap_or_else(|e| panic!("{e}"));
    let zero = bench.rtl.cycle().0 + START_CYCLES;
    let found = bench
        .play(wrong, 0, words.len(), &mut Moves::none())
        .expect_err("a difference");
    difference(found).cycle().0 - zero
}

#[test]
#[ignore = "needs verilated models: make test-rtl"]
fn a_wrong_unit_is_caught_in_its_first_wrong_cycle() {
    let all = designs();
    let base = all
        .iter()
        .find(|design| design.name == "base")
        .expect("the base machine");
    let program = &random_programs(&base.config)[0];
    let sound = simulate(program, &base.config);
    let wrong: [fn(&mut Config); 8] = [
        |c| c.compute_latency += 1,
        |c| c.shuffle_latency += 1,
        |c| c.load_store_latency += 1,
        |c| c.gap += 1,
        |c| c.queue_depth -= 1,
        |c| c.source_release = SourceRelease::Completion,
        |c| c.load_store_pipes = LoadStorePipes::Separate,
        |c| c.vdm_map = VdmMap::Modulo,
    ];
    for (number, change) in wrong.into_iter().enumerate() {
        let mut config = base.config.clone();
        change(&mut config);
        let mut simulated = simulate(program, &config);
        simulated.before = sound.before.clone();
        let expected = first_difference(&sound.records, &simulated.records);
        let expected = expected.unwrap_or_else(|| panic!("change {number} changes nothing"));
        assert_eq!(
            caught(base, program, &simulated),
            expected,
            "change {number}"
        );
    }
}

#[test]
#[ignore = "needs verilated models: make test-rtl"]
fn one_wrong_bit_is_caught_in_its_cycle() {
    let all = designs();
    let base = all
        .iter()
        .find(|design| design.name == "base")
        .expect("the base machine");
    let program = &random_programs(&base.config)[0];
    for event in [
        ("vrf", "write"),
        ("vdm", "write"),
        ("busyboard", "read_clear"),
    ] {
        let mut simulated = simulate(program, &base.config);
        let of_event = |r: &&mut TraceRecord| (r.unit, r.event) == event;
        let mut records: Vec<_> = simulated.records.iter_mut().filter(of_event).collect();
        let middle = records.len() / 2;
        records[middle].value ^= 1;
        let cycle = records[middle].cycle.0;
        assert_eq!(caught(base, program, &simulated), cycle, "{event:?}");
    }
}

/// A lane that adds where it should subtract is caught when it writes its first wrong row.
#[test]
#[ignore = "needs verilated models: make test-rtl"]
fn a_lane_that_adds_is_caught_at_its_first_difference() {
    let mut all = designs().into_iter();
    let mut design = all
        .find(|design| design.name == "short")
        .expect("its machine");
    design.library = folder().join("adding.so");
    let program = random_programs(&design.config).swap_remove(0);
    let simulated = simulate(&program, &design.config);
    let times = &simulated.schedule.instructions;
    let starts = program.instructions.iter().zip(times).filter(|(i, _)| {
        matches!(
            i,
            Instruction::Vector { op: Op::Sub, .. } | Instruction::VectorScalar { op: Op::Sub, .. }
        )
    });
    let first = starts
        .map(|(_, times)| times.start)
        .min()
        .expect("a difference");
    let expected = first + design.config.compute_latency;
    assert_eq!(caught(&design, &program, &simulated), expected);
}
