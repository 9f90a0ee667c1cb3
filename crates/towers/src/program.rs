//! A whole program as calls of kernels, for a machine with a memory of its own.
//!
//! A **kernel** is what runs between two barriers: a function that the entry calls, with the calls in
//! it looked through, or the entry's own operations between calls. A function in steps
//! ([`Function::steps`]) is no kernel but calls several, as the entry does. Its operands and results are towers
//! in memory. Kernels that do the same are one, so that they are lowered and timed once; constants are
//! arguments where the target can take them so. What nobody reads is neither called nor made.

use crate::build::{Builder, Calls};
use crate::graph::{Graph, Outcome, Shape, Supports, Val};
use crate::meaning::{Meaning, Piece};
use ringwright_ir::ring::{FuncId, Function, LastRead, Loc, Module, Op, OpKind, Source, ValueId};
use ringwright_ir::{interrupt, RunError};
use std::collections::hash_map::{Entry, HashMap};
use std::sync::Arc;

/// A tower in memory, numbered over the whole program.
pub type Place = u32;

/// A kernel.
#[derive(Clone, Debug)]
pub struct Kernel {
    /// What it computes; its parameters' and results' towers are in memory.
    pub graph: Arc<Graph>,
    /// Where each returned tower comes from.
    pub outcomes: Arc<[Outcome]>,
    /// Number of towers that it makes for its callers.
    pub made: usize,
}

/// A kernel where the program runs it.
#[derive(Clone, Debug)]
pub struct Call {
    /// Index into [`Program::kernels`].
    pub kernel: usize,
    /// What it is for; [`Origin::source`](crate::graph::Origin) counts them. One, unless calls were
    /// [joined](crate::regions).
    pub sources: Arc<[Source]>,
    /// The run of a list of calls, the entry's or a function in steps', in which it stands.
    pub list: u32,
    /// What it means, its constants included.
    pub means: Means,
    /// One for each parameter; a seed is an input of the program, by its position.
    pub args: Vec<Val<Place>>,
    /// Where the towers go that it makes, in the order of [`Outcome::Made`].
    pub results: Vec<Place>,
    /// The kernel's constants here, in place of [`Graph::constants`]; empty where those are meant.
    pub constants: Arc<[u128]>,
}

/// What a call means.
#[derive(Clone, Debug)]
pub enum Means {
    /// A piece of the ring program: an index into [`Program::pieces`].
    Piece(usize),
    /// These calls, one behind the other, each a piece.
    Calls(Arc<[Call]>),
}

impl Call {
    /// Calls that each mean a piece of the ring program, with what they mean: this one, or those that
    /// were [joined](crate::regions).
    pub fn pieces(&self) -> impl Iterator<Item = (&Call, usize)> {
        let calls = match &self.means {
            Means::Piece(_) => std::slice::from_ref(self),
            Means::Calls(calls) => calls,
        };
        calls.iter().filter_map(|call| match call.means {
            Means::Piece(piece) => Some((call, piece)),
            Means::Calls(_) => None,
        })
    }
}

/// Whether kernels that differ in constants alone are one.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Constants {
    /// They are: constants are arguments of a call.
    AsArguments,
    /// They are not: constants are part of a kernel.
    InKernels,
}

/// A whole program.
#[derive(Clone, Debug, Default)]
pub struct Program {
    /// Each once.
    pub kernels: Vec<Kernel>,
    /// Where they come from; kernels that differ in constants alone have several.
    pub pieces: Vec<Piece>,
    /// In order.
    pub calls: Vec<Call>,
    /// Number of towers in memory.
    pub towers: usize,
    /// One for each parameter of the entry function.
    pub inputs: Vec<Val<Place>>,
    /// One for each returned value.
    pub outputs: Vec<Val<Place>>,
}

impl Program {
    /// Cuts a verified module into kernels.
    pub fn new(
        module: &Module,
        supports: Supports<'_>,
        constants: Constants,
    ) -> Result<Self, RunError> {
        let entry = module.entry();
        let mut cutter = Cutter {
            module,
            entry,
            supports,
            constants,
            needed: entry.needed(),
            last_reads: entry.last_reads(),
            values: vec![None; entry.types.len()],
            pending: Vec::new(),
            functions: HashMap::new(),
            shapes: HashMap::new(),
            calls: 0,
            list: 0,
            program: Program::default(),
        };
        cutter.inputs();
        for (index, op) in entry.ops.iter().enumerate() {
            interrupt::check()?;
            cutter.op(index, op)?;
        }
        cutter.flush(entry.ops.len())?;
        cutter.outputs()
    }

