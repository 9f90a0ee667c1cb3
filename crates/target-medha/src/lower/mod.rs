//! Lowers ring programs: which operation runs in which RPAU, when, and where its towers lie.
//!
//! [`draft`] translates a kernel's graph, [`order`] says what comes first, [`homes`] where the
//! program's towers lie between kernels, [`allocate`] writes microinstructions, `lanes`
//! says which DMA lane moves what. A kernel is lowered
//! once for each set of memories that its operands and results lie in.

pub mod allocate;
pub mod draft;
pub mod homes;
mod lanes;
mod order;

use crate::config::Config;
use crate::shape::Shape;
use allocate::{allocate, Microprogram};
use homes::Home;
use ringwright_ir::ring::Module;
use ringwright_ir::{interrupt, RunError};
use ringwright_towers::{Constants, Graph, Kind, Place, Program, Val};
use std::collections::HashMap;
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
}

/// A kernel with its operands and results where they are.
pub struct Part {
    /// What it computes.
    pub graph: Arc<Graph>,
    /// What runs.
    pub microprogram: Microprogram,
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

/// Lowers a verified module.
pub fn lower(config: &Config, module: &Module) -> Result<Lowered, RunError> {
    let shape = Shape::of(config, module.log_n)?;
    let rpaus = config.assign(&module.primes)?;
    let mut program = Program::new(module, &supports, Constants::AsArguments)?;
    let mut drafts = Vec::with_capacity(program.kernels.len());
    let mut orders = Vec::with_capacity(program.kernels.len());
    for kernel in &program.kernels {
        interrupt::check()?;
        let made = draft::drafts(config, &shape, &kernel.graph, &rpaus)?;
        orders.push(order::order(&made, config.rpaus)?);
        drafts.push(made);
    }
    let homes = homes::homes(config, &shape, &program, &drafts);
    let mut known: HashMap<(usize, Vec<Home>), usize> = HashMap::new();
    let mut parts = Vec::new();
    for call in &mut program.calls {
        let args = call.args.iter().flat_map(Val::towers);
        let home = |place: Place| homes[place as usize];
        let frame: Vec<Home> = args.chain(call.results.iter().copied()).map(home).collect();
        let kernel = call.kernel;
        call.kernel = match known.get(&(kernel, frame.clone())) {
            Some(&part) => part,
            None => {
                let graph = &program.kernels[kernel].graph;
                let (drafts, order) = (&drafts[kernel], &orders[kernel]);
                let mut microprogram = allocate(config, &shape, graph, drafts, order, &frame)?;
                lanes::assign(config, &mut microprogram);
                parts.push(Part {
                    graph: graph.clone(),
                    microprogram,
                });
                known.insert((kernel, frame), parts.len() - 1);
                parts.len() - 1
            }
        };
    }
    program.kernels = kernels_of(&program, &parts);
    let mut primes = vec![None; config.rpaus];
    for (&rpau, &q) in rpaus.iter().zip(&module.primes) {
        primes[usize::from(rpau)] = Some(q);
    }
    Ok(Lowered {
        shape,
        primes,
        program,
        parts,
    })
}

/// The kernel of each part.
fn kernels_of(program: &Program, parts: &[Part]) -> Vec<ringwright_towers::Kernel> {
    let kernel = |part: &Part| {
        let same = |kernel: &&ringwright_towers::Kernel| Arc::ptr_eq(&kernel.graph, &part.graph);
        program.kernels.iter().find(same).cloned()
    };
    parts.iter().filter_map(kernel).collect()
}
