//! What the host works from: the image of a program.

use super::places::CallPlaces;
use super::Hosted;
use crate::host::Argument;
use crate::message;
use crate::registers::REGISTERS;
use crate::request;
use crate::schedule::What;
use crate::slot::Slot;
use ringwright_ir::ring::Module;
use ringwright_ir::{RunError, Value};
use ringwright_spec::Machine;
use ringwright_target::image::{self, HostAction, Place, Region, RegisterWrite};
use ringwright_target::{Image, ImageError};
use ringwright_towers::Val;

/// The image of a module on a machine.
pub fn image(
    machine: &Machine,
    module: &Module,
    inputs: &[Value],
    base: u64,
) -> Result<Image, ImageError> {
    Ok(Hosted::new(machine, module)?.image(inputs, base)?)
}

impl Hosted {
    /// What lies in the memory that begins at `base`, and what the host writes.
    pub fn image(&self, inputs: &[Value], base: u64) -> Result<Image, RunError> {
        self.signature.check(inputs)?;
        let word = self.places.word;
        let memory = image::Memory {
            name: "memory",
            base,
            word_bits: 8 * word as u32,
            addresses_per_word: word,
            words: (self.places.end / word) as usize,
            regions: self.regions(inputs),
        };
        Ok(Image {
            memories: vec![memory],
            set_up: self.set_up(base),
            script: self.script(inputs)?,
            inputs: self
                .program
                .program
                .inputs
                .iter()
                .map(|it| self.at(it))
                .collect(),
            results: self
                .program
                .program
                .outputs
                .iter()
                .map(|it| self.at(it))
                .collect(),
        })
    }

    /// The constants of each prime, then every tower; a tower that is an input has its name.
    fn regions(&self, inputs: &[Value]) -> Vec<Region> {
        let word_bits = self.config.word_bits;
        let constants = self.program.constants.iter().zip(&self.places.constants);
        let mut regions: Vec<Region> = constants
            .map(|(constants, &address)| {
                let name = format!("constants of {}", constants.q.value());
                Region::filled(name, address, constants.table(word_bits))
            })
            .collect();
        let towers = self.places.towers.iter().enumerate();
        regions
            .extend(towers.map(|(place, &address)| {
                Region::room(format!("tower {place}"), address, self.n())
            }));
        let params = self.signature.params.iter().zip(inputs);
        for ((param, value), input) in params.zip(&self.program.program.inputs) {
            for (tower, words) in input.towers().zip(value.towers()) {
                let place = self.region(tower as usize);
                let address = self.places.towers[tower as usize];
                let words = words.iter().copied();
                regions[place.region] = Region::filled(param.name.clone(), address, words);
            }
        }
        regions
    }

    /// The region of one of the program's places.
    fn region(&self, place: usize) -> Place {
        Place {
            memory: 0,
            region: self.program.constants.len() + place,
        }
    }

    fn at(&self, value: &Val<u32>) -> Vec<Place> {
        let towers = value.towers();
        towers.map(|place| self.region(place as usize)).collect()
    }

    /// The degree, the base address, the messages behind the seed.
    fn set_up(&self, base: u64) -> Vec<RegisterWrite> {
        let log_n = request::field("log_n", "log_n", self.program.shape.log_n);
        let mut writes = vec![
            request::write("log_n", 0, log_n),
            request::write("base", 0, base as u32),
            request::write("base", 1, (base >> 32) as u32),
        ];
        let window = REGISTERS.window("message");
        for (stream, &(lane, blocks)) in &self.places.messages {
            let bytes = message::tail(stream, blocks);
            let words = words_of(&bytes).zip(2 * lane..);
            writes.extend(words.map(|(value, index)| RegisterWrite {
                offset: window.offset + 4 * index,
                value,
            }));
        }
        writes
    }

    fn script(&self, inputs: &[Value]) -> Result<Vec<HostAction>, RunError> {
        let steps = self.what().iter();
        let actions = steps.filter_map(|what| match *what {
            What::WriteSeed => Some(Ok(HostAction::Write(seed(inputs)))),
            What::WriteCall(call) => Some(Ok(HostAction::Write(self.call_writes(call)))),
            What::TakeInterrupt => Some(Ok(HostAction::TakeInterrupt)),
            What::Function(function) => Some(self.function_action(function)),
            _ => None,
        });
        actions.collect()
    }

    fn call_writes(&self, number: u32) -> Vec<RegisterWrite> {
        let (frame, call, request) = self.call(number);
        let places = CallPlaces {
            places: &self.places,
            frame: &frame,
            prime: call.prime as usize,
        };
        request::writes(frame.part.instructions(call), request, &places)
    }

    fn function_action(&self, number: u32) -> Result<HostAction, RunError> {
        let (frame, function) = self.host_function(number as usize)?;
        let at = |slots: &[Slot]| -> Vec<Place> {
            let slots = slots.iter();
            slots
                .map(|&slot| self.region(frame.place(slot) as usize))
                .collect()
        };
        let reads = function.args.iter().flat_map(|arg| match arg {
            Argument::Poly(slots) => at(slots),
            Argument::Seed(_) => vec![],
        });
        Ok(HostAction::Function {
            name: function.name(),
            reads: reads.collect(),
            writes: at(&function.results),
        })
    }
}

/// The device holds one seed.
fn seed(inputs: &[Value]) -> Vec<RegisterWrite> {
    let seed = inputs.iter().find_map(|value| match value {
        Value::Seed(seed) => Some(seed.expose()),
        _ => None,
    });
    let words = seed.into_iter().flat_map(|seed| words_of(seed));
    words
        .zip(0..)
        .map(|(value, index)| request::write("seed", index, value))
        .collect()
}

fn words_of(bytes: &[u8]) -> impl Iterator<Item = u32> + '_ {
    let words = bytes.chunks_exact(4);
    words.map(|bytes| u32::from_le_bytes([bytes[0], bytes[1], bytes[2], bytes[3]]))
}
