//! Keys, encryption and decryption as ring programs.
//!
//! Tower t of every module is prime t of [`Parameters::primes`]: ciphertext primes first, then
//! special primes. Each program draws from streams of its own, so that one seed could serve all
//! of them without repeating a sample; every run takes a fresh seed all the same.

use super::residues::check_level;
use super::{Error, Parameters};
use ringwright_ir::ring::{
    Basis, Distribution, Domain, FunctionBuilder, Module, ModuleBuilder, Type, ValueId,
};

/// What a switching key takes to the secret s.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum SwitchKind {
    /// s², for relinearisation.
    Square,
    /// s(X^g), for the automorphism by g.
    Automorphism(u64),
}

/// `seed -> s (coefficients, first tower), s (evaluations, all towers)`: a ternary secret.
///
/// # Errors
/// None for checked parameters, unless the dialect's verifier objects.
pub fn keygen_secret(parameters: &Parameters) -> Result<Module, Error> {
    entry(parameters, "ckks.keygen_secret", |fb| {
        let all = all_towers(parameters);
        let seed = fb.param("seed", Type::Seed, true);
        let s = fb.sample(
            Distribution::Ternary,
            "ckks.secret",
            &all,
            Domain::Coeff,
            seed,
        )?;
        let first = fb.towers(s, &Basis::range(0..1))?;
        Ok(vec![first, fb.ntt(s)?])
    })
}

/// `s (coefficients, all towers) -> s (evaluations, all towers)`: a secret read back.
///
/// # Errors
/// As [`keygen_secret`].
pub fn secret_to_evaluations(parameters: &Parameters) -> Result<Module, Error> {
    entry(parameters, "ckks.secret_to_evaluations", |fb| {
        let s = fb.param(
            "s",
            Type::poly(&all_towers(parameters), Domain::Coeff),
            true,
        );
        Ok(vec![fb.ntt(s)?])
    })
}

/// `s, seed -> b, a`: the public key under all ciphertext primes.
///
/// # Errors
/// As [`keygen_secret`].
pub fn keygen_public(parameters: &Parameters) -> Result<Module, Error> {
    entry(parameters, "ckks.keygen_public", |fb| {
        let q = ciphertext_towers(parameters.levels());
        let s = fb.param("s", Type::poly(&all_towers(parameters), Domain::Eval), true);
        let seed = fb.param("seed", Type::Seed, true);
        let s = fb.towers(s, &q)?;
        let (b, a) = masked_error(fb, s, &q, ["ckks.public.a", "ckks.public.e"], seed)?;
        Ok(vec![b, a])
    })
}

/// `s, seed -> b, a`: a public key under all primes, special ones included, for libraries that
/// encrypt there (see [`super::ExtendedPublicKey`]).
///
/// # Errors
/// As [`keygen_secret`].
pub fn keygen_extended_public(parameters: &Parameters) -> Result<Module, Error> {
    entry(parameters, "ckks.keygen_extended_public", |fb| {
        let all = all_towers(parameters);
        let s = fb.param("s", Type::poly(&all, Domain::Eval), true);
        let seed = fb.param("seed", Type::Seed, true);
        let streams = ["ckks.extended_public.a", "ckks.extended_public.e"];
        let (b, a) = masked_error(fb, s, &all, streams, seed)?;
        Ok(vec![b, a])
    })
}

/// `s, seed -> b0, a0, b1, a1, …`: a switching key under all primes.
///
/// Digit j holds P·s' under the primes of its own towers and nothing under the others, because
/// P·(Q/Q_j)·((Q/Q_j)^-1 mod Q_j) is P there and 0 elsewhere; so one key serves every level.
///
/// # Errors
/// [`Error::ClientOnly`] without special primes.
pub fn keygen_switch(parameters: &Parameters, kind: SwitchKind) -> Result<Module, Error> {
    require_special_primes(parameters, "key switching")?;
    entry(parameters, "ckks.keygen_switch", |fb| {
        let all = all_towers(parameters);
        let s = fb.param("s", Type::poly(&all, Domain::Eval), true);
        let seed = fb.param("seed", Type::Seed, true);
        let from = match kind {
            SwitchKind::Square => fb.mul(s, s)?,
            SwitchKind::Automorphism(galois) => fb.automorphism(s, galois)?,
        };
        let mut key = Vec::new();
        for digit in 0..parameters.digits(parameters.levels()) {
            let streams = [
                format!("ckks.switch.a.{digit}"),
                format!("ckks.switch.e.{digit}"),
            ];
            let (masked, a) =
                masked_error(fb, s, &all, streams.each_ref().map(|s| s.as_str()), seed)?;
            let lifted = fb.mul_scalar(from, &gadget(parameters, digit))?;
            key.extend([fb.add(masked, lifted)?, a]);
        }
        Ok(key)
    })
}

