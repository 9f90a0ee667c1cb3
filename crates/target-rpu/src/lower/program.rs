//! A whole ring program: its parts, and where towers are between them.

use super::graph::{towers_of, Builder, NodeId, Val};
use super::part::{Outcome, Part};
use crate::kernels::Library;
use crate::Config;
use ringwright_ir::ring::{FuncId, Function, LastRead, Loc, Module, Op, OpKind, ValueId};
use ringwright_ir::RunError;
use std::collections::BTreeMap;
use std::sync::Arc;

/// A tower in off-chip memory.
pub type Tower = usize;

/// A part where the program runs it.
pub struct Segment {
    /// What runs.
    pub part: Arc<Part>,
    /// Its operands.
    pub operands: Vec<Tower>,
    /// Where its results go, parallel to [`Part::results`].
    pub results: Vec<Tower>,
    /// Which of the entry function's calls it is; `None` for its own operations.
    pub call: Option<usize>,
    /// The line of the user's program.
    pub loc: Option<Loc>,
}

/// A lowered program.
pub struct Program {
    /// Towers in off-chip memory.
    pub towers: usize,
    /// One per parameter of the entry function.
    pub inputs: Vec<Val<Tower>>,
    /// In order.
    pub segments: Vec<Segment>,
    /// One per returned value.
    pub outputs: Vec<Val<Tower>>,
}

/// Lowers a verified module.
pub fn lower(config: &Config, library: &Library, module: &Module) -> Result<Program, RunError> {
    let entry = module.entry();
    let mut walk = Walk {
        config,
        library,
        module,
        entry,
        last_reads: entry.last_reads(),
        towers: 0,
        values: BTreeMap::new(),
        pending: Vec::new(),
        functions: BTreeMap::new(),
        segments: Vec::new(),
        calls: 0,
    };
    let mut inputs = Vec::new();
    for (index, param) in entry.params.iter().enumerate() {
        let towers = &mut walk.towers;
        inputs.push(towers_of(&param.ty, index, |_| next(towers)));
    }
    walk.values.extend((0..).map(ValueId).zip(inputs.clone()));
    for index in 0..entry.ops.len() {
        walk.op(index)?;
    }
    walk.flush(entry.ops.len())?;
    let output = |id: &ValueId| walk.values[id].clone();
    Ok(Program {
        outputs: entry.returns.iter().map(output).collect(),
        towers: walk.towers,
        inputs,
        segments: walk.segments,
    })
}

fn next(towers: &mut usize) -> Tower {
    *towers += 1;
    *towers - 1
}

/// A lowered function and the shapes of what it returns.
struct Callee {
    part: Arc<Part>,
    returns: Vec<Val<usize>>,
}

struct Walk<'a> {
    config: &'a Config,
    library: &'a Library,
    module: &'a Module,
    entry: &'a Function,
    last_reads: Vec<LastRead>,
    towers: usize,
    /// Values of the entry function that are in off-chip memory.
    values: BTreeMap<ValueId, Val<Tower>>,
    /// Positions of operations of the entry function's own that have not been lowered.
    pending: Vec<usize>,
    functions: BTreeMap<FuncId, Arc<Callee>>,
    segments: Vec<Segment>,
    /// Calls so far.
    calls: usize,
}

