//! `medha_core` in lockstep with `crates/target-medha`: products with relinearisation and random programs,
//! every beginning and end of a microinstruction and every word written to a memory paired. And broken units,
//! caught in their first wrong cycle.
//!
//! The memory behind the lanes is the test's: each move takes the time that the simulator says, or a time
//! drawn at random, which the simulator is told. Needs the libraries that `make test-rtl` builds, each beside
//! the description of its machine, in the folder that RINGWRIGHT_LOCKSTEP_MODELS names;
//! RINGWRIGHT_LOCKSTEP_SEED chooses programs, words and times.

use ringwright_arith::primes::ntt_primes;
use ringwright_arith::Choices;
use ringwright_ir::generate::{self, Product};
use ringwright_ir::ring::{Module, RingKind};
use ringwright_lockstep::{Lockstep, Model, PairingError, Rtl};
use ringwright_sim::{in_order, Cycle, TraceRecord};
use ringwright_spec::Machine;
use ringwright_target::Interval;
use ringwright_target_medha::check::{check, MicrocodeError};
use ringwright_target_medha::encode::encode;
use ringwright_target_medha::image::{moduli, plan, Plan, Run};
use ringwright_target_medha::lower::allocate::{Microprogram, Placed};
use ringwright_target_medha::lower::{lower, Lowered};
use ringwright_target_medha::microcode::{
    Address, Bank, Function, Instruction, Slot, Stages, MOST_LANES,
};
use ringwright_target_medha::ntt_core::NttCore;
use ringwright_target_medha::run::{watch_call, Rpaus};
use ringwright_target_medha::shape::{link, Shape};
use ringwright_target_medha::timing::intervals;
use ringwright_target_medha::Config;
use ringwright_towers::{Memory, Shelf, Words};
use std::collections::{BTreeSet, HashMap, VecDeque};
use std::path::{Path, PathBuf};

const TABLE_CODE: u64 = 0;
const TABLE_ENTRIES: u64 = 1;
const TABLE_ARGUMENTS: u64 = 2;
const TABLE_CONSTANTS: u64 = 3;
const TABLE_MODULUS: u64 = 4;
const TABLE_FACTORS: u64 = 5;

fn setting(name: &str) -> Option<String> {
    std::env::var(format!("RINGWRIGHT_LOCKSTEP_{name}")).ok()
}

fn number(name: &str, default: u64) -> u64 {
    setting(name).map_or(default, |text| text.parse().expect("a number"))
}

/// A library with its machine.
struct Built {
    machine: Machine,
    config: Config,
    library: PathBuf,
}

fn machines() -> Vec<Built> {
    let folder = PathBuf::from(setting("MODELS").expect("make test-rtl sets it"));
    let files = std::fs::read_dir(&folder).expect("a folder");
    let mut files: Vec<PathBuf> = files.map(|entry| entry.expect("read").path()).collect();
    files.sort();
    files.retain(|file| file.extension().is_some_and(|end| end == "toml"));
    files.iter().map(|file| built(file)).collect()
}

fn built(file: &Path) -> Built {
    let text = std::fs::read_to_string(file).expect("read");
    let machine = Machine::parse(&file.display().to_string(), &text).expect("allowed");
    Built {
        config: Config::new(&machine).expect("buildable"),
        library: file.with_extension("so"),
        machine,
    }
}

/// The design with the memory behind its lanes.
struct Bench<'a> {
    config: &'a Config,
    shape: Shape,
    rtl: Rtl,
    run: Lockstep,
    input: Vec<u32>,
    memory: HashMap<u64, Vec<u64>>,
}

/// A move on its way: begun in which cycle, which bytes, which cycles its rows come or leave in.
struct Move {
    stores: bool,
    address: u64,
    /// Cycles in which rows come, of a load; first to last.
    rows: VecDeque<u64>,
    /// The cycle in which it is written, of a store.
    end: u64,
    words: Vec<u64>,
}

