//! `rise_core` in lockstep with `crates/target-rise`: forward and inverse transforms, products and
//! sums on random words, one call after the other, every access of a bank and every result paired.
//! And broken units, caught in their first wrong cycle.
//!
//! The machines and their calls are listed in `hw/rise/tb/lockstep_rise_core.toml`. Needs the
//! libraries that `make test-rtl` builds, beside that list, in the folder that
//! RINGWRIGHT_LOCKSTEP_MODELS names; RINGWRIGHT_LOCKSTEP_SEED chooses the words.

use ringwright_arith::primes::ntt_primes;
use ringwright_arith::Choices;
use ringwright_lockstep::{Difference, Lockstep, Model, PairingError, Rtl};
use ringwright_sim::{in_order, Cycle, Records, TraceRecord};
use ringwright_target_rise::core::{Core, Group, Pointwise};
use ringwright_target_rise::shape::{Layout, Shape};
use ringwright_target_rise::twiddles::{Constants, Direction};
use ringwright_target_rise::Config;
use serde::Deserialize;
use std::collections::BTreeMap;
use std::path::PathBuf;

/// Probes in the order in which a word goes through the units: of the differences of one cycle the
/// first unit's is reported.
const PROBES: [(&str, &str); 10] = [
    ("control", "begin"),
    ("control", "stage"),
    ("control", "end"),
    ("BG0", "read"),
    ("BG1", "read"),
    ("twiddle_unit", "factor"),
    ("bfu", "result"),
    ("reordering_unit", "word"),
    ("BG0", "write"),
    ("BG1", "write"),
];

#[derive(Deserialize)]
struct List {
    machine: Vec<Machine>,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Machine {
    name: String,
    bfus: u32,
    word_bits: u32,
    bank_words: usize,
    bfu_latency: u64,
    twiddle_batches: u32,
    write_buffer: usize,
    reorder_latency: u64,
    queued_calls: usize,
    port_words: usize,
    calls: Vec<Call>,
}

#[derive(Clone, Copy, Deserialize)]
#[serde(deny_unknown_fields)]
struct Call {
    log_n: u32,
    modulus_bits: u32,
}

impl Machine {
    fn config(&self) -> Config {
        let shipped = ringwright_spec::Machine::load("rise-1bfu").expect("shipped");
        let mut config = Config {
            log_p: self.bfus.ilog2(),
            word_bits: self.word_bits,
            bank_words: self.bank_words,
            bfu_latency: self.bfu_latency,
            log_batches: self.twiddle_batches.ilog2(),
            write_buffer: self.write_buffer,
            reorder_latency: self.reorder_latency,
            queued_calls: self.queued_calls,
            dma_latency: 1,
            ..Config::new(&shipped).expect("buildable")
        };
        config.dma_bytes_per_cycle = self.port_words as u64 * config.bytes_per_word();
        config
    }

    fn constants(&self, call: Call) -> Constants {
        let primes = ntt_primes(call.modulus_bits, call.log_n, 1).expect("a prime");
        Constants::new(call.log_n, primes[0] as u64).expect("constants")
    }
}

fn folder() -> PathBuf {
    let folder = std::env::var_os("RINGWRIGHT_LOCKSTEP_MODELS");
    PathBuf::from(folder.expect("RINGWRIGHT_LOCKSTEP_MODELS is not set; make test-rtl sets it"))
}

fn machines() -> Vec<Machine> {
    let file = folder().join("lockstep_rise_core.toml");
    let text = std::fs::read_to_string(&file).unwrap_or_else(|e| panic!("{}: {e}", file.display()));
    let list: List = toml::from_str(&text).unwrap_or_else(|e| panic!("{}: {e}", file.display()));
    list.machine
}

fn seed() -> u64 {
    let seed = std::env::var("RINGWRIGHT_LOCKSTEP_SEED");
    seed.map_or(1, |text| text.parse().expect("a number"))
}

/// The input vector of one cycle, in the slots of `hw/rise/tb/lockstep_rise_core.sv`.
struct Slots(Vec<u64>);

impl Slots {
    fn words(&self) -> Vec<u32> {
        let halves = self
            .0
            .iter()
            .flat_map(|&slot| [slot as u32, (slot >> 32) as u32]);
        halves.collect()
    }
}

/// What goes into the design, cycle by cycle, and what the simulator does meanwhile.
struct Plan<'a> {
    machine: &'a Machine,
    shape: Shape,
    core: Core<Records>,
    set: usize,
    inputs: BTreeMap<u64, Slots>,
    records: Vec<Vec<TraceRecord>>,
    /// Words that a port must give: cycle, slot of the output vector, word.
    reads: BTreeMap<(u64, usize), u64>,
}

