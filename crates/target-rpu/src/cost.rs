//! What a machine takes in silicon, and what its events take in energy.
//!
//! Units and parts are those of `hw/rpu/rtl`; how many of each, and how wide, follows from the
//! parameters. Each of `tiles` has all of it; the mesh between them has no RTL and is absent.
//!
//! | unit | blocks | memories |
//! |---|---|---|
//! | `law` | `rpu_law` a lane; `rpu_compute` around them | |
//! | `vrf` | `rpu_vrf_slice` a lane | 16 of four registers in each slice, or 64 of one |
//! | `vbar`, `load_store` | who is served, and the crossbar; addresses and rows, once a pipeline | |
//! | `sbar` | the crossbar with its rows, and `rpu_shuffle` around it | |
//! | `vdm` | | a bank each: read, write, and a third port for moves |
//! | `scalar` | register files of scalars, moduli, addresses | the scalar data memory |
//! | `front_end` | fetch and decode, busyboard, queues, reservations | the instruction memory |
//! | `dma` | moves, lists of commands | |

use crate::activity::DMA;
use crate::config::{BusyRule, Config, LoadStorePipes, VdmMap, VdmPort, SRAMS};
use crate::isa::REGISTERS;
use crate::published;
use crate::rtl::port_bytes;
use ringwright_silicon::{BlockCost, MemoryCost, Ports, Process, Sourced};
use ringwright_sim::Provenance;
use ringwright_spec::Machine;
use ringwright_target::cost::{access, block, share_of, CostError};
use ringwright_target::Cost;
use std::collections::BTreeSet;

/// Bits of an instruction.
const INSTRUCTION_BITS: u64 = 64;
/// Cycles of `compute_latency` before the engine: the read of its operands.
const OPERAND_READ: u64 = 1;
/// Ports of a slice that take part in a cycle in which all of it works.
const SLICE_PORTS: f64 = 10.0;

/// Of a machine, in a process.
pub fn cost(machine: &Machine, process: &Process) -> Result<Cost, CostError> {
    let config = Config::new(machine)?;
    let blocks = Blocks::of(&config, process)?;
    let memories = Memories::of(&config, process);
    let mut cost = Cost::default();
    blocks.add_to(&mut cost, &config);
    memories.add_to(&mut cost, &config);
    add_events(&mut cost, &config, process, &blocks, &memories)?;
    // The words of a port are those of the file's reads and writes, row by row.
    cost.counted_elsewhere = vec!["vrf_port"];
    if config.tiles > 1 {
        cost.absent.push("mesh: routers and links between tiles");
    }
    cost.absent
        .push("off-chip memory's interface, pads, clock tree, power grid");
    cost.published = published::costs(machine);
    Ok(cost)
}

/// The logic of a tile.
struct Blocks {
    law: BlockCost,
    compute: BlockCost,
    slice: BlockCost,
    vbar: BlockCost,
    crossbar: BlockCost,
    load_store: BlockCost,
    sbar: BlockCost,
    shuffle: BlockCost,
    scalar: BlockCost,
    front_end: Vec<(&'static str, BlockCost)>,
    dma: BlockCost,
    commands: BlockCost,
}

impl Blocks {
    fn of(config: &Config, process: &Process) -> Result<Self, CostError> {
        let get = |name, parameters: &[(&str, u64)]| process.block(&block(name, parameters));
        let (hples, width) = (config.hples as u64, u64::from(config.word_bits));
        let beats = config.beats() as u64;
        let (banks, bank_words) = (config.banks as u64, bank_words(config));
        let bank_bits = u64::from(bank_words.next_power_of_two().ilog2().max(1));
        let lanes = [("Hples", hples), ("Beats", beats), ("WordBits", width)];
        let rows = [
            ("Hples", hples),
            ("Beats", beats),
            ("Banks", banks),
            ("Width", width),
        ];
        let busyboard = block("rpu_busyboard", &[]);
        let busyboard = match config.busy_rule {
            BusyRule::SharedReads => busyboard,
            BusyRule::OneBit => busyboard.with_variant("Rule", "one_bit"),
        };
        let mut front_end = vec![
            ("fetch and decode", get("rpu_front_end", &[])?),
            ("busyboard", process.block(&busyboard)?),
            (
                "queues",
                get(
                    "rpu_queues",
                    &[("Depth", config.queue_depth as u64), ("WordBits", width)],
                )?,
            ),
        ];
        if config.single_port() {
            front_end.push(("reservations", get("rpu_reservations", &[])?));
        }
        Ok(Self {
            law: get(
                "rpu_law",
                &[
                    ("Width", width - 1),
                    ("Latency", config.compute_latency - OPERAND_READ),
                ],
            )?,
            compute: get("rpu_compute", &lanes)?,
            slice: get("rpu_vrf_slice", &[("Width", width)])?,
            vbar: get(
                "rpu_vbar",
                &[("Hples", hples), ("Banks", banks), ("WordWidth", bank_bits)],
            )?,
            crossbar: get(
                match is_depopulated(config) {
                    true => "rpu_depopulated_crossbar",
                    false => "rpu_crossbar",
                },
                &[("Hples", hples), ("Banks", banks), ("Width", width)],
            )?,
            load_store: get(
                "rpu_load_store",
                &[&rows[..], &[("Latency", config.load_store_latency)]].concat(),
            )?,
            sbar: get(
                "rpu_sbar",
                &[
                    ("Hples", hples),
                    ("Width", width),
                    ("Latency", config.shuffle_latency),
                ],
            )?,
            shuffle: get("rpu_shuffle", &lanes)?,
            scalar: get("rpu_scalar", &[("WordBits", width)])?,
            front_end,
            dma: get("rpu_dma", &[("WordBits", width)])?,
            commands: get("rpu_commands", &[])?,
        })
    }

