//! The host's exact view of a program that is one start.
//!
//! The controlling core fills the memories through the port of `rpu_axi_port`, a word a beat, writes
//! where the program lies, starts it, and takes the interrupt. A program of several starts is a list of
//! commands ([`list_image`]), and so is one that returns an operand or has more of them than fit.

use super::{list_image, Lowered, Processor};
use crate::isa::{encode_all, INSTRUCTION_BITS};
use crate::lower::start::Start;
use crate::registers::REGISTERS;
use ringwright_ir::ring::Module;
use ringwright_ir::{RunError, Value};
use ringwright_spec::Machine;
use ringwright_target::image::{HostAction, Memory, Place, Region, RegisterWrite};
use ringwright_target::{Image, ImageError};
use ringwright_towers::residency::{Content, Slot};
use ringwright_towers::{TowerId, Val};
use std::collections::{BTreeMap, BTreeSet};

/// Bits of an address of the port below those that choose the memory.
const MEMORY_SHIFT: u32 = 30;
/// Position of the vector data memory among an image's memories, and its number at the port.
const VDM: usize = 2;

/// The image of a module on a machine.
pub fn image(
    machine: &Machine,
    module: &Module,
    inputs: &[Value],
    base: u64,
) -> Result<Image, ImageError> {
    let processor = Processor::new(machine)?;
    let lowered = processor.together(module)?;
    lowered.signature.check(inputs)?;
    if starts(&lowered) == 1 {
        // A list moves what the memory of one start does not hold, and operands that are results.
        match OneStart::new(&lowered).and_then(|one| one.image(inputs, base)) {
            Err(RunError::Unsupported { .. }) => {}
            made => return Ok(made?),
        }
    }
    Ok(list_image::image(
        &processor.on_one_tile(module)?,
        inputs,
        base,
    )?)
}

/// How many starts a program takes, blocks of sweeps each counted once.
fn starts(lowered: &Lowered) -> usize {
    let calls = lowered.program.towers.calls.iter();
    let pieces = calls.map(|call| lowered.program.parts[call.kernel].pieces.len());
    pieces.sum()
}

/// A program that one start runs.
struct OneStart<'a> {
    lowered: &'a Lowered,
    start: &'a Start,
    /// Where each tower of the entry function's parameters lies: a part that it is given to twice
    /// has it twice.
    given: Vec<Vec<Slot>>,
    /// Where each tower lies that is made for the entry function.
    made: BTreeMap<TowerId, Slot>,
}

impl<'a> OneStart<'a> {
    fn new(lowered: &'a Lowered) -> Result<Self, RunError> {
        let program = &lowered.program;
        let starts = starts(lowered);
        let only = program.parts.first().and_then(|part| part.starts().next());
        let start = match (only, &program.parts[..]) {
            (Some(start), [_]) if starts == 1 => start,
            _ => {
                let reason = format!("it takes {starts} starts; an image is of one");
                return Err(lowered.config.unsupported(reason));
            }
        };
        let stored = start.stored.iter();
        let made = stored.filter_map(|each| match each.content {
            Content::Tower(tower) => Some((tower, each.place / lowered.slot())),
            Content::Table { .. } => None,
        });
        Ok(OneStart {
            lowered,
            start,
            given: given_slots(lowered, start)?,
            made: made.collect(),
        })
    }

    fn image(&self, inputs: &[Value], base: u64) -> Result<Image, RunError> {
        let towers = &self.lowered.program.towers;
        let mut given = self.given.iter().map(|slots| self.place(slots[0]));
        let inputs_at = towers.inputs.iter();
        let inputs_at =
            inputs_at.map(|value| given.by_ref().take(value.towers().count()).collect());
        let inputs_at = inputs_at.collect();
        let results = towers.outputs.iter().map(|value| self.result(value));
        Ok(Image {
            memories: self.memories(inputs, base)?,
            set_up: Vec::new(),
            script: vec![self.begin(), HostAction::TakeInterrupt],
            inputs: inputs_at,
            results: results.collect::<Result<_, _>>()?,
        })
    }

    /// The regions of the vector data memory are its slots in use, in order.
    fn place(&self, slot: Slot) -> Place {
        Place {
            memory: VDM,
            region: self.used().range(..slot).count(),
        }
    }

    fn used(&self) -> BTreeSet<Slot> {
        let loaded = self.start.loaded.iter();
        let loaded = loaded.map(|each| each.place / self.lowered.slot());
        let towers = self.given.iter().flatten().chain(self.made.values());
        loaded.chain(towers.copied()).collect()
    }

    fn result(&self, value: &Val<u32>) -> Result<Vec<Place>, RunError> {
        let call = &self.lowered.program.towers.calls[0];
        let part = &self.lowered.program.parts[0];
        let made: BTreeMap<u32, TowerId> = call
            .results
            .iter()
            .copied()
            .zip(part.made.iter().copied())
            .collect();
        let place = |place: u32| match made.get(&place) {
            Some(tower) => Ok(self.place(self.made[tower])),
            None => Err(self.lowered.config.unsupported("it returns an operand")),
        };
        value.towers().map(place).collect()
    }

