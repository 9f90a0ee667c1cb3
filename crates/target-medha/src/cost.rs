//! What a machine takes of an FPGA: multiplier blocks, and memories of both sizes.
//!
//! Memories are counted from its parameters; butterflies and dyadic lanes are as yosys maps our RTL
//! (`spec/silicon/fpga.toml`), where it was mapped for the machine's widths and latencies.
//!
//! A product modulo a prime of W bits is a whole product and, for Barrett's reduction, its upper and
//! its lower half again. One block multiplies 26 by 17 bits (AMD UG579: DSP48E2, 27 by 18 signed). A
//! tower lies in memories of 72 bits: an UltraRAM has 4,096 words, a block RAM 512.

use crate::config::Config;
use crate::encode::STREAMS;
use ringwright_silicon::{fpga_cells, Block, Estimate, Process};
use ringwright_sim::Provenance;
use ringwright_spec::{Machine, PublishedCost, Setting};
use ringwright_target::cost::CostError;
use ringwright_target::{Cost, CostEntry, Quantity};
use std::collections::BTreeMap;

/// Bits of the factors of a multiplier block.
const BLOCK: (u32, u32) = (26, 17);
/// Words of 72 bits in an UltraRAM and in a block RAM.
const URAM_WORDS: usize = 4096;
const BRAM_WORDS: usize = 512;
/// What placement and another tool may change.
const MAPPING_ERROR: f64 = 0.2;
/// Memories of an RPAU.
const MEMORIES: u64 = 4;
/// Of a machine; the process is silicon's and has no part in it.
pub fn cost(machine: &Machine, _: &Process) -> Result<Cost, CostError> {
    let config = Config::new(machine)?;
    let mut cost = Cost::default();
    let narrow = config.rpaus - config.wide_rpaus;
    let butterflies = (config.banks() / 2) as u64;
    let lanes = config.dyadic_lanes as u64;
    for (of, block, latency, bits, count) in [
        (
            ("ntt", "butterflies"),
            "medha_butterfly",
            config.ntt_latency,
            config.word_bits,
            butterflies * narrow as u64,
        ),
        (
            ("ntt", "wide butterflies"),
            "medha_butterfly",
            config.ntt_latency,
            config.wide_bits,
            butterflies * config.wide_rpaus as u64,
        ),
        // Words of the ring are as wide everywhere.
        (
            ("dyadic", "lanes"),
            "medha_dyadic_lane",
            config.dyadic_latency,
            config.wide_bits,
            lanes * config.rpaus as u64,
        ),
    ] {
        let block = Block::new(block)
            .with("Width", bits.into())
            .with("MulStages", latency - 4)
            .with_variant("Products", "Sliced");
        arithmetic(&mut cost, of, &block, Some(bits), count);
    }
    let owners = Block::new("medha_owners").with("Owners", 4 + config.dma_lanes as u64);
    arithmetic(
        &mut cost,
        ("control", "owners"),
        &owners,
        None,
        config.rpaus as u64,
    );
    let banks = (config.rpaus * config.banks()) as u64;
    let deep = |words: usize, of: usize| words.div_ceil(of) as u64;
    let memories = MEMORIES * banks * deep(config.bank_words, URAM_WORDS);
    let source = format!("{MEMORIES} x {banks} banks of {} words", config.bank_words);
    exactly(
        &mut cost,
        ("memory", "banks"),
        Quantity::Uram,
        memories,
        source,
    );
    let landing = (config.landing_towers << config.max_log_n) / config.banks();
    let source = format!("{banks} banks of {landing} words");
    let landing = banks * deep(landing, BRAM_WORDS);
    exactly(
        &mut cost,
        ("landing", "banks"),
        Quantity::Bram36,
        landing,
        source,
    );
    let butterflies = (config.rpaus * config.banks() / 2) as u64;
    let factors = (2 << config.max_log_n) / (config.banks() / 2);
    let source = format!("{butterflies} tables of {factors} words, both directions");
    let tables = butterflies * deep(factors, BRAM_WORDS);
    exactly(
        &mut cost,
        ("ntt", "factors"),
        Quantity::Bram36,
        tables,
        source,
    );
    // A stream for each core, the link, what the ring brings, and each lane; two words an instruction.
    let streams = (STREAMS * config.rpaus + config.dma_lanes) as u64;
    let source = format!(
        "{streams} streams of {} microinstructions",
        config.code_words
    );
    let code = 2 * streams * deep(config.code_words, BRAM_WORDS);
    exactly(
        &mut cost,
        ("control", "microcode"),
        Quantity::Bram36,
        code,
        source,
    );
    let source = format!(
        "{} tables of {} addresses",
        config.dma_lanes,
        2 * config.arguments
    );
    let tables = config.dma_lanes as u64 * deep(2 * config.arguments, BRAM_WORDS);
    exactly(
        &mut cost,
        ("dma", "addresses"),
        Quantity::Bram36,
        tables,
        source,
    );
    cost.absent.push(
        "logic and flip-flops of everything but arithmetic and owners of slots; clock and energy",
    );
    cost.published = device(machine);
    Ok(cost)
}

