//! A lowered program as the hardware's host sees it: what lies in memory, what it writes into
//! registers, in which order; and what the simulated machine does beside a host that takes so long.
//!
//! Memory is bytes from the device's base address on: the constants of every prime, then every
//! tower, each on a multiple of the port's width. The first lies a few beats behind the base, so
//! that transfers cross pages.
//!
//! Records beside those of the units ([`crate::core`]): `io_control` `accept` (place of the call,
//! request), `begin` and `end` of each transfer, sampling and computation (unit, place and number of
//! the instruction), `interrupt`; `dma` `constant` (index, word). They are those of the probes in
//! `hw/rise/tb/rise_probes.sv`.

use crate::config::Config;
use crate::device::scheduled;
use crate::message;
use crate::program::{Action, Call, Input, Instruction, Output, Program, Slot};
use crate::registers::windows;
use crate::request::{self, Addresses, Request, Write};
use crate::run;
use crate::schedule::{Scheduled, What};
use crate::towers::{self, Towers};
use crate::twiddles::Constants;
use ringwright_ir::ring::{Module, Param};
use ringwright_ir::{arguments, RunError, Value};
use ringwright_sim::{Cycle, Records, TraceRecord};
use ringwright_spec::Machine;
use ringwright_target::{HostOperations, Interval, Steps, TargetError, Timing, Work};
use std::collections::BTreeMap;
use std::sync::Arc;
use zeroize::Zeroizing;

/// Beats between the base address and the first word.
const FIRST_BEAT: u64 = 3;
/// Instructions of a call that an error shows.
const SHOWN: usize = 9;
/// Number of an instruction that loads constants.
const CONSTANTS: u64 = 15;

/// Why a program has no image.
#[derive(Debug, thiserror::Error)]
pub enum ImageError {
    /// The machine cannot be built.
    #[error(transparent)]
    Machine(#[from] TargetError),
    /// It cannot run the program.
    #[error(transparent)]
    Program(#[from] RunError),
}

/// One program on one machine.
pub struct Image {
    config: Config,
    module: Module,
    program: Program,
    scheduled: Scheduled,
    /// Those of the whole run, as one list.
    steps: Steps,
    requests: Vec<Request>,
    /// Segment and action of each host function.
    functions: Vec<(usize, usize)>,
    /// Of each call, the units of each instruction; the one that ends it first.
    units: Vec<Vec<&'static [Unit]>>,
    places: Places,
}

/// What the host does in one step.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum HostAction {
    /// Writes registers, in this order.
    Write(Vec<Write>),
    /// Waits for the interrupt line and reads the status register.
    TakeInterrupt,
    /// Runs [`Image::function`] of this number.
    Function(usize),
}

/// Where everything is.
struct Places {
    /// Bytes of a word, and of a beat.
    word: u64,
    constants: Vec<u64>,
    towers: Vec<u64>,
    end: u64,
    /// First lane, and blocks, of each stream.
    messages: BTreeMap<String, (u32, u32)>,
}

impl Image {
    /// Lowers a module; refuses calls and messages that the hardware has no place for.
    pub fn new(machine: &Machine, module: &Module) -> Result<Self, ImageError> {
        crate::RISE.check(machine)?;
        let config = Config::new(machine)?;
        let (program, scheduled) = scheduled(&config, module)?;
        let requests = calls(&program)
            .map(|call| Request::of(call).ok_or_else(|| no_request(&config, call)))
            .collect::<Result<_, _>>()?;
        Ok(Image {
            places: Places::new(&config, &program)?,
            functions: functions(&program),
            units: calls(&program)
                .map(|call| call.instructions.iter().map(units).collect())
                .collect(),
            module: module.clone(),
            steps: scheduled.timing.unfolded(),
            config,
            program,
            scheduled,
            requests,
        })
    }

    /// The machine.
    pub fn config(&self) -> &Config {
        &self.config
    }

    /// The program's time.
    pub fn timing(&self) -> &Timing {
        &self.scheduled.timing
    }

    /// The steps of its run, in order.
    pub fn steps(&self) -> &Steps {
        &self.steps
    }

    /// What each step is.
    pub fn what(&self) -> &[What] {
        &self.scheduled.what
    }

    /// Words of a tower.
    pub fn n(&self) -> usize {
        self.program.shape.n()
    }

