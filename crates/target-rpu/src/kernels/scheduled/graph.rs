//! A program as a graph of values: no registers, no memory between its own instructions.
//!
//! Instructions are taken in order, as a machine would run them. A register is only a name for the
//! value that was last written to it. A load whose words all come from one store, in its order, is
//! that store's value; a store that nothing reads, or that is overwritten unread, and all that was
//! computed for it, is left out. So programs that follow each other through slots become one, with
//! nothing stored between where their accesses agree.
//!
//! A value goes past memory [`MOST_HOPS`] times at most. Every such hop may double the vectors that a
//! vector depends on, and with the pair that it starts from five hops would be 64 vectors: all registers.

use crate::isa::{AReg, Instruction, Mode, REGISTERS};
use crate::kernels::Shape;
use std::collections::HashMap;

/// What a slot is for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Role {
    /// Read.
    Operand,
    /// Written; it may be an operand's slot.
    Result,
    /// Written, and no operand's slot.
    Apart,
    /// Written and read meanwhile; of no interest afterwards.
    Scratch,
    /// Read: constants, loaded as often as one likes.
    Table,
}

/// A result of a node, the first or the second.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Value {
    /// The node.
    pub node: usize,
    /// 0, or 1 for the second result of a butterfly.
    pub port: usize,
}

/// A value in a register.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Held {
    /// The value.
    pub value: Value,
    /// How often what it was made of has gone past memory.
    pub hops: usize,
}

/// The words of a vector load or store.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Place {
    /// The slot.
    pub slot: usize,
    /// Of the first word in the slot.
    pub offset: u32,
    /// Where the others are.
    pub mode: Mode,
}

/// An instruction.
#[derive(Clone, Debug)]
pub struct Node {
    /// What it does; its vector and address registers mean nothing.
    pub instruction: Instruction,
    /// What it reads, in the order of the operands.
    pub sources: Vec<Value>,
    /// Its words in memory, for a vector load or store.
    pub place: Option<Place>,
    /// Stores whose words it loads.
    pub reads: Vec<usize>,
    /// How often what it reads has gone past memory.
    hops: usize,
}

impl Node {
    /// Whether it is a store.
    pub fn is_store(&self) -> bool {
        matches!(self.instruction, Instruction::VStore { .. })
    }
}

/// How often a value may go past memory.
pub const MOST_HOPS: usize = 4;

/// Instructions in the order in which they were appended, those that nothing needs included.
pub struct Graph {
    /// Lengths of towers and vectors.
    pub shape: Shape,
    /// The slots.
    pub roles: Vec<Role>,
    /// All instructions.
    pub nodes: Vec<Node>,
    /// Who last wrote each word of each slot, and as which element.
    written: Vec<Vec<Option<(usize, usize)>>>,
    /// Constants and broadcasts, each once.
    known: HashMap<Known, Value>,
}

/// What does not change while a program runs.
#[derive(PartialEq, Eq, Hash)]
enum Known {
    Constant(Place),
    Broadcast(Instruction),
}

impl Graph {
    /// Without instructions.
    pub fn new(shape: Shape, roles: Vec<Role>) -> Self {
        Graph {
            written: vec![vec![None; shape.slot()]; roles.len()],
            shape,
            roles,
            nodes: Vec::new(),
            known: HashMap::new(),
        }
    }

    /// Appends a program; `at` says which slot and offset an address register and an offset are. Its
    /// loads of scalars are left out: they are the prologue's.
    pub fn append(&mut self, program: &[Instruction], at: impl Fn(AReg, u32) -> (usize, u32)) {
        let mut registers: [Option<Held>; REGISTERS] = [None; REGISTERS];
        for instruction in program {
            let values = match *instruction {
                Instruction::VLoad {
                    rm, offset, mode, ..
                } => {
                    let (slot, offset) = at(rm, offset);
                    vec![self.load(Place { slot, offset, mode })]
                }
                Instruction::VStore {
                    vs,
                    rm,
                    offset,
                    mode,
                } => {
                    let (slot, offset) = at(rm, offset);
                    if let Some(held) = registers[vs.index()] {
                        self.store(Place { slot, offset, mode }, held);
                    }
                    continue;
                }
                Instruction::SLoad { .. }
                | Instruction::MLoad { .. }
                | Instruction::ALoad { .. } => continue,
                other => {
                    let sources = other.vector_sources();
                    let sources = sources.filter_map(|vs| registers[vs.index()]).collect();
                    self.compute(other, sources)
                }
            };
            for (register, value) in instruction.vector_destinations().zip(values) {
                registers[register.index()] = Some(value);
            }
        }
    }

