//! A program as the hardware holds it: microcode, tables for each call, memory.
//!
//! Every tower of the program has a place in memory, and one in its RPAU where it lies there between
//! calls. A kernel of loads brings operands into their RPAUs before the first call, a kernel of stores
//! takes results from there behind the last.

use crate::config::Config;
use crate::encode::{encode, Code, Entry};
use crate::lower::allocate::{Microprogram, Placed};
use crate::lower::homes::{Home, Lies};
use crate::lower::Lowered;
use crate::microcode::{Address, Instruction, Slot};
use ringwright_ir::RunError;
use ringwright_towers::{Call, OriginId, Place, Val};
use std::collections::BTreeSet;

/// A program.
pub struct Image {
    /// Each with its words.
    pub kernels: Vec<(Microprogram, Code)>,
    /// In order.
    pub runs: Vec<Run>,
    /// Bytes of memory.
    pub memory_bytes: u64,
}

/// A kernel with the tables that it runs with.
pub struct Run {
    /// Which kernel.
    pub kernel: usize,
    /// The call that it is; `None` of loads and stores.
    pub call: Option<usize>,
    /// By RPAU, the slot that each argument stands for.
    pub slots: Vec<Vec<u8>>,
    /// By RPAU, constants with their halves.
    pub constants: Vec<Vec<[u64; 2]>>,
    /// Byte addresses of operands and results, and of the kernel's own towers.
    pub addresses: [Vec<u64>; 2],
}

/// Of a lowered program.
pub fn image(config: &Config, program: &Lowered) -> Result<Image, RunError> {
    let bytes = program.shape.bytes();
    let places = program.program.towers as u64;
    let own = |number: u32| (places + u64::from(number)) * bytes;
    let spilled = program.parts.iter().map(|part| part.microprogram.spilled);
    let spilled = spilled.max().unwrap_or(0);
    let mut image = Image {
        kernels: Vec::with_capacity(program.parts.len() + 2),
        runs: Vec::with_capacity(program.program.calls.len() + 2),
        memory_bytes: own(spilled),
    };
    for part in &program.parts {
        image.add(config, program, part.microprogram.clone())?;
    }
    let towers = |values: &[Val<Place>]| -> BTreeSet<Place> {
        values.iter().flat_map(Val::towers).collect()
    };
    let own: Vec<u64> = (0..spilled).map(own).collect();
    let moved = |image: &mut Image, places: BTreeSet<Place>, stores: bool| {
        let moves = moves(config, program, &places, stores);
        let operands: Vec<Place> = places.into_iter().collect();
        image.add(config, program, moves)?;
        let kernel = image.kernels.len() - 1;
        image.run(program, kernel, None, &operands, &own);
        Ok::<_, RunError>(())
    };
    moved(&mut image, towers(&program.program.inputs), false)?;
    for (index, call) in program.program.calls.iter().enumerate() {
        let args = call.args.iter().flat_map(Val::towers);
        let operands: Vec<Place> = args.chain(call.results.iter().copied()).collect();
        image.run(program, call.kernel, Some((index, call)), &operands, &own);
    }
    moved(&mut image, towers(&program.program.outputs), true)?;
    Ok(image)
}

/// Of the towers that lie in RPAUs, those of an RPAU through one lane.
fn moves(
    config: &Config,
    program: &Lowered,
    places: &BTreeSet<Place>,
    stores: bool,
) -> Microprogram {
    let mut all = Vec::new();
    for (number, &place) in (0..).zip(places) {
        let Lies { rpau, home, slot } = program.homes[place as usize];
        let Home::Chip(bank) = home else {
            continue;
        };
        let lane = rpau % config.dma_lanes as u8;
        let (slot, address) = (Slot::At(bank, slot), Address::Argument(number));
        let instruction = match stores {
            true => Instruction::Store {
                lane,
                from: slot,
                to: address,
            },
            false => Instruction::Load {
                lane,
                from: address,
                to: slot,
            },
        };
        all.push(Placed {
            rpau,
            instruction,
            after: Vec::new(),
            cycles: config.issue_cycles + program.shape.transfer(config),
            origin: OriginId(0),
        });
    }
    Microprogram { all, spilled: 0 }
}

impl Image {
    fn add(
        &mut self,
        config: &Config,
        program: &Lowered,
        kernel: Microprogram,
    ) -> Result<(), RunError> {
        let code = encode(config, &program.shape, &kernel)?;
        self.kernels.push((kernel, code));
        Ok(())
    }

    fn run(
        &mut self,
        program: &Lowered,
        kernel: usize,
        call: Option<(usize, &Call)>,
        operands: &[Place],
        own: &[u64],
    ) {
        let bytes = program.shape.bytes();
        let code = &self.kernels[kernel].1;
        let slot = |&number: &u32| program.homes[operands[number as usize] as usize].slot;
        let slots = code.rpaus.iter();
        let slots = slots.map(|rpau| rpau.arguments.iter().map(slot).collect());
        let constants = call.map_or(&[][..], |(_, call)| program.program.constants(call));
        let prime = |rpau: usize| program.primes[rpau].unwrap_or(1) as u64;
        let value = |own: usize, entry: &Entry| match *entry {
            Entry::Constant(number) => [constants[number as usize] as u64, 0],
            Entry::Centre(from) => {
                let from = prime(from.into());
                [from % prime(own), from / 2]
            }
            Entry::Power(power) => [power, 0],
        };
        let table = |(rpau, code): (usize, &crate::encode::RpauCode)| {
            code.constants
                .iter()
                .map(|entry| value(rpau, entry))
                .collect()
        };
        let run = Run {
            kernel,
            call: call.map(|(index, _)| index),
            slots: slots.collect(),
            constants: code.rpaus.iter().enumerate().map(table).collect(),
            addresses: [
                operands
                    .iter()
                    .map(|&place| u64::from(place) * bytes)
                    .collect(),
                own.to_vec(),
            ],
        };
        self.runs.push(run);
    }
}
