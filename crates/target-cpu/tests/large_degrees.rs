//! Degrees above the size of a block, where elementwise operations go through a tower in parts.

use ringwright_arith::primes::ntt_primes;
use ringwright_ir::interpret::Interpreter;
use ringwright_ir::ring::{Basis, Domain, Module, ModuleBuilder, Type, VerifyError};
use ringwright_ir::{generate, Value};
use ringwright_kernels::Isa;
use ringwright_target::Device;
use ringwright_target_cpu::{Cpu, Options};

const LOG_N: u32 = 16;

/// Chains of elementwise operations before and after a transform, with values that live on.
fn program() -> Result<Module, VerifyError> {
    let primes = ntt_primes(45, LOG_N, 2).unwrap_or_default();
    let basis = Basis::range(0..2);
    let factors: Vec<u128> = primes.iter().map(|q| q / 3).collect();
    let mut mb = ModuleBuilder::new(LOG_N, &primes);
    let mut fb = mb.function("main");
    let a = fb.param("a", Type::poly(&basis, Domain::Eval), false);
    let b = fb.param("b", Type::poly(&basis, Domain::Eval), false);
    let product = fb.mul(a, b)?;
    let sum = fb.add(product, a)?;
    let scaled = fb.mul_scalar(sum, &factors)?;
    let coefficients = fb.intt(scaled)?;
    let moved = fb.add_scalar(coefficients, &factors)?;
    let negated = fb.neg(moved)?;
    let back = fb.ntt(negated)?;
    let difference = fb.sub(back, sum)?;
    let square = fb.mul(difference, difference)?;
    let main = fb.finish(&[square, moved])?;
    mb.finish(main)
}

#[test]
fn blocks_join_without_a_seam() {
    let module = program().expect("valid");
    let inputs: Vec<Value> = generate::inputs(1, &module);
    let expected = Interpreter
        .prepare(&module)
        .expect("valid")
        .run(&inputs)
        .expect("runs");
    let options = Options {
        threads: 2,
        isa: Isa::detect(),
        poison: true,
    };
    let cpu = Cpu::new("test", options).expect("threads start");
    let found = cpu
        .lower(&module)
        .expect("lowers")
        .run(&inputs)
        .expect("runs");
    assert_eq!(expected.len(), found.len());
    for pair in expected.iter().zip(&found) {
        let (Value::Poly(expected), Value::Poly(found)) = pair else {
            panic!("polynomials")
        };
        assert!(expected == found);
    }
}
