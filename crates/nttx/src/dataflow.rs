//! The graph of vector operations that a plan stands for.
//!
//! Nodes stand in program order, block after block and step after step, so a node's operands come
//! before it. Every value is written once. Two memories alternate: layout k is read from and written
//! to buffer k mod 2, so nothing is overwritten that a block of the same pass still wants.

use crate::factor::{stage_factor, twist};
use crate::plan::{Pass, Places};
use crate::problem::{Direction, Form};
use crate::{Access, Bit, PatternId, Patterns, Plan, PlanError, Step};

/// A result: of node `node`, the first or the second.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Value {
    /// The node.
    pub node: NodeId,
    /// 0, or 1 for the second result of a butterfly.
    pub port: u8,
}

/// A node, by its place in [`Dataflow::nodes`].
pub type NodeId = u32;

/// How two vectors become one.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Shuffle {
    /// a0 b0 a1 b1 ... of the first halves.
    UnpackLow,
    /// The same of the second halves.
    UnpackHigh,
    /// Even elements of a, then of b.
    PackLow,
    /// Odd elements of a, then of b.
    PackHigh,
}

/// What a node does.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[allow(missing_docs)] // the fields are operands
pub enum Operation {
    /// A vector of data out of a buffer.
    Load {
        buffer: u8,
        address: u32,
        access: Access,
    },
    /// A vector of data into a buffer.
    Store {
        value: Value,
        buffer: u8,
        address: u32,
        access: Access,
    },
    /// A vector of constants.
    Constant { pattern: PatternId },
    /// Two results from a, b and the factor w.
    Butterfly {
        form: Form,
        a: Value,
        b: Value,
        w: Value,
    },
    /// The elementwise product.
    Multiply { a: Value, w: Value },
    /// The product with 1/N.
    Scale { a: Value },
    /// One vector from two.
    Shuffle { kind: Shuffle, a: Value, b: Value },
}

impl Operation {
    /// The values that it reads.
    pub fn operands(&self) -> Vec<Value> {
        match *self {
            Operation::Load { .. } | Operation::Constant { .. } => vec![],
            Operation::Store { value, .. } | Operation::Scale { a: value } => vec![value],
            Operation::Butterfly { a, b, w, .. } => vec![a, b, w],
            Operation::Multiply { a, w } => vec![a, w],
            Operation::Shuffle { a, b, .. } => vec![a, b],
        }
    }

    /// The values that it reads get the nodes of other numbers.
    pub(crate) fn rename(&mut self, number: impl Fn(NodeId) -> NodeId) {
        let rename = |value: &mut Value| value.node = number(value.node);
        match self {
            Operation::Load { .. } | Operation::Constant { .. } => {}
            Operation::Store { value, .. } | Operation::Scale { a: value } => rename(value),
            Operation::Butterfly { a, b, w, .. } => [a, b, w].into_iter().for_each(rename),
            Operation::Multiply { a: x, w: y } | Operation::Shuffle { a: x, b: y, .. } => {
                [x, y].into_iter().for_each(rename)
            }
        }
    }

    /// Number of results.
    pub fn results(&self) -> u8 {
        match self {
            Operation::Store { .. } => 0,
            Operation::Butterfly { .. } => 2,
            _ => 1,
        }
    }
}

/// An operation and where in the plan it stands.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Node {
    /// What it does.
    pub operation: Operation,
    /// Pass, counted from 0.
    pub pass: u8,
    /// Block of the pass.
    pub block: u32,
    /// Step of the pass; loads are before step 0, stores after the last.
    pub step: i8,
}

/// The graph.
#[derive(Clone, Debug)]
pub struct Dataflow {
    /// log2 of the words of a vector.
    pub log_vector: u8,
    /// log2 of the words of a buffer.
    pub log_words: u8,
    /// The nodes, operands first.
    pub nodes: Vec<Node>,
    /// The vectors of constants.
    pub patterns: Patterns,
}

