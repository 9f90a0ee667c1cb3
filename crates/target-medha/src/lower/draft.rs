//! A kernel's graph as operations of RPAUs, before anybody knows where towers lie.
//!
//! A tower belongs to the RPAU of its prime. An operation that reads one of another RPAU reads what
//! the ring brought, and the first to do so reduces it; a sum of products is a product and additions
//! to it, in whatever order their operands come about, for residues are exact.

use crate::config::Config;
use crate::microcode::Function;
use crate::shape::Shape;
use ringwright_ir::ring::Domain;
use ringwright_ir::RunError;
use ringwright_towers::{Graph, Kind, Node, OriginId, TowerId};
use std::collections::{BTreeSet, HashMap};

/// A tower in one RPAU.
pub type Local = u32;

/// What an operation does.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum What {
    /// A transform.
    Transform {
        /// Evaluations to coefficients.
        inverse: bool,
    },
    /// Word by word. `Mul` and `MulAdd` that add to a tower may be the first that make it.
    Dyadic(Function),
    /// Onto the ring, to these RPAUs, each as a tower of its own.
    Send(Vec<(u8, Local)>),
}

/// An operation.
#[derive(Clone, Debug)]
pub struct Draft {
    /// The RPAU that does it.
    pub rpau: u8,
    /// What.
    pub what: What,
    /// What it reads, but for the tower that it adds to.
    pub operands: Vec<Local>,
    /// What it makes or adds to; of a `Send` nothing.
    pub result: Option<Local>,
    /// Of a sum of products: what it starts from, on top of the products.
    pub plus: Option<Local>,
    /// What asked for it.
    pub origin: OriginId,
    /// Cycles that it takes.
    pub cycles: u64,
    /// When it begins if each begins as early as what it waits for allows.
    pub begin: u64,
    /// Cycles from its beginning to the end of the last operation that waits for it, at least.
    pub height: u64,
}

/// All operations of a kernel.
#[derive(Debug, Default)]
pub struct Drafts {
    /// In an order in which each comes behind what it reads.
    pub all: Vec<Draft>,
    /// The RPAU of each tower: first those of the graph, then copies that the ring brings.
    pub rpaus: Vec<u8>,
    /// By tower, the operations that make it or add to it.
    pub makers: Vec<Vec<u32>>,
    /// By tower, the operations that read it.
    pub readers: Vec<Vec<u32>>,
}

impl Drafts {
    /// Microinstructions of the longest stream with its stop, at least: each operation is one or more of its RPAU's
    /// core for what it does.
    pub fn longest_stream(&self) -> usize {
        let mut streams: HashMap<(u8, u8), usize> = HashMap::new();
        for draft in &self.all {
            let core = match draft.what {
                What::Transform { .. } => 0,
                What::Dyadic(_) => 1,
                What::Send(_) => 2,
            };
            *streams.entry((draft.rpau, core)).or_default() += 1;
        }
        streams.into_values().max().unwrap_or(0) + 1
    }
}

/// Translates a graph; `rpaus`: by prime of the module.
///
/// A tower that several RPAUs want passes through those on the way, if it is alone. Where several
/// RPAUs send at about the same time, as at the beginning of a key switch, all links carry towers at
/// once, each to the next RPAU and from there on.
pub fn drafts(
    config: &Config,
    shape: &Shape,
    graph: &Graph,
    rpaus: &[u8],
) -> Result<Drafts, RunError> {
    let alone = translated(config, shape, graph, rpaus, BTreeSet::new())?;
    let crowded = alone.crowded(shape.transform(config, shape.log_n, true));
    match crowded.is_empty() {
        true => Ok(alone),
        false => translated(config, shape, graph, rpaus, crowded),
    }
}

/// With these towers sent from each RPAU to the next.
fn translated(
    config: &Config,
    shape: &Shape,
    graph: &Graph,
    rpaus: &[u8],
    crowded: BTreeSet<Local>,
) -> Result<Drafts, RunError> {
    let mut writer = Writer {
        config,
        shape,
        of_primes: rpaus,
        crowded,
        sends: HashMap::new(),
        landed: HashMap::new(),
        reduced: HashMap::new(),
        sums: one_sum(graph),
        drafts: Drafts::default(),
    };
    let own = graph.primes.iter().map(|prime| rpaus[prime.index()]);
    writer.drafts.rpaus = own.collect();
    let fused = fused_sums(graph);
    for (index, node) in graph.nodes.iter().enumerate() {
        match &fused[index] {
            Fused::No => writer.node(node, None)?,
            Fused::Into => {}
            &Fused::Sum { difference, plus } => {
                let plus = match node.kind {
                    Kind::InnerProduct { .. } => {
                        let products = writer.copy(writer.drafts.rpaus[node.result.index()]);
                        writer.products(node, products, false);
                        products
                    }
                    _ => plus.0,
                };
                writer.node(&graph.nodes[difference], Some((node.result, plus)))?;
            }
        }
    }
    let mut drafts = writer.drafts;
    drafts.link();
    Ok(drafts)
}

