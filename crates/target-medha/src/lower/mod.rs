//! Lowers ring programs: which operation runs in which RPAU, when, and where its towers lie.
//!
//! [`draft`] translates a kernel's graph, [`order`] says what comes first, [`homes`] where the
//! program's towers lie between kernels, [`allocate`] writes microinstructions, `lanes`
//! says which DMA lane moves what, `waits` what is left to wait for. A kernel is lowered
//! once for each set of memories that its operands and results lie in; calls that are quicker together
//! are one kernel, and what is too long for the memories of microcode is several.

pub mod allocate;
pub mod draft;
pub mod homes;
mod lanes;
mod order;
pub mod waits;

use crate::config::Config;
use crate::encode::{encode, Lengths, MOST_ARGUMENTS};
use crate::microcode::{Bank, Instruction, Microprogram, UNITS};
use crate::shape::{hops, Shape};
use allocate::allocate;
use draft::Drafts;
use homes::{Argument, Home, Lies};
use ringwright_ir::ring::Module;
use ringwright_ir::RunError;
use ringwright_towers::{
    in_parallel, regions, Constants, Graph, Kind, Place, Program, TowerId, Val,
};
use std::collections::{HashMap, HashSet};
use std::sync::Arc;

/// A lowered program.
pub struct Lowered {
    /// Degree and banks.
    pub shape: Shape,
    /// The primes of the RPAUs; `None` for those that have nothing to do.
    pub primes: Vec<Option<u128>>,
    /// Kernels and their calls; `kernel` of a call is the position of a part.
    pub program: Program,
    /// What calls run.
    pub parts: Vec<Part>,
    /// By place, where each tower of the program lies between calls.
    pub homes: Vec<Lies>,
}

/// A kernel with its operands and results where they are.
pub struct Part {
    /// What it computes.
    pub graph: Arc<Graph>,
    /// What runs.
    pub microprogram: Microprogram,
    /// How long its tables are.
    pub lengths: Lengths,
}

/// What the target has beyond the plain operations.
fn supports(kind: &Kind) -> bool {
    matches!(
        kind,
        Kind::InnerProduct { .. }
            | Kind::SubMulScalar(_)
            | Kind::AddMulScalar { .. }
            | Kind::SwitchCentred { .. }
    )
}

/// Why there are no microprograms.
enum Failure {
    /// A kernel that the memories of microcode or its tables do not hold, and why.
    TooLong(String),
    /// Any other reason.
    Other(RunError),
}

impl From<RunError> for Failure {
    fn from(error: RunError) -> Self {
        Failure::Other(error)
    }
}

/// Operations on towers of one RPAU that may be one microinstruction of each of its streams: two are fused at
/// most, and there are two cores for them.
const MOST_AT_ONCE: usize = 4;

/// Lowers a verified module, its kernels halved until the memories of microcode hold each.
pub fn lower(config: &Config, module: &Module) -> Result<Lowered, RunError> {
    // No kernel of more operations fits; one that still does not is told when it is cut.
    let mut most = config.code_words * config.rpaus * MOST_AT_ONCE;
    loop {
        let needed = match lower_kernels(config, module, most) {
            Ok(lowered) => return Ok(lowered),
            Err(Failure::Other(error)) => return Err(error),
            Err(Failure::TooLong(needed)) => needed,
        };
        if most == 1 {
            return Err(config.unsupported(format!("an operation needs {needed}")));
        }
        // Of an RPAU at least one microinstruction each, and the stop.
        most = (most / 2).min(config.code_words - 1).max(1);
    }
}

