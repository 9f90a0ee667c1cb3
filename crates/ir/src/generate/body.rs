//! One random function.

use super::words::word_below;
use crate::ring::{
    composites, Basis, Digits, Distribution, Domain, FuncId, FunctionBuilder, ModuleBuilder,
    TowerIdx, Type, ValueId, VerifyError,
};
use ringwright_arith::Choices;

/// A finished function that others may call.
pub(super) struct Callable {
    pub id: FuncId,
    /// It reads streams, so that one call is all a run has.
    samples: bool,
}

/// A function in steps: one that is callable, and where it may be called again, that of its own results.
pub(super) fn in_steps(
    mb: &mut ModuleBuilder,
    random: &mut Choices,
    callable: &mut Vec<Callable>,
    number: usize,
) -> Result<(), VerifyError> {
    if callable.is_empty() {
        return Ok(());
    }
    let chosen = random.below(callable.len());
    let Callable { id, samples } = callable[chosen];
    let params = mb.funcs()[id.index()].params.clone();
    let mut fb = mb.function(&format!("steps{number}"));
    fb.steps();
    let mut args: Vec<ValueId> = Vec::new();
    for param in params {
        args.push(fb.param(&param.name, param.ty, param.secret));
    }
    let mut results = fb.call(id, &args)?;
    if !samples {
        for arg in &mut args {
            let same = results.iter().find(|&&result| fb.ty(result) == fb.ty(*arg));
            *arg = same.copied().unwrap_or(*arg);
        }
        results.extend(fb.call(id, &args)?);
    }
    let id = fb.finish(&results)?;
    if samples {
        callable.swap_remove(chosen);
    }
    callable.push(Callable { id, samples });
    Ok(())
}

/// A function that grows by random operations.
pub(super) struct Body<'m> {
    fb: FunctionBuilder<'m>,
    random: &'m mut Choices,
    name: String,
    primes: Vec<u128>,
    values: Vec<ValueId>,
    seed: ValueId,
    key: Key,
    streams: usize,
}

/// A parameter that serves as evaluation key.
struct Key {
    value: ValueId,
    basis: Basis,
    special: usize,
    digits: Digits,
}

/// Parameters that are no seed.
const OPERANDS: usize = 4;
/// How many of the last values an operation chooses from: looking at all would take as long again
/// for each.
const RECENT: usize = 256;

type Step = Result<Option<ValueId>, VerifyError>;

impl<'m> Body<'m> {
    pub(super) fn new(mb: &'m mut ModuleBuilder, random: &'m mut Choices, name: &str) -> Self {
        let primes = mb.primes().to_vec();
        let full = any_basis(random, &all(&primes), primes.len());
        let special = random.at_least_one((full.len() - 1).min(2));
        let digits = match random.one_in(2) {
            true => Digits::Of(random.at_least_one(3) as u16),
            false => Digits::At(random.word() << 1),
        };
        let items = composites::key_length(&full, special, digits) as u16;

        let mut fb = mb.function(name);
        let mut values = Vec::new();
        for i in 0..OPERANDS - 1 {
            let count = random.at_least_one(primes.len());
            let basis = any_basis(random, &all(&primes), count);
            let domain = any_domain(random);
            values.push(fb.param(&format!("x{i}"), Type::poly(&basis, domain), false));
        }
        let ty = Type::array(&full, Domain::Eval, items);
        let value = fb.param("key", ty, random.one_in(2));
        let seed = fb.param("seed", Type::Seed, true);
        values.push(value);
        let key = Key {
            value,
            basis: full,
            special,
            digits,
        };
        Body {
            fb,
            random,
            name: name.into(),
            primes,
            values,
            seed,
            key,
            streams: 0,
        }
    }