/// What becomes of a node.
enum Fused {
    /// Itself.
    No,
    /// A part of the sum that alone reads it.
    Into,
    /// With the scaled difference that a node makes.
    Sum { difference: usize, plus: TowerId },
}

/// Sums of a scaled difference that is read once, and of products: one operation behind the products.
fn fused_sums(graph: &Graph) -> Vec<Fused> {
    let (reads, makers) = (graph.reads(), graph.makers());
    let mut fused: Vec<Fused> = graph.nodes.iter().map(|_| Fused::No).collect();
    for (index, node) in graph.nodes.iter().enumerate() {
        let (a, b) = match (&node.kind, node.args.as_slice()) {
            (Kind::Add, [a, b]) => (a, b),
            (Kind::InnerProduct { plus: true, .. }, [.., plus]) => (plus, plus),
            _ => continue,
        };
        let difference = |tower: &TowerId| {
            let maker = makers[tower.index()]?;
            let is_difference = matches!(graph.nodes[maker].kind, Kind::SubMulScalar(_));
            (is_difference && reads[tower.index()] == 1).then_some(maker)
        };
        let found = difference(a).map(|maker| (maker, *b));
        if let Some((difference, plus)) = found.or_else(|| difference(b).map(|maker| (maker, *a))) {
            fused[difference] = Fused::Into;
            fused[index] = Fused::Sum { difference, plus };
        }
    }
    fused
}

/// By tower, the sum of products that it is a part of alone; itself where there is none. What a sum
/// starts from that is no product stays with the products that it stands behind.
fn one_sum(graph: &Graph) -> Vec<TowerId> {
    let reads = graph.reads();
    let mut sums: Vec<TowerId> = (0..graph.towers() as u32).map(TowerId).collect();
    // Whether a tower is a sum of products and nothing else, read once.
    let mut products = vec![false; graph.towers()];
    for node in &graph.nodes {
        if let &Kind::InnerProduct { plus, .. } = &node.kind {
            let start = node.args.last().filter(|_| plus);
            let pure = start.is_none_or(|tower| products[tower.index()]);
            products[node.result.index()] = pure && reads[node.result.index()] == 1;
        }
    }
    for node in graph.nodes.iter().rev() {
        if let (Kind::InnerProduct { plus: true, .. }, Some(part)) = (&node.kind, node.args.last())
        {
            if products[part.index()] {
                sums[part.index()] = sums[node.result.index()];
            }
        }
    }
    sums
}

struct Writer<'a> {
    config: &'a Config,
    shape: &'a Shape,
    of_primes: &'a [u8],
    /// Towers that go from each RPAU to the next.
    crowded: BTreeSet<Local>,
    /// By tower and who sends it, the operation.
    sends: HashMap<(TowerId, u8), usize>,
    /// By tower and RPAU, what arrived.
    landed: HashMap<(TowerId, u8), Local>,
    /// By tower and RPAU, what arrived, reduced.
    reduced: HashMap<(TowerId, u8, Function), Local>,
    /// By tower, the sum that it is a part of.
    sums: Vec<TowerId>,
    drafts: Drafts,
}

