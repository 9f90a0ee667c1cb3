//! Cuts the graph into calls of the accelerator.
//!
//! A call computes one tower and holds two polynomials, so it is the evaluation of an expression
//! with two registers (Sethi and Ullman, 1970) of which only BG1 takes products and sums. What
//! falls out for the client's programs is the papers' schedule (RACE figures 3 and 4):
//!
//! | | half-encryption k u + e | decryption c1 s + c0 |
//! |---|---|---|
//! | 1 | u -> BG0, NTT; meanwhile k -> BG1 | c1 -> BG0, s -> BG1 |
//! | 2 | BG0 BG1 -> BG1 | BG0 BG1 -> BG1; meanwhile nothing |
//! | 3 | e (with m, where it is drawn) -> BG0, NTT | c0 -> BG0 |
//! | 4 | BG0 + BG1 -> BG1 | BG0 + BG1 -> BG1, inverse NTT |
//! | 5 | BG1 -> memory | BG1 -> memory |
//!
//! An operand goes through memory when it would need a third bank group, when it lies in another
//! layout than its neighbour, or when several calls need it and it is more than a transform of
//! something in memory: that one is computed again, as the papers do with the NTT of u.

use super::graph::{Event, Graph, Kind, NodeId, Val};
use super::host;
use crate::config::Config;
use crate::core::{Group, Pointwise};
use crate::program::{
    Action, Argument, Call, Drawn, HostFunction, Input, Instruction, Output, Program, Segment, Slot,
};
use crate::shape::Layout;
use crate::twiddles::{Constants, Direction};
use ringwright_ir::ring::{Module, TowerIdx};
use ringwright_ir::RunError;
use std::collections::BTreeMap;

/// Lowers a verified module.
pub fn lower(config: &Config, module: &Module) -> Result<Program, RunError> {
    let shape = config.shape(module.log_n)?;
    let graph = Graph::new(config, module);
    let mut cutter = Cutter {
        slots: vec![None; graph.nodes.len()],
        graph,
        config,
        module,
        next_slot: 0,
        primes: BTreeMap::new(),
        constants: Vec::new(),
        actions: Vec::new(),
    };
    let inputs = cutter.inputs();
    let segments = cutter.segments()?;
    let outputs = cutter.outputs();
    Ok(Program {
        shape,
        constants: cutter.constants,
        slots: cutter.next_slot,
        inputs,
        segments,
        outputs,
    })
}

struct Cutter<'a> {
    graph: Graph,
    config: &'a Config,
    module: &'a Module,
    /// Where each tower is in memory, once it is.
    slots: Vec<Option<Slot>>,
    next_slot: usize,
    primes: BTreeMap<TowerIdx, usize>,
    constants: Vec<Constants>,
    actions: Vec<Action>,
}

/// What must be known of an operand to place it.
#[derive(Clone, Copy)]
struct Placement {
    /// It holds a product or sum, so it needs both bank groups and ends in BG1.
    takes_both: bool,
    /// The layout that it ends in, if it is not free.
    layout: Option<Layout>,
}

const LEAF: Placement = Placement {
    takes_both: false,
    layout: None,
};