    /// Tries `ops` operations, then returns some of the values.
    pub(super) fn generate(
        mut self,
        ops: usize,
        callable: &mut Vec<Callable>,
    ) -> Result<Callable, VerifyError> {
        let mut samples = false;
        for _ in 0..ops {
            let streams_before = self.streams;
            let called = self.random.one_in(8) && self.call(callable, &mut samples)?;
            if !called {
                let value = self.operation()?;
                self.values.extend(value);
            }
            samples |= self.streams > streams_before;
        }
        let last = self.values.len() - 1;
        let count = self.random.at_least_one(3);
        let mut returns = vec![self.values[last]];
        for _ in 1..count {
            let at = self.random.below(self.values.len());
            returns.push(self.values[at]);
        }
        Ok(Callable {
            id: self.fb.finish(&returns)?,
            samples,
        })
    }

    /// Adds one operation, if the values at hand allow the one that chance has chosen.
    fn operation(&mut self) -> Step {
        match self.random.below(19) {
            0 => self.zero(),
            1 => self.unary(Some(Domain::Coeff), |body, x| body.fb.ntt(x)),
            2 => self.unary(Some(Domain::Eval), |body, x| body.fb.intt(x)),
            3 => self.binary(None, |body, a, b| body.fb.add(a, b)),
            4 => self.binary(None, |body, a, b| body.fb.sub(a, b)),
            5 | 6 => self.binary(Some(Domain::Eval), |body, a, b| body.fb.mul(a, b)),
            7 => self.unary(None, |body, x| body.fb.neg(x)),
            8 => self.unary(None, |body, x| {
                let residues = body.residues(x);
                body.fb.mul_scalar(x, &residues)
            }),
            9 => self.unary(None, |body, x| {
                let residues = body.residues(x);
                body.fb.add_scalar(x, &residues)
            }),
            10 => self.unary(None, |body, x| {
                let module = body.fb.module();
                let (n, spacing) = (1 << module.log_n(), module.kind().spacing());
                let galois = spacing * body.random.below(n) as u64 + 1;
                body.fb.automorphism(x, galois)
            }),
            11 => self.towers(),
            12 => self.concat(),
            13 => self.switch_modulus(),
            14 => self.element(),
            15 => self.sample(),
            16 => self.basis_extension(),
            17 => self.mod_down(),
            _ => self.key_switch(),
        }
    }

    fn unary(
        &mut self,
        domain: Option<Domain>,
        op: impl FnOnce(&mut Self, ValueId) -> Result<ValueId, VerifyError>,
    ) -> Step {
        match self.poly(domain) {
            Some(x) => op(self, x).map(Some),
            None => Ok(None),
        }
    }

    fn binary(
        &mut self,
        domain: Option<Domain>,
        op: impl FnOnce(&mut Self, ValueId, ValueId) -> Result<ValueId, VerifyError>,
    ) -> Step {
        let Some(a) = self.poly(domain) else {
            return Ok(None);
        };
        let ty = self.fb.ty(a).clone();
        match self.any(|other| *other == ty) {
            Some(b) if self.random.one_in(2) => op(self, b, a).map(Some),
            Some(b) => op(self, a, b).map(Some),
            None => Ok(None),
        }
    }

    fn zero(&mut self) -> Step {
        let count = self.random.at_least_one(self.primes.len());
        let basis = any_basis(self.random, &all(&self.primes), count);
        let domain = any_domain(self.random);
        self.fb.zero(&basis, domain).map(Some)
    }

    fn towers(&mut self) -> Step {
        let Some(x) = self.any(|ty| *ty != Type::Seed) else {
            return Ok(None);
        };
        let basis = self.some_of(x);
        self.fb.towers(x, &basis).map(Some)
    }

    fn concat(&mut self) -> Step {
        let Some(a) = self.poly(None) else {
            return Ok(None);
        };
        let (basis, domain) = (basis_of(self.fb.ty(a)), self.fb.ty(a).domain());
        let fits = |ty: &Type| {
            let disjoint = ty.basis().is_some_and(|b| b.without(&basis) == *b);
            is_poly(ty) && ty.domain() == domain && disjoint
        };
        match self.any(fits) {
            Some(b) => self.fb.concat(a, b).map(Some),
            None => Ok(None),
        }
    }

