//! The typing rules: one place that builder, verifier and parser share.
//!
//! [`results`] applies the rules strictly and is what the verifier trusts. [`infer`] gives the
//! result types of an operation whose operands are right, without judging; the parser uses it, so
//! that a wrong program can be read and then be refused with a good message.

use super::{Basis, Distribution, Domain, FuncId, Function, OpKind, RingKind, Type};

/// What the rules may look at: the ring, and the functions that may be called.
#[derive(Clone, Copy)]
pub(crate) struct Scope<'a> {
    pub kind: RingKind,
    pub log_n: u32,
    pub primes: &'a [u128],
    /// The functions before the one at hand.
    pub funcs: &'a [Function],
}

/// The result types that follow from the operands, or `None` where they have to be written:
/// `zero`, `towers`, `switch_modulus` and `sample` choose their basis.
pub(crate) fn infer(scope: &Scope, kind: &OpKind, args: &[&Type]) -> Option<Vec<Type>> {
    let first = || args.first().map(|&ty| ty.clone());
    let single = match kind {
        OpKind::Zero | OpKind::Towers | OpKind::SwitchModulus | OpKind::Sample { .. } => None,
        OpKind::Ntt => Some(Type::poly(args.first()?.basis()?, Domain::Eval)),
        OpKind::Intt => Some(Type::poly(args.first()?.basis()?, Domain::Coeff)),
        OpKind::Concat => {
            let basis = args.first()?.basis()?.join(args.get(1)?.basis()?);
            Some(Type::poly(&basis, args[0].domain()?))
        }
        OpKind::Element { .. } => Some(Type::poly(args.first()?.basis()?, args[0].domain()?)),
        OpKind::Call { func } => return Some(scope.funcs.get(func.index())?.result_types()),
        _ => first(),
    };
    single.map(|ty| vec![ty])
}

/// The result types of an operation that obeys the rules, else what is wrong with it. `written`
/// are the types that the program gives to the results; only the operations that choose their
/// basis look at them.
pub(super) fn results(
    scope: &Scope,
    kind: &OpKind,
    args: &[&Type],
    written: &[Type],
) -> Result<Vec<Type>, String> {
    let rule = Rule {
        scope,
        kind,
        args,
        written,
    };
    let single = match kind {
        OpKind::Zero => rule.zero(),
        OpKind::Ntt => rule.transform(Domain::Coeff, Domain::Eval),
        OpKind::Intt => rule.transform(Domain::Eval, Domain::Coeff),
        OpKind::Add | OpKind::Sub => rule.pair(),
        OpKind::Mul => rule.product(),
        OpKind::Neg => rule
            .operands(1)
            .and_then(|()| Ok(rule.poly_type(0)?.clone())),
        OpKind::MulScalar { residues } | OpKind::AddScalar { residues } => rule.scalar(residues),
        OpKind::Automorphism { galois } => rule.automorphism(*galois),
        OpKind::Towers => rule.towers(),
        OpKind::Concat => rule.concat(),
        OpKind::SwitchModulus => rule.switch_modulus(),
        OpKind::Element { index } => rule.element(*index),
        OpKind::Sample { dist, stream } => rule.sample(*dist, stream),
        OpKind::Call { func } => return rule.call(*func),
    };
    single.map(|ty| vec![ty])
}

/// Whether a type can stand in a module over these primes.
pub(super) fn check_type(scope: &Scope, ty: &Type) -> Result<(), String> {
    let Some(basis) = ty.basis() else {
        return Ok(());
    };
    if basis.is_empty() {
        return Err("a polynomial needs at least one tower".into());
    }
    for (i, tower) in basis.iter().enumerate() {
        if tower.index() >= scope.primes.len() {
            let have = scope.primes.len();
            return Err(format!(
                "{ty} names {tower}, but the module has {have} primes"
            ));
        }
        if basis.position(tower) != Some(i) {
            return Err(format!("{ty} names {tower} twice"));
        }
    }
    match ty {
        Type::Array { len: 0, .. } => Err(format!("{ty} has no items; an array has at least one")),
        _ => Ok(()),
    }
}