impl<'a> Bench<'a> {
    fn new(built: &'a Built, shape: Shape, seed: u64, replay: &str) -> Self {
        let mut run = Lockstep::new(seed, replay);
        let rtl = Rtl::load(&built.library, seed, &mut run);
        let rtl = rtl.unwrap_or_else(|error| panic!("{error}"));
        Bench {
            config: &built.config,
            shape,
            input: vec![0; rtl.input_words()],
            rtl,
            run,
            memory: HashMap::new(),
        }
    }

    fn put(&mut self, bit: usize, width: usize, value: u64) {
        for place in 0..width {
            let at = bit + place;
            let word = &mut self.input[at / 32];
            *word &= !(1 << (at % 32));
            *word |= ((value >> place & 1) as u32) << (at % 32);
        }
    }

    fn step(&mut self) -> Result<Vec<u64>, PairingError> {
        let output = self.rtl.step(&self.input, &mut self.run)?;
        let pairs = output.chunks(2);
        let word = |pair: &[u32]| u64::from(pair[0]) | u64::from(*pair.get(1).unwrap_or(&0)) << 32;
        Ok(pairs.map(word).collect())
    }

    /// A word of a table.
    fn set(&mut self, unit: usize, table: u64, address: u64, data: [u64; 2]) {
        self.put(0, 64, data[0]);
        self.put(64, 64, data[1]);
        self.put(128, 24, address);
        self.put(152, 5, unit as u64);
        self.put(157, 3, table);
        self.put(160, 1, 1);
        self.quiet();
        self.put(160, 1, 0);
    }

    /// A cycle of which the simulator knows nothing.
    fn quiet(&mut self) {
        let at = self.rtl.cycle();
        let (_, records) = self.rtl.watch(&self.input);
        assert_eq!(records.count(), 0, "{at:?}: records while tables are set");
    }

    /// Primes and factors.
    fn prepare(&mut self, program: &Lowered) {
        self.put(161, 1, 1);
        self.put(162, 5, self.shape.log_n.into());
        self.quiet();
        self.put(161, 1, 0);
        for (rpau, prime) in program.primes.iter().enumerate() {
            let Some(q) = *prime else { continue };
            let words = moduli(self.config, rpau, q);
            for (address, word) in (0..).zip(words) {
                self.set(rpau, TABLE_MODULUS, address, [word, 0]);
            }
            let core = NttCore::new(&self.shape, q as u64).expect("a prime");
            for (direction, table) in (0..).zip(core.tables()) {
                let first = direction << self.config.max_log_n;
                for (address, &factor) in (first..).zip(table) {
                    self.set(rpau, TABLE_FACTORS, address, [factor, 0]);
                }
            }
        }
    }

    /// A run's microcode and tables; its entry is `kernel`.
    fn load(&mut self, plan: &Plan, run: &Run, kernel: u64, first: u64) {
        let code = &plan.kernels[run.kernel].1;
        for (rpau, own) in code.rpaus.iter().enumerate() {
            for (stream, words) in (0..).zip(&own.streams) {
                assert!(words.len() + (first as usize) < self.config.code_words);
                for (address, &[micro, waits]) in (first..).zip(words) {
                    self.set(rpau, TABLE_CODE, stream << 20 | address, [waits, micro]);
                }
                self.set(rpau, TABLE_ENTRIES, stream << 20 | kernel, [first, 0]);
            }
            for (address, &slot) in (0..).zip(&run.slots[rpau]) {
                self.set(rpau, TABLE_ARGUMENTS, address, [slot.into(), 0]);
            }
            for (address, &constant) in (0..).zip(&run.constants[rpau]) {
                self.set(rpau, TABLE_CONSTANTS, address, constant);
            }
        }
        for (lane, words) in code.lanes.iter().enumerate() {
            for (address, &[micro, waits]) in (first..).zip(words) {
                self.set(16 + lane, TABLE_CODE, address, [waits, micro]);
            }
            self.set(16 + lane, TABLE_ENTRIES, kernel, [first, 0]);
            let [operands, own] = &run.addresses;
            for (first, table) in [(self.config.arguments as u64, operands), (0, own)] {
                for (address, &byte) in (first..).zip(table) {
                    self.set(16 + lane, TABLE_ARGUMENTS, address, [byte, 0]);
                }
            }
        }
    }