impl<'a> Plan<'a> {
    fn new(machine: &'a Machine, config: &Config, shape: Shape, set: usize) -> Self {
        Plan {
            machine,
            shape,
            core: Core::traced(config, shape),
            set,
            inputs: BTreeMap::new(),
            records: Vec::new(),
            reads: BTreeMap::new(),
        }
    }

    fn slots(&mut self, cycle: u64) -> &mut [u64] {
        let slots = 1 + 5 * self.machine.port_words;
        let entry = self.inputs.entry(cycle);
        &mut entry.or_insert_with(|| Slots(vec![0; slots])).0
    }

    /// Writes a table of constants from cycle `start` on; returns the first cycle after.
    fn constants(&mut self, start: u64, set: usize, constants: &Constants) -> u64 {
        let table = constants.table(self.machine.word_bits);
        let lanes = self.machine.port_words;
        let mut cycle = start;
        for (beat, words) in table.chunks(lanes).enumerate() {
            let slots = self.slots(cycle);
            slots[0] |= 1 << 16 | (set as u64) << 17 | ((beat * lanes) as u64) << 24;
            slots[1..][..words.len()].copy_from_slice(words);
            cycle += 1;
        }
        cycle
    }

    /// Takes the records of what the simulator just did.
    fn keep(&mut self) -> &[TraceRecord] {
        self.records.push(self.core.take_records());
        &self.records[self.records.len() - 1]
    }

    /// Puts the accesses of the last transfer on the port of a bank group; the lane of each.
    fn port(&mut self, group: Group, write: bool) -> Vec<(TraceRecord, usize)> {
        let lanes = self.machine.port_words;
        let first = 1 + (1 + 2 * group as usize) * lanes;
        let mut used: BTreeMap<Cycle, usize> = BTreeMap::new();
        let mut placed = Vec::new();
        for record in self.keep().to_vec() {
            let lane = used.entry(record.cycle).or_default();
            let slots = self.slots(record.cycle.0);
            slots[0] |= u64::from(write) << (32 + group as u64);
            slots[first + *lane] = 1 << 63 | record.destination;
            slots[first + lanes + *lane] = record.value as u64;
            placed.push((record, *lane));
            *lane += 1;
        }
        placed
    }

    fn load(&mut self, start: u64, group: Group, layout: Layout, words: &[u64]) -> u64 {
        let end = self.core.load(start, group, layout, words).expect("ports");
        self.port(group, true);
        end
    }

    fn store(&mut self, start: u64, group: Group, layout: Layout) -> (Vec<u64>, u64) {
        let mut words = vec![0; self.shape.n()];
        let end = self.core.store(start, group, layout, &mut words);
        let at: BTreeMap<u64, u64> = (0..)
            .map(|index| self.shape.word_address(layout, index) as u64)
            .zip(words.iter().copied())
            .take(words.len())
            .collect();
        for (record, lane) in self.port(group, false) {
            let slot = 1 + group as usize * self.machine.port_words + lane;
            let word = at[&record.destination];
            self.reads.insert((record.cycle.0 + 1, slot), word);
        }
        (words, end.expect("ports"))
    }

    fn instruction(&mut self, cycle: u64, op: u64, group: Group) {
        let (set, log_n) = (self.set as u64, u64::from(self.shape.log_n));
        self.slots(cycle)[0] |= 1 | op << 1 | (group as u64) << 4 | set << 5 | log_n << 8;
    }

    fn transform(&mut self, start: u64, group: Group, direction: Direction, c: &Constants) -> u64 {
        self.instruction(start, direction as u64, group);
        let end = self.core.transform(start, group, direction, c);
        self.keep();
        end.expect("ports")
    }

    fn pointwise(&mut self, start: u64, operation: Pointwise, constants: &Constants) -> u64 {
        self.instruction(start, 2 + operation as u64, Group::Bg0);
        let end = self.core.pointwise(start, operation, constants);
        self.keep();
        end.expect("ports")
    }
}