impl Walk<'_> {
    fn op(&mut self, index: usize) -> Result<(), RunError> {
        let op = &self.entry.ops[index];
        let OpKind::Call { func } = op.kind else {
            self.pending.push(index);
            return Ok(());
        };
        self.flush(index)?;
        let callee = self.callee(func)?;
        let args = op.args.iter().map(|arg| self.values[arg].clone());
        let args: Vec<Val<Tower>> = args.collect();
        let operands = args.iter().flat_map(Val::towers).collect();
        let mut returns = callee.returns.clone();
        // A seed that is handed through is the caller's.
        for value in &mut returns {
            if let Val::Seed(param) = value {
                *value = args[*param].map(|tower| tower);
            }
        }
        let call = Some(self.calls);
        self.calls += 1;
        let results = self.segment(callee.part.clone(), operands, call, op.loc.clone());
        for (&id, value) in op.results.iter().zip(returns) {
            let seed = matches!(value, Val::Seed(_));
            let value = if seed {
                value
            } else {
                value.map(|place| results[place])
            };
            self.values.insert(id, value);
        }
        Ok(())
    }

    /// Appends a segment; the towers of the part's results.
    fn segment(
        &mut self,
        part: Arc<Part>,
        operands: Vec<Tower>,
        call: Option<usize>,
        loc: Option<Loc>,
    ) -> Vec<Tower> {
        let mut made: BTreeMap<NodeId, Tower> = BTreeMap::new();
        let results = part.results.iter().map(|result| match result {
            Outcome::Operand(operand) => operands[*operand],
            Outcome::Made(node) => *made.entry(*node).or_insert_with(|| next(&mut self.towers)),
        });
        let results: Vec<Tower> = results.collect();
        if !part.starts.is_empty() {
            self.segments.push(Segment {
                part,
                operands,
                results: results.clone(),
                call,
                loc,
            });
        }
        results
    }

    fn callee(&mut self, func: FuncId) -> Result<Arc<Callee>, RunError> {
        if let Some(callee) = self.functions.get(&func) {
            return Ok(callee.clone());
        }
        let function = self.module.func(func);
        let mut builder = Builder::new(self.module, &self.config.machine);
        let params = function.params.iter().enumerate();
        let args = params.map(|(index, param)| builder.operand(&param.ty, index));
        let args = args.collect();
        let returns = builder.function(function, args)?;
        let results: Vec<NodeId> = returns.iter().flat_map(Val::towers).collect();
        let graph = builder.finish(results);
        let part = Part::new(
            self.config,
            self.library,
            self.module,
            &function.name,
            &graph,
        )?;
        let mut place = 0;
        let returns = returns.iter().map(|value| value.map(|_| next(&mut place)));
        let callee = Arc::new(Callee {
            part: Arc::new(part),
            returns: returns.collect(),
        });
        self.functions.insert(func, callee.clone());
        Ok(callee)
    }

    /// Lowers the entry function's own operations since the last call; `now` is the position of
    /// what comes next, and values that nothing reads from there on stay inside.
    fn flush(&mut self, now: usize) -> Result<(), RunError> {
        if self.pending.is_empty() {
            return Ok(());
        }
        let mut builder = Builder::new(self.module, &self.config.machine);
        let mut inside: BTreeMap<ValueId, Val<NodeId>> = BTreeMap::new();
        let mut operands = Vec::new();
        let mut made = Vec::new();
        let mut loc = None;
        for index in std::mem::take(&mut self.pending) {
            let op: &Op = &self.entry.ops[index];
            for &arg in &op.args {
                if let std::collections::btree_map::Entry::Vacant(entry) = inside.entry(arg) {
                    let outside = &self.values[&arg];
                    operands.extend(outside.towers());
                    let seed = match outside {
                        Val::Seed(seed) => *seed,
                        _ => 0,
                    };
                    entry.insert(builder.operand(self.entry.ty(arg), seed));
                }
            }
            let args: Vec<&Val<NodeId>> = op.args.iter().map(|arg| &inside[arg]).collect();
            let results = builder.op(self.entry, op, &args)?;
            inside.extend(op.results.iter().copied().zip(results));
            made.extend(op.results.iter().copied());
            loc = loc.or_else(|| op.loc.clone());
        }
        made.retain(|id| match self.last_reads[id.index()] {
            LastRead::Never => false,
            LastRead::Operation(last) => last >= now,
            LastRead::Return => true,
        });
        let results = made.iter().flat_map(|id| inside[id].towers()).collect();
        let graph = builder.finish(results);
        let part = Part::new(
            self.config,
            self.library,
            self.module,
            &self.entry.name,
            &graph,
        )?;
        let towers = self.segment(Arc::new(part), operands, None, loc);
        let mut place = 0;
        for id in made {
            let value = inside[&id].map(|_| towers[next(&mut place)]);
            self.values.insert(id, value);
        }
        Ok(())
    }
}
