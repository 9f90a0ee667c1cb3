//! An input that is made while noise is drawn: the same words as with the input made first.

use ringwright_arith::primes::ntt_primes;
use ringwright_ir::interpret::Interpreter;
use ringwright_ir::ring::{Basis, Distribution, Domain, Module, ModuleBuilder, Type, VerifyError};
use ringwright_ir::{generate, RunError, Value};
use ringwright_kernels::Isa;
use ringwright_ring::RnsPoly;
use ringwright_target::{Device, Late};
use ringwright_target_cpu::{Cpu, Options};
use std::sync::Arc;

const LOG_N: u32 = 6;
const PRIMES: u16 = 3;

/// (b u + e0 + m, e1 with u, m as it is), under primes of so many bits.
fn program(bits: u32) -> Result<Module, VerifyError> {
    let primes = ntt_primes(bits, LOG_N, PRIMES.into()).unwrap_or_default();
    let q = Basis::range(0..PRIMES);
    let mut mb = ModuleBuilder::new(LOG_N, &primes);
    let mut fb = mb.function("main");
    let b = fb.param("b", Type::poly(&q, Domain::Eval), false);
    let m = fb.param("m", Type::poly(&q, Domain::Coeff), true);
    let seed = fb.param("seed", Type::Seed, true);
    let mut draw = |dist, name: &str| fb.sample(dist, name, &q, Domain::Coeff, seed);
    let u = draw(Distribution::Ternary, "u")?;
    let e0 = draw(Distribution::Binomial21, "e0")?;
    let e1 = draw(Distribution::Binomial21, "e1")?;
    let (u, e1) = (fb.ntt(u)?, fb.ntt(e1)?);
    let noisy = fb.add(e0, m)?;
    let noisy = fb.ntt(noisy)?;
    let product = fb.mul(b, u)?;
    let (c0, c1) = (fb.add(product, noisy)?, fb.add(e1, u)?);
    let main = fb.finish(&[c0, c1, m])?;
    mb.finish(main)
}

fn words(values: &[Value]) -> Vec<&RnsPoly> {
    let polys = values.iter().map(|value| match value {
        Value::Poly(poly) => &**poly,
        _ => panic!("a polynomial"),
    });
    polys.collect()
}

fn on_every_device(mut check: impl FnMut(&dyn Device, &str)) {
    for isa in Isa::available() {
        for threads in 1..=3 {
            let options = Options {
                threads,
                isa,
                poison: true,
            };
            let cpu = Cpu::new("test", options).expect("threads start");
            check(&cpu, &format!("{isa}, {threads} threads"));
        }
    }
}

/// All inputs but the message, and the message.
fn inputs(module: &Module) -> (Vec<Value>, Value) {
    let mut others = generate::inputs(3, module);
    let message = others.remove(1);
    (others, message)
}

#[test]
fn a_late_input_changes_no_word() {
    for bits in [29, 50] {
        let module = program(bits).expect("valid");
        let all = generate::inputs(3, &module);
        let expected = Interpreter
            .prepare(&module)
            .expect("valid")
            .run(&all)
            .expect("runs");
        on_every_device(|device, name| {
            let kernel = device.lower(&module).expect("lowers");
            for _ in 0..20 {
                let (others, message) = inputs(&module);
                let make = Box::new(move || Ok(message));
                let found = kernel
                    .run_late(&others, Late { index: 1, make })
                    .expect("runs");
                assert!(words(&found) == words(&expected), "{name}, {bits} bits");
            }
        });
    }
}

#[test]
fn what_makes_it_may_fail_and_what_it_makes_is_checked() {
    let module = program(50).expect("valid");
    on_every_device(|device, name| {
        let kernel = device.lower(&module).expect("lowers");
        let (others, message) = inputs(&module);
        let fails = || Err(RunError::Invalid("no message today".into()));
        let make = Box::new(fails);
        let error = kernel.run_late(&others, Late { index: 1, make }).err();
        assert!(error.expect(name).to_string().contains("no message today"));
        let short = Value::Poly(Arc::new(RnsPoly::zero(1 << LOG_N, 1)));
        let make = Box::new(move || Ok(short));
        let error = kernel.run_late(&others, Late { index: 1, make }).err();
        assert!(matches!(error, Some(RunError::Argument { .. })), "{name}");
        // Seeds are missing.
        let make = Box::new(move || Ok(message));
        let error = kernel.run_late(&others[..1], Late { index: 1, make }).err();
        assert!(error.is_some(), "{name}");
    });
}

/// The caller's message is his own again after a run.
#[test]
fn no_reference_to_a_late_input_is_kept() {
    let module = program(50).expect("valid");
    on_every_device(|device, name| {
        let kernel = device.lower(&module).expect("lowers");
        let (others, message) = inputs(&module);
        let Value::Poly(mut message) = message else {
            panic!("a polynomial")
        };
        let lent = Value::Poly(message.clone());
        let make = Box::new(move || Ok(lent));
        let found = kernel.run_late(&others, Late { index: 1, make });
        drop(found.expect("runs"));
        assert!(Arc::get_mut(&mut message).is_some(), "{name}");
    });
}