impl Cutter<'_> {
    fn new_slot(&mut self, node: NodeId) -> Slot {
        let slot = Slot(self.next_slot);
        self.next_slot += 1;
        self.slots[node] = Some(slot);
        slot
    }

    fn inputs(&mut self) -> Vec<Input> {
        let inputs = self.graph.inputs.clone();
        let mut place = |towers: &Vec<NodeId>| -> Vec<Slot> {
            towers.iter().map(|&node| self.new_slot(node)).collect()
        };
        let input = |value: &Val| match value {
            Val::Poly(towers) => Input::Polys(vec![place(towers)]),
            Val::Array(items) => Input::Polys(items.iter().map(&mut place).collect()),
            Val::Seed(_) => Input::Seed,
        };
        inputs.iter().map(input).collect()
    }

    fn segments(&mut self) -> Result<Vec<Segment>, RunError> {
        let mut segments = Vec::new();
        for event in std::mem::take(&mut self.graph.events) {
            match event {
                Event::Host { .. } => self.host(event)?,
                Event::Boundary { name, loc, results } => {
                    self.materialise_all(&results)?;
                    segments.push(Segment {
                        name,
                        loc,
                        actions: std::mem::take(&mut self.actions),
                    });
                }
            }
        }
        let outputs: Vec<NodeId> = self.graph.outputs.iter().flat_map(Val::nodes).collect();
        self.materialise_all(&outputs)?;
        segments.push(Segment {
            name: self.module.entry().name.clone(),
            loc: None,
            actions: std::mem::take(&mut self.actions),
        });
        segments.retain(|segment| !segment.actions.is_empty());
        Ok(segments)
    }

    fn outputs(&self) -> Vec<Output> {
        let slots = |towers: &Vec<NodeId>| -> Vec<Slot> {
            towers.iter().filter_map(|&node| self.slots[node]).collect()
        };
        let output = |value: &Val| match value {
            Val::Poly(towers) => Output::Poly(slots(towers)),
            Val::Array(items) => Output::Array(items.iter().map(slots).collect()),
            Val::Seed(seed) => Output::Seed(*seed),
        };
        self.graph.outputs.iter().map(output).collect()
    }

    fn host(&mut self, event: Event) -> Result<(), RunError> {
        let Event::Host {
            op,
            types,
            args,
            results,
            loc,
        } = event
        else {
            return Ok(());
        };
        if results.iter().all(|&node| self.graph.nodes[node].uses == 0) {
            return Ok(());
        }
        let mut arguments = Vec::new();
        for arg in args {
            arguments.push(match arg {
                Val::Seed(seed) => Argument::Seed(seed),
                Val::Poly(towers) => Argument::Poly(self.materialise_all(&towers)?),
                Val::Array(_) => {
                    let reason = format!("{} of an array", op.name());
                    return Err(RunError::Invalid(reason));
                }
            });
        }
        let function = HostFunction {
            name: host::name(&op),
            kernel: host::kernel(self.module, &op, &types),
            args: arguments,
            results: results.iter().map(|&node| self.new_slot(node)).collect(),
            operations: host::operations(self.module, &op, &types),
            loc,
        };
        self.actions.push(Action::Host(function));
        Ok(())
    }

    /// Memory places of towers that are needed; of one that nobody reads, it is made too.
    fn materialise_all(&mut self, nodes: &[NodeId]) -> Result<Vec<Slot>, RunError> {
        let needed = |node: &&NodeId| self.graph.nodes[**node].uses > 0;
        let nodes: Vec<NodeId> = nodes.iter().filter(needed).copied().collect();
        nodes
            .into_iter()
            .map(|node| self.materialise(node))
            .collect()
    }

    /// Makes the call whose result is this tower, unless it is in memory.
    fn materialise(&mut self, node: NodeId) -> Result<Slot, RunError> {
        if let Some(slot) = self.slots[node] {
            return Ok(slot);
        }
        let placement = self.fit(node)?;
        let group = match placement.takes_both {
            true => Group::Bg1,
            false => Group::Bg0,
        };
        let layout = placement.layout.unwrap_or(Layout::InverseIn);
        let mut instructions = Vec::new();
        self.evaluate(node, group, layout, &mut instructions);
        let slot = self.new_slot(node);
        instructions.push(Instruction::Store(slot, group, layout));
        let call = Call {
            prime: self.prime(self.graph.nodes[node].prime)?,
            instructions,
            loc: self.graph.nodes[node].loc.clone(),
        };
        self.actions.push(Action::Call(call));
        Ok(slot)
    }

    /// The device's constants for a prime.
    fn prime(&mut self, tower: TowerIdx) -> Result<usize, RunError> {
        if let Some(&index) = self.primes.get(&tower) {
            return Ok(index);
        }
        let q = self.module.prime(tower);
        self.config.check_modulus(q)?;
        let constants = Constants::new(self.module.log_n, q as u64).map_err(RunError::Invalid)?;
        self.constants.push(constants);
        let index = self.constants.len() - 1;
        self.primes.insert(tower, index);
        Ok(index)
    }

    /// Sends operands through memory until the expression fits two bank groups.
    fn fit(&mut self, node: NodeId) -> Result<Placement, RunError> {
        if self.slots[node].is_some() || self.sampled_sum(node).is_some() {
            return Ok(LEAF);
        }
        match self.graph.nodes[node].kind {
            Kind::Input | Kind::Host | Kind::Sample(_) => Ok(LEAF),
            Kind::Transform(direction, x) => {
                let (before, after) = layouts(direction);
                let inner = self.operand(x)?;
                let takes_both = match inner.layout {
                    Some(layout) if layout != before => {
                        self.materialise(x)?;
                        false
                    }
                    _ => inner.takes_both,
                };
                Ok(Placement {
                    takes_both,
                    layout: Some(after),
                })
            }
            Kind::Pointwise(_, a, b) => {
                let (mut first, second) = (self.operand(a)?, self.operand(b)?);
                let layouts_differ = match (first.layout, second.layout) {
                    (Some(first), Some(second)) => first != second,
                    _ => false,
                };
                if layouts_differ || first.takes_both && second.takes_both {
                    self.materialise(a)?;
                    first = LEAF;
                }
                Ok(Placement {
                    takes_both: true,
                    layout: first.layout.or(second.layout),
                })
            }
        }
    }

    /// As [`Cutter::fit`], and through memory when another call needs the same product or sum.
    fn operand(&mut self, node: NodeId) -> Result<Placement, RunError> {
        let placement = self.fit(node)?;
        if placement.takes_both && self.graph.nodes[node].uses > 1 {
            self.materialise(node)?;
            return Ok(LEAF);
        }
        Ok(placement)
    }

    /// Instructions that leave a fitted expression in `group`.
    fn evaluate(&self, node: NodeId, group: Group, layout: Layout, out: &mut Vec<Instruction>) {
        if let Some(slot) = self.slots[node] {
            return out.push(Instruction::Load(slot, group, layout));
        }
        if let Some((slot, drawn)) = self.sampled_sum(node) {
            return out.push(Instruction::LoadSum(slot, drawn, group, layout));
        }
        match &self.graph.nodes[node].kind {
            Kind::Input | Kind::Host => unreachable!("inputs and host results are in memory"),
            Kind::Sample(drawn) => out.push(Instruction::Sample(drawn.clone(), group, layout)),
            Kind::Transform(direction, x) => {
                self.evaluate(*x, group, layouts(*direction).0, out);
                out.push(Instruction::Transform(group, *direction));
            }
            Kind::Pointwise(operation, a, b) => {
                // What takes both groups comes first; else what is transformed, so that the other
                // operand is loaded meanwhile.
                let first_is_a = match (self.takes_both(*a), self.takes_both(*b)) {
                    (false, false) => self.transforms(*a) || !self.transforms(*b),
                    (both, _) => both,
                };
                let (first, second) = if first_is_a { (*a, *b) } else { (*b, *a) };
                let (first_group, second_group) = match self.takes_both(first) {
                    true => (Group::Bg1, Group::Bg0),
                    false => (Group::Bg0, Group::Bg1),
                };
                self.evaluate(first, first_group, layout, out);
                self.evaluate(second, second_group, layout, out);
                let a_in_bg0 = first_is_a == (first_group == Group::Bg0);
                out.push(Instruction::Pointwise(match operation {
                    Pointwise::SubFrom0 if !a_in_bg0 => Pointwise::SubFrom1,
                    other => *other,
                }));
            }
        }
    }

    /// Memory and sampler whose sum the node is.
    fn sampled_sum(&self, node: NodeId) -> Option<(Slot, Drawn)> {
        let Kind::Pointwise(Pointwise::Add, a, b) = self.graph.nodes[node].kind else {
            return None;
        };
        let drawn = |x: NodeId| match &self.graph.nodes[x].kind {
            Kind::Sample(drawn) if self.slots[x].is_none() => Some(drawn.clone()),
            _ => None,
        };
        let pair = |sample, memory: NodeId| Some((self.slots[memory]?, drawn(sample)?));
        pair(a, b).or_else(|| pair(b, a))
    }

    fn takes_both(&self, node: NodeId) -> bool {
        let in_memory = self.slots[node].is_some() || self.sampled_sum(node).is_some();
        !in_memory
            && match self.graph.nodes[node].kind {
                Kind::Pointwise(..) => true,
                Kind::Transform(_, x) => self.takes_both(x),
                _ => false,
            }
    }

    fn transforms(&self, node: NodeId) -> bool {
        self.slots[node].is_none() && matches!(self.graph.nodes[node].kind, Kind::Transform(..))
    }
}

/// Layouts before and after a transform.
fn layouts(direction: Direction) -> (Layout, Layout) {
    match direction {
        Direction::Forward => (Layout::ForwardIn, Layout::ForwardOut),
        Direction::Inverse => (Layout::InverseIn, Layout::InverseOut),
    }
}
