//! What a machine takes in silicon, and what its events take in energy.
//!
//! Units are those of `hw/rise/rtl`; the processor beside the accelerator is not counted.
//!
//! | unit | blocks | memories |
//! |---|---|---|
//! | `bank_groups` | two `rise_bank_group` | 4P banks each |
//! | `bfus` | P butterfly units | |
//! | `twiddle_unit`, `reordering_unit` | one each, for P units | |
//! | `control` | computation controller, constants, order of instructions, registers | |
//! | `dma` | | |
//! | `sampler` | Keccak, and what makes samples of its blocks | |

use crate::config::Config;
use crate::published;
use crate::rtl::KECCAK_ROUNDS;
use ringwright_silicon::{BlockCost, MemoryCost, Ports, Process, ProcessError, Sourced};
use ringwright_spec::Machine;
use ringwright_target::cost::{access, block, share_of, CostError};
use ringwright_target::Cost;

/// Of a machine, in a process.
pub fn cost(machine: &Machine, process: &Process) -> Result<Cost, CostError> {
    let config = Config::new(machine)?;
    let blocks = Blocks::of(&config, process)?;
    let (words, width) = (config.bank_words as u64, u64::from(config.word_bits));
    let bank = process.memory(words, width, Ports::ONE);
    let banks = 2 * 4 * config.bfus() as u64;
    let mut cost = Cost::default();
    cost.add_memories(
        "bank_groups",
        banks,
        &format!("{words} words of {width} bits"),
        &bank,
    );
    blocks.add_to(&mut cost, &config);
    blocks.add_events(&mut cost, &config, process, &bank)?;
    cost.absent
        .push("the processor, its caches, the memory behind the DMA port");
    cost.published = published::costs(machine);
    Ok(cost)
}

struct Blocks {
    group: BlockCost,
    bfu: BlockCost,
    twiddle: BlockCost,
    reordering: BlockCost,
    control: Vec<(&'static str, BlockCost)>,
    dma: BlockCost,
    sampler: Option<(BlockCost, BlockCost)>,
}

impl Blocks {
    fn of(config: &Config, process: &Process) -> Result<Self, ProcessError> {
        let get = |name, parameters: &[(&str, u64)]| process.block(&block(name, parameters));
        let bfus = ("Bfus", config.bfus() as u64);
        let width = ("WordBits", u64::from(config.word_bits));
        let latency = ("BfuLatency", config.bfu_latency);
        let port = ("PortWords", config.words_per_cycle() as u64);
        let calls = config.queued_calls as u64;
        let sampler = config.permutation_cycles.map(|cycles| {
            let rounds = ("RoundsPerCycle", KECCAK_ROUNDS / cycles);
            Ok::<_, ProcessError>((
                get("keccak_f1600", &[rounds])?,
                get("rise_sampler", &[width, rounds])?,
            ))
        });
        Ok(Self {
            group: get("rise_bank_group", &[bfus, width])?,
            bfu: get("rise_bfu", &[width, latency])?,
            twiddle: get("rise_twiddle_unit", &[bfus, width, latency])?,
            reordering: get("rise_reordering_unit", &[bfus, width])?,
            control: vec![
                ("instructions", get("rise_control", &[bfus])?),
                (
                    "constants",
                    get("rise_constants", &[width, port, ("Sets", calls)])?,
                ),
                ("calls", get("rise_io_control", &[("QueuedCalls", calls)])?),
                ("registers", get("rise_regs", &[])?),
            ],
            dma: get("rise_dma", &[bfus, width, port])?,
            sampler: sampler.transpose()?,
        })
    }

    fn add_to(&self, cost: &mut Cost, config: &Config) {
        cost.add_blocks("bank_groups", "ports and write buffers", 2, &self.group);
        cost.add_blocks("bfus", "butterflies", config.bfus() as u64, &self.bfu);
        cost.add_blocks("twiddle_unit", "all", 1, &self.twiddle);
        cost.add_blocks("reordering_unit", "all", 1, &self.reordering);
        for (part, each) in &self.control {
            cost.add_blocks("control", part, 1, each);
        }
        cost.add_blocks("dma", "all", 1, &self.dma);
        if let Some((keccak, samples)) = &self.sampler {
            cost.add_blocks("sampler", "keccak", 1, keccak);
            cost.add_blocks("sampler", "samples", 1, samples);
        }
    }

    fn add_events(
        &self,
        cost: &mut Cost,
        config: &Config,
        process: &Process,
        bank: &MemoryCost,
    ) -> Result<(), ProcessError> {
        let width = u64::from(config.word_bits);
        let each = 1.0 / config.bfus() as f64;
        // Of a group's ports, half of its banks read while the others write.
        let port = share_of(&self.group, each / 4.0);
        cost.add_event("bank_groups", "bank", None, &access(bank));
        cost.add_event("bank_groups", "bank", None, &port);

        let product = process.multiplication(width)?;
        let sum = share_of(&process.block(&block("mod_add", &[("Width", width)]))?, 1.0);
        let two_sums = Sourced {
            value: sum.value * 2.0,
            ..sum.clone()
        };
        cost.add_event("bfus", "bfu", Some("butterfly"), &product);
        cost.add_event("bfus", "bfu", Some("butterfly"), &two_sums);
        cost.add_event("bfus", "bfu", Some("product"), &product);
        cost.add_event("bfus", "bfu", Some("sum"), &sum);
        cost.add_event("twiddle_unit", "bfu", Some("twiddle product"), &product);
        cost.add_event(
            "reordering_unit",
            "reordering_unit",
            None,
            &share_of(&self.reordering, each / 2.0),
        );

        for (_, part) in &self.control {
            cost.add_event("control", "control", None, &share_of(part, 1.0));
        }
        let per_byte = 1.0 / config.dma_bytes_per_cycle as f64;
        cost.add_event("dma", "dma", None, &share_of(&self.dma, per_byte));
        if let (Some((keccak, samples)), Some(cycles)) = (&self.sampler, config.permutation_cycles)
        {
            cost.add_event(
                "sampler",
                "sampler",
                Some("permutation"),
                &share_of(keccak, cycles as f64),
            );
            cost.add_event(
                "sampler",
                "sampler",
                Some("sample"),
                &share_of(samples, 1.0),
            );
        }
        Ok(())
    }
}
