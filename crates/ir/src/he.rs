//! The `he` dialect: ciphertext operations, whatever the scheme.
//!
//! A type says what a value *is*: parts, level, what kind of message. What a scheme *knows* of it
//! (scale, magnitude, noise) is the scheme's own record, which it computes from the operations and
//! from what the program [claims](Claim); so whoever writes a program need not know of noise. The
//! verifier checks what holds for every scheme: levels, parts and messages agree.
//!
//! A program is a list of functions, the last of which is its entry. What is computed several times, a
//! bootstrapping for instance, is a function that is called ([`HeOpKind::Call`]): it is written once for
//! each type of its inputs, and computes what its operations would in place of the call.

use crate::ring::{Loc, ValueId};
use std::fmt;

mod printer;
mod verify;

pub use printer::print_he;
pub use verify::{verify, MAX_CALLED};

/// What an encrypted vector is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct CtType {
    /// Polynomials: 2, or 3 after a multiplication that was not relinearised.
    pub parts: u8,
    /// Towers of the ciphertext modulus that remain, at least 1.
    pub level: u16,
    /// What its slots are.
    pub message: Message,
    /// The secret that it is encrypted under.
    pub secret: SecretId,
}

/// What the slots of an encrypted vector are.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Message {
    /// Complex numbers with an error (CKKS).
    Approximate,
    /// Integers modulo t, times a known factor (BGV).
    Exact {
        /// t, at least 2.
        modulus: u64,
        /// 1 to t - 1: what the slots are multiplied with, modulo t.
        factor: u64,
    },
}

/// A plaintext vector, repeated to fill the slots (the length divides the number of slots).
#[derive(Clone, Debug, PartialEq)]
pub struct Constant {
    /// Unique in the program.
    pub name: String,
    /// What is known of it when the program is built.
    pub values: Values,
}

/// What is known of a plaintext vector. A length is a power of two.
#[derive(Clone, Debug, PartialEq)]
pub enum Values {
    /// Real slot values.
    Real(Vec<f64>),
    /// Complex slot values: real and imaginary part.
    Complex(Vec<[f64; 2]>),
    /// Integer slot values, the only ones for exact messages.
    Integer(Vec<i64>),
    /// An argument of the program, real, given with each run, within these bounds.
    Argument {
        /// Largest absolute slot value.
        max: f64,
        /// Root mean square of the slot values.
        rms: f64,
    },
}

impl Values {
    /// Largest absolute value and root mean square.
    pub fn magnitude(&self) -> (f64, f64) {
        match self {
            Values::Real(values) => magnitude(values),
            Values::Complex(values) => {
                let absolute: Vec<f64> = values.iter().map(|[re, im]| re.hypot(*im)).collect();
                magnitude(&absolute)
            }
            Values::Integer(values) => {
                let reals: Vec<f64> = values.iter().map(|&value| value as f64).collect();
                magnitude(&reals)
            }
            &Values::Argument { max, rms } => (max, rms),
        }
    }

    /// Absolute value in a slot, or what it does not exceed.
    pub fn size(&self, slot: usize) -> f64 {
        match self {
            Values::Real(values) => values[slot % values.len()].abs(),
            Values::Complex(values) => {
                let [re, im] = values[slot % values.len()];
                re.hypot(im)
            }
            Values::Integer(values) => (values[slot % values.len()] as f64).abs(),
            Values::Argument { max, .. } => *max,
        }
    }

    /// The same from `steps` to the right; for what is known in every slot.
    pub fn turned_right(mut self, steps: usize) -> Self {
        match &mut self {
            Values::Real(values) => values.rotate_right(steps),
            Values::Complex(values) => values.rotate_right(steps),
            Values::Integer(values) => values.rotate_right(steps),
            Values::Argument { .. } => {}
        }
        self
    }

    /// The real number that stands in every slot, if that is known.
    pub fn uniform(&self) -> Option<f64> {
        match self {
            Values::Real(values) => match values[..] {
                [value] => Some(value),
                _ => None,
            },
            Values::Integer(values) => match values[..] {
                [value] => Some(value as f64),
                _ => None,
            },
            Values::Complex(_) | Values::Argument { .. } => None,
        }
    }
}