/// So many of a block, with one product modulo a prime of these bits or with none.
fn arithmetic(
    cost: &mut Cost,
    (unit, part): (&'static str, &'static str),
    block: &Block,
    bits: Option<u32>,
    count: u64,
) {
    if count == 0 {
        return;
    }
    let source = match bits {
        Some(bits) => format!("{count} of {bits} bits"),
        None => format!("{count} of them"),
    };
    let products = bits.map(|bits| product(bits) * count as f64);
    let Some(cells) = fpga_cells(block) else {
        if let Some(products) = products {
            add(cost, (unit, part), Quantity::Dsp, products, source);
        }
        return;
    };
    let times = |cells: u32| f64::from(cells) * count as f64;
    for (quantity, cells) in [
        (Quantity::Dsp, cells.dsp),
        (Quantity::Lut, cells.lut),
        (Quantity::FlipFlop, cells.flipflops),
    ] {
        if cells == 0 {
            continue;
        }
        // Special primes take little beyond the whole product.
        let low = match (quantity, products) {
            (Quantity::Dsp, Some(products)) => products.low,
            _ => times(cells) * (1.0 - MAPPING_ERROR),
        };
        let high = times(cells) * (1.0 + MAPPING_ERROR);
        let expected = times(cells);
        cost.entries.push(CostEntry {
            unit,
            part,
            quantity,
            value: Estimate {
                low,
                expected,
                high,
            },
            provenance: Provenance::Synthesised,
            source: format!("{source}, as yosys maps them"),
        });
    }
}

/// Blocks of a product modulo a prime, a guess of ours: special primes take little beyond the whole
/// product; expected, a half takes 0.7 of it; blind tiles three times take the most.
fn product(bits: u32) -> Estimate {
    let tiles = f64::from(bits.div_ceil(BLOCK.0) * bits.div_ceil(BLOCK.1));
    // Fewer than tiles where their edges go into logic: 9 of 12 at 54 bits.
    let whole = (f64::from(bits).powi(2) / f64::from(BLOCK.0 * BLOCK.1)).ceil() + 2.0;
    Estimate {
        low: whole,
        expected: whole + 2.0 * (whole * 0.7).ceil(),
        high: 3.0 * tiles,
    }
}

fn add(
    cost: &mut Cost,
    (unit, part): (&'static str, &'static str),
    quantity: Quantity,
    value: Estimate,
    source: String,
) {
    cost.entries.push(CostEntry {
        unit,
        part,
        quantity,
        value,
        provenance: Provenance::Modelled,
        source,
    });
}

fn exactly(
    cost: &mut Cost,
    of: (&'static str, &'static str),
    quantity: Quantity,
    count: u64,
    source: String,
) {
    add(cost, of, quantity, Estimate::exactly(count as f64), source);
}

/// What the FPGA has of each, by the machine's parameters `device_...`.
fn device(machine: &Machine) -> Vec<PublishedCost> {
    let has = machine.values().filter_map(|(declared, value)| {
        let quantity = declared.name.strip_prefix("device_")?;
        let Setting::Int(count) = value.setting else {
            return None;
        };
        Some(PublishedCost {
            quantity: quantity.to_owned(),
            value: count as f64,
            source: value.source.clone(),
            parameters: BTreeMap::new(),
        })
    });
    has.collect()
}