    fn memories(&self, inputs: &[Value], base: u64) -> Result<Vec<Memory>, RunError> {
        let config = &self.lowered.config;
        // A word of any memory takes a beat of the port.
        let beat = config.bytes_per_word().max(8);
        let memory = |(number, (name, word_bits, regions)): (usize, (_, _, Vec<Region>))| {
            let end = regions
                .iter()
                .map(|each| each.address / beat + each.length as u64);
            Memory {
                name,
                base: base + ((number as u64) << MEMORY_SHIFT),
                word_bits,
                addresses_per_word: beat,
                words: end.max().unwrap_or(0) as usize,
                regions,
            }
        };
        let contents = [
            ("im", INSTRUCTION_BITS, vec![self.program()?]),
            ("sdm", config.word_bits, vec![self.arguments()?]),
            ("vdm", config.word_bits, self.vectors(inputs, beat)),
        ];
        Ok(contents.into_iter().enumerate().map(memory).collect())
    }

    fn program(&self) -> Result<Region, RunError> {
        let words = encode_all(&self.start.chain.program);
        let words = words.map_err(|error| RunError::Invalid(error.to_string()))?;
        Ok(Region::filled("program".to_owned(), 0, words))
    }

    fn arguments(&self) -> Result<Region, RunError> {
        let constants = &self.lowered.program.towers.calls[0].constants;
        let mut words = vec![0; self.start.chain.words];
        let config = &self.lowered.config;
        self.start.write_arguments(&mut words, config, constants)?;
        Ok(Region::filled("arguments".to_owned(), 0, words))
    }

    fn vectors(&self, inputs: &[Value], beat: u64) -> Vec<Region> {
        let part = &self.lowered.program.parts[0];
        let length = part.shape.slot();
        let at = |slot: Slot| (slot * length) as u64 * beat;
        let mut regions: BTreeMap<Slot, Region> = BTreeMap::new();
        for &slot in self.made.values() {
            regions.insert(slot, Region::room("result".to_owned(), at(slot), length));
        }
        for each in &self.start.loaded {
            if let Content::Table { table, part: chunk } = each.content {
                let words = part.tables[table].chunks(length).nth(chunk);
                let words = words.unwrap_or_default().iter().copied();
                let name = format!("table {table}, part {chunk}");
                let slot = each.place / length;
                regions.insert(slot, Region::filled(name, at(slot), words));
            }
        }
        let params = self.lowered.signature.params.iter().zip(inputs);
        let towers =
            params.flat_map(|(param, value)| value.towers().map(move |words| (&param.name, words)));
        for (slots, (name, words)) in self.given.iter().zip(towers) {
            // A slot holds at least two vectors: a shorter tower several times over.
            let words = words.iter().copied().cycle().take(length);
            for &slot in slots {
                let region = Region::filled(name.clone(), at(slot), words.clone());
                regions.insert(slot, region);
            }
        }
        regions.into_values().collect()
    }

    /// Where the program lies, how long it is, start.
    fn begin(&self) -> HostAction {
        let length = self.start.chain.program.instructions.len() as u32;
        let writes = [("first", 0), ("count", length), ("control", 1)];
        let write = |(name, value)| RegisterWrite {
            offset: REGISTERS.register(name).offset,
            value,
        };
        HostAction::Write(writes.map(write).into())
    }
}

impl Lowered {
    /// Words of a slot.
    fn slot(&self) -> usize {
        self.program.parts[0].shape.slot()
    }
}

/// Where the towers of the entry function's parameters lie, each at least once.
fn given_slots(lowered: &Lowered, start: &Start) -> Result<Vec<Vec<Slot>>, RunError> {
    let towers = &lowered.program.towers;
    // Parameters of the part, each a tower of the entry function's.
    let params: Vec<u32> = towers.calls[0].args.iter().flat_map(Val::towers).collect();
    let mut slots: BTreeMap<u32, Vec<Slot>> = BTreeMap::new();
    for each in &start.loaded {
        if let Content::Tower(param) = each.content {
            let place = params[param.index()];
            let slot = each.place / lowered.slot();
            slots.entry(place).or_default().push(slot);
        }
    }
    let mut free = free_slots(lowered, start);
    let full = || {
        lowered
            .config
            .unsupported("its inputs do not fit the memory")
    };
    let given = towers.inputs.iter().flat_map(Val::towers);
    let given = given.map(|place| match slots.remove(&place) {
        Some(slots) => Ok(slots),
        // What nobody reads lies where nobody writes.
        None => Ok(vec![free.pop_first().ok_or_else(full)?]),
    });
    given.collect()
}

/// Slots that the start neither reads nor writes.
fn free_slots(lowered: &Lowered, start: &Start) -> BTreeSet<Slot> {
    let slots = lowered.config.vdm_words / lowered.program.parts[0].shape.slot();
    let mut free: BTreeSet<Slot> = (0..slots).collect();
    let used = start.calls.iter().flat_map(|call| &call.places);
    used.for_each(|place| {
        free.remove(&(place / lowered.slot()));
    });
    free
}
