//! A listed machine with its host and its memory, stepped cycle by cycle.

use crate::host::{Access, Host, CYCLES_OF_ACCESS};
use crate::memory::{Memory, Offer, Seen};
use crate::stalls::Stalls;
use ringwright_ir::interpret::Interpreter;
use ringwright_ir::ring::Module;
use ringwright_ir::Value;
use ringwright_lockstep::{Lockstep, Rtl};
use ringwright_spec::Machine;
use ringwright_target::Image;
use ringwright_target_rise::hosted::Hosted;
use serde::Deserialize;
use std::collections::BTreeMap;
use std::path::PathBuf;

const BASE: u64 = 0x12_3456_7000;
/// Registers between the instruction and the bus, and between the bus and the banks.
const OWN_CYCLES: u64 = 2;

#[derive(Deserialize)]
struct List {
    machine: Vec<Listed>,
}

#[derive(Deserialize)]
struct Listed {
    name: String,
    base: String,
    change: BTreeMap<String, i64>,
}

fn folder() -> PathBuf {
    let folder = std::env::var_os("RINGWRIGHT_LOCKSTEP_MODELS");
    PathBuf::from(folder.expect("RINGWRIGHT_LOCKSTEP_MODELS is not set; make test-rtl sets it"))
}

pub fn seed() -> u64 {
    let seed = std::env::var("RINGWRIGHT_LOCKSTEP_SEED").unwrap_or_default();
    seed.parse().unwrap_or(0)
}

/// A listed machine: a shipped description with changed values, and `more` on top of them.
pub fn machine(name: &str, more: &[(&str, i64)]) -> Machine {
    let text = std::fs::read_to_string(folder().join("lockstep_rise.toml")).expect("the list");
    let list: List = toml::from_str(&text).expect("the list");
    let listed = list
        .machine
        .into_iter()
        .find(|machine| machine.name == name);
    let mut listed = listed.expect("a listed machine");
    let more = more.iter().map(|&(key, value)| (key.to_owned(), value));
    listed.change.extend(more);
    let shipped = Machine::shipped().iter().find(|m| m.name == listed.base);
    let mut text = shipped.expect("shipped").text.to_owned();
    for (key, value) in listed.change {
        let given = Machine::load(&listed.base)
            .expect("shipped")
            .int(&key)
            .expect("declared");
        let line = |value: i64| format!("{key} = {{ value = {value},");
        assert!(text.contains(&line(given)), "{} gives {key}", listed.base);
        text = text.replace(&line(given), &line(value));
    }
    Machine::parse(name, &text).expect("sound")
}

/// A run: the design, its host, its memory.
pub struct Bench<'a> {
    hosted: &'a Hosted,
    image: Image,
    pub rtl: Rtl,
    pub host: Host<'a>,
    memory: Memory,
}

impl<'a> Bench<'a> {
    pub fn new(
        name: &str,
        hosted: &'a Hosted,
        inputs: &'a [Value],
        stalls: impl Fn(u64) -> Stalls,
        run: &mut Lockstep,
    ) -> Self {
        let config = hosted.config();
        let library = folder().join(format!("{name}.so"));
        let image = hosted.image(inputs, BASE).expect("inputs of the program");
        Bench {
            hosted,
            rtl: Rtl::load(&library, seed(), run).expect("a library"),
            host: Host::new(hosted, &image, inputs, stalls(1)),
            memory: Memory::new(
                image.memories[0].bytes(),
                image.memories[0].base,
                config.dma_bytes_per_cycle as usize,
                config.dma_latency - OWN_CYCLES,
                stalls(2),
            ),
            image,
        }
    }

    /// Cycles before the program's first step.
    pub fn set_up_cycles(&self) -> u64 {
        self.image.set_up.len() as u64 * CYCLES_OF_ACCESS
    }

    fn beat(&self) -> usize {
        self.hosted.config().dma_bytes_per_cycle as usize
    }

    /// One cycle; `advance` steps the design and returns its outputs.
    pub fn step<E>(
        &mut self,
        advance: impl FnOnce(&mut Rtl, &[u32]) -> Result<Vec<u32>, E>,
    ) -> Result<(), E> {
        let cycle = self.rtl.cycle().0;
        let access = self.host.drive(cycle, &mut self.memory.bytes);
        let offer = self.memory.offer(cycle);
        let inputs = self.inputs(access, &offer);
        let outputs = advance(&mut self.rtl, &inputs)?;
        let (status, word) = (outputs[0], outputs[1]);
        let (error, line) = (status >> 1 & 1 == 1, status >> 2 & 1 == 1);
        self.host.see(cycle, access, word, error, line);
        self.memory.take(cycle, &offer, &self.seen(&outputs));
        Ok(())
    }

    /// The layout of `hw/rise/tb/lockstep_rise.sv`.
    fn inputs(&self, access: Option<Access>, offer: &Offer) -> Vec<u32> {
        let mut inputs = vec![0; self.rtl.input_words()];
        if let Some(access) = access {
            let write = access.write.is_some();
            inputs[0] =
                1 | u32::from(access.enable) << 1 | u32::from(write) << 2 | access.offset << 16;
            inputs[1] = access.write.unwrap_or_default();
        }
        inputs[2] = u32::from(offer.ar_ready)
            | u32::from(offer.r.is_some()) << 1
            | u32::from(offer.aw_ready) << 2
            | u32::from(offer.w_ready) << 3
            | u32::from(offer.b_valid) << 4;
        let bytes = offer.r.iter().flat_map(|beat| beat.chunks_exact(4));
        for (word, bytes) in inputs[4..].iter_mut().zip(bytes) {
            *word = u32::from_le_bytes(bytes.try_into().expect("four bytes"));
        }
        inputs
    }

    fn seen(&self, outputs: &[u32]) -> Seen {
        let flag = |bit: u32| outputs[2] >> bit & 1 == 1;
        let wide = |at: usize| u64::from(outputs[at]) | u64::from(outputs[at + 1]) << 32;
        let beats = |shift: u32| u64::from(outputs[2] >> shift & 0xff) + 1;
        let bytes = || {
            let words = outputs[8..].iter().flat_map(|word| word.to_le_bytes());
            words.take(self.beat()).collect()
        };
        Seen {
            ar: flag(0).then(|| (wide(4), beats(8))),
            aw: flag(2).then(|| (wide(6), beats(16))),
            r_ready: flag(1),
            b_ready: flag(5),
            w: flag(3).then(|| (bytes(), flag(4))),
        }
    }

    /// The results in memory are the interpreter's.
    pub fn check_results(&mut self, module: &Module, inputs: &[Value]) -> Vec<Value> {
        let found = self
            .hosted
            .results(inputs, &mut self.memory.bytes)
            .expect("results");
        let reference = Interpreter.prepare(module).expect("valid");
        let expected = reference.run(inputs).expect("runs");
        assert!(words(&found) == words(&expected), "the results differ");
        found
    }
}

pub fn words(values: &[Value]) -> Vec<&[u64]> {
    let polys = values.iter().filter_map(|value| match value {
        Value::Poly(poly) => Some(poly.words()),
        _ => None,
    });
    polys.collect()
}