/// `m (coefficients), b, a, seed -> c0, c1`: encryption at a level with the public key,
/// (b·u + e0 + m, a·u + e1).
///
/// # Errors
/// A level the parameters do not have.
pub fn encrypt(parameters: &Parameters, level: usize) -> Result<Module, Error> {
    check_level(parameters, level)?;
    entry(parameters, "ckks.encrypt", |fb| {
        let q = ciphertext_towers(level);
        let key = Type::poly(&ciphertext_towers(parameters.levels()), Domain::Eval);
        let m = fb.param("m", Type::poly(&q, Domain::Coeff), true);
        let [b, a] = ["b", "a"].map(|name| fb.param(name, key.clone(), false));
        let seed = fb.param("seed", Type::Seed, true);
        let draw = |fb: &mut FunctionBuilder, dist, stream| {
            fb.sample(dist, stream, &q, Domain::Coeff, seed)
        };
        let u = draw(fb, Distribution::Ternary, "ckks.encrypt.u")?;
        let e0 = draw(fb, Distribution::Binomial21, "ckks.encrypt.e0")?;
        let e1 = draw(fb, Distribution::Binomial21, "ckks.encrypt.e1")?;
        let u = fb.ntt(u)?;
        let noisy = fb.add(e0, m)?;
        let mut parts = Vec::new();
        for (key, addend) in [(b, noisy), (a, e1)] {
            let key = fb.towers(key, &q)?;
            let product = fb.mul(key, u)?;
            let addend = fb.ntt(addend)?;
            parts.push(fb.add(product, addend)?);
        }
        Ok(parts)
    })
}

/// `c0, c1, …, s -> m (coefficients)`: decryption of `parts` polynomials at a level.
///
/// # Errors
/// A level the parameters do not have.
pub fn decrypt(parameters: &Parameters, level: usize, parts: usize) -> Result<Module, Error> {
    check_level(parameters, level)?;
    entry(parameters, "ckks.decrypt", |fb| {
        let (ciphertext, s) = decryption_inputs(fb, parameters, level, parts);
        Ok(vec![message(fb, &ciphertext, s, level)?])
    })
}

/// `c0, c1, …, s, seed -> m + flood (coefficients)`: decryption whose result may leave the key
/// holder; uniform noise in [-2^bits, 2^bits) hides the error that depends on the secret.
///
/// # Errors
/// A level the parameters do not have.
pub fn decrypt_share(
    parameters: &Parameters,
    level: usize,
    parts: usize,
    bits: u8,
) -> Result<Module, Error> {
    check_level(parameters, level)?;
    entry(parameters, "ckks.decrypt_share", |fb| {
        let (ciphertext, s) = decryption_inputs(fb, parameters, level, parts);
        let seed = fb.param("seed", Type::Seed, true);
        let m = message(fb, &ciphertext, s, level)?;
        let flood = Distribution::Flood { bits };
        let q = ciphertext_towers(level);
        let flood = fb.sample(flood, "ckks.share.flood", &q, Domain::Coeff, seed)?;
        Ok(vec![fb.add(m, flood)?])
    })
}

/// `m (coefficients) -> m (evaluations)`: makes a program's constant ready, once.
///
/// # Errors
/// A level the parameters do not have.
pub fn plaintext_to_evaluations(parameters: &Parameters, level: usize) -> Result<Module, Error> {
    check_level(parameters, level)?;
    entry(parameters, "ckks.plaintext_to_evaluations", |fb| {
        let m = fb.param(
            "m",
            Type::poly(&ciphertext_towers(level), Domain::Coeff),
            false,
        );
        Ok(vec![fb.ntt(m)?])
    })
}