    /// Without the kernels that nobody calls. `of_kernels`: what belongs to each, of which those of the
    /// others come back.
    pub fn without_uncalled<T>(mut self, of_kernels: Vec<T>) -> (Self, Vec<T>) {
        let mut is_called = vec![false; self.kernels.len()];
        let calls = self.calls.iter();
        calls.for_each(|call| is_called[call.kernel] = true);
        let mut number = vec![0; is_called.len()];
        let (mut kernels, mut kept) = (Vec::new(), Vec::new());
        let all = self.kernels.into_iter().zip(of_kernels).enumerate();
        for (old, (kernel, item)) in all.filter(|(old, _)| is_called[*old]) {
            number[old] = kernels.len();
            kernels.push(kernel);
            kept.push(item);
        }
        let calls = self.calls.iter_mut();
        calls.for_each(|call| call.kernel = number[call.kernel]);
        self.kernels = kernels;
        (self, kept)
    }

    /// The constants of a call.
    pub fn constants<'a>(&'a self, call: &'a Call) -> &'a [u128] {
        match call.constants.is_empty() {
            true => &self.kernels[call.kernel].graph.constants,
            false => &call.constants,
        }
    }
}

/// A function that is called, once it is a kernel.
#[derive(Clone)]
struct Known {
    /// `None` where every returned tower is a parameter.
    kernel: Option<usize>,
    /// Index into [`Program::pieces`], where there is a kernel.
    piece: usize,
    outcomes: Arc<[Outcome]>,
    made: usize,
    returns: Arc<[Val<usize>]>,
    constants: Arc<[u128]>,
    name: Arc<str>,
}

struct Cutter<'a> {
    module: &'a Module,
    entry: &'a Function,
    supports: Supports<'a>,
    constants: Constants,
    /// By value of the entry function, whether a result depends on it.
    needed: Vec<bool>,
    last_reads: Vec<LastRead>,
    /// Where the entry's values are in memory, once they are.
    values: Vec<Option<Val<Place>>>,
    /// Operations of the entry's own that are in no kernel yet, by their positions.
    pending: Vec<u32>,
    /// Functions by which of their results are needed.
    functions: HashMap<(FuncId, Vec<bool>), Known>,
    /// Kernels by what they do, with the constants where those are part of it.
    shapes: HashMap<(Shape, Vec<u128>), usize>,
    /// Calls of the entry function so far, those that are not needed included.
    calls: usize,
    /// Which run of a list of calls it is in.
    list: u32,
    program: Program,
}

impl<'a> Cutter<'a> {
    fn place(&mut self) -> Place {
        self.program.towers += 1;
        self.program.towers as Place - 1
    }

    fn inputs(&mut self) {
        for (index, param) in self.entry.params.iter().enumerate() {
            let value = Val::of(&param.ty, index, |_| self.place());
            self.values[index] = Some(value.clone());
            self.program.inputs.push(value);
        }
    }

    fn outputs(mut self) -> Result<Program, RunError> {
        let returned = self.entry.returns.iter().map(|&v| self.value(v));
        self.program.outputs = returned.collect::<Result<_, _>>()?;
        Ok(self.program)
    }

    fn value(&self, id: ValueId) -> Result<Val<Place>, RunError> {
        let missing = || RunError::Invalid(format!("value {} is read before it is made", id.0));
        self.values[id.index()].clone().ok_or_else(missing)
    }

    fn op(&mut self, index: usize, op: &'a Op) -> Result<(), RunError> {
        let wanted: Vec<bool> = op.results.iter().map(|v| self.needed[v.index()]).collect();
        let is_needed = wanted.contains(&true);
        let OpKind::Call { func } = op.kind else {
            if is_needed {
                self.pending.push(index as u32);
            }
            return Ok(());
        };
        let number = self.calls;
        self.calls += 1;
        if !is_needed {
            return Ok(());
        }
        self.flush(index)?;
        let args = op.args.iter().map(|&arg| self.value(arg));
        let args: Vec<Val<Place>> = args.collect::<Result<_, _>>()?;
        let returned = self.called(func, wanted, args, number, op.loc.clone())?;
        let wanted = op.results.iter().filter(|v| self.needed[v.index()]);
        for (id, value) in wanted.zip(returned) {
            self.values[id.index()] = Some(value);
        }
        Ok(())
    }

