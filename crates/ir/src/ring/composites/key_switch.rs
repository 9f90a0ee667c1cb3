//! The expansion of hybrid key switching.

use super::{basis_extension, mod_down, path};
use crate::ring::{
    Basis, Composite, Domain, FuncId, FunctionBuilder, ModuleBuilder, Type, ValueId, VerifyError,
};

/// Polynomials of a key for all of `full` but its `special` last towers: two per digit.
pub fn key_length(full: &Basis, special: usize, digit: u16) -> usize {
    2 * full
        .len()
        .saturating_sub(special)
        .div_ceil(usize::from(digit.max(1)))
}

/// `poly[q; eval], array[full; eval] -> poly[q; eval], poly[q; eval]`: see
/// [`Composite::KeySwitch`]. `p` are the last towers of `full`, `q` is among the others.
pub fn key_switch(
    mb: &mut ModuleBuilder,
    q: &Basis,
    p: &Basis,
    full: &Basis,
    digit: u16,
) -> Result<FuncId, VerifyError> {
    let held = match *full == q.join(p) {
        true => String::new(),
        false => format!(".key.{}", path(full)),
    };
    let name = format!("key_switch@{}/{}.digit{digit}{held}", path(q), path(p));
    if let Some(found) = mb.find(&name) {
        return Ok(found);
    }
    check_bases(q, p, full, digit).map_err(super::constant_error)?;
    let groups: Vec<Basis> =
        q.0.chunks(usize::from(digit))
            .map(|g| Basis(g.to_vec()))
            .collect();
    let extended = q.join(p);
    let extensions = groups
        .iter()
        .map(|group| basis_extension(mb, group, &extended.without(group)));
    let extensions = extensions.collect::<Result<Vec<_>, _>>()?;
    let down = mod_down(mb, q, p, Domain::Eval)?;

    let mut fb = mb.function(&name);
    fb.composite(Composite::KeySwitch {
        digit,
        special: p.len() as u16,
    });
    let x = fb.param("x", Type::poly(q, Domain::Eval), false);
    let items = key_length(full, p.len(), digit) as u16;
    let key = fb.param("key", Type::array(full, Domain::Eval, items), false);
    let coefficients = fb.intt(x)?;
    let mut sums = [None, None];
    for (i, (group, extension)) in groups.iter().zip(extensions).enumerate() {
        let raised = raise(&mut fb, x, coefficients, group, extension, &extended)?;
        for (half, sum) in sums.iter_mut().enumerate() {
            let part = fb.element(key, (2 * i + half) as u16)?;
            let part = if *full == extended {
                part
            } else {
                fb.towers(part, &extended)?
            };
            let product = fb.mul(raised, part)?;
            *sum = Some(match *sum {
                Some(before) => fb.add(before, product)?,
                None => product,
            });
        }
    }
    let mut returns = Vec::new();
    for sum in sums.into_iter().flatten() {
        returns.extend(fb.call(down, &[sum])?);
    }
    fb.finish(&returns)
}

/// One digit, centred, under all of `extended`, in evaluation form. The digit's own towers are
/// those of the argument.
fn raise(
    fb: &mut FunctionBuilder,
    x: ValueId,
    coefficients: ValueId,
    group: &Basis,
    extension: FuncId,
    extended: &Basis,
) -> Result<ValueId, VerifyError> {
    let own = fb.towers(x, group)?;
    let digit = fb.towers(coefficients, group)?;
    let others = fb.call(extension, &[digit])?[0];
    let others = fb.ntt(others)?;
    let all = fb.concat(own, others)?;
    match fb.ty(all).basis() == Some(extended) {
        true => Ok(all),
        false => fb.towers(all, extended),
    }
}

fn check_bases(q: &Basis, p: &Basis, full: &Basis, digit: u16) -> Result<(), String> {
    let held = full.slice(0..full.len().saturating_sub(p.len()));
    if digit == 0 {
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