    /// An instruction of the lanes or the crossbar; its results.
    pub fn compute(&mut self, instruction: Instruction, sources: Vec<Held>) -> Vec<Held> {
        let broadcast = matches!(instruction, Instruction::Broadcast { .. });
        let known = Known::Broadcast(normal(instruction));
        if let (true, Some(&value)) = (broadcast, self.known.get(&known)) {
            return vec![Held { value, hops: 0 }];
        }
        let hops = sources.iter().map(|held| held.hops).max().unwrap_or(0);
        let sources = sources.into_iter().map(|held| held.value).collect();
        let node = self.push(instruction, sources, None);
        if broadcast {
            self.known.insert(known, Value { node, port: 0 });
        }
        let ports = 0..instruction.vector_destinations().count();
        let held = |port| Held {
            value: Value { node, port },
            hops,
        };
        ports.map(held).collect()
    }

    /// The vector at a place.
    pub fn load(&mut self, place: Place) -> Held {
        let constant = self.roles[place.slot] == Role::Table;
        if let (true, Some(&value)) = (constant, self.known.get(&Known::Constant(place))) {
            return Held { value, hops: 0 };
        }
        let words = self.words(place);
        if let Some(held) = self.forwarded(place.slot, &words) {
            return held;
        }
        let node = self.push(LOAD, vec![], Some(place));
        let written = words.iter().filter_map(|&w| self.written[place.slot][w]);
        let mut stores: Vec<usize> = written.map(|(store, _)| store).collect();
        stores.sort_unstable();
        stores.dedup();
        self.nodes[node].reads = stores;
        let value = Value { node, port: 0 };
        if constant {
            self.known.insert(Known::Constant(place), value);
        }
        Held { value, hops: 0 }
    }

    /// The value that one store put at these words, element by element.
    fn forwarded(&self, slot: usize, words: &[usize]) -> Option<Held> {
        let (store, _) = self.written[slot][*words.first()?]?;
        let mut words = words.iter().enumerate();
        let same = words.all(|(element, &word)| self.written[slot][word] == Some((store, element)));
        let held = Held {
            value: self.nodes[store].sources[0],
            hops: self.nodes[store].hops + 1,
        };
        (same && held.hops <= MOST_HOPS).then_some(held)
    }

    /// Puts a vector at a place.
    pub fn store(&mut self, place: Place, held: Held) {
        let node = self.push(STORE, vec![held.value], Some(place));
        self.nodes[node].hops = held.hops;
        for (element, word) in self.words(place).into_iter().enumerate() {
            self.written[place.slot][word] = Some((node, element));
        }
    }

    /// Leaves out scratch slots that nothing touches any more.
    pub fn without_idle_scratch(mut self) -> Self {
        let needed = self.needed();
        let places = self.nodes.iter().zip(&needed).filter(|(_, &needed)| needed);
        let busy: Vec<usize> = places
            .filter_map(|(node, _)| node.place.map(|place| place.slot))
            .collect();
        let slots = 0..self.roles.len();
        let kept: Vec<usize> = slots
            .filter(|slot| self.roles[*slot] != Role::Scratch || busy.contains(slot))
            .collect();
        for place in self.nodes.iter_mut().filter_map(|node| node.place.as_mut()) {
            let slot = kept.iter().position(|&slot| slot == place.slot);
            place.slot = slot.unwrap_or(usize::MAX);
        }
        self.roles = kept.iter().map(|&slot| self.roles[slot]).collect();
        let mut written = std::mem::take(&mut self.written);
        let of_slot = kept.iter().map(|&slot| std::mem::take(&mut written[slot]));
        self.written = of_slot.collect();
        self
    }

