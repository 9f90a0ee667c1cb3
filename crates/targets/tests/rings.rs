//! Every target on a program over the conjugate-invariant ring: the interpreter's words, or a refusal
//! that says which machine has which ring.

use ringwright_arith::primes::ntt_primes;
use ringwright_ir::generate;
use ringwright_ir::interpret::Interpreter;
use ringwright_ir::ring::{Basis, Domain, Module, ModuleBuilder, RingKind, Type, VerifyError};
use ringwright_ir::{RunError, Value};
use ringwright_spec::Machine;

const LOG_N: u32 = 10;

/// A product, turned by one slot.
fn program() -> Result<Module, VerifyError> {
    let primes = ntt_primes(30, LOG_N + 1, 2).expect("primes");
    let mut mb = ModuleBuilder::over(RingKind::ConjugateInvariant, LOG_N, &primes);
    let mut fb = mb.function("main");
    let ty = Type::poly(&Basis::range(0..2), Domain::Coeff);
    let [a, b] = ["a", "b"].map(|name| fb.param(name, ty.clone(), false));
    let [a, b] = [fb.ntt(a)?, fb.ntt(b)?];
    let product = fb.mul(a, b)?;
    let turned = fb.automorphism(product, 5)?;
    let turned = fb.intt(turned)?;
    let main = fb.finish(&[turned])?;
    mb.finish(main)
}

fn towers(values: &[Value]) -> Vec<&[u64]> {
    values.iter().flat_map(Value::towers).collect()
}

#[test]
fn a_target_runs_the_ring_or_refuses_it_by_name() {
    let module = program().expect("valid");
    let inputs = generate::inputs(1, &module);
    let prepared = Interpreter.prepare(&module).expect("valid");
    let expected = prepared.run(&inputs).expect("runs");
    let (mut ran, mut refused) = (0, 0);
    for target in ringwright_targets::all() {
        let machine = Machine::load(target.default_machine).expect("it ships");
        let device = (target.lower)(&machine).expect("buildable");
        let lowered = device.lower(&module);
        match lowered {
            Ok(executable) => {
                let found = executable.run(&inputs).expect("runs");
                assert_eq!(towers(&found), towers(&expected), "{}", target.name);
                ran += 1;
            }
            Err(RunError::Unsupported { machine, reason }) => {
                assert_eq!(machine, device.machine());
                assert_eq!(
                    reason,
                    "it is over the conjugate-invariant ring; allowed is the standard one, Z[X]/(X^N + 1)"
                );
                refused += 1;
            }
            Err(error) => panic!("{}: {error}", target.name),
        }
    }
    assert!(ran > 0 && refused > 0, "{ran} ran, {refused} refused");
}