    /// Runs a kernel that was loaded: its records are the model's, moves take the time that they should.
    fn kernel(
        &mut self,
        kernel: u64,
        records: Vec<TraceRecord>,
        mut moves: Vec<VecDeque<Move>>,
    ) -> Result<(), PairingError> {
        self.put(167, 1, 1);
        self.put(168, 5, kernel);
        let start = self.rtl.cycle().0;
        let later = |record: TraceRecord| TraceRecord {
            cycle: Cycle(record.cycle.0 + start),
            ..record
        };
        let mut model = Model::new(records.into_iter().map(later).collect());
        for cycle in 0.. {
            assert!(cycle < 1_000_000, "no end");
            self.lanes(cycle, &moves);
            model.step(self.rtl.cycle(), &mut self.run)?;
            let output = self.step()?;
            self.put(167, 1, 0);
            let wrong = output[0] >> 2 & 7;
            assert_eq!(
                wrong,
                0,
                "RPAU {}, cycle {cycle}: refused",
                output[0] >> 5 & 15
            );
            for (lane, moves) in moves.iter_mut().enumerate() {
                self.after(cycle, &output[1 + 10 * lane..][..10], moves);
            }
            if cycle > 1 && output[0] >> 1 & 1 == 1 {
                break;
            }
        }
        assert!(
            moves.iter().all(VecDeque::is_empty),
            "moves that nobody asked for"
        );
        // What is on its way when the streams have ended.
        for _ in 0..100 {
            model.step(self.rtl.cycle(), &mut self.run)?;
            self.step()?;
        }
        Ok(())
    }

    /// What the memory does in a cycle.
    fn lanes(&mut self, cycle: u64, moves: &[VecDeque<Move>]) {
        let banks = self.config.banks();
        for (lane, moves) in moves.iter().enumerate() {
            let base = 192 + 576 * lane;
            self.put(base + 512, 3, 0);
            let Some(first) = moves.front() else { continue };
            if first.stores {
                self.put(base + 513, 1, 1);
                self.put(base + 514, 1, u64::from(first.end == cycle));
            } else if first.rows.front() == Some(&cycle) {
                let row = self.shape.rows() as usize - first.rows.len();
                let words = self.memory[&first.address][row * banks..][..banks].to_vec();
                for (bank, word) in words.into_iter().enumerate() {
                    self.put(base + 64 * bank, 64, word);
                }
                self.put(base + 512, 1, 1);
            }
        }
    }

    /// As the memory would answer, whatever the design does: rows that come are 0.
    fn answer(&mut self, cycle: u64, program: &Microprogram, intervals: &[Interval]) {
        let count = self.shape.rows();
        for lane in 0..self.config.dma_lanes {
            self.put(192 + 576 * lane + 512, 3, 0b010);
        }
        for (placed, interval) in program.all.iter().zip(intervals) {
            let lane = usize::from(placed.instruction.unit(placed.rpau));
            let last = interval.end - 2;
            match placed.instruction {
                Instruction::Load { .. } if (last + 1 - count..=last).contains(&cycle) => {
                    self.put(192 + 576 * lane + 512, 1, 1);
                }
                Instruction::Store { .. } if cycle + 1 == interval.end => {
                    self.put(192 + 576 * lane + 514, 1, 1);
                }
                _ => {}
            }
        }
    }

