//! The reference interpreter: what every ring program means, bit for bit.
//!
//! It runs operations one by one, towers one by one, words one by one, straight from the
//! definitions of [`ring`](crate::ring), and shares no code with the kernels or the CPU target:
//! transforms, automorphisms and reductions are written here once more, on the arithmetic of
//! `ringwright-arith` alone. Only the samplers are shared, since they define their bits. A
//! composite is an ordinary function whose body, the expansion, is run. Generic over the word:
//! u64 for primes below 2^62, u128 for primes below 2^127.
//!
//! Intermediate values are wiped by the operation that reads them last, whether or not an input is
//! secret, so that a long program holds no more of them than it still needs. It takes time in
//! proportion to the operations that run; its own recursion is that of calls, whose depth the
//! verifier limits.

mod frame;
mod operations;
mod transform;
mod unfolded;

use crate::ring::{verify, FuncId, Function, LastRead, Module, OpKind, Type};
use crate::{arguments, interrupt, RunError, Value};
use frame::Frame;
use operations::{as_poly, in_array, Operations};
use ringwright_arith::{Modulus, RingKind, Word};
use std::sync::Arc;
use transform::Transform;

/// The interpreter with 64-bit words.
#[derive(Clone, Copy, Debug, Default)]
pub struct Interpreter;

impl Interpreter {
    /// Checks a program and makes it ready to run many times.
    pub fn prepare(&self, module: &Module) -> Result<Interpreted, RunError> {
        Ok(Interpreted(Program::new(module)?))
    }
}

/// A program that is ready to be interpreted.
pub struct Interpreted(Program<u64>);

impl Interpreted {
    /// Runs the entry function; one value per returned value.
    pub fn run(&self, inputs: &[Value]) -> Result<Vec<Value>, RunError> {
        self.0.run(inputs)
    }
}

/// Runs the entry function once.
pub fn run<W: Word>(module: &Module, inputs: &[Value<W>]) -> Result<Vec<Value<W>>, RunError> {
    Program::new(module)?.run(inputs)
}

/// A verified module with the constants of its primes.
struct Program<W: Word> {
    module: Module,
    /// Of every function, when each of its values is read last.
    last_reads: Vec<Vec<LastRead>>,
    definitions: Definitions<W>,
}

impl<W: Word> Program<W> {
    fn new(module: &Module) -> Result<Self, RunError> {
        verify(module)?;
        Ok(Program {
            module: module.clone(),
            last_reads: module.funcs.iter().map(Function::last_reads).collect(),
            definitions: Definitions::new(module.kind, module.log_n, &module.primes)?,
        })
    }

    fn run(&self, inputs: &[Value<W>]) -> Result<Vec<Value<W>>, RunError> {
        arguments::check(&self.module, inputs)?;
        self.function(self.module.entry, inputs.to_vec())
    }

    fn function(&self, id: FuncId, args: Vec<Value<W>>) -> Result<Vec<Value<W>>, RunError> {
        let func = self.module.func(id);
        let mut frame = Frame::new(&self.last_reads[id.index()], args);
        for (index, op) in func.ops.iter().enumerate() {
            interrupt::check()?;
            let args = frame.operands(index, op);
            frame.define(match op.kind {
                OpKind::Call { func } => self.function(func, args)?,
                _ => {
                    let operand = op.args.first().map(|&v| func.ty(v));
                    let result = func.ty(op.results[0]);
                    let value = self.definitions.run(&op.kind, operand, result, &args)?;
                    args.into_iter().for_each(Value::wipe);
                    vec![value]
                }
            });
        }
        Ok(frame.finish(func))
    }
}

/// The operations over one ring and its primes, by their definitions.
pub struct Definitions<W: Word> {
    towers: Vec<Tower<W>>,
    kind: RingKind,
    n: usize,
}

impl<W: Word> Definitions<W> {
    /// Computes the constants of the primes; refuses one that the word does not hold.
    pub fn new(kind: RingKind, log_n: u32, primes: &[u128]) -> Result<Self, RunError> {
        let towers = primes.iter().map(|&q| Tower::new(kind, log_n, q));
        Ok(Definitions {
            towers: towers.collect::<Result<_, _>>()?,
            kind,
            n: 1 << log_n,
        })
    }

    /// The result of one operation of a verified function that is no call. `operand` is the type of
    /// its first operand, `result` that of its result; the operands have the types that it takes.
    pub fn run(
        &self,
        kind: &OpKind,
        operand: Option<&Type>,
        result: &Type,
        args: &[Value<W>],
    ) -> Result<Value<W>, RunError> {
        let operations = Operations {
            towers: &self.towers,
            kind: self.kind,
            n: self.n,
            operand,
            result,
        };
        let poly = |i: usize| as_poly(&args[i]);
        let one = match kind {
            OpKind::Zero => operations.zero(),
            OpKind::Ntt => operations.ntt(poly(0)?),
            OpKind::Intt => operations.intt(poly(0)?),
            OpKind::Add => operations.pairwise(poly(0)?, poly(1)?, Modulus::add),
            OpKind::Sub => operations.pairwise(poly(0)?, poly(1)?, Modulus::sub),
            OpKind::Mul => operations.pairwise(poly(0)?, poly(1)?, Modulus::mul),
            OpKind::Neg => operations.each_word(poly(0)?, |q, _, x| q.neg(x)),
            OpKind::MulScalar { residues } => {
                operations.each_word(poly(0)?, |q, i, x| q.mul(x, W::from_u128(residues[i])))
            }
            OpKind::AddScalar { residues } => {
                operations.each_word(poly(0)?, |q, i, x| q.add(x, W::from_u128(residues[i])))
            }
            OpKind::Automorphism { galois } => operations.automorphism(poly(0)?, *galois),
            OpKind::Towers => return Ok(operations.towers(&args[0])),
            OpKind::Concat => operations.concat(poly(0)?, poly(1)?),
            OpKind::SwitchModulus => operations.switch_modulus(poly(0)?),
            OpKind::Element { index } => in_array(&args[0], *index)?.clone(),
            OpKind::Sample { dist, stream } => operations.sample(*dist, stream, &args[0])?,
            OpKind::Call { .. } => {
                return Err(RunError::Invalid("a call is no single operation".into()))
            }
        };
        Ok(Value::Poly(Arc::new(one)))
    }
}

/// What is known of one prime. The transform is that of the standard ring that operations are run in.
struct Tower<W: Word> {
    modulus: Modulus<W>,
    transform: Transform<W>,
}

impl<W: Word> Tower<W> {
    fn new(kind: RingKind, log_n: u32, q: u128) -> Result<Self, RunError> {
        let unsupported = |reason: String| RunError::Unsupported {
            machine: format!("the interpreter with {}-bit words", W::BITS),
            reason,
        };
        if q >> W::MAX_MODULUS_BITS != 0 {
            let bits = W::MAX_MODULUS_BITS;
            return Err(unsupported(format!(
                "prime {q}; allowed are primes below 2^{bits}"
            )));
        }
        let modulus = Modulus::new(W::from_u128(q)).map_err(|e| unsupported(e.to_string()))?;
        // The degree of the standard ring that the words are unfolded to.
        let log_degree = kind.log_order(log_n) - 1;
        let transform = Transform::new(log_degree, &modulus).map_err(unsupported)?;
        Ok(Tower { modulus, transform })
    }
}
