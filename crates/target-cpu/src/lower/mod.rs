//! Lowers a verified module, function by function, callees first.
//!
//! What a function does word by word becomes part of its callers: what several do one behind the other to one
//! tower then stays in the cache.
//!
//! | phase | what it decides |
//! |---|---|
//! | [`ringwright_towers`] | a function as operations on single towers, fused |
//! | [`graph`] | what this machine does for each |
//! | [`stages`] | what runs in parallel, and in which order; [`noise`] is what it asks |
//! | [`buffers`] | where every tower lives, from its [`lives`] |
//! | [`check`] | whether all that still computes the graph (tests only) |

mod buffers;
#[cfg(test)]
mod check;
mod frame;
mod graph;
mod lives;
mod noise;
mod stages;
mod strand_buffers;

use crate::plan::FunctionPlan;
use crate::tables::Tables;
use ringwright_ir::ring::Module;
use ringwright_ir::RunError;

/// The functions of a module.
pub struct Lowered {
    /// A plan for each.
    pub plans: Vec<FunctionPlan>,
    /// Which of them became part of their callers.
    pub inlined: Vec<bool>,
}

/// One plan per function of the module, for several threads or one.
pub fn lower(module: &Module, tables: &Tables, is_parallel: bool) -> Result<Lowered, RunError> {
    let functions = ringwright_towers::functions(module, &graph::supports, &graph::is_inlined)?;
    let together = tables.keccak()?.together();
    let mut plans = Vec::with_capacity(functions.len());
    for function in &functions {
        let graph = graph::build(module, function, tables)?;
        let schedule = stages::schedule(&graph, together, is_parallel);
        let plan = buffers::assign(&graph, &schedule, &plans);
        #[cfg(test)]
        check::check(&graph, &schedule, &plan);
        plans.push(plan);
    }
    Ok(Lowered {
        plans,
        inlined: functions.iter().map(graph::is_inlined).collect(),
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;
    use ringwright_arith::primes::ntt_primes;
    use ringwright_ir::generate::{self, Shape};
    use ringwright_ir::ring::RingKind;
    use ringwright_kernels::Isa;

    const LOG_N: u32 = 4;

    proptest! {
        #[test]
        fn plans_compute_their_graphs(seed: u64, helpers in 0_usize..5, ops in 1_usize..40) {
            let primes = ntt_primes(30, LOG_N, 5).expect("enough primes");
            let kind = RingKind::Standard;
            let shape = Shape { kind, log_n: LOG_N, primes, helpers, ops };
            let module = generate::module(seed, &shape).expect("a valid shape");
            // The checker of this module panics at the first difference.
            let tables = Tables::new("test", Isa::Scalar);
            for is_parallel in [false, true] {
                let plans = lower(&module, &tables, is_parallel).expect("lowers").plans;
                prop_assert_eq!(plans.len(), module.funcs.len());
            }
        }
    }
}