    fn switch_modulus(&mut self) -> Step {
        let Some(x) = self.poly(Some(Domain::Coeff)) else {
            return Ok(None);
        };
        let one = self.some_of(x).slice(0..1);
        let count = self.random.at_least_one(self.primes.len());
        let to = any_basis(self.random, &all(&self.primes), count);
        let x = self.fb.towers(x, &one)?;
        self.fb.switch_modulus(x, &to).map(Some)
    }

    fn element(&mut self) -> Step {
        let array = |ty: &Type| matches!(ty, Type::Array { .. });
        let Some(x) = self.any(array) else {
            return Ok(None);
        };
        let Type::Array { len, .. } = *self.fb.ty(x) else {
            return Ok(None);
        };
        let index = self.random.below(len.into()) as u16;
        self.fb.element(x, index).map(Some)
    }

    fn sample(&mut self) -> Step {
        let dist = match self.random.below(4) {
            0 => Distribution::Uniform,
            1 => Distribution::Ternary,
            2 => Distribution::Binomial21,
            _ => Distribution::Flood {
                bits: self.random.below(63) as u8,
            },
        };
        let domain = match dist {
            Distribution::Uniform => any_domain(self.random),
            _ => Domain::Coeff,
        };
        let count = self.random.at_least_one(self.primes.len());
        let basis = any_basis(self.random, &all(&self.primes), count);
        let stream = format!("{}.{}", self.name, self.streams);
        self.streams += 1;
        self.fb
            .sample(dist, &stream, &basis, domain, self.seed)
            .map(Some)
    }

    fn basis_extension(&mut self) -> Step {
        let Some(x) = self.poly(Some(Domain::Coeff)) else {
            return Ok(None);
        };
        let from = self.some_of(x);
        let count = self.random.at_least_one(self.primes.len());
        let to = any_basis(self.random, &all(&self.primes), count);
        let extension = match self.random.one_in(2) {
            true => composites::fast_extension,
            false => composites::basis_extension,
        };
        let callee = extension(self.fb.module(), &from, &to)?;
        let x = self.fb.towers(x, &from)?;
        Ok(self.fb.call(callee, &[x])?.pop())
    }

    fn mod_down(&mut self) -> Step {
        let Some(x) = self.any(|ty| is_poly(ty) && basis_of(ty).len() > 1) else {
            return Ok(None);
        };
        let (basis, domain) = (basis_of(self.fb.ty(x)), self.fb.ty(x).domain());
        let kept = self.random.at_least_one(basis.len() - 1);
        let (q, p) = (basis.slice(0..kept), basis.slice(kept..basis.len()));
        let domain = domain.unwrap_or(Domain::Coeff);
        let division = match self.random.one_in(2) {
            true => composites::fast_mod_down,
            false => composites::mod_down,
        };
        let callee = division(self.fb.module(), &q, &p, domain)?;
        Ok(self.fb.call(callee, &[x])?.pop())
    }

    fn key_switch(&mut self) -> Step {
        let Key {
            value,
            ref basis,
            special,
            digits,
        } = self.key;
        let held = basis.slice(0..basis.len() - special);
        let (p, full) = (basis.slice(held.len()..basis.len()), basis.clone());
        let fits = |ty: &Type| is_poly(ty) && basis_of(ty).is_subset_of(&held);
        let Some(x) = self.any(fits) else {
            return Ok(None);
        };
        let q = basis_of(self.fb.ty(x));
        let x = match self.fb.ty(x).domain() {
            Some(Domain::Coeff) => self.fb.ntt(x)?,
            _ => x,
        };
        let product = match self.random.one_in(2) {
            true => composites::key_product,
            false => composites::key_switch,
        };
        let callee = product(self.fb.module(), &q, &p, &full, digits)?;
        let switched = self.fb.call(callee, &[x, value])?;
        self.values.push(switched[0]);
        Ok(Some(switched[1]))
    }

