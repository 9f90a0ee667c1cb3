//! A part of a ring program behind which the device has drained: a call of the entry function, or
//! operations of its own between calls.
//!
//! Its operations become calls of tower kernels, in order, and those become starts, with the moves
//! of towers, tables and programs between off-chip memory and the device. Nothing stays on the
//! device from one part to the next, so that a function takes the same time wherever it is called.

use super::kinds::{operands, operation};
use super::start::{self, Call, Given, Start};
use crate::kernels::library::{Library, Words};
use crate::kernels::tower_kernel::WIDEST_PRIME;
use crate::kernels::{Measured, Operation, Shape};
use crate::Config;
use ringwright_ir::ring::{Module, TowerIdx};
use ringwright_ir::{interrupt, RunError};
use ringwright_towers::residency::{self, Demand};
use ringwright_towers::{Graph, Node, TowerId};
use std::collections::HashMap;
use std::sync::Arc;

/// A part, lowered.
pub struct Part {
    /// Lengths of towers and vectors.
    pub shape: Shape,
    /// In order.
    pub starts: Vec<Start>,
    /// The tables that they load, one per kernel and prime.
    pub tables: Vec<Words>,
    /// The towers that it makes for its callers.
    pub made: Vec<TowerId>,
}

impl Part {
    /// Lowers the graph of a kernel.
    pub fn new(
        config: &Config,
        library: &Library,
        module: &Module,
        graph: &Graph,
    ) -> Result<Self, RunError> {
        let mut lowering = Lowering {
            config,
            library,
            module,
            tables: Vec::new(),
            prepared: HashMap::new(),
        };
        let (_, made) = graph.outcomes();
        let (demands, calls) = lowering.demands(graph, &made)?;
        let shape = Shape::new(config, module.log_n);
        let slots = config.vdm_words / shape.slot();
        let placements = residency::place(&demands, slots);
        let placed = calls.into_iter().zip(placements).map(|(call, placement)| {
            interrupt::check()?;
            let operation = call.kernel.kernel.operation.name();
            let placement = placement.map_err(|few| {
                config.unsupported(format!(
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
        Ok(Part {
            shape,
            starts,
            tables: lowering.tables,
            made,
        })
    }
}

struct Lowering<'a> {
    config: &'a Config,
    library: &'a Library,
    module: &'a Module,
    tables: Vec<Words>,
    prepared: HashMap<(Operation, TowerIdx), Prepared>,
}

/// A tower kernel under one prime.
#[derive(Clone)]
struct Prepared {
    kernel: Arc<Measured>,
    q: u64,
    /// The scalar operand where the operation has no constant of its own.
    scalar: u64,
    /// Position of its table among the part's, and the slots that it takes.
    table: Option<(usize, usize)>,
}

impl Lowering<'_> {
    /// What each operation reads and makes, and its call without a place.
    fn demands(
        &mut self,
        graph: &Graph,
        made: &[TowerId],
    ) -> Result<(Vec<Demand>, Vec<Call>), RunError> {
        let mut leaves = vec![false; graph.towers()];
        made.iter().for_each(|tower| leaves[tower.index()] = true);
        let mut demands = Vec::with_capacity(graph.nodes.len());
        let mut calls = Vec::with_capacity(graph.nodes.len());
        for node in &graph.nodes {
            let leaves = leaves[node.result.index()];
            let (demand, call) = self.demand(graph, node, leaves)?;
            demands.push(demand);
            calls.push(call);
        }
        Ok((demands, calls))
    }

    fn demand(
        &mut self,
        graph: &Graph,
        node: &Node,
        leaves: bool,
    ) -> Result<(Demand, Call), RunError> {
        let (operation, constant) =
            operation(&node.kind).map_err(|reason| self.config.unsupported(reason))?;
        let prepared = self.prepared(operation, graph.prime(node.result))?;
        let demand = Demand {
            operands: operands(operation, &node.args),
            result: node.result,
            leaves,
            table: prepared.table,
            scratch: prepared.kernel.kernel.scratch_slots,
        };
        let call = Call {
            given: constant.map_or(Given::Value(prepared.scalar), Given::Constant),
            kernel: prepared.kernel,
            q: prepared.q,
            slots: Vec::new(),
            origin: node.origin,
        };
        Ok((demand, call))
    }

    /// The kernel of an operation under a prime, made once.
    fn prepared(&mut self, operation: Operation, prime: TowerIdx) -> Result<Prepared, RunError> {
        if let Some(prepared) = self.prepared.get(&(operation, prime)) {
            return Ok(prepared.clone());
        }
        let log_n = self.module.log_n;
        let kernel = self.library.kernel(self.config, log_n, operation)?;
        let q = self.prime(self.module.prime(prime))?;
        let prepared = Prepared {
            q,
            scalar: self.library.scalar(operation, log_n, q)?,
            table: self.table(&kernel, q)?,
            kernel,
        };
        self.prepared.insert((operation, prime), prepared.clone());
        Ok(prepared)
    }

    /// A prime that the machine's words and this target's towers hold.
    fn prime(&self, q: u128) -> Result<u64, RunError> {
        let bits = WIDEST_PRIME.min(self.config.word_bits - 1);
        match u64::try_from(q) {
            Ok(q) if q >> bits == 0 && q >= 5 => Ok(q),
            _ => Err(self.config.unsupported(format!(
                "prime {q}; allowed are primes from 5 to below 2^{bits}"
            ))),
        }
    }

    /// A place for a kernel's table under a prime, and its slots.
    fn table(&mut self, kernel: &Measured, q: u64) -> Result<Option<(usize, usize)>, RunError> {
        let kernel = &kernel.kernel;
        if kernel.table.is_empty() {
            return Ok(None);
        }
        self.tables.push(self.library.table(kernel, q)?);
        Ok(Some((self.tables.len() - 1, kernel.table_slots())))
    }
}