/// The towers of the first `level` ciphertext primes.
pub(super) fn ciphertext_towers(level: usize) -> Basis {
    Basis::range(0..level as u16)
}

/// The towers of the special primes.
pub(super) fn special_towers(parameters: &Parameters) -> Basis {
    let levels = parameters.levels() as u16;
    Basis::range(levels..levels + parameters.p().len() as u16)
}

/// All towers.
pub(super) fn all_towers(parameters: &Parameters) -> Basis {
    ciphertext_towers(parameters.levels()).join(&special_towers(parameters))
}

/// A module builder with the parameters' ring and primes.
pub(super) fn module(parameters: &Parameters) -> ModuleBuilder {
    let primes: Vec<u128> = parameters.primes().into_iter().map(u128::from).collect();
    ModuleBuilder::new(parameters.log_n(), &primes)
}

/// Refuses operations with evaluation keys where there cannot be any.
pub(super) fn require_special_primes(parameters: &Parameters, what: &str) -> Result<(), Error> {
    if !parameters.p().is_empty() {
        return Ok(());
    }
    Err(Error::ClientOnly {
        operation: what.to_string(),
        name: parameters.name().to_string(),
        alternatives: super::presets::with_special_primes().join(", "),
    })
}

/// A module of one function.
fn entry(
    parameters: &Parameters,
    name: &str,
    body: impl FnOnce(&mut FunctionBuilder) -> Result<Vec<ValueId>, Error>,
) -> Result<Module, Error> {
    let mut mb = module(parameters);
    let mut fb = mb.function(name);
    let returns = body(&mut fb)?;
    let main = fb.finish(&returns)?;
    Ok(mb.finish(main)?)
}

/// (-a·s + e, a) with a uniform and e small, from two streams.
fn masked_error(
    fb: &mut FunctionBuilder,
    s: ValueId,
    basis: &Basis,
    [stream_a, stream_e]: [&str; 2],
    seed: ValueId,
) -> Result<(ValueId, ValueId), Error> {
    let a = fb.sample(Distribution::Uniform, stream_a, basis, Domain::Eval, seed)?;
    let e = fb.sample(
        Distribution::Binomial21,
        stream_e,
        basis,
        Domain::Coeff,
        seed,
    )?;
    let e = fb.ntt(e)?;
    let mask = fb.mul(a, s)?;
    Ok((fb.sub(e, mask)?, a))
}

/// P under the towers of one digit, 0 under all others.
fn gadget(parameters: &Parameters, digit: usize) -> Vec<u128> {
    let towers = parameters.primes().len();
    let own =
        digit * parameters.digit()..((digit + 1) * parameters.digit()).min(parameters.levels());
    let product = |q: u64| {
        parameters
            .p()
            .iter()
            .fold(1u128, |acc, &p| acc * u128::from(p % q) % u128::from(q))
    };
    (0..towers)
        .map(|t| {
            if own.contains(&t) {
                product(parameters.q()[t])
            } else {
                0
            }
        })
        .collect()
}

fn decryption_inputs(
    fb: &mut FunctionBuilder,
    parameters: &Parameters,
    level: usize,
    parts: usize,
) -> (Vec<ValueId>, ValueId) {
    let part = Type::poly(&ciphertext_towers(level), Domain::Eval);
    let ciphertext = (0..parts)
        .map(|i| fb.param(&format!("c{i}"), part.clone(), false))
        .collect();
    let s = fb.param("s", Type::poly(&all_towers(parameters), Domain::Eval), true);
    (ciphertext, s)
}

/// Σ c_i·s^i in coefficient form, by Horner's rule.
fn message(
    fb: &mut FunctionBuilder,
    ciphertext: &[ValueId],
    s: ValueId,
    level: usize,
) -> Result<ValueId, Error> {
    let s = fb.towers(s, &ciphertext_towers(level))?;
    let mut sum = None;
    for &part in ciphertext.iter().rev() {
        sum = Some(match sum {
            None => part,
            Some(sum) => {
                let product = fb.mul(sum, s)?;
                fb.add(product, part)?
            }
        });
    }
    let sum = sum.ok_or_else(|| Error::Internal("a ciphertext without parts".into()))?;
    Ok(fb.intt(sum)?)
}