impl Writer<'_> {
    /// `sum`: the tower that the node's result and another one are added to.
    fn node(&mut self, node: &Node, sum: Option<(TowerId, Local)>) -> Result<(), RunError> {
        let rpau = self.drafts.rpaus[node.result.index()];
        let arg = |place: usize| node.args[place].0;
        let local: Vec<Local> = node.args.iter().map(|tower| tower.0).collect();
        let (what, operands) = match &node.kind {
            Kind::Zero => (Function::Zero, local),
            Kind::Ntt | Kind::Intt => {
                let inverse = node.kind == Kind::Intt;
                let what = What::Transform { inverse };
                self.push(rpau, what, local, node.result.0, None, node.origin);
                return Ok(());
            }
            Kind::Add => (Function::Add, local),
            Kind::Sub => (Function::Sub, local),
            Kind::Neg => (Function::Neg, local),
            Kind::Mul => (Function::Mul, local),
            Kind::MulScalar(factor) => (Function::MulScalar(factor.0), local),
            Kind::AddScalar(summand) => (Function::AddScalar(summand.0), local),
            Kind::SubMulScalar(factor) => match sum {
                Some((_, plus)) => (
                    Function::SubMulScalarAdd(factor.0),
                    [local, vec![plus]].concat(),
                ),
                None => (Function::SubMulScalar(factor.0), local),
            },
            &Kind::Automorphism { galois, domain } => {
                (Function::Automorphism(galois, domain), local)
            }
            Kind::SwitchModulus { from } => {
                let function = Function::Reduce;
                return self.switch(node, self.of_primes[from.index()], rpau, function);
            }
            Kind::SwitchCentred { from } => {
                let from = self.of_primes[from.index()];
                return self.switch(node, from, rpau, Function::Centre(from));
            }
            Kind::AddMulScalar { from, factor } => {
                let b = match self.of_primes[from.index()] == rpau {
                    true => arg(1),
                    false => self.arrived(node.args[1], rpau, Function::Reduce, node.origin),
                };
                (Function::AddMulScalar(factor.0), vec![arg(0), b])
            }
            &Kind::InnerProduct { plus, .. } => {
                let sum = self.sums[node.result.index()].0;
                self.products(node, sum, plus);
                return Ok(());
            }
            Kind::Sample(_) => {
                return Err(self
                    .config
                    .unsupported("sample: no unit of Medha draws random words"))
            }
            other => return Err(self.config.unsupported(format!("no unit for {other:?}"))),
        };
        let result = sum.map_or(node.result, |(result, _)| result).0;
        self.push(
            rpau,
            What::Dyadic(what),
            operands,
            result,
            None,
            node.origin,
        );
        Ok(())
    }

    /// The products of a sum, each added to a tower; with what stands behind them where it is asked for.
    fn products(&mut self, node: &Node, result: Local, plus: bool) {
        let rpau = self.drafts.rpaus[node.result.index()];
        let pairs = node.args.chunks_exact(2);
        // Of one sum with what stands behind them, they add to the same tower.
        let last = node.args.last().filter(|_| plus).map(|tower| tower.0);
        let last = last.filter(|&last| self.sums[last as usize].0 != result);
        for pair in pairs {
            let operands = vec![pair[0].0, pair[1].0];
            let what = What::Dyadic(Function::MulAdd);
            self.push(rpau, what, operands, result, last, node.origin);
        }
    }

    /// A tower under another prime.
    fn switch(
        &mut self,
        node: &Node,
        from: u8,
        rpau: u8,
        function: Function,
    ) -> Result<(), RunError> {
        let operand = match from == rpau {
            true => node.args[0].0,
            false => self.landed(node.args[0], rpau, node.origin),
        };
        let what = What::Dyadic(function);
        self.push(rpau, what, vec![operand], node.result.0, None, node.origin);
        Ok(())
    }

    /// What the ring brings of a tower, reduced; once for each RPAU.
    fn arrived(&mut self, tower: TowerId, rpau: u8, function: Function, origin: OriginId) -> Local {
        if let Some(&known) = self.reduced.get(&(tower, rpau, function)) {
            return known;
        }
        let landed = self.landed(tower, rpau, origin);
        let result = self.copy(rpau);
        let what = What::Dyadic(function);
        self.push(rpau, what, vec![landed], result, None, origin);
        self.reduced.insert((tower, rpau, function), result);
        result
    }

    /// What the ring brings of a tower.
    fn landed(&mut self, tower: TowerId, rpau: u8, origin: OriginId) -> Local {
        if let Some(&known) = self.landed.get(&(tower, rpau)) {
            return known;
        }
        let owner = self.drafts.rpaus[tower.index()];
        let before = self.before(rpau);
        let (sender, operand) = match self.crowded.contains(&tower.0) {
            true if before != owner => (before, self.landed(tower, before, origin)),
            _ => (owner, tower.0),
        };
        let send = *self.sends.entry((tower, sender)).or_insert_with(|| {
            self.drafts.all.push(Draft {
                rpau: sender,
                what: What::Send(Vec::new()),
                operands: vec![operand],
                result: None,
                plus: None,
                origin,
                cycles: 0,
                begin: 0,
                height: 0,
            });
            self.drafts.all.len() - 1
        });
        let copy = self.copy(rpau);
        self.landed.insert((tower, rpau), copy);
        let (count, from) = (self.config.rpaus, usize::from(sender));
        let hops = |rpau: u8| (usize::from(rpau) + count - from) % count;
        let draft = &mut self.drafts.all[send];
        if let What::Send(to) = &mut draft.what {
            to.push((rpau, copy));
            to.sort_by_key(|&(rpau, _)| hops(rpau));
            let furthest = to.last().map_or(0, |&(rpau, _)| hops(rpau));
            draft.cycles = self.shape.broadcast(self.config, from, furthest);
        }
        copy
    }

    /// The RPAU before one on the ring; those without a prime let words pass.
    fn before(&self, rpau: u8) -> u8 {
        let lower = self.of_primes.iter().filter(|&&other| other < rpau).max();
        let last = self.of_primes.iter().max();
        lower.or(last).copied().unwrap_or(rpau)
    }

    fn copy(&mut self, rpau: u8) -> Local {
        self.drafts.rpaus.push(rpau);
        self.drafts.rpaus.len() as Local - 1
    }

    fn push(
        &mut self,
        rpau: u8,
        what: What,
        operands: Vec<Local>,
        result: Local,
        plus: Option<Local>,
        origin: OriginId,
    ) {
        let (config, shape) = (self.config, self.shape);
        let cycles = match &what {
            What::Transform { .. } => {
                config.issue_cycles + shape.transform(config, shape.log_n, true)
            }
            What::Dyadic(Function::Automorphism(galois, domain)) => {
                self.automorphism(*galois, *domain)
            }
            What::Dyadic(_) => shape.dyadic(config, 1),
            What::Send(_) => 0,
        };
        self.drafts.all.push(Draft {
            rpau,
            what,
            operands,
            result: Some(result),
            plus,
            origin,
            cycles,
            begin: 0,
            height: 0,
        });
    }

    fn automorphism(&self, galois: u64, domain: Domain) -> u64 {
        self.shape.automorphism(self.config, galois, domain)
    }
}