    /// What the lane did in it.
    fn after(&mut self, cycle: u64, output: &[u64], moves: &mut VecDeque<Move>) {
        let (address, flags) = (output[8], output[9]);
        let Some(first) = moves.front_mut() else {
            assert_eq!(flags & 5, 0, "cycle {cycle}: a lane without a move");
            return;
        };
        if flags & 1 == 1 {
            assert_eq!(
                (flags >> 1 & 1 == 1, address),
                (first.stores, first.address)
            );
        }
        if flags >> 2 & 1 == 1 {
            first.words.extend(&output[..self.config.banks()]);
        }
        if first.rows.front() == Some(&cycle) {
            first.rows.pop_front();
        }
        let over = match first.stores {
            true => first.end == cycle,
            false => first.rows.is_empty(),
        };
        if over {
            let done = moves.pop_front().expect("a move");
            if done.stores {
                assert_eq!(done.words.len(), self.shape.n(), "a store is whole");
                self.memory.insert(done.address, done.words);
            }
        }
    }
}

/// Names of units and events live as long as the records that bear them.
fn kept(name: String, names: &mut BTreeSet<&'static str>) -> &'static str {
    match names.get(name.as_str()) {
        Some(known) => known,
        None => {
            let new: &'static str = Box::leak(name.into_boxed_str());
            names.insert(new);
            new
        }
    }
}

/// What the simulator says of a kernel.
struct Expected<'a> {
    config: &'a Config,
    shape: &'a Shape,
    cores: Vec<Option<NttCore>>,
    names: BTreeSet<&'static str>,
    records: Vec<TraceRecord>,
}