/// Of a matrix by its diagonals, each read from so many slots on: the largest sum of a row's sizes, and the
/// largest root of the sum of their squares.
pub fn largest_rows<'v>(
    diagonals: impl IntoIterator<Item = (usize, &'v Values)>,
    slots: usize,
) -> [f64; 2] {
    let mut rows = vec![[0.0; 2]; slots];
    for (begin, values) in diagonals {
        for (slot, [sum, squares]) in rows.iter_mut().enumerate() {
            let size = values.size((slot + begin) % slots);
            *sum += size;
            *squares += size * size;
        }
    }
    let largest = |which: usize| rows.iter().map(|row| row[which]).fold(0.0, f64::max);
    [largest(0), largest(1).sqrt()]
}

/// Largest absolute value and root mean square.
pub fn magnitude(values: &[f64]) -> (f64, f64) {
    let squares: f64 = values.iter().map(|v| v * v).sum();
    let max = values.iter().fold(0f64, |max, v| max.max(v.abs()));
    (max, (squares / values.len() as f64).sqrt())
}

/// What whoever wrote the program knows of the plain function that it computes, and single operations
/// do not show.
#[derive(Clone, Debug, PartialEq)]
pub struct Claim {
    /// Operations before it: an analysis knows it from there on.
    pub after: usize,
    /// What is claimed.
    pub fact: Fact,
}

/// A property of values in the clear.
#[derive(Clone, Debug, PartialEq)]
pub enum Fact {
    /// The slots of a value are at most this large.
    Bounded {
        /// The value.
        value: ValueId,
        /// Above 0.
        max: f64,
    },
    /// A change of a slot of `of` changes that slot of `value` at most `gain` times as much: the slope
    /// of a function.
    Slope {
        /// The function's value.
        value: ValueId,
        /// Its argument.
        of: ValueId,
        /// 0 or more.
        gain: f64,
    },
    /// Slots of `value` are sums of slots of `of`, times weights whose squares add up to `norm`² at
    /// most: a matrix.
    Rows {
        /// The product.
        value: ValueId,
        /// The vector.
        of: ValueId,
        /// 0 or more.
        norm: f64,
    },
    /// Every slot of `value` is a slot of one of these, or zero: what masks cut out and rotations put
    /// side by side.
    Placed {
        /// The value.
        value: ValueId,
        /// At least one.
        of: Vec<ValueId>,
    },
    /// The errors of the slots of `value` have nothing in common: what a unitary matrix, or one that is but
    /// for a factor, makes of errors that have nothing in common.
    Even {
        /// The value.
        value: ValueId,
    },
    /// `value` is off by no more than `off` in any slot, whatever its operations seem to make of errors:
    /// an iteration that converges forgets them.
    Settled {
        /// The value.
        value: ValueId,
        /// 0 or more.
        off: f64,
    },
    /// `value` stands for `of`: the plain function has the same slots in both, and what an operation
    /// computes in between misses them by no more than `off`.
    Near {
        /// The value.
        value: ValueId,
        /// What it stands for.
        of: ValueId,
        /// 0 or more.
        off: f64,
    },
    /// `value` is `of` with its error and no more than `off` in any slot besides, whatever its operations seem
    /// to make of errors: what was measured was taken away.
    Corrected {
        /// The value.
        value: ValueId,
        /// What it is.
        of: ValueId,
        /// 0 or more.
        off: f64,
    },
}

impl Fact {
    /// The word of the text form.
    pub fn name(&self) -> &'static str {
        match self {
            Fact::Bounded { .. } => "bounded",
            Fact::Slope { .. } => "slope",
            Fact::Rows { .. } => "rows",
            Fact::Placed { .. } => "placed",
            Fact::Even { .. } => "even",
            Fact::Settled { .. } => "settled",
            Fact::Near { .. } => "near",
            Fact::Corrected { .. } => "corrected",
        }
    }

    /// The value it is about.
    pub fn value(&self) -> ValueId {
        match *self {
            Fact::Bounded { value, .. }
            | Fact::Slope { value, .. }
            | Fact::Rows { value, .. }
            | Fact::Placed { value, .. }
            | Fact::Even { value }
            | Fact::Settled { value, .. }
            | Fact::Near { value, .. }
            | Fact::Corrected { value, .. } => value,
        }
    }

    /// The values that it is said to come from.
    pub fn sources(&self) -> &[ValueId] {
        match self {
            Fact::Bounded { .. } | Fact::Even { .. } | Fact::Settled { .. } => &[],
            Fact::Slope { of, .. }
            | Fact::Rows { of, .. }
            | Fact::Near { of, .. }
            | Fact::Corrected { of, .. } => std::slice::from_ref(of),
            Fact::Placed { of, .. } => of,
        }
    }
}