impl Drafts {
    /// The towers that are sent while other RPAUs send others, if each begins as early as it can: within
    /// so many cycles.
    fn crowded(&self, window: u64) -> BTreeSet<Local> {
        let mut sends = Vec::new();
        for draft in &self.all {
            if let (What::Send(_), Some(&tower)) = (&draft.what, draft.operands.first()) {
                sends.push((draft.begin, draft.rpau, tower));
            }
        }
        sends.sort_unstable();
        let mut crowded = BTreeSet::new();
        let mut first = 0;
        for (at, &(begin, rpau, tower)) in sends.iter().enumerate() {
            while sends[first].0 + window <= begin {
                first += 1;
            }
            if sends[first..at].iter().any(|&(_, other, _)| other != rpau) {
                crowded.insert(tower);
                crowded.extend(sends[first..at].iter().map(|&(.., tower)| tower));
            }
        }
        crowded
    }

    /// Who makes and reads what, and how long what comes before and after takes.
    fn link(&mut self) {
        let mut ends = vec![0; self.rpaus.len()];
        for draft in &mut self.all {
            let begin = draft.reads().map(|tower| ends[tower as usize]).max();
            draft.begin = begin.unwrap_or(0);
            for tower in draft.result.into_iter().chain(draft.arrivals()) {
                let end: &mut u64 = &mut ends[tower as usize];
                *end = (*end).max(draft.begin + draft.cycles);
            }
        }
        self.makers = vec![Vec::new(); self.rpaus.len()];
        self.readers = vec![Vec::new(); self.rpaus.len()];
        for (index, draft) in (0..).zip(&self.all) {
            let made = draft.result.into_iter().chain(draft.arrivals());
            made.for_each(|tower| self.makers[tower as usize].push(index));
            for tower in draft.reads() {
                self.readers[tower as usize].push(index);
            }
        }
        // A send may stand before another's reader was written, but never behind one.
        for index in (0..self.all.len()).rev() {
            let draft = &self.all[index];
            let made = draft.result.into_iter().chain(draft.arrivals());
            let after = made.flat_map(|tower| &self.readers[tower as usize]);
            let after = after.map(|&reader| self.all[reader as usize].height).max();
            self.all[index].height = draft.cycles + after.unwrap_or(0);
        }
    }
}

impl Draft {
    /// Everything that it reads that others make.
    pub fn reads(&self) -> impl Iterator<Item = Local> + '_ {
        self.operands.iter().copied().chain(self.plus)
    }

    /// What it brings to other RPAUs.
    pub fn arrivals(&self) -> impl Iterator<Item = Local> + '_ {
        let to = match &self.what {
            What::Send(to) => to.as_slice(),
            _ => &[],
        };
        to.iter().map(|&(_, tower)| tower)
    }
}
