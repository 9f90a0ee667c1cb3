//! Microcode that does not wait.

use crate::bench::Bench;
use crate::machines::{machines, number, product, Built, REPLAY};
use ringwright_target_medha::check::check;
use ringwright_target_medha::encode::encode;
use ringwright_target_medha::image::plan;
use ringwright_target_medha::lower::{lower, Lowered};
use ringwright_target_medha::microcode::{Instruction, Microprogram};
use ringwright_target_medha::timing::intervals;
use std::collections::BTreeSet;

/// What becomes of a product whose microinstructions do not wait: simulator and RTL refuse the same ones.
#[test]
#[ignore = "needs the libraries that make test-rtl builds"]
fn microcode_that_does_not_wait_is_refused_on_both_sides() {
    let seed = number("SEED", 1);
    let built = machines().remove(0);
    let config = &built.config;
    let module = product(&built, 5);
    let program = lower(config, &module).expect("lowers");
    let part = &program.parts[0];
    let operands = part.graph.param_towers as u32;
    let (mut refused, mut taken) = (BTreeSet::new(), 0);
    for at in (0..part.microprogram.all.len()).step_by(4) {
        if part.microprogram.all[at].after.is_empty() {
            continue;
        }
        let mut hasty = part.microprogram.clone();
        hasty.all[at].after.clear();
        let intervals = intervals(config, &program.shape, &hasty);
        let theirs = check(&hasty, &intervals, operands).err();
        let ours = refusal(&built, &program, &hasty, seed);
        let text = &hasty.all[at].instruction;
        match (&theirs, ours) {
            (Some(error), Some((code, rpau))) => {
                assert_eq!(error.rpau, rpau, "{text}: {error}");
                refused.insert(code);
            }
            (None, None) => taken += 1,
            // A tower on its way is nobody's until it arrives.
            (Some(error), None) => assert!(
                matches!(hasty.all[at].instruction, Instruction::Send { .. }),
                "{text}: {error}"
            ),
            (None, Some(code)) => panic!("{text}: refused by RTL alone, {code:?}"),
        }
    }
    println!("refused for {refused:?}, {taken} waits that another one covers");
    assert!(refused.len() >= 2);
}

/// Why a kernel is refused, and the RPAU.
fn refusal(built: &Built, program: &Lowered, hasty: &Microprogram, seed: u64) -> Option<(u64, u8)> {
    let config = &built.config;
    let mut plan = plan(config, program, 0).expect("has words");
    let code = encode(config, &program.shape, hasty).expect("has words");
    plan.kernels[0] = (hasty.clone(), code);
    let mut bench = Bench::new(built, program.shape.clone(), seed, REPLAY);
    bench.prepare(program);
    let mut found = None;
    for run in &plan.runs {
        bench.load(&plan, run, 0, 0);
        let (microprogram, _) = &plan.kernels[run.kernel];
        let intervals = intervals(config, &program.shape, microprogram);
        bench.put(167, 1, 1);
        bench.put(168, 5, 0);
        for cycle in 0..100_000u64 {
            bench.answer(cycle, microprogram, &intervals);
            let (output, _) = bench.rtl.watch(&bench.input);
            let wrong = u64::from(output[0] >> 2 & 7);
            found = found.or((wrong > 0).then_some((wrong, (output[0] >> 5 & 15) as u8)));
            let done = cycle > 1 && output[0] >> 1 & 1 == 1;
            bench.put(167, 1, 0);
            if done {
                break;
            }
        }
        for _ in 0..200 {
            bench.answer(u64::MAX, microprogram, &[]);
            bench.rtl.watch(&bench.input).1.for_each(drop);
        }
    }
    found
}
