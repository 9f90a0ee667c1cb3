//! A machine description as the numbers that the units are built with.
//!
//! What each parameter may be says `spec/rise/params.toml`. What cannot be built of values that are
//! allowed alone is refused here, by the name of the parameter: a DMA port that does not fit the
//! banks. What a program asks for beyond the machine is refused by [`Config::shape`] and
//! [`Config::check_modulus`].

use crate::shape::Shape;
use crate::units::dma::Dma;
use crate::units::sampler::Sampler;
use ringwright_ir::RunError;
use ringwright_sim::Clock;
use ringwright_spec::{Choice, Machine};
use ringwright_target::{check_target, core_clock, TargetError};

/// What descriptions of these machines name as their target.
pub const NAME: &str = "rise";

/// What the device computes itself.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Offload {
    /// Transforms, products, sums, and samples where there is a sampler.
    Pipeline,
    /// Transforms alone.
    Transforms,
}

impl Choice for Offload {
    const NAMED: &'static [(&'static str, Self)] = &[
        ("pipeline", Offload::Pipeline),
        ("transforms", Offload::Transforms),
    ];
}

/// Who draws samples.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Samplers {
    /// The host.
    None,
    /// The error sampling unit.
    Keccak,
}

impl Choice for Samplers {
    const NAMED: &'static [(&'static str, Self)] =
        &[("none", Samplers::None), ("keccak", Samplers::Keccak)];
}

/// The parameters of one machine; `spec/rise/params.toml` says what each is.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Config {
    /// Name of the machine description.
    pub machine: String,
    /// What it computes.
    pub offload: Offload,
    /// log2 of the number of butterfly units P.
    pub log_p: u32,
    /// Width of a word.
    pub word_bits: u32,
    /// Depth of a bank.
    pub bank_words: usize,
    /// Cycles D from a butterfly unit's operands to its results.
    pub bfu_latency: u64,
    /// log2 of the batches of twiddle factors held at once.
    pub log_batches: u32,
    /// Words of a bank's write buffer.
    pub write_buffer: usize,
    /// Cycles of the reordering unit beyond the arrival of a group.
    pub reorder_latency: u64,
    /// Cycles of a Keccak permutation; `None` without the error sampling unit.
    pub permutation_cycles: Option<u64>,
    /// Width of the DMA port.
    pub dma_bytes_per_cycle: u64,
    /// What the DMA unit takes of one of several streams at once; at least a beat.
    pub dma_burst_bytes: u64,
    /// Cycles from a transfer's command to its first word.
    pub dma_latency: u64,
    /// Cycles from the command register to the first transfer.
    pub start_cycles: u64,
    /// Cycles from the last transfer to the interrupt.
    pub interrupt_cycles: u64,
    /// Calls whose registers are held.
    pub queued_calls: usize,
    /// The clock.
    pub clock: Clock,
}

impl Config {
    /// Reads a checked description; refuses another target's, and what cannot be built.
    pub fn new(machine: &Machine) -> Result<Self, TargetError> {
        check_target(machine, NAME)?;
        // The declared ranges are not negative, so the casts keep the value.
        let int = |key| machine.int(key).map(|value| value as u64);
        let samplers = machine.choice("samplers")?;
        let config = Config {
            machine: machine.name().to_owned(),
            offload: machine.choice("offload")?,
            log_p: machine.log2("bfus")?,
            word_bits: int("word_bits")? as u32,
            bank_words: int("bank_words")? as usize,
            bfu_latency: int("bfu_latency")?,
            log_batches: machine.log2("twiddle_batches")?,
            write_buffer: int("write_buffer")? as usize,
            reorder_latency: int("reorder_latency")?,
            permutation_cycles: match samplers {
                Samplers::None => None,
                Samplers::Keccak => Some(int("permutation_cycles")?),
            },
            dma_bytes_per_cycle: int("dma_bytes_per_cycle")?,
            dma_burst_bytes: int("dma_burst_bytes")?,
            dma_latency: int("dma_latency")?,
            start_cycles: int("start_cycles")?,
            interrupt_cycles: int("interrupt_cycles")?,
            queued_calls: int("queued_calls")? as usize,
            clock: core_clock(machine)?,
        };
        config.check_port(machine)?;
        Ok(config)
    }

