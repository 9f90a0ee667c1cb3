//! Runs the steps of a function; calls recurse.

use super::called::Arguments;
use super::strand::Work;
use super::Program;
use crate::plan::{FunctionPlan, Place, Step, Strand};
use crate::scratch::{stride, towers};
use crate::width::Width;
use rayon::prelude::*;
use ringwright_ir::interrupt::{self, Counted};
use ringwright_ir::RunError;
use ringwright_ring::Mapped;
use std::sync::Arc;
use std::time::{Duration, Instant};

/// Begin and length of each step that one function took itself.
pub type Spans = Vec<(Instant, Duration)>;

/// Runs functions of one program.
pub struct Executor<'p, W: Width> {
    pub program: &'p Program<W>,
    pub n: usize,
    /// Told of every stage that is done.
    pub counted: Counted,
}

impl<W: Width> Executor<'_, W> {
    /// Runs a function: `results` are its result slots, `arena` holds everyone's temporaries. Its
    /// steps, not its callees', are timed where there are `spans` to fill.
    pub fn function(
        &self,
        plan: &FunctionPlan,
        arguments: &Arguments<W>,
        results: Vec<&mut [W]>,
        arena: &mut [W],
        spans: Option<&mut Spans>,
    ) -> Result<(), RunError> {
        let (mut frame, below) = self.frame(plan, results, arena);
        self.steps(&plan.steps, arguments, &mut frame, below, spans)
    }

    /// A function's frame slots, and what its callees have.
    pub fn frame<'a>(
        &self,
        plan: &FunctionPlan,
        results: Vec<&'a mut [W]>,
        arena: &'a mut [W],
    ) -> (Vec<&'a mut [W]>, &'a mut [W]) {
        let (temporaries, below) = arena.split_at_mut(plan.temporaries * stride::<W>(self.n));
        let mut frame = results;
        frame.extend(towers(temporaries, self.n));
        (frame, below)
    }

    /// Runs steps of a function, in order, on its frame slots.
    pub fn steps(
        &self,
        steps: &[Step],
        arguments: &Arguments<W>,
        frame: &mut [&mut [W]],
        below: &mut [W],
        mut spans: Option<&mut Spans>,
    ) -> Result<(), RunError> {
        for step in steps {
            interrupt::check()?;
            let start = spans.is_some().then(Instant::now);
            match step {
                Step::Stage(strands) => {
                    self.stage(strands, arguments, frame)?;
                    self.counted.advance(step.operations());
                }
                Step::Call {
                    func,
                    args,
                    seeds,
                    results,
                } => {
                    let callee = &self.program.plans[*func];
                    let mut taken = take_slots(frame, results);
                    let passed = Arguments {
                        towers: args.iter().map(|&p| outside(p, arguments, frame)).collect(),
                        seeds: seeds.iter().map(|&seed| arguments.seeds[seed]).collect(),
                        homes: homes(args, arguments),
                    };
                    let streams = !callee.calls();
                    if streams {
                        passed.fetch();
                    }
                    let lent = taken.iter_mut().map(|slot| &mut **slot).collect();
                    self.function(callee, &passed, lent, below, None)?;
                    if streams {
                        passed.release();
                    }
                    put_slots(frame, results, taken);
                }
            }
            if let (Some(spans), Some(start)) = (&mut spans, start) {
                spans.push((start, start.elapsed()));
            }
        }
        Ok(())
    }

    /// Runs strands in parallel; each holds the slots that it writes, and reads all others.
    fn stage<'a>(
        &self,
        strands: &[Strand],
        arguments: &Arguments<W>,
        frame: &mut [&'a mut [W]],
    ) -> Result<(), RunError> {
        let mut held: Vec<(&Strand, Vec<&'a mut [W]>)> = strands
            .iter()
            .map(|s| (s, take_slots(frame, &s.writes)))
            .collect();
        let shared = &*frame;
        let interrupt = interrupt::current();
        let run = |(strand, own): &mut (&Strand, Vec<&'a mut [W]>)| {
            if interrupt.as_ref().is_some_and(|it| it.is_stopped()) {
                return Err(RunError::Interrupted);
            }
            Work {
                program: self.program,
                n: self.n,
                arguments,
                shared,
            }
            .run(strand, own)
        };
        let done = match self.program.resources.is_parallel() && held.len() > 1 {
            true => held.par_iter_mut().with_max_len(1).try_for_each(run),
            false => held.iter_mut().try_for_each(run),
        };
        for (strand, own) in held {
            put_slots(frame, &strand.writes, own);
        }
        done
    }
}

/// The files of a call's towers, where any argument lies in one.
fn homes<'r, W>(args: &[Place], arguments: &Arguments<'r, W>) -> Vec<Option<&'r Arc<Mapped>>> {
    if arguments.homes.is_empty() {
        return Vec::new();
    }
    let home = |place: &Place| match place {
        Place::Param(param) => arguments.homes[*param],
        _ => None,
    };
    args.iter().map(home).collect()
}

fn take_slots<'a, W>(frame: &mut [&'a mut [W]], slots: &[usize]) -> Vec<&'a mut [W]> {
    slots
        .iter()
        .map(|&slot| std::mem::take(&mut frame[slot]))
        .collect()
}

fn put_slots<'a, W>(frame: &mut [&'a mut [W]], slots: &[usize], taken: Vec<&'a mut [W]>) {
    for (&slot, words) in slots.iter().zip(taken) {
        frame[slot] = words;
    }
}

/// A tower that no strand holds.
fn outside<'r, W>(place: Place, arguments: &Arguments<'r, W>, frame: &'r [&mut [W]]) -> &'r [W] {
    match place {
        Place::Param(param) => arguments.towers[param],
        Place::Shared(slot) => &*frame[slot],
        Place::Own(_) | Place::Local(_) => unreachable!("calls are not part of a strand"),
    }
}
