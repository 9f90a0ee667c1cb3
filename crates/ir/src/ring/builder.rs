//! Builds modules; every operation is typed and checked when it is added.
//!
//! ```
//! use ringwright_ir::ring::{Basis, Domain, ModuleBuilder, Type};
//!
//! let mut mb = ModuleBuilder::new(4, &[97, 193]);
//! let both = Type::poly(&Basis::range(0..2), Domain::Eval);
//! let mut fb = mb.function("main");
//! let a = fb.param("a", both.clone(), false);
//! let b = fb.param("b", both, false);
//! let product = fb.mul(a, b)?;
//! let main = fb.finish(&[product])?;
//! let module = mb.finish(main)?;
//! assert_eq!(module.entry().name, "main");
//! # Ok::<(), ringwright_ir::ring::VerifyError>(())
//! ```

use super::printer::describe_op;
use super::signature::{check_type, results, Scope};
use super::verify::verify;
use super::{
    Basis, Composite, Distribution, Domain, FuncId, Function, Loc, Module, Op, OpKind, Param,
    RingKind, Type, ValueId, VerifyError,
};
use std::collections::{HashMap, HashSet};

/// A module under construction.
#[derive(Clone, Debug)]
pub struct ModuleBuilder {
    kind: RingKind,
    log_n: u32,
    primes: Vec<u128>,
    funcs: Vec<Function>,
    by_name: HashMap<String, FuncId>,
}

impl ModuleBuilder {
    /// An empty module over the standard ring of degree 2^`log_n` and these primes, which
    /// [`ModuleBuilder::finish`] checks.
    pub fn new(log_n: u32, primes: &[u128]) -> Self {
        Self::over(RingKind::Standard, log_n, primes)
    }

    /// The same over a ring of either kind.
    pub fn over(kind: RingKind, log_n: u32, primes: &[u128]) -> Self {
        ModuleBuilder {
            kind,
            log_n,
            primes: primes.to_vec(),
            funcs: Vec::new(),
            by_name: HashMap::new(),
        }
    }

    /// The ring's kind.
    pub fn kind(&self) -> RingKind {
        self.kind
    }

    /// log2 of the ring degree.
    pub fn log_n(&self) -> u32 {
        self.log_n
    }

    /// The primes that bases index.
    pub fn primes(&self) -> &[u128] {
        &self.primes
    }

    /// The finished functions.
    pub fn funcs(&self) -> &[Function] {
        &self.funcs
    }

    /// The finished function of this name, so that each is built once.
    pub fn find(&self, name: &str) -> Option<FuncId> {
        self.by_name.get(name).copied()
    }

    /// Begins a function. Callees may still be built, through [`FunctionBuilder::module`].
    pub fn function(&mut self, name: &str) -> FunctionBuilder<'_> {
        let func = Function {
            name: name.to_owned(),
            params: Vec::new(),
            ops: Vec::new(),
            returns: Vec::new(),
            types: Vec::new(),
            names: Vec::new(),
            composite: None,
            steps: false,
        };
        FunctionBuilder {
            module: self,
            func,
            names: Names::default(),
            loc: None,
            late: None,
        }
    }

    /// The module, verified as a whole.
    pub fn finish(self, entry: FuncId) -> Result<Module, VerifyError> {
        let module = Module {
            kind: self.kind,
            log_n: self.log_n,
            primes: self.primes,
            funcs: self.funcs,
            entry,
        };
        verify(&module)?;
        Ok(module)
    }

    pub(super) fn scope(&self) -> Scope<'_> {
        Scope {
            kind: self.kind,
            log_n: self.log_n,
            primes: &self.primes,
            funcs: &self.funcs,
        }
    }
}

/// A function under construction.
pub struct FunctionBuilder<'m> {
    module: &'m mut ModuleBuilder,
    func: Function,
    names: Names,
    loc: Option<Loc>,
    /// An error of a method that returns no `Result`; `finish` reports it.
    late: Option<VerifyError>,
}

