//! `medha_core` in lockstep with `crates/target-medha`: products with relinearisation and random programs,
//! every beginning and end of a microinstruction and every word written to a memory paired. And broken units,
//! caught in their first wrong cycle.
//!
//! The memory behind the lanes is the test's: each move takes the time that the simulator says, or a time
//! drawn at random, which the simulator is told. Needs the libraries that `make test-rtl` builds, each beside
//! the description of its machine, in the folder that RINGWRIGHT_LOCKSTEP_MODELS names;
//! RINGWRIGHT_LOCKSTEP_SEED chooses programs, words and times.

mod bench;
mod expected;
mod machines;
mod odd;
mod refused;

use bench::{Bench, Move};
use expected::Expected;
use machines::{machines, number, product, setting, Built, REPLAY};
use ringwright_arith::primes::ntt_primes;
use ringwright_arith::Choices;
use ringwright_ir::generate;
use ringwright_ir::ring::{Module, RingKind};
use ringwright_lockstep::PairingError;
use ringwright_sim::in_order;
use ringwright_target_medha::image::plan;
use ringwright_target_medha::lower::lower;
use ringwright_target_medha::microcode::{Address, Instruction, Microprogram, Slot, Stages};
use ringwright_target_medha::ntt_core::NttCore;
use ringwright_target_medha::run::{watch_call, Rpaus};
use ringwright_target_medha::timing::intervals;
use ringwright_towers::{Memory, Shelf, Words};
use std::collections::{BTreeSet, HashMap, VecDeque};
use std::path::PathBuf;

/// How a program runs.
#[derive(Clone, Copy, Default)]
struct Odds {
    /// Moves take times at random.
    stalls: bool,
    /// So many random microinstructions are tried in each kernel.
    odd: usize,
}

/// A program in lockstep; how many records were equal, how many random microinstructions found a place.
fn lockstep(
    built: &Built,
    module: &Module,
    seed: u64,
    Odds { stalls, odd }: Odds,
    replay: &str,
) -> Result<(u64, usize), PairingError> {
    let config = &built.config;
    let mut program = lower(config, module).expect("lowers");
    let added = odd::add(config, &mut program, odd, &mut Choices::new(!seed));
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
    Ok((bench.run.finish()?, added))
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

#[test]
#[ignore = "needs the libraries that make test-rtl builds"]
fn medha_core_is_its_simulator() {
    let seed = number("SEED", 1);
    for built in machines() {
        let name = built.machine.name().to_owned();
        let (mut records, mut odd) = (0, 0);
        for log_n in [8, 10] {
            for stalls in [false, true] {
                let module = product(&built, log_n);
                let odds = Odds { stalls, odd: 0 };
                let paired = lockstep(&built, &module, seed, odds, REPLAY);
                records += paired.unwrap_or_else(|error| panic!("{name}: {error}")).0;
            }
        }
        let mut left = number("RUNS", 6);
        for seed in seed.. {
            let log_n = if seed % 2 == 0 { 8 } else { 5 };
            let Some(module) = random_module(&built, log_n, seed) else {
                continue;
            };
            let odds = Odds {
                stalls: seed % 3 == 0,
                odd: (seed % 4 * 16) as usize,
            };
            let paired = lockstep(&built, &module, seed, odds, REPLAY);
            let paired = paired.unwrap_or_else(|error| panic!("{name}, program {seed}: {error}"));
            records += paired.0;
            odd += paired.1;
            left -= 1;
            if left == 0 {
                break;
            }
        }
        println!("{name}: {records} records equal, {odd} random microinstructions");
        assert!(odd > 0, "{name}: none found a place");
    }
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
        let error = lockstep(&built, &module, number("SEED", 1), Odds::default(), REPLAY);
        let PairingError::Difference(found) = error.expect_err(fault) else {
            panic!("{fault}: records out of order");
        };
        println!("{fault}: {found}");
        let seen = found.rtl.or(found.model).expect("a record");
        assert_eq!(seen.event, event, "{fault}");
    }
}