/// A design, and the run that compares it.
struct Bench<'a> {
    machine: &'a Machine,
    config: Config,
    random: Choices,
    run: Lockstep,
    rtl: Rtl,
}

impl<'a> Bench<'a> {
    fn new(machine: &'a Machine, library: &str) -> Self {
        let seed = seed();
        let name = &machine.name;
        let replay = format!("pytest hw/test_lockstep.py -k {name} --rtl-seed={seed}");
        let mut run = Lockstep::new(seed, replay);
        for (unit, event) in PROBES {
            run.probe(unit, event);
        }
        let path = folder().join(format!("{library}.so"));
        let rtl = Rtl::load(&path, seed, &mut run).unwrap_or_else(|e| panic!("{e}"));
        Bench {
            machine,
            config: machine.config(),
            random: Choices::new(seed),
            run,
            rtl,
        }
    }

    fn words(&mut self, n: usize, q: u64) -> Vec<u64> {
        let corner = |r: u64| [0, 1, q / 2, q - 1][r as usize % 4];
        let mut word = || match self.random.word() % 8 {
            0 => corner(self.random.word()),
            _ => self.random.word() % q,
        };
        (0..n).map(|_| word()).collect()
    }

    /// A call's instructions: a transform beside the load of the other bank group, all pointwise
    /// operations and an inverse transform back to back, the result out. The constants of the next
    /// call go into the other set meanwhile.
    fn plan(&mut self, number: usize) -> (Plan<'a>, u64) {
        let call = self.machine.calls[number];
        let constants = self.machine.constants(call);
        let (n, q) = (1 << call.log_n, constants.q.value());
        let shape = self.config.shape(call.log_n).expect("it fits");
        let sets = self.machine.queued_calls;
        let mut plan = Plan::new(self.machine, &self.config, shape, number % sets);

        let mut now = self.rtl.cycle().0 + self.random.word() % 5;
        if number == 0 || sets == 1 {
            now = plan.constants(now, plan.set, &constants);
        }
        let (x, y, z) = (self.words(n, q), self.words(n, q), self.words(n, q));
        now = plan.load(now, Group::Bg0, Layout::ForwardIn, &x) + self.random.word() % 3;
        let loaded = plan.load(now, Group::Bg1, Layout::InverseIn, &y);
        if sets > 1 {
            if let Some(&next) = self.machine.calls.get(number + 1) {
                let next = self.machine.constants(next);
                plan.constants(now, (number + 1) % sets, &next);
            }
        }
        now = plan.transform(now, Group::Bg0, Direction::Forward, &constants);
        now = now.max(loaded);
        use Pointwise::{Add, Mul, SubFrom0, SubFrom1};
        for operation in [Mul, Add, SubFrom0, Mul, SubFrom1] {
            now = plan.pointwise(now, operation, &constants);
        }
        let transformed = plan.transform(now, Group::Bg1, Direction::Inverse, &constants);
        plan.load(now, Group::Bg0, Layout::InverseIn, &z);
        let (_, mut end) = plan.store(transformed, Group::Bg1, Layout::InverseOut);
        now = transformed + self.random.word() % 3;
        end = end.max(plan.transform(now, Group::Bg0, Direction::Inverse, &constants));
        let (found, stored) = plan.store(end, Group::Bg0, Layout::InverseOut);
        end = plan.load(stored, Group::Bg0, Layout::ForwardIn, &found);
        end = plan.transform(end, Group::Bg0, Direction::Forward, &constants);
        // There and back.
        let (back, end) = plan.store(end, Group::Bg0, Layout::ForwardOut);
        assert_eq!(back, z, "the simulator's transforms");
        (plan, end)
    }

    fn play(&mut self, plan: Plan<'_>, end: u64) -> Result<(), PairingError> {
        let idle = Slots(vec![0; 1 + 5 * self.machine.port_words]);
        let mut model = Model::new(in_order(plan.records));
        while self.rtl.cycle().0 <= end {
            let cycle = self.rtl.cycle();
            let inputs = plan.inputs.get(&cycle.0).unwrap_or(&idle);
            let outputs = self.rtl.step(&inputs.words(), &mut self.run)?;
            for (&(_, slot), &word) in plan.reads.range((cycle.0, 0)..(cycle.0 + 1, 0)) {
                let found = u64::from(outputs[2 * slot]) | u64::from(outputs[2 * slot + 1]) << 32;
                assert_eq!(found, word, "{cycle:?}: slot {slot}, seed {}", seed());
            }
            model.step(cycle, &mut self.run)?;
        }
        Ok(())
    }
}