impl Expected<'_> {
    fn push(&mut self, cycle: u64, unit: String, event: String, destination: u64, value: u64) {
        let record = TraceRecord {
            cycle: Cycle(cycle),
            unit: kept(unit, &mut self.names),
            event: kept(event, &mut self.names),
            destination,
            value: value.into(),
        };
        self.records.push(record);
    }

    /// Its unit began and ended.
    fn of_unit(&mut self, placed: &Placed, interval: Interval, ordinal: u64) {
        let unit = usize::from(placed.instruction.unit(placed.rpau));
        let (unit, name) = match unit.checked_sub(MOST_LANES) {
            None => (format!("lane{unit}"), ""),
            Some(of) => {
                let names = ["ntt ", "dyadic ", "link "];
                (format!("rpau{}", of / 3), names[of % 3])
            }
        };
        self.push(
            interval.start,
            unit.clone(),
            format!("{name}begin"),
            ordinal,
            0,
        );
        self.push(interval.end - 1, unit, format!("{name}end"), ordinal, 0);
    }

    /// A word of a slot is written.
    fn write(&mut self, cycle: u64, rpau: u8, slot: (Bank, u8), at: (usize, usize), word: u64) {
        let (bank, row) = at;
        let row = u64::from(slot.1) * self.shape.rows() + row as u64;
        let destination = row * self.config.banks() as u64 + bank as u64;
        let unit = format!("rpau{rpau}");
        match slot.0 {
            Bank::VIRTUAL => {
                let spare = self.config.bits(rpau.into()).div_ceil(3);
                for part in 1..4 {
                    let cut = word >> ((part - 1) * spare) & ((1 << spare) - 1);
                    self.push(cycle, unit.clone(), format!("v{part}"), destination, cut);
                }
            }
            Bank(memory) => self.push(cycle, unit, format!("m{memory}"), destination, word),
        }
    }

    /// A row of a tower in the order of its words, in all banks.
    fn row(&mut self, cycle: u64, rpau: u8, slot: (Bank, u8), row: usize, words: &[u64]) {
        let banks = self.config.banks();
        let first = row * banks;
        for (word, &value) in (first..).zip(&words[first..first + banks]) {
            let at = (self.shape.bank(word), row);
            self.write(cycle, rpau, slot, at, value);
        }
    }

    /// What a microinstruction writes, and when.
    fn writes(
        &mut self,
        placed: &Placed,
        begin: u64,
        slot_of: &dyn Fn(u8, Slot) -> (Bank, u8),
        read: &[Words],
        made: &Words,
        rows: &[u64],
    ) {
        let (config, own) = (self.config, placed.rpau);
        let first = begin + config.issue_cycles;
        let all = 0..self.shape.rows() as usize;
        match &placed.instruction {
            Instruction::Transform {
                inverse,
                stages,
                to,
                ..
            } => {
                let period = self.shape.stage(config);
                let wanted = match stages {
                    Stages::All => 0..self.shape.log_n as usize,
                    Stages::First => 0..1,
                    Stages::Rest => 1..self.shape.log_n as usize,
                };
                let mut written = Vec::new();
                let core = self.cores[usize::from(own)].as_ref().expect("a prime");
                core.watch(&read[0], *inverse, &mut |stage, row, words| {
                    if wanted.contains(&stage) {
                        let at = (stage - wanted.start) as u64 * period + row as u64;
                        let cycle = first + at + config.ntt_latency - 1;
                        written.extend(words.iter().map(|&word| (cycle, word)));
                    }
                });
                let slot = slot_of(own, *to);
                for (cycle, (bank, row, word)) in written {
                    self.write(cycle, own, slot, (bank, row), word);
                }
            }
            Instruction::Dyadic {
                function: Function::Automorphism(galois, domain),
                to,
                ..
            } => {
                // Words of a row go one after the other to a bank, the lowest bank's first.
                let (slot, banks) = (slot_of(own, *to), config.banks());
                let mut cycle = first + 1;
                for row in all {
                    let mut waiting: Vec<usize> = (row * banks..(row + 1) * banks).collect();
                    waiting.sort_by_key(|&word| self.shape.bank(word));
                    while !waiting.is_empty() {
                        let mut taken = BTreeSet::new();
                        let mut left = Vec::new();
                        for word in waiting {
                            let place = self.shape.image(*galois, *domain, word);
                            let bank = self.shape.bank(place);
                            match taken.insert(bank) {
                                true => {
                                    let at = (bank, place >> self.shape.log_banks);
                                    self.write(cycle + 1, own, slot, at, made[place]);
                                }
                                false => left.push(word),
                            }
                        }
                        waiting = left;
                        cycle += 1;
                    }
                }
            }
            Instruction::Dyadic { to, .. } => {
                let slot = slot_of(own, *to);
                let passes = (placed.cycles - config.issue_cycles - config.dyadic_latency + 1)
                    / self.shape.rows();
                for row in all {
                    let cycle = first + (row as u64 + 1) * passes - 1 + config.dyadic_latency - 1;
                    self.row(cycle, own, slot, row, made);
                }
            }
            Instruction::Send { to, .. } => {
                let count = config.rpaus;
                let mut way = 0;
                for hop in 1..=count {
                    let before = (usize::from(own) + hop - 1) % count;
                    way += link(config, before);
                    let at = ((before + 1) % count) as u8;
                    let Some(&(_, slot)) = to.iter().find(|(rpau, _)| *rpau == at) else {
                        continue;
                    };
                    let slot = slot_of(at, slot);
                    for row in all.clone() {
                        self.row(first + row as u64 + way, at, slot, row, made);
                    }
                }
            }
            Instruction::Load { to, .. } => {
                let slot = slot_of(own, *to);
                for (row, &cycle) in rows.iter().enumerate() {
                    self.row(cycle + 1, own, slot, row, made);
                }
            }
            Instruction::Store { .. } | Instruction::Wait(_) => {}
        }
    }
}

