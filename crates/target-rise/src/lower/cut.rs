//! Cuts a kernel's graph into calls of the accelerator.
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

use super::primes::Primes;
use super::roles::{roles, Role};
use crate::config::Config;
use crate::host::{Argument, HostFunction};
use crate::lowered::{Action, Part};
use crate::shape::Layout;
use crate::slot::Slot;
use ringwright_ir::{interrupt, RunError};
use ringwright_towers::{Graph, Kernel, Kind, Node, TowerId};
use std::ops::Range;

/// The part that computes a kernel.
pub fn part(config: &Config, kernel: &Kernel, primes: &mut Primes<'_>) -> Result<Part, RunError> {
    let graph = &*kernel.graph;
    let (_, made) = graph.outcomes();
    let (mut cutter, functions) = Cutter::new(config, graph, &made, primes);
    for nodes in functions {
        interrupt::check()?;
        cutter.host(&graph.nodes[nodes])?;
    }
    for tower in made {
        cutter.materialise(tower)?;
    }
    Ok(cutter.finish())
}

/// Cuts one graph.
pub(super) struct Cutter<'a, 'p> {
    pub(super) graph: &'a Graph,
    pub(super) roles: Vec<Role>,
    /// How often other nodes and results read each tower.
    reads: Vec<u32>,
    /// The node that defines each tower.
    defined: Vec<u32>,
    /// Where each tower is in memory, once it is.
    pub(super) slots: Vec<Option<Slot>>,
    /// Of towers that are returned, where they go.
    results: Vec<Option<Slot>>,
    next_slot: u32,
    pub(super) primes: &'a mut Primes<'p>,
    pub(super) part: Part,
}

/// What must be known of an operand to place it.
#[derive(Clone, Copy)]
pub(super) struct Placement {
    /// It holds a product or sum, so it needs both bank groups and ends in BG1.
    pub(super) takes_both: bool,
    /// The layout that it ends in, if it is not free.
    pub(super) layout: Option<Layout>,
}

const LEAF: Placement = Placement {
    takes_both: false,
    layout: None,
};

/// What is to be done about a tower.
#[derive(Clone, Copy)]
enum Task {
    /// Puts it into memory, unless it is there.
    Make(TowerId),
    /// Sends its operands through memory until it fits two bank groups; leaves its placement.
    Fit(TowerId),
    /// The same of an operand, which goes through memory when another call needs it too.
    Operand(TowerId),
    /// Decides whether it goes there, its placement known.
    Keep(TowerId),
    /// Its placement from those of its operands.
    Join(TowerId),
    /// Writes its call, its placement known.
    Write(TowerId),
}

impl<'a, 'p> Cutter<'a, 'p> {
    /// With nothing cut yet; the nodes of each host function.
    fn new(
        config: &Config,
        graph: &'a Graph,
        made: &[TowerId],
        primes: &'a mut Primes<'p>,
    ) -> (Self, Vec<Range<usize>>) {
        let (roles, functions) = roles(config, graph);
        let operands = graph.param_towers as u32;
        let mut defined = vec![0; graph.towers()];
        for (index, node) in graph.nodes.iter().enumerate() {
            defined[node.result.index()] = index as u32;
        }
        let mut slots = vec![None; graph.towers()];
        let params = slots.iter_mut().zip(0..operands);
        params.for_each(|(slot, param)| *slot = Some(Slot(param)));
        let mut results = vec![None; graph.towers()];
        for (&tower, slot) in made.iter().zip(operands..) {
            results[tower.index()] = Some(Slot(slot));
        }
        let cutter = Cutter {
            reads: graph.reads(),
            graph,
            roles,
            defined,
            slots,
            results,
            next_slot: operands + made.len() as u32,
            primes,
            part: Part {
                operands,
                origins: graph.origins.clone(),
                ..Part::default()
            },
        };
        (cutter, functions)
    }

    fn finish(self) -> Part {
        Part {
            slots: self.next_slot,
            ..self.part
        }
    }

