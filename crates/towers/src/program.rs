//! A whole program as calls of kernels, for a machine with a memory of its own.
//!
//! A **kernel** is what runs between two barriers: a function that the entry calls, with the calls in
//! it looked through, or the entry's own operations between calls. A function in steps
//! ([`Function::steps`]) is no kernel but calls several, as the entry does; so is one of more operations than a
//! kernel may have ([`Program::cut`]). A kernel's operands and results are towers in memory. Kernels that do the same are one, so that they are lowered and timed once; constants are
//! arguments where the target can take them so. What nobody reads is neither called nor made.

use crate::build::{Builder, Calls};
use crate::graph::{Graph, Outcome, Shape, Supports, Val};
use crate::meaning::{Meaning, Piece};
use ringwright_ir::ring::{FuncId, Function, LastRead, Loc, Module, Op, OpKind, Source, ValueId};
use ringwright_ir::{interrupt, RunError};
use rustc_hash::FxHashMap;
use std::collections::HashMap;
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
        Self::cut(module, supports, constants, usize::MAX, &|_| Ok(()))
    }

    /// The same, each kernel of at most so many ring operations, those of the calls in it included. It
    /// ends at the first kernel for which `fits` has an error.
    pub fn cut<E: From<RunError>>(
        module: &Module,
        supports: Supports<'_>,
        constants: Constants,
        most: usize,
        fits: &dyn Fn(&Graph) -> Result<(), E>,
    ) -> Result<Self, E> {
        let mut cutter = Cutter {
            module,
            supports,
            constants,
            most: most.max(1),
            fits,
            sizes: sizes(module),
            functions: HashMap::new(),
            shapes: HashMap::new(),
            calls: 0,
            list: 0,
            program: Program::default(),
        };
        let entry = module.entry();
        let inputs = entry.params.iter().enumerate();
        let inputs = inputs.map(|(index, param)| Val::of(&param.ty, index, |_| cutter.place()));
        let inputs: Vec<Val<Place>> = inputs.collect();
        cutter.program.inputs.clone_from(&inputs);
        let wanted = vec![true; entry.returns.len()];
        let outputs = cutter.scope(module.entry, &wanted, inputs, None)?;
        cutter.program.outputs = outputs;
        Ok(cutter.program)
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

/// By function, the operations of its kernel: its own and those of the calls in it.
fn sizes(module: &Module) -> Vec<usize> {
    let mut sizes: Vec<usize> = Vec::with_capacity(module.funcs.len());
    for function in &module.funcs {
        let of_op = |op: &Op| match op.kind {
            OpKind::Call { func } => sizes[func.index()],
            _ => 1,
        };
        sizes.push(
            function
                .ops
                .iter()
                .map(of_op)
                .fold(0, usize::saturating_add),
        );
    }
    sizes
}

struct Cutter<'a, E> {
    module: &'a Module,
    supports: Supports<'a>,
    constants: Constants,
    /// Operations of a kernel.
    most: usize,
    fits: &'a dyn Fn(&Graph) -> Result<(), E>,
    /// By function.
    sizes: Vec<usize>,
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

/// A function that is no kernel but several.
struct Scope<'a> {
    func: FuncId,
    function: &'a Function,
    /// The call of the entry function that it stands for, unless it is the entry function.
    call: Option<usize>,
    /// By value, whether what is wanted of it depends on it.
    needed: Vec<bool>,
    last_reads: Vec<LastRead>,
    /// Where the values are in memory, once they are.
    values: Vec<Option<Val<Place>>>,
    /// Operations that are in no kernel yet, by their positions.
    pending: Vec<u32>,
}

impl Scope<'_> {
    fn value(&self, id: ValueId) -> Result<Val<Place>, RunError> {
        let missing = || RunError::Invalid(format!("value {} is read before it is made", id.0));
        self.values[id.index()].clone().ok_or_else(missing)
    }

    /// Whether a value is read from operation `now` on, or returned.
    fn leaves(&self, id: ValueId, now: usize) -> bool {
        self.needed[id.index()]
            && match self.last_reads[id.index()] {
                LastRead::Never => false,
                LastRead::Operation(last) => last >= now,
                LastRead::Return => true,
            }
    }
}

impl<'a, E: From<RunError>> Cutter<'a, E> {
    fn place(&mut self) -> Place {
        self.program.towers += 1;
        self.program.towers as Place - 1
    }

    /// Makes the kernels of a function; the returned values that are wanted.
    fn scope(
        &mut self,
        func: FuncId,
        wanted: &[bool],
        args: Vec<Val<Place>>,
        call: Option<usize>,
    ) -> Result<Vec<Val<Place>>, E> {
        let function = self.module.func(func);
        let mut values: Vec<Option<Val<Place>>> = args.into_iter().map(Some).collect();
        values.resize(function.types.len(), None);
        let mut scope = Scope {
            func,
            function,
            call,
            needed: function.needed_for(wanted),
            last_reads: function.last_reads(),
            values,
            pending: Vec::new(),
        };
        for (index, op) in function.ops.iter().enumerate() {
            interrupt::check()?;
            self.op(&mut scope, index, op)?;
        }
        self.flush(&mut scope, function.ops.len())?;
        let returns = function.returns.iter().zip(wanted);
        let returns = returns.filter(|(_, wanted)| **wanted);
        let returned: Result<_, RunError> = returns.map(|(&id, _)| scope.value(id)).collect();
        Ok(returned?)
    }

