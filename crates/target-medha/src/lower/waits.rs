//! What a microinstruction still has to wait for: at most as many counts as its second word holds.
//!
//! Units take their streams in order, so of several microinstructions of one unit the last is enough; and
//! what another one, or the one before in the same stream, has waited for need not be waited for again.
//! Where more are left, waits of their own come before.

use crate::config::Config;
use crate::microcode::{Instruction, Microprogram, Placed, Unit, ISA, UNITS};
use std::collections::BTreeMap;

/// How many of each unit have ended, at least.
type Ended = [u32; UNITS];

/// Leaves what is needed.
pub fn settle(config: &Config, program: &mut Microprogram) {
    let given = std::mem::take(&mut program.all);
    let mut settled = Settled {
        number: Vec::with_capacity(given.len()),
        places: vec![Vec::new(); UNITS],
        ended: Vec::with_capacity(given.len()),
        all: Vec::with_capacity(given.len()),
    };
    for placed in given {
        settled.place(config, placed);
    }
    program.all = settled.all;
}

struct Settled {
    /// By old number, the new one.
    number: Vec<u32>,
    /// By unit, the new numbers of its microinstructions.
    places: Vec<Vec<u32>>,
    /// By new number, what has ended when it has.
    ended: Vec<Ended>,
    all: Vec<Placed>,
}

impl Settled {
    fn place(&mut self, config: &Config, mut placed: Placed) {
        let unit = placed.instruction.unit(placed.rpau);
        let mut waits = self.needed(unit, &placed.after);
        let most = ISA.most_waits();
        while waits.len() > most {
            let rest = waits.split_off(most);
            let wait = Placed {
                instruction: Instruction::Wait(unit),
                after: std::mem::replace(&mut waits, rest),
                cycles: config.issue_cycles + 1,
                ..placed.clone()
            };
            self.push(unit, wait);
        }
        placed.after = waits;
        self.push(unit, placed);
        self.number.push(self.all.len() as u32 - 1);
    }

    /// Of what must have ended, what says so of all.
    fn needed(&self, unit: Unit, after: &[u32]) -> Vec<u32> {
        let mut last: BTreeMap<Unit, (usize, u32)> = BTreeMap::new();
        for &old in after {
            let number = self.number[old as usize];
            let placed = &self.all[number as usize];
            let of = placed.instruction.unit(placed.rpau);
            let count = self.places[usize::from(of)].partition_point(|&other| other <= number);
            let known = last.entry(of).or_insert((count, number));
            *known = (*known).max((count, number));
        }
        let own = self.places[usize::from(unit)].last();
        let own = own.map(|&number| &self.ended[number as usize]);
        let is_over =
            |ended: &Ended, of: Unit, count: usize| ended[usize::from(of)] as usize >= count;
        let needed = |&(&of, &(count, _)): &(&Unit, &(usize, u32))| {
            let mut others = last.iter().filter(|(&other, _)| other != of);
            let by_own = own.is_some_and(|ended| is_over(ended, of, count));
            !by_own && !others.any(|(_, &(_, n))| is_over(&self.ended[n as usize], of, count))
        };
        last.iter().filter(needed).map(|(_, &(_, n))| n).collect()
    }

    fn push(&mut self, unit: Unit, placed: Placed) {
        let number = self.all.len() as u32;
        let own = self.places[usize::from(unit)].last().copied();
        let mut ended = [0; UNITS];
        for &before in placed.after.iter().chain(&own) {
            for (known, &more) in ended.iter_mut().zip(&self.ended[before as usize]) {
                *known = more.max(*known);
            }
        }
        ended[usize::from(unit)] += 1;
        self.places[usize::from(unit)].push(number);
        self.ended.push(ended);
        self.all.push(placed);
    }
}
