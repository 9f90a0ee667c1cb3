//! Messages to ciphertexts and back on a simulated machine, several at a time.
//!
//! The machine encrypts or decrypts; the embedding (encode, decode) is its host's. Two choices shape
//! the stages. *Batch*: inside one, the host goes on with the next ciphertext as soon as the machine
//! has begun on this one; the machine itself takes one after the other. A batch of one encodes,
//! encrypts, and only then encodes again. *Sampling overlap*: without it a step that draws errors
//! runs alone.

use crate::embedding::Operations;
use crate::host::HostStageError;
use crate::stages::Stages;
use crate::station::{Placing, Station, Waits};
use crate::workload::{Stage, StageKind};
use ringwright_target::Timing;

/// What one ciphertext takes.
#[derive(Clone, Copy, Debug)]
pub struct Conversion<'a> {
    /// Where it is done.
    pub station: &'a Station,
    /// The machine's part.
    pub timing: &'a Timing,
    /// The host's part.
    pub embedding: &'a Embedding,
}

/// What the host does before or after the machine.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Embedding {
    /// Before the machine encrypts.
    Encode(Operations),
    /// After the machine has decrypted.
    Decode(Operations),
}

/// How many ciphertexts, and how they follow each other.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Batches {
    /// Ciphertexts in all.
    pub count: usize,
    /// Ciphertexts handed over together, 1 or more; before the next ones the machine has drained.
    pub batch: usize,
    /// Whether a step that draws samples may run beside others.
    pub sampling_overlap: bool,
}

impl Conversion<'_> {
    /// Adds the stages of all ciphertexts; they wait for the stages `after`.
    pub fn add(
        &self,
        stages: &mut Stages,
        batches: Batches,
        after: &[usize],
    ) -> Result<(), HostStageError> {
        let first = stages.stages().len();
        let (mut waits, mut drained) = (after.to_vec(), after.to_vec());
        let mut sampling = Vec::new();
        for index in 0..batches.count {
            let place = stages.stages().len();
            if index > 0 && index % batches.batch.max(1) == 0 {
                waits = stages.ends(first);
            }
            let placing = self.one(stages, &waits, &drained)?;
            waits = begun(&stages.stages()[place..]);
            drained = placing.free.into_iter().collect();
            sampling.extend(placing.sampling);
        }
        if !batches.sampling_overlap {
            alone(stages.stages_mut(), first, &sampling);
        }
        Ok(())
    }

    fn one(
        &self,
        stages: &mut Stages,
        all: &[usize],
        device: &[usize],
    ) -> Result<Placing, HostStageError> {
        match self.embedding {
            Embedding::Encode(operations) => {
                let encode = self.embed(stages, "encode", operations)?;
                let encode = [stages.push(encode.after(all.iter().copied()))];
                let waits = Waits {
                    all: &encode,
                    device,
                };
                self.station.run(stages, self.timing, waits)
            }
            Embedding::Decode(operations) => {
                let placing = self
                    .station
                    .run(stages, self.timing, Waits { all, device })?;
                let ends = stages.ends(placing.first);
                let decode = self.embed(stages, "decode", operations)?;
                stages.push(decode.after(ends));
                Ok(placing)
            }
        }
    }

    fn embed(
        &self,
        stages: &mut Stages,
        name: &str,
        operations: &Operations,
    ) -> Result<Stage, HostStageError> {
        let processor = stages.resource(&self.station.processor)?;
        let counts = operations.iter().map(|(&name, &count)| (name, count));
        self.station.host.stage(name, processor, counts, None)
    }
}

/// What the machine waits for before its first step.
fn begun(stages: &[Stage]) -> Vec<usize> {
    let first = stages
        .iter()
        .find(|stage| stage.kind != StageKind::HostFunction);
    first.map_or_else(Vec::new, |stage| stage.after.clone())
}

/// Makes each stage that draws wait for all before it, and all after it wait for it.
fn alone(stages: &mut [Stage], first: usize, sampling: &[usize]) {
    let mut sampling = sampling.iter().peekable();
    let mut since = first..first;
    for (index, stage) in stages.iter_mut().enumerate().skip(first) {
        let draws = sampling.next_if(|&&draws| draws == index).is_some();
        match draws {
            true => stage.after.extend(since.clone()),
            false => stage.after.extend(since.clone().take(1)),
        }
        stage.after.sort_unstable();
        stage.after.dedup();
        since = match draws {
            true => index..index + 1,
            false => since.start..index + 1,
        };
    }
}
