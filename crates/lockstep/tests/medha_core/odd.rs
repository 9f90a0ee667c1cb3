//! Microprograms that no compiler would write: random microinstructions among those of a kernel.
//!
//! They read whatever lies in an RPAU and write slots that the kernel leaves alone, in place too; they move
//! towers around the ring and out to memory and back for nobody. What the kernel computes stays what it was.

use ringwright_arith::Choices;
use ringwright_ir::ring::Domain;
use ringwright_target_medha::lower::allocate::passes;
use ringwright_target_medha::lower::homes::own_slots;
use ringwright_target_medha::lower::{waits, Lowered};
use ringwright_target_medha::microcode::{
    Address, Bank, Function, Instruction, Microprogram, Placed, Slot, Stages,
};
use ringwright_target_medha::shape::{hops, Shape};
use ringwright_target_medha::Config;
use std::collections::{BTreeMap, BTreeSet};

/// Tries so many in each kernel; how many microinstructions found a place.
pub fn add(config: &Config, lowered: &mut Lowered, tries: usize, random: &mut Choices) -> usize {
    let mut added = 0;
    for part in &mut lowered.parts {
        let mut odd = Odd {
            config,
            shape: &lowered.shape,
            primes: &lowered.primes,
            free: free(config, &lowered.shape, &part.microprogram),
            program: std::mem::take(&mut part.microprogram),
            random,
        };
        let before = odd.program.all.len();
        for _ in 0..tries {
            odd.one();
        }
        added += odd.program.all.len() - before;
        waits::settle(config, &mut odd.program);
        part.microprogram = odd.program;
    }
    added
}

/// By RPAU, the slots of memories that a kernel may have for itself and does not use.
fn free(config: &Config, shape: &Shape, program: &Microprogram) -> Vec<Vec<Slot>> {
    let used: BTreeSet<(u8, Slot)> = program.all.iter().flat_map(slots).collect();
    let of = |rpau: u8| {
        let memories = (0..Bank::COUNT as u8).map(Bank);
        let slots = memories
            .flat_map(|bank| (0..own_slots(shape, bank) as u8).map(move |n| Slot::At(bank, n)));
        slots
            .filter(|&slot| !used.contains(&(rpau, slot)))
            .collect()
    };
    (0..config.rpaus as u8).map(of).collect()
}

fn slots(placed: &Placed) -> impl Iterator<Item = (u8, Slot)> + '_ {
    let own = placed.rpau;
    let reads = placed.instruction.reads().into_iter();
    let reads = reads.map(move |slot| (own, slot));
    reads.chain(placed.instruction.writes(own))
}

struct Odd<'a> {
    config: &'a Config,
    shape: &'a Shape,
    primes: &'a [Option<u128>],
    free: Vec<Vec<Slot>>,
    program: Microprogram,
    random: &'a mut Choices,
}

/// What an RPAU holds at some place of the list.
#[derive(Default)]
struct Holds {
    /// Towers of residues modulo its prime.
    own: Vec<Slot>,
    /// What came round the ring, and from whom.
    landed: Vec<(Slot, u8)>,
    constants: Vec<u32>,
    stored: Vec<Address>,
    /// A transform is between its first stage and its rest.
    busy: bool,
}

