//! Constructors, accessors and the written form of the dialect's types.
//!
//! The written forms are those of the text form: `q0..q5, q7` for a basis, `poly[q0..q5; eval]`
//! for a type. A run of two or more ascending primes is folded.

use super::{
    Basis, Composite, Distribution, Domain, FuncId, Function, Module, OpKind, TowerIdx, Type,
    ValueId,
};
use std::fmt;
use std::ops::Range;

impl TowerIdx {
    /// Position in [`Module::primes`].
    pub fn index(self) -> usize {
        usize::from(self.0)
    }
}

impl ValueId {
    /// Position in [`Function::types`].
    pub fn index(self) -> usize {
        self.0 as usize
    }
}

impl FuncId {
    /// Position in [`Module::funcs`].
    pub fn index(self) -> usize {
        self.0 as usize
    }
}

impl Basis {
    /// Consecutive primes of the module.
    pub fn range(towers: Range<u16>) -> Self {
        Basis(towers.map(TowerIdx).collect())
    }

    /// Number of towers.
    pub fn len(&self) -> usize {
        self.0.len()
    }

    /// Whether there is no tower; no valid type has such a basis.
    pub fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    /// The towers in memory order.
    pub fn iter(&self) -> impl ExactSizeIterator<Item = TowerIdx> + Clone + '_ {
        self.0.iter().copied()
    }

    /// Memory position of a prime.
    pub fn position(&self, tower: TowerIdx) -> Option<usize> {
        // Most bases are a run, so that a prime is as far from the first as its index is.
        let guess = tower.index().wrapping_sub(self.0.first()?.index());
        match self.0.get(guess) {
            Some(&found) if found == tower => Some(guess),
            _ => self.0.iter().position(|&t| t == tower),
        }
    }

    /// Whether the prime is one of the basis.
    pub fn contains(&self, tower: TowerIdx) -> bool {
        self.position(tower).is_some()
    }

    /// Whether every prime is in `other`, in whatever order.
    pub fn is_subset_of(&self, other: &Basis) -> bool {
        self.iter().all(|t| other.contains(t))
    }

    /// Both, in this order.
    pub fn join(&self, other: &Basis) -> Basis {
        Basis(self.iter().chain(other.iter()).collect())
    }

    /// The primes that `other` lacks.
    pub fn without(&self, other: &Basis) -> Basis {
        Basis(self.iter().filter(|&t| !other.contains(t)).collect())
    }

    /// The towers at these memory positions.
    ///
    /// # Panics
    /// If the range reaches beyond the basis.
    pub fn slice(&self, positions: Range<usize>) -> Basis {
        Basis(self.0[positions].to_vec())
    }

    /// The values of the primes, in memory order.
    ///
    /// # Panics
    /// If a prime is not in `primes`; the verifier has checked it for every type of a module.
    pub fn values(&self, primes: &[u128]) -> Vec<u128> {
        self.iter().map(|t| primes[t.index()]).collect()
    }
}

impl Type {
    /// A polynomial.
    pub fn poly(basis: &Basis, domain: Domain) -> Self {
        Type::Poly {
            basis: basis.clone(),
            domain,
        }
    }

    /// `len` polynomials.
    pub fn array(basis: &Basis, domain: Domain, len: u16) -> Self {
        Type::Array {
            basis: basis.clone(),
            domain,
            len,
        }
    }

    /// The primes of a polynomial or array.
    pub fn basis(&self) -> Option<&Basis> {
        match self {
            Type::Poly { basis, .. } | Type::Array { basis, .. } => Some(basis),
            Type::Seed => None,
        }
    }

    /// The form of a polynomial's or array's words.
    pub fn domain(&self) -> Option<Domain> {
        match self {
            Type::Poly { domain, .. } | Type::Array { domain, .. } => Some(*domain),
            Type::Seed => None,
        }
    }
}

impl OpKind {
    /// The word of the text form.
    pub fn name(&self) -> &'static str {
        match self {
            OpKind::Zero => "zero",
            OpKind::Ntt => "ntt",
            OpKind::Intt => "intt",
            OpKind::Add => "add",
            OpKind::Sub => "sub",
            OpKind::Neg => "neg",
            OpKind::Mul => "mul",
            OpKind::MulScalar { .. } => "mul_scalar",
            OpKind::AddScalar { .. } => "add_scalar",
            OpKind::Automorphism { .. } => "automorphism",
            OpKind::Towers => "towers",
            OpKind::Concat => "concat",
            OpKind::SwitchModulus => "switch_modulus",
            OpKind::Element { .. } => "element",
            OpKind::Sample { .. } => "sample",
            OpKind::Call { .. } => "call",
        }
    }
}

