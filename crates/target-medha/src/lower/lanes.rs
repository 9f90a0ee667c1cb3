//! Which DMA lane moves which tower, and when.
//!
//! Cores and links take their microinstructions in the order of the list. A lane takes what has been
//! ready longest, so that a tower that must wait holds up no other; the list is sorted by when
//! everything begins then.

use crate::config::Config;
use crate::microcode::{Instruction, Microprogram, Placed, Unit};
use std::cmp::Reverse;
use std::collections::{BinaryHeap, HashMap};

/// Gives every move its lane, and the list its order; when the last of it ends.
pub fn assign(config: &Config, program: &mut Microprogram) -> u64 {
    let count = program.all.len();
    let mut waits = vec![0u32; count];
    let mut then: Vec<Vec<u32>> = vec![Vec::new(); count];
    let mut last: HashMap<Unit, u32> = HashMap::new();
    let is_move = |placed: &Placed| {
        let instruction = &placed.instruction;
        matches!(
            instruction,
            Instruction::Load { .. } | Instruction::Store { .. }
        )
    };
    for (index, placed) in (0..).zip(&program.all) {
        let of_unit = match is_move(placed) {
            true => None,
            false => last.insert(placed.instruction.unit(placed.rpau), index),
        };
        for &before in placed.after.iter().chain(&of_unit) {
            then[before as usize].push(index);
            waits[index as usize] += 1;
        }
    }
    let mut ready = vec![config.start_cycles; count];
    let mut next: BinaryHeap<Reverse<(u64, u32)>> = BinaryHeap::new();
    let begun = (0..count as u32).filter(|&index| waits[index as usize] == 0);
    next.extend(begun.map(|index| Reverse((config.start_cycles, index))));
    let mut lanes = vec![0u64; config.dma_lanes];
    let mut starts = vec![0u64; count];
    while let Some(Reverse((at, index))) = next.pop() {
        let placed = &mut program.all[index as usize];
        let mut start = at;
        if let Instruction::Load { lane, .. } | Instruction::Store { lane, .. } =
            &mut placed.instruction
        {
            let free = (0..lanes.len()).min_by_key(|&lane| lanes[lane].max(at));
            let free = free.unwrap_or(0);
            *lane = free as u8;
            start = lanes[free].max(at);
            lanes[free] = start + placed.cycles;
        }
        starts[index as usize] = start;
        let end = start + placed.cycles;
        for &after in &then[index as usize] {
            let after = after as usize;
            ready[after] = ready[after].max(end);
            waits[after] -= 1;
            if waits[after] == 0 {
                next.push(Reverse((ready[after], after as u32)));
            }
        }
    }
    let ends = starts.iter().zip(&program.all);
    let end = ends.map(|(start, placed)| start + placed.cycles).max();
    sort(program, &starts);
    end.unwrap_or(config.start_cycles)
}

/// In the order of their beginnings.
fn sort(program: &mut Microprogram, starts: &[u64]) {
    let mut order: Vec<u32> = (0..starts.len() as u32).collect();
    order.sort_by_key(|&index| (starts[index as usize], index));
    let mut number = vec![0; starts.len()];
    for (new, &old) in (0..).zip(&order) {
        number[old as usize] = new;
    }
    let mut all: Vec<Option<Placed>> = program.all.drain(..).map(Some).collect();
    for old in order {
        let Some(mut placed) = all[old as usize].take() else {
            continue;
        };
        let after = placed.after.iter().map(|&n| number[n as usize]);
        placed.after = after.collect();
        program.all.push(placed);
    }
}