/// What an operation does.
#[derive(Clone, Debug, PartialEq)]
pub enum HeOpKind {
    /// Sum; levels, parts and messages agree.
    Add,
    /// Difference, of operands as a sum's.
    Sub,
    /// Negation.
    Neg,
    /// Ciphertext and constant, encoded as the ciphertext is.
    AddConstant {
        /// Index into [`Program::constants`].
        constant: usize,
    },
    /// Ciphertext and constant, encoded at the ciphertext's level.
    MulConstant {
        /// Index into [`Program::constants`].
        constant: usize,
        /// The factor that the constant is encoded with; 1 for exact messages.
        scale: f64,
    },
    /// Three parts out.
    Mul,
    /// Three parts in, two out; needs the `mult` key.
    Relinearise,
    /// Multiplication and relinearisation in one ring function.
    MulRelin,
    /// Drops the last tower and divides by it.
    Rescale,
    /// Drops towers down to `level`, the value unchanged.
    DropLevel {
        /// Towers that remain.
        level: u16,
    },
    /// Slots move `steps` to the left (negative: right); needs the rotation's key.
    Rotate {
        /// Slots to the left.
        steps: i32,
    },
    /// Complex conjugation of every slot; needs its key.
    Conjugate,
    /// Both at once, by one automorphism and its key.
    RotateConjugate {
        /// Slots to the left.
        steps: i32,
    },
    /// From one secret to another; needs the key between them.
    SwitchKey {
        /// The operand's secret.
        from: SecretId,
        /// The result's.
        to: SecretId,
    },
    /// From one tower to `level` of them: the encrypted polynomial, centred modulo the first prime, as an
    /// integer polynomial modulo all. Decrypted it is the message plus a multiple of that prime, which
    /// is small where the secret has few coefficients (bootstrapping takes it away again).
    Raise {
        /// Towers of the result, above 1.
        level: u16,
    },
    /// A matrix by its diagonals: for every term the operand's slots moved to the left by `baby` steps,
    /// times a constant, moved by `giant` steps, all added up. Scales multiply. What has the same `giant`
    /// is added up before it is moved, and nothing is divided by the special primes before (Bossuat,
    /// Mouchet, Troncoso-Pastoriza, Hubaux, "Efficient Bootstrapping for Approximate Homomorphic
    /// Encryption with Non-Sparse Keys", EUROCRYPT 2021, section 4). Needs the key of every step.
    Transform {
        /// At least one.
        terms: Vec<Term>,
        /// The factor that the constants are encoded with.
        scale: f64,
    },
    /// What a function computes; one result for each value that it returns.
    Call {
        /// Index into [`Program::functions`], below the calling function's own.
        function: usize,
    },
}

/// One diagonal of a matrix, or a part of one.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Term {
    /// Slots to the left, before the product.
    pub baby: i32,
    /// Slots to the left, behind it.
    pub giant: i32,
    /// Index into [`Program::constants`].
    pub constant: usize,
}

/// One operation; one result, or those of a call.
#[derive(Clone, Debug, PartialEq)]
pub struct HeOp {
    /// What it does, with its attributes.
    pub kind: HeOpKind,
    /// Operands.
    pub args: Vec<ValueId>,
    /// The results: the next values of the function, in order.
    pub results: Vec<ValueId>,
    /// The user's source line.
    pub loc: Option<Loc>,
}

/// A key that a program needs.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum KeyId {
    /// Relinearisation.
    Mult,
    /// Automorphism by this Galois element.
    Galois(u64),
    /// From one secret to another.
    Switch {
        /// The secret that ciphertexts are under.
        from: SecretId,
        /// The secret that they come under.
        to: SecretId,
    },
}

/// Which of a program's secrets.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct SecretId(pub u16);

impl SecretId {
    /// The one that a program's inputs and results are under.
    pub const MAIN: Self = Self(0);
    /// Marks a secret of few coefficients; the other bits are how many.
    const SPARSE: u16 = 1 << 15;

    /// The one with so many coefficients that are not 0, which the main one's owner derives from it.
    /// `None` for 0 and from 2^15 on.
    pub fn sparse(weight: u16) -> Option<Self> {
        (1..Self::SPARSE)
            .contains(&weight)
            .then_some(Self(Self::SPARSE | weight))
    }

    /// How many coefficients of a sparse secret are not 0.
    pub fn weight(self) -> Option<u16> {
        let weight = self.0 & !Self::SPARSE;
        (self.0 != weight).then_some(weight)
    }
}

impl fmt::Display for SecretId {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.weight() {
            Some(weight) => write!(f, "h{weight}"),
            None => write!(f, "s{}", self.0),
        }
    }
}

