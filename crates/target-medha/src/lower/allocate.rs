//! Where each tower of a kernel lies, and what waits for what.
//!
//! Operations come in their order. What an operation reads is loaded where it is not in its RPAU; a
//! result goes to a memory by what it is: transforms leave theirs in the two transform memories in
//! turn, so that one is filled while the other is read, and everything else where fewest of the
//! towers lie that it will be read with. Where no slot is free the tower goes that is read last
//! (Belady, 1966). Each microinstruction waits for those that made what it reads, for those that
//! still read what it overwrites, and for whoever has the ports that it needs; ports are granted in
//! the order of the list.

use super::draft::{Draft, Drafts, Local, What};
use super::homes::{own_slots, Argument, Home};
use crate::config::Config;
use crate::microcode::{Address, Bank, Function, Instruction, Microprogram, Placed, Slot, Stages};
use crate::shape::{hops, Shape};
use ringwright_ir::{interrupt, RunError};
use ringwright_towers::{Graph, OriginId};
use std::collections::{BTreeSet, HashMap};

/// Places a kernel; `frame`: its operands, then its results.
pub fn allocate(
    config: &Config,
    shape: &Shape,
    graph: &Graph,
    drafts: &Drafts,
    order: &[u32],
    frame: &[Argument],
) -> Result<Microprogram, RunError> {
    let mut allocator = Allocator::new(config, shape, graph, drafts, order, frame);
    for &index in order {
        interrupt::check()?;
        allocator.draft(&drafts.all[index as usize])?;
    }
    Ok(allocator.program)
}

/// What is known of a tower.
#[derive(Clone, Debug, Default)]
struct Tower {
    /// Where it is in its RPAU.
    slot: Option<Slot>,
    /// Where else it is.
    memory: Option<Address>,
    /// Whether any of its makers came yet.
    begun: bool,
    /// Makers that have not come yet.
    makers: usize,
    /// Positions at which it is read, last to first.
    reads: Vec<usize>,
    /// Its number among operands and results, where it is one; results leave.
    argument: Option<u32>,
}

/// The last users of something.
#[derive(Clone, Debug, Default)]
struct Users {
    writer: Option<u32>,
    readers: Vec<u32>,
}

struct Allocator<'a> {
    config: &'a Config,
    shape: &'a Shape,
    drafts: &'a Drafts,
    frame: &'a [Argument],
    params: usize,
    towers: Vec<Tower>,
    /// By RPAU and memory, free slots.
    free: Vec<[BTreeSet<u8>; Bank::COUNT]>,
    /// By RPAU, who is where, in own slots.
    there: Vec<HashMap<Slot, Local>>,
    users: HashMap<(u8, Slot), Users>,
    memory: HashMap<Address, Users>,
    /// By RPAU and memory, who last had the port to read, and the port to write.
    ports: Vec<[[Option<u32>; 2]; Bank::COUNT]>,
    /// By RPAU, who last had the link to the next one.
    links: Vec<Option<u32>>,
    /// By RPAU, the memory of the last transform.
    turn: Vec<Bank>,
    program: Microprogram,
}

impl<'a> Allocator<'a> {
    fn new(
        config: &'a Config,
        shape: &'a Shape,
        graph: &Graph,
        drafts: &'a Drafts,
        order: &[u32],
        frame: &'a [Argument],
    ) -> Self {
        let mut towers = vec![Tower::default(); drafts.rpaus.len()];
        for (position, &index) in order.iter().enumerate().rev() {
            for tower in drafts.all[index as usize].reads() {
                towers[tower as usize].reads.push(position);
            }
        }
        for (tower, makers) in towers.iter_mut().zip(&drafts.makers) {
            tower.makers = makers.len();
        }
        let params = graph.param_towers;
        let (_, made) = graph.outcomes();
        let made = made.iter().map(|tower| tower.index());
        for (number, tower) in (0..params).chain(made).enumerate() {
            let known = &mut towers[tower];
            known.argument = Some(number as u32);
            if tower < params {
                let Argument { home, number } = frame[number];
                match home {
                    Home::Chip(bank) => known.slot = Some(Slot::Argument(bank, number)),
                    Home::Memory => known.memory = Some(Address::Argument(number)),
                }
            }
        }
        let slots = |bank: usize| (0..own_slots(shape, Bank(bank as u8)) as u8).collect();
        Allocator {
            config,
            shape,
            drafts,
            frame,
            params,
            towers,
            free: vec![std::array::from_fn(slots); config.rpaus],
            there: vec![HashMap::new(); config.rpaus],
            users: HashMap::new(),
            memory: HashMap::new(),
            ports: vec![[[None; 2]; Bank::COUNT]; config.rpaus],
            links: vec![None; config.rpaus],
            turn: vec![Bank(1); config.rpaus],
            program: Microprogram::default(),
        }
    }

