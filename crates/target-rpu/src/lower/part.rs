//! A part of a ring program behind which the device has drained: a call of the entry function, or
//! operations of its own between calls.
//!
//! Its operations become calls of tower kernels, in order, and those become starts, with the moves
//! of towers, tables and programs between off-chip memory and the device. Nothing stays on the
//! device from one part to the next, so that a function takes the same time wherever it is called.

use super::kinds::{operands, operation, Manner};
use super::phases::{stretches, Stretch};
use super::start::{self, Call, Given, Start};
use super::sweep::{Sweep, SweepBuilder};
use crate::kernels::library::{Library, Words};
use crate::kernels::{Measured, Operation, Shape};
use crate::units::scalar::is_modulus;
use crate::Config;
use ringwright_ir::ring::{Module, TowerIdx};
use ringwright_ir::{interrupt, RunError};
use ringwright_towers::residency::{self, Demand};
use ringwright_towers::{Graph, Node, OriginId, TowerId};
use std::collections::HashMap;
use std::sync::Arc;

/// A part, lowered.
pub struct Part {
    /// Lengths of towers and vectors.
    pub shape: Shape,
    /// In order.
    pub pieces: Vec<Piece>,
    /// The tables that they load, one per kernel and prime.
    pub tables: Vec<Words>,
    /// The towers that it makes for its callers.
    pub made: Vec<TowerId>,
}

/// What the controlling core does at once.
pub enum Piece {
    /// One start of tower kernels.
    Start(Start),
    /// A start for each block of towers.
    Sweep(Sweep),
}

impl Part {
    /// Lowers the graph of a kernel.
    pub fn new(
        config: &Config,
        library: &Library,
        module: &Module,
        graph: &Graph,
        manner: Manner,
    ) -> Result<Self, RunError> {
        let mut lowering = Lowering {
            config,
            library,
            module,
            graph,
            tables: Vec::new(),
            prepared: HashMap::new(),
        };
        let (_, made) = graph.outcomes();
        let pieces = match manner {
            Manner::Resident => {
                let mut leaves = vec![false; graph.towers()];
                made.iter().for_each(|tower| leaves[tower.index()] = true);
                lowering.starts(&graph.nodes, &leaves)?
            }
            Manner::Swept => lowering.phases()?,
        };
        Ok(Part {
            shape: Shape::new(config, module.log_n),
            pieces,
            tables: lowering.tables,
            made,
        })
    }

    /// The starts of tower kernels.
    pub fn starts(&self) -> impl Iterator<Item = &Start> {
        self.pieces.iter().filter_map(|piece| match piece {
            Piece::Start(start) => Some(start),
            Piece::Sweep(_) => None,
        })
    }
}

struct Lowering<'a> {
    config: &'a Config,
    library: &'a Library,
    module: &'a Module,
    graph: &'a Graph,
    tables: Vec<Words>,
    prepared: HashMap<(Operation, TowerIdx), Prepared>,
}

/// A tower kernel under one prime.
#[derive(Clone)]
struct Prepared {
    kernel: Arc<Measured>,
    q: u128,
    /// The scalar operand where the operation has no constant of its own.
    scalar: u128,
    /// Position of its table among the part's, and the slots that it takes.
    table: Option<(usize, usize)>,
}