impl Odd<'_> {
    /// One more, or a transform's two, where something fits.
    fn one(&mut self) {
        let at = self.random.below(self.program.all.len() + 1);
        let rpaus = self.holds(at);
        let own = self.random.below(rpaus.len()) as u8;
        let holds = &rpaus[usize::from(own)];
        if self.primes[usize::from(own)].is_none() || rpaus.iter().any(|holds| holds.busy) {
            return;
        }
        for instruction in self.instructions(own, holds).into_iter().rev() {
            self.insert(at, own, instruction);
        }
    }

    /// What lies where before this place of the list.
    fn holds(&self, at: usize) -> Vec<Holds> {
        let mut there: Vec<BTreeMap<Slot, Option<u8>>> = vec![BTreeMap::new(); self.config.rpaus];
        let mut holds: Vec<Holds> = Vec::new();
        holds.resize_with(self.config.rpaus, Holds::default);
        for placed in &self.program.all[..at] {
            let own = usize::from(placed.rpau);
            let (known, mine) = (&mut there[own], &mut holds[own]);
            for slot in placed.instruction.reads() {
                known.entry(slot).or_insert(None);
            }
            match &placed.instruction {
                Instruction::Transform { to, stages, .. } => {
                    mine.busy = *stages == Stages::First;
                    known.insert(*to, None);
                }
                Instruction::Dyadic { function, to, .. } => {
                    known.insert(*to, None);
                    match function {
                        Function::MulScalar(c)
                        | Function::AddScalar(c)
                        | Function::AddMulScalar(c)
                        | Function::SubMulScalar(c)
                        | Function::SubMulScalarAdd(c) => mine.constants.push(*c),
                        _ => {}
                    }
                }
                Instruction::Send { from, to } => {
                    // Or it passes on what landed.
                    let source = known[from].or(Some(placed.rpau));
                    for &(rpau, slot) in to {
                        there[usize::from(rpau)].insert(slot, source);
                    }
                }
                Instruction::Load { to, .. } => drop(known.insert(*to, None)),
                Instruction::Store { to, .. } => mine.stored.push(*to),
                Instruction::Wait(_) => {}
            }
        }
        for (mine, known) in holds.iter_mut().zip(there) {
            for (slot, from) in known {
                match (slot.bank(), from) {
                    (Bank::LANDING, Some(from)) => mine.landed.push((slot, from)),
                    (Bank::LANDING, None) => {}
                    _ => mine.own.push(slot),
                }
            }
        }
        holds
    }

    fn pick<T: Copy>(&mut self, from: &[T]) -> Option<T> {
        (!from.is_empty()).then(|| from[self.random.below(from.len())])
    }

    /// A slot to write, of a memory that is not that of the landings, or is.
    fn target(&mut self, rpau: u8, landing: bool) -> Option<Slot> {
        let free = self.free[usize::from(rpau)].iter().copied();
        let free: Vec<Slot> = free
            .filter(|slot| (slot.bank() == Bank::LANDING) == landing)
            .collect();
        self.pick(&free)
    }

    fn instructions(&mut self, own: u8, holds: &Holds) -> Vec<Instruction> {
        let made = match self.random.below(6) {
            0 => self.transform(own, holds),
            1 => self.send(own, holds).map(|one| vec![one]),
            2 => self.store(holds).map(|one| vec![one]),
            3 => self.load(own, holds).map(|one| vec![one]),
            _ => self.dyadic(own, holds).map(|one| vec![one]),
        };
        made.unwrap_or_default()
    }

    fn transform(&mut self, own: u8, holds: &Holds) -> Option<Vec<Instruction>> {
        let to = self.target(own, false)?;
        let inverse = self.random.below(2) == 0;
        let one = |stages, from| Instruction::Transform {
            inverse,
            stages,
            to,
            from,
        };
        if holds.own.contains(&to) && self.random.below(2) == 0 {
            return Some(vec![one(Stages::All, to)]);
        }
        let others: Vec<Slot> = holds.own.iter().copied().filter(|&s| s != to).collect();
        let from = self.pick(&others)?;
        Some(vec![one(Stages::First, from), one(Stages::Rest, to)])
    }

    fn send(&mut self, own: u8, holds: &Holds) -> Option<Instruction> {
        let from = self.pick(&holds.own)?;
        let count = self.config.rpaus as u8;
        let mut to = Vec::new();
        for hop in 1..count {
            let rpau = (own + hop) % count;
            if self.primes[usize::from(rpau)].is_some() && self.random.below(2) == 0 {
                // Nobody sends there again: a later one could be put between this and its readers.
                let slot = self.target(rpau, true)?;
                self.free[usize::from(rpau)].retain(|&other| other != slot);
                to.push((rpau, slot));
            }
        }
        (!to.is_empty()).then_some(Instruction::Send { from, to })
    }

    fn store(&mut self, holds: &Holds) -> Option<Instruction> {
        let from = self.pick(&holds.own)?;
        let to = Address::Spilled(self.program.spilled);
        self.program.spilled += 1;
        let lane = self.random.below(self.config.dma_lanes) as u8;
        Some(Instruction::Store { lane, from, to })
    }

    fn load(&mut self, own: u8, holds: &Holds) -> Option<Instruction> {
        let from = self.pick(&holds.stored)?;
        let to = self.target(own, false)?;
        let lane = self.random.below(self.config.dma_lanes) as u8;
        Some(Instruction::Load { lane, from, to })
    }

    fn dyadic(&mut self, own: u8, holds: &Holds) -> Option<Instruction> {
        let to = self.target(own, false)?;
        let constant = self.pick(&holds.constants);
        let landed = self.pick(&holds.landed);
        let galois = 2 * self.random.below(self.shape.n()) as u64 + 1;
        let (function, operands) = match self.random.below(14) {
            0 => (Function::Zero, 0),
            1 => (Function::Add, 2),
            2 => (Function::Sub, 2),
            3 => (Function::Neg, 1),
            4 => (Function::Mul, 2),
            5 => (Function::MulAdd, 3),
            6 => (Function::MulScalar(constant?), 1),
            7 => (Function::AddScalar(constant?), 1),
            8 => (Function::AddMulScalar(constant?), 2),
            9 => (Function::SubMulScalar(constant?), 2),
            10 => (Function::SubMulScalarAdd(constant?), 3),
            11 => {
                let domain = [Domain::Coeff, Domain::Eval][self.random.below(2)];
                (Function::Automorphism(galois, domain), 1)
            }
            which => {
                let (slot, from) = landed?;
                let function = match which {
                    12 => Function::Reduce,
                    _ => Function::Centre(from),
                };
                let of = vec![slot];
                return Some(Instruction::Dyadic { function, to, of });
            }
        };
        // A word that is moved may lie where another has not been read.
        let is_moved = matches!(function, Function::Automorphism(..));
        let from = holds.own.iter().copied();
        let from: Vec<Slot> = from.filter(|&slot| !is_moved || slot != to).collect();
        let of = (0..operands).map(|_| self.pick(&from)).collect();
        let of: Option<Vec<Slot>> = of;
        Some(Instruction::Dyadic {
            function,
            to,
            of: of?,
        })
    }

    /// Cycles of its unit.
    fn cycles(&self, own: u8, instruction: &Instruction) -> u64 {
        let (config, shape) = (self.config, self.shape);
        match instruction {
            Instruction::Transform { stages, .. } => match stages {
                Stages::All => config.issue_cycles + shape.transform(config, shape.log_n, true),
                Stages::First => shape.transform(config, 1, false),
                Stages::Rest => {
                    config.issue_cycles + shape.transform(config, shape.log_n - 1, true)
                }
            },
            Instruction::Dyadic {
                function: Function::Automorphism(galois, domain),
                ..
            } => shape.automorphism(config, *galois, *domain),
            Instruction::Dyadic { of, .. } => shape.dyadic(config, passes(of)),
            Instruction::Send { to, .. } => {
                shape.broadcast(config, own.into(), hops(config, own, to))
            }
            Instruction::Load { .. } | Instruction::Store { .. } => {
                config.issue_cycles + shape.transfer(config)
            }
            Instruction::Wait(_) => config.issue_cycles + 1,
        }
    }

    /// What comes before it and what comes behind wait as they must.
    fn insert(&mut self, at: usize, rpau: u8, instruction: Instruction) {
        let cycles = self.cycles(rpau, &instruction);
        let all = &mut self.program.all;
        let origin = all[at.min(all.len() - 1)].origin;
        for after in all.iter_mut().flat_map(|placed| &mut placed.after) {
            *after += u32::from(*after as usize >= at);
        }
        let new = Placed {
            rpau,
            instruction,
            after: Vec::new(),
            cycles,
            origin,
        };
        all.insert(at, new.clone());
        let meets = |other: &Placed| meet(self.config, &new, other);
        let before = (0..at as u32).filter(|&other| meets(&all[other as usize]));
        let before: Vec<u32> = before.collect();
        for other in &mut all[at + 1..] {
            if meets(other) {
                other.after.push(at as u32);
            }
        }
        all[at].after = before;
    }
}