    fn add_to(&self, cost: &mut Cost, config: &Config) {
        let tiles = config.tiles as u64;
        let lanes = tiles * config.hples as u64;
        let pipes = match config.load_store_pipes {
            LoadStorePipes::Shared => 1,
            LoadStorePipes::Separate => 2,
        };
        cost.add_blocks("law", "lanes", lanes, &self.law);
        cost.add_blocks("law", "operands", tiles, &self.compute);
        cost.add_blocks("vrf", "slices", lanes, &self.slice);
        cost.add_blocks("vbar", "choice", tiles, &self.vbar);
        cost.add_blocks("vbar", "crossbar", tiles, &self.crossbar);
        cost.add_blocks(
            "load_store",
            "addresses and rows",
            pipes * tiles,
            &self.load_store,
        );
        cost.add_blocks("sbar", "crossbar", tiles, &self.sbar);
        cost.add_blocks("sbar", "control", tiles, &self.shuffle);
        cost.add_blocks("scalar", "register files", tiles, &self.scalar);
        for (part, each) in &self.front_end {
            cost.add_blocks("front_end", part, tiles, each);
        }
        cost.add_blocks("dma", "moves", tiles, &self.dma);
        cost.add_blocks("dma", "commands", tiles, &self.commands);
    }
}

/// Whether the crossbar has few crosspoints: `rpu_crosspoints_pkg`, by the same count.
fn is_depopulated(config: &Config) -> bool {
    let (lanes, banks) = (config.hples, config.banks);
    let of_lane = |lane: usize| -> usize {
        let at = |v: u32| {
            let within = lane & ((1 << v) - 1);
            let value = [lane << v, (lane >> v << v << 1) | within, within];
            value.map(|place| place % banks)
        };
        let places = (0..32).flat_map(at).chain([lane % banks]);
        places.collect::<BTreeSet<_>>().len()
    };
    let few: usize = (0..lanes).map(of_lane).sum();
    let rotator = banks * banks.ilog2() as usize;
    config.vdm_map == VdmMap::Modulo && few + rotator < lanes * banks
}

/// The memories of a tile.
struct Memories {
    vrf: MemoryCost,
    vdm: MemoryCost,
    sdm: MemoryCost,
    im: MemoryCost,
}

impl Memories {
    fn of(config: &Config, process: &Process) -> Self {
        let width = u64::from(config.word_bits);
        let bank = match config.vdm_port {
            VdmPort::Second => Ports::THREE,
            VdmPort::Exclusive => Ports::TWO,
        };
        Self {
            vrf: process.memory(vrf_words(config), width, Ports::ONE),
            vdm: process.memory(bank_words(config), width, bank),
            sdm: process.memory(sdm_bank(config), width, Ports::TWO),
            im: process.memory(im_bank(config), INSTRUCTION_BITS, Ports::TWO),
        }
    }