/// A program in lockstep; how many records were equal. `stalls`: moves take times at random.
fn lockstep(
    built: &Built,
    module: &Module,
    seed: u64,
    stalls: bool,
    replay: &str,
) -> Result<u64, PairingError> {
    let config = &built.config;
    let program = lower(config, module).expect("lowers");
    let plan = plan(config, &program, 0).expect("has words");
    let shape = program.shape.clone();
    let mut bench = Bench::new(built, shape.clone(), seed, replay);
    bench.prepare(&program);
    let core = |q: &Option<u128>| q.map(|q| NttCore::new(&shape, q as u64).expect("a prime"));
    let mut expected = Expected {
        config,
        shape: &shape,
        cores: program.primes.iter().map(core).collect(),
        names: BTreeSet::new(),
        records: Vec::new(),
    };
    let rpaus = Rpaus::new(config, module.log_n, &program.primes).expect("primes");
    let inputs = generate::inputs(seed, module);
    let mut memory = Shelf::new(program.program.towers);
    memory.load(&program.program.inputs, &inputs);
    let bytes = shape.bytes();
    for place in program
        .program
        .inputs
        .iter()
        .flat_map(|value| value.towers())
    {
        let words = memory.tower(place).expect("loaded").to_vec();
        bench.memory.insert(u64::from(place) * bytes, words);
    }
    let mut random = Choices::new(seed);
    for (number, run) in (0..).zip(&plan.runs) {
        let kernel = number % 32;
        bench.load(&plan, run, kernel, number % 7);
        let (microprogram, code) = &plan.kernels[run.kernel];
        let mut timed: Microprogram = microprogram.clone();
        for placed in timed.all.iter_mut().filter(|_| stalls) {
            if let Instruction::Load { .. } | Instruction::Store { .. } = placed.instruction {
                placed.cycles += (random.below(40) * random.below(20)) as u64;
            }
        }
        let intervals = intervals(config, &shape, &timed);
        let argument = |rpau: u8, number: u32| {
            let known = &code.rpaus[usize::from(rpau)].arguments;
            let place = known.iter().position(|other| *other == number);
            run.slots[usize::from(rpau)][place.expect("an argument")]
        };
        let slot_of = |rpau: u8, slot: Slot| match slot {
            Slot::At(bank, number) => (bank, number),
            Slot::Argument(bank, number) => (bank, argument(rpau, number)),
        };
        // Rows of moves, each within its time.
        let mut moves: Vec<VecDeque<Move>> =
            (0..config.dma_lanes).map(|_| VecDeque::new()).collect();
        let mut ordinals = [0u64; 64];
        let mut rows_of = Vec::with_capacity(timed.all.len());
        for (placed, &interval) in timed.all.iter().zip(&intervals) {
            let unit = usize::from(placed.instruction.unit(placed.rpau));
            expected.of_unit(placed, interval, ordinals[unit]);
            ordinals[unit] += 1;
            let last = interval.end - 2;
            let count = shape.rows();
            let mut rows: Vec<u64> = (0..count).map(|row| last - (count - 1 - row)).collect();
            if stalls {
                // As early as a request can be answered, and as late as leaves time for the rest.
                let mut least = interval.start + config.issue_cycles + 1;
                for (row, cycle) in (0..).zip(&mut rows) {
                    let most = last - (count - 1 - row);
                    *cycle = match row + 1 == count {
                        true => last,
                        false => (least + random.below(3) as u64).min(most),
                    };
                    least = *cycle + 1;
                }
            }
            let (stores, address) = match &placed.instruction {
                Instruction::Load { from, .. } => (false, *from),
                Instruction::Store { to, .. } => (true, *to),
                _ => {
                    rows_of.push(Vec::new());
                    continue;
                }
            };
            let address = match address {
                Address::Argument(n) => run.addresses[0][n as usize],
                Address::Spilled(n) => run.addresses[1][n as usize],
            };
            moves[unit].push_back(Move {
                stores,
                address,
                rows: if stores {
                    VecDeque::new()
                } else {
                    rows.iter().copied().collect()
                },
                end: interval.end - 1,
                words: Vec::new(),
            });
            rows_of.push(rows);
        }
        match run.call {
            Some(call) => {
                let mut at = 0;
                let call = &program.program.calls[call];
                // The rest of a transform is computed from what its first stage read.
                let mut begun: HashMap<u8, Vec<Words>> = HashMap::new();
                watch_call(&program, &rpaus, call, &mut memory, &mut |did| {
                    let mut read = did.read;
                    if let Instruction::Transform { stages, .. } = &did.placed.instruction {
                        match stages {
                            Stages::First => drop(begun.insert(did.placed.rpau, read.clone())),
                            Stages::Rest => read = begun.remove(&did.placed.rpau).expect("begun"),
                            Stages::All => {}
                        }
                    }
                    let placed = &timed.all[at];
                    let begin = intervals[at].start;
                    expected.writes(placed, begin, &slot_of, &read, &did.made, &rows_of[at]);
                    at += 1;
                })
                .expect("runs");
            }
            None => {
                for (at, placed) in timed.all.iter().enumerate() {
                    if let Instruction::Load { from, .. } = &placed.instruction {
                        let Address::Argument(n) = from else {
                            panic!("a load of an operand");
                        };
                        let address = run.addresses[0][*n as usize];
                        let words = Words::new(bench.memory[&address].clone().into());
                        let begin = intervals[at].start;
                        expected.writes(placed, begin, &slot_of, &[], &words, &rows_of[at]);
                    }
                }
            }
        }
        let records = in_order([std::mem::take(&mut expected.records)]);
        bench.kernel(kernel, records, moves)?;
    }
    // What is in memory behind it is the result.
    for place in program
        .program
        .outputs
        .iter()
        .flat_map(|value| value.towers())
    {
        let words = memory.tower(place).expect("a result");
        assert_eq!(bench.memory[&(u64::from(place) * bytes)], words.to_vec());
    }
    bench.run.finish()
}

