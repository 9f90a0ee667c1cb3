//! Primes beyond 64-bit words, where the machine's words hold them: values are the interpreter's.

use ringwright_arith::primes::ntt_primes;
use ringwright_ir::generate::{self, Shape};
use ringwright_ir::interpret;
use ringwright_ir::ring::{Basis, Domain, Module, ModuleBuilder, RingKind, Type};
use ringwright_ir::{RunError, Value};
use ringwright_spec::Machine;
use ringwright_target::Executable;
use ringwright_target_rpu::RPU;
use std::sync::Arc;

const LOG_N: u32 = 10;

fn lowered(machine: &Machine, module: &Module) -> Result<Arc<dyn Executable>, RunError> {
    (RPU.lower)(machine)
        .expect("it can be set up")
        .lower(module)
}

/// The small machine with words of 128 bits.
fn small() -> Machine {
    let shipped = include_str!("../../../machines/rpu-8x8.toml");
    let text = shipped.replace("word_bits = { value = 64", "word_bits = { value = 128");
    let text = text.replace(
        "dma_bits_per_second = { value = 128_000",
        "dma_bits_per_second = { value = 256_000",
    );
    assert_ne!(text, shipped);
    Machine::parse("wide.toml", &text).expect("sound")
}

fn published() -> Machine {
    Machine::load("rpu-128x128").expect("it ships")
}

/// x² of a polynomial with one tower for each prime, in coefficients.
fn square(log_n: u32, primes: &[u128]) -> Module {
    let mut mb = ModuleBuilder::new(log_n, primes);
    let mut fb = mb.function("square");
    let basis = Basis::range(0..primes.len() as u16);
    let x = fb.param("x", Type::poly(&basis, Domain::Coeff), false);
    let evaluations = fb.ntt(x).expect("coefficients");
    let product = fb.mul(evaluations, evaluations).expect("evaluations");
    let result = fb.intt(product).expect("evaluations");
    let main = fb.finish(&[result]).expect("sound");
    mb.finish(main).expect("sound")
}

fn check(machine: &Machine, module: &Module) {
    let inputs: Vec<Value<u128>> = generate::inputs(11, module);
    let meant = interpret::run(module, &inputs).expect("runs");
    let kernel = lowered(machine, module).expect("it fits");
    let found = kernel.run_wide(&inputs).expect("runs");
    assert_eq!(found.len(), meant.len());
    for (found, meant) in found.iter().zip(&meant) {
        assert!(found.towers().eq(meant.towers()), "{}", machine.name());
    }
}

#[test]
fn transforms_and_products_of_wide_towers_are_the_interpreters() {
    for (machine, log_n) in [(small(), 8), (published(), LOG_N)] {
        for bits in [63, 100, 120, 126] {
            check(
                &machine,
                &square(log_n, &ntt_primes(bits, log_n, 2).expect("primes")),
            );
        }
    }
}

/// Every operation but drawing: narrow primes beside wide ones.
#[test]
fn drawn_programs_on_wide_towers_are_the_interpreters() {
    for (machine, log_n) in [(small(), 7), (published(), LOG_N)] {
        let mut primes = ntt_primes(120, log_n, 3).expect("primes");
        primes.extend(ntt_primes(40, log_n, 2).expect("primes"));
        let mut ran = 0;
        for seed in 0..12 {
            let shape = Shape {
                kind: RingKind::Standard,
                log_n,
                primes: primes.clone(),
                helpers: seed as usize % 3,
                ops: 12,
            };
            let module = generate::module(seed, &shape).expect("a valid shape");
            match lowered(&machine, &module) {
                Ok(_) => {
                    check(&machine, &module);
                    ran += 1;
                }
                Err(refused) => assert!(refused.to_string().contains("random words"), "{refused}"),
            }
        }
        assert!(ran > 2, "{ran} programs draw nothing");
    }
}

/// Each refusal names the width that is asked and the width that there is.
#[test]
fn words_too_narrow_are_refused_by_both_widths() {
    let module = square(8, &ntt_primes(120, 8, 1).expect("a prime"));
    let shipped = Machine::load("rpu-8x8").expect("it ships");
    let Err(refused) = lowered(&shipped, &module) else {
        panic!("words of 64 bits do not hold it");
    };
    let refused = refused.to_string();
    assert!(
        refused.contains("of 120 bits; words of 64 bits"),
        "{refused}"
    );
    let kernel = lowered(&small(), &module).expect("it fits");
    let narrow: Vec<Value> =
        generate::inputs(1, &square(8, &ntt_primes(60, 8, 1).expect("a prime")));
    let Err(refused) = kernel.run(&narrow) else {
        panic!("values of 64 bits do not hold its results");
    };
    let refused = refused.to_string();
    assert!(
        refused.contains("120 bits") && refused.contains("words of 64 bits"),
        "{refused}"
    );
}
