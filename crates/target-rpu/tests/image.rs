//! An image is what the machine runs: its program on its memories leaves the results where it says.

use ringwright_arith::primes::ntt_primes;
use ringwright_ir::generate;
use ringwright_ir::interpret::Interpreter;
use ringwright_ir::ring::composites::{key_switch, mod_down};
use ringwright_ir::ring::{Basis, Domain, Module, ModuleBuilder, Type};
use ringwright_spec::Machine;
use ringwright_target::image::{HostAction, Memory};
use ringwright_target::{Device, Image};
use ringwright_target_rpu::command::{Command, Kind};
use ringwright_target_rpu::isa::{decode, Instruction, Program};
use ringwright_target_rpu::registers::REGISTERS;
use ringwright_target_rpu::{run, Config, Memories, RPU};

const BASE: u64 = 1 << 39;

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

/// Off-chip memory, by byte.
struct OffChip<'a> {
    image: &'a Image,
    bytes: Vec<Vec<u8>>,
}

impl OffChip<'_> {
    fn at(&mut self, address: u64, bytes: usize) -> &mut [u8] {
        let memories = self.image.memories.iter().zip(&mut self.bytes);
        let mut found = memories.filter(|(memory, bytes)| {
            (memory.base..memory.base + bytes.len() as u64).contains(&address)
        });
        let (memory, all) = found.next().expect("an address of the image");
        let first = (address - memory.base) as usize;
        &mut all[first..first + bytes]
    }

    fn word(&mut self, address: u64, bytes: usize) -> u128 {
        let bytes = self.at(address, bytes).iter().rev();
        bytes.fold(0, |word, &byte| word << 8 | u128::from(byte))
    }
}

/// Does a list as the hardware does, one command after the other; how many runs there were.
fn replay(config: &Config, memory: &mut OffChip<'_>, list: u64, count: u32) -> usize {
    let mut device = Memories {
        vdm: vec![u128::from(u32::MAX); config.vdm_words],
        sdm: vec![0; config.sdm_words],
    };
    let mut instructions: Vec<u64> = vec![0; config.im_words];
    let whole = config.bytes_per_word() as usize;
    let (mut runs, mut lists, mut open) = (0, 0, false);
    let mut all = 0;
    for number in 0..u64::from(count) {
        let bytes = memory.at(list + 32 * number, 32).to_vec();
        let command = Command::decode(&bytes.try_into().expect("32 bytes")).expect("a command");
        if command.barrier {
            (runs, lists) = (0, 0);
        }
        let (place, count) = (command.place as usize, command.count as usize);
        let width = if command.narrow { whole / 2 } else { whole };
        let address = |at: usize| command.address + (at * width) as u64;
        match command.kind {
            Kind::Run => {
                assert!(command.after <= lists && !open);
                let decoded = instructions[place..place + count].iter();
                let decoded: Result<_, _> = decoded.map(|&word| decode(word)).collect();
                let program = Program::new("run", decoded.expect("instructions"));
                run(&program, config, &mut device).expect("it runs");
                (runs, all) = (runs + 1, all + 1);
            }
            Kind::LoadInstructions => {
                for at in 0..count {
                    let word = memory.word(command.address + 8 * at as u64, 8);
                    instructions[place + at] = word as u64;
                }
            }
            Kind::LoadScalars => {
                (0..count).for_each(|at| device.sdm[place + at] = memory.word(address(at), width));
            }
            Kind::LoadVectors => {
                (0..count).for_each(|at| device.vdm[place + at] = memory.word(address(at), width));
            }
            Kind::StoreVectors => {
                for at in 0..count {
                    let bytes = device.vdm[place + at].to_le_bytes();
                    memory
                        .at(address(at), width)
                        .copy_from_slice(&bytes[..width]);
                }
            }
        }
        if command.kind != Kind::Run {
            assert!(command.after <= runs);
            lists += u32::from(!command.more);
            open = command.more;
        }
    }
    all
}