    /// Calls a function for the results that are wanted: a kernel, or a list of them.
    fn called(
        &mut self,
        func: FuncId,
        wanted: Vec<bool>,
        args: Vec<Val<Place>>,
        number: usize,
        loc: Option<Loc>,
    ) -> Result<Vec<Val<Place>>, RunError> {
        let function = self.module.func(func);
        if !function.steps {
            let known = self.known(func, wanted)?;
            return Ok(self.call(&known, args, Some(number), loc));
        }
        self.list += 1;
        let returned = self.steps(function, &wanted, args, number);
        // What follows is no part of the same run.
        self.list += 1;
        returned
    }

    /// Makes the calls of a function in steps.
    fn steps(
        &mut self,
        function: &Function,
        wanted: &[bool],
        args: Vec<Val<Place>>,
        number: usize,
    ) -> Result<Vec<Val<Place>>, RunError> {
        interrupt::check()?;
        let missing = |id: ValueId| RunError::Invalid(format!("value {} is not made", id.0));
        let needed = function.needed_for(wanted);
        let mut values: Vec<Option<Val<Place>>> = args.into_iter().map(Some).collect();
        values.resize(function.types.len(), None);
        for op in &function.ops {
            let wanted: Vec<bool> = op.results.iter().map(|v| needed[v.index()]).collect();
            let OpKind::Call { func } = op.kind else {
                return Err(RunError::Invalid("a step that is no call".into()));
            };
            if !wanted.contains(&true) {
                continue;
            }
            let args = op.args.iter();
            let args = args.map(|&arg| values[arg.index()].clone().ok_or_else(|| missing(arg)));
            let args = args.collect::<Result<_, _>>()?;
            let returned = self.called(func, wanted, args, number, op.loc.clone())?;
            let read = op.results.iter().filter(|v| needed[v.index()]);
            for (id, value) in read.zip(returned) {
                values[id.index()] = Some(value);
            }
        }
        let returns = function.returns.iter().zip(wanted);
        let returns = returns.filter(|(_, wanted)| **wanted);
        let value = |(&id, _): (&ValueId, _)| values[id.index()].clone().ok_or_else(|| missing(id));
        returns.map(value).collect()
    }

    /// Appends a call, unless the kernel does nothing; the returned values.
    fn call(
        &mut self,
        known: &Known,
        args: Vec<Val<Place>>,
        call: Option<usize>,
        loc: Option<Loc>,
    ) -> Vec<Val<Place>> {
        let results: Vec<Place> = (0..known.made).map(|_| self.place()).collect();
        let operands: Vec<Place> = args.iter().flat_map(Val::towers).collect();
        let place = |returned: usize| match known.outcomes[returned] {
            Outcome::Param(param) => operands[param],
            Outcome::Made(slot) => results[slot],
        };
        let returned = known.returns.iter().map(|value| match value {
            // A seed that is handed through is the caller's.
            Val::Seed(param) => args[*param].clone(),
            value => value.map(place),
        });
        let returned = returned.collect();
        if let Some(kernel) = known.kernel {
            let source = Source {
                name: known.name.clone(),
                call,
                loc,
            };
            self.program.calls.push(Call {
                kernel,
                sources: [source].into(),
                list: self.list,
                means: Means::Piece(known.piece),
                args,
                results,
                constants: known.constants.clone(),
            });
        }
        returned
    }

    fn known(&mut self, func: FuncId, wanted: Vec<bool>) -> Result<Known, RunError> {
        let key = (func, wanted);
        if let Some(known) = self.functions.get(&key) {
            return Ok(known.clone());
        }
        let function = self.module.func(func);
        let mut builder = Builder::new(self.module, self.supports, Calls::Inline);
        let args = function.params.iter().map(|param| builder.param(&param.ty));
        let args = args.collect();
        let returns = builder.function(function, args, None)?;
        let wanted = returns
            .into_iter()
            .zip(&key.1)
            .filter(|(_, wanted)| **wanted);
        let graph = builder.finish(wanted.map(|(value, _)| value).collect());
        let meaning = Meaning::Function {
            func,
            wanted: key.1.clone(),
        };
        let known = self.kernel(graph, meaning, function.name.as_str().into());
        self.functions.insert(key, known.clone());
        Ok(known)
    }

