//! The design with a memory behind its lanes, driven cycle by cycle.

use crate::machines::Built;
use ringwright_lockstep::{Lockstep, Model, PairingError, Rtl};
use ringwright_sim::{Cycle, TraceRecord};
use ringwright_target::Interval;
use ringwright_target_medha::image::{moduli, Plan, Run};
use ringwright_target_medha::lower::Lowered;
use ringwright_target_medha::microcode::{Instruction, Microprogram, ISA};
use ringwright_target_medha::ntt_core::NttCore;
use ringwright_target_medha::shape::Shape;
use ringwright_target_medha::Config;
use std::collections::{HashMap, VecDeque};

/// The design with the memory behind its lanes.
pub struct Bench<'a> {
    config: &'a Config,
    shape: Shape,
    pub rtl: Rtl,
    pub run: Lockstep,
    pub input: Vec<u32>,
    pub memory: HashMap<u64, Vec<u64>>,
}

/// A move on its way: begun in which cycle, which bytes, which cycles its rows come or leave in.
pub struct Move {
    pub stores: bool,
    pub address: u64,
    /// Cycles in which rows come, of a load; first to last.
    pub rows: VecDeque<u64>,
    /// The cycle in which it is written, of a store.
    pub end: u64,
    pub words: Vec<u64>,
}

impl<'a> Bench<'a> {
    pub fn new(built: &'a Built, shape: Shape, seed: u64, replay: &str) -> Self {
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

    pub fn put(&mut self, bit: usize, width: usize, value: u64) {
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
    fn set(&mut self, unit: usize, table: &str, address: u64, data: [u64; 2]) {
        self.put(0, 64, data[0]);
        self.put(64, 64, data[1]);
        self.put(128, 24, address);
        self.put(152, 5, unit as u64);
        self.put(157, 3, ISA.table(table).expect("a table"));
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
    pub fn prepare(&mut self, program: &Lowered) {
        self.put(161, 1, 1);
        self.put(162, 5, self.shape.log_n.into());
        self.quiet();
        self.put(161, 1, 0);
        for (rpau, prime) in program.primes.iter().enumerate() {
            let Some(q) = *prime else { continue };
            let words = moduli(self.config, rpau, q);
            for (address, word) in (0..).zip(words) {
                self.set(rpau, "modulus", address, [word, 0]);
            }
            let core = NttCore::new(&self.shape, q as u64).expect("a prime");
            for (direction, table) in (0..).zip(core.tables()) {
                let first = direction << self.config.max_log_n;
                for (address, &factor) in (first..).zip(table) {
                    self.set(rpau, "factors", address, [factor, 0]);
                }
            }
        }
    }

    /// A run's microcode and tables; its entry is `kernel`.
    pub fn load(&mut self, plan: &Plan, run: &Run, kernel: u64, first: u64) {
        let code = &plan.kernels[run.kernel].1;
        for (rpau, own) in code.rpaus.iter().enumerate() {
            for (stream, words) in (0..).zip(&own.streams) {
                assert!(words.len() + (first as usize) < self.config.code_words);
                for (address, &[micro, waits]) in (first..).zip(words) {
                    self.set(rpau, "code", stream << 20 | address, [waits, micro]);
                }
                self.set(rpau, "entries", stream << 20 | kernel, [first, 0]);
            }
            for (address, &slot) in (0..).zip(&run.slots[rpau]) {
                self.set(rpau, "arguments", address, [slot.into(), 0]);
            }
            for (address, &constant) in (0..).zip(&run.constants[rpau]) {
                self.set(rpau, "constants", address, constant);
            }
        }
        for (lane, words) in code.lanes.iter().enumerate() {
            for (address, &[micro, waits]) in (first..).zip(words) {
                self.set(16 + lane, "code", address, [waits, micro]);
            }
            self.set(16 + lane, "entries", kernel, [first, 0]);
            let [operands, own] = &run.addresses;
            for (first, table) in [(self.config.arguments as u64, operands), (0, own)] {
                for (address, &byte) in (first..).zip(table) {
                    self.set(16 + lane, "arguments", address, [byte, 0]);
                }
            }
        }
    }

    /// Runs a kernel that was loaded: its records are the model's, moves take the time that they should.
    pub fn kernel(
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
    pub fn answer(&mut self, cycle: u64, program: &Microprogram, intervals: &[Interval]) {
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
