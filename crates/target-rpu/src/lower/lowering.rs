//! Lowers one kernel of a program to a [`Part`].

use super::commands::Commands;
use super::fused::{groups, partial_sums, recomputed, Group, Limits, Words as Gathered};
use super::key_parts::{without_key_parts, KeyPart};
use super::kinds::{operands, operation, Manner, Order};
use super::landing::{by_level, Landed};
use super::order::ordered;
use super::part::{Part, Piece};
use super::phases::{stretches, Stretch};
use super::plan::Plan;
use super::queues::Queues;
use super::start::{self, Given, Starts};
use super::streams::{Streams, Unplaced};
use super::sweep::{Sweep, SweepBuilder};
use super::waits::Waits;
use crate::kernels::library::{Library, Words};
use crate::kernels::{Body, Layout, Measured, Operation, Shape};
use crate::units::scalar::is_modulus;
use crate::Config;
use ringwright_ir::ring::{Module, TowerIdx};
use ringwright_ir::{interrupt, RunError};
use ringwright_towers::residency::{self, Demand, Landing, Made};
use ringwright_towers::{Graph, Node, OriginId, TowerId};
use std::collections::HashMap;
use std::sync::Arc;

/// Lowers the graph of a kernel.
pub fn part(
    config: &Config,
    library: &Library,
    module: &Module,
    graph: &Graph,
    plan: Plan,
) -> Result<Part, RunError> {
    if !plan.manner.joins() {
        return on_tile(config, library, module, graph, plan, &[], Vec::new());
    }
    let (graph, parts) = without_key_parts(graph, |tower| module.prime(graph.prime(tower)));
    on_tile(config, library, module, &graph, plan, &[], parts)
}

/// Lowers what one tile does of a kernel: a graph without key parts, beside towers that land.
pub fn on_tile(
    config: &Config,
    library: &Library,
    module: &Module,
    graph: &Graph,
    plan: Plan,
    landed: &[Landed],
    key_parts: Vec<KeyPart>,
) -> Result<Part, RunError> {
    let (_, made) = graph.outcomes();
    let split;
    let graph = match plan.manner {
        Manner::Fused(fused) => {
            split = match fused.order {
                Order::Program => partial_sums(&recomputed(graph), fused.products),
                Order::FewWait => partial_sums(&recomputed(&ordered(graph)), fused.products),
            };
            &split
        }
        _ => graph,
    };
    let (sorted, levels);
    let (graph, levels) = match landed {
        [] => (graph, Vec::new()),
        _ => {
            (sorted, levels) = by_level(graph.clone(), landed);
            (&sorted, levels)
        }
    };
    let mut lowering = Lowering {
        config,
        library,
        module,
        graph,
        starts: plan.starts,
        landed,
        levels,
        granule: Shape::new(config, module.log_n).slot(),
        streams: config.vdm_words,
        tables: Vec::new(),
        table_bits: Vec::new(),
        prepared: HashMap::new(),
    };
    let tower_bits = graph
        .primes
        .iter()
        .map(|&prime| bits(&lowering.primes(prime)));
    let tower_bits = tower_bits.collect();
    let mut leaves = vec![false; graph.towers()];
    made.iter().for_each(|tower| leaves[tower.index()] = true);
    let pieces = match plan.manner {
        Manner::Resident => lowering.starts(&graph.nodes, &leaves)?,
        Manner::Fused(fused) => lowering.fused(&leaves, fused.streamed)?,
        Manner::Swept if landed.is_empty() => lowering.phases()?,
        Manner::Swept => return Err(config.unsupported("blocks of towers that other tiles send")),
    };
    let slot = lowering.shape().slot();
    let landed = landed.iter().map(|each| each.landing);
    let landed = landed.map(|landing| (landing.tower, landing.slot * slot));
    let landed = landed.collect();
    let mut part = Part {
        shape: Shape::new(config, module.log_n),
        pieces,
        tables: lowering.tables,
        tower_bits,
        table_bits: lowering.table_bits,
        key_parts,
        made,
        landed,
        granule: lowering.granule,
        streams: lowering.streams,
        commands: Commands::default(),
    };
    part.commands = Queues::new(config, Waits::new(config, &part)).commands()?;
    Ok(part)
}

