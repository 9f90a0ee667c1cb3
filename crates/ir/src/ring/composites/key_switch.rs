//! The expansion of hybrid key switching, whole and in two halves.
//!
//! The halves are for several automorphisms of one polynomial ("hoisting": Halevi, Shoup, "Faster
//! Homomorphic Linear Transformations in HElib", CRYPTO 2018, section 5): [`decompose`] raises the
//! digits once, [`switch_digits`] applies an automorphism to them and takes the inner product with
//! its key. An automorphism permutes coefficients and changes signs, and the fast extension of -x is
//! minus that of x, so it commutes with raising: the results are, bit for bit, those of
//! [`key_switch`] on the moved polynomial.

use super::{fast_extension, fast_mod_down, path};
use crate::ring::{
    Basis, Composite, Digits, Domain, FuncId, FunctionBuilder, ModuleBuilder, Type, ValueId,
    VerifyError,
};

/// Polynomials of a key for all of `full` but its `special` last towers: two per digit.
pub fn key_length(full: &Basis, special: usize, digits: impl Into<Digits>) -> usize {
    2 * digits.into().count(full.len().saturating_sub(special))
}

/// `poly[q; eval], array[full; eval] -> poly[q; eval], poly[q; eval]`: see
/// [`Composite::KeySwitch`]. `p` are the last towers of `full`, `q` is among the others.
pub fn key_switch(
    mb: &mut ModuleBuilder,
    q: &Basis,
    p: &Basis,
    full: &Basis,
    digits: impl Into<Digits>,
) -> Result<FuncId, VerifyError> {
    let (digits, special) = (digits.into(), p.len() as u16);
    let composite = Composite::KeySwitch { digits, special };
    with_key(mb, composite, (q, p, full), digits)
}

/// `poly[q; eval], array[full; eval] -> poly[q, p; eval], poly[q, p; eval]`: see
/// [`Composite::KeyProduct`].
pub fn key_product(
    mb: &mut ModuleBuilder,
    q: &Basis,
    p: &Basis,
    full: &Basis,
    digits: impl Into<Digits>,
) -> Result<FuncId, VerifyError> {
    let (digits, special) = (digits.into(), p.len() as u16);
    let composite = Composite::KeyProduct { digits, special };
    with_key(mb, composite, (q, p, full), digits)
}

/// The inner product of digits and key, divided or not.
fn with_key(
    mb: &mut ModuleBuilder,
    composite: Composite,
    (q, p, full): (&Basis, &Basis, &Basis),
    digits: Digits,
) -> Result<FuncId, VerifyError> {
    let held = match *full == q.join(p) {
        true => String::new(),
        false => format!(".key.{}", path(full)),
    };
    let is_divided = matches!(composite, Composite::KeySwitch { .. });
    let what = match is_divided {
        true => "key_switch",
        false => "key_product",
    };
    let name = format!("{what}@{}/{}.{}{held}", path(q), path(p), digits.tag());
    if let Some(found) = mb.find(&name) {
        return Ok(found);
    }
    check_bases(q, p, full, digits).map_err(super::constant_error)?;
    let extended = q.join(p);
    let raised = Raised::new(mb, q, &extended, digits)?;
    let down = match is_divided {
        true => Some(fast_mod_down(mb, q, p, Domain::Eval)?),
        false => None,
    };
    let mut fb = mb.function(&name);
    fb.composite(composite);
    let x = fb.param("x", Type::poly(q, Domain::Eval), false);
    let items = key_length(full, p.len(), digits) as u16;
    let key = fb.param("key", Type::array(full, Domain::Eval, items), false);
    let coefficients = fb.intt(x)?;
    let mut sums = [None, None];
    for (i, digit) in raised.0.iter().enumerate() {
        let raised = digit.raise(&mut fb, x, coefficients, &extended)?;
        accumulate(&mut fb, &mut sums, i, raised, key, &extended)?;
    }
    finished(fb, sums, down)
}

/// `poly[q; eval] -> poly[q, p; eval], …`: the digits of the argument, groups of its towers
/// each brought under all of q and p by a fast extension.
pub fn decompose(
    mb: &mut ModuleBuilder,
    q: &Basis,
    p: &Basis,
    digits: impl Into<Digits>,
) -> Result<FuncId, VerifyError> {
    let digits = digits.into();
    let name = format!("decompose@{}/{}.{}", path(q), path(p), digits.tag());
    if let Some(found) = mb.find(&name) {
        return Ok(found);
    }
    check_bases(q, p, &q.join(p), digits).map_err(super::constant_error)?;
    let extended = q.join(p);
    let raised = Raised::new(mb, q, &extended, digits)?;
    let mut fb = mb.function(&name);
    let x = fb.param("x", Type::poly(q, Domain::Eval), false);
    let coefficients = fb.intt(x)?;
    let raised = raised
        .0
        .iter()
        .map(|digit| digit.raise(&mut fb, x, coefficients, &extended));
    let raised = raised.collect::<Result<Vec<_>, _>>()?;
    fb.finish(&raised)
}

/// `poly[q, p; eval], …, array[full; eval] -> poly[q; eval], poly[q; eval]`: what [`sum_digits`] gives,
/// ModDown by `p`.
pub fn switch_digits(
    mb: &mut ModuleBuilder,
    q: &Basis,
    p: &Basis,
    full: &Basis,
    digits: impl Into<Digits>,
    galois: u64,
) -> Result<FuncId, VerifyError> {
    let down = fast_mod_down(mb, q, p, Domain::Eval)?;
    of_digits(mb, Some(down), (q, p, full), digits.into(), galois)
}

