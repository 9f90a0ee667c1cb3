//! A machine description as the numbers that the units are built with.
//!
//! Every field is one parameter of `spec/rpu/params.toml`, which says what it is, what it may be and
//! where it comes from. What cannot be built of values that are allowed alone is refused here, by the
//! name of the parameter: vectors that do not fill two rows, off-chip memory slower than a word a cycle.

use crate::isa::REGISTERS;
use ringwright_ir::RunError;
use ringwright_sim::Clock;
use ringwright_spec::{Choice, Machine};
use ringwright_target::{core_clock, TargetError, WordBytes};
use serde::{Deserialize, Serialize};

/// The name of the target, in machine descriptions and in `spec/`.
pub const TARGET: &str = "rpu";

/// The machine where none is named.
pub const DEFAULT_MACHINE: &str = "rpu-128x128";

/// Femtoseconds of a second.
const FS_PER_SECOND: u128 = 1_000_000_000_000_000;

/// Memories of a register file slice (RPU, section IV-B1).
pub const SRAMS: usize = 16;

/// The ports of the vector register file.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum VrfPorts {
    /// One read or write in a cycle for each of the [`SRAMS`] memories of a slice.
    Single,
    /// As many as are asked for.
    Unlimited,
}

impl Choice for VrfPorts {
    const NAMED: &'static [(&'static str, Self)] = &[
        ("single", VrfPorts::Single),
        ("unlimited", VrfPorts::Unlimited),
    ];
}

/// Which registers share a memory.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum VrfMap {
    /// Register r lies in memory r mod 16.
    Modulo,
    /// Register r lies in memory r div 4.
    Quotient,
}

impl Choice for VrfMap {
    const NAMED: &'static [(&'static str, Self)] =
        &[("modulo", VrfMap::Modulo), ("quotient", VrfMap::Quotient)];
}

impl VrfMap {
    /// The memory of a register.
    pub fn sram(self, register: usize) -> usize {
        match self {
            VrfMap::Modulo => register % SRAMS,
            VrfMap::Quotient => register / (REGISTERS / SRAMS),
        }
    }
}

/// What happens when two instructions need one port in one cycle.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum VrfClash {
    /// The later one waits.
    Stall,
    /// The program is refused.
    Error,
}

impl Choice for VrfClash {
    const NAMED: &'static [(&'static str, Self)] =
        &[("stall", VrfClash::Stall), ("error", VrfClash::Error)];
}

/// The bank of an address.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum VdmMap {
    /// Sum of the digits of the address in base `banks`, modulo `banks`.
    Skewed,
    /// The address modulo `banks`.
    Modulo,
}

impl Choice for VdmMap {
    const NAMED: &'static [(&'static str, Self)] =
        &[("skewed", VdmMap::Skewed), ("modulo", VdmMap::Modulo)];
}

/// Pipelines behind the load/store queue.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum LoadStorePipes {
    /// One for both.
    Shared,
    /// One for loads, scalar ones included, and one for stores.
    Separate,
}

impl Choice for LoadStorePipes {
    const NAMED: &'static [(&'static str, Self)] = &[
        ("shared", LoadStorePipes::Shared),
        ("separate", LoadStorePipes::Separate),
    ];
}

/// How moves reach the data memories.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum VdmPort {
    /// Through a port of their own, beside a running program.
    Second,
    /// While no program runs.
    Exclusive,
}

impl Choice for VdmPort {
    const NAMED: &'static [(&'static str, Self)] = &[
        ("second", VdmPort::Second),
        ("exclusive", VdmPort::Exclusive),
    ];
}

/// How wide words are in off-chip memory and on the DMA port, or on a mesh.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum OffchipWords {
    /// As in the machine's own memories.
    Whole,
    /// Half as wide under moduli of at most half the width.
    Packed,
}

impl Choice for OffchipWords {
    const NAMED: &'static [(&'static str, Self)] = &[
        ("whole", OffchipWords::Whole),
        ("packed", OffchipWords::Packed),
    ];
}

/// What makes a register busy.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum BusyRule {
    /// Readers do not block readers.
    SharedReads,
    /// Any use blocks any other.
    OneBit,
}

impl Choice for BusyRule {
    const NAMED: &'static [(&'static str, Self)] = &[
        ("shared_reads", BusyRule::SharedReads),
        ("one_bit", BusyRule::OneBit),
    ];
}

/// When a source register is free again.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum SourceRelease {
    /// Once its rows have been read.
    Readout,
    /// When the instruction has ended.
    Completion,
}

impl Choice for SourceRelease {
    const NAMED: &'static [(&'static str, Self)] = &[
        ("readout", SourceRelease::Readout),
        ("completion", SourceRelease::Completion),
    ];
}