/// A module that the machine takes.
fn random_module(built: &Built, log_n: u32, seed: u64) -> Option<Module> {
    let primes = ntt_primes(30, log_n, built.config.rpaus).expect("primes");
    let shape = generate::Shape {
        kind: RingKind::Standard,
        log_n,
        primes,
        helpers: 1,
        ops: 6,
    };
    let module = generate::module(seed, &shape).ok()?;
    let lowered = lower(&built.config, &module).ok()?;
    let fits = plan(&built.config, &lowered, 0).is_ok_and(|plan| plan.runs.len() < 200);
    fits.then_some(module)
}

fn product(built: &Built, log_n: u32) -> Module {
    let levels = built.config.rpaus as u16 - 1;
    Product::new(log_n, built.config.word_bits, levels, 1).alone()
}

const REPLAY: &str = "pytest hw/test_lockstep_medha.py --rtl-seed SEED";

#[test]
#[ignore = "needs the libraries that make test-rtl builds"]
fn medha_core_is_its_simulator() {
    let seed = number("SEED", 1);
    for built in machines() {
        let name = built.machine.name().to_owned();
        let mut records = 0;
        for log_n in [8, 10] {
            for stalls in [false, true] {
                let module = product(&built, log_n);
                let paired = lockstep(&built, &module, seed, stalls, REPLAY);
                records += paired.unwrap_or_else(|error| panic!("{name}: {error}"));
            }
        }
        let mut left = number("RUNS", 6);
        for seed in seed.. {
            let log_n = if seed % 2 == 0 { 8 } else { 5 };
            let Some(module) = random_module(&built, log_n, seed) else {
                continue;
            };
            let paired = lockstep(&built, &module, seed, seed % 3 == 0, REPLAY);
            records += paired.unwrap_or_else(|error| panic!("{name}, program {seed}: {error}"));
            left -= 1;
            if left == 0 {
                break;
            }
        }
        println!("{name}: {records} records equal");
    }
}