/// `poly[q, p; eval], …, array[full; eval] -> poly[q, p; eval], poly[q, p; eval]`: the automorphism of
/// digits that [`decompose`] raised, their inner product with the key.
pub fn sum_digits(
    mb: &mut ModuleBuilder,
    q: &Basis,
    p: &Basis,
    full: &Basis,
    digits: impl Into<Digits>,
    galois: u64,
) -> Result<FuncId, VerifyError> {
    of_digits(mb, None, (q, p, full), digits.into(), galois)
}

/// Both sums of the products of digits, moved, with the key; divided where there is a function for it.
fn of_digits(
    mb: &mut ModuleBuilder,
    down: Option<FuncId>,
    (q, p, full): (&Basis, &Basis, &Basis),
    digits: Digits,
    galois: u64,
) -> Result<FuncId, VerifyError> {
    let what = match down {
        Some(_) => "switch_digits",
        None => "sum_digits",
    };
    let bases = [q, p, full].map(path);
    let [of_q, of_p, held] = &bases;
    let tag = digits.tag();
    let name = format!("{what}.{galois}@{of_q}/{of_p}.{tag}.key.{held}");
    if let Some(found) = mb.find(&name) {
        return Ok(found);
    }
    check_bases(q, p, full, digits).map_err(super::constant_error)?;
    let extended = q.join(p);
    let mut fb = mb.function(&name);
    let raised = Type::poly(&extended, Domain::Eval);
    let raised =
        (0..digits.count(q.len())).map(|i| fb.param(&format!("d{i}"), raised.clone(), false));
    let raised: Vec<ValueId> = raised.collect();
    let items = key_length(full, p.len(), digits) as u16;
    let key = fb.param("key", Type::array(full, Domain::Eval, items), false);
    let mut sums = [None, None];
    for (i, digit) in raised.into_iter().enumerate() {
        let moved = fb.automorphism(digit, galois)?;
        accumulate(&mut fb, &mut sums, i, moved, key, &extended)?;
    }
    finished(fb, sums, down)
}

/// Adds a digit's products with its two parts of the key.
fn accumulate(
    fb: &mut FunctionBuilder,
    sums: &mut [Option<ValueId>; 2],
    digit: usize,
    raised: ValueId,
    key: ValueId,
    extended: &Basis,
) -> Result<(), VerifyError> {
    for (half, sum) in sums.iter_mut().enumerate() {
        let part = fb.element(key, (2 * digit + half) as u16)?;
        let part = match fb.ty(part).basis() == Some(extended) {
            true => part,
            false => fb.towers(part, extended)?,
        };
        let product = fb.mul(raised, part)?;
        *sum = Some(match *sum {
            Some(before) => fb.add(before, product)?,
            None => product,
        });
    }
    Ok(())
}

/// Both sums, divided where there is a function for it: what the function returns.
fn finished(
    mut fb: FunctionBuilder,
    sums: [Option<ValueId>; 2],
    down: Option<FuncId>,
) -> Result<FuncId, VerifyError> {
    let mut returns = Vec::new();
    for sum in sums.into_iter().flatten() {
        match down {
            Some(down) => returns.extend(fb.call(down, &[sum])?),
            None => returns.push(sum),
        }
    }
    fb.finish(&returns)
}

/// The digits of a polynomial over `q`, with what extends each.
struct Raised(Vec<Digit>);

struct Digit {
    group: Basis,
    extension: FuncId,
}

impl Raised {
    fn new(
        mb: &mut ModuleBuilder,
        q: &Basis,
        extended: &Basis,
        digits: Digits,
    ) -> Result<Self, VerifyError> {
        let groups = digits.cut(&q.0).into_iter().map(|g| Basis(g.to_vec()));
        let raised = groups.map(|group| {
            let extension = fast_extension(mb, &group, &extended.without(&group))?;
            Ok(Digit { group, extension })
        });
        raised.collect::<Result<_, _>>().map(Self)
    }
}

impl Digit {
    /// The digit under all of `extended`, in evaluation form. Its own towers are those of
    /// the argument.
    fn raise(
        &self,
        fb: &mut FunctionBuilder,
        x: ValueId,
        coefficients: ValueId,
        extended: &Basis,
    ) -> Result<ValueId, VerifyError> {
        let own = fb.towers(x, &self.group)?;
        let digit = fb.towers(coefficients, &self.group)?;
        let others = fb.call(self.extension, &[digit])?[0];
        let others = fb.ntt(others)?;
        let all = fb.concat(own, others)?;
        match fb.ty(all).basis() == Some(extended) {
            true => Ok(all),
            false => fb.towers(all, extended),
        }
    }
}

fn check_bases(q: &Basis, p: &Basis, full: &Basis, digits: Digits) -> Result<(), String> {
    let held = full.slice(0..full.len().saturating_sub(p.len()));
    if digits == Digits::Of(0) {
        return Err("key switch with 0 towers per digit; at least 1".into());
    }
    match !p.is_empty() && full.0.ends_with(&p.0) && q.is_subset_of(&held) && !q.is_empty() {
        true => Ok(()),
        false => Err(format!(
            "key switch over {q} with special primes [{p}] and a key over {full}; the special primes \
             are the last of the key's, and the others contain the argument's"
        )),
    }
}
