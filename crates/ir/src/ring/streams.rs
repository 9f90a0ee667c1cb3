//! Every stream is drawn at most once in a run.
//!
//! The check follows the run: from the entry through every call, each function that draws once. A
//! second call of one would draw its streams again, so it is refused there and nothing is walked
//! twice: the time is linear in the module, however often functions are named in it.

use super::error::VerifyError;
use super::printer::describe_op;
use super::{Loc, Module, Op, OpKind};
use std::collections::HashMap;

/// An operation of a function, both by position.
#[derive(Clone, Copy, PartialEq, Eq)]
struct Place {
    func: usize,
    op: usize,
}

struct Walk<'a> {
    module: &'a Module,
    /// Which functions draw, themselves or through calls.
    draws: Vec<bool>,
    /// The call through which a function was reached.
    callers: Vec<Option<Place>>,
    reached: Vec<bool>,
    /// Where each stream is drawn.
    drawn: HashMap<&'a str, Place>,
}

/// Checks a module whose calls and entry are right.
pub(super) fn check(module: &Module) -> Result<(), VerifyError> {
    let mut walk = Walk {
        module,
        draws: draws(module),
        callers: vec![None; module.funcs.len()],
        reached: vec![false; module.funcs.len()],
        drawn: HashMap::new(),
    };
    let mut open = vec![Place {
        func: module.entry.index(),
        op: 0,
    }];
    while let Some(place) = open.pop() {
        let Some(op) = module.funcs[place.func].ops.get(place.op) else {
            continue;
        };
        open.push(Place {
            op: place.op + 1,
            ..place
        });
        match &op.kind {
            OpKind::Sample { stream, .. } => walk.draw(stream, place)?,
            OpKind::Call { func } if walk.draws[func.index()] => {
                walk.call(func.index(), place)?;
                open.push(Place {
                    func: func.index(),
                    op: 0,
                });
            }
            _ => {}
        }
    }
    Ok(())
}

fn draws(module: &Module) -> Vec<bool> {
    let mut draws: Vec<bool> = Vec::with_capacity(module.funcs.len());
    for func in &module.funcs {
        let drawing = func.ops.iter().any(|op| match op.kind {
            OpKind::Sample { .. } => true,
            OpKind::Call { func } => draws[func.index()],
            _ => false,
        });
        draws.push(drawing);
    }
    draws
}

impl<'a> Walk<'a> {
    fn draw(&mut self, stream: &'a str, place: Place) -> Result<(), VerifyError> {
        match self.drawn.insert(stream, place) {
            Some(first) => Err(self.twice(stream, first, place)),
            None => Ok(()),
        }
    }

    fn call(&mut self, callee: usize, place: Place) -> Result<(), VerifyError> {
        if std::mem::replace(&mut self.reached[callee], true) {
            let stream = self.least_stream(callee);
            return Err(self.twice(stream, self.drawn[stream], place));
        }
        self.callers[callee] = Some(place);
        Ok(())
    }

    /// Of the streams that a function draws, the first by name; it has been walked.
    fn least_stream(&self, func: usize) -> &'a str {
        let mut open = vec![func];
        let mut least: Option<&'a str> = None;
        while let Some(func) = open.pop() {
            for op in &self.module.funcs[func].ops {
                match &op.kind {
                    OpKind::Sample { stream, .. } => {
                        least = Some(least.map_or(stream, |least| least.min(stream)));
                    }
                    OpKind::Call { func } if self.draws[func.index()] => open.push(func.index()),
                    _ => {}
                }
            }
        }
        least.unwrap_or_default()
    }

    /// The error, in the innermost function that both draws are in.
    fn twice(&self, stream: &str, first: Place, second: Place) -> VerifyError {
        let (first, second) = (self.path(first), self.path(second));
        let shared = first.iter().zip(&second).rev();
        let mut shared = shared.skip_while(|(a, b)| a.func != b.func);
        let (first, second) = shared.next().unwrap_or((&first[0], &second[0]));
        let func = &self.module.funcs[first.func];
        let (first, second) = (&func.ops[first.op], &func.ops[second.op]);
        let describe = |op: &Op| describe_op(&self.module.funcs, func, op);
        let place = |loc: &Loc| format!(" at {loc}");
        let at = first.loc.as_ref().map(place).unwrap_or_default();
        VerifyError {
            function: Some(func.name.clone()),
            operation: Some(describe(second)),
            loc: second.loc.clone(),
            message: format!(
                "stream \"{stream}\" is sampled a second time in one run; the first is `{}`{at}",
                describe(first)
            ),
        }
    }

    /// The calls from the entry down to a place, and the place.
    fn path(&self, place: Place) -> Vec<Place> {
        let outwards = std::iter::successors(Some(place), |place| self.callers[place.func]);
        let mut path: Vec<Place> = outwards.collect();
        path.reverse();
        path
    }
}