impl fmt::Display for KeyId {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            KeyId::Mult => write!(f, "mult"),
            KeyId::Galois(element) => write!(f, "galois {element}"),
            KeyId::Switch { from, to } => write!(f, "switch {from} to {to}"),
        }
    }
}

/// A program over ciphertexts.
#[derive(Clone, Debug, PartialEq)]
pub struct Program {
    /// At least one, callees before their callers; the last is the entry.
    pub functions: Vec<Function>,
    /// Plaintext vectors that operations name by index.
    pub constants: Vec<Constant>,
}

/// A function over ciphertexts.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Function {
    /// Unique in the program; of the entry, the user's function.
    pub name: String,
    /// Parameters first, then the results of the operations.
    pub types: Vec<CtType>,
    /// Optional name of every value, parallel to `types`, unique.
    pub names: Vec<Option<String>>,
    /// Number of parameters.
    pub inputs: usize,
    /// The operations, in order.
    pub ops: Vec<HeOp>,
    /// The results, at least one.
    pub returns: Vec<ValueId>,
    /// What is known besides, in the order in which it became known.
    pub claims: Vec<Claim>,
    /// Where it is defined.
    pub loc: Option<Loc>,
}

impl HeOpKind {
    /// Whether it is an automorphism of the ring.
    pub fn is_automorphism(&self) -> bool {
        matches!(
            self,
            HeOpKind::Rotate { .. } | HeOpKind::Conjugate | HeOpKind::RotateConjugate { .. }
        )
    }

    /// The constants that it takes, by index into [`Program::constants`].
    pub fn constants_mut(&mut self) -> impl Iterator<Item = &mut usize> {
        let (one, terms) = match self {
            HeOpKind::AddConstant { constant } | HeOpKind::MulConstant { constant, .. } => {
                (Some(constant), [].iter_mut())
            }
            HeOpKind::Transform { terms, .. } => (None, terms.iter_mut()),
            _ => (None, [].iter_mut()),
        };
        one.into_iter().chain(terms.map(|term| &mut term.constant))
    }

    /// The word of the text form.
    pub fn name(&self) -> &'static str {
        match self {
            HeOpKind::Add => "add",
            HeOpKind::Sub => "sub",
            HeOpKind::Neg => "neg",
            HeOpKind::AddConstant { .. } => "add_constant",
            HeOpKind::MulConstant { .. } => "mul_constant",
            HeOpKind::Mul => "mul",
            HeOpKind::Relinearise => "relinearise",
            HeOpKind::MulRelin => "mul_relin",
            HeOpKind::Rescale => "rescale",
            HeOpKind::DropLevel { .. } => "drop_level",
            HeOpKind::Rotate { .. } => "rotate",
            HeOpKind::Conjugate => "conjugate",
            HeOpKind::RotateConjugate { .. } => "rotate_conjugate",
            HeOpKind::SwitchKey { .. } => "switch_key",
            HeOpKind::Raise { .. } => "raise",
            HeOpKind::Transform { .. } => "transform",
            HeOpKind::Call { .. } => "call",
        }
    }
}

impl Program {
    /// The function that is the program.
    ///
    /// # Panics
    /// On a program of no functions, which is not verified.
    pub fn entry(&self) -> &Function {
        self.functions.last().expect("a program has an entry")
    }

    /// The entry's name.
    ///
    /// # Panics
    /// As [`Program::entry`].
    pub fn name(&self) -> &str {
        &self.entry().name
    }

    /// Every operation of every function, with its function.
    pub fn ops(&self) -> impl Iterator<Item = (&Function, &HeOp)> {
        let functions = self.functions.iter();
        functions.flat_map(|function| function.ops.iter().map(move |op| (function, op)))
    }

    /// Plaintext vectors that are given with each run, by index into [`Program::constants`].
    pub fn plain_arguments(&self) -> impl Iterator<Item = usize> + '_ {
        let constants = self.constants.iter().enumerate();
        let given = constants.filter(|(_, c)| matches!(c.values, Values::Argument { .. }));
        given.map(|(index, _)| index)
    }
}

impl Function {
    /// Types of the values that it returns; of those that there are.
    pub fn returned(&self) -> impl Iterator<Item = &CtType> {
        let returns = self.returns.iter();
        returns.filter_map(|value| self.types.get(value.index()))
    }

    /// The value's name, `%index` where it has none.
    pub fn value_name(&self, value: ValueId) -> String {
        match self.names.get(value.index()) {
            Some(Some(name)) => name.clone(),
            _ => format!("%{}", value.0),
        }
    }
}
