//! The host's exact view of a device that runs one program: what lies in which memory at which
//! address, which registers the host writes in which order, and where it waits for an interrupt.
//!
//! RTL benches, packages and firmware start from it. It holds what its inputs hold, in the clear: it
//! is for operands that are no secrets.

use crate::TargetError;
use ringwright_ir::interpret::Interpreter;
use ringwright_ir::ring::Module;
use ringwright_ir::{generate, RunError, Value};
use ringwright_spec::Machine;

/// The image of a program with its inputs. The device's data begins at the address `base` of the
/// host, where the target lets the host choose.
pub type ImageOf = fn(&Machine, &Module, inputs: &[Value], base: u64) -> Result<Image, ImageError>;

/// One run of a program on one machine.
#[derive(Clone, PartialEq, Eq)]
pub struct Image {
    /// What the host fills before it sets the device up.
    pub memories: Vec<Memory>,
    /// What it writes once, before the script.
    pub set_up: Vec<RegisterWrite>,
    /// What it does for the run, in order: the steps of the timing that occupy
    /// [`crate::HOST`], one by one. Steps that command hardware which no RTL has are not in it: what
    /// that would bring lies in the memories before.
    pub script: Vec<HostAction>,
    /// Where the towers of each parameter of the entry function lie, item by item; none for a seed.
    pub inputs: Vec<Vec<Place>>,
    /// Where the script leaves the towers of each returned value.
    pub results: Vec<Vec<Place>>,
}

/// A memory of the device, or one that it reads and writes.
#[derive(Clone, PartialEq, Eq)]
pub struct Memory {
    /// What the target calls it.
    pub name: &'static str,
    /// The host's address of its beginning.
    pub base: u64,
    /// Width of a word.
    pub word_bits: u32,
    /// Addresses from one word to the next: its bytes where bytes have addresses, 1 where words do.
    pub addresses_per_word: u64,
    /// Words that the image is about.
    pub words: usize,
    /// By address, apart from each other. Between them lie zeros.
    pub regions: Vec<Region>,
}

/// Words in a row that belong together.
#[derive(Clone, PartialEq, Eq)]
pub struct Region {
    /// What they are, for a reader.
    pub name: String,
    /// Of the first word, from the memory's base on.
    pub address: u64,
    /// How many.
    pub length: usize,
    /// What they are before the run; zeros where nobody says.
    pub words: Option<Vec<u128>>,
}

/// A region of an image, by its position.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Place {
    /// Position of the memory.
    pub memory: usize,
    /// Position of the region in it.
    pub region: usize,
}

/// A register of the device, and what the host writes into it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct RegisterWrite {
    /// Byte offset.
    pub offset: u32,
    /// The word.
    pub value: u32,
}

/// What the host does in one step.
#[derive(Clone, PartialEq, Eq)]
pub enum HostAction {
    /// Writes registers, in this order.
    Write(Vec<RegisterWrite>),
    /// Waits for the interrupt line and reads the status register.
    TakeInterrupt,
    /// Computes something that the device lacks.
    Function {
        /// What the ledger calls it.
        name: &'static str,
        /// Its operands.
        reads: Vec<Place>,
        /// Its results.
        writes: Vec<Place>,
    },
}

