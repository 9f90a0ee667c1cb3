//! The `ring` dialect: functions over the towers of RNS polynomials.
//!
//! A [`Module`] fixes the ring's kind and degree and a list of primes; every polynomial type names the primes
//! it is held under by their [`TowerIdx`]. An operation acts on all towers of its operands at once,
//! so the loop over towers is folded into the type. Other repetition is folded into functions and
//! calls: an entry function of a CKKS program is a list of calls.
//!
//! **Composites** are functions that carry a [`Composite`] tag. Their body is the expansion that
//! fixes every bit; the interpreter runs it, and a target that has something better recognises the
//! tag and replaces the call, with the same bits.
//!
//! Evaluation form is in bit-reversed order: word `i` of a tower holds a(psi^(2*brv(i)+1)), with
//! psi the smallest primitive 2N-th root of unity modulo the prime; in a conjugate-invariant ring
//! a(psi^(4*brv(i)+1)), with psi of order 4N ([`RingKind`]). Every word is fully reduced.

pub use ringwright_arith::RingKind;
use std::fmt;

mod builder;
mod composite_signature;
pub mod composites;
mod count;
mod digits;
mod error;
mod last_reads;
mod needed;
pub(crate) mod printer;
mod shape;
mod signature;
mod streams;
mod verify;

pub use builder::{FunctionBuilder, ModuleBuilder};
pub use count::{count_entry, towers_expanded, Count};
pub use digits::Digits;
pub use error::VerifyError;
pub use last_reads::LastRead;
pub use printer::print;
pub(crate) use signature::{infer, Scope};
pub use verify::{verify, MAX_CALL_DEPTH};

/// Index of a prime in [`Module::primes`].
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct TowerIdx(pub u16);

/// An ordered list of distinct primes, the towers of a polynomial in memory order.
#[derive(Clone, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Basis(pub Vec<TowerIdx>);

/// The form of a polynomial's words.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Domain {
    /// Coefficients of X^0 .. X^(N-1); in a conjugate-invariant ring of 1 and X^i + X^-i.
    Coeff,
    /// Evaluations at powers of psi, bit-reversed.
    Eval,
}

/// The type of a ring value.
#[derive(Clone, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Type {
    /// A polynomial of the module's ring under the primes of `basis`.
    Poly {
        /// The primes, in memory order.
        basis: Basis,
        /// The form of its words.
        domain: Domain,
    },
    /// `len` polynomials of one type, for instance an evaluation key.
    Array {
        /// The primes of every item.
        basis: Basis,
        /// The form of every item.
        domain: Domain,
        /// Number of items, at least 1.
        len: u16,
    },
    /// A secret 32-byte seed, fresh for every run.
    Seed,
}

/// A value inside one function; numbered from 0 in order of definition, parameters first.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct ValueId(pub u32);

/// A function inside one module.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct FuncId(pub u32);

/// What of a program asks for work on a device.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Source {
    /// The ring function.
    pub name: std::sync::Arc<str>,
    /// Which of the entry function's calls it is part of, from 0; `None` for operations of its own.
    pub call: Option<usize>,
    /// The line of the user's program.
    pub loc: Option<Loc>,
}

/// Where an operation came from in the user's program.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Loc {
    /// File name as the user wrote it (no directory).
    pub file: String,
    /// Line, counted from 1.
    pub line: u32,
}

impl fmt::Display for Loc {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}:{}", self.file, self.line)
    }
}

/// A distribution of polynomial coefficients; the bits are fixed by `ringwright_ring::sampler`.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Distribution {
    /// Each residue uniform in [0, q); a tower reads the part of the stream that its prime's
    /// [`TowerIdx`] numbers.
    Uniform,
    /// Uniform over {-1, 0, 1}, the same integer polynomial under every prime; like the other
    /// small distributions it reads part 0 of the stream.
    Ternary,
    /// Centred binomial with k = 21, sigma = sqrt(21/2); the same integers under every prime.
    Binomial21,
    /// Uniform in [-2^bits, 2^bits), the same integers under every prime (noise flooding);
    /// bits <= 62.
    Flood {
        /// log2 of the bound.
        bits: u8,
    },
}

