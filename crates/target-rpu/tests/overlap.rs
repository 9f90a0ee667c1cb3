//! Moves beside runs: what the rule of the commands catches, and what a product still moves.

use ringwright_ir::generate::Product;
use ringwright_ir::ring::Module;
use ringwright_spec::Machine;
use ringwright_target_rpu::kernels::Library;
use ringwright_target_rpu::lower::commands::{Moved, What};
use ringwright_target_rpu::lower::holds;
use ringwright_target_rpu::lower::kinds::{Fused, Manner, Order};
use ringwright_target_rpu::lower::part::Part;
use ringwright_target_rpu::lower::plan::{plans, Plan, VARIATIONS};
use ringwright_target_rpu::lower::program::{lower, Program};
use ringwright_target_rpu::lower::start::Starts;
use ringwright_target_rpu::Config;
use ringwright_towers::residency::Content;
use ringwright_towers::TowerId;
use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

const LOG_N: u32 = 9;
const LEVELS: u16 = 4;

/// Relinearised with digits of one prime and one special prime.
fn product() -> Module {
    Product::new(LOG_N, 30, LEVELS, 1).alone()
}

fn config() -> Config {
    Config::new(&Machine::load("rpu-8x8").expect("it ships")).expect("it can be built")
}

fn lowered(config: &Config, plan: Plan) -> Program {
    lower(config, &Library::default(), &product(), plan).expect("it fits")
}

fn fused(config: &Config) -> Program {
    let manner = Manner::Fused(Fused {
        streamed: 2,
        products: 1,
        order: Order::Program,
    });
    let starts = Starts::Ahead { kernels: 1 };
    lowered(config, Plan { manner, starts })
}

#[test]
fn no_run_meets_a_move_in_any_plan() {
    let config = config();
    let plans = plans(&config, LOG_N, 100).into_iter();
    let all = plans.flat_map(|plan| {
        let varied = VARIATIONS.map(|variation| variation(plan));
        [vec![plan]].into_iter().chain(varied).flatten()
    });
    let (library, module) = (Library::default(), product());
    let mut fused = 0;
    for plan in all {
        // Registers of 64 words are few for some.
        let Ok(program) = lower(&config, &library, &module, plan) else {
            continue;
        };
        fused += usize::from(matches!(plan.manner, Manner::Fused(_)));
        for part in &program.parts {
            assert_eq!(holds::check(part), Ok(()), "{plan:?}");
        }
    }
    assert!(fused >= 4, "{fused} plans fit that do things together");
}

/// Whoever waits for one command less meets it: each wait is there for somebody.
#[test]
fn a_command_that_waits_for_less_is_caught() {
    let config = config();
    let mut program = fused(&config);
    let part: &mut Part = Arc::get_mut(&mut program.parts[0]).expect("nobody else has it");
    let (mut runs, mut moves) = ((0, 0), (0, 0));
    // The counts of a queue grow where commands wait at all; lowering one that repeats another's
    // changes nothing.
    let (mut most_runs, mut most_moves) = (0, 0);
    for index in 0..part.commands.list.len() {
        let command = &part.commands.list[index];
        let is_run = matches!(command.what, What::Run(_));
        let (most, counts) = match is_run {
            true => (&mut most_moves, &mut runs),
            false => (&mut most_runs, &mut moves),
        };
        let waits = command.after;
        if waits <= *most {
            continue;
        }
        let before = *most;
        *most = waits;
        part.commands.list[index].after = before;
        counts.0 += 1;
        counts.1 += usize::from(holds::check(part).is_err());
        part.commands.list[index].after = waits;
    }
    assert_eq!(runs.0, runs.1, "runs that came too early");
    assert_eq!(moves.0, moves.1, "moves that came too early");
    assert!(runs.0 > 20 && moves.0 > 20, "{runs:?} {moves:?}");
}

/// Key parts come once, those of joined primes as one; operands twice at most; results leave once; no
/// other tower moves.
#[test]
fn towers_move_as_often_as_they_must() {
    let program = fused(&config());
    let part = &program.parts[0];
    let list = &part.commands.list;
    let items = list.iter().flat_map(|command| match &command.what {
        What::Moves(items) => items.as_slice(),
        What::Run(_) => &[],
    });
    let (mut loaded, mut stored) = (BTreeMap::new(), 0);
    for &item in items {
        for span in part.spans(item) {
            match (item.what, span.content) {
                (Moved::Load(_), Content::Tower(tower)) => {
                    *loaded.entry(tower).or_insert(0) += span.words;
                }
                (Moved::Load(_), Content::Table { .. }) => {}
                _ => stored += span.words,
            }
        }
    }
    let operands = 4 * u32::from(LEVELS);
    let keys = 2 * u32::from(LEVELS * (LEVELS + 1));
    let of_keys = loaded.split_off(&TowerId(operands));
    assert_eq!(loaded.len(), operands as usize);
    assert!(loaded.values().all(|&words| words <= 2 << LOG_N));
    let joined = part
        .key_parts
        .iter()
        .flat_map(|part| part.of.iter().copied());
    let joined: BTreeSet<TowerId> = joined.collect();
    let alone = (operands..operands + keys).map(TowerId);
    let alone = alone.filter(|tower| !joined.contains(tower));
    let expected = part.key_parts.iter().map(|part| part.tower).chain(alone);
    assert!(of_keys
        .keys()
        .copied()
        .eq(expected.collect::<BTreeSet<_>>()));
    assert!(of_keys.values().all(|&words| words == 1 << LOG_N));
    // Words of 64 bits hold pairs of primes of 30; the special one is alone.
    assert_eq!(of_keys.len(), usize::from(2 * LEVELS * (LEVELS / 2 + 1)));
    assert_eq!(stored >> LOG_N, 2 * usize::from(LEVELS));
}
