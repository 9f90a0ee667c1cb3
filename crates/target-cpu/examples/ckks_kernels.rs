//! Wall clock of the CKKS server and client kernels on this machine.
//!
//! `cargo run --release -p ringwright-target-cpu --example ckks_kernels [runs] [name]` prints per
//! kernel, parameter set and number of threads the smallest and the median time in microseconds, or
//! `incorrect` where the result is not the interpreter's. A name leaves the lines that have it. The
//! kernels are built here from the ring dialect alone, because a target does not see the schemes.

use ringwright_arith::primes::ntt_primes;
use ringwright_ir::interpret::Interpreter;
use ringwright_ir::ring::composites::{decompose, key_length, key_switch, mod_down, switch_digits};
use ringwright_ir::ring::{
    Basis, Distribution, Domain, FunctionBuilder, Module, ModuleBuilder, Type, ValueId, VerifyError,
};
use ringwright_ir::{generate, Value};
use ringwright_kernels::Isa;
use ringwright_target::Device;
use ringwright_target_cpu::{Cpu, Options};
use std::error::Error;
use std::time::Instant;

/// Degree, towers of the ciphertext, special ones, and towers of a digit of the key switch.
struct Set {
    name: &'static str,
    log_n: u32,
    towers: usize,
    bits: u32,
    special: usize,
    special_bits: u32,
    digit: u16,
}

const SETS: [Set; 3] = [
    Set {
        name: "7x54+60",
        log_n: 14,
        towers: 7,
        bits: 54,
        special: 1,
        special_bits: 60,
        digit: 1,
    },
    Set {
        name: "13x30+30",
        log_n: 14,
        towers: 13,
        bits: 30,
        special: 1,
        special_bits: 30,
        digit: 1,
    },
    Set {
        name: "24x60+5x60",
        log_n: 16,
        towers: 24,
        bits: 60,
        special: 5,
        special_bits: 60,
        digit: 5,
    },
];

type Build = fn(ModuleBuilder, &Bases) -> Result<Module, VerifyError>;

const KERNELS: [(&str, Build); 7] = [
    ("mul+relin", mul_relin),
    ("rescale", rescale),
    ("rotate", rotate),
    ("rotate 8", rotate_8),
    ("hoisted 8", hoisted_8),
    ("encrypt", encrypt),
    ("decrypt", decrypt),
];

fn main() -> Result<(), Box<dyn Error>> {
    let runs = std::env::args()
        .nth(1)
        .map_or(Ok(30), |runs| runs.parse())?;
    let name = std::env::args().nth(2).unwrap_or_default();
    let all = std::thread::available_parallelism().map_or(1, usize::from);
    println!(
        "{}, {runs} runs, microseconds: smallest median",
        Isa::detect()
    );
    for set in &SETS {
        let (primes, bases) = (set.primes()?, Bases::new(set));
        for (kernel, build) in KERNELS {
            if !format!("{} {kernel}", set.name).contains(&name) {
                continue;
            }
            let module = build(ModuleBuilder::new(set.log_n, &primes), &bases)?;
            for threads in [1, all] {
                let time = measure(&module, threads, runs)?;
                println!("{:10} {kernel:10} {threads:2} threads  {time}", set.name);
            }
        }
    }
    Ok(())
}

impl Set {
    /// The largest primes; the special ones are not among the others.
    fn primes(&self) -> Result<Vec<u128>, Box<dyn Error>> {
        let special = ntt_primes(self.special_bits, self.log_n, self.special)?;
        let mut primes = ntt_primes(self.bits, self.log_n, self.towers + self.special)?;
        primes.retain(|q| !special.contains(q));
        primes.truncate(self.towers);
        Ok([primes, special].concat())
    }
}

/// Bases of a ciphertext and of a key, and towers of a digit.
struct Bases {
    q: Basis,
    p: Basis,
    full: Basis,
    digit: u16,
    log_n: u32,
}

impl Bases {
    fn new(set: &Set) -> Self {
        let (towers, all) = (set.towers as u16, (set.towers + set.special) as u16);
        Bases {
            q: Basis::range(0..towers),
            p: Basis::range(towers..all),
            full: Basis::range(0..all),
            digit: set.digit,
            log_n: set.log_n,
        }
    }