    /// Nodes that the results need, by their numbers.
    pub fn needed(&self) -> Vec<bool> {
        let is_result = |&slot: &usize| matches!(self.roles[slot], Role::Result | Role::Apart);
        let results = (0..self.roles.len()).filter(is_result);
        let words = results.flat_map(|slot| &self.written[slot]);
        let mut stack: Vec<usize> = words.flatten().map(|&(store, _)| store).collect();
        let mut needed = vec![false; self.nodes.len()];
        while let Some(node) = stack.pop() {
            if !std::mem::replace(&mut needed[node], true) {
                stack.extend(self.nodes[node].sources.iter().map(|value| value.node));
                stack.extend(&self.nodes[node].reads);
            }
        }
        needed
    }

    /// Loads and stores that each needed one must not overtake. The result may lie in an operand's
    /// slot: whoever reads a word of an operand comes before who writes that word of the result.
    pub fn memory_order(&self, needed: &[bool]) -> Vec<Vec<usize>> {
        let mut order = vec![Vec::new(); self.nodes.len()];
        let mut memory: Vec<Vec<Word>> = vec![Vec::new(); self.roles.len()];
        let mut readings = Vec::new();
        for (id, node) in self.nodes.iter().enumerate() {
            let Some(place) = node.place.filter(|_| needed[id]) else {
                continue;
            };
            let slot = match self.roles[place.slot] {
                Role::Table => continue,
                Role::Operand | Role::Result => SHARED,
                Role::Scratch | Role::Apart => place.slot,
            };
            let words = &mut memory[slot];
            words.resize(self.shape.slot(), Word::default());
            let before = &mut order[id];
            // Neighbouring words mostly wait for the same nodes.
            let mut wait_for = |other: usize| {
                if before.last() != Some(&other) {
                    before.push(other);
                }
            };
            for word in self.words(place) {
                let word = &mut words[word];
                word.writer.into_iter().for_each(&mut wait_for);
                if node.is_store() {
                    while let Some(Reading { by, before }) = word.read.map(|last| readings[last]) {
                        wait_for(by);
                        word.read = before;
                    }
                    word.writer = Some(id);
                } else {
                    let before = word.read.replace(readings.len());
                    readings.push(Reading { by: id, before });
                }
            }
            before.sort_unstable();
            before.dedup();
        }
        order
    }

    fn words(&self, place: Place) -> Vec<usize> {
        let elements = 0..self.shape.vector() as u64;
        let word = |i| (u64::from(place.offset) + place.mode.offset(i)) as usize;
        elements.map(word).collect()
    }

    fn push(
        &mut self,
        instruction: Instruction,
        sources: Vec<Value>,
        place: Option<Place>,
    ) -> usize {
        self.nodes.push(Node {
            instruction,
            sources,
            place,
            reads: Vec::new(),
            hops: 0,
        });
        self.nodes.len() - 1
    }
}

/// Stands for operands and result, whose words are told apart by nothing but their offsets.
const SHARED: usize = 0;

/// Who last wrote a word, and the last of those who have read it since.
#[derive(Clone, Copy, Default)]
struct Word {
    writer: Option<usize>,
    read: Option<usize>,
}

/// Who read a word, and the reading before.
#[derive(Clone, Copy)]
struct Reading {
    by: usize,
    before: Option<usize>,
}

const LOAD: Instruction = Instruction::VLoad {
    vd: crate::isa::VReg::from_field(0),
    rm: AReg::from_field(0),
    offset: 0,
    mode: Mode::Linear,
};

const STORE: Instruction = Instruction::VStore {
    vs: crate::isa::VReg::from_field(0),
    rm: AReg::from_field(0),
    offset: 0,
    mode: Mode::Linear,
};

/// The same whatever its destination.
fn normal(instruction: Instruction) -> Instruction {
    match instruction {
        Instruction::Broadcast { rt, .. } => Instruction::Broadcast {
            vd: crate::isa::VReg::from_field(0),
            rt,
        },
        other => other,
    }
}
