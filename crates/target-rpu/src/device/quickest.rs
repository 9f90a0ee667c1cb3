//! Which plan each kernel of a program is lowered by: the quickest of those that can be.
//!
//! A kernel's plan depends on the kernel alone, so that it takes the same time in every program.

use super::steps;
use crate::kernels::Library;
use crate::lower::lowering;
use crate::lower::part::Part;
use crate::lower::plan::{plans, Plan};
use crate::lower::program::{towers, Program};
use crate::Config;
use ringwright_ir::ring::Module;
use ringwright_ir::RunError;
use ringwright_towers::{Graph, Program as Towers};

/// A kernel by the quickest of its plans, and what that takes.
type Found = Result<(Part, u64), RunError>;

/// Lowers a verified module, each of its kernels by the quickest plan.
pub fn quickest(config: &Config, library: &Library, module: &Module) -> Result<Program, RunError> {
    let plain = towers(config, module, false)?;
    let found = each_quickest(config, library, module, &plain, false);
    let few = |towers: &Towers| {
        let operations = towers.kernels.iter().map(|kernel| kernel.graph.nodes.len());
        operations
            .max()
            .is_some_and(|most| plans(config, module.log_n, most).len() > 1)
    };
    if !few(&plain) {
        return program(plain, found);
    }
    let joined = towers(config, module, true)?;
    let same = plain.calls.len() == joined.calls.len()
        && plain
            .calls
            .iter()
            .zip(&joined.calls)
            .all(|(a, b)| a.results == b.results && a.args == b.args);
    if !same {
        return program(plain, found);
    }
    let others = each_quickest(config, library, module, &joined, true);
    merged(plain, found, joined, others)
}

fn each_quickest(
    config: &Config,
    library: &Library,
    module: &Module,
    towers: &Towers,
    joins: bool,
) -> Vec<Found> {
    let kernels = towers.kernels.iter();
    let found = kernels.map(|kernel| {
        let graph = &kernel.graph;
        let plans = plans(config, module.log_n, graph.nodes.len());
        let plans = plans
            .into_iter()
            .filter(|plan| plan.manner.joins() == joins);
        let made = plans.map(|plan| timed(config, library, module, graph, plan));
        // A plan that cannot be is no reason to refuse what another can.
        let quickest = made.reduce(|best, other| match (best, other) {
            (Ok(best), Ok(other)) if other.1 < best.1 => Ok(other),
            (Err(_), Ok(other)) => Ok(other),
            (best, _) => best,
        });
        quickest.unwrap_or_else(|| Err(RunError::Invalid("a kernel has no plan".into())))
    });
    found.collect()
}

fn timed(config: &Config, library: &Library, module: &Module, graph: &Graph, plan: Plan) -> Found {
    let part = lowering::part(config, library, module, graph, plan)?;
    let cycles = steps::cycles(config, &part, graph);
    Ok((part, cycles))
}

fn program(towers: Towers, found: Vec<Found>) -> Result<Program, RunError> {
    let parts = found.into_iter().map(|found| found.map(|(part, _)| part));
    Ok(Program {
        parts: parts.collect::<Result<_, _>>()?,
        towers,
    })
}

/// Of two ways to cut the same calls into kernels, for each call the quicker one.
fn merged(
    mut towers: Towers,
    found: Vec<Found>,
    others: Towers,
    of_others: Vec<Found>,
) -> Result<Program, RunError> {
    let cycles = |found: &Found| found.as_ref().map_or(u64::MAX, |(_, cycles)| *cycles);
    let own = towers.kernels.len();
    for (call, other) in towers.calls.iter_mut().zip(others.calls) {
        if cycles(&of_others[other.kernel]) < cycles(&found[call.kernel]) {
            let meaning = call.meaning;
            *call = other;
            call.kernel += own;
            // Both are cut from the same pieces, and those of the first are kept.
            call.meaning = meaning;
        }
    }
    towers.kernels.extend(others.kernels);
    // What nobody calls is left out.
    let mut number = vec![None; towers.kernels.len()];
    towers
        .calls
        .iter()
        .for_each(|call| number[call.kernel] = Some(0));
    let all = towers
        .kernels
        .drain(..)
        .zip(found.into_iter().chain(of_others));
    let (mut kernels, mut parts) = (Vec::new(), Vec::new());
    for ((kernel, found), number) in all.zip(&mut number) {
        if let Some(number) = number {
            *number = kernels.len();
            kernels.push(kernel);
            parts.push(found?.0);
        }
    }
    for call in &mut towers.calls {
        call.kernel = number[call.kernel].unwrap_or(0);
    }
    towers.kernels = kernels;
    Ok(Program { towers, parts })
}