    /// Calls a helper, if there is one left and the arguments can be made.
    fn call(
        &mut self,
        callable: &mut Vec<Callable>,
        samples: &mut bool,
    ) -> Result<bool, VerifyError> {
        if callable.is_empty() {
            return Ok(false);
        }
        let chosen = self.random.below(callable.len());
        let id = callable[chosen].id;
        let params = self.fb.module().funcs()[id.index()].params.clone();
        let mut args = Vec::new();
        for param in &params {
            match self.argument(&param.ty)? {
                Some(value) => args.push(value),
                None => return Ok(false),
            }
        }
        let results = self.fb.call(id, &args)?;
        self.values.extend(results);
        if callable[chosen].samples {
            callable.swap_remove(chosen);
            *samples = true;
        }
        Ok(true)
    }

    /// A value of the type: one at hand, or made from one at hand, or zero.
    fn argument(&mut self, ty: &Type) -> Step {
        if *ty == Type::Seed {
            return Ok(Some(self.seed));
        }
        if let Some(found) = self.any(|other| other == ty) {
            return Ok(Some(found));
        }
        let Type::Poly { basis, domain } = ty else {
            return self.array(ty);
        };
        let wider = |other: &Type| is_poly(other) && basis.is_subset_of(&basis_of(other));
        let Some(x) = self.any(wider) else {
            return self.fb.zero(basis, *domain).map(Some);
        };
        let x = self.fb.towers(x, basis)?;
        match (self.fb.ty(x).domain(), domain) {
            (Some(Domain::Coeff), Domain::Eval) => self.fb.ntt(x).map(Some),
            (Some(Domain::Eval), Domain::Coeff) => self.fb.intt(x).map(Some),
            _ => Ok(Some(x)),
        }
    }

    /// An array of the type, if a wider one is at hand.
    fn array(&mut self, ty: &Type) -> Step {
        let Type::Array { basis, domain, len } = ty else {
            return Ok(None);
        };
        let wider = |other: &Type| match other {
            Type::Array {
                basis: b,
                domain: d,
                len: l,
            } => d == domain && l == len && basis.is_subset_of(b),
            _ => false,
        };
        match self.any(wider) {
            Some(x) => self.fb.towers(x, basis).map(Some),
            None => Ok(None),
        }
    }

    /// A polynomial, in this form if one is given.
    fn poly(&mut self, domain: Option<Domain>) -> Option<ValueId> {
        self.any(|ty| is_poly(ty) && (domain.is_none() || ty.domain() == domain))
    }

    /// A value whose type fits: an operand of the function, or a recent value.
    fn any(&mut self, fits: impl Fn(&Type) -> bool) -> Option<ValueId> {
        let recent = self.values.len().saturating_sub(RECENT).max(OPERANDS);
        let at_hand = self.values[..OPERANDS].iter().chain(&self.values[recent..]);
        let fitting: Vec<ValueId> = at_hand.copied().filter(|&v| fits(self.fb.ty(v))).collect();
        self.random.pick(&fitting)
    }

    /// Some towers of a value, in any order.
    fn some_of(&mut self, x: ValueId) -> Basis {
        let basis = basis_of(self.fb.ty(x));
        let count = self.random.at_least_one(basis.len());
        any_basis(self.random, &basis, count)
    }

    fn residues(&mut self, x: ValueId) -> Vec<u128> {
        let primes = basis_of(self.fb.ty(x)).values(&self.primes);
        primes
            .into_iter()
            .map(|q| word_below(self.random, q))
            .collect()
    }
}

fn all(primes: &[u128]) -> Basis {
    Basis::range(0..primes.len() as u16)
}

/// `count` towers of a basis; half of the time in its order.
fn any_basis(random: &mut Choices, from: &Basis, count: usize) -> Basis {
    let mut towers: Vec<TowerIdx> = from.iter().collect();
    random.shuffle(&mut towers);
    towers.truncate(count);
    if random.one_in(2) {
        towers.sort_by_key(|&tower| from.position(tower));
    }
    Basis(towers)
}

fn any_domain(random: &mut Choices) -> Domain {
    match random.one_in(2) {
        true => Domain::Coeff,
        false => Domain::Eval,
    }
}

fn is_poly(ty: &Type) -> bool {
    matches!(ty, Type::Poly { .. })
}

fn basis_of(ty: &Type) -> Basis {
    ty.basis().cloned().unwrap_or(Basis(Vec::new()))
}
