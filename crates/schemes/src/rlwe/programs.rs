//! Keys, encryption and decryption as ring programs.
//!
//! Tower t of every module is prime t of [`Ring::primes`]: ciphertext primes first, then
//! special primes. Each program draws from streams of its own, so that one seed could serve all
//! of them without repeating a sample; every run takes a fresh seed all the same. What is uniform and
//! published comes from a seed of its own, `mask`, that may be published too.

use super::residues::check_level;
use super::towers::{all_towers, ciphertext_towers, special_towers};
use super::{Error, KeyShape, Ring};
use ringwright_ir::ring::composites::key_switch;
use ringwright_ir::ring::{
    Basis, Distribution, Domain, FunctionBuilder, Module, ModuleBuilder, TowerIdx, Type, ValueId,
};

/// What a switching key takes to the secret s.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum SwitchKind {
    /// s², for relinearisation.
    Square,
    /// s(X^g), for the automorphism by g.
    Automorphism(u64),
    /// Another secret.
    Other,
}

/// `seed -> s (coefficients, first tower), s (evaluations, all towers)`: a ternary secret.
///
/// # Errors
/// None for a checked ring, unless the dialect's verifier objects.
pub fn keygen_secret(ring: &Ring) -> Result<Module, Error> {
    entry(ring, "keygen_secret", |fb| {
        let all = all_towers(ring);
        let seed = fb.param("seed", Type::Seed, true);
        let s = fb.sample(
            Distribution::Ternary,
            &named(ring, "secret"),
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
pub fn secret_to_evaluations(ring: &Ring) -> Result<Module, Error> {
    entry(ring, "secret_to_evaluations", |fb| {
        let s = fb.param("s", Type::poly(&all_towers(ring), Domain::Coeff), true);
        Ok(vec![fb.ntt(s)?])
    })
}

/// `s, seed, mask -> b, a`: the public key under all ciphertext primes.
///
/// # Errors
/// As [`keygen_secret`].
pub fn keygen_public(ring: &Ring) -> Result<Module, Error> {
    entry(ring, "keygen_public", |fb| {
        let q = ciphertext_towers(ring.levels());
        let s = fb.param("s", Type::poly(&all_towers(ring), Domain::Eval), true);
        let seeds = seeds(fb);
        let s = fb.towers(s, &q)?;
        let streams = [public_mask(ring), named(ring, "public.e")];
        let (b, a) = masked_error(fb, s, &q, streams, seeds)?;
        Ok(vec![b, a])
    })
}

/// `s, seed, mask -> b, a`: a public key under all primes, special ones included, for libraries that
/// encrypt there (see [`super::ExtendedPublicKey`]).
///
/// # Errors
/// As [`keygen_secret`].
pub fn keygen_extended_public(ring: &Ring) -> Result<Module, Error> {
    entry(ring, "keygen_extended_public", |fb| {
        let all = all_towers(ring);
        let s = fb.param("s", Type::poly(&all, Domain::Eval), true);
        let seeds = seeds(fb);
        let streams = ["a", "e"].map(|half| named(ring, &format!("extended_public.{half}")));
        let (b, a) = masked_error(fb, s, &all, streams, seeds)?;
        Ok(vec![b, a])
    })
}

/// `s, seed, mask -> b0, a0, b1, a1, …`, or `s, from, seed, mask -> …` for another secret: a
/// switching key under the primes of its shape.
///
/// Digit j holds P·s' under the primes of its own towers and nothing under the others, because
/// P·(Q/Q_j)·((Q/Q_j)^-1 mod Q_j) is P there and 0 elsewhere; so one key serves every level.
///
/// # Errors
/// As [`keygen_secret`].
pub fn keygen_switch(ring: &Ring, kind: SwitchKind, shape: &KeyShape) -> Result<Module, Error> {
    entry(ring, "keygen_switch", |fb| {
        let held = shape.towers();
        let s = whole_secret(fb, ring, "s");
        let other = (kind == SwitchKind::Other).then(|| whole_secret(fb, ring, "from"));
        let seeds = seeds(fb);
        let restricted = |fb: &mut FunctionBuilder, s| match held == all_towers(ring) {
            true => Ok(s),
            false => fb.towers(s, &held),
        };
        let s = restricted(fb, s)?;
        let from = match (kind, other) {
            (SwitchKind::Automorphism(galois), _) => fb.automorphism(s, galois)?,
            (SwitchKind::Other, Some(from)) => restricted(fb, from)?,
            _ => fb.mul(s, s)?,
        };
        let mut key = Vec::new();
        for digit in 0..shape.digits() {
            let streams = [
                switch_mask(ring, digit),
                named(ring, &format!("switch.e.{digit}")),
            ];
            let (masked, a) = masked_error(fb, s, &held, streams, seeds)?;
            let lifted = fb.mul_scalar(from, &gadget(ring, shape, digit))?;
            key.extend([fb.add(masked, lifted)?, a]);
        }
        Ok(key)
    })
}

/// `c0, c1, key -> c0, c1`: takes a ciphertext of two parts to the secret of the key.
///
/// # Errors
/// A level the ring, or a key of this shape, does not have.
pub fn switch(ring: &Ring, level: usize, shape: &KeyShape) -> Result<Module, Error> {
    check_level(ring, level)?;
    let mut mb = module(ring);
    let q = ciphertext_towers(level);
    let (special, held) = (shape.special(), shape.towers());
    let switched = key_switch(&mut mb, &q, special, &held, shape.grouping())?;
    let mut fb = mb.function(&named(ring, "switch"));
    let part = Type::poly(&q, Domain::Eval);
    let [c0, c1] = ["c0", "c1"].map(|name| fb.param(name, part.clone(), false));
    let key = fb.param("key", key_type(shape), false);
    let switched = fb.call(switched, &[c1, key])?;
    let constant = fb.add(c0, switched[0])?;
    let main = fb.finish(&[constant, switched[1]])?;
    Ok(mb.finish(main)?)
}

/// The type of an evaluation key of this shape.
pub(crate) fn key_type(shape: &KeyShape) -> Type {
    Type::array(&shape.towers(), Domain::Eval, shape.polys() as u16)
}

/// `m (coefficients), b, a, seed -> c0, c1`: encryption at a level with the public key,
/// (b·u + e0 + m, a·u + e1).
///
/// # Errors
/// A level the ring does not have.
pub fn encrypt(ring: &Ring, level: usize) -> Result<Module, Error> {
    check_level(ring, level)?;
    entry(ring, "encrypt", |fb| {
        let q = ciphertext_towers(level);
        let key = Type::poly(&ciphertext_towers(ring.levels()), Domain::Eval);
        let m = fb.param("m", Type::poly(&q, Domain::Coeff), true);
        let [b, a] = ["b", "a"].map(|name| fb.param(name, key.clone(), false));
        let seed = fb.param("seed", Type::Seed, true);
        let draw = |fb: &mut FunctionBuilder, dist, name: &str| {
            fb.sample(dist, &named(ring, name), &q, Domain::Coeff, seed)
        };
        let u = draw(fb, Distribution::Ternary, "encrypt.u")?;
        let e0 = draw(fb, Distribution::Binomial21, "encrypt.e0")?;
        let e1 = draw(fb, Distribution::Binomial21, "encrypt.e1")?;
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

/// `m (coefficients), s, seed, mask -> c0, c1`: encryption at a level with the secret key,
/// (-a·s + e + m, a).
///
/// # Errors
/// A level the ring does not have.
pub fn encrypt_symmetric(ring: &Ring, level: usize) -> Result<Module, Error> {
    check_level(ring, level)?;
    entry(ring, "encrypt_symmetric", |fb| {
        let q = ciphertext_towers(level);
        let m = fb.param("m", Type::poly(&q, Domain::Coeff), true);
        let s = whole_secret(fb, ring, "s");
        let seeds = seeds(fb);
        let s = fb.towers(s, &q)?;
        let (small, uniform) = (Distribution::Binomial21, Distribution::Uniform);
        let mask = symmetric_mask(ring);
        let a = fb.sample(uniform, &mask, &q, Domain::Eval, seeds.public)?;
        let error = named(ring, "encrypt_symmetric.e");
        let e = fb.sample(small, &error, &q, Domain::Coeff, seeds.secret)?;
        let noisy = fb.add(e, m)?;
        let noisy = fb.ntt(noisy)?;
        let masked = fb.mul(a, s)?;
        Ok(vec![fb.sub(noisy, masked)?, a])
    })
}

/// `c0, c1, …, s -> m (coefficients)`: decryption of `parts` polynomials at a level.
///
/// # Errors
/// A level the ring does not have.
pub fn decrypt(ring: &Ring, level: usize, parts: usize) -> Result<Module, Error> {
    check_level(ring, level)?;
    entry(ring, "decrypt", |fb| {
        let (ciphertext, s) = decryption_inputs(fb, ring, level, parts);
        Ok(vec![message(fb, &ciphertext, s, level)?])
    })
}

/// `c0, c1, …, s, seed -> m + flood (coefficients)`: decryption whose result may leave the key
/// holder; uniform noise in [-2^bits, 2^bits) hides the error that depends on the secret.
///
/// # Errors
/// A level the ring does not have.
pub fn decrypt_share(ring: &Ring, level: usize, parts: usize, bits: u8) -> Result<Module, Error> {
    check_level(ring, level)?;
    entry(ring, "decrypt_share", |fb| {
        let (ciphertext, s) = decryption_inputs(fb, ring, level, parts);
        let seed = fb.param("seed", Type::Seed, true);
        let m = message(fb, &ciphertext, s, level)?;
        let flood = Distribution::Flood { bits };
        let q = ciphertext_towers(level);
        let flood = fb.sample(flood, &named(ring, "share.flood"), &q, Domain::Coeff, seed)?;
        Ok(vec![fb.add(m, flood)?])
    })
}

/// `m (coefficients) -> m (evaluations)`: makes a program's constant ready, once; under the special
/// primes too, if it is `extended`.
///
/// # Errors
/// A level the ring does not have.
pub fn plaintext_to_evaluations(
    ring: &Ring,
    level: usize,
    extended: bool,
) -> Result<Module, Error> {
    check_level(ring, level)?;
    entry(ring, "plaintext_to_evaluations", |fb| {
        let towers = plain_towers(ring, level, extended);
        let m = fb.param("m", Type::poly(&towers, Domain::Coeff), false);
        Ok(vec![fb.ntt(m)?])
    })
}

/// The type of a constant in evaluation form, under the special primes too if it is `extended`.
pub(crate) fn plain_type(ring: &Ring, level: usize, extended: bool) -> Type {
    Type::poly(&plain_towers(ring, level, extended), Domain::Eval)
}

fn plain_towers(ring: &Ring, level: usize, extended: bool) -> Basis {
    match extended {
        true => ciphertext_towers(level).join(&special_towers(ring)),
        false => ciphertext_towers(level),
    }
}

/// A module builder with the ring's kind, degree and primes.
pub(crate) fn module(ring: &Ring) -> ModuleBuilder {
    let primes: Vec<u128> = ring.primes().into_iter().map(u128::from).collect();
    ModuleBuilder::over(ring.kind(), ring.log_n(), &primes)
}

/// A module of one function.
fn entry(
    ring: &Ring,
    name: &str,
    body: impl FnOnce(&mut FunctionBuilder) -> Result<Vec<ValueId>, Error>,
) -> Result<Module, Error> {
    let mut mb = module(ring);
    let mut fb = mb.function(&named(ring, name));
    let returns = body(&mut fb)?;
    let main = fb.finish(&returns)?;
    Ok(mb.finish(main)?)
}

/// A name of this ring's scheme: of a program, or of a stream of randomness.
fn named(ring: &Ring, name: &str) -> String {
    format!("{}.{name}", ring.scheme())
}

/// The stream of a public key's uniform half.
pub(super) fn public_mask(ring: &Ring) -> String {
    named(ring, "public.a")
}

/// The stream of the uniform half of a digit of a switching key.
pub(super) fn switch_mask(ring: &Ring, digit: usize) -> String {
    named(ring, &format!("switch.a.{digit}"))
}

/// The stream of the uniform half of an encryption with the secret key.
pub(super) fn symmetric_mask(ring: &Ring) -> String {
    named(ring, "encrypt_symmetric.a")
}

/// Where a program's randomness comes from.
#[derive(Clone, Copy)]
struct Seeds {
    /// Of errors.
    secret: ValueId,
    /// Of what is uniform and published.
    public: ValueId,
}

/// The seeds as parameters.
fn seeds(fb: &mut FunctionBuilder) -> Seeds {
    Seeds {
        secret: fb.param("seed", Type::Seed, true),
        public: fb.param("mask", Type::Seed, false),
    }
}

/// (-a·s + e, a) with a uniform and e small, each from a stream of its own seed.
fn masked_error(
    fb: &mut FunctionBuilder,
    s: ValueId,
    basis: &Basis,
    [stream_a, stream_e]: [String; 2],
    seeds: Seeds,
) -> Result<(ValueId, ValueId), Error> {
    let (small, uniform) = (Distribution::Binomial21, Distribution::Uniform);
    let a = fb.sample(uniform, &stream_a, basis, Domain::Eval, seeds.public)?;
    let e = fb.sample(small, &stream_e, basis, Domain::Coeff, seeds.secret)?;
    let e = fb.ntt(e)?;
    let mask = fb.mul(a, s)?;
    Ok((fb.sub(e, mask)?, a))
}

/// P under the towers of one digit, 0 under all others; P the product of the key's special primes.
fn gadget(ring: &Ring, shape: &KeyShape, digit: usize) -> Vec<u128> {
    let primes = ring.primes();
    let special = || shape.special().iter().map(|tower| primes[tower.index()]);
    let product = |q: u64| special().fold(1u128, |acc, p| acc * u128::from(p % q) % u128::from(q));
    let towers = shape.towers();
    let own = shape.grouping().cut(&shape.basis().0)[digit];
    let factor = |tower: TowerIdx| match own.contains(&tower) {
        true => product(primes[tower.index()]),
        false => 0,
    };
    towers.iter().map(factor).collect()
}

/// A secret under all primes, as a parameter.
fn whole_secret(fb: &mut FunctionBuilder, ring: &Ring, name: &str) -> ValueId {
    fb.param(name, Type::poly(&all_towers(ring), Domain::Eval), true)
}

fn decryption_inputs(
    fb: &mut FunctionBuilder,
    ring: &Ring,
    level: usize,
    parts: usize,
) -> (Vec<ValueId>, ValueId) {
    let part = Type::poly(&ciphertext_towers(level), Domain::Eval);
    let ciphertext = (0..parts)
        .map(|i| fb.param(&format!("c{i}"), part.clone(), false))
        .collect();
    let s = fb.param("s", Type::poly(&all_towers(ring), Domain::Eval), true);
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