    /// What the host writes once: the degree, the base address, the messages behind the seed.
    pub fn set_up(&self, base: u64) -> Vec<Write> {
        let log_n = request::field("log_n", "log_n", self.program.shape.log_n);
        let mut writes = vec![
            request::write("log_n", 0, log_n),
            request::write("base", 0, base as u32),
            request::write("base", 1, (base >> 32) as u32),
        ];
        let Some(window) = windows().iter().find(|window| window.name == "message") else {
            return writes;
        };
        for (stream, &(lane, blocks)) in &self.places.messages {
            let bytes = message::tail(stream, blocks);
            let words = bytes.chunks_exact(4).zip(2 * lane..);
            writes.extend(words.map(|(bytes, index)| Write {
                offset: window.offset + 4 * index,
                value: u32::from_le_bytes([bytes[0], bytes[1], bytes[2], bytes[3]]),
            }));
        }
        writes
    }

    /// What the host does, in order, and in which step; its inputs have the secret seed.
    pub fn host(&self, inputs: &[Value]) -> Result<Vec<(usize, HostAction)>, RunError> {
        arguments::check(&self.module, inputs)?;
        let calls: Vec<&Call> = calls(&self.program).collect();
        let action = |what: &What| {
            Some(match *what {
                What::WriteSeed => HostAction::Write(self.seed(inputs)),
                What::WriteCall(call) => HostAction::Write(request::writes(
                    calls[call],
                    &self.requests[call],
                    &self.places,
                )),
                What::TakeInterrupt => HostAction::TakeInterrupt,
                What::Function(function) => HostAction::Function(function),
                _ => return None,
            })
        };
        let steps = self.scheduled.what.iter().enumerate();
        Ok(steps
            .filter_map(|(step, what)| Some((step, action(what)?)))
            .collect())
    }

    fn seed(&self, inputs: &[Value]) -> Vec<Write> {
        let seed = inputs.iter().find_map(|value| match value {
            Value::Seed(seed) => Some(seed.expose()),
            _ => None,
        });
        let words = seed.into_iter().flat_map(|seed| seed.chunks_exact(4));
        words
            .zip(0..)
            .map(|(bytes, index)| {
                let value = u32::from_le_bytes([bytes[0], bytes[1], bytes[2], bytes[3]]);
                request::write("seed", index, value)
            })
            .collect()
    }

    /// Memory before the first step.
    pub fn memory(&self, inputs: &[Value]) -> Vec<u8> {
        let mut bytes = vec![0; self.places.end as usize];
        for (constants, &at) in self.program.constants.iter().zip(&self.places.constants) {
            let table = constants.table(self.config.word_bits);
            put(&mut bytes, at, self.places.word, &table);
        }
        let mut memory = self.memory_view(&mut bytes);
        towers::load_inputs(&self.program, inputs, &mut memory);
        bytes
    }

    /// Runs a host function on memory.
    pub fn function(
        &self,
        function: usize,
        inputs: &[Value],
        memory: &mut [u8],
    ) -> Result<(), RunError> {
        let (segment, action) = self.functions[function];
        let Action::Host(function) = &self.program.segments[segment].actions[action] else {
            return Err(RunError::Invalid(format!("function {function} is a call")));
        };
        let host = &self.program.host;
        towers::call(host, function, inputs, &mut self.memory_view(memory))
    }

    /// The results that lie in memory behind the last step.
    pub fn results(&self, inputs: &[Value], memory: &mut [u8]) -> Result<Vec<Value>, RunError> {
        towers::outputs(&self.program, inputs, &self.memory_view(memory))
    }

    /// Puts results where the last step leaves them.
    pub fn store_results(&self, results: &[Value], memory: &mut [u8]) {
        towers::store_outputs(&self.program, results, &mut self.memory_view(memory));
    }

    /// The constants of each prime and their byte offset.
    pub fn constants_at(&self) -> Vec<(&Constants, u64)> {
        let constants = self.program.constants.iter();
        constants
            .zip(self.places.constants.iter().copied())
            .collect()
    }

    /// Name and byte offsets of the towers of each input but seeds.
    pub fn inputs_at(&self) -> Vec<(String, Vec<u64>)> {
        let params = &self.module.entry().params;
        let inputs = params.iter().zip(&self.program.inputs);
        let at = |(param, input): (&Param, &Input)| match input {
            Input::Polys(items) => Some((param.name.clone(), self.at(&items.concat()))),
            Input::Seed => None,
        };
        inputs.filter_map(at).collect()
    }

    /// Byte offsets of the towers of each result.
    pub fn results_at(&self) -> Vec<Vec<u64>> {
        let outputs = self.program.outputs.iter();
        outputs
            .map(|output| match output {
                Output::Poly(slots) => self.at(slots),
                Output::Array(items) => self.at(&items.concat()),
                Output::Seed(_) => vec![],
            })
            .collect()
    }