    fn draft(&mut self, draft: &Draft) -> Result<(), RunError> {
        let result = draft.result;
        let begun = result.is_some_and(|tower| self.towers[tower as usize].begun);
        let mut operands = draft.operands.clone();
        let mut what = draft.what.clone();
        // A sum is begun by its first product.
        if what == What::Dyadic(Function::MulAdd) {
            match (result, draft.plus) {
                (Some(sum), _) if begun => operands.push(sum),
                (_, Some(plus)) => operands.push(plus),
                _ => what = What::Dyadic(Function::Mul),
            }
        }
        let mut from = Vec::with_capacity(operands.len());
        for &tower in &operands {
            from.push(self.bring(tower, &operands, draft)?);
        }
        for tower in draft.reads() {
            self.towers[tower as usize].reads.pop();
        }
        let dying: Vec<Local> = draft.reads().filter(|&tower| self.is_over(tower)).collect();
        if let What::Send(to) = &what {
            self.send(draft, from[0], to)?;
            dying.iter().for_each(|&tower| self.leave(tower));
            return Ok(());
        }
        let Some(tower) = result else {
            return Err(RunError::Invalid("an operation without a result".into()));
        };
        let to = match self.towers[tower as usize].slot {
            Some(slot) if begun => slot,
            _ => self.room(tower, &what, &operands, &dying, draft.origin)?,
        };
        self.emit(draft, what, to, &from);
        let known = &mut self.towers[tower as usize];
        known.begun = true;
        known.makers -= 1;
        let is_made = known.makers == 0;
        // A dying operand may have given its slot to the result.
        for tower in dying {
            self.leave(tower);
        }
        if is_made {
            self.made(tower, draft)?;
        }
        Ok(())
    }

    /// Whether nobody reads a tower any more, and it need not be kept.
    fn is_over(&self, tower: Local) -> bool {
        let known = &self.towers[tower as usize];
        known.reads.is_empty() && known.makers == 0
    }

    /// A result that leaves to memory is stored; one that nobody reads gives its slot back.
    fn made(&mut self, tower: Local, draft: &Draft) -> Result<(), RunError> {
        let known = &self.towers[tower as usize];
        let leaves = known.argument.filter(|&n| n as usize >= self.params);
        if let (Some(number), Some(slot)) = (leaves, known.slot) {
            if self.frame[number as usize].home == Home::Memory {
                let address = Address::Argument(number);
                self.store(
                    self.drafts.rpaus[tower as usize],
                    slot,
                    address,
                    draft.origin,
                );
                self.towers[tower as usize].memory = Some(address);
            }
        }
        if self.is_over(tower) {
            self.leave(tower);
        }
        Ok(())
    }

    /// The slot of an operand, which is loaded where it is not there.
    fn bring(&mut self, tower: Local, operands: &[Local], draft: &Draft) -> Result<Slot, RunError> {
        let known = &self.towers[tower as usize];
        if let Some(slot) = known.slot {
            return Ok(slot);
        }
        let Some(address) = known.memory else {
            return Err(RunError::Invalid(format!(
                "tower {tower} is read before it is made"
            )));
        };
        let rpau = self.drafts.rpaus[tower as usize];
        let [first, second] = self.quiet(rpau, operands);
        // What the ring brought may be wider than a residue here.
        let wanted = match self.is_brought(tower) {
            true => vec![Bank::LANDING],
            false => vec![first, second, Bank(0), Bank(1)],
        };
        let slot = self.slot(rpau, &wanted, operands, draft.origin)?;
        self.occupy(rpau, slot, tower);
        let instruction = Instruction::Load {
            lane: 0,
            from: address,
            to: slot,
        };
        let cycles = self.config.issue_cycles + self.shape.transfer(self.config);
        self.push(rpau, instruction, cycles, draft.origin);
        Ok(slot)
    }