/// What an operation does. Operands are in [`Op::args`], result types on the function's values.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub enum OpKind {
    /// `() -> poly`: all words zero.
    Zero,
    /// `poly[coeff] -> poly[eval]`: number-theoretic transform of every tower.
    Ntt,
    /// `poly[eval] -> poly[coeff]`: its inverse, 1/N included.
    Intt,
    /// `poly, poly -> poly`: word by word; same basis and domain.
    Add,
    /// As `Add`.
    Sub,
    /// `poly -> poly`.
    Neg,
    /// `poly[eval], poly[eval] -> poly[eval]`: word by word.
    Mul,
    /// `poly -> poly`: every word of tower i times `residues[i]`, in either domain.
    MulScalar {
        /// One factor per tower of the operand, reduced.
        residues: Vec<u128>,
    },
    /// `poly -> poly`: `residues[i]` added to **every word** of tower i, in either domain.
    AddScalar {
        /// One summand per tower of the operand, reduced.
        residues: Vec<u128>,
    },
    /// `poly -> poly`: X -> X^galois, one of the ring's Galois elements; in either domain.
    Automorphism {
        /// The Galois element.
        galois: u64,
    },
    /// `poly -> poly` or `array -> array`: the towers of the result's basis, a subset of the
    /// operand's, in the result's order.
    Towers,
    /// `poly (k towers), poly (l towers) -> poly`: towers of both, in this order.
    Concat,
    /// `poly[q; coeff] -> poly[basis; coeff]`: one tower in; each word, read as an integer in
    /// [0, q), reduced modulo every prime of the result (which may contain q itself).
    SwitchModulus,
    /// `array -> poly`: item `index`.
    Element {
        /// Which item, from 0.
        index: u16,
    },
    /// `seed -> poly[coeff]` (or eval for `Uniform`, which is uniform in either form).
    /// A stream name occurs once in a whole program run.
    Sample {
        /// What is drawn.
        dist: Distribution,
        /// Name of the stream, 1 to 255 bytes.
        stream: String,
    },
    /// Calls a function of the module that stands before the caller.
    Call {
        /// The callee.
        func: FuncId,
    },
}

/// One operation.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Op {
    /// What it does, with its attributes.
    pub kind: OpKind,
    /// Operands.
    pub args: Vec<ValueId>,
    /// Results, numbered in order of definition.
    pub results: Vec<ValueId>,
    /// The user's source line.
    pub loc: Option<Loc>,
}

/// What a composite function computes; its operands' types say the rest.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Composite {
    /// `poly[A; coeff] -> poly[B; coeff]`: the centred representative in (-A/2, A/2) of the
    /// argument, under the primes of B. Exact for every input.
    BasisExtension,
    /// `poly[A; coeff] -> poly[B; coeff]`: a number congruent to the argument modulo A, in
    /// [-kA/2, kA/2] for the k primes a of A, under the primes of B: the sum over a of
    /// (x (A/a)^-1 mod a, centred) A/a. Minus x gives minus that number.
    FastExtension,
    /// `poly[A,P; d] -> poly[A; d]`: round(x / prod P), nearest; exact for every input.
    /// P is the tail of the argument's basis. Rescaling drops one prime with it.
    ModDown,
    /// The same with the remainder of [`Composite::FastExtension`]: what a product of k primes divides
    /// is off by at most k/2.
    FastModDown,
    /// `poly[Q; eval], array[K; eval] -> poly[Q; eval], poly[Q; eval]`: inner product of the
    /// digits of the first argument (groups of its towers, each brought under QP by a
    /// FastExtension) with the key, (b0, a0, b1, a1, ..), then FastModDown by P. P is the last
    /// `special` towers of K, and Q is among the others: a key held for all levels serves the lower
    /// ones, with its first items, two for each digit of Q, restricted to QP.
    KeySwitch {
        /// How the towers of Q are grouped.
        digits: Digits,
        /// Number of special primes P.
        special: u16,
    },
    /// `poly[Q; eval], array[K; eval] -> poly[QP; eval], poly[QP; eval]`: the same inner product, not
    /// divided: P times what the key switch gives.
    KeyProduct {
        /// How the towers of Q are grouped.
        digits: Digits,
        /// Number of special primes P.
        special: u16,
    },
}

/// A named parameter of a function.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Param {
    /// Unique in the function.
    pub name: String,
    /// Its type.
    pub ty: Type,
    /// Secret inputs make an executor zeroise its working memory after the run.
    pub secret: bool,
}

/// A function: parameters, then operations in order, then the returned values.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Function {
    /// Unique in the module, for instance `ckks.mul_relin@6`.
    pub name: String,
    /// The first values.
    pub params: Vec<Param>,
    /// The body, in order of execution.
    pub ops: Vec<Op>,
    /// The results, at least one; a value may be returned twice.
    pub returns: Vec<ValueId>,
    /// Type of every value; `types[0..params.len()]` are the parameters' types.
    pub types: Vec<Type>,
    /// Optional name of every value, parallel to `types`, unique in the function; a parameter's
    /// is its own. For text and errors only.
    pub names: Vec<Option<String>>,
    /// What the function computes, if that has a name of its own.
    pub composite: Option<Composite>,
    /// Whether it is a list of kernels, as the entry is: it only calls, and only the entry and functions
    /// in steps call it. What it calls a device may run with barriers between.
    pub steps: bool,
}

/// A program: functions over one ring and one list of primes.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Module {
    /// The ring.
    pub kind: RingKind,
    /// log2 of the ring degree N, 4..=17.
    pub log_n: u32,
    /// Distinct primes, each 1 modulo 2N or, in a conjugate-invariant ring, 4N; below 2^127.
    pub primes: Vec<u128>,
    /// Callees stand before their callers.
    pub funcs: Vec<Function>,
    /// The function that a run starts.
    pub entry: FuncId,
}
