//! `rpu` to take away: the parameters of a machine, and programs with the memories before and
//! after them and their cycles.
//!
//! Four programs are plain ones, one operation on a tower each, under a prime of 62 bits or of what
//! the machine holds; two are transforms of the compiler, which keep a tower in registers and
//! shuffle it, under the widest prime of the machine. Their results are the reference interpreter's,
//! cycles the simulator's. Orderly programs never wait for a reader, so three more look for trouble.

mod hazards;
mod image;
mod operands;
mod scheduled;
mod tower;

use crate::kernels::compile::known::Recipes;
use crate::kernels::tower_kernel::WIDEST_PRIME;
use crate::kernels::Library;
use crate::Config;
use image::Image;
use operands::Operands;
use ringwright_ir::RunError;
use ringwright_sim::Provenance;
use ringwright_spec::Machine;
use ringwright_target::{Rtl, RtlPackage, RtlParameter, TargetError, TransformError};

/// The whole machine; the testbench drives `rpu_core`. The port to off-chip memory and the commands
/// are in it and no units here: their cycles are not those of [`crate::device`]'s steps, as
/// `docs/rpu_rtl.md` says.
pub const RTL: Rtl = Rtl {
    folder: "hw/rpu",
    top: "rpu",
    testbench: "rpu_core_tb",
    units: &[(CORE, "rpu_core")],
    package,
};

/// The core with its pipelines, a unit of the timeline.
pub const CORE: &str = "core";

/// Cycles from the write of the start register to the first instruction in decode, in `rpu.sv`.
pub const START_CYCLES: u64 = 4;

/// The parameters of `rpu`, and as what `spec/rpu/params.toml` declares them.
const NUMBERS: [(&str, &str); 13] = [
    ("Hples", "hples"),
    ("Banks", "banks"),
    ("VectorLength", "vector_length"),
    ("WordBits", "word_bits"),
    ("VdmWords", "vdm_words"),
    ("SdmWords", "sdm_words"),
    ("ImWords", "im_words"),
    ("ComputeLatency", "compute_latency"),
    ("Ii", "ii"),
    ("LoadStoreLatency", "load_store_latency"),
    ("ShuffleLatency", "shuffle_latency"),
    ("Gap", "gap"),
    ("QueueDepth", "queue_depth"),
];

/// Those that choose a variant.
const CHOICES: [(&str, &str); 8] = [
    ("VrfPorts", "vrf_ports"),
    ("VrfMap", "vrf_map"),
    ("VdmMap", "vdm_map"),
    ("LoadStorePipes", "load_store_pipes"),
    ("BusyRule", "busy_rule"),
    ("SourceRelease", "source_release"),
    ("VdmPort", "vdm_port"),
    ("OffchipWords", "offchip_words"),
];

/// Bytes of the widest port that AXI4 has.
const WIDEST_PORT: u64 = 128;

/// Widest initiation interval that `rpu_compute` is built for.
const MOST_II: u64 = 2;

fn package(machine: &Machine, seed: u64) -> Result<RtlPackage, TransformError> {
    let config = Config::new(machine)?;
    built(&config)?;
    let library = Library::new(Recipes::of(machine)?);
    let images = images(&config, &library, seed)?;
    let cases = images.iter().map(|image| image.case(&config));
    let mut parameters = parameters(machine)?;
    parameters.push(("PortBytes", RtlParameter::Number(port_bytes(&config))));
    Ok(RtlPackage {
        parameters,
        cases: cases.collect::<Result<_, _>>()?,
    })
}

/// Refuses what the simulator has and the RTL has not.
pub fn built(config: &Config) -> Result<(), TargetError> {
    match config.ii <= MOST_II {
        true => Ok(()),
        false => Err(TargetError::Unavailable {
            machine: config.machine.clone(),
            key: "ii",
            given: config.ii.to_string(),
            allowed: format!("the RTL has 1 to {MOST_II}"),
        }),
    }
}

/// Where cycles of the core come from: a model in lockstep with the RTL, or one that no RTL follows.
pub fn provenance(config: &Config) -> Provenance {
    match built(config) {
        Ok(()) => Provenance::Simulated,
        Err(_) => Provenance::Modelled,
    }
}

/// Bytes of the port to off-chip memory: as wide as there is one, while the words of a beat lie in a
/// row of the banks, and side by side in scalar data memory.
pub fn port_bytes(config: &Config) -> u64 {
    let narrow = config.offchip_bytes(0) * config.banks as u64;
    let scalars = config.bytes_per_word() * config.sdm_words as u64;
    narrow.min(scalars).min(WIDEST_PORT)
}

fn parameters(machine: &Machine) -> Result<Vec<(&'static str, RtlParameter)>, TargetError> {
    let mut parameters = Vec::new();
    for (name, key) in NUMBERS {
        // The declared ranges are not negative.
        parameters.push((name, RtlParameter::Number(machine.int(key)? as u64)));
    }
    for (name, key) in CHOICES {
        parameters.push((name, RtlParameter::Text(machine.text(key)?.to_owned())));
    }
    Ok(parameters)
}

/// Plain programs on towers of two vectors, the least there is; scheduled transforms on four; random
/// programs.
fn images(config: &Config, library: &Library, seed: u64) -> Result<Vec<Image>, RunError> {
    let log_vector = config.vector_length.ilog2();
    let widest = config.word_bits - 1;
    let plain = Operands::new(log_vector + 1, widest.min(WIDEST_PRIME), seed)?;
    let wide = Operands::new(log_vector + 2, widest, seed)?;
    let mut images = tower::images(config, library, &plain)?;
    images.extend(scheduled::images(config, &wide)?);
    images.extend(hazards::images(config, seed)?);
    images.iter().try_for_each(|image| image.fits(config))?;
    Ok(images)
}

#[cfg(test)]
mod tests;
