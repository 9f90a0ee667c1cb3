//! `fifo` and `barrett_mul` in lockstep with models of a few lines, over random programs; and wrong
//! models, caught in their first wrong cycle.
//!
//! Needs the libraries that `make test-rtl` builds, in the folder RINGWRIGHT_LOCKSTEP_MODELS names.

use ringwright_arith::{Choices, Modulus};
use ringwright_lockstep::{Difference, Lockstep, PairingError, Record, Rtl, Side};
use ringwright_sim::Cycle;
use std::collections::VecDeque;
use std::path::PathBuf;

const SEEDS: std::ops::Range<u64> = 0..8;
const CYCLES: u64 = 4000;

/// Parameters of `lockstep_fifo` and `lockstep_barrett_mul`: the defaults.
const DEPTH: usize = 4;
const WIDTH: u32 = 60;
const STAGES: u64 = 8;

fn library(name: &str) -> PathBuf {
    let folder = std::env::var_os("RINGWRIGHT_LOCKSTEP_MODELS");
    let folder = folder.expect("RINGWRIGHT_LOCKSTEP_MODELS is not set; make test-rtl sets it");
    PathBuf::from(folder).join(format!("{name}.so"))
}

fn begin(design: &str, seed: u64) -> (Lockstep, Rtl) {
    let replay = "cargo test -p ringwright-lockstep --test common_cells -- --ignored";
    let mut run = Lockstep::new(seed, replay);
    let rtl = Rtl::load(&library(design), seed, &mut run).unwrap();
    (run, rtl)
}

fn difference(error: PairingError) -> Difference {
    match error {
        PairingError::Difference(difference) => *difference,
        other => panic!("{other}"),
    }
}

