//! A tower kernel alone: memories that hold its operands, table and arguments.

use super::arguments::{poison, write_arguments, Arguments};
use super::library::Library;
use super::tower_kernel::TowerKernel;
use crate::{Config, Memories};
use ringwright_ir::RunError;

/// Memories before a run modulo `q`, with nothing else in them that could be computed with. `slots`
/// are those of operands, result, scratch and table; operands are given in their order.
///
/// An error where the memories do not hold the slots, or the prime is none for the kernel.
pub fn memories(
    config: &Config,
    library: &Library,
    kernel: &TowerKernel,
    q: u128,
    operands: &[&[u128]],
    slots: &[usize],
) -> Result<Memories, RunError> {
    let slot = kernel.shape.slot();
    let needed = slots.iter().map(|place| (place + 1) * slot).max();
    let (needed, room) = (needed.unwrap_or(0), config.vdm_words);
    if needed > room {
        let (name, n) = (kernel.operation.name(), kernel.shape.n());
        let reason = format!(
            "{name} of degree {n} works on {needed} words; the vector data memory holds {room}"
        );
        return Err(config.unsupported(reason));
    }
    let mut memories = Memories::new(config);
    poison(&mut memories, config);
    for (place, words) in slots.iter().zip(operands) {
        memories.vdm[place * slot..][..slot].copy_from_slice(words);
    }
    let table = library.table(kernel, &[q])?;
    let places = &slots[slots.len() - kernel.table_slots()..];
    for (place, words) in places.iter().zip(table.chunks(slot)) {
        let room = memories.vdm[place * slot..].iter_mut();
        room.zip(words).for_each(|(place, &word)| *place = word);
    }
    let scalar = library.scalar(kernel.operation, kernel.shape.log_n, &[q])?;
    let arguments = Arguments { q, scalar, slots };
    write_arguments(&mut memories.sdm, config, kernel, arguments)
        .map_err(|reason| config.unsupported(reason))?;
    Ok(memories)
}