    fn key(&self) -> Type {
        Type::array(
            &self.full,
            Domain::Eval,
            key_length(&self.full, self.p.len(), self.digit) as u16,
        )
    }

    fn poly(&self, domain: Domain) -> Type {
        Type::poly(&self.q, domain)
    }
}

fn measure(module: &Module, threads: usize, runs: usize) -> Result<String, Box<dyn Error>> {
    let options = Options {
        threads,
        isa: Isa::detect(),
        poison: false,
    };
    let kernel = Cpu::new("cpu", options)?.lower(module)?;
    let inputs: Vec<Value> = generate::inputs(1, module);
    let expected = Interpreter.prepare(module)?.run(&inputs)?;
    let mut times = Vec::with_capacity(runs);
    for _ in 0..runs.max(1) {
        let start = Instant::now();
        let found = kernel.run(&inputs)?;
        times.push(start.elapsed().as_secs_f64() * 1e6);
        if !same(&expected, &found) {
            return Ok("incorrect".into());
        }
    }
    times.sort_by(f64::total_cmp);
    Ok(format!("{:8.0} {:8.0}", times[0], times[times.len() / 2]))
}

fn same(expected: &[Value], found: &[Value]) -> bool {
    let pair = |(expected, found): (&Value, &Value)| match (expected, found) {
        (Value::Poly(expected), Value::Poly(found)) => expected == found,
        _ => false,
    };
    expected.len() == found.len() && expected.iter().zip(found).all(pair)
}

fn polys(
    fb: &mut FunctionBuilder,
    bases: &Bases,
    domain: Domain,
    names: &[&str],
    secret: bool,
) -> Vec<ValueId> {
    names
        .iter()
        .map(|name| fb.param(name, bases.poly(domain), secret))
        .collect()
}

fn mul_relin(mut mb: ModuleBuilder, bases: &Bases) -> Result<Module, VerifyError> {
    let switch = key_switch(&mut mb, &bases.q, &bases.p, &bases.full, bases.digit)?;
    let mut fb = mb.function("mul_relin");
    let x = polys(
        &mut fb,
        bases,
        Domain::Eval,
        &["a0", "a1", "b0", "b1"],
        false,
    );
    let key = fb.param("key", bases.key(), false);
    let (d0, d2) = (fb.mul(x[0], x[2])?, fb.mul(x[1], x[3])?);
    let (left, right) = (fb.mul(x[0], x[3])?, fb.mul(x[1], x[2])?);
    let d1 = fb.add(left, right)?;
    let switched = fb.call(switch, &[d2, key])?;
    let (c0, c1) = (fb.add(d0, switched[0])?, fb.add(d1, switched[1])?);
    let main = fb.finish(&[c0, c1])?;
    mb.finish(main)
}

fn rescale(mut mb: ModuleBuilder, bases: &Bases) -> Result<Module, VerifyError> {
    let kept = bases.q.slice(0..bases.q.len() - 1);
    let down = mod_down(&mut mb, &kept, &bases.q.without(&kept), Domain::Eval)?;
    let mut fb = mb.function("rescale");
    let c = polys(&mut fb, bases, Domain::Eval, &["c0", "c1"], false);
    let (c0, c1) = (fb.call(down, &[c[0]])?[0], fb.call(down, &[c[1]])?[0]);
    let main = fb.finish(&[c0, c1])?;
    mb.finish(main)
}

fn rotate(mut mb: ModuleBuilder, bases: &Bases) -> Result<Module, VerifyError> {
    const GALOIS: u64 = 5;
    let switch = key_switch(&mut mb, &bases.q, &bases.p, &bases.full, bases.digit)?;
    let mut fb = mb.function("rotate");
    let c = polys(&mut fb, bases, Domain::Eval, &["c0", "c1"], false);
    let key = fb.param("key", bases.key(), false);
    let (c0, c1) = (
        fb.automorphism(c[0], GALOIS)?,
        fb.automorphism(c[1], GALOIS)?,
    );
    let switched = fb.call(switch, &[c1, key])?;
    let c0 = fb.add(c0, switched[0])?;
    let main = fb.finish(&[c0, switched[1]])?;
    mb.finish(main)
}

