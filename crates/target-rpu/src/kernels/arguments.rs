//! The arguments of tower kernels in scalar data memory.

use super::operation::Scalar;
use super::tower_kernel::{TowerKernel, FIRST_SLOT_WORD, MODULUS_WORD, SCALAR_WORD};
use crate::isa::reciprocal;
use crate::{Config, Memories};

/// Arguments of a kernel.
#[derive(Clone, Copy, Debug)]
pub struct Arguments<'a> {
    /// The modulus.
    pub q: u128,
    /// The scalar operand, for a kernel that has one.
    pub scalar: u128,
    /// Slots of operands, result and table.
    pub slots: &'a [usize],
}

/// Fills the memories with the largest word there is: above every modulus, so that a kernel that
/// computes with it is refused.
pub fn poison(memories: &mut Memories, config: &Config) {
    let word = u128::MAX >> (u128::BITS - config.word_bits);
    memories.vdm.fill(word);
    memories.sdm.fill(word);
}

/// Writes the arguments into scalar data memory, of which `words` begins where the kernel reads.
pub fn write_arguments(
    words: &mut [u128],
    config: &Config,
    kernel: &TowerKernel,
    arguments: Arguments<'_>,
) -> Result<(), String> {
    let needed = FIRST_SLOT_WORD as usize + arguments.slots.len();
    if needed > words.len() {
        let words = words.len();
        return Err(format!(
            "{} takes {needed} words of arguments; the scalar data memory holds {words}",
            kernel.operation.name()
        ));
    }
    let q = arguments.q;
    let Some(inverse) = reciprocal(q, config.word_bits) else {
        return Err(format!("modulus {q} is even or too wide"));
    };
    words[MODULUS_WORD as usize] = q;
    words[MODULUS_WORD as usize + 1] = inverse;
    if kernel.operation.scalar() != Scalar::None {
        words[SCALAR_WORD as usize] = arguments.scalar;
    }
    let places = words[FIRST_SLOT_WORD as usize..].iter_mut();
    for (place, slot) in places.zip(arguments.slots) {
        *place = (slot * kernel.shape.slot()) as u128;
    }
    Ok(())
}

/// Arguments to time a kernel with.
pub fn stand_in(words: &mut [u128], config: &Config, kernel: &TowerKernel) -> Result<(), String> {
    let room = config.vdm_words / kernel.shape.slot();
    let slots: Vec<usize> = (0..kernel.slots()).map(|place| place % room).collect();
    let (q, scalar, slots) = (5, 0, slots.as_slice());
    write_arguments(words, config, kernel, Arguments { q, scalar, slots })
}