/// The parameters of one machine.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Config {
    /// Name of the machine description.
    pub machine: String,
    /// Lanes.
    pub hples: usize,
    /// Banks of the vector data memory.
    pub banks: usize,
    /// Words of a vector.
    pub vector_length: usize,
    /// Width W of a word.
    pub word_bits: u32,
    /// Words of the vector data memory.
    pub vdm_words: usize,
    /// Words of the scalar data memory.
    pub sdm_words: usize,
    /// Instructions of the instruction memory.
    pub im_words: usize,
    /// Cycles from reading operands to writing results.
    pub compute_latency: u64,
    /// Cycles between the beats of a compute instruction.
    pub ii: u64,
    /// Cycles between a bank's access and a register row's.
    pub load_store_latency: u64,
    /// Cycles from reading rows to writing the row made of them.
    pub shuffle_latency: u64,
    /// Empty cycles between two instructions of a pipeline.
    pub gap: u64,
    /// Instructions that a queue holds.
    pub queue_depth: usize,
    /// Ports of the vector register file.
    pub vrf_ports: VrfPorts,
    /// Registers that share a memory.
    pub vrf_map: VrfMap,
    /// What a clash on a port means.
    pub vrf_clash: VrfClash,
    /// Bank of an address.
    pub vdm_map: VdmMap,
    /// Pipelines of loads and stores.
    pub load_store_pipes: LoadStorePipes,
    /// What makes a register busy.
    pub busy_rule: BusyRule,
    /// When a source is free again.
    pub source_release: SourceRelease,
    /// Rate of off-chip memory.
    pub dma_bits_per_second: u64,
    /// Cycles from a transfer's command to its first word.
    pub dma_latency: u64,
    /// How moves reach the data memories.
    pub vdm_port: VdmPort,
    /// How wide words are off chip.
    pub offchip_words: OffchipWords,
    /// Tiles, which share the off-chip memory.
    pub tiles: usize,
    /// Tiles in a row of the mesh.
    pub mesh_columns: usize,
    /// Rate of a link of the mesh.
    pub mesh_bits_per_second: u64,
    /// How wide words are on the links of the mesh.
    pub mesh_words: OffchipWords,
    /// Cycles from a tile to the next.
    pub mesh_hop_latency: u64,
    /// Bytes of off-chip memory.
    pub memory_bytes: u64,
    /// Cycles from the start register to the first instruction in decode.
    pub start_cycles: u64,
    /// The clock.
    pub clock: Clock,
}

impl Config {
    /// Reads a checked description; refuses one of another target and what cannot be built.
    pub fn new(machine: &Machine) -> Result<Self, TargetError> {
        if machine.target() != TARGET {
            return Err(TargetError::OtherTarget {
                machine: machine.name().to_owned(),
                given: machine.target().to_owned(),
                target: TARGET,
            });
        }
        // The declared ranges are not negative, so the casts keep the value.
        let int = |key| machine.int(key).map(|value| value as u64);
        let count = |key| int(key).map(|value| value as usize);
        let config = Config {
            machine: machine.name().to_owned(),
            hples: count("hples")?,
            banks: count("banks")?,
            vector_length: count("vector_length")?,
            word_bits: int("word_bits")? as u32,
            vdm_words: count("vdm_words")?,
            sdm_words: count("sdm_words")?,
            im_words: count("im_words")?,
            compute_latency: int("compute_latency")?,
            ii: int("ii")?,
            load_store_latency: int("load_store_latency")?,
            shuffle_latency: int("shuffle_latency")?,
            gap: int("gap")?,
            queue_depth: count("queue_depth")?,
            vrf_ports: machine.choice("vrf_ports")?,
            vrf_map: machine.choice("vrf_map")?,
            vrf_clash: machine.choice("vrf_clash")?,
            vdm_map: machine.choice("vdm_map")?,
            load_store_pipes: machine.choice("load_store_pipes")?,
            busy_rule: machine.choice("busy_rule")?,
            source_release: machine.choice("source_release")?,
            dma_bits_per_second: int("dma_bits_per_second")?,
            dma_latency: int("dma_latency")?,
            vdm_port: machine.choice("vdm_port")?,
            offchip_words: machine.choice("offchip_words")?,
            tiles: count("tiles")?,
            mesh_columns: count("mesh_columns")?,
            mesh_bits_per_second: int("mesh_bits_per_second")?,
            mesh_words: machine.choice("mesh_words")?,
            mesh_hop_latency: int("mesh_hop_latency")?,
            memory_bytes: int("memory_bytes")?,
            start_cycles: int("start_cycles")?,
            clock: core_clock(machine)?,
        };
        config.check(machine)?;
        Ok(config)
    }