/// Runs all calls of a machine; returns the pairs.
fn run(machine: &Machine, library: &str) -> Result<u64, PairingError> {
    let mut bench = Bench::new(machine, library);
    for number in 0..machine.calls.len() {
        let (plan, end) = bench.plan(number);
        bench.play(plan, end)?;
    }
    bench.run.finish()
}

#[test]
#[ignore = "needs verilated models: make test-rtl"]
fn rise_core_is_its_simulator() {
    for machine in machines() {
        let library = format!("rise_core_{}", machine.name);
        let paired = run(&machine, &library).unwrap_or_else(|e| panic!("{library}\n{e}"));
        assert!(paired > 0, "{library} did nothing");
    }
}

/// The first call of the first machine, with a fault in the unit that the library is named after:
/// the simulator's records, and the difference that ends the run.
fn first_difference(fault: &str) -> (Vec<TraceRecord>, Difference) {
    let machine = machines().remove(0);
    let mut bench = Bench::new(&machine, &format!("rise_core_{}_{fault}", machine.name));
    let (plan, end) = bench.plan(0);
    let records = in_order(plan.records.clone());
    match bench.play(plan, end) {
        Err(PairingError::Difference(difference)) => (records, *difference),
        other => panic!("{fault}: {other:?}"),
    }
}

fn of(records: &[TraceRecord], unit: &str, event: &str) -> Vec<TraceRecord> {
    let wanted = |record: &&TraceRecord| (record.unit, record.event) == (unit, event);
    records.iter().filter(wanted).copied().collect()
}

/// A reordering unit that swaps the words of a half-row.
#[test]
#[ignore = "needs verilated models: make test-rtl"]
fn swapped_words_are_caught_in_the_first_half_row() {
    let (records, found) = first_difference("swapped");
    let first = of(&records, "reordering_unit", "word")[0];
    assert_eq!(found.cycle(), first.cycle);
    let [rtl, model] = [found.rtl, found.model].map(Option::unwrap);
    assert_eq!(rtl.unit, "reordering_unit");
    assert_eq!(
        (rtl.destination, model.value),
        (first.destination, first.value)
    );
    assert_ne!(rtl.value, model.value);
}

/// A write buffer that loses the word that comes while its bank is read.
#[test]
#[ignore = "needs verilated models: make test-rtl"]
fn a_lost_word_is_caught_when_it_should_have_been_written() {
    let (records, found) = first_difference("lossy");
    let written = of(&records, "BG0", "write");
    let arrival = |word: &TraceRecord| {
        let same = |write: &&TraceRecord| {
            write.destination == word.destination && write.cycle >= word.cycle
        };
        written
            .iter()
            .find(same)
            .filter(|write| write.cycle > word.cycle)
    };
    let words = of(&records, "reordering_unit", "word");
    let late = words.iter().find_map(arrival);
    let late = late.expect("a write that waited");
    assert_eq!((found.cycle(), found.rtl.is_none()), (late.cycle, true));
    let model = found.model.expect("the write");
    assert_eq!((&*model.unit, &*model.event), ("BG0", "write"));
    assert_eq!(
        (model.destination, model.value),
        (late.destination, late.value)
    );
}

/// A twiddle unit that says one cycle too soon that its factors are there.
#[test]
#[ignore = "needs verilated models: make test-rtl"]
fn hasty_factors_are_caught_in_the_read_that_comes_too_soon() {
    let (records, found) = first_difference("hasty");
    let cycles = |unit, event| -> Vec<u64> {
        let records = of(&records, unit, event);
        records.iter().map(|record| record.cycle.0).collect()
    };
    let (reads, stages) = (cycles("BG0", "read"), cycles("control", "stage"));
    // The first operands that waited for their factors, not for the stage before.
    let waited = |pair: &&[u64]| pair[1] > pair[0] + 1 && !stages.contains(&pair[1]);
    let stalled = reads.windows(2).find(waited).expect("a stall")[1];
    assert_eq!(
        (found.cycle().0, found.model.is_none()),
        (stalled - 1, true)
    );
    let rtl = found.rtl.expect("the read");
    assert_eq!((&*rtl.unit, &*rtl.event), ("BG0", "read"));
}
