//! Composites with the expansions that fix their bits.
//!
//! Each function here adds one tagged function to the module, or finds it by its name if it was
//! built before. The body uses plain operations only, so the interpreter needs to know nothing of
//! composites, and a target that recognises the tag is held to the same bits.
//!
//! * [`basis_extension`]: Garner's mixed-radix conversion (Garner, "The residue number system",
//!   1959), exact for every input, with the representative centred by adding h = floor(A/2) before
//!   and subtracting it after.
//! * [`fast_extension`]: the sum over the primes a of `from` of centred(x_a (A/a)^-1 mod a) A/a
//!   (Bajard, Eynard, Hasan, Zucca, "A full RNS variant of FV like somewhat homomorphic encryption
//!   schemes", 2016, with centred residues): one product a prime and target, and a multiple of A,
//!   at most k/2 times, left in. It commutes with signs, as the exact one does.
//! * [`mod_down`]: round(x / P) = (x - r) / P with r = x mod P, centred; P is odd, so there are no
//!   ties. [`fast_mod_down`] takes the r of [`fast_extension`].
//! * [`key_switch`]: hybrid key switching with groups of towers as digits (Han and Ki, "Better
//!   bootstrapping for approximate homomorphic encryption", 2020, section 3); [`key_product`] is it before
//!   the division. [`decompose`] and [`switch_digits`] are its halves, untagged, for several automorphisms
//!   of one polynomial; [`sum_digits`] is the second before the division.
//!
//! From one prime both extensions are the same function.
//!
//! The floating-point correction of Halevi, Polyakov and Shoup (2019) was dropped for the
//! definition: its rounding near ties would have to be part of every target.

mod key_switch;

pub use key_switch::{decompose, key_length, key_product, key_switch, sum_digits, switch_digits};

use super::signature::check_type;
use super::{
    Basis, Composite, Domain, FuncId, FunctionBuilder, ModuleBuilder, TowerIdx, Type, ValueId,
    VerifyError,
};
use ringwright_arith::Modulus;

/// `poly[from; coeff] -> poly[to; coeff]`: the integer in (-A/2, A/2), A the product of `from`,
/// that the argument represents, under the primes of `to` (which may share primes with `from`).
pub fn basis_extension(
    mb: &mut ModuleBuilder,
    from: &Basis,
    to: &Basis,
) -> Result<FuncId, VerifyError> {
    let name = format!("basis_extension@{}/{}", path(from), path(to));
    if let Some(found) = mb.find(&name) {
        return Ok(found);
    }
    let primes = Primes::of(mb, &[from, to])?;
    let mut fb = mb.function(&name);
    fb.composite(Composite::BasisExtension);
    let x = fb.param("x", Type::poly(from, Domain::Coeff), false);
    let lifted = fb.add_scalar(x, &primes.each(from, |q| q.half_product(from)))?;
    let digits = mixed_radix(&mut fb, &primes, from, lifted)?;
    let value = recombine(&mut fb, &primes, from, to, &digits)?;
    let result = fb.add_scalar(value, &primes.each(to, |q| q.neg(q.half_product(from))))?;
    fb.finish(&[result])
}

/// `poly[from; coeff] -> poly[to; coeff]`: see [`Composite::FastExtension`].
pub fn fast_extension(
    mb: &mut ModuleBuilder,
    from: &Basis,
    to: &Basis,
) -> Result<FuncId, VerifyError> {
    if from.len() == 1 {
        return basis_extension(mb, from, to);
    }
    let name = format!("fast_extension@{}/{}", path(from), path(to));
    if let Some(found) = mb.find(&name) {
        return Ok(found);
    }
    let primes = Primes::of(mb, &[from, to])?;
    let mut fb = mb.function(&name);
    fb.composite(Composite::FastExtension);
    let x = fb.param("x", Type::poly(from, Domain::Coeff), false);
    let inverses = primes.inverses_of_others(from)?;
    let scaled = fb.mul_scalar(x, &inverses)?;
    // Residues from 0 on, (a - 1)/2 more than the centred ones; the last constant takes that back.
    let lifted = fb.add_scalar(scaled, &primes.each(from, |q| q.half()))?;
    let mut sum = None;
    for (i, tower) in from.iter().enumerate() {
        let residue = fb.towers(lifted, &from.slice(i..i + 1))?;
        let residue = fb.switch_modulus(residue, to)?;
        let others = from.without(&Basis(vec![tower]));
        let term = fb.mul_scalar(residue, &primes.each(to, |q| q.product(&others)))?;
        sum = Some(match sum {
            Some(before) => fb.add(before, term)?,
            None => term,
        });
    }
    let Some(sum) = sum else {
        return Err(constant_error("a basis extension from no tower".into()));
    };
    let result = fb.add_scalar(sum, &primes.each(to, |q| q.neg(q.lifts(from))))?;
    fb.finish(&[result])
}

