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

use super::graph::{Event, Graph, Kind, NodeId, Towers, Val};
use super::host;
use crate::config::Config;
use crate::core::{Group, Pointwise};
use crate::program::{
    Action, Argument, Call, Drawn, Host, HostFunction, Input, Instruction, Output, Program,
    Segment, Slot,
};
use crate::shape::Layout;
use crate::twiddles::{Constants, Direction};
use ringwright_ir::ring::{Module, TowerIdx};
use ringwright_ir::RunError;
use std::collections::BTreeMap;
use std::sync::Arc;

/// Lowers a verified module.
pub fn lower(config: &Config, module: &Module) -> Result<Program, RunError> {
    let shape = config.shape(module.log_n)?;
    let mut cutter = Cutter::new(config, module);
    let inputs = cutter.inputs();
    let segments = cutter.segments()?;
    let outputs = cutter.outputs();
    Ok(Program {
        shape,
        host: Host::new(module.log_n, &module.primes),
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

/// What is to be done about a tower.
#[derive(Clone, Copy)]
enum Task {
    /// Puts it into memory, unless it is there.
    Make(NodeId),
    /// Sends its operands through memory until it fits two bank groups; leaves its placement.
    Fit(NodeId),
    /// The same of an operand, which goes through memory when another call needs it too.
    Operand(NodeId),
    /// Decides whether it goes there, its placement known.
    Keep(NodeId),
    /// Its placement from those of its operands.
    Join(NodeId),
    /// Writes its call, its placement known.
    Write(NodeId),
}

/// A piece of a call that is being written.
enum Part {
    Node(NodeId, Group, Layout),
    Instruction(Instruction),
}

impl<'a> Cutter<'a> {
    fn new(config: &'a Config, module: &'a Module) -> Self {
        let graph = Graph::new(config, module);
        Cutter {
            slots: vec![None; graph.nodes.len()],
            graph,
            config,
            module,
            next_slot: 0,
            primes: BTreeMap::new(),
            constants: Vec::new(),
            actions: Vec::new(),
        }
    }

    fn new_slot(&mut self, node: NodeId) -> Slot {
        let slot = Slot(self.next_slot);
        self.next_slot += 1;
        self.slots[node] = Some(slot);
        slot
    }

    fn inputs(&mut self) -> Vec<Input> {
        let inputs = self.graph.inputs.clone();
        let mut place = |towers: &Towers| -> Vec<Slot> {
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
                        call: Some(segments.len()),
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
            call: None,
            loc: None,
            actions: std::mem::take(&mut self.actions),
        });
        segments.retain(|segment| !segment.actions.is_empty());
        Ok(segments)
    }

    fn outputs(&self) -> Vec<Output> {
        let slots = |towers: &Towers| -> Vec<Slot> {
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
            args: arguments,
            results: results.iter().map(|&node| self.new_slot(node)).collect(),
            operations: host::operations(self.module, &op, &types),
            operand: types[..types.len() - 1].first().cloned(),
            result: types[types.len() - 1].clone(),
            op,
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

    /// Makes the call whose result is this tower, and those that make its operands, unless it is in
    /// memory. What is left to do is a list of its own, for a chain of operations may be as long as
    /// the program; every node's operands are placed at most twice, once for what reads it and once
    /// for a call of its own.
    fn materialise(&mut self, node: NodeId) -> Result<Slot, RunError> {
        let mut left = vec![Task::Make(node)];
        let mut placed = Vec::new();
        while let Some(task) = left.pop() {
            self.task(task, &mut left, &mut placed)?;
        }
        self.slots[node].ok_or_else(|| RunError::Invalid(format!("no call makes tower {node}")))
    }

    /// Does one task; what must be done first or next joins the list.
    fn task(
        &mut self,
        task: Task,
        left: &mut Vec<Task>,
        placed: &mut Vec<Placement>,
    ) -> Result<(), RunError> {
        match task {
            Task::Make(node) if self.slots[node].is_none() => {
                left.extend([Task::Write(node), Task::Fit(node)]);
            }
            Task::Make(_) => {}
            Task::Fit(node) => match self.graph.nodes[node].kind {
                _ if self.in_memory(node) => placed.push(LEAF),
                Kind::Input | Kind::Host | Kind::Sample(_) => placed.push(LEAF),
                Kind::Transform(_, x) => left.extend([Task::Join(node), Task::Operand(x)]),
                Kind::Pointwise(_, a, b) => {
                    left.extend([Task::Join(node), Task::Operand(b), Task::Operand(a)]);
                }
            },
            Task::Operand(node) => left.extend([Task::Keep(node), Task::Fit(node)]),
            Task::Keep(node) => {
                if let Some(last) = placed.last_mut() {
                    if last.takes_both && self.graph.nodes[node].uses > 1 {
                        *last = LEAF;
                        left.push(Task::Make(node));
                    }
                }
            }
            Task::Join(node) => self.join(node, left, placed),
            Task::Write(node) => {
                let placement = placed.pop().unwrap_or(LEAF);
                self.write(node, placement)?;
            }
        }
        Ok(())
    }

    /// Sends an operand through memory where the expression does not fit two bank groups.
    fn join(&mut self, node: NodeId, left: &mut Vec<Task>, placed: &mut Vec<Placement>) {
        let mut operand = || placed.pop().unwrap_or(LEAF);
        let placement = match self.graph.nodes[node].kind {
            Kind::Transform(direction, x) => {
                let (before, after) = layouts(direction);
                let inner = operand();
                let fits = inner.layout.is_none_or(|layout| layout == before);
                if !fits {
                    left.push(Task::Make(x));
                }
                Placement {
                    takes_both: fits && inner.takes_both,
                    layout: Some(after),
                }
            }
            Kind::Pointwise(_, a, _) => {
                let (second, mut first) = (operand(), operand());
                let layouts_differ = match (first.layout, second.layout) {
                    (Some(first), Some(second)) => first != second,
                    _ => false,
                };
                if layouts_differ || first.takes_both && second.takes_both {
                    left.push(Task::Make(a));
                    first = LEAF;
                }
                Placement {
                    takes_both: true,
                    layout: first.layout.or(second.layout),
                }
            }
            Kind::Input | Kind::Host | Kind::Sample(_) => LEAF,
        };
        placed.push(placement);
    }

    /// Writes the call of a node whose operands fit.
    fn write(&mut self, node: NodeId, placement: Placement) -> Result<(), RunError> {
        let group = match placement.takes_both {
            true => Group::Bg1,
            false => Group::Bg0,
        };
        let layout = placement.layout.unwrap_or(Layout::InverseIn);
        let mut instructions = self.evaluation(node, group, layout);
        let slot = self.new_slot(node);
        instructions.push(Instruction::Store(slot, group, layout));
        let call = Call {
            prime: self.prime(self.graph.nodes[node].prime)?,
            instructions,
            loc: self.graph.nodes[node].loc.clone(),
        };
        self.actions.push(Action::Call(call));
        Ok(())
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

    /// Instructions that leave a fitted expression in `group`.
    fn evaluation(&self, node: NodeId, group: Group, layout: Layout) -> Vec<Instruction> {
        let mut out = Vec::new();
        let mut left = vec![Part::Node(node, group, layout)];
        while let Some(part) = left.pop() {
            match part {
                Part::Instruction(instruction) => out.push(instruction),
                Part::Node(node, group, layout) => self.expand(node, group, layout, &mut left),
            }
        }
        out
    }

    /// The instructions of a node: its own, behind those of its operands.
    fn expand(&self, node: NodeId, group: Group, layout: Layout, left: &mut Vec<Part>) {
        let own = |instruction| Part::Instruction(instruction);
        if let Some(slot) = self.slots[node] {
            return left.push(own(Instruction::Load(slot, group, layout)));
        }
        if let Some((slot, drawn)) = self.sampled_sum(node) {
            return left.push(own(Instruction::LoadSum(slot, drawn, group, layout)));
        }
        match &self.graph.nodes[node].kind {
            Kind::Input | Kind::Host => unreachable!("inputs and host results are in memory"),
            Kind::Sample(drawn) => {
                left.push(own(Instruction::Sample(drawn.clone(), group, layout)));
            }
            Kind::Transform(direction, x) => left.extend([
                own(Instruction::Transform(group, *direction)),
                Part::Node(*x, group, layouts(*direction).0),
            ]),
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
                let a_in_bg0 = first_is_a == (first_group == Group::Bg0);
                let operation = match operation {
                    Pointwise::SubFrom0 if !a_in_bg0 => Pointwise::SubFrom1,
                    other => *other,
                };
                left.extend([
                    own(Instruction::Pointwise(operation)),
                    Part::Node(second, second_group, layout),
                    Part::Node(first, first_group, layout),
                ]);
            }
        }
    }

    /// Memory and sampler whose sum the node is.
    fn sampled_sum(&self, node: NodeId) -> Option<(Slot, Arc<Drawn>)> {
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

    /// Whether a node's words are loaded, or drawn, rather than computed.
    fn in_memory(&self, node: NodeId) -> bool {
        self.slots[node].is_some() || self.sampled_sum(node).is_some()
    }

    fn takes_both(&self, mut node: NodeId) -> bool {
        loop {
            match self.graph.nodes[node].kind {
                _ if self.in_memory(node) => return false,
                Kind::Pointwise(..) => return true,
                Kind::Transform(_, x) => node = x,
                _ => return false,
            }
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

#[cfg(test)]
mod tests {
    use super::*;
    use ringwright_arith::primes::ntt_primes;
    use ringwright_ir::generate::{long, Long};
    use ringwright_spec::Machine;

    /// Tasks that make the result of a program whose operations the device does.
    fn tasks(config: &Config, how: Long, ops: usize) -> usize {
        const LOG_N: u32 = 8;
        let prime = ntt_primes(30, LOG_N, 1).expect("a prime")[0];
        let module = long(how, ops, LOG_N, prime).expect("valid");
        let mut cutter = Cutter::new(config, &module);
        cutter.inputs();
        let result = cutter.graph.outputs[0].nodes()[0];
        let (mut left, mut placed, mut count) = (vec![Task::Make(result)], Vec::new(), 0);
        while let Some(task) = left.pop() {
            cutter.task(task, &mut left, &mut placed).expect("fits");
            count += 1;
        }
        assert!(placed.is_empty() && cutter.slots[result].is_some());
        count
    }

    #[test]
    fn each_operation_is_placed_twice_at_most() {
        let machine = Machine::load("rise-32bfu").expect("ships");
        let config = Config::new(&machine).expect("buildable");
        let (ops, operands) = (2000, 2);
        // Of each operand: whether it is kept, its fit and its join; and once to make and write it.
        let once = 3 * (1 + operands) + 2;
        for how in [Long::Products, Long::Sums, Long::Transforms, Long::FanIn] {
            let count = tasks(&config, how, ops);
            assert!(count >= ops, "{}: {count}", how.name());
            assert!(count <= 2 * once * ops, "{}: {count}", how.name());
        }
    }
}