    /// The kernel that a graph is, a new one unless another does the same or it makes no tower.
    fn kernel(&mut self, graph: Graph, meaning: Meaning, name: Arc<str>) -> Known {
        let mut next = 0;
        let returns = graph.returns.iter().map(|value| {
            value.map(|_| {
                next += 1;
                next - 1
            })
        });
        let returns = returns.collect();
        let (outcomes, made) = graph.outcomes();
        let (outcomes, made): (Arc<[Outcome]>, _) = (outcomes.into(), made.len());
        let (constants, key): (Arc<[u128]>, _) = match self.constants {
            Constants::AsArguments => (graph.constants.as_slice().into(), Vec::new()),
            Constants::InKernels => ([].into(), graph.constants.clone()),
        };
        let graph = Arc::new(graph);
        let kernels = &mut self.program.kernels;
        let kernel = (made > 0).then(|| {
            let shape = (Shape(graph.clone()), key);
            *self.shapes.entry(shape).or_insert_with(|| {
                kernels.push(Kernel {
                    graph,
                    outcomes: outcomes.clone(),
                    made,
                });
                kernels.len() - 1
            })
        });
        let pieces = &mut self.program.pieces;
        if kernel.is_some() {
            pieces.push(Piece {
                meaning,
                outcomes: outcomes.clone(),
            });
        }
        Known {
            kernel,
            piece: pieces.len().saturating_sub(1),
            outcomes,
            made,
            returns,
            constants,
            name,
        }
    }

    /// Makes a kernel of the entry's own operations since the last call. `now`: the position of what
    /// comes next; values that nothing reads from there on stay inside.
    fn flush(&mut self, now: usize) -> Result<(), RunError> {
        let pending = std::mem::take(&mut self.pending);
        if pending.is_empty() {
            return Ok(());
        }
        let mut inside: HashMap<ValueId, Option<Val>> = HashMap::new();
        let mut outside = Vec::new();
        let entry = self.entry;
        let ops = || pending.iter().map(|&index| &entry.ops[index as usize]);
        for op in ops() {
            for &arg in &op.args {
                if let Entry::Vacant(entry) = inside.entry(arg) {
                    entry.insert(None);
                    outside.push(arg);
                }
            }
            inside.extend(op.results.iter().map(|&v| (v, None)));
        }
        let mut builder = Builder::new(self.module, self.supports, Calls::Inline);
        for &id in &outside {
            inside.insert(id, Some(builder.param(self.entry.ty(id))));
        }
        let (mut leaving, mut returns, mut loc) = (Vec::new(), Vec::new(), None);
        for op in ops() {
            let args = op.args.iter().map(|arg| inside.get(arg).cloned().flatten());
            let args: Option<Vec<Val>> = args.collect();
            let args = args.ok_or_else(|| RunError::Invalid("an operand is not there".into()))?;
            for (&id, value) in op.results.iter().zip(builder.op(self.entry, op, args)?) {
                if self.leaves(id, now) {
                    leaving.push(id);
                    returns.push(value.clone());
                }
                inside.insert(id, Some(value));
            }
            loc = loc.or_else(|| op.loc.clone());
        }
        let graph = builder.finish(returns);
        let meaning = Meaning::Operations {
            ops: pending,
            reads: outside.clone(),
            leaves: leaving.clone(),
        };
        let known = self.kernel(graph, meaning, self.entry.name.as_str().into());
        let args = outside.into_iter().map(|id| self.value(id));
        let args = args.collect::<Result<_, _>>()?;
        let returned = self.call(&known, args, None, loc);
        for (id, value) in leaving.into_iter().zip(returned) {
            self.values[id.index()] = Some(value);
        }
        Ok(())
    }

    /// Whether a value is read from operation `now` on, or returned.
    fn leaves(&self, id: ValueId, now: usize) -> bool {
        match self.last_reads[id.index()] {
            LastRead::Never => false,
            LastRead::Operation(last) => last >= now,
            LastRead::Return => true,
        }
    }
}