/// A model's events of one cycle: event, destination, value.
type Events = Vec<(&'static str, u64, u128)>;

fn emit(run: &mut Lockstep, unit: &str, cycle: Cycle, events: Events) -> Result<(), PairingError> {
    for (event, destination, value) in events {
        let probe = run.probe(unit, event);
        let record = Record {
            cycle,
            probe,
            destination,
            value,
        };
        run.record(Side::Model, record)?;
    }
    run.complete(Side::Model, cycle)
}

#[derive(Default)]
struct Fifo {
    words: VecDeque<u32>,
    popped: u64,
    /// The fixture's fault: the word that leaves as this one has a wrong bit.
    wrong_pop: Option<u64>,
    /// Cycles in which a word left.
    pops: Vec<Cycle>,
}

impl Fifo {
    fn step(&mut self, cycle: Cycle, data: u32, valid: bool, ready: bool) -> Events {
        let mut events = Events::new();
        let usage = self.words.len();
        if ready {
            if let Some(word) = self.words.pop_front() {
                let wrong = self.wrong_pop == Some(self.popped);
                events.push(("pop", usage as u64, u128::from(word ^ u32::from(wrong))));
                self.pops.push(cycle);
                self.popped += 1;
            }
        }
        if valid && usage < DEPTH {
            events.push(("push", usage as u64, u128::from(data)));
            self.words.push_back(data);
        }
        events
    }
}

fn run_fifo(seed: u64, model: &mut Fifo) -> Result<u64, PairingError> {
    let (mut run, mut rtl) = begin("lockstep_fifo", seed);
    let mut random = Choices::new(seed);
    let (push_odds, pop_odds) = (random.at_least_one(4), random.at_least_one(4));
    for cycle in (0..CYCLES).map(Cycle) {
        let data = random.word() as u32;
        let (valid, ready) = (random.one_in(push_odds), random.one_in(pop_odds));
        let inputs = [data, u32::from(valid) | u32::from(ready) << 1, 0];
        rtl.step(&inputs, &mut run)?;
        let events = model.step(cycle, data, valid, ready);
        emit(&mut run, "fifo", cycle, events)?;
    }
    run.finish()
}

#[test]
#[ignore = "needs verilated models: make test-rtl"]
fn fifo_is_its_model() {
    for seed in SEEDS {
        let paired = run_fifo(seed, &mut Fifo::default()).unwrap_or_else(|e| panic!("{e}"));
        assert!(paired > 0, "seed {seed} moved nothing");
    }
}

#[test]
#[ignore = "needs verilated models: make test-rtl"]
fn a_wrong_fifo_is_caught_in_its_first_wrong_cycle() {
    for seed in SEEDS {
        let mut sound = Fifo::default();
        run_fifo(seed, &mut sound).unwrap_or_else(|e| panic!("{e}"));
        let wrong_pop = sound.popped / 2;
        let mut wrong = Fifo {
            wrong_pop: Some(wrong_pop),
            ..Fifo::default()
        };
        let found = difference(run_fifo(seed, &mut wrong).unwrap_err());
        assert_eq!(found.cycle(), sound.pops[wrong_pop as usize]);
        let values = [found.rtl, found.model].map(|record| record.unwrap().value);
        assert_eq!(values[0] ^ 1, values[1]);
    }
}

/// Products leave in order, `latency` cycles after their factors.
struct Barrett {
    q: Modulus<u64>,
    latency: u64,
    due: VecDeque<(u64, u64)>,
}

impl Barrett {
    fn step(&mut self, cycle: Cycle, factors: Option<(u64, u64)>) -> Events {
        if let Some((a, b)) = factors {
            self.due
                .push_back((cycle.0 + self.latency, self.q.mul(a, b)));
        }
        match self.due.front() {
            Some(&(when, product)) if when == cycle.0 => {
                self.due.pop_front();
                vec![("product", 0, u128::from(product))]
            }
            _ => Events::new(),
        }
    }
}

/// The input vector of `lockstep_barrett_mul`; the constants are those of `barrett_mul`'s header.
fn barrett_inputs(q: u64, factors: Option<(u64, u64)>) -> [u32; 9] {
    let shift = 64 - q.leading_zeros() - 3;
    let reciprocal = ((1_u128 << (shift + WIDTH + 5)) / u128::from(q)) as u64;
    let (a, b) = factors.unwrap_or_default();
    let mut inputs = [0; 9];
    for (i, word) in [a, b, q, reciprocal].into_iter().enumerate() {
        (inputs[2 * i], inputs[2 * i + 1]) = (word as u32, (word >> 32) as u32);
    }
    inputs[8] = shift | u32::from(factors.is_some()) << 8;
    inputs
}

/// The model is `late` cycles behind; returns the cycle of the first factors beside the outcome.
fn run_barrett(seed: u64, late: u64) -> (Cycle, Result<u64, PairingError>) {
    let (mut run, mut rtl) = begin("lockstep_barrett_mul", seed);
    let mut random = Choices::new(seed);
    let bits = 3 + random.word() % (u64::from(WIDTH) - 2);
    let q = (random.word() >> (64 - bits)) | 1 << (bits - 1) | 1;
    let modulus = Modulus::new(q).unwrap();
    let mut model = Barrett {
        q: modulus,
        latency: STAGES + late,
        due: VecDeque::new(),
    };
    let mut first = None;
    let mut steps = || -> Result<(), PairingError> {
        for cycle in (0..CYCLES).map(Cycle) {
            // The last ones are left time to leave.
            let busy = cycle.0 + STAGES < CYCLES && random.below(3) > 0;
            let factors = busy.then(|| (random.word() % q, random.word() % q));
            first = first.or(factors.map(|_| cycle));
            rtl.step(&barrett_inputs(q, factors), &mut run)?;
            emit(&mut run, "barrett_mul", cycle, model.step(cycle, factors))?;
        }
        Ok(())
    };
    let outcome = steps();
    (first.expect("factors"), outcome.and_then(|()| run.finish()))
}

#[test]
#[ignore = "needs verilated models: make test-rtl"]
fn barrett_mul_is_its_model() {
    for seed in SEEDS {
        let paired = run_barrett(seed, 0).1.unwrap_or_else(|e| panic!("{e}"));
        assert!(paired > 0, "seed {seed} multiplied nothing");
    }
}

#[test]
#[ignore = "needs verilated models: make test-rtl"]
fn a_late_multiplier_is_caught_in_its_first_wrong_cycle() {
    for seed in SEEDS {
        let (first, outcome) = run_barrett(seed, 1);
        let found = difference(outcome.unwrap_err());
        assert_eq!(found.cycle(), Cycle(first.0 + STAGES));
        assert!(found.model.is_none() && found.paired == 0);
    }
}