impl Dataflow {
    /// Writes a checked plan out.
    pub fn new(plan: &Plan) -> Result<Self, PlanError> {
        plan.check()?;
        let mut builder = Builder {
            plan,
            nodes: Vec::new(),
            patterns: Patterns::default(),
            constants: Vec::new(),
        };
        for pass in 0..plan.passes.len() {
            builder.pass(pass)?;
        }
        Ok(Dataflow {
            log_vector: plan.log_vector,
            log_words: plan.problem.bits(),
            nodes: builder.nodes,
            patterns: builder.patterns,
        })
    }

    /// How many nodes do what `which` says.
    pub fn count(&self, which: impl Fn(&Operation) -> bool) -> usize {
        self.nodes
            .iter()
            .filter(|node| which(&node.operation))
            .count()
    }
}

struct Builder<'a> {
    plan: &'a Plan,
    nodes: Vec<Node>,
    patterns: Patterns,
    /// Constants of the current block, by pattern.
    constants: Vec<(PatternId, Value)>,
}

/// Where in the plan nodes are being added.
#[derive(Clone, Copy)]
struct Place {
    pass: u8,
    block: u32,
    step: i8,
    /// Index bits that are the same in the whole block.
    fixed: usize,
}

impl Builder<'_> {
    fn pass(&mut self, pass: usize) -> Result<(), PlanError> {
        let places = self.plan.places(pass)?;
        let bits = (0..self.plan.problem.bits()).rev();
        let group: Vec<Bit> = bits
            .filter(|bit| !places.elements.contains(bit) && !places.registers.contains(bit))
            .collect();
        for block in 0..1usize << group.len() {
            // The highest bit counts most: blocks follow each other as their words do.
            let last = group.len().saturating_sub(1);
            let bit = |(j, &b): (usize, &Bit)| (block >> (last - j) & 1) << b;
            let fixed = group.iter().enumerate().map(bit).sum();
            let place = Place {
                pass: pass as u8,
                block: block as u32,
                step: -1,
                fixed,
            };
            self.block(place, places.clone())?;
        }
        Ok(())
    }

    fn block(&mut self, mut place: Place, mut places: Places) -> Result<(), PlanError> {
        let pass: &Pass = &self.plan.passes[place.pass as usize];
        self.constants.clear();
        let mut held = self.load(place, &places, pass.load);
        for &step in &pass.steps {
            place.step += 1;
            match step {
                Step::Stage(bit) => self.stage(place, &places, bit, &mut held)?,
                Step::Unpack(bit) | Step::Pack(bit) => {
                    let register = places.register(place.pass as usize, bit)?;
                    self.swap(place, step, register, &mut held);
                    places.swap(register, step);
                }
            }
        }
        place.step += 1;
        if place.pass as usize + 1 == self.plan.passes.len() {
            self.twist(place, &places, &mut held);
        }
        self.store(place, &places, pass.store, &held);
        Ok(())
    }

    fn load(&mut self, place: Place, places: &Places, access: Access) -> Vec<Value> {
        let layout = &self.plan.layouts[place.pass as usize];
        let load = |register: usize| Operation::Load {
            buffer: place.pass % 2,
            address: layout.address(place.fixed | spread(&places.registers, register)) as u32,
            access,
        };
        let registers = 0..1 << places.registers.len();
        registers.map(|r| self.add(place, load(r))).collect()
    }

    fn store(&mut self, place: Place, places: &Places, access: Access, held: &[Value]) {
        let layout = &self.plan.layouts[place.pass as usize + 1];
        for (register, &value) in held.iter().enumerate() {
            let index = place.fixed | spread(&places.registers, register);
            let operation = Operation::Store {
                value,
                buffer: (place.pass + 1) % 2,
                address: layout.address(index) as u32,
                access,
            };
            self.add(place, operation);
        }
    }

    fn stage(
        &mut self,
        place: Place,
        places: &Places,
        bit: Bit,
        held: &mut [Value],
    ) -> Result<(), PlanError> {
        let problem = self.plan.problem;
        let scaled_stages = self.plan.scaled_stages;
        let position = places.register(place.pass as usize, bit)?;
        for low in (0..held.len()).filter(|r| r >> position & 1 == 0) {
            let high = low | 1 << position;
            let base = place.fixed | spread(&places.registers, low);
            let factor = |index| stage_factor(&problem, bit, index, scaled_stages);
            let w = self.constant(place, places, base, factor);
            let (a, b, form) = (held[low], held[high], problem.form);
            let sum = self.add(place, Operation::Butterfly { form, a, b, w });
            (held[low], held[high]) = (sum, Value { port: 1, ..sum });
        }
        if problem.form == Form::GentlemanSande && bit + 1 == scaled_stages.max(1) {
            self.scale(place, places, bit, held)?;
        }
        Ok(())
    }

    /// Multiplies by 1/N what no factor has.
    fn scale(
        &mut self,
        place: Place,
        places: &Places,
        last: Bit,
        held: &mut [Value],
    ) -> Result<(), PlanError> {
        let done: usize = match self.plan.scaled_stages {
            0 => 0,
            _ => (2 << last) - 1,
        };
        if let Some(&bit) = places.elements.iter().find(|&&bit| done >> bit & 1 == 1) {
            return Err(PlanError::InElements {
                pass: place.pass as usize,
                bit,
            });
        }
        for (register, value) in held.iter_mut().enumerate() {
            if (place.fixed | spread(&places.registers, register)) & done == 0 {
                *value = self.add(place, Operation::Scale { a: *value });
            }
        }
        Ok(())
    }

    fn swap(&mut self, place: Place, step: Step, register: usize, held: &mut [Value]) {
        let (low, high) = match step {
            Step::Pack(_) => (Shuffle::PackLow, Shuffle::PackHigh),
            _ => (Shuffle::UnpackLow, Shuffle::UnpackHigh),
        };
        for first in (0..held.len()).filter(|r| r >> register & 1 == 0) {
            let second = first | 1 << register;
            let (a, b) = (held[first], held[second]);
            held[first] = self.add(place, Operation::Shuffle { kind: low, a, b });
            held[second] = self.add(place, Operation::Shuffle { kind: high, a, b });
        }
    }

    fn twist(&mut self, place: Place, places: &Places, held: &mut [Value]) {
        let problem = self.plan.problem;
        if (problem.direction, problem.form) != (Direction::Inverse, Form::CooleyTukey) {
            return;
        }
        for (register, value) in held.iter_mut().enumerate() {
            let base = place.fixed | spread(&places.registers, register);
            let w = self.constant(place, places, base, |index| twist(&problem, index));
            *value = self.add(place, Operation::Multiply { a: *value, w });
        }
    }

    /// The vector of a factor's words, loaded once in a block.
    fn constant(
        &mut self,
        place: Place,
        places: &Places,
        base: usize,
        factor: impl Fn(usize) -> crate::Factor,
    ) -> Value {
        let elements = 0..1usize << places.elements.len();
        let factors = elements.map(|e| factor(base | spread(&places.elements, e)));
        let pattern = self.patterns.intern(factors.collect());
        if let Some(&(_, value)) = self.constants.iter().find(|(known, _)| *known == pattern) {
            return value;
        }
        let value = self.add(place, Operation::Constant { pattern });
        self.constants.push((pattern, value));
        value
    }

    fn add(&mut self, place: Place, operation: Operation) -> Value {
        let node = self.nodes.len() as NodeId;
        self.nodes.push(Node {
            operation,
            pass: place.pass,
            block: place.block,
            step: place.step,
        });
        Value { node, port: 0 }
    }
}

/// The index whose `bits` are those of `number`.
fn spread(bits: &[Bit], number: usize) -> usize {
    let bit = |(j, &b): (usize, &Bit)| (number >> j & 1) << b;
    bits.iter().enumerate().map(bit).sum()
}
