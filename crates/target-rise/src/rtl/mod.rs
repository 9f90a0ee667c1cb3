//! `rise` to take away: the parameters of a machine, and programs as its host runs them.
//!
//! A case is a program: what the host writes into registers, memory before and after it, and in
//! which cycle each call's interrupt is seen beside a host and a memory that never stall. Results
//! are the reference interpreter's, cycles the simulator's.

mod host;
mod programs;

use crate::config::{Config, Offload};
use crate::device::RISE;
use crate::image::{Image, ImageError};
use crate::schedule::{BFU, CONTROL, DMA, INTERRUPT, SAMPLER};
use ringwright_ir::interpret::Interpreter;
use ringwright_ir::ring::Module;
use ringwright_ir::{generate, Value};
use ringwright_spec::Machine;
use ringwright_target::{Rtl, RtlCase, RtlPackage, RtlParameter, RtlWords, TransformError};

/// The whole machine.
pub const RTL: Rtl = Rtl {
    folder: "hw/rise",
    top: "rise",
    testbench: "rise_tb",
    units: &[
        (CONTROL, "rise_io_control"),
        (DMA, "rise_dma"),
        (SAMPLER, "rise_sampler"),
        (BFU, "rise_bfu"),
        (INTERRUPT, "rise_io_control"),
    ],
    package,
};

/// Where memory begins, for the device: at a page.
const BASE: u64 = 0x1234_5000;

/// Registers of the DMA unit between an instruction and its first word: the rest of the latency is
/// the memory's.
const OWN_CYCLES: u64 = 2;

/// Rounds of Keccak-f\[1600\].
const KECCAK_ROUNDS: u64 = 24;

fn package(machine: &Machine, seed: u64) -> Result<RtlPackage, TransformError> {
    RISE.check(machine)?;
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
    image: Image,
    inputs: Vec<Value>,
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
        let image = Image::new(machine, module).map_err(|error| match error {
            ImageError::Machine(error) => TransformError::from(error),
            ImageError::Program(error) => error.into(),
        })?;
        let inputs = generate::inputs(seed, module);
        let results = Interpreter.prepare(module)?.run(&inputs)?;
        Ok(Case {
            name: format!("{name}-{}", image.n()),
            image,
            inputs,
            results,
        })
    }

    fn files(&self) -> Result<RtlCase, TransformError> {
        let config = self.image.config();
        let accesses = host::accesses(&self.image, &self.inputs)?;
        let before = self.image.memory(&self.inputs);
        let mut after = before.clone();
        self.image.store_results(&self.results, &mut after);
        let word = config.bytes_per_word() as usize;
        Ok(RtlCase {
            name: self.name.clone(),
            numbers: vec![
                ("Accesses", accesses.len() as u64),
                ("Words", (before.len() / word) as u64),
                ("Base", BASE),
                ("MemoryLatency", config.dma_latency - OWN_CYCLES),
            ],
            facts: self.facts(),
            words: vec![
                RtlWords {
                    what: "host",
                    bits: host::ACCESS_BITS,
                    words: accesses,
                },
                words("memory", word, &before),
                words("result", word, &after),
            ],
        })
    }

    fn facts(&self) -> Vec<(&'static str, String)> {
        let list = |values: Vec<u64>| {
            let texts: Vec<String> = values.iter().map(u64::to_string).collect();
            texts.join(", ")
        };
        let named = |(name, at): (String, Vec<u64>)| format!("{name} at {}", list(at));
        let inputs = self.image.inputs_at().into_iter().map(named);
        let results = self.image.results_at().into_iter().enumerate();
        let results = results.map(|(index, at)| named((format!("result {index}"), at)));
        let constants = self.image.constants_at();
        vec![
            ("n", self.image.n().to_string()),
            (
                "q",
                list(constants.iter().map(|(c, _)| c.q.value()).collect()),
            ),
            (
                "root",
                list(constants.iter().map(|(c, _)| c.root()).collect()),
            ),
            (
                "constants",
                list(constants.iter().map(|&(_, at)| at).collect()),
            ),
            ("before", inputs.collect::<Vec<_>>().join("; ")),
            ("after", results.collect::<Vec<_>>().join("; ")),
        ]
    }
}

/// Bytes of memory as its words.
fn words(what: &'static str, size: usize, bytes: &[u8]) -> RtlWords {
    let word = |bytes: &[u8]| {
        let bytes = bytes.iter().rev();
        bytes.fold(0, |word, &byte| word << 8 | u128::from(byte))
    };
    RtlWords {
        what,
        bits: 8 * size as u32,
        words: bytes.chunks_exact(size).map(word).collect(),
    }
}

#[cfg(test)]
mod tests;