    /// A DMA port writes at most one word of every bank in a cycle.
    fn check_port(&self, machine: &Machine) -> Result<(), TargetError> {
        let banks = 4 << self.log_p;
        let widest = banks * self.bytes_per_word();
        let too_narrow = self.dma_bytes_per_cycle < self.bytes_per_word();
        if too_narrow || self.dma_bytes_per_cycle > widest {
            return Err(TargetError::Unavailable {
                machine: machine.name().to_owned(),
                key: "dma_bytes_per_cycle",
                given: self.dma_bytes_per_cycle.to_string(),
                allowed: format!(
                    "allowed are {} to {widest}: one word up to one for each of the {banks} banks",
                    self.bytes_per_word()
                ),
            });
        }
        Ok(())
    }

    /// Butterfly units P.
    pub fn bfus(&self) -> usize {
        1 << self.log_p
    }

    /// Batches of twiddle factors held at once.
    pub fn twiddle_batches(&self) -> u64 {
        1 << self.log_batches
    }

    /// Bytes of a word in memory and on the DMA port: the modulus' reciprocal has two bits more
    /// than a word.
    pub fn bytes_per_word(&self) -> u64 {
        match self.word_bits {
            ..=30 => 4,
            _ => 8,
        }
    }

    /// Words that the DMA port moves in a cycle.
    pub fn words_per_cycle(&self) -> usize {
        (self.dma_bytes_per_cycle / self.bytes_per_word()) as usize
    }

    /// Cycles from the read of a stage's last operands until its last result is in its bank.
    pub fn drain(&self) -> u64 {
        self.bfu_latency + 4 + self.reorder_latency
    }

    /// The DMA unit.
    pub fn dma(&self) -> Dma {
        Dma {
            words_per_cycle: self.words_per_cycle(),
            burst_words: (self.dma_burst_bytes / self.bytes_per_word()) as usize,
            latency: self.dma_latency,
        }
    }

    /// The error sampling unit, where there is one.
    pub fn sampler(&self) -> Option<Sampler> {
        let permutation_cycles = self.permutation_cycles?;
        Some(Sampler { permutation_cycles })
    }

    /// The refusal of what the machine cannot do.
    pub fn unsupported(&self, reason: impl ToString) -> RunError {
        RunError::Unsupported {
            machine: self.machine.clone(),
            reason: reason.to_string(),
        }
    }

    /// How polynomials of this degree lie in the banks, or why they do not.
    pub fn shape(&self, log_n: u32) -> Result<Shape, RunError> {
        let refuse = |reason: String| Err(self.unsupported(reason));
        let shape = Shape {
            log_n,
            log_p: self.log_p,
        };
        if log_n <= shape.log_banks() {
            return refuse(format!(
                "N = {}: bfus = {} needs log2 N > 2 + log2 P, that is N of at least {}",
                shape.n(),
                self.bfus(),
                2 * shape.banks()
            ));
        }
        if shape.bank_words() > self.bank_words {
            return refuse(format!(
                "N = {}: {} banks of bank_words = {} hold N up to {}",
                shape.n(),
                shape.banks(),
                self.bank_words,
                shape.banks() * self.bank_words
            ));
        }
        let w = self.words_per_cycle();
        if w * w > shape.n() {
            return refuse(format!(
                "N = {}: dma_bytes_per_cycle = {} moves {w} words at once, which needs N of at \
                 least {}",
                shape.n(),
                self.dma_bytes_per_cycle,
                w * w
            ));
        }
        Ok(shape)
    }

    /// Whether a modulus fits the multipliers.
    pub fn check_modulus(&self, q: u128) -> Result<(), RunError> {
        let bits = u128::BITS - q.leading_zeros();
        match bits <= self.word_bits {
            true => Ok(()),
            false => Err(self.unsupported(format!(
                "modulus {q} of {bits} bits: word_bits = {} is the widest",
                self.word_bits
            ))),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_declared_choice_has_its_variant() {
        assert!(Offload::is_declared(NAME, "offload"));
        assert!(Samplers::is_declared(NAME, "samplers"));
    }
}