/// `poly[q, p; domain] -> poly[q; domain]`: the argument divided by the product of `p`, rounded to
/// the nearest integer.
pub fn mod_down(
    mb: &mut ModuleBuilder,
    q: &Basis,
    p: &Basis,
    domain: Domain,
) -> Result<FuncId, VerifyError> {
    let extension = Extension {
        composite: Composite::ModDown,
        of: basis_extension,
    };
    extension.mod_down(mb, q, p, domain)
}

/// `poly[q, p; domain] -> poly[q; domain]`: see [`Composite::FastModDown`].
pub fn fast_mod_down(
    mb: &mut ModuleBuilder,
    q: &Basis,
    p: &Basis,
    domain: Domain,
) -> Result<FuncId, VerifyError> {
    if p.len() == 1 {
        return mod_down(mb, q, p, domain);
    }
    let extension = Extension {
        composite: Composite::FastModDown,
        of: fast_extension,
    };
    extension.mod_down(mb, q, p, domain)
}

/// Brings a remainder under other primes.
struct Extension {
    /// What a division is that takes it from there.
    composite: Composite,
    of: fn(&mut ModuleBuilder, &Basis, &Basis) -> Result<FuncId, VerifyError>,
}

impl Extension {
    fn mod_down(
        &self,
        mb: &mut ModuleBuilder,
        q: &Basis,
        p: &Basis,
        domain: Domain,
    ) -> Result<FuncId, VerifyError> {
        let name = format!("{}@{}/{}.{domain}", self.composite, path(q), path(p));
        if let Some(found) = mb.find(&name) {
            return Ok(found);
        }
        let primes = Primes::of(mb, &[q, p])?;
        let extension = (self.of)(mb, p, q)?;
        let mut fb = mb.function(&name);
        fb.composite(self.composite);
        let x = fb.param("x", Type::poly(&q.join(p), domain), false);
        let low = fb.towers(x, p)?;
        let low = in_form(&mut fb, low, Domain::Coeff)?;
        let remainder = fb.call(extension, &[low])?[0];
        let remainder = in_form(&mut fb, remainder, domain)?;
        let high = fb.towers(x, q)?;
        let multiple = fb.sub(high, remainder)?;
        let inverses = primes.inverses(q, p)?;
        let result = fb.mul_scalar(multiple, &inverses)?;
        fb.finish(&[result])
    }
}

/// The digits v of x = v0 + a0 (v1 + a1 (v2 + ..)), each under its own prime of `from`.
fn mixed_radix(
    fb: &mut FunctionBuilder,
    primes: &Primes,
    from: &Basis,
    x: ValueId,
) -> Result<Vec<ValueId>, VerifyError> {
    let mut digits = Vec::with_capacity(from.len());
    let mut rest = x;
    for i in 0..from.len() {
        let this = from.slice(i..i + 1);
        let digit = if i + 1 < from.len() {
            fb.towers(rest, &this)?
        } else {
            rest
        };
        digits.push(digit);
        if i + 1 < from.len() {
            let later = from.slice(i + 1..from.len());
            rest = fb.towers(rest, &later)?;
            let removed = fb.switch_modulus(digit, &later)?;
            rest = fb.sub(rest, removed)?;
            let inverses = primes.inverses(&later, &this)?;
            rest = fb.mul_scalar(rest, &inverses)?;
        }
    }
    Ok(digits)
}

/// Horner's rule from the highest digit down, under the primes of `to`.
fn recombine(
    fb: &mut FunctionBuilder,
    primes: &Primes,
    from: &Basis,
    to: &Basis,
    digits: &[ValueId],
) -> Result<ValueId, VerifyError> {
    let highest = digits.len() - 1;
    let mut sum = fb.switch_modulus(digits[highest], to)?;
    for i in (0..highest).rev() {
        let radix = from.slice(i..i + 1);
        sum = fb.mul_scalar(sum, &primes.each(to, |q| q.product(&radix)))?;
        let digit = fb.switch_modulus(digits[i], to)?;
        sum = fb.add(sum, digit)?;
    }
    Ok(sum)
}