/// The same with kernels of at most so many ring operations.
fn lower_kernels(config: &Config, module: &Module, most: usize) -> Result<Lowered, Failure> {
    let shape = Shape::of(config, module.log_n)?;
    let lowering = Lowering {
        config,
        shape: &shape,
        rpaus: config.assign(&module.primes)?,
        most,
    };
    let (mut program, kernels) = lowering.kernels(module)?;
    let drafts: Vec<&Drafts> = kernels.iter().map(|kernel| &kernel.drafts).collect();
    let homes = homes::homes(config, &shape, &program, &drafts);
    let mut known: HashMap<(usize, Vec<Argument>), usize> = HashMap::new();
    // A part for each way that towers of a kernel lie.
    let mut ways = Vec::new();
    for call in &mut program.calls {
        let args = call.args.iter().flat_map(Val::towers);
        let places = args.chain(call.results.iter().copied());
        let mut first: HashMap<Place, u32> = HashMap::new();
        let in_frame = |(number, place): (u32, Place)| Argument {
            home: homes[place as usize].home,
            number: *first.entry(place).or_insert(number),
        };
        let frame: Vec<Argument> = (0..).zip(places).map(in_frame).collect();
        call.kernel = *known
            .entry((call.kernel, frame))
            .or_insert_with_key(|(kernel, frame)| {
                ways.push((*kernel, frame.clone()));
                ways.len() - 1
            });
    }
    let parts = in_parallel(ways.len(), |way| {
        let (kernel, frame) = &ways[way];
        let graph = program.kernels[*kernel].graph.clone();
        let (microprogram, lengths, _) = lowering.microprogram(&graph, &kernels[*kernel], frame)?;
        Ok::<_, Failure>(Part {
            graph,
            microprogram,
            lengths,
        })
    })?;
    program.kernels = kernels_of(&program, &parts);
    let mut primes = vec![None; config.rpaus];
    for (&rpau, &q) in lowering.rpaus.iter().zip(&module.primes) {
        primes[usize::from(rpau)] = Some(q);
    }
    Ok(Lowered {
        shape,
        primes,
        program,
        parts,
        homes,
    })
}

/// A kernel in its order.
struct Ordered {
    drafts: Drafts,
    order: Vec<u32>,
}

struct Lowering<'a> {
    config: &'a Config,
    shape: &'a Shape,
    /// By prime of the module.
    rpaus: Vec<u8>,
    /// Ring operations of a kernel.
    most: usize,
}