/// What becomes of a product whose microinstructions do not wait: simulator and RTL refuse the same ones.
#[test]
#[ignore = "needs the libraries that make test-rtl builds"]
fn microcode_that_does_not_wait_is_refused_on_both_sides() {
    let seed = number("SEED", 1);
    let built = machines().remove(0);
    let config = &built.config;
    let module = product(&built, 5);
    let program = lower(config, &module).expect("lowers");
    let part = &program.parts[0];
    let operands = part.graph.param_towers as u32;
    let (mut refused, mut taken) = (BTreeSet::new(), 0);
    for at in (0..part.microprogram.all.len()).step_by(4) {
        if part.microprogram.all[at].after.is_empty() {
            continue;
        }
        let mut hasty = part.microprogram.clone();
        hasty.all[at].after.clear();
        let intervals = intervals(config, &program.shape, &hasty);
        let theirs = check_in_order(&hasty, &intervals, operands);
        let ours = refusal(&built, &program, &hasty, seed);
        let text = &hasty.all[at].instruction;
        match (&theirs, ours) {
            (Some(error), Some((code, rpau))) => {
                assert_eq!(error.rpau, rpau, "{text}: {error}");
                refused.insert(code);
            }
            (None, None) => taken += 1,
            // A tower on its way is nobody's until it arrives.
            (Some(error), None) => assert!(
                matches!(hasty.all[at].instruction, Instruction::Send { .. }),
                "{text}: {error}"
            ),
            (None, Some(code)) => panic!("{text}: refused by RTL alone, {code:?}"),
        }
    }
    println!("refused for {refused:?}, {taken} waits that another one covers");
    assert!(refused.len() >= 2);
}

/// What the simulator says; its check takes a list in the order of beginnings.
fn check_in_order(
    program: &Microprogram,
    intervals: &[Interval],
    operands: u32,
) -> Option<MicrocodeError> {
    let mut order: Vec<usize> = (0..intervals.len()).collect();
    order.sort_by_key(|&at| intervals[at].start);
    let sorted = Microprogram {
        all: order.iter().map(|&at| program.all[at].clone()).collect(),
        spilled: program.spilled,
    };
    let intervals: Vec<Interval> = order.iter().map(|&at| intervals[at]).collect();
    check(&sorted, &intervals, operands).err()
}

/// Why a kernel is refused, and the RPAU.
fn refusal(built: &Built, program: &Lowered, hasty: &Microprogram, seed: u64) -> Option<(u64, u8)> {
    let config = &built.config;
    let mut plan = plan(config, program, 0).expect("has words");
    let code = encode(config, &program.shape, hasty).expect("has words");
    plan.kernels[0] = (hasty.clone(), code);
    let mut bench = Bench::new(built, program.shape.clone(), seed, REPLAY);
    bench.prepare(program);
    let mut found = None;
    for run in &plan.runs {
        bench.load(&plan, run, 0, 0);
        let (microprogram, _) = &plan.kernels[run.kernel];
        let intervals = intervals(config, &program.shape, microprogram);
        bench.put(167, 1, 1);
        bench.put(168, 5, 0);
        for cycle in 0..100_000u64 {
            bench.answer(cycle, microprogram, &intervals);
            let (output, _) = bench.rtl.watch(&bench.input);
            let wrong = u64::from(output[0] >> 2 & 7);
            found = found.or((wrong > 0).then_some((wrong, (output[0] >> 5 & 15) as u8)));
            let done = cycle > 1 && output[0] >> 1 & 1 == 1;
            bench.put(167, 1, 0);
            if done {
                break;
            }
        }
        for _ in 0..200 {
            bench.answer(u64::MAX, microprogram, &[]);
            bench.rtl.watch(&bench.input).1.for_each(drop);
        }
    }
    found
}

/// Each in one of the machines' designs, with what it shows first.
const FAULTS: [(&str, &str); 1] = [("passing", "m5")];

#[test]
#[ignore = "needs the libraries that make test-rtl builds"]
fn broken_units_are_caught_where_they_are() {
    let folder = PathBuf::from(setting("MODELS").expect("make test-rtl sets it"));
    let mut built = machines().remove(0);
    for (fault, event) in FAULTS {
        built.library = folder.join(format!("{fault}.so"));
        let module = product(&built, 8);
        let error = lockstep(&built, &module, number("SEED", 1), false, REPLAY);
        let PairingError::Difference(found) = error.expect_err(fault) else {
            panic!("{fault}: records out of order");
        };
        println!("{fault}: {found}");
        let seen = found.rtl.or(found.model).expect("a record");
        assert_eq!(seen.event, event, "{fault}");
    }
}