impl Module {
    /// The ring degree.
    pub fn n(&self) -> usize {
        1 << self.log_n
    }

    /// The value of a prime.
    ///
    /// # Panics
    /// If the module has no such prime.
    pub fn prime(&self, tower: TowerIdx) -> u128 {
        self.primes[tower.index()]
    }

    /// A function.
    ///
    /// # Panics
    /// If the module has no such function.
    pub fn func(&self, id: FuncId) -> &Function {
        &self.funcs[id.index()]
    }

    /// The function that a run starts.
    pub fn entry(&self) -> &Function {
        self.func(self.entry)
    }

    /// The function of this name.
    pub fn find(&self, name: &str) -> Option<FuncId> {
        let position = self.funcs.iter().position(|f| f.name == name);
        position.map(|i| FuncId(i as u32))
    }
}

impl Function {
    /// Type of a value.
    ///
    /// # Panics
    /// If the function has no such value.
    pub fn ty(&self, value: ValueId) -> &Type {
        &self.types[value.index()]
    }

    /// Types of the returned values.
    pub fn result_types(&self) -> Vec<Type> {
        self.returns.iter().map(|&v| self.ty(v).clone()).collect()
    }

    /// The value's name, `%index` where it has none.
    pub fn value_name(&self, value: ValueId) -> String {
        match self.names.get(value.index()) {
            Some(Some(name)) => name.clone(),
            _ => format!("%{}", value.0),
        }
    }
}

impl fmt::Display for TowerIdx {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "q{}", self.0)
    }
}

impl fmt::Display for Basis {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let mut rest = self.0.as_slice();
        while let Some(&first) = rest.first() {
            let run = run_length(rest);
            write!(f, "{first}")?;
            if run > 1 {
                write!(f, "..{}", rest[run - 1])?;
            }
            rest = &rest[run..];
            if !rest.is_empty() {
                f.write_str(", ")?;
            }
        }
        Ok(())
    }
}

/// How many towers at the head of the list have ascending indices without a gap.
fn run_length(towers: &[TowerIdx]) -> usize {
    let step = |pair: &[TowerIdx]| pair[0].0.checked_add(1) == Some(pair[1].0);
    1 + towers.windows(2).take_while(|pair| step(pair)).count()
}

impl fmt::Display for Domain {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Domain::Coeff => "coeff",
            Domain::Eval => "eval",
        })
    }
}

impl fmt::Display for Type {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Type::Poly { basis, domain } => write!(f, "poly[{basis}; {domain}]"),
            Type::Array { basis, domain, len } => write!(f, "poly[{basis}; {domain}] x {len}"),
            Type::Seed => f.write_str("seed"),
        }
    }
}

impl fmt::Display for Distribution {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Distribution::Uniform => f.write_str("uniform"),
            Distribution::Ternary => f.write_str("ternary"),
            Distribution::Binomial21 => f.write_str("binomial21"),
            Distribution::Flood { bits } => write!(f, "flood({bits})"),
        }
    }
}

impl fmt::Display for Composite {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Composite::BasisExtension => f.write_str("basis_extension"),
            Composite::FastExtension => f.write_str("fast_extension"),
            Composite::ModDown => f.write_str("mod_down"),
            Composite::FastModDown => f.write_str("fast_mod_down"),
            Composite::KeySwitch { digits, special } => {
                write!(f, "key_switch({digits}, {special})")
            }
            Composite::KeyProduct { digits, special } => {
                write!(f, "key_product({digits}, {special})")
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_basis_folds_runs_and_keeps_order() {
        let basis = Basis([3, 4, 5, 0, 9, 8].map(TowerIdx).to_vec());
        assert_eq!(basis.to_string(), "q3..q5, q0, q9, q8");
        assert_eq!(Basis::range(0..2).to_string(), "q0..q1");
    }

    #[test]
    fn set_operations_keep_the_left_order() {
        let a = Basis([2, 0, 1].map(TowerIdx).to_vec());
        let b = Basis::range(1..4);
        assert_eq!(a.without(&b), Basis::range(0..1));
        assert_eq!(a.join(&Basis::range(3..4)).to_string(), "q2, q0..q1, q3");
        assert!(Basis::range(0..2).is_subset_of(&a) && !b.is_subset_of(&a));
    }
}