    /// What the ranges of single parameters cannot say.
    fn check(&self, machine: &Machine) -> Result<(), TargetError> {
        if self.vector_length < 2 * self.hples {
            let allowed = format!(
                "allowed are up to {}: two rows a vector",
                self.vector_length / 2
            );
            return Err(refusal(machine, "hples", self.hples as u64, allowed));
        }
        if self.ii > self.compute_latency {
            let allowed = format!(
                "allowed are up to compute_latency = {}",
                self.compute_latency
            );
            return Err(refusal(machine, "ii", self.ii, allowed));
        }
        if self.vdm_words < self.banks.max(self.vector_length) {
            let allowed = "allowed are at least a vector and a word in each bank".to_owned();
            return Err(refusal(
                machine,
                "vdm_words",
                self.vdm_words as u64,
                allowed,
            ));
        }
        if self.tiles > 1 && self.vdm_port == VdmPort::Exclusive {
            let allowed = "allowed is \"second\" on a chip of several tiles, whose towers arrive beside programs";
            return Err(TargetError::Unavailable {
                machine: machine.name().to_owned(),
                key: "vdm_port",
                given: "exclusive".to_owned(),
                allowed: allowed.to_owned(),
            });
        }
        if self.transfer_cycles(self.bytes_per_word()) > 1 {
            let bits = u128::from(8 * self.bytes_per_word()) * FS_PER_SECOND;
            let least = bits.div_ceil(u128::from(self.clock.period().0));
            let allowed = format!("allowed are at least {least}: a word in a cycle");
            let given = self.dma_bits_per_second;
            return Err(refusal(machine, "dma_bits_per_second", given, allowed));
        }
        Ok(())
    }

    /// Beats of a vector: its rows, one in each slice.
    pub fn beats(&self) -> usize {
        self.vector_length / self.hples
    }

    /// Bytes of a word in memory, and on the DMA port at most.
    pub fn bytes_per_word(&self) -> u64 {
        u64::from(self.word_bits.next_power_of_two() / 8).max(4)
    }

    /// Bytes that a word below 2^`bits` takes off chip.
    pub fn offchip_bytes(&self, bits: u32) -> u64 {
        self.words_off_chip().below(bits)
    }

    /// How words of towers lie in off-chip memory.
    pub fn words_off_chip(&self) -> WordBytes {
        self.words_as(self.offchip_words)
    }

    /// Bytes that a word below 2^`bits` takes on a link of the mesh.
    pub fn mesh_bytes(&self, bits: u32) -> u64 {
        self.words_as(self.mesh_words).below(bits)
    }

    fn words_as(&self, words: OffchipWords) -> WordBytes {
        WordBytes {
            whole: self.bytes_per_word(),
            packed: words == OffchipWords::Packed,
        }
    }

    /// Cycles in which so many bytes pass the port to off-chip memory.
    pub fn transfer_cycles(&self, bytes: u64) -> u64 {
        self.cycles_at(self.dma_bits_per_second, bytes)
    }

    /// Cycles in which so many bytes pass a link of the mesh.
    pub fn link_cycles(&self, bytes: u64) -> u64 {
        self.cycles_at(self.mesh_bits_per_second, bytes)
    }

    fn cycles_at(&self, bits_per_second: u64, bytes: u64) -> u64 {
        let time = u128::from(8 * bytes) * FS_PER_SECOND;
        let of_cycle = u128::from(bits_per_second) * u128::from(self.clock.period().0);
        u64::try_from(time.div_ceil(of_cycle)).unwrap_or(u64::MAX)
    }

    /// The refusal of what the machine cannot do.
    pub fn unsupported(&self, reason: impl ToString) -> RunError {
        RunError::Unsupported {
            machine: self.machine.clone(),
            reason: reason.to_string(),
        }
    }

    /// Whether the ports of the register file are limited.
    pub fn single_port(&self) -> bool {
        self.vrf_ports == VrfPorts::Single
    }
}

fn refusal(machine: &Machine, key: &'static str, given: u64, allowed: String) -> TargetError {
    TargetError::Unavailable {
        machine: machine.name().to_owned(),
        key,
        given: given.to_string(),
        allowed,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_declared_choice_has_its_variant() {
        let target = TARGET;
        assert!(VrfPorts::is_declared(target, "vrf_ports"));
        assert!(VrfMap::is_declared(target, "vrf_map"));
        assert!(VrfClash::is_declared(target, "vrf_clash"));
        assert!(VdmMap::is_declared(target, "vdm_map"));
        assert!(LoadStorePipes::is_declared(target, "load_store_pipes"));
        assert!(VdmPort::is_declared(target, "vdm_port"));
        assert!(OffchipWords::is_declared(target, "offchip_words"));
        assert!(OffchipWords::is_declared(target, "mesh_words"));
        assert!(BusyRule::is_declared(target, "busy_rule"));
        assert!(SourceRelease::is_declared(target, "source_release"));
    }

    #[test]
    fn several_tiles_need_a_port_beside_programs() {
        let text = Machine::shipped().iter().find(|each| each.name == "rpu-2");
        let text = text.expect("it ships").text;
        let exclusive = text.replace(
            "vdm_port = { value = \"second\"",
            "vdm_port = { value = \"exclusive\"",
        );
        let exclusive =
            Machine::parse("exclusive.toml", &exclusive).expect("every value is allowed");
        let refused = Config::new(&exclusive).expect_err("towers arrive beside programs");
        assert!(refused.to_string().contains("vdm_port"), "{refused}");
    }
}
