//! A program with the memories before it, and the result that belongs into them.

use super::operands::Operands;
use crate::isa::{encode_all, Program, INSTRUCTION_BITS};
use crate::schedule::Schedule;
use crate::{run, Config, Memories};
use ringwright_ir::RunError;
use ringwright_target::{RtlCase, RtlWords};

/// What becomes a case.
pub struct Image {
    /// Name of the case.
    pub name: String,
    /// What runs, from address 0 of the instruction memory on.
    pub program: Program,
    /// Before it.
    pub memories: Memories,
    /// Words of the vector data memory that are given, from address 0 on.
    pub vdm_words: usize,
    /// The same of the scalar data memory.
    pub sdm_words: usize,
    /// Address and word of the result, as the interpreter has it; empty where it has none.
    pub result: Vec<(usize, u128)>,
    /// What a reader wants to know.
    pub facts: Vec<(&'static str, String)>,
}

impl Image {
    /// Refuses a program that is longer than the instruction memory.
    pub fn fits(&self, config: &Config) -> Result<(), RunError> {
        let (needed, room) = (self.program.instructions.len(), config.im_words);
        if needed <= room {
            return Ok(());
        }
        let name = &self.name;
        let reason =
            format!("{name} has {needed} instructions; the instruction memory holds {room}");
        Err(config.unsupported(reason))
    }

    /// The vector data memory after a simulated run, and the run's times.
    pub fn simulated(&self, config: &Config) -> Result<(Vec<u128>, Schedule), RunError> {
        let mut memories = self.memories.clone();
        let schedule = run(&self.program, config, &mut memories)
            .map_err(|error| RunError::Invalid(error.to_string()))?;
        memories.vdm.truncate(self.vdm_words);
        Ok((memories.vdm, schedule))
    }

    /// The case. What the interpreter does not know, the places in which a program keeps what it
    /// needs on its way, is the simulator's.
    pub fn case(&self, config: &Config) -> Result<RtlCase, RunError> {
        let (mut after, schedule) = self.simulated(config)?;
        for &(address, word) in &self.result {
            after[address] = word;
        }
        let encoded = encode_all(&self.program);
        let encoded = encoded.map_err(|error| RunError::Invalid(error.to_string()))?;
        let words = |what, words: &[u128]| RtlWords {
            what,
            bits: config.word_bits,
            words: words.to_vec(),
        };
        Ok(RtlCase {
            name: self.name.clone(),
            numbers: vec![
                ("Instructions", encoded.len() as u64),
                ("SdmWords", self.sdm_words as u64),
                ("VdmWords", self.vdm_words as u64),
                ("Cycles", schedule.cycles),
            ],
            facts: self.facts.clone(),
            words: vec![
                RtlWords {
                    what: "instructions",
                    bits: INSTRUCTION_BITS,
                    words: encoded.into_iter().map(u128::from).collect(),
                },
                words("sdm", &self.memories.sdm[..self.sdm_words]),
                words("vdm", &self.memories.vdm[..self.vdm_words]),
                words("result", &after),
            ],
        })
    }
}

/// Facts that every case has; `before` and `after` say which word of what lies at which address of
/// the vector data memory.
pub fn facts(operands: &Operands, before: String, after: String) -> Vec<(&'static str, String)> {
    vec![
        ("n", (1u64 << operands.log_n).to_string()),
        ("q", operands.q.to_string()),
        ("root", operands.root.to_string()),
        ("before", before),
        ("after", after),
    ]
}
