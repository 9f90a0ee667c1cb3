//! `rise` to take away: the parameters of a machine, and programs as its host runs them.
//!
//! A case is a program: what the host writes into registers, memory before and after it, and in
//! which cycle each call's interrupt is seen beside a host and a memory that never stall. Results
//! are the reference interpreter's, cycles the simulator's.

mod host;
mod programs;

use crate::config::{Config, Offload};
use crate::hosted::Hosted;
use crate::units::MODULES;
use ringwright_ir::interpret::Interpreter;
use ringwright_ir::ring::Module;
use ringwright_ir::{generate, Value};
use ringwright_spec::Machine;
use ringwright_target::image::Place;
use ringwright_target::{
    Image, ImageError, Rtl, RtlCase, RtlPackage, RtlParameter, RtlWords, TransformError,
};

/// The whole machine.
pub const RTL: Rtl = Rtl {
    folder: "hw/rise",
    top: "rise",
    testbench: "rise_tb",
    units: MODULES,
    package,
};

/// Where memory begins, for the device: at a page.
const BASE: u64 = 0x1234_5000;

/// Registers of the DMA unit between an instruction and its first word: the rest of the latency is
/// the memory's.
const OWN_CYCLES: u64 = 2;

/// Rounds of Keccak-f\[1600\].
pub(crate) const KECCAK_ROUNDS: u64 = 24;

fn package(machine: &Machine, seed: u64) -> Result<RtlPackage, TransformError> {
    let config = Config::new(machine)?;
    let programs = programs::programs(&config)?;
    let cases = programs
        .iter()
        .map(|(name, module)| Case::new(machine, name, module, seed)?.files());
    Ok(RtlPackage {
        parameters: parameters(machine, &config)?,
        cases: cases.collect::<Result<_, _>>()?,
    })
}

/// The parameters of `rise`; `spec/rise/params.toml` has most of them under the same names.
fn parameters(
    machine: &Machine,
    config: &Config,
) -> Result<Vec<(&'static str, RtlParameter)>, TransformError> {
    let permutation = machine.int("permutation_cycles");
    let permutation = permutation.map_err(ringwright_target::TargetError::from)? as u64;
    let numbers = [
        ("Bfus", config.bfus() as u64),
        ("WordBits", config.word_bits.into()),
        ("BankWords", config.bank_words as u64),
        ("BfuLatency", config.bfu_latency),
        ("TwiddleBatches", config.twiddle_batches()),
        ("WriteBuffer", config.write_buffer as u64),
        ("ReorderLatency", config.reorder_latency),
        ("Samplers", config.permutation_cycles.is_some().into()),
        ("RoundsPerCycle", KECCAK_ROUNDS / permutation),
        ("PortWords", config.words_per_cycle() as u64),
        ("DmaBurstBytes", config.dma_burst_bytes),
        ("StartCycles", config.start_cycles),
        ("InterruptCycles", config.interrupt_cycles),
        ("QueuedCalls", config.queued_calls as u64),
        (
            "TransformsOnly",
            (config.offload == Offload::Transforms).into(),
        ),
    ];
    Ok(numbers
        .map(|(name, value)| (name, RtlParameter::Number(value)))
        .to_vec())
}

/// One program with its inputs and what comes of them.
struct Case {
    name: String,
    hosted: Hosted,
    image: Image,
    /// As the interpreter has them.
    results: Vec<Value>,
}

impl Case {
    fn new(
        machine: &Machine,
        name: &str,
        module: &Module,
        seed: u64,
    ) -> Result<Self, TransformError> {
        let hosted = Hosted::new(machine, module).map_err(|error| match error {
            ImageError::Machine(error) => TransformError::from(error),
            ImageError::Program(error) => error.into(),
        })?;
        let inputs = generate::inputs(seed, module);
        let image = hosted.image(&inputs, BASE)?;
        let results = Interpreter.prepare(module)?.run(&inputs)?;
        Ok(Case {
            name: format!("{name}-{}", hosted.n()),
            hosted,
            image,
            results,
        })
    }

    fn files(&self) -> Result<RtlCase, TransformError> {
        let accesses = host::accesses(&self.hosted, &self.image)?;
        let (memory, latency) = (&self.image.memories[0], self.hosted.config().dma_latency);
        let words = |what, mut memories: Vec<Vec<u128>>| RtlWords {
            what,
            bits: memory.word_bits,
            words: memories.remove(0),
        };
        Ok(RtlCase {
            name: self.name.clone(),
            numbers: vec![
                ("Accesses", accesses.len() as u64),
                ("Words", memory.words as u64),
                ("Base", BASE),
                ("MemoryLatency", latency - OWN_CYCLES),
            ],
            facts: self.facts(),
            words: vec![
                RtlWords {
                    what: "host",
                    bits: host::ACCESS_BITS,
                    words: accesses,
                },
                words("memory", self.image.before()),
                words("result", self.image.with_results(&self.results)),
            ],
        })
    }

    fn facts(&self) -> Vec<(&'static str, String)> {
        let list = |values: Vec<u64>| {
            let texts: Vec<String> = values.iter().map(u64::to_string).collect();
            texts.join(", ")
        };
        let at = |places: &[Place]| {
            let places = places.iter();
            list(places.map(|&it| self.image.region(it).address).collect())
        };
        let before = self.image.inputs.iter().filter_map(|places| {
            let name = &self.image.region(*places.first()?).name;
            Some(format!("{name} at {}", at(places)))
        });
        let results = self.image.results.iter().enumerate();
        let after = results.map(|(index, places)| format!("result {index} at {}", at(places)));
        let constants = self.hosted.constants();
        let places: Vec<Place> = (0..constants.len())
            .map(|region| Place { memory: 0, region })
            .collect();
        vec![
            ("n", self.hosted.n().to_string()),
            ("q", list(constants.iter().map(|c| c.q.value()).collect())),
            ("root", list(constants.iter().map(|c| c.root()).collect())),
            ("constants", at(&places)),
            ("before", before.collect::<Vec<_>>().join("; ")),
            ("after", after.collect::<Vec<_>>().join("; ")),
        ]
    }
}

#[cfg(test)]
mod tests;