    /// Operand memories, first the one in which fewer of these towers are.
    fn quiet(&self, rpau: u8, towers: &[Local]) -> [Bank; 2] {
        let [first, second] = Bank::OPERANDS;
        let bank_of = |tower: &Local| match self.towers[*tower as usize].slot {
            Some(slot) => Some(slot.bank()),
            None => match self.frame[self.becomes(*tower)? as usize].home {
                Home::Chip(bank) => Some(bank),
                Home::Memory => None,
            },
        };
        let count = |bank: Bank| {
            let banks = towers.iter().filter_map(bank_of);
            banks.filter(|own| *own == bank).count()
        };
        let free = |bank: Bank| self.free[usize::from(rpau)][usize::from(bank.0)].len();
        let key = |bank: Bank| (count(bank), usize::MAX - free(bank));
        match key(second) < key(first) {
            true => [second, first],
            false => [first, second],
        }
    }

    /// A slot for a result.
    fn room(
        &mut self,
        tower: Local,
        what: &What,
        operands: &[Local],
        dying: &[Local],
        origin: OriginId,
    ) -> Result<Slot, RunError> {
        let rpau = self.drafts.rpaus[tower as usize];
        let known = &self.towers[tower as usize];
        let leaves = known.argument.filter(|&n| n as usize >= self.params);
        if let Some(number) = leaves.or_else(|| self.becomes(tower)) {
            if let Home::Chip(bank) = self.frame[number as usize].home {
                let slot = Slot::Argument(bank, number);
                self.towers[tower as usize].slot = Some(slot);
                return Ok(slot);
            }
        }
        let readers = &self.drafts.readers[tower as usize];
        let is_transformed = readers.iter().any(|&reader| {
            matches!(
                self.drafts.all[reader as usize].what,
                What::Transform { .. }
            )
        });
        let is_transform = matches!(what, What::Transform { .. });
        let arrived = operands.iter().any(|&operand| self.is_brought(operand));
        let wanted = if is_transform || (is_transformed && arrived) {
            self.transform_memories(rpau, what, operands, dying)
        } else {
            let with = readers
                .iter()
                .flat_map(|&r| self.drafts.all[r as usize].reads());
            let with: Vec<Local> = with.filter(|&other| other != tower).collect();
            let [first, second] = self.quiet(rpau, &with);
            [first, second, Bank(0), Bank(1)]
        };
        // In place of an operand that goes, unless words change places.
        let moves = matches!(what, What::Dyadic(Function::Automorphism(..)));
        for &operand in dying.iter().filter(|_| !moves) {
            if let Some(slot @ Slot::At(bank, _)) = self.towers[operand as usize].slot {
                if bank == wanted[0] {
                    self.towers[operand as usize].slot = None;
                    self.occupy(rpau, slot, tower);
                    return Ok(slot);
                }
            }
        }
        let slot = self.slot(rpau, &wanted, operands, origin)?;
        self.occupy(rpau, slot, tower);
        Ok(slot)
    }

    /// The number of the result that this tower is part of last: it can lie where that will be.
    fn becomes(&self, tower: Local) -> Option<u32> {
        let [only] = self.drafts.readers[tower as usize].as_slice() else {
            return None;
        };
        let reader = &self.drafts.all[*only as usize];
        let result = reader.result?;
        let known = &self.towers[result as usize];
        let is_sum = matches!(
            reader.what,
            What::Dyadic(Function::SubMulScalarAdd(_) | Function::Add)
        );
        let is_last = reader.operands.last() == Some(&tower) && known.slot.is_none();
        let number = known.argument.filter(|&n| n as usize >= self.params)?;
        (is_sum && is_last).then_some(number)
    }

