//! The programs of a package: both transforms at two degrees, and at the smaller one an encryption
//! and a decryption of two towers where the machine does more than transforms.
//!
//! Without samplers the samples are inputs, so that nothing is left to the host.

use crate::config::{Config, Offload};
use ringwright_arith::primes::ntt_primes;
use ringwright_ir::ring::{
    Basis, Distribution, Domain, FunctionBuilder, Module, ModuleBuilder, Type, ValueId,
};
use ringwright_ir::RunError;

/// log2 of the degrees, where the machine holds them.
const DEGREES: [u32; 2] = [8, 11];

/// Name and program of each case.
pub fn programs(config: &Config) -> Result<Vec<(&'static str, Module)>, RunError> {
    let mut programs = Vec::new();
    for (index, log_n) in degrees(config).into_iter().enumerate() {
        programs.push(("forward", transform(config, log_n, Domain::Coeff)?));
        programs.push(("inverse", transform(config, log_n, Domain::Eval)?));
        if index == 0 && config.offload == Offload::Pipeline {
            programs.push(("encrypt", encryption(config, log_n)?));
            programs.push(("decrypt", decryption(config, log_n)?));
        }
    }
    Ok(programs)
}

/// Those of [`DEGREES`], the nearest that fits for one that does not.
fn degrees(config: &Config) -> Vec<u32> {
    let port = config.words_per_cycle().ilog2();
    let least = (config.log_p + 3).max(2 * port);
    let most = config.log_p + 2 + config.bank_words.ilog2();
    let mut degrees = DEGREES.map(|log_n| log_n.max(least).min(most)).to_vec();
    degrees.dedup();
    degrees
}

/// A function under so many of the machine's widest primes.
fn module(
    config: &Config,
    log_n: u32,
    towers: u16,
    body: impl FnOnce(&mut FunctionBuilder<'_>, &Basis) -> Result<Vec<ValueId>, RunError>,
) -> Result<Module, RunError> {
    let primes = ntt_primes(config.word_bits, log_n, towers.into());
    let primes = primes.map_err(|error| RunError::Invalid(error.to_string()))?;
    let mut mb = ModuleBuilder::new(log_n, &primes);
    let mut fb = mb.function("vectors");
    let results = body(&mut fb, &Basis::range(0..towers))?;
    let main = fb.finish(&results)?;
    Ok(mb.finish(main)?)
}

/// x -> its transform to the other domain.
fn transform(config: &Config, log_n: u32, from: Domain) -> Result<Module, RunError> {
    module(config, log_n, 1, |fb, basis| {
        let x = fb.param("x", Type::poly(basis, from), false);
        let transformed = match from {
            Domain::Coeff => fb.ntt(x)?,
            Domain::Eval => fb.intt(x)?,
        };
        Ok(vec![transformed])
    })
}

/// m, key b, key a, seed -> b u + e0 + m, a u + e1; without samplers u, e0 + m and e1 are given.
fn encryption(config: &Config, log_n: u32) -> Result<Module, RunError> {
    module(config, log_n, 2, |fb, basis| {
        let poly = |domain| Type::poly(basis, domain);
        let keys = ["b", "a"].map(|name| fb.param(name, poly(Domain::Eval), false));
        let [u, noisy, e1] = match config.permutation_cycles {
            Some(_) => {
                let m = fb.param("m", poly(Domain::Coeff), false);
                let seed = fb.param("seed", Type::Seed, false);
                let mut draw = |distribution, stream| {
                    fb.sample(distribution, stream, basis, Domain::Coeff, seed)
                };
                let u = draw(Distribution::Ternary, "u")?;
                let e0 = draw(Distribution::Binomial21, "e0")?;
                let e1 = draw(Distribution::Binomial21, "e1")?;
                [u, fb.add(e0, m)?, e1]
            }
            None => ["u", "m + e0", "e1"].map(|name| fb.param(name, poly(Domain::Coeff), false)),
        };
        let u = fb.ntt(u)?;
        let mut parts = Vec::new();
        for (key, addend) in keys.into_iter().zip([noisy, e1]) {
            let (product, addend) = (fb.mul(key, u)?, fb.ntt(addend)?);
            parts.push(fb.add(product, addend)?);
        }
        Ok(parts)
    })
}

/// c0, c1, s -> c0 + c1 s, coefficients.
fn decryption(config: &Config, log_n: u32) -> Result<Module, RunError> {
    module(config, log_n, 2, |fb, basis| {
        let ty = Type::poly(basis, Domain::Eval);
        let [c0, c1, s] = ["c0", "c1", "s"].map(|name| fb.param(name, ty.clone(), false));
        let product = fb.mul(c1, s)?;
        let sum = fb.add(product, c0)?;
        Ok(vec![fb.intt(sum)?])
    })
}