/// Why a program has no image.
#[derive(Debug, thiserror::Error)]
pub enum ImageError {
    /// The machine cannot be built.
    #[error(transparent)]
    Machine(#[from] TargetError),
    /// It cannot run the program, or its hardware has no place for it.
    #[error(transparent)]
    Program(#[from] RunError),
}

/// An image with inputs drawn by a seed, which are no secrets, and the interpreter's results.
pub fn drawn(
    image: ImageOf,
    machine: &Machine,
    module: &Module,
    seed: u64,
    base: u64,
) -> Result<(Image, Vec<Value>), ImageError> {
    let inputs = generate::inputs(seed, module);
    let made = image(machine, module, &inputs, base)?;
    Ok((made, Interpreter.prepare(module)?.run(&inputs)?))
}

impl Image {
    /// A region by its place; panics where the image has none.
    pub fn region(&self, place: Place) -> &Region {
        &self.memories[place.memory].regions[place.region]
    }

    /// The words of every memory before the run.
    pub fn before(&self) -> Vec<Vec<u128>> {
        self.memories.iter().map(Memory::before).collect()
    }

    /// Where the script leaves every tower of these results: the host's address, and the bytes, a word's
    /// lowest first; of memories whose bytes have addresses.
    pub fn result_bytes(&self, results: &[Value]) -> Vec<(u64, Vec<u8>)> {
        let values = self.results.iter().zip(results);
        let towers = values.flat_map(|(places, value)| places.iter().zip(value.towers()));
        let bytes = towers.map(|(&place, tower)| {
            let memory = &self.memories[place.memory];
            let size = memory.addresses_per_word as usize;
            let words = tower.iter().map(|&word| u128::from(word).to_le_bytes());
            let bytes = words.flat_map(|word| word.into_iter().take(size));
            (memory.base + self.region(place).address, bytes.collect())
        });
        bytes.collect()
    }

    /// The same with the results where the script leaves them.
    pub fn with_results(&self, results: &[Value]) -> Vec<Vec<u128>> {
        let mut memories = self.before();
        for (places, value) in self.results.iter().zip(results) {
            for (&place, tower) in places.iter().zip(value.towers()) {
                let memory = &self.memories[place.memory];
                let first = memory.index(self.region(place));
                let words = &mut memories[place.memory][first..first + tower.len()];
                for (word, &from) in words.iter_mut().zip(tower) {
                    *word = from.into();
                }
            }
        }
        memories
    }
}

impl Region {
    /// Words that are there before the run.
    pub fn filled<W: Into<u128>>(
        name: String,
        address: u64,
        words: impl IntoIterator<Item = W>,
    ) -> Self {
        let words: Vec<u128> = words.into_iter().map(Into::into).collect();
        Region {
            name,
            address,
            length: words.len(),
            words: Some(words),
        }
    }

    /// Room for so many words.
    pub fn room(name: String, address: u64, length: usize) -> Self {
        Region {
            name,
            address,
            length,
            words: None,
        }
    }
}

impl Memory {
    /// Its words before the run.
    pub fn before(&self) -> Vec<u128> {
        let mut words = vec![0; self.words];
        for region in &self.regions {
            if let Some(given) = &region.words {
                let first = self.index(region);
                words[first..first + given.len()].copy_from_slice(given);
            }
        }
        words
    }

    /// The same as bytes, a word's lowest first; of a memory whose bytes have addresses.
    pub fn bytes(&self) -> Vec<u8> {
        let size = self.addresses_per_word as usize;
        let words = self.before();
        let bytes = words
            .iter()
            .flat_map(|word| word.to_le_bytes().into_iter().take(size));
        bytes.collect()
    }

    /// Number of a region's first word.
    fn index(&self, region: &Region) -> usize {
        (region.address / self.addresses_per_word) as usize
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use ringwright_ring::RnsPoly;
    use std::sync::Arc;

    const N: usize = 32;

    #[test]
    fn results_stand_where_the_image_says_beside_what_was_there() {
        let (size, gap) = (4, 2);
        let place = |region| Place { memory: 0, region };
        let at = |word: usize| (word * size) as u64;
        let operand: Vec<u128> = (1..=N as u128).collect();
        let regions = vec![
            Region::filled("operand".to_owned(), at(gap), operand.clone()),
            Region::room("result".to_owned(), at(2 * gap + N), N),
        ];
        let image = Image {
            memories: vec![Memory {
                name: "memory",
                base: 0x1000,
                word_bits: 32,
                addresses_per_word: size as u64,
                words: 2 * (gap + N),
                regions,
            }],
            set_up: vec![],
            script: vec![],
            inputs: vec![vec![place(0)]],
            results: vec![vec![place(1)]],
        };
        let zeros = |words| vec![0; words];
        let before = [zeros(gap), operand.clone(), zeros(gap), zeros(N)].concat();
        assert_eq!(image.before(), [before]);
        let result = RnsPoly::from_words(N, vec![7; N]).expect("a tower");
        let after = [zeros(gap), operand, zeros(gap), vec![7; N]].concat();
        assert_eq!(
            image.with_results(&[Value::Poly(Arc::new(result))]),
            [after]
        );
    }
}