/// Bits of the product of these primes.
pub fn bits(primes: &[u128]) -> u32 {
    let product = primes
        .iter()
        .try_fold(1u128, |product, &q| product.checked_mul(q));
    product.map_or(u128::BITS, |product| u128::BITS - product.leading_zeros())
}

struct Lowering<'a> {
    config: &'a Config,
    library: &'a Library,
    module: &'a Module,
    graph: &'a Graph,
    starts: Starts,
    landed: &'a [Landed],
    /// Of the graph's operations; empty where nothing lands.
    levels: Vec<u32>,
    /// Words that divide every place.
    granule: usize,
    streams: usize,
    tables: Vec<Words>,
    /// Bits of each one's widest word.
    table_bits: Vec<u32>,
    prepared: HashMap<(Operation, TowerIdx), Prepared>,
}

/// A tower kernel under one prime.
#[derive(Clone)]
struct Prepared {
    kernel: Arc<Measured>,
    q: Arc<[u128]>,
    /// The scalar operand where the operation has no constant of its own.
    scalar: Arc<[Given]>,
    /// Position of its table among the part's, and the slots that it takes.
    table: Option<(usize, usize)>,
}

impl Lowering<'_> {
    fn shape(&self) -> Shape {
        Shape::new(self.config, self.module.log_n)
    }

    /// Those of these towers that land.
    fn arrivals(&self, towers: &[TowerId]) -> Vec<TowerId> {
        let lands = |tower: &&TowerId| self.landed.iter().any(|each| each.landing.tower == **tower);
        towers.iter().filter(lands).copied().collect()
    }

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
        let (config, log_n) = (self.config, self.module.log_n);
        let towers = formula.towers();
        let kernel = self
            .library
            .words(config, log_n, Layout::Blocks, formula)?
            .ok_or_else(|| self.too_many(towers))?;
        Ok(Sweep {
            count: self.module.n() / kernel.words,
            copies: kernel.copies(config),
            kernel,
            moduli: self.moduli(&builder)?,
            scalars: builder.scalars,
            loaded: builder.loaded,
            stored: builder.stored,
            origin: builder.origin.unwrap_or(OriginId(0)),
        })
    }

    fn too_many(&self, towers: usize) -> RunError {
        self.config.unsupported(format!(
            "an operation on {towers} towers word by word exceeds its registers"
        ))
    }

    fn moduli(&self, builder: &SweepBuilder) -> Result<Vec<u128>, RunError> {
        let moduli = builder.primes.iter().map(|&prime| self.modulus(prime));
        moduli.collect()
    }

    /// Operations on whole towers, one after the other.
    fn starts<'n>(
        &mut self,
        nodes: impl IntoIterator<Item = &'n Node>,
        leaves: &[bool],
    ) -> Result<Vec<Piece>, RunError> {
        let (mut demands, mut calls) = (Vec::new(), Vec::new());
        for node in nodes {
            interrupt::check()?;
            let (demand, call) = self.demand(node, leaves)?;
            demands.push(demand);
            calls.push(call);
        }
        let slots = self.config.vdm_words / self.granule;
        self.placed(&demands, calls, slots, Streams::default())
    }

    /// Transforms, and formulas between them, with so many slots for streams.
    fn fused(&mut self, leaves: &[bool], streamed: usize) -> Result<Vec<Piece>, RunError> {
        let (config, graph) = (self.config, self.graph);
        let shape = Shape::new(config, self.module.log_n);
        let slots = (config.vdm_words / shape.slot()).saturating_sub(streamed);
        self.streams = slots * shape.slot();
        let streams = Streams::new(self.streams, streamed * shape.slot());
        let limits = Limits {
            slots,
            streams: streams.most(shape),
        };
        let landed = self.landed.iter().map(|each| each.landing.tower).collect();
        let groups = groups(config, shape, graph, limits, &self.levels, landed);
        let (mut demands, mut calls) = (Vec::new(), Vec::new());
        for group in groups.map_err(|reason| config.unsupported(reason))? {
            interrupt::check()?;
            let (demand, call) = match group {
                Group::Whole(node) => self.demand(&graph.nodes[node], leaves)?,
                Group::Words(words) => self.formula(*words, leaves, &streams)?,
            };
            demands.push(demand);
            calls.push(call);
        }
        self.placed(&demands, calls, slots, streams)
    }

    fn placed(
        &self,
        demands: &[Demand],
        calls: Vec<Unplaced>,
        slots: usize,
        mut streams: Streams,
    ) -> Result<Vec<Piece>, RunError> {
        let config = self.config;
        let slot = Shape::new(config, self.module.log_n).slot();
        let landings: Vec<Landing> = self.landed.iter().map(|each| each.landing).collect();
        let placements = residency::place_beside(demands, slots, &landings);
        let placed = calls
            .into_iter()
            .zip(placements)
            .flat_map(|(call, placement)| {
                let placement = interrupt::check().and_then(|()| {
                    placement.map_err(|few| {
                        config.unsupported(format!(
                        "{} of degree {} needs {} slots of {slot} words at once; the vector data \
                         memory holds {slots}",
                        call.body.name(),
                        self.module.n(),
                        few.needed,
                    ))
                    })
                });
                match placement {
                    Ok(placement) => {
                        let table = |table: usize| self.tables[table].len();
                        let placed = call.placed(placement, slot, &table, &mut streams);
                        placed.into_iter().map(Ok).collect()
                    }
                    Err(error) => vec![Err(error)],
                }
            });
        let log_n = self.module.log_n;
        let starts = start::starts(
            config,
            self.library,
            log_n,
            self.granule,
            self.starts,
            placed,
        )?;
        Ok(starts.into_iter().map(Piece::Start).collect())
    }

    fn demand(&mut self, node: &Node, leaves: &[bool]) -> Result<(Demand, Unplaced), RunError> {
        let (operation, constant) =
            operation(&node.kind).map_err(|reason| self.config.unsupported(reason))?;
        let prepared = self.prepared(operation, self.graph.prime(node.result))?;
        let demand = Demand {
            operands: operands(operation, &node.args),
            results: vec![Made {
                tower: node.result,
                leaves: leaves[node.result.index()],
            }],
            table: prepared.table,
            scratch: prepared.kernel.kernel.scratch_slots,
        };
        let call = Unplaced {
            scalars: match constant {
                Some(constant) => [Given::Constant(constant)].into(),
                None => prepared.scalar,
            },
            arrivals: self.arrivals(&demand.operands),
            body: Body::Tower(prepared.kernel),
            moduli: prepared.q,
            origin: node.origin,
            loaded: Vec::new(),
            stored: Vec::new(),
        };
        Ok((demand, call))
    }

    fn formula(
        &mut self,
        words: Gathered,
        leaves: &[bool],
        streams: &Streams,
    ) -> Result<(Demand, Unplaced), RunError> {
        let Gathered { builder, resident } = words;
        let shape = Shape::new(self.config, self.module.log_n);
        let formula = builder.formula();
        let towers = formula.towers();
        let block = streams.block(shape, towers - resident.len());
        let block = block.ok_or_else(|| self.too_many(towers))?;
        self.granule = self.granule.min(block);
        let kernel = self
            .library
            .words(
                self.config,
                self.module.log_n,
                Layout::Places(block),
                formula,
            )?
            .ok_or_else(|| self.too_many(towers))?;
        let moduli = self.moduli(&builder)?;
        let in_slots = |tower: &&TowerId| resident.contains(tower);
        let made = builder.stored.iter().filter(in_slots).map(|&tower| Made {
            tower,
            leaves: leaves[tower.index()],
        });
        let demand = Demand {
            results: made.collect(),
            operands: builder.loaded.iter().filter(in_slots).copied().collect(),
            table: None,
            scratch: 0,
        };
        let streamed = |towers: &[TowerId]| {
            let streamed = towers
                .iter()
                .map(|tower| (!resident.contains(tower)).then_some(*tower));
            streamed.collect()
        };
        let call = Unplaced {
            loaded: streamed(&builder.loaded),
            stored: streamed(&builder.stored),
            arrivals: self.arrivals(&demand.operands),
            body: Body::Words(kernel),
            moduli: moduli.into(),
            scalars: builder.scalars.into(),
            origin: builder.origin.unwrap_or(OriginId(0)),
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
        let scalar = self.library.scalar(operation, log_n, &primes)?;
        let prepared = Prepared {
            q: [self.modulus(prime)?].into(),
            scalar: [Given::Value(scalar)].into(),
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
        let table = self.library.table(kernel, primes)?;
        let widest = table.iter().max().copied().unwrap_or(0);
        self.table_bits.push(u128::BITS - widest.leading_zeros());
        self.tables.push(table);
        Ok(Some((self.tables.len() - 1, kernel.table_slots())))
    }
}
