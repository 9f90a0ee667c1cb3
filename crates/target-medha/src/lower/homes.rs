//! Where a program's towers lie between its kernels: in a memory of their RPAU, or behind the DMA
//! lanes.
//!
//! Half of each operand memory and the whole virtual one hold towers of the program; the rest is for
//! what kernels make on their way. Operands that a kernel's longest chain begins with lie in the
//! operand memories, those that are multiplied with each other in different ones; what is read late
//! lies in the virtual memory, whose accesses take the ports of three others.

use super::draft::Drafts;
use crate::config::{Config, Keys, Packing, MOST_RPAUS};
use crate::microcode::Bank;
use crate::shape::Shape;
use ringwright_towers::{Kind, Place, Program, Val};
use std::collections::BTreeSet;

/// Where a tower of the program is while a kernel runs.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Home {
    /// In a memory of its RPAU.
    Chip(Bank),
    /// Behind the DMA lanes.
    Memory,
}

/// An operand or result of a kernel, as its calls have it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Argument {
    /// Where it lies.
    pub home: Home,
    /// Its number among operands and results; of an operand that is an earlier one again, that one's.
    pub number: u32,
}

/// Slots of a memory that kernels have for themselves.
pub fn own_slots(shape: &Shape, bank: Bank) -> usize {
    match bank {
        Bank(0 | 1) => shape.slots,
        Bank(2 | 3) => shape.slots.div_ceil(2),
        Bank::LANDING => shape.landing,
        _ => 0,
    }
}

/// An operand whose readers are waited for little less long than the longest chain of its RPAU begins it.
const EARLY: f64 = 0.95;

/// What is known of a tower of the program.
#[derive(Clone, Debug, Default)]
struct Tower {
    rpau: u8,
    /// Position of the last call that reads it; those that leave are read by nobody last.
    last: usize,
    /// Whether the longest chain of a kernel begins with it.
    early: bool,
    /// What it is multiplied with.
    partners: Vec<Place>,
}

/// Where a tower lies between kernels.
#[derive(Clone, Copy, Debug)]
pub struct Lies {
    /// Its RPAU.
    pub rpau: u8,
    /// Where.
    pub home: Home,
    /// In which slot of a memory.
    pub slot: u8,
}

/// By place, where every tower of the program lies.
pub fn homes(config: &Config, shape: &Shape, program: &Program, drafts: &[&Drafts]) -> Vec<Lies> {
    let towers = towers(program, drafts);
    let mut free = Free::new(config, shape);
    let mut homes = vec![None; program.towers];
    for value in &program.inputs {
        let is_key = matches!(value, Val::Array(_));
        for place in value.towers() {
            let home = match is_key && config.keys == Keys::Streamed {
                true => (Home::Memory, 0),
                false => free.take(&towers, &homes, place),
            };
            homes[place as usize] = Some(home);
        }
    }
    for (index, call) in program.calls.iter().enumerate() {
        for &place in &call.results {
            homes[place as usize] = Some(free.take(&towers, &homes, place));
        }
        let read: BTreeSet<Place> = call.args.iter().flat_map(Val::towers).collect();
        for place in read.into_iter().chain(call.results.iter().copied()) {
            if towers[place as usize].last == index {
                free.give(towers[place as usize].rpau, homes[place as usize]);
            }
        }
    }
    let lies = homes.into_iter().zip(&towers).map(|(home, tower)| {
        let (home, slot) = home.unwrap_or((Home::Memory, 0));
        let rpau = tower.rpau;
        Lies { rpau, home, slot }
    });
    lies.collect()
}

fn towers(program: &Program, drafts: &[&Drafts]) -> Vec<Tower> {
    let mut towers = vec![Tower::default(); program.towers];
    for (index, call) in program.calls.iter().enumerate() {
        let (graph, drafts) = (&program.kernels[call.kernel].graph, drafts[call.kernel]);
        let args: Vec<Place> = call.args.iter().flat_map(Val::towers).collect();
        let mut longest = [0; MOST_RPAUS];
        for draft in &drafts.all {
            let own = &mut longest[usize::from(draft.rpau)];
            *own = draft.height.max(*own);
        }
        for (param, &place) in args.iter().enumerate() {
            let tower = &mut towers[place as usize];
            (tower.rpau, tower.last) = (drafts.rpaus[param], index);
            let readers = drafts.readers[param].iter();
            let mut heights = readers.map(|&reader| drafts.all[reader as usize].height);
            let early = (longest[usize::from(tower.rpau)] as f64 * EARLY) as u64;
            tower.early |= heights.any(|height| height >= early);
        }
        let (_, made) = graph.outcomes();
        for (tower, &place) in made.iter().zip(&call.results) {
            let result = &mut towers[place as usize];
            (result.rpau, result.last) = (drafts.rpaus[tower.index()], index);
            result.early = true;
        }
        for node in &graph.nodes {
            let products = match &node.kind {
                Kind::Mul => 1,
                Kind::InnerProduct { pairs, .. } => usize::from(*pairs),
                _ => 0,
            };
            for pair in node.args.chunks_exact(2).take(products) {
                let [a, b] = [pair[0], pair[1]].map(|tower| args.get(tower.index()));
                if let (Some(&a), Some(&b)) = (a, b) {
                    towers[a as usize].partners.push(b);
                    towers[b as usize].partners.push(a);
                }
            }
        }
    }
    let leaving = program.outputs.iter().flat_map(Val::towers);
    leaving.for_each(|place| towers[place as usize].last = usize::MAX);
    towers
}

/// Slots for homes that are free, by RPAU and memory, the next one last.
struct Free {
    slots: Vec<[Vec<u8>; Bank::COUNT]>,
}

impl Free {
    fn new(config: &Config, shape: &Shape) -> Self {
        let slots = |rpau: usize| {
            let is_packed = config.packing == Packing::ThreeInFour && rpau >= config.wide_rpaus;
            std::array::from_fn(|bank| match Bank(bank as u8) {
                bank @ Bank(2 | 3) => (own_slots(shape, bank)..shape.slots)
                    .map(|n| n as u8)
                    .collect(),
                Bank::VIRTUAL if is_packed => (0..shape.slots as u8).collect(),
                _ => Vec::new(),
            })
        };
        Free {
            slots: (0..config.rpaus).map(slots).collect(),
        }
    }

    fn take(&mut self, towers: &[Tower], homes: &[Option<(Home, u8)>], place: Place) -> (Home, u8) {
        let tower = &towers[place as usize];
        let free = &mut self.slots[usize::from(tower.rpau)];
        let beside = |bank: Bank| {
            let home = |partner: Place| homes[partner as usize].map(|(home, _)| home);
            let is_beside = |&&partner: &&Place| home(partner) == Some(Home::Chip(bank));
            tower.partners.iter().filter(is_beside).count()
        };
        let [first, second] = Bank::OPERANDS;
        let operands = match beside(first) > beside(second) {
            true => [second, first],
            false => [first, second],
        };
        let mut wanted = operands.to_vec();
        let position = if tower.early { 2 } else { 0 };
        wanted.insert(position, Bank::VIRTUAL);
        let mut wanted = wanted.into_iter();
        let found = wanted.find_map(|bank| Some((bank, free[usize::from(bank.0)].pop()?)));
        found.map_or((Home::Memory, 0), |(bank, slot)| (Home::Chip(bank), slot))
    }

    fn give(&mut self, rpau: u8, home: Option<(Home, u8)>) {
        if let Some((Home::Chip(bank), slot)) = home {
            self.slots[usize::from(rpau)][usize::from(bank.0)].push(slot);
        }
    }
}