impl Lowering<'_> {
    /// The kernels of a program, calls joined that are quicker together.
    fn kernels(&self, module: &Module) -> Result<(Program, Vec<Ordered>), Failure> {
        let fits = |graph: &Graph| {
            self.held(self.fewest(graph))?;
            self.tables_hold(graph)
        };
        let constants = Constants::AsArguments;
        let program = Program::cut(module, &supports, constants, self.most, &fits)?;
        let alone = |index: usize| self.alone(&program.kernels[index].graph);
        let alone = in_parallel(program.kernels.len(), alone)?;
        let (mut kernels, cycles): (Vec<Ordered>, Vec<u64>) = alone.into_iter().unzip();
        let device = regions::Device {
            cycles,
            lower: &|graph| self.alone(graph).ok(),
            supports: &supports,
            independent: true,
        };
        let (stretches, regions) = regions::quickest(&program, device)?;
        let regions = regions.into_iter();
        let (graphs, of_regions): (Vec<Arc<Graph>>, Vec<Ordered>) =
            regions.map(|region| (region.graph, region.made)).unzip();
        kernels.extend(of_regions);
        let joined = regions::joined(program, stretches, &graphs);
        Ok(joined.without_uncalled(kernels))
    }

    /// Microinstructions of a kernel's longest stream with its stop, at least: known before it is drafted.
    fn fewest(&self, graph: &Graph) -> usize {
        let mut operations = vec![0_usize; self.config.rpaus];
        for node in &graph.nodes {
            let prime = graph.primes[node.result.index()];
            operations[usize::from(self.rpaus[prime.index()])] += 1;
        }
        let most = operations.into_iter().max().unwrap_or(0);
        most.div_ceil(MOST_AT_ONCE) + 1
    }

    /// An error where an RPAU has more operands and results than its slots can name, or more constants than its
    /// table has, whatever is done with them. Of an operation alone the encoder says so.
    fn tables_hold(&self, graph: &Graph) -> Result<(), Failure> {
        if self.most == 1 {
            return Ok(());
        }
        let rpau = |tower: TowerId| usize::from(self.rpaus[graph.prime(tower).index()]);
        let polys = graph
            .params
            .iter()
            .filter(|value| !matches!(value, Val::Array(_)));
        let (_, made) = graph.outcomes();
        let mut slots = vec![0; self.config.rpaus];
        for tower in polys.flat_map(Val::towers).chain(made) {
            slots[rpau(tower)] += 1;
        }
        let constants = graph.nodes.iter().filter_map(|node| match node.kind {
            Kind::MulScalar(constant)
            | Kind::AddScalar(constant)
            | Kind::SubMulScalar(constant) => Some((rpau(node.result), constant)),
            Kind::AddMulScalar { factor, .. } => Some((rpau(node.result), factor)),
            _ => None,
        });
        let mut known = vec![0; self.config.rpaus];
        for (rpau, _) in constants.collect::<HashSet<_>>() {
            known[rpau] += 1;
        }
        let rooms = [
            (
                "arguments",
                slots,
                self.config.arguments.min(MOST_ARGUMENTS),
            ),
            ("constants", known, self.config.constants),
        ];
        for (name, each, room) in rooms {
            let most = each.into_iter().max().unwrap_or(0);
            if most > room {
                let needed = format!("{most} {name} of an RPAU, which has {room}");
                return Err(Failure::TooLong(needed));
            }
        }
        Ok(())
    }

    /// An error where a stream has at least so many microinstructions, with its stop, and is too long. Of an
    /// operation alone the error is to say the true length.
    fn held(&self, fewest: usize) -> Result<(), Failure> {
        match self.most > 1 && fewest > self.config.code_words {
            true => Err(self.too_long(fewest)),
            false => Ok(()),
        }
    }

    fn too_long(&self, longest: usize) -> Failure {
        let room = self.config.code_words;
        Failure::TooLong(format!(
            "a stream of {longest} microinstructions; code_words = {room}"
        ))
    }

    /// A kernel, and how long it takes if its operands lie in its RPAUs, keys aside.
    fn alone(&self, graph: &Graph) -> Result<(Ordered, u64), Failure> {
        let drafts = draft::drafts(self.config, self.shape, graph, &self.rpaus)?;
        debug_assert!(self.fewest(graph) <= drafts.longest_stream());
        self.held(drafts.longest_stream())?;
        let order = order::order(&drafts, self.config.rpaus)?;
        let ordered = Ordered { drafts, order };
        let mut frame = Vec::new();
        for (number, value) in graph.params.iter().enumerate() {
            let home = match value {
                Val::Array(_) => Home::Memory,
                _ => Home::Chip(Bank::OPERANDS[number / 2 % 2]),
            };
            frame.extend(value.towers().map(|_| home));
        }
        let (_, made) = graph.outcomes();
        frame.extend(made.iter().map(|_| Home::Chip(Bank::OPERANDS[0])));
        let frame = (0..)
            .zip(frame)
            .map(|(number, home)| Argument { home, number });
        let frame: Vec<Argument> = frame.collect();
        let (.., cycles) = self.microprogram(graph, &ordered, &frame)?;
        Ok((ordered, cycles))
    }

    /// What runs, with operands and results in these homes, how long its tables are, and for how long it runs.
    fn microprogram(
        &self,
        graph: &Graph,
        Ordered { drafts, order }: &Ordered,
        frame: &[Argument],
    ) -> Result<(Microprogram, Lengths, u64), Failure> {
        let mut made = allocate(self.config, self.shape, graph, drafts, order, frame)?;
        let end = lanes::assign(self.config, &mut made);
        waits::settle(self.config, &mut made);
        let longest = longest_stream(self.config, &made);
        debug_assert!(longest >= drafts.longest_stream());
        if longest > self.config.code_words {
            return Err(self.too_long(longest));
        }
        let code = encode(self.config, self.shape, &made).map_err(Failure::TooLong)?;
        Ok((made, Lengths::of(&code), end))
    }
}

/// Microinstructions of the longest stream, with its `stop`. A tower on the ring takes one of every RPAU that
/// it comes to.
fn longest_stream(config: &Config, program: &Microprogram) -> usize {
    let mut units = [1; UNITS];
    let mut arrivals = vec![1; config.rpaus];
    for placed in &program.all {
        units[usize::from(placed.instruction.unit(placed.rpau))] += 1;
        if let Instruction::Send { to, .. } = &placed.instruction {
            let from = usize::from(placed.rpau);
            let hops = 1..=hops(config, placed.rpau, to);
            hops.for_each(|hop| arrivals[(from + hop) % config.rpaus] += 1);
        }
    }
    units.into_iter().chain(arrivals).max().unwrap_or(0)
}

/// The kernel of each part.
fn kernels_of(program: &Program, parts: &[Part]) -> Vec<ringwright_towers::Kernel> {
    let kernel = |part: &Part| {
        let same = |kernel: &&ringwright_towers::Kernel| Arc::ptr_eq(&kernel.graph, &part.graph);
        program.kernels.iter().find(same).cloned()
    };
    parts.iter().filter_map(kernel).collect()
}