/// The value in another form, or itself if it is in that form.
fn in_form(fb: &mut FunctionBuilder, x: ValueId, domain: Domain) -> Result<ValueId, VerifyError> {
    match (fb.ty(x).domain(), domain) {
        (Some(Domain::Coeff), Domain::Eval) => fb.ntt(x),
        (Some(Domain::Eval), Domain::Coeff) => fb.intt(x),
        _ => Ok(x),
    }
}

/// A basis as part of a name.
fn path(basis: &Basis) -> String {
    basis.to_string().replace(", ", "+")
}

/// The module's primes as moduli, for the constants of the expansions.
struct Primes(Vec<Modulus<u128>>);

/// One prime of them, with the whole list to multiply up from.
struct Prime<'a> {
    all: &'a Primes,
    modulus: &'a Modulus<u128>,
}

impl Primes {
    /// The module's primes, with `bases` checked to be bases over them.
    fn of(mb: &ModuleBuilder, bases: &[&Basis]) -> Result<Self, VerifyError> {
        for basis in bases {
            check_type(&mb.scope(), &Type::poly(basis, Domain::Coeff)).map_err(constant_error)?;
        }
        let modulus = |(i, &q): (usize, &u128)| {
            Modulus::new(q).map_err(|error| constant_error(format!("q{i} = {q}: {error}")))
        };
        Ok(Primes(
            mb.primes()
                .iter()
                .enumerate()
                .map(modulus)
                .collect::<Result<_, _>>()?,
        ))
    }

    fn at(&self, tower: TowerIdx) -> Prime<'_> {
        Prime {
            all: self,
            modulus: &self.0[tower.index()],
        }
    }

    fn each(&self, basis: &Basis, constant: impl Fn(Prime) -> u128) -> Vec<u128> {
        basis.iter().map(|tower| constant(self.at(tower))).collect()
    }

    /// For every prime of `basis`, the inverse of the product of `divisor`.
    fn inverses(&self, basis: &Basis, divisor: &Basis) -> Result<Vec<u128>, VerifyError> {
        let inverse = |tower| {
            let prime = self.at(tower);
            prime.modulus.inv(prime.product(divisor)).ok_or_else(|| {
                constant_error(format!(
                    "{tower} is among {divisor}, whose product it is to divide by"
                ))
            })
        };
        basis.iter().map(inverse).collect()
    }

    /// For every prime of `basis`, the inverse of the product of the others.
    fn inverses_of_others(&self, basis: &Basis) -> Result<Vec<u128>, VerifyError> {
        let inverse = |tower| {
            let this = Basis(vec![tower]);
            let inverses = self.inverses(&this, &basis.without(&this))?;
            Ok(inverses[0])
        };
        basis.iter().map(inverse).collect()
    }
}

impl Prime<'_> {
    /// The product of the basis modulo this prime.
    fn product(&self, basis: &Basis) -> u128 {
        let factors = basis
            .iter()
            .map(|t| self.modulus.reduce(self.all.0[t.index()].value()));
        factors.fold(1, |product, factor| self.modulus.mul(product, factor))
    }

    /// (q - 1) / 2 for this prime q.
    fn half(&self) -> u128 {
        self.modulus.value() / 2
    }

    /// The sum over the primes a of the basis of (a - 1)/2 A/a, A their product, modulo this prime.
    fn lifts(&self, basis: &Basis) -> u128 {
        let q = self.modulus;
        let lift = |tower: TowerIdx| {
            let half = self.all.0[tower.index()].value() / 2;
            let others = basis.without(&Basis(vec![tower]));
            q.mul(q.reduce(half), self.product(&others))
        };
        basis.iter().map(lift).fold(0, |sum, lift| q.add(sum, lift))
    }

    /// (A - 1) / 2 modulo this prime, A the product of the basis.
    fn half_product(&self, basis: &Basis) -> u128 {
        // (q + 1) / 2 is the inverse of 2.
        let inverse_of_two = self.modulus.value() / 2 + 1;
        self.modulus
            .mul(self.modulus.sub(self.product(basis), 1), inverse_of_two)
    }

    fn neg(&self, x: u128) -> u128 {
        self.modulus.neg(x)
    }
}

fn constant_error(message: String) -> VerifyError {
    VerifyError {
        function: None,
        operation: None,
        loc: None,
        message,
    }
}
