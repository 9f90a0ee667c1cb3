//! What the host works from: the image of a program.

use super::{calls, functions, Hosted};
use crate::message;
use crate::program::{Argument, Call, HostFunction, Input, Output, Slot};
use crate::registers::windows;
use crate::request;
use crate::schedule::What;
use ringwright_ir::ring::Module;
use ringwright_ir::{arguments, RunError, Value};
use ringwright_spec::Machine;
use ringwright_target::image::{self, HostAction, Place, Region, RegisterWrite};
use ringwright_target::{Image, ImageError};

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
        arguments::check(&self.module, inputs)?;
        let (program, word) = (&self.program, self.places.word);
        let memory = image::Memory {
            name: "memory",
            base,
            word_bits: 8 * word as u32,
            addresses_per_word: word,
            words: (self.places.end / word) as usize,
            regions: self.regions(inputs),
        };
        let inputs_at = program.inputs.iter().map(|input| self.at(&slots(input)));
        let results = program.outputs.iter().map(|output| match output {
            Output::Poly(slots) => self.at(slots),
            Output::Array(items) => self.at(&items.concat()),
            Output::Seed(_) => vec![],
        });
        Ok(Image {
            memories: vec![memory],
            set_up: self.set_up(base),
            script: self.script(inputs),
            inputs: inputs_at.collect(),
            results: results.collect(),
        })
    }

    /// The constants of each prime, then every tower; a tower that is an input has its name.
    fn regions(&self, inputs: &[Value]) -> Vec<Region> {
        let word_bits = self.config.word_bits;
        let constants = self.program.constants.iter().zip(&self.places.constants);
        let mut regions: Vec<Region> = constants
            .map(|(constants, &address)| {
                let words = constants.table(word_bits);
                region(
                    format!("constants of {}", constants.q.value()),
                    address,
                    &words,
                )
            })
            .collect();
        let towers = self.places.towers.iter().enumerate();
        regions.extend(towers.map(|(slot, &address)| Region {
            name: format!("tower {slot}"),
            address,
            length: self.n(),
            words: None,
        }));
        let params = self.module.entry().params.iter().zip(inputs);
        for ((param, value), input) in params.zip(&self.program.inputs) {
            for (slot, words) in slots(input).into_iter().zip(image::towers(value)) {
                let place = self.place_of_tower(slot);
                let address = self.places.towers[slot.0];
                regions[place.region] = region(param.name.clone(), address, words);
            }
        }
        regions
    }

    fn place_of_tower(&self, slot: Slot) -> Place {
        Place {
            memory: 0,
            region: self.program.constants.len() + slot.0,
        }
    }

    fn at(&self, slots: &[Slot]) -> Vec<Place> {
        let slots = slots.iter();
        slots.map(|&slot| self.place_of_tower(slot)).collect()
    }

    /// The degree, the base address, the messages behind the seed.
    fn set_up(&self, base: u64) -> Vec<RegisterWrite> {
        let log_n = request::field("log_n", "log_n", self.program.shape.log_n);
        let mut writes = vec![
            request::write("log_n", 0, log_n),
            request::write("base", 0, base as u32),
            request::write("base", 1, (base >> 32) as u32),
        ];
        let Some(window) = windows().iter().find(|window| window.name == "message") else {
            return writes;
        };
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

    fn script(&self, inputs: &[Value]) -> Vec<HostAction> {
        let calls: Vec<&Call> = calls(&self.program).collect();
        let functions: Vec<&HostFunction> = functions(&self.program).collect();
        let action = |what: &What| {
            Some(match *what {
                What::WriteSeed => HostAction::Write(seed(inputs)),
                What::WriteCall(call) => {
                    let request = &self.requests[call];
                    HostAction::Write(request::writes(calls[call], request, &self.places))
                }
                What::TakeInterrupt => HostAction::TakeInterrupt,
                What::Function(function) => self.function_action(functions[function]),
                _ => return None,
            })
        };
        self.what().iter().filter_map(action).collect()
    }

    fn function_action(&self, function: &HostFunction) -> HostAction {
        let reads = function.args.iter().flat_map(|arg| match arg {
            Argument::Poly(slots) => self.at(slots),
            Argument::Seed(_) => vec![],
        });
        HostAction::Function {
            name: function.name,
            reads: reads.collect(),
            writes: self.at(&function.results),
        }
    }
}

/// Where the towers of an input lie, item by item.
fn slots(input: &Input) -> Vec<Slot> {
    match input {
        Input::Polys(items) => items.concat(),
        Input::Seed => vec![],
    }
}

fn region(name: String, address: u64, words: &[u64]) -> Region {
    Region {
        name,
        address,
        length: words.len(),
        words: Some(words.iter().map(|&word| word.into()).collect()),
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