    /// In place where the operand goes and lies in a transform memory; else the memory whose turn it
    /// is.
    fn transform_memories(
        &mut self,
        rpau: u8,
        what: &What,
        operands: &[Local],
        dying: &[Local],
    ) -> [Bank; 4] {
        let turn = &mut self.turn[usize::from(rpau)];
        let here = operands.first().and_then(|&operand| {
            let bank = self.towers[operand as usize].slot?.bank();
            let goes = dying.contains(&operand) && Bank::TRANSFORMS.contains(&bank);
            (goes && matches!(what, What::Transform { .. })).then_some(bank)
        });
        let first = here.unwrap_or(Bank(1 - turn.0));
        *turn = first;
        let [a, b] = Bank::OPERANDS;
        [first, Bank(1 - first.0), a, b]
    }

    /// Whether the ring brings a tower.
    fn is_brought(&self, tower: Local) -> bool {
        let makers = self.drafts.makers[tower as usize].iter();
        let mut makers = makers.map(|&maker| &self.drafts.all[maker as usize].what);
        makers.any(|what| matches!(what, What::Send(_)))
    }

    /// A free slot in the first of these memories that has one; where none has, that of the tower
    /// that is read last.
    fn slot(
        &mut self,
        rpau: u8,
        wanted: &[Bank],
        kept: &[Local],
        origin: OriginId,
    ) -> Result<Slot, RunError> {
        let found = |allocator: &Self| {
            wanted.iter().find_map(|&bank| {
                let free = &allocator.free[usize::from(rpau)][usize::from(bank.0)];
                // The one that has been idle longest.
                let idle = |&index: &u8| {
                    let users = allocator.users.get(&(rpau, Slot::At(bank, index)));
                    users.map(|users| users.readers.iter().copied().chain(users.writer).max())
                };
                free.iter()
                    .copied()
                    .min_by_key(idle)
                    .map(|slot| Slot::At(bank, slot))
            })
        };
        if let Some(slot) = found(self) {
            return Ok(slot);
        }
        let there = self.there[usize::from(rpau)].iter();
        let mine = there.filter(|(slot, tower)| {
            let whole = self.towers[**tower as usize].makers == 0;
            wanted.contains(&slot.bank()) && !kept.contains(tower) && whole
        });
        let next = |tower: Local| {
            let reads = &self.towers[tower as usize].reads;
            reads.last().copied().unwrap_or(usize::MAX)
        };
        let victim = mine.map(|(&slot, &tower)| (next(tower), slot, tower)).max();
        let Some((_, slot, tower)) = victim else {
            let slots: usize = wanted.iter().map(|&bank| own_slots(self.shape, bank)).sum();
            return Err(self.config.unsupported(format!(
                "an operation that needs more towers at once than the {slots} slots for them in an RPAU"
            )));
        };
        if self.towers[tower as usize].memory.is_none() {
            let address = Address::Spilled(self.program.spilled);
            self.program.spilled += 1;
            self.store(rpau, slot, address, origin);
            self.towers[tower as usize].memory = Some(address);
        }
        self.leave(tower);
        Ok(slot)
    }

    fn store(&mut self, rpau: u8, from: Slot, to: Address, origin: OriginId) {
        let cycles = self.config.issue_cycles + self.shape.transfer(self.config);
        let lane = 0;
        self.push(rpau, Instruction::Store { lane, from, to }, cycles, origin);
    }

    fn occupy(&mut self, rpau: u8, slot: Slot, tower: Local) {
        if let Slot::At(bank, index) = slot {
            self.free[usize::from(rpau)][usize::from(bank.0)].remove(&index);
            self.there[usize::from(rpau)].insert(slot, tower);
        }
        self.towers[tower as usize].slot = Some(slot);
    }

    /// Gives a tower's slot back, unless it has given it to another.
    fn leave(&mut self, tower: Local) {
        let rpau = usize::from(self.drafts.rpaus[tower as usize]);
        if let Some(slot @ Slot::At(bank, index)) = self.towers[tower as usize].slot.take() {
            self.there[rpau].remove(&slot);
            self.free[rpau][usize::from(bank.0)].insert(index);
        }
    }

