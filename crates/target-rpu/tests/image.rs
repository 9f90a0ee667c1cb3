//! An image is what the machine runs: its program on its memories leaves the results where it says.

use ringwright_arith::primes::ntt_primes;
use ringwright_ir::generate;
use ringwright_ir::interpret::Interpreter;
use ringwright_ir::ring::{Basis, Domain, Module, ModuleBuilder, Type};
use ringwright_spec::Machine;
use ringwright_target::image::{HostAction, Memory};
use ringwright_target::{Device, Image};
use ringwright_target_rpu::isa::{decode, Instruction, Program};
use ringwright_target_rpu::registers::REGISTERS;
use ringwright_target_rpu::{run, Config, Memories, RPU};

const BASE: u64 = 1 << 40;

/// (x y, x + 3) of one prime, x in coefficients, in `calls` calls; `unused` is read by nobody.
fn module(log_n: u32, calls: usize) -> Module {
    let primes = ntt_primes(30, log_n, 1).expect("a prime");
    let mut mb = ModuleBuilder::new(log_n, &primes);
    let basis = Basis::range(0..1);
    let [coeff, eval] = [Domain::Coeff, Domain::Eval].map(|domain| Type::poly(&basis, domain));
    let mut fb = mb.function("product");
    let x = fb.param("x", coeff.clone(), false);
    let y = fb.param("y", eval.clone(), false);
    let transformed = fb.ntt(x).expect("coefficients");
    let product = fb.mul(transformed, y).expect("evaluations");
    let product = fb.intt(product).expect("evaluations");
    let sum = fb.add_scalar(x, &[3]).expect("a polynomial");
    let function = fb.finish(&[product, sum]).expect("sound");
    let mut fb = mb.function("main");
    let mut x = fb.param("x", coeff.clone(), false);
    fb.param("unused", coeff, false);
    let y = fb.param("y", eval, false);
    let mut results = vec![];
    for _ in 0..calls {
        results = fb.call(function, &[x, y]).expect("its operands");
        x = results[0];
    }
    let main = fb.finish(&results).expect("sound");
    mb.finish(main).expect("sound")
}

fn image(machine: &Machine, module: &Module) -> Result<Image, String> {
    let inputs = generate::inputs(1, module);
    let image = RPU.image.expect("it has one");
    image(machine, module, &inputs, BASE).map_err(|error| error.to_string())
}

fn filled(memory: &Memory, words: usize) -> Vec<u128> {
    let mut all = memory.before();
    all.resize(words, 0);
    all
}

/// Runs the image's program on the image's memories.
fn agrees(machine: &str, log_n: u32, module: &Module) {
    let machine = Machine::load(machine).expect("shipped");
    let config = Config::new(&machine).expect("buildable");
    let image = image(&machine, module).expect("one start");
    let [im, sdm, vdm] = &image.memories[..] else {
        panic!("three memories");
    };
    let decoded = im.before().into_iter().map(|word| decode(word as u64));
    let program: Result<Vec<Instruction>, _> = decoded.collect();
    let program = Program::new("image", program.expect("instructions"));
    let mut memories = Memories {
        vdm: filled(vdm, config.vdm_words),
        sdm: filled(sdm, config.sdm_words),
    };
    run(&program, &config, &mut memories).expect("it runs");
    let inputs = generate::inputs(1, module);
    let results = Interpreter
        .lower(module)
        .and_then(|kernel| kernel.run(&inputs));
    let after = &image.with_results(&results.expect("it runs"))[2];
    let n = 1 << log_n;
    for place in image.results.iter().flatten() {
        let first = (image.region(*place).address / vdm.addresses_per_word) as usize;
        assert!(
            memories.vdm[first..][..n] == after[first..][..n],
            "{}",
            machine.name()
        );
    }
    let params = module.entry().params.len();
    assert_eq!(image.inputs.iter().map(Vec::len).sum::<usize>(), params);
}

#[test]
fn the_program_of_an_image_leaves_the_results_where_it_says() {
    for (name, log_n) in [("rpu-8x8", 8), ("rpu-8x8", 6), ("rpu-128x128", 12)] {
        agrees(name, log_n, &module(log_n, 1));
    }
}

/// A function that is given a tower twice has it twice in its memory.
#[test]
fn an_input_lies_wherever_it_is_read() {
    let prime = ntt_primes(30, 8, 1).expect("a prime");
    let mut mb = ModuleBuilder::new(8, &prime);
    let ty = Type::poly(&Basis::range(0..1), Domain::Eval);
    let mut fb = mb.function("product");
    let (x, y) = (
        fb.param("x", ty.clone(), false),
        fb.param("y", ty.clone(), false),
    );
    let product = fb.mul(x, y).expect("evaluations");
    let function = fb.finish(&[product]).expect("sound");
    let mut fb = mb.function("main");
    let x = fb.param("x", ty, false);
    let square = fb.call(function, &[x, x]).expect("two operands");
    let main = fb.finish(&square).expect("sound");
    agrees("rpu-8x8", 8, &mb.finish(main).expect("sound"));
}

#[test]
fn a_start_writes_every_register_of_a_run_and_takes_the_interrupt() {
    let machine = Machine::load("rpu-8x8").expect("shipped");
    let image = image(&machine, &module(8, 1)).expect("one start");
    let [HostAction::Write(writes), HostAction::TakeInterrupt] = &image.script[..] else {
        panic!("a start and its interrupt");
    };
    let mut written: Vec<u32> = writes.iter().map(|write| write.offset).collect();
    // Starting comes last.
    assert_eq!(written.last(), Some(&REGISTERS.register("control").offset));
    written.sort_unstable();
    // A list of commands has two of its own in their place.
    let of_a_list = ["list", "doorbell"].map(|name| REGISTERS.register(name).offset);
    let per_run = REGISTERS
        .register
        .iter()
        .filter(|register| register.per_run && !of_a_list.contains(&register.offset));
    assert_eq!(
        written,
        per_run.map(|register| register.offset).collect::<Vec<_>>()
    );
    let bases = image
        .memories
        .iter()
        .map(|memory| (memory.base - BASE) >> 30);
    assert_eq!(bases.collect::<Vec<_>>(), [0, 1, 2]);
}

#[test]
fn a_program_of_several_starts_has_no_image() {
    let machine = Machine::load("rpu-8x8").expect("shipped");
    let refused = image(&machine, &module(8, 3)).err().expect("three calls");
    assert!(refused.contains("it takes 3 starts"), "{refused}");
}
