//! The reference interpreter: what every ring program means, bit for bit.
//!
//! It runs operations one by one, towers one by one, words one by one, straight from the
//! definitions of [`ring`](crate::ring), and shares no code with the kernels or the CPU target:
//! transforms, automorphisms and reductions are written here once more, on the arithmetic of
//! `ringwright-arith` alone. Only the samplers are shared, since they define their bits. A
//! composite is an ordinary function whose body, the expansion, is run. Generic over the word:
//! u64 for primes below 2^62, u128 for primes below 2^127.
//!
//! Intermediate values are wiped when a function ends, whether or not an input is secret.

mod operations;
mod transform;

use crate::arguments;
use crate::ring::{verify, Function, Module, Op, OpKind};
use crate::{Backend, Kernel, RunError, Value};
use operations::{as_poly, in_array, Operations};
use ringwright_arith::{Modulus, Word};
use std::sync::Arc;
use transform::Transform;
use zeroize::Zeroize;

/// The interpreter as a backend, with 64-bit words.
#[derive(Clone, Copy, Debug, Default)]
pub struct Interpreter;

impl Backend for Interpreter {
    fn prepare(&self, module: &Module) -> Result<Arc<dyn Kernel>, RunError> {
        Ok(Arc::new(Program::<u64>::new(module)?))
    }
}

/// Runs the entry function once.
pub fn run<W: Word>(module: &Module, inputs: &[Value<W>]) -> Result<Vec<Value<W>>, RunError> {
    Program::new(module)?.run(inputs)
}

/// A verified module with the constants of its primes.
struct Program<W: Word> {
    module: Module,
    towers: Vec<Tower<W>>,
}

/// What is known of one prime.
struct Tower<W: Word> {
    modulus: Modulus<W>,
    transform: Transform<W>,
}

impl<W: Word> Program<W> {
    fn new(module: &Module) -> Result<Self, RunError> {
        verify(module)?;
        let towers = module.primes.iter().map(|&q| Tower::new(module.log_n, q));
        Ok(Program {
            module: module.clone(),
            towers: towers.collect::<Result<_, _>>()?,
        })
    }

    fn run(&self, inputs: &[Value<W>]) -> Result<Vec<Value<W>>, RunError> {
        arguments::check(&self.module, inputs)?;
        self.function(self.module.entry(), inputs.to_vec())
    }

    fn function(&self, func: &Function, args: Vec<Value<W>>) -> Result<Vec<Value<W>>, RunError> {
        let mut values = args;
        for op in &func.ops {
            let args: Vec<Value<W>> = op.args.iter().map(|v| values[v.index()].clone()).collect();
            values.extend(self.op(func, op, args)?);
        }
        let returned = func
            .returns
            .iter()
            .map(|v| values[v.index()].clone())
            .collect();
        values.into_iter().for_each(wipe);
        Ok(returned)
    }

    fn op(&self, func: &Function, op: &Op, args: Vec<Value<W>>) -> Result<Vec<Value<W>>, RunError> {
        let result = func.ty(op.results[0]);
        let operand = op.args.first().map(|&v| func.ty(v));
        let operations = Operations {
            towers: &self.towers,
            n: self.module.n(),
            operand,
            result,
        };
        let poly = |i: usize| as_poly(&args[i]);
        let one = match &op.kind {
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
            OpKind::Towers => return Ok(vec![operations.towers(&args[0])]),
            OpKind::Concat => operations.concat(poly(0)?, poly(1)?),
            OpKind::SwitchModulus => operations.switch_modulus(poly(0)?),
            OpKind::Element { index } => in_array(&args[0], *index)?.clone(),
            OpKind::Sample { dist, stream } => operations.sample(*dist, stream, &args[0])?,
            OpKind::Call { func } => return self.function(self.module.func(*func), args),
        };
        Ok(vec![Value::Poly(Arc::new(one))])
    }
}

impl Kernel for Program<u64> {
    fn run(&self, inputs: &[Value]) -> Result<Vec<Value>, RunError> {
        Program::run(self, inputs)
    }
}

impl<W: Word> Tower<W> {
    fn new(log_n: u32, q: u128) -> Result<Self, RunError> {
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
        let transform = Transform::new(log_n, &modulus).map_err(unsupported)?;
        Ok(Tower { modulus, transform })
    }
}

/// Overwrites a value that nobody else holds.
fn wipe<W: Word>(value: Value<W>) {
    match value {
        Value::Poly(poly) => {
            if let Some(mut poly) = Arc::into_inner(poly) {
                poly.zeroize();
            }
        }
        Value::Array(items) => {
            if let Some(items) = Arc::into_inner(items) {
                items.into_iter().for_each(|mut item| item.zeroize());
            }
        }
        Value::Seed(_) => {}
    }
}