    fn op(&mut self, scope: &mut Scope<'a>, index: usize, op: &'a Op) -> Result<(), E> {
        let needed = op.results.iter().map(|v| scope.needed[v.index()]);
        let wanted: Vec<bool> = needed.collect();
        let is_needed = wanted.contains(&true);
        let OpKind::Call { func } = op.kind else {
            if is_needed {
                scope.pending.push(index as u32);
            }
            if scope.pending.len() >= self.most {
                self.flush(scope, index + 1)?;
            }
            return Ok(());
        };
        let number = scope.call.unwrap_or(self.calls);
        if scope.call.is_none() {
            self.calls += 1;
        }
        if !is_needed {
            return Ok(());
        }
        self.flush(scope, index)?;
        let args = op.args.iter().map(|&arg| scope.value(arg));
        let args: Vec<Val<Place>> = args.collect::<Result<_, _>>()?;
        let of_results = op.results.iter().zip(wanted.clone());
        let of_results = of_results.filter(|(_, wanted)| *wanted);
        let returned = self.called(func, wanted, args, number, op.loc.clone())?;
        for ((id, _), value) in of_results.zip(returned) {
            scope.values[id.index()] = Some(value);
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
    ) -> Result<Vec<Val<Place>>, E> {
        if !self.module.func(func).steps && self.sizes[func.index()] <= self.most {
            let known = self.known(func, wanted)?;
            return Ok(self.call(&known, args, Some(number), loc));
        }
        self.list += 1;
        let returned = self.scope(func, &wanted, args, Some(number));
        // What follows is no part of the same run.
        self.list += 1;
        returned
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

    fn known(&mut self, func: FuncId, wanted: Vec<bool>) -> Result<Known, E> {
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
        let known = self.kernel(graph, meaning, function.name.as_str().into())?;
        self.functions.insert(key, known.clone());
        Ok(known)
    }

    /// The kernel that a graph is, a new one unless another does the same or it makes no tower.
    fn kernel(&mut self, graph: Graph, meaning: Meaning, name: Arc<str>) -> Result<Known, E> {
        (self.fits)(&graph)?;
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
        Ok(Known {
            kernel,
            piece: pieces.len().saturating_sub(1),
            outcomes,
            made,
            returns,
            constants,
            name,
        })
    }

    /// Makes a kernel of a function's own operations since the last one. `now`: the position of what
    /// comes next; values that nothing reads from there on stay inside.
    fn flush(&mut self, scope: &mut Scope<'a>, now: usize) -> Result<(), E> {
        let pending = std::mem::take(&mut scope.pending);
        if pending.is_empty() {
            return Ok(());
        }
        let function = scope.function;
        let ops = || pending.iter().map(|&index| &function.ops[index as usize]);
        let made = || ops().flat_map(|op| op.results.iter().copied());
        let mut inside = Inside::of(made());
        let mut outside = Vec::new();
        for op in ops() {
            for &arg in &op.args {
                let known = inside.get(arg);
                if known.is_none() {
                    *known = Some(None);
                    outside.push(arg);
                }
            }
            for &result in &op.results {
                *inside.get(result) = Some(None);
            }
        }
        let mut builder = Builder::new(self.module, self.supports, Calls::Inline);
        for &id in &outside {
            *inside.get(id) = Some(Some(builder.param(function.ty(id))));
        }
        let (mut leaving, mut returns, mut loc) = (Vec::new(), Vec::new(), None);
        for op in ops() {
            let args = op.args.iter().map(|&arg| inside.get(arg).clone().flatten());
            let args: Option<Vec<Val>> = args.collect();
            let args = args.ok_or_else(|| RunError::Invalid("an operand is not there".into()))?;
            for (&id, value) in op.results.iter().zip(builder.op(function, op, args)?) {
                if scope.leaves(id, now) {
                    leaving.push(id);
                    returns.push(value.clone());
                }
                *inside.get(id) = Some(Some(value));
            }
            loc = loc.or_else(|| op.loc.clone());
        }
        let graph = builder.finish(returns);
        let meaning = Meaning::Operations {
            of: scope.func,
            ops: pending,
            reads: outside.clone(),
            leaves: leaving.clone(),
        };
        let known = self.kernel(graph, meaning, function.name.as_str().into())?;
        let args = outside.into_iter().map(|id| scope.value(id));
        let args = args.collect::<Result<_, _>>()?;
        let returned = self.call(&known, args, scope.call, loc);
        for (id, value) in leaving.into_iter().zip(returned) {
            scope.values[id.index()] = Some(value);
        }
        Ok(())
    }
}

/// What a kernel knows of values while it is made: nothing, that they are there, the towers. Operations number
/// what they make in order, so those values are beside each other.
struct Inside {
    first: usize,
    near: Vec<Seen>,
    others: FxHashMap<ValueId, Seen>,
}

type Seen = Option<Option<Val>>;

impl Inside {
    /// Of a kernel that makes these values.
    fn of(made: impl Iterator<Item = ValueId> + Clone) -> Self {
        let first = made.clone().map(ValueId::index).min().unwrap_or(0);
        let end = made.map(|id| id.index() + 1).max().unwrap_or(0);
        Self {
            first,
            near: vec![None; end - first],
            others: FxHashMap::default(),
        }
    }

    fn get(&mut self, id: ValueId) -> &mut Seen {
        let near = id.index().checked_sub(self.first);
        match near.filter(|&near| near < self.near.len()) {
            Some(near) => &mut self.near[near],
            None => self.others.entry(id).or_default(),
        }
    }
}