/// Galois elements of eight different rotations.
fn eight(bases: &Bases) -> impl Iterator<Item = u64> + use<> {
    let log_n = bases.log_n;
    (1..=8).map(move |steps| 5u64.pow(steps) % (2 << log_n))
}

fn rotate_8(mut mb: ModuleBuilder, bases: &Bases) -> Result<Module, VerifyError> {
    let switch = key_switch(&mut mb, &bases.q, &bases.p, &bases.full, bases.digit)?;
    let mut fb = mb.function("rotate_8");
    let c = polys(&mut fb, bases, Domain::Eval, &["c0", "c1"], false);
    let keys: Vec<ValueId> = eight(bases)
        .map(|galois| fb.param(&format!("key.{galois}"), bases.key(), false))
        .collect();
    let mut results = Vec::new();
    for (galois, key) in eight(bases).zip(keys) {
        let c0 = fb.automorphism(c[0], galois)?;
        let c1 = fb.automorphism(c[1], galois)?;
        let switched = fb.call(switch, &[c1, key])?;
        results.extend([fb.add(c0, switched[0])?, switched[1]]);
    }
    let main = fb.finish(&results)?;
    mb.finish(main)
}

fn hoisted_8(mut mb: ModuleBuilder, bases: &Bases) -> Result<Module, VerifyError> {
    let raise = decompose(&mut mb, &bases.q, &bases.p, bases.digit)?;
    let mut switches = Vec::new();
    for galois in eight(bases) {
        let Bases {
            q, p, full, digit, ..
        } = bases;
        let switch = switch_digits(&mut mb, q, p, full, *digit, galois)?;
        switches.push((galois, switch));
    }
    let mut fb = mb.function("hoisted_8");
    let c = polys(&mut fb, bases, Domain::Eval, &["c0", "c1"], false);
    let keys: Vec<ValueId> = eight(bases)
        .map(|galois| fb.param(&format!("key.{galois}"), bases.key(), false))
        .collect();
    let digits = fb.call(raise, &c[1..])?;
    let mut results = Vec::new();
    for ((galois, switch), key) in switches.into_iter().zip(keys) {
        let c0 = fb.automorphism(c[0], galois)?;
        let args = [&digits[..], &[key]].concat();
        let switched = fb.call(switch, &args)?;
        results.extend([fb.add(c0, switched[0])?, switched[1]]);
    }
    let main = fb.finish(&results)?;
    mb.finish(main)
}

fn encrypt(mut mb: ModuleBuilder, bases: &Bases) -> Result<Module, VerifyError> {
    let mut fb = mb.function("encrypt");
    let message = polys(&mut fb, bases, Domain::Coeff, &["m"], true)[0];
    let key = polys(&mut fb, bases, Domain::Eval, &["b", "a"], false);
    let seed = fb.param("seed", Type::Seed, true);
    let mut draw = |dist, stream: &str| fb.sample(dist, stream, &bases.q, Domain::Coeff, seed);
    let u = draw(Distribution::Ternary, "u")?;
    let (e0, e1) = (
        draw(Distribution::Binomial21, "e0")?,
        draw(Distribution::Binomial21, "e1")?,
    );
    let (u, e1) = (fb.ntt(u)?, fb.ntt(e1)?);
    let noisy = fb.add(e0, message)?;
    let noisy = fb.ntt(noisy)?;
    let (b, a) = (fb.mul(key[0], u)?, fb.mul(key[1], u)?);
    let (c0, c1) = (fb.add(b, noisy)?, fb.add(a, e1)?);
    let main = fb.finish(&[c0, c1])?;
    mb.finish(main)
}

fn decrypt(mut mb: ModuleBuilder, bases: &Bases) -> Result<Module, VerifyError> {
    let mut fb = mb.function("decrypt");
    let c = polys(&mut fb, bases, Domain::Eval, &["c0", "c1"], false);
    let secret = polys(&mut fb, bases, Domain::Eval, &["s"], true)[0];
    let product = fb.mul(c[1], secret)?;
    let sum = fb.add(c[0], product)?;
    let message = fb.intt(sum)?;
    let main = fb.finish(&[message])?;
    mb.finish(main)
}