impl FunctionBuilder<'_> {
    /// The module, for building callees.
    pub fn module(&mut self) -> &mut ModuleBuilder {
        self.module
    }

    /// Type of a value of this function.
    ///
    /// # Panics
    /// If the value belongs to another function.
    pub fn ty(&self, value: ValueId) -> &Type {
        self.func.ty(value)
    }

    /// Operations added from here on came from this source line.
    pub fn at(&mut self, loc: impl Into<Option<Loc>>) -> &mut Self {
        self.loc = loc.into();
        self
    }

    /// Names a value for text and errors; a name that is taken gets a number.
    pub fn name(&mut self, value: ValueId, name: &str) -> ValueId {
        if value.index() < self.func.params.len() {
            self.fail_late(format!("a parameter cannot be renamed to `{name}`"));
        } else if value.index() < self.func.names.len() {
            if let Some(before) = self.func.names[value.index()].take() {
                self.names.taken.remove(&before);
            }
            self.func.names[value.index()] = Some(self.names.take(name));
        }
        value
    }

    /// Tags the function as a composite; its body must be that composite's expansion.
    pub fn composite(&mut self, composite: Composite) -> &mut Self {
        self.func.composite = Some(composite);
        self
    }

    /// Makes the function a list of kernels ([`Function::steps`]).
    pub fn steps(&mut self) -> &mut Self {
        self.func.steps = true;
        self
    }

    /// Adds a parameter; all parameters come before the first operation.
    pub fn param(&mut self, name: &str, ty: Type, secret: bool) -> ValueId {
        if !self.func.ops.is_empty() {
            self.fail_late(format!("parameter `{name}` comes after an operation"));
        }
        if let Err(message) = check_type(&self.module.scope(), &ty) {
            self.fail_late(format!("parameter `{name}`: {message}"));
        }
        self.func.params.push(Param {
            name: name.to_owned(),
            ty: ty.clone(),
            secret,
        });
        self.define(ty, Some(name.to_owned()))
    }

    /// A polynomial of zeros.
    pub fn zero(&mut self, basis: &Basis, domain: Domain) -> Result<ValueId, VerifyError> {
        self.push(OpKind::Zero, &[], Some(Type::poly(basis, domain)))
    }

    /// Coefficients to evaluations.
    pub fn ntt(&mut self, x: ValueId) -> Result<ValueId, VerifyError> {
        self.push(OpKind::Ntt, &[x], None)
    }

    /// Evaluations to coefficients.
    pub fn intt(&mut self, x: ValueId) -> Result<ValueId, VerifyError> {
        self.push(OpKind::Intt, &[x], None)
    }

    /// Sum.
    pub fn add(&mut self, a: ValueId, b: ValueId) -> Result<ValueId, VerifyError> {
        self.push(OpKind::Add, &[a, b], None)
    }

    /// Difference.
    pub fn sub(&mut self, a: ValueId, b: ValueId) -> Result<ValueId, VerifyError> {
        self.push(OpKind::Sub, &[a, b], None)
    }

    /// Negation.
    pub fn neg(&mut self, x: ValueId) -> Result<ValueId, VerifyError> {
        self.push(OpKind::Neg, &[x], None)
    }

    /// Product of two polynomials in evaluation form.
    pub fn mul(&mut self, a: ValueId, b: ValueId) -> Result<ValueId, VerifyError> {
        self.push(OpKind::Mul, &[a, b], None)
    }

    /// Every word of tower i times `residues[i]`.
    pub fn mul_scalar(&mut self, x: ValueId, residues: &[u128]) -> Result<ValueId, VerifyError> {
        self.push(
            OpKind::MulScalar {
                residues: residues.to_vec(),
            },
            &[x],
            None,
        )
    }

    /// `residues[i]` added to every word of tower i.
    pub fn add_scalar(&mut self, x: ValueId, residues: &[u128]) -> Result<ValueId, VerifyError> {
        self.push(
            OpKind::AddScalar {
                residues: residues.to_vec(),
            },
            &[x],
            None,
        )
    }

    /// X -> X^galois.
    pub fn automorphism(&mut self, x: ValueId, galois: u64) -> Result<ValueId, VerifyError> {
        self.push(OpKind::Automorphism { galois }, &[x], None)
    }

    /// Some towers of a polynomial or array, in the order of `basis`.
    pub fn towers(&mut self, x: ValueId, basis: &Basis) -> Result<ValueId, VerifyError> {
        let ty = match self.func.types.get(x.index()) {
            Some(Type::Array { domain, len, .. }) => Type::array(basis, *domain, *len),
            Some(Type::Poly { domain, .. }) => Type::poly(basis, *domain),
            _ => Type::poly(basis, Domain::Coeff),
        };
        self.push(OpKind::Towers, &[x], Some(ty))
    }

    /// The towers of both, `x` first.
    pub fn concat(&mut self, x: ValueId, y: ValueId) -> Result<ValueId, VerifyError> {
        self.push(OpKind::Concat, &[x, y], None)
    }

    /// The words of one tower, read as integers, under every prime of `basis`.
    pub fn switch_modulus(&mut self, x: ValueId, basis: &Basis) -> Result<ValueId, VerifyError> {
        self.push(
            OpKind::SwitchModulus,
            &[x],
            Some(Type::poly(basis, Domain::Coeff)),
        )
    }

    /// One item of an array.
    pub fn element(&mut self, x: ValueId, index: u16) -> Result<ValueId, VerifyError> {
        self.push(OpKind::Element { index }, &[x], None)
    }

    /// Draws a polynomial from a stream of the seed.
    pub fn sample(
        &mut self,
        dist: Distribution,
        stream: &str,
        basis: &Basis,
        domain: Domain,
        seed: ValueId,
    ) -> Result<ValueId, VerifyError> {
        let kind = OpKind::Sample {
            dist,
            stream: stream.to_owned(),
        };
        self.push(kind, &[seed], Some(Type::poly(basis, domain)))
    }

    /// Calls a finished function of the module.
    pub fn call(&mut self, func: FuncId, args: &[ValueId]) -> Result<Vec<ValueId>, VerifyError> {
        self.push_op(OpKind::Call { func }, args, Vec::new())
    }

    /// Ends the function and adds it to the module.
    pub fn finish(mut self, returns: &[ValueId]) -> Result<FuncId, VerifyError> {
        if let Some(error) = self.late {
            return Err(error);
        }
        if let Some(value) = returns.iter().find(|v| v.index() >= self.func.types.len()) {
            return Err(self.error(format!("returned value {} is not defined", value.0)));
        }
        if self.module.find(&self.func.name).is_some() {
            return Err(self.error("the module has a function of this name already".into()));
        }
        self.func.returns = returns.to_vec();
        let id = FuncId(self.module.funcs.len() as u32);
        self.module.by_name.insert(self.func.name.clone(), id);
        self.module.funcs.push(self.func);
        Ok(id)
    }

    fn push(
        &mut self,
        kind: OpKind,
        args: &[ValueId],
        result: Option<Type>,
    ) -> Result<ValueId, VerifyError> {
        Ok(self.push_op(kind, args, result.into_iter().collect())?[0])
    }

    fn push_op(
        &mut self,
        kind: OpKind,
        args: &[ValueId],
        written: Vec<Type>,
    ) -> Result<Vec<ValueId>, VerifyError> {
        let mut op = Op {
            kind,
            args: args.to_vec(),
            results: Vec::new(),
            loc: self.loc.clone(),
        };
        let types = self
            .typed(&op, &written)
            .map_err(|message| self.op_error(&op, message))?;
        op.results = types.into_iter().map(|ty| self.define(ty, None)).collect();
        let defined = op.results.clone();
        self.func.ops.push(op);
        Ok(defined)
    }

    fn typed(&self, op: &Op, written: &[Type]) -> Result<Vec<Type>, String> {
        let operand = |v: &ValueId| {
            self.func
                .types
                .get(v.index())
                .ok_or_else(|| format!("%{} is not defined", v.0))
        };
        let args = op
            .args
            .iter()
            .map(operand)
            .collect::<Result<Vec<&Type>, String>>()?;
        results(&self.module.scope(), &op.kind, &args, written)
    }

    fn define(&mut self, ty: Type, name: Option<String>) -> ValueId {
        let id = ValueId(self.func.types.len() as u32);
        self.func.types.push(ty);
        self.names.taken.extend(name.clone());
        self.func.names.push(name);
        id
    }

    fn fail_late(&mut self, message: String) {
        let error = self.error(message);
        self.late.get_or_insert(error);
    }

    fn error(&self, message: String) -> VerifyError {
        VerifyError {
            function: Some(self.func.name.clone()),
            operation: None,
            loc: self.loc.clone(),
            message,
        }
    }

    fn op_error(&self, op: &Op, message: String) -> VerifyError {
        let operation = Some(describe_op(&self.module.funcs, &self.func, op));
        VerifyError {
            operation,
            ..self.error(message)
        }
    }
}

/// The names of a function's values.
#[derive(Default)]
struct Names {
    taken: HashSet<String>,
    /// The number that the next value of a taken name tries first.
    next: HashMap<String, u32>,
}

impl Names {
    /// Takes the name, with a number behind it where it is taken.
    fn take(&mut self, name: &str) -> String {
        let mut free = name.to_owned();
        while self.taken.contains(&free) {
            let number = self.next.entry(name.to_owned()).or_insert(2);
            free = format!("{name}_{number}");
            *number += 1;
        }
        self.taken.insert(free.clone());
        free
    }
}