    fn add_to(&self, cost: &mut Cost, config: &Config) {
        let tiles = config.tiles as u64;
        let width = config.word_bits;
        let slices = tiles * config.hples as u64;
        let size = |words, bits| format!("{words} words of {bits} bits");
        cost.add_memories(
            "vrf",
            slices * vrf_memories(config),
            &size(vrf_words(config), width),
            &self.vrf,
        );
        cost.add_memories(
            "vdm",
            tiles * config.banks as u64,
            &size(bank_words(config), width),
            &self.vdm,
        );
        for (unit, words, bank, bits, memory) in [
            (
                "scalar",
                config.sdm_words,
                sdm_bank(config),
                width,
                &self.sdm,
            ),
            (
                "front_end",
                config.im_words,
                im_bank(config),
                INSTRUCTION_BITS as u32,
                &self.im,
            ),
        ] {
            let banks = words as u64 / bank;
            cost.add_memories(unit, tiles * banks, &size(bank, bits), memory);
        }
    }
}

/// Memories of a slice of the register file.
fn vrf_memories(config: &Config) -> u64 {
    match config.single_port() {
        true => SRAMS as u64,
        false => REGISTERS as u64,
    }
}

/// Words of each of them: rows of the registers that it holds.
fn vrf_words(config: &Config) -> u64 {
    (REGISTERS * config.beats()) as u64 / vrf_memories(config)
}

/// Words of a bank of the scalar data memory: a beat of the port is written into as many of them as
/// it has words.
fn sdm_bank(config: &Config) -> u64 {
    let beat = port_bytes(config) / config.bytes_per_word();
    (config.sdm_words as u64 / beat).max(1)
}

/// Instructions of a bank of the instruction memory, likewise.
fn im_bank(config: &Config) -> u64 {
    let beat = port_bytes(config) / (INSTRUCTION_BITS / 8);
    (config.im_words as u64 / beat).max(1)
}

fn bank_words(config: &Config) -> u64 {
    (config.vdm_words / config.banks) as u64
}

fn add_events(
    cost: &mut Cost,
    config: &Config,
    process: &Process,
    blocks: &Blocks,
    memories: &Memories,
) -> Result<(), CostError> {
    let width = u64::from(config.word_bits);
    let per_lane = 1.0 / config.hples as f64;
    let sum = process.block(&block("mod_add", &[("Width", width)]))?;
    cost.add_event(
        "law",
        "law",
        Some("multiplications"),
        &process.multiplication(width - 1)?,
    );
    cost.add_event("law", "law", Some("additions"), &share_of(&sum, 1.0));

    let port = share_of(&blocks.slice, 1.0 / SLICE_PORTS);
    let word = access(&memories.vrf);
    for name in ["reads", "writes"] {
        cost.add_event("vrf", "vrf", Some(name), &word);
        cost.add_event("vrf", "vrf", Some(name), &port);
        cost.add_event("vdm", "vdm", Some(name), &access(&memories.vdm));
    }
    // A crossing in either direction is half of what works when rows go both ways.
    let choice = share_of(&blocks.vbar, per_lane / 2.0);
    let crossing = share_of(&blocks.crossbar, per_lane / 2.0);
    let row = share_of(&blocks.load_store, per_lane);
    for name in ["loads", "stores"] {
        cost.add_event("vbar", "vbar", Some(name), &choice);
        cost.add_event("vbar", "vbar", Some(name), &crossing);
        cost.add_event("load_store", "vbar", Some(name), &row);
    }
    cost.add_event(
        "sbar",
        "sbar",
        Some("words"),
        &share_of(&blocks.sbar, per_lane),
    );
    cost.add_event("scalar", "sdm", Some("reads"), &access(&memories.sdm));

    cost.add_event("front_end", "instruction", None, &access(&memories.im));
    for (_, each) in &blocks.front_end {
        cost.add_event("front_end", "instruction", None, &share_of(each, 1.0));
    }

    let per_byte = 8.0 / width as f64;
    let moved = access(&memories.vdm);
    let moved = Sourced {
        value: moved.value * per_byte,
        ..moved
    };
    cost.add_event("vdm", DMA, None, &moved);
    cost.add_event("off chip", DMA, None, &process.offchip_pj());
    if config.tiles > 1 {
        cost.add_event("mesh", "mesh", None, &hop(cost, config, process));
    }
    Ok(())
}

/// A byte from a tile to its neighbour: over the side of a tile.
fn hop(cost: &Cost, config: &Config, process: &Process) -> Sourced {
    let area = cost.total(ringwright_target::Quantity::AreaMm2);
    let side = area.map_or(0.0, |total| {
        (total.value.expected / config.tiles as f64).sqrt()
    });
    let wire = process.wire_pj();
    Sourced {
        value: wire.value * (8.0 * side),
        provenance: Provenance::Modelled,
        source: format!("{side:.1} mm, the side of a tile: {}", wire.source),
    }
}