    fn at(&self, slots: &[Slot]) -> Vec<u64> {
        let slots = slots.iter();
        slots.map(|slot| self.places.towers[slot.0]).collect()
    }

    fn memory_view<'a>(&'a self, bytes: &'a mut [u8]) -> Memory<'a> {
        Memory {
            bytes,
            places: &self.places,
            n: self.program.shape.n(),
        }
    }

    /// Cycles of every step beside a host whose functions take so long.
    pub fn durations(&self, host: impl Fn(What, &HostOperations) -> u64) -> Vec<u64> {
        let steps = self.steps.iter().zip(self.what());
        steps
            .map(|(step, &what)| match &step.kind.work {
                Work::HostFunction { operations } => host(what, operations),
                work => work.device_cycles(),
            })
            .collect()
    }

    /// When each step begins and ends, given how long each takes.
    pub fn place(&self, durations: &[u64]) -> Vec<Interval> {
        self.steps.place_each(durations)
    }

    /// Runs the program on the simulated units with its steps in these intervals: its results, and
    /// what the units say, in the order of cycles.
    pub fn simulate(
        &self,
        inputs: &[Value],
        intervals: &[Interval],
    ) -> Result<(Vec<Value>, Vec<TraceRecord>), RunError> {
        let instructions = self.scheduled.instructions(intervals);
        let (results, mut records) =
            run::traced::<Records>(&self.config, &self.program, &instructions, inputs)?;
        records.extend(self.constant_records(intervals));
        records.extend(self.control_records(intervals));
        records.sort_by_key(|record| record.cycle);
        Ok((results, records))
    }

    /// The I/O controller's records, in the order of cycles.
    pub fn control_records(&self, intervals: &[Interval]) -> Vec<TraceRecord> {
        let mut records = Vec::new();
        for (what, interval) in self.what().iter().zip(intervals) {
            match *what {
                What::WriteCall(call) => {
                    let request = u128::from(self.requests[call].number);
                    records.push(event(interval.end, "accept", self.place_of(call), request));
                }
                What::Constants(call) => {
                    let unit = self.occupied(Unit::Dma, call, CONSTANTS);
                    records.push(event(interval.start, "begin", unit, 0));
                    records.push(event(interval.end - 1, "end", unit, 0));
                }
                What::Instruction(call, index) => {
                    records.extend(self.instruction_records(call, index, *interval));
                }
                What::Interrupt(_) => records.push(event(interval.end - 1, "interrupt", 0, 0)),
                _ => {}
            }
        }
        records.sort_by_key(|record| record.cycle);
        records
    }

    /// What the records of a step that runs on the device's units are about; that of its end, where
    /// it occupies two.
    pub fn label(&self, step: usize) -> Option<u64> {
        match *self.what().get(step)? {
            What::Constants(call) => Some(self.occupied(Unit::Dma, call, CONSTANTS)),
            What::Instruction(call, index) => {
                let whole = Interval { start: 0, end: 1 };
                let records = self.instruction_records(call, index, whole);
                records.last().map(|record| record.destination)
            }
            _ => None,
        }
    }

    /// An instruction begins in each of its units and ends in the one that ends it.
    fn instruction_records(
        &self,
        call: usize,
        index: usize,
        interval: Interval,
    ) -> Vec<TraceRecord> {
        let number = self.requests[call].places[index] as u64;
        let units = self.units[call][index];
        let begin = |&unit: &Unit| {
            event(
                interval.start,
                "begin",
                self.occupied(unit, call, number),
                0,
            )
        };
        let mut records: Vec<TraceRecord> = units.iter().map(begin).collect();
        let unit = self.occupied(units[0], call, number);
        records.push(event(interval.end - 1, "end", unit, 0));
        records
    }

    fn constant_records(&self, intervals: &[Interval]) -> Vec<TraceRecord> {
        let calls: Vec<&Call> = calls(&self.program).collect();
        let mut records = Vec::new();
        for (what, interval) in self.what().iter().zip(intervals) {
            let What::Constants(call) = *what else {
                continue;
            };
            let table = self.program.constants[calls[call].prime].table(self.config.word_bits);
            let first = interval.start + self.config.dma_latency;
            for (index, &word) in table.iter().enumerate() {
                records.push(TraceRecord {
                    cycle: Cycle(first + (index / self.config.words_per_cycle()) as u64),
                    unit: "dma",
                    event: "constant",
                    destination: index as u64,
                    value: word.into(),
                });
            }
        }
        records
    }