/// The RPAUs whose link to the next one it has.
fn links(config: &Config, own: u8, instruction: &Instruction) -> BTreeSet<usize> {
    let hops = match instruction {
        Instruction::Send { to, .. } => hops(config, own, to),
        _ => 0,
    };
    (0..hops)
        .map(|hop| (usize::from(own) + hop) % config.rpaus)
        .collect()
}

/// Whether the second of two has to wait for the first.
fn meet(config: &Config, a: &Placed, b: &Placed) -> bool {
    let ports = |placed: &Placed| -> BTreeSet<_> {
        let ports = placed.instruction.ports(placed.rpau);
        ports.into_iter().collect()
    };
    let writes = |placed: &Placed| placed.instruction.writes(placed.rpau);
    let touched = |by: &Placed, of: &Placed| {
        let written = writes(by);
        slots(of).any(|slot| written.contains(&slot))
    };
    let address = |placed: &Placed| match placed.instruction {
        Instruction::Store { to, .. } => Some((to, true)),
        Instruction::Load { from, .. } => Some((from, false)),
        _ => None,
    };
    let link = |placed: &Placed| links(config, placed.rpau, &placed.instruction);
    let same_place = match (address(a), address(b)) {
        (Some((one, stores)), Some((other, stores_too))) => one == other && (stores || stores_too),
        _ => false,
    };
    !ports(a).is_disjoint(&ports(b))
        || touched(a, b)
        || touched(b, a)
        || same_place
        || !link(a).is_disjoint(&link(b))
}
