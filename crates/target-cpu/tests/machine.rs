//! How machine descriptions become devices.

use ringwright_ir::ring::{Basis, Domain, ModuleBuilder, Type};
use ringwright_ir::RunError;
use ringwright_kernels::Isa;
use ringwright_spec::Machine;
use ringwright_target_cpu::CPU;

fn machine(threads: usize, isa: &str) -> Machine {
    let text = format!(
        "name = \"mine\"\ntarget = \"cpu\"\ntitle = \"mine\"\n[parameters]\n\
         threads = {{ value = {threads}, source = \"test\" }}\n\
         isa = {{ value = \"{isa}\", source = \"test\" }}\n"
    );
    Machine::parse("mine.toml", &text).expect("a valid description")
}

#[test]
fn a_device_carries_its_machine_s_name() {
    for isa in std::iter::once("auto").chain(Isa::available().iter().map(|isa| isa.name())) {
        let device = (CPU.lower)(&machine(2, isa)).expect(isa);
        assert_eq!(device.machine(), "mine");
    }
}

#[test]
fn an_instruction_set_that_is_not_there_is_refused() {
    for isa in Isa::ALL {
        let lowered = (CPU.lower)(&machine(1, isa.name()));
        assert_eq!(lowered.is_ok(), isa.is_available());
        if let Err(error) = lowered {
            let message = error.to_string();
            assert!(
                message.contains(isa.name()) && message.contains("scalar"),
                "{message}"
            );
        }
    }
}

#[test]
fn a_prime_beyond_the_word_is_unsupported_by_name() {
    let log_n = 4;
    let primes = ringwright_arith::primes::ntt_primes(80, log_n, 1).expect("a prime");
    let mut mb = ModuleBuilder::new(log_n, &primes);
    let mut fb = mb.function("main");
    let a = fb.param("a", Type::poly(&Basis::range(0..1), Domain::Eval), false);
    let square = fb.mul(a, a).expect("valid");
    let main = fb.finish(&[square]).expect("valid");
    let module = mb.finish(main).expect("valid");
    let device = (CPU.lower)(&machine(1, "auto")).expect("a device");
    match device.lower(&module).map(|_| ()) {
        Err(RunError::Unsupported { machine, reason }) => {
            assert!(
                machine == "mine" && reason.contains(&primes[0].to_string()),
                "{reason}"
            );
        }
        other => panic!("{other:?}"),
    }
}
