//! What a value is: ring, primes, form of its words.

use crate::WordBytes;
use ringwright_ir::arguments::Signature;
use ringwright_ir::ring::{Basis, Domain, Module, Param, RingKind, Type};
use ringwright_ir::{RunError, Value};
use std::fmt;

/// What a value is, for whoever has not the program that made it.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Form {
    /// The ring.
    pub kind: RingKind,
    /// log2 of the ring degree.
    pub log_n: u32,
    /// The primes of its towers, in memory order.
    pub primes: Vec<u128>,
    /// Coefficients or evaluations.
    pub domain: Domain,
    /// Polynomials of an array; `None` for one polynomial alone.
    pub items: Option<u16>,
}

impl Form {
    /// Of a module's values of this type; `None` for a seed.
    pub fn of(module: &Module, ty: &Type) -> Option<Self> {
        let (basis, domain, items) = match ty {
            Type::Poly { basis, domain } => (basis, *domain, None),
            Type::Array { basis, domain, len } => (basis, *domain, Some(*len)),
            Type::Seed => return None,
        };
        Some(Form {
            kind: module.kind,
            log_n: module.log_n,
            primes: basis.values(&module.primes),
            domain,
            items,
        })
    }

    /// Bytes of such a value, where words take these.
    pub(crate) fn bytes(&self, words: WordBytes) -> u64 {
        let tower = |prime: &u128| words.below(u128::BITS - prime.leading_zeros()) << self.log_n;
        let towers: u64 = self.primes.iter().map(tower).sum();
        towers.saturating_mul(u64::from(self.items.unwrap_or(1)))
    }

    /// Refuses a value of another shape, or with words that are not below their prime.
    pub(crate) fn check(&self, value: &Value) -> Result<(), RunError> {
        let basis = Basis::range(0..self.primes.len() as u16);
        let ty = match self.items {
            None => Type::poly(&basis, self.domain),
            Some(len) => Type::array(&basis, self.domain, len),
        };
        let signature = Signature {
            log_n: self.log_n,
            primes: self.primes.clone(),
            params: vec![Param {
                name: "buffer".into(),
                ty,
                secret: false,
            }],
        };
        signature.check(std::slice::from_ref(value))
    }
}

impl fmt::Display for Form {
    /// "an array of 12 polynomials of degree 4096, evaluation form, primes 40961, 65537".
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.items {
            None => write!(f, "a polynomial")?,
            Some(items) => write!(f, "an array of {items} polynomials")?,
        }
        let primes: Vec<String> = self.primes.iter().map(u128::to_string).collect();
        let domain = match self.domain {
            Domain::Coeff => "coefficient",
            Domain::Eval => "evaluation",
        };
        let (n, primes) = (1u64 << self.log_n, primes.join(", "));
        if self.kind != RingKind::Standard {
            write!(f, " of the {} ring", self.kind)?;
        }
        write!(f, " of degree {n}, {domain} form, primes {primes}")
    }
}
