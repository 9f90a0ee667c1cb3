//! A part of a ring program behind which the device has drained: a call of the entry function, or
//! operations of its own between calls.
//!
//! Its operations become calls of tower kernels, in order, and those become starts, with the moves
//! of towers, tables and programs between off-chip memory and the device. Nothing stays on the
//! device from one part to the next, so that a function takes the same time wherever it is called.

use super::graph::{Graph, NodeId, Source};
use super::residency::{self, Demand};
use super::start::{self, Call, Start};
use crate::kernels::library::{Library, Words};
use crate::kernels::{Measured, Operation, Scalar, Shape};
use crate::Config;
use ringwright_ir::ring::Module;
use ringwright_ir::RunError;
use std::collections::BTreeMap;
use std::sync::Arc;

/// A result of a part.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Outcome {
    /// An operand, handed through.
    Operand(usize),
    /// A tower that was made.
    Made(NodeId),
}

/// A part, lowered.
pub struct Part {
    /// The ring function.
    pub name: Arc<str>,
    /// Lengths of towers and vectors.
    pub shape: Shape,
    /// In order.
    pub starts: Vec<Start>,
    /// The tables that they load, one per kernel and prime.
    pub tables: Vec<Words>,
    /// Which operand each node is, where it is one.
    pub operands: Vec<Option<usize>>,
    /// What leaves it.
    pub results: Vec<Outcome>,
}

impl Part {
    /// Lowers a graph.
    pub fn new(
        config: &Config,
        library: &Library,
        module: &Module,
        name: &str,
        graph: &Graph,
    ) -> Result<Self, RunError> {
        let mut lowering = Lowering {
            config,
            library,
            module,
            tables: Vec::new(),
            positions: BTreeMap::new(),
        };
        let (demands, calls) = lowering.demands(graph)?;
        let shape = Shape::new(config, module.log_n);
        let slots = config.vdm_words / shape.slot();
        let placements = residency::place(&demands, slots);
        let placed = calls.into_iter().zip(placements).map(|(call, placement)| {
            let operation = call.kernel.kernel.operation.name();
            let placement = placement.map_err(|few| {
                lowering.unsupported(format!(
                    "{operation} of degree {} needs {} slots of {} words at once; the vector data \
                     memory holds {slots}",
                    module.n(),
                    few.needed,
                    shape.slot()
                ))
            });
            Ok((call, placement?))
        });
        let starts = start::starts(config, library, placed)?;
        let operand = |id: NodeId| match graph.nodes[id].source {
            Source::Operand(operand) => Some(operand),
            Source::Computed { .. } => None,
        };
        let result = |&id: &NodeId| operand(id).map_or(Outcome::Made(id), Outcome::Operand);
        Ok(Part {
            name: name.into(),
            shape,
            starts,
            tables: lowering.tables,
            operands: (0..graph.nodes.len()).map(operand).collect(),
            results: graph.results.iter().map(result).collect(),
        })
    }
}

struct Lowering<'a> {
    config: &'a Config,
    library: &'a Library,
    module: &'a Module,
    tables: Vec<Words>,
    /// Where in them the table of an operation and prime is.
    positions: BTreeMap<(Operation, u64), usize>,
}

impl Lowering<'_> {
    /// What each operation reads and makes, and its call without a place.
    fn demands(&mut self, graph: &Graph) -> Result<(Vec<Demand>, Vec<Call>), RunError> {
        let uses = graph.uses();
        let mut leaves = vec![false; graph.nodes.len()];
        for &result in &graph.results {
            leaves[result] = true;
        }
        let (mut demands, mut calls) = (Vec::new(), Vec::new());
        for (id, node) in graph
            .nodes
            .iter()
            .enumerate()
            .filter(|(id, _)| uses[*id] > 0)
        {
            let Source::Computed {
                operation,
                args,
                given,
            } = &node.source
            else {
                continue;
            };
            let kernel = self
                .library
                .kernel(self.config, self.module.log_n, *operation)?;
            let q = self.prime(self.module.prime(node.prime))?;
            demands.push(Demand {
                operands: args.clone(),
                result: id,
                leaves: leaves[id],
                table: self.table(&kernel, q)?,
                scratch: kernel.kernel.scratch_slots,
            });
            calls.push(Call {
                scalar: self.scalar(*operation, q, *given)?,
                kernel,
                q,
                slots: Vec::new(),
                loc: node.loc.clone(),
            });
        }
        Ok((demands, calls))
    }

    /// A prime that the machine's words and this target's towers hold.
    fn prime(&self, q: u128) -> Result<u64, RunError> {
        let bits = u32::min(self.config.word_bits - 1, 62);
        match u64::try_from(q) {
            Ok(q) if q >> bits == 0 && q >= 5 => Ok(q),
            _ => Err(self.unsupported(format!(
                "prime {q}; allowed are primes from 5 to below 2^{bits}"
            ))),
        }
    }

    fn scalar(&self, operation: Operation, q: u64, given: u128) -> Result<u64, RunError> {
        Ok(match operation.scalar() {
            Scalar::None => 0,
            Scalar::Fixed(value) => value,
            Scalar::Given => given as u64,
            Scalar::InverseOfN => self.library.constants(self.module.log_n, q)?.inverse_n(),
        })
    }

    /// Position and slots of the kernel's table under a prime.
    fn table(&mut self, kernel: &Measured, q: u64) -> Result<Option<(usize, usize)>, RunError> {
        let kernel = &kernel.kernel;
        if kernel.table.is_empty() {
            return Ok(None);
        }
        let key = (kernel.operation, q);
        let position = match self.positions.get(&key) {
            Some(&position) => position,
            None => {
                self.tables.push(self.library.table(kernel, q)?);
                self.positions.insert(key, self.tables.len() - 1);
                self.tables.len() - 1
            }
        };
        Ok(Some((position, kernel.table_slots())))
    }

    fn unsupported(&self, reason: String) -> RunError {
        RunError::Unsupported {
            machine: self.config.machine.clone(),
            reason,
        }
    }
}