    fn send(&mut self, draft: &Draft, from: Slot, to: &[(u8, Local)]) -> Result<(), RunError> {
        let mut landed = Vec::with_capacity(to.len());
        for &(rpau, tower) in to {
            let slot = self.slot(rpau, &[Bank::LANDING], &[], draft.origin)?;
            self.occupy(rpau, slot, tower);
            let known = &mut self.towers[tower as usize];
            (known.begun, known.makers) = (true, 0);
            landed.push((rpau, slot));
        }
        let instruction = Instruction::Send { from, to: landed };
        self.push(draft.rpau, instruction, draft.cycles, draft.origin);
        Ok(())
    }

    fn emit(&mut self, draft: &Draft, what: What, to: Slot, from: &[Slot]) {
        let (config, shape) = (self.config, self.shape);
        match what {
            What::Transform { inverse } => {
                let source = from[0];
                let one = |stages, to, from| Instruction::Transform {
                    inverse,
                    stages,
                    to,
                    from,
                };
                let mut push = |stages, source, cycles| {
                    self.push(draft.rpau, one(stages, to, source), cycles, draft.origin);
                };
                if source == to || shape.log_n == 1 {
                    let cycles = shape.transform(config, shape.log_n, true);
                    push(Stages::All, source, config.issue_cycles + cycles);
                } else {
                    // The issue of the rest is behind the first stage.
                    push(Stages::First, source, shape.transform(config, 1, false));
                    let rest = shape.transform(config, shape.log_n - 1, true);
                    push(Stages::Rest, to, config.issue_cycles + rest);
                }
            }
            What::Dyadic(function) => {
                let cycles = match function {
                    Function::Automorphism(..) => draft.cycles,
                    _ => shape.dyadic(config, passes(from)),
                };
                let instruction = Instruction::Dyadic {
                    function,
                    to,
                    of: from.to_vec(),
                };
                self.push(draft.rpau, instruction, cycles, draft.origin);
            }
            What::Send(_) => {}
        }
    }

    /// Appends a microinstruction with what it waits for.
    fn push(&mut self, rpau: u8, instruction: Instruction, cycles: u64, origin: OriginId) {
        let number = self.program.all.len() as u32;
        let mut after = BTreeSet::new();
        for slot in instruction.reads() {
            let users = self.users.entry((rpau, slot)).or_default();
            after.extend(users.writer);
            users.readers.push(number);
        }
        if let Instruction::Send { to, .. } = &instruction {
            for hop in 0..hops(self.config, rpau, to) {
                let from = (usize::from(rpau) + hop) % self.config.rpaus;
                after.extend(self.links[from].replace(number));
            }
        }
        for (at, slot) in instruction.writes(rpau) {
            let users = self.users.entry((at, slot)).or_default();
            after.extend(users.writer.replace(number));
            after.extend(users.readers.drain(..).filter(|&reader| reader != number));
        }
        for (at, memory, writes) in instruction.ports(rpau) {
            let ports = &mut self.ports[usize::from(at)][usize::from(memory)];
            after.extend(ports[usize::from(writes)].replace(number));
        }
        match &instruction {
            Instruction::Load { from, .. } => {
                let users = self.memory.entry(*from).or_default();
                after.extend(users.writer);
                users.readers.push(number);
            }
            Instruction::Store { to, .. } => {
                let users = self.memory.entry(*to).or_default();
                after.extend(users.writer.replace(number));
                after.extend(users.readers.drain(..));
            }
            _ => {}
        }
        after.remove(&number);
        self.program.all.push(Placed {
            rpau,
            instruction,
            after: after.into_iter().collect(),
            cycles,
            origin,
        });
    }
}

/// How often the port that most of these slots need is needed: each takes a turn.
pub fn passes(slots: &[Slot]) -> u64 {
    let distinct: BTreeSet<Slot> = slots.iter().copied().collect();
    let mut turns = [0u64; Bank::COUNT];
    for slot in distinct {
        for &memory in slot.bank().ports() {
            turns[usize::from(memory)] += 1;
        }
    }
    turns.into_iter().max().unwrap_or(0).max(1)
}