    pub(super) fn node(&self, tower: TowerId) -> &'a Node {
        &self.graph.nodes[self.defined[tower.index()] as usize]
    }

    pub(super) fn slot(&self, tower: TowerId) -> Option<Slot> {
        self.slots[tower.index()]
    }

    /// The tower's place from now on.
    pub(super) fn place(&mut self, tower: TowerId) -> Slot {
        let slot = self.results[tower.index()].unwrap_or_else(|| {
            self.next_slot += 1;
            Slot(self.next_slot - 1)
        });
        self.slots[tower.index()] = Some(slot);
        slot
    }

    /// A function of the host, behind the calls that make its operands.
    fn host(&mut self, nodes: &[Node]) -> Result<(), RunError> {
        let mut args = Vec::new();
        if let Kind::Sample(sample) = &nodes[0].kind {
            args.push(Argument::Seed(sample.seed));
        }
        // Switching the modulus reads one tower for all results.
        let read = match nodes[0].kind {
            Kind::SwitchModulus { .. } => &nodes[..1],
            _ => nodes,
        };
        for operand in 0..nodes[0].args.len() {
            let towers = read.iter().map(|node| self.materialise(node.args[operand]));
            args.push(Argument::Poly(towers.collect::<Result<_, _>>()?));
        }
        let results = nodes.iter().map(|node| self.place(node.result)).collect();
        let function = HostFunction::new(self.graph, nodes, args, results);
        self.part.actions.push(Action::Host(function));
        Ok(())
    }

    /// Makes the call whose result is this tower, and those that make its operands, unless it is in
    /// memory. What is left to do is a list of its own, for a chain of operations may be as long as
    /// the program; every tower's operands are placed at most twice, once for what reads it and once
    /// for a call of its own.
    fn materialise(&mut self, tower: TowerId) -> Result<Slot, RunError> {
        let mut left = vec![Task::Make(tower)];
        let mut placed = Vec::new();
        while let Some(task) = left.pop() {
            self.task(task, &mut left, &mut placed)?;
        }
        self.slot(tower)
            .ok_or_else(|| RunError::Invalid(format!("no call makes tower {}", tower.0)))
    }

    /// Does one task; what must be done first or next joins the list.
    fn task(
        &mut self,
        task: Task,
        left: &mut Vec<Task>,
        placed: &mut Vec<Placement>,
    ) -> Result<(), RunError> {
        match task {
            Task::Make(tower) if self.slot(tower).is_none() => {
                left.extend([Task::Write(tower), Task::Fit(tower)]);
            }
            Task::Make(_) => {}
            Task::Fit(tower) => match self.roles[tower.index()] {
                _ if self.in_memory(tower) => placed.push(LEAF),
                Role::Input | Role::Host | Role::Sample(_) => placed.push(LEAF),
                Role::Transform(_, x) => left.extend([Task::Join(tower), Task::Operand(x)]),
                Role::Pointwise(_, a, b) => {
                    left.extend([Task::Join(tower), Task::Operand(b), Task::Operand(a)]);
                }
            },
            Task::Operand(tower) => left.extend([Task::Keep(tower), Task::Fit(tower)]),
            Task::Keep(tower) => {
                if let Some(last) = placed.last_mut() {
                    if last.takes_both && self.reads[tower.index()] > 1 {
                        *last = LEAF;
                        left.push(Task::Make(tower));
                    }
                }
            }
            Task::Join(tower) => self.join(tower, left, placed),
            Task::Write(tower) => {
                let placement = placed.pop().unwrap_or(LEAF);
                self.write(tower, placement)?;
            }
        }
        Ok(())
    }

    /// Sends an operand through memory where the expression does not fit two bank groups.
    fn join(&mut self, tower: TowerId, left: &mut Vec<Task>, placed: &mut Vec<Placement>) {
        let mut operand = || placed.pop().unwrap_or(LEAF);
        let placement = match self.roles[tower.index()] {
            Role::Transform(direction, x) => {
                let (before, after) = direction.layouts();
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
            Role::Pointwise(_, a, _) => {
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
            Role::Input | Role::Host | Role::Sample(_) => LEAF,
        };
        placed.push(placement);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use ringwright_arith::primes::ntt_primes;
    use ringwright_ir::generate::{long, Long};
    use ringwright_spec::Machine;
    use ringwright_towers::{Constants, Program};

    /// Tasks that make the result of a program whose operations the device does.
    fn tasks(config: &Config, how: Long, ops: usize) -> usize {
        const LOG_N: u32 = 8;
        let prime = ntt_primes(30, LOG_N, 1).expect("a prime")[0];
        let module = long(how, ops, LOG_N, prime).expect("valid");
        let program = Program::new(&module, &|_| false, Constants::AsArguments).expect("valid");
        let graph = &*program.kernels[0].graph;
        let (_, made) = graph.outcomes();
        let mut primes = Primes::new(config, &module);
        let (mut cutter, _) = Cutter::new(config, graph, &made, &mut primes);
        let (mut left, mut placed, mut count) = (vec![Task::Make(made[0])], Vec::new(), 0);
        while let Some(task) = left.pop() {
            cutter.task(task, &mut left, &mut placed).expect("fits");
            count += 1;
        }
        assert!(placed.is_empty() && cutter.slot(made[0]).is_some());
        count
    }

    #[test]
    fn each_operation_is_placed_twice_at_most() {
        let machine = Machine::load("rise-32bfu").expect("ships");
        let config = Config::new(&machine).expect("buildable");
        let (ops, operands) = (2000, 2);
        // Of each operand: whether it is kept, its fit and its join; and once to make and write it.
        let once = 3 * (1 + operands) + 2;
        for how in [Long::Products, Long::Sums, Long::FanIn] {
            let count = tasks(&config, how, ops);
            assert!(count >= ops, "{}: {count}", how.name());
            assert!(count <= 2 * once * ops, "{}: {count}", how.name());
        }
    }
}