/// The rules of one operation.
struct Rule<'a> {
    scope: &'a Scope<'a>,
    kind: &'a OpKind,
    args: &'a [&'a Type],
    written: &'a [Type],
}

impl Rule<'_> {
    fn zero(&self) -> Result<Type, String> {
        self.operands(0)?;
        let (basis, domain) = self.written_poly()?;
        Ok(Type::poly(basis, domain))
    }

    fn transform(&self, from: Domain, to: Domain) -> Result<Type, String> {
        self.operands(1)?;
        Ok(Type::poly(self.poly_in(0, from)?, to))
    }

    fn pair(&self) -> Result<Type, String> {
        self.operands(2)?;
        let (a, b) = (self.poly_type(0)?, self.poly_type(1)?);
        match a == b {
            true => Ok(a.clone()),
            false => Err(format!(
                "operand 1 is {a}, operand 2 is {b}; {} takes two of the same primes, order and form",
                self.name()
            )),
        }
    }

    fn product(&self) -> Result<Type, String> {
        self.operands(2)?;
        for operand in 0..2 {
            self.poly_in(operand, Domain::Eval)?;
        }
        self.pair()
    }

    fn scalar(&self, residues: &[u128]) -> Result<Type, String> {
        self.operands(1)?;
        let (basis, domain) = self.poly(0)?;
        if residues.len() != basis.len() {
            return Err(format!(
                "the number of residues is {}; {} takes one per tower, here {}",
                residues.len(),
                self.name(),
                basis.len()
            ));
        }
        for (tower, &residue) in basis.iter().zip(residues) {
            let q = self.scope.primes[tower.index()];
            if residue >= q {
                return Err(format!("residue {residue} is not below {tower} = {q}"));
            }
        }
        Ok(Type::poly(basis, domain))
    }

    fn automorphism(&self, galois: u64) -> Result<Type, String> {
        self.operands(1)?;
        let Scope { kind, log_n, .. } = *self.scope;
        match kind.is_galois(log_n, galois) {
            true => Ok(self.poly_type(0)?.clone()),
            false => Err(format!(
                "Galois element {galois}; allowed are {}",
                kind.galois_elements(log_n)
            )),
        }
    }

    fn towers(&self) -> Result<Type, String> {
        self.operands(1)?;
        let to = self.written_type()?;
        let from = self.args[0];
        let fits = match (from, to) {
            (
                Type::Poly {
                    basis: a,
                    domain: d,
                },
                Type::Poly {
                    basis: b,
                    domain: e,
                },
            ) => d == e && b.is_subset_of(a),
            (
                Type::Array {
                    basis: a,
                    domain: d,
                    len: m,
                },
                Type::Array {
                    basis: b,
                    domain: e,
                    len: n,
                },
            ) => d == e && m == n && b.is_subset_of(a),
            _ => false,
        };
        match fits {
            true => Ok(to.clone()),
            false => Err(format!(
                "from {from} to {to}; towers keeps everything but the basis, and takes a subset of it"
            )),
        }
    }

    fn concat(&self) -> Result<Type, String> {
        self.operands(2)?;
        let ((a, form), (b, other)) = (self.poly(0)?, self.poly(1)?);
        if form != other {
            return Err(format!(
                "operand 1 is in {form} form, operand 2 in {other} form; concat takes equal forms"
            ));
        }
        match a.iter().find(|&t| b.contains(t)) {
            Some(tower) => Err(format!(
                "both operands hold {tower}; concat takes disjoint bases"
            )),
            None => Ok(Type::poly(&a.join(b), form)),
        }
    }

    fn switch_modulus(&self) -> Result<Type, String> {
        self.operands(1)?;
        let basis = self.poly_in(0, Domain::Coeff)?;
        if basis.len() != 1 {
            return Err(format!(
                "operand 1 has {} towers; switch_modulus takes one",
                basis.len()
            ));
        }
        match self.written_poly()? {
            (to, Domain::Coeff) => Ok(Type::poly(to, Domain::Coeff)),
            (_, form) => Err(format!(
                "the result is in {form} form; switch_modulus gives coeff"
            )),
        }
    }

    fn element(&self, index: u16) -> Result<Type, String> {
        self.operands(1)?;
        match self.args[0] {
            Type::Array { basis, domain, len } if index < *len => Ok(Type::poly(basis, *domain)),
            Type::Array { len, .. } => Err(format!(
                "item {index} of an array of {len}; allowed are 0 to {}",
                i32::from(*len) - 1
            )),
            other => Err(format!("operand 1 is {other}; element takes an array")),
        }
    }

    fn sample(&self, dist: Distribution, stream: &str) -> Result<Type, String> {
        self.operands(1)?;
        if *self.args[0] != Type::Seed {
            return Err(format!(
                "operand 1 is {}; sample takes a seed",
                self.args[0]
            ));
        }
        if stream.is_empty() || stream.len() > 255 {
            let len = stream.len();
            return Err(format!(
                "the stream name has {len} bytes; allowed are 1 to 255"
            ));
        }
        if let Distribution::Flood { bits: bits @ 63.. } = dist {
            return Err(format!("flood({bits}); allowed are at most 62 bits"));
        }
        let (basis, domain) = self.written_poly()?;
        match (dist, domain) {
            (Distribution::Uniform, _) | (_, Domain::Coeff) => Ok(Type::poly(basis, domain)),
            _ => Err(format!(
                "{dist} is sampled in coeff form; only uniform may be in eval form"
            )),
        }
    }

    fn call(&self, func: FuncId) -> Result<Vec<Type>, String> {
        let Some(callee) = self.scope.funcs.get(func.index()) else {
            return Err(format!(
                "function number {} does not stand before the caller; callees precede callers",
                func.0
            ));
        };
        if self.args.len() != callee.params.len() {
            return Err(format!(
                "the number of operands is {}; `{}` takes {}",
                self.args.len(),
                callee.name,
                callee.params.len()
            ));
        }
        for (i, (param, &arg)) in callee.params.iter().zip(self.args).enumerate() {
            if param.ty != *arg {
                return Err(format!(
                    "operand {} is {arg}, but parameter `{}` of `{}` is {}",
                    i + 1,
                    param.name,
                    callee.name,
                    param.ty
                ));
            }
        }
        Ok(callee.result_types())
    }

    fn name(&self) -> &'static str {
        self.kind.name()
    }

    fn operands(&self, expected: usize) -> Result<(), String> {
        match self.args.len() == expected {
            true => Ok(()),
            false => Err(format!(
                "the number of operands is {}; {} takes {expected}",
                self.args.len(),
                self.name()
            )),
        }
    }

    fn poly(&self, operand: usize) -> Result<(&Basis, Domain), String> {
        match self.args[operand] {
            Type::Poly { basis, domain } => Ok((basis, *domain)),
            other => Err(format!(
                "operand {} is {other}; {} takes a polynomial",
                operand + 1,
                self.name()
            )),
        }
    }

    fn poly_type(&self, operand: usize) -> Result<&Type, String> {
        self.poly(operand)?;
        Ok(self.args[operand])
    }

    fn poly_in(&self, operand: usize, form: Domain) -> Result<&Basis, String> {
        match self.poly(operand)? {
            (basis, domain) if domain == form => Ok(basis),
            _ => Err(format!(
                "operand {} is {}; {} takes a polynomial in {form} form",
                operand + 1,
                self.args[operand],
                self.name()
            )),
        }
    }

    fn written_type(&self) -> Result<&Type, String> {
        match self.written {
            [ty] => {
                check_type(self.scope, ty)?;
                Ok(ty)
            }
            others => Err(format!(
                "{} results written, {} has one",
                others.len(),
                self.name()
            )),
        }
    }

    fn written_poly(&self) -> Result<(&Basis, Domain), String> {
        match self.written_type()? {
            Type::Poly { basis, domain } => Ok((basis, *domain)),
            other => Err(format!(
                "the result is {other}; {} gives a polynomial",
                self.name()
            )),
        }
    }
}

/// Types between commas.
pub(super) fn list<'a>(types: impl Iterator<Item = &'a Type>) -> String {
    types.map(Type::to_string).collect::<Vec<_>>().join(", ")
}