/// Whatever a list does leaves the results where its image says.
fn list_agrees(machine: &Machine, module: &Module) -> usize {
    let config = Config::new(machine).expect("buildable");
    let image = image(machine, module).expect("a list");
    let [HostAction::Write(writes), HostAction::TakeInterrupt] = &image.script[..] else {
        panic!("a list and its interrupt");
    };
    let written = |name| {
        let offset = REGISTERS.register(name).offset;
        let write = writes.iter().find(|write| write.offset == offset);
        write.expect("it is written").value
    };
    let bytes = image.memories.iter().map(Memory::bytes).collect();
    let image = &image;
    let mut memory = OffChip { image, bytes };
    let list = u64::from(written("list")) * 256;
    let runs = replay(&config, &mut memory, list, written("doorbell"));
    let inputs = generate::inputs(1, module);
    let results = Interpreter
        .lower(module)
        .and_then(|kernel| kernel.run(&inputs))
        .expect("it runs");
    for (places, value) in image.results.iter().zip(&results) {
        for (place, tower) in places.iter().zip(value.towers()) {
            let of = &image.memories[place.memory];
            let width = of.addresses_per_word;
            let first = of.base + image.region(*place).address;
            for (at, &word) in tower.iter().enumerate() {
                let found = memory.word(first + at as u64 * width, width as usize);
                assert_eq!(found, u128::from(word), "{} word {at}", machine.name());
            }
        }
    }
    runs
}

/// (x y, …) with relinearisation: moves beside runs, keys joined, towers spilled.
fn relinearised(log_n: u32) -> Module {
    const LEVELS: u16 = 4;
    let primes = ntt_primes(30, log_n, usize::from(LEVELS) + 1).expect("there are primes");
    let mut mb = ModuleBuilder::new(log_n, &primes);
    let (q, p) = (Basis::range(0..LEVELS), Basis::range(LEVELS..LEVELS + 1));
    let full = q.join(&p);
    let switch = key_switch(&mut mb, &q, &p, &full, 1).expect("a basis");
    let down = mod_down(
        &mut mb,
        &Basis::range(0..LEVELS - 1),
        &Basis::range(LEVELS - 1..LEVELS),
        Domain::Eval,
    );
    let down = down.expect("a basis");
    let ty = Type::poly(&q, Domain::Eval);
    let key = Type::array(&full, Domain::Eval, 2 * LEVELS);
    let mut fb = mb.function("product");
    let [a, b] = ["a", "b"].map(|name| fb.param(name, ty.clone(), false));
    let k = fb.param("k", key.clone(), false);
    let square = fb.mul(a, b).expect("same form");
    let switched = fb.call(switch, &[square, k]).expect("its arguments");
    let moved = fb.automorphism(switched[1], 5).expect("odd");
    let product = fb.finish(&[switched[0], moved]).expect("sound");
    let mut fb = mb.function("rescaled");
    let x = fb.param("x", ty.clone(), false);
    let scaled = fb.call(down, &[x]).expect("its argument");
    let rescaled = fb.finish(&scaled).expect("sound");
    let mut fb = mb.function("main");
    let [a, b] = ["a", "b"].map(|name| fb.param(name, ty.clone(), false));
    let k = fb.param("k", key, false);
    let product = fb.call(product, &[a, b, k]).expect("its arguments");
    let scaled = fb.call(rescaled, &[product[1]]).expect("its argument");
    let main = fb.finish(&[product[0], scaled[0]]).expect("sound");
    mb.finish(main).expect("sound")
}

fn changed(text: &str, changes: &[(&str, &str)]) -> Machine {
    let line = |line: &str| {
        let key = line.split_once(" = ").map_or("", |(key, _)| key);
        let change = changes.iter().find(|(changed, _)| *changed == key);
        match change {
            Some((_, value)) => format!("{key} = {{ value = {value}, source = \"chosen\" }}\n"),
            None => format!("{line}\n"),
        }
    };
    let text: String = text.lines().map(line).collect();
    Machine::parse("changed.toml", &text).expect("sound")
}

#[test]
fn a_program_of_several_starts_is_a_list() {
    let shipped = Machine::shipped()
        .iter()
        .find(|each| each.name == "rpu-8x8");
    let text = shipped.expect("it ships").text;
    let machines = [
        changed(text, &[]),
        changed(text, &[("vdm_words", "32768")]),
        changed(text, &[("offchip_words", "\"packed\"")]),
        changed(text, &[("vdm_port", "\"exclusive\"")]),
    ];
    for machine in machines {
        assert!(list_agrees(&machine, &module(8, 3)) > 2);
        for log_n in [7, 9] {
            assert!(list_agrees(&machine, &relinearised(log_n)) > 1);
        }
    }
}

#[test]
fn a_list_lies_where_the_device_can_read_it() {
    let machine = Machine::load("rpu-8x8").expect("shipped");
    let module = module(8, 3);
    let inputs = generate::inputs(1, &module);
    for base in [8, 1 << 40] {
        let refused = RPU.image.expect("it has one")(&machine, &module, &inputs, base);
        let refused = refused.err().expect("not there").to_string();
        assert!(refused.contains("multiple of 256"), "{refused}");
    }
}