    /// The controller's registers that a call is in.
    fn place_of(&self, call: usize) -> u64 {
        (call % self.config.queued_calls) as u64
    }

    /// Unit, place of the call and number of the instruction.
    fn occupied(&self, unit: Unit, call: usize, number: u64) -> u64 {
        (unit as u64) << 8 | self.place_of(call) << 4 | number
    }
}

fn units(instruction: &Instruction) -> &'static [Unit] {
    match instruction {
        Instruction::Load(..) | Instruction::Store(..) => &[Unit::Dma],
        Instruction::Sample(..) => &[Unit::Sampler],
        Instruction::LoadSum(..) => &[Unit::Sampler, Unit::Dma],
        Instruction::Transform(..) | Instruction::Pointwise(..) => &[Unit::Butterflies],
    }
}

/// What an instruction occupies, by its number in the records.
#[derive(Clone, Copy)]
enum Unit {
    Dma = 0,
    Sampler = 1,
    Butterflies = 2,
}

fn event(cycle: u64, event: &'static str, destination: u64, value: u128) -> TraceRecord {
    TraceRecord {
        cycle: Cycle(cycle),
        unit: "io_control",
        event,
        destination,
        value,
    }
}

fn actions(program: &Program) -> impl Iterator<Item = &Action> {
    program.segments.iter().flat_map(|segment| &segment.actions)
}

fn functions(program: &Program) -> Vec<(usize, usize)> {
    let segments = program.segments.iter().enumerate();
    let places = segments.flat_map(|(segment, of)| {
        let actions = of.actions.iter().enumerate();
        let hosts = actions.filter(|(_, action)| matches!(action, Action::Host(_)));
        hosts.map(move |(action, _)| (segment, action))
    });
    places.collect()
}

fn calls(program: &Program) -> impl Iterator<Item = &Call> {
    actions(program).filter_map(|action| match action {
        Action::Call(call) => Some(call),
        Action::Host(_) => None,
    })
}

fn no_request(config: &Config, call: &Call) -> RunError {
    RunError::Unsupported {
        machine: config.machine.clone(),
        reason: format!(
            "the control register has no request for a call of {} instructions, from {:?} on; it has half-encryption, decryption and the two transforms",
            call.instructions.len(),
            &call.instructions[..call.instructions.len().min(SHOWN)]
        ),
    }
}

impl Places {
    fn new(config: &Config, program: &Program) -> Result<Self, RunError> {
        let word = config.bytes_per_word();
        let beat = config.dma_bytes_per_cycle;
        let mut end = FIRST_BEAT * beat;
        let mut region = |words: usize| {
            let at = end;
            end += (words as u64 * word).next_multiple_of(beat);
            at
        };
        let (table, n) = (Constants::words(program.shape.log_n), program.shape.n());
        let constants = program.constants.iter().map(|_| region(table)).collect();
        let towers = (0..program.slots).map(|_| region(n)).collect();
        Ok(Places {
            word,
            constants,
            towers,
            end,
            messages: message::places(config, program)?,
        })
    }
}

impl Addresses for Places {
    fn constants(&self, prime: usize) -> u32 {
        self.constants[prime] as u32
    }

    fn tower(&self, slot: Slot) -> u32 {
        self.towers[slot.0] as u32
    }

    fn message(&self, stream: &str) -> (u32, u32) {
        self.messages[stream]
    }
}

/// Towers in the bytes of memory.
struct Memory<'a> {
    bytes: &'a mut [u8],
    places: &'a Places,
    n: usize,
}

impl Towers for Memory<'_> {
    fn tower(&self, slot: Slot) -> Result<Arc<Zeroizing<Vec<u64>>>, RunError> {
        let (at, size) = (
            self.places.towers[slot.0] as usize,
            self.places.word as usize,
        );
        let bytes = self.bytes[at..].chunks_exact(size).take(self.n);
        let word = |bytes: &[u8]| {
            bytes
                .iter()
                .rev()
                .fold(0, |word, &byte| word << 8 | u64::from(byte))
        };
        Ok(Arc::new(Zeroizing::new(bytes.map(word).collect())))
    }

    fn set_tower(&mut self, slot: Slot, words: &[u64]) {
        put(
            self.bytes,
            self.places.towers[slot.0],
            self.places.word,
            words,
        );
    }
}

fn put(bytes: &mut [u8], at: u64, size: u64, words: &[u64]) {
    let places = bytes[at as usize..].chunks_exact_mut(size as usize);
    for (place, word) in places.zip(words) {
        place.copy_from_slice(&word.to_le_bytes()[..size as usize]);
    }
}