impl Lowering<'_> {
    /// Whole towers and sweeps in turn; every tower that is made leaves the device.
    fn phases(&mut self) -> Result<Vec<Piece>, RunError> {
        let (config, graph) = (self.config, self.graph);
        let shape = Shape::new(config, self.module.log_n);
        let stretches = stretches(config, shape, graph);
        let leaves = vec![true; graph.towers()];
        let mut pieces = Vec::new();
        for stretch in stretches.map_err(|reason| config.unsupported(reason))? {
            interrupt::check()?;
            match stretch {
                Stretch::Whole(nodes) => {
                    let nodes = nodes.into_iter().map(|node| &graph.nodes[node]);
                    pieces.extend(self.starts(nodes, &leaves)?);
                }
                Stretch::Sweep(builder) => pieces.push(Piece::Sweep(self.sweep(*builder)?)),
            }
        }
        Ok(pieces)
    }

    fn sweep(&mut self, builder: SweepBuilder) -> Result<Sweep, RunError> {
        let formula = builder.formula();
        let log_n = self.module.log_n;
        let blocks = self.library.blocks(self.config, log_n, formula)?;
        let blocks = blocks.ok_or_else(|| {
            let towers = builder.loaded.len() + builder.stored.len();
            let what =
                format!("an operation on {towers} towers word by word exceeds its registers");
            self.config.unsupported(what)
        })?;
        let moduli = builder.primes.iter().map(|&prime| self.modulus(prime));
        Ok(Sweep {
            count: self.module.n() / blocks.words,
            blocks,
            moduli: moduli.collect::<Result<_, _>>()?,
            scalars: builder.scalars,
            loaded: builder.loaded,
            stored: builder.stored,
            origin: builder.origin.unwrap_or(OriginId(0)),
        })
    }

    /// Operations on whole towers, one after the other.
    fn starts<'n>(
        &mut self,
        nodes: impl IntoIterator<Item = &'n Node>,
        leaves: &[bool],
    ) -> Result<Vec<Piece>, RunError> {
        let config = self.config;
        let (mut demands, mut calls) = (Vec::new(), Vec::new());
        for node in nodes {
            let (demand, call) = self.demand(node, leaves[node.result.index()])?;
            demands.push(demand);
            calls.push(call);
        }
        let shape = Shape::new(config, self.module.log_n);
        let slots = config.vdm_words / shape.slot();
        let placements = residency::place(&demands, slots);
        let placed = calls.into_iter().zip(placements).map(|(call, placement)| {
            interrupt::check()?;
            let operation = call.kernel.kernel.operation.name();
            let placement = placement.map_err(|few| {
                config.unsupported(format!(
                    "{operation} of degree {} needs {} slots of {} words at once; the vector data \
                     memory holds {slots}",
                    self.module.n(),
                    few.needed,
                    shape.slot()
                ))
            });
            Ok((call, placement?))
        });
        let starts = start::starts(config, self.library, placed)?;
        Ok(starts.into_iter().map(Piece::Start).collect())
    }

    fn demand(&mut self, node: &Node, leaves: bool) -> Result<(Demand, Call), RunError> {
        let (operation, constant) =
            operation(&node.kind).map_err(|reason| self.config.unsupported(reason))?;
        let prepared = self.prepared(operation, self.graph.prime(node.result))?;
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
        let primes = self.primes(prime);
        let prepared = Prepared {
            q: self.modulus(prime)?,
            scalar: self.library.scalar(operation, log_n, &primes)?,
            table: self.table(&kernel, &primes)?,
            kernel,
        };
        self.prepared.insert((operation, prime), prepared.clone());
        Ok(prepared)
    }

    /// The primes whose product a tower is reduced by.
    fn primes(&self, prime: TowerIdx) -> Vec<u128> {
        let factors = self.graph.factors(prime);
        factors
            .iter()
            .map(|&factor| self.module.prime(factor))
            .collect()
    }

    /// A modulus that the machine's words and this target's towers hold.
    fn modulus(&self, prime: TowerIdx) -> Result<u128, RunError> {
        let primes = self.primes(prime);
        primes.iter().try_for_each(|&q| self.check(q))?;
        Ok(primes.iter().product())
    }

    fn check(&self, q: u128) -> Result<(), RunError> {
        let word = self.config.word_bits;
        match is_modulus(q, word) {
            true => Ok(()),
            false => Err(self.config.unsupported(format!(
                "prime {q} of {} bits; words of {word} bits hold primes from 5 on, of up to {} bits",
                u128::BITS - q.leading_zeros(),
                word - 1
            ))),
        }
    }

    /// A place for a kernel's table under a modulus, and its slots.
    fn table(
        &mut self,
        kernel: &Measured,
        primes: &[u128],
    ) -> Result<Option<(usize, usize)>, RunError> {
        let kernel = &kernel.kernel;
        if kernel.table.is_empty() {
            return Ok(None);
        }
        self.tables.push(self.library.table(kernel, primes)?);
        Ok(Some((self.tables.len() - 1, kernel.table_slots())))
    }
}
