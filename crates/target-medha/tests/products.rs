//! Products with relinearisation on the machine that ships: how long they take, and what hides what.

use ringwright_arith::primes::ntt_primes;
use ringwright_ir::generate::{self, Product};
use ringwright_ir::interpret::Interpreter;
use ringwright_ir::ring::Module;
use ringwright_ir::text::parse;
use ringwright_spec::{Machine, Setting};
use ringwright_target::{Device, Executable};
use ringwright_target_medha::config::MOST_RPAUS;
use ringwright_target_medha::encode::encode;
use ringwright_target_medha::image::image;
use ringwright_target_medha::lower::{lower, Lowered};
use ringwright_target_medha::microcode::{ISA, MOST_LANES, UNITS};
use ringwright_target_medha::shape::Shape;
use ringwright_target_medha::{Config, MEDHA, MICROCODE};
use std::sync::Arc;

fn lowered(machine: &str, log_n: u32, levels: u16) -> Arc<dyn Executable> {
    let machine = Machine::load(machine).expect("ships");
    let device = (MEDHA.lower)(&machine).expect("a machine");
    let module = Product::new(log_n, 54, levels, 1).alone();
    device.lower(&module).expect("lowers")
}

/// Cycles of the fewest transforms that must come one after the other: a digit's to coefficients, all
/// digits' to evaluations where no digit is its own, both sums' back, the last one's to evaluations.
fn chain(log_n: u64, levels: u64) -> u64 {
    (1 << log_n) / 32 * log_n * (levels + 4)
}

/// The same with what stands between them: start, product, a link and a reduction, the last product
/// with a key, the way to all others and a reduction, the last result. `special`: the RPAU of the special
/// prime, the last that is given one.
fn account(config: &Config, log_n: u32, levels: usize, special: usize) -> u64 {
    let shape = Shape::of(config, log_n).expect("a degree");
    let transform = config.issue_cycles + shape.transform(config, log_n, true);
    let dyadic = shape.dyadic(config, 1);
    let before = (special + config.rpaus - 1) % config.rpaus;
    let link = shape.broadcast(config, before, 1);
    let all_links = shape.broadcast(config, special, config.rpaus - 1);
    let chain = transform * (levels as u64 + 4);
    config.start_cycles + chain + link + all_links + 5 * dyadic
}

#[test]
fn a_product_takes_the_chain_of_its_transforms_and_what_stands_between_them() {
    // At 2^15 a digit comes late once, behind what else an RPAU's dyadic core does, and the second sum waits
    // for more than a microinstruction can.
    let machine = Machine::load("medha-u250").expect("ships");
    let config = Config::new(&machine).expect("buildable");
    for (log_n, levels, special, most, late) in [(14, 7, 8, 83_000, 0), (15, 9, 0, 208_000, 366)] {
        let lowered = lowered("medha-u250", log_n, levels);
        let timing = lowered.timing().expect("simulated");
        // The only kernel, its tables and moves of operands and results apart.
        let mut kernels = timing.shares().filter(|(source, _)| source.call.is_some());
        let cycles = kernels.next().expect("one call").1.cycles.0;
        assert!(kernels.next().is_none());
        println!("N = 2^{log_n}, {levels} levels: {cycles}");
        let least = chain(log_n.into(), levels.into());
        assert!((least..=most).contains(&cycles), "{cycles}");
        let account = account(&config, log_n, levels.into(), special);
        assert_eq!(cycles, account + late);
    }
}

/// Also where one tower at most waits behind the ring and the memories hold four each, at the largest
/// degree, whatever the digits.
#[test]
fn small_products_are_right() {
    let machine = Machine::load("medha-8x2").expect("ships");
    let values = [
        ("max_degree", 256),
        ("bank_words", 256),
        ("landing_towers", 1),
    ];
    let values = values.map(|(key, value)| (key.to_owned(), Setting::Int(value)));
    let tight = machine.with("tight", &values.into(), "test", None);
    for machine in [machine, tight.expect("allowed")] {
        for (levels, digit) in [(1, 1), (6, 1), (6, 2), (5, 3)] {
            is_right(&machine, &Product::new(8, 54, levels, digit).alone());
        }
    }
}

fn is_right(machine: &Machine, module: &Module) {
    let device = (MEDHA.lower)(machine).expect("a machine");
    let inputs = generate::inputs(7, module);
    let run = |device: &dyn Device| device.lower(module).and_then(|e| e.run(&inputs));
    let (ours, theirs) = (
        run(&*device).expect("runs"),
        run(&Interpreter).expect("runs"),
    );
    for (a, b) in ours.iter().zip(&theirs) {
        assert!(a.towers().eq(b.towers()), "{}", machine.name());
    }
}

/// What sizes arrays here is what the microcode can name.
#[test]
fn the_largest_machine_is_what_microcode_names() {
    assert_eq!(ISA.lanes, MOST_LANES);
    const { assert!(MOST_LANES + 3 * MOST_RPAUS <= UNITS) };
    assert!(ISA.encode_waits(&[(UNITS as u64 - 1, 1)]).is_ok());
    assert!(ISA.encode_waits(&[(UNITS as u64, 1)]).is_err());
}

/// A stream as text is the same stream again.
#[test]
fn microcode_is_text_and_back() {
    let machine = Machine::load("medha-8x2").expect("ships");
    let config = Config::new(&machine).expect("buildable");
    let module = Product::new(8, 54, 6, 2).alone();
    let program = lower(&config, &module).expect("lowers");
    let mut streams = 0;
    for part in &program.parts {
        let code = encode(&config, &program.shape, &part.microprogram).expect("words");
        let of_rpaus = code.rpaus.iter().flat_map(|rpau| &rpau.streams);
        for stream in of_rpaus.chain(&code.lanes) {
            let words: Vec<u64> = stream.iter().flatten().copied().collect();
            let image: Vec<u8> = words.iter().flat_map(|word| word.to_le_bytes()).collect();
            let text = (MICROCODE.disassemble)(&image).expect("text");
            let again = (MICROCODE.assemble)("again", &text).expect("words");
            let again: Vec<u64> = again.instructions.iter().map(|one| one.word).collect();
            assert_eq!(again, words, "{text}");
            streams += 1;
        }
    }
    assert!(streams >= 4 * 8);
    let error = (MICROCODE.assemble)("wrong", "stop\nmul m0[0]").expect_err("two operands short");
    let said = "wrong: line 2: `mul` has 1 operands; it takes 3";
    assert_eq!(error.to_string(), said);
    assert!((MICROCODE.disassemble)(&[0; 17]).is_err());
}

/// The RTL reads a slot once, however many operands it is.
#[test]
fn one_tower_as_two_operands_is_one_slot() {
    let prime = ntt_primes(30, 8, 1).expect("a prime")[0];
    let text = format!(
        "log_n 8\nprime q0 = {prime}\nentry main\n\n\
         ring product@q0(a: poly[q0; eval], b: poly[q0; eval]) -> poly[q0; eval] {{\n  \
         %2 = mul a, b\n  return %2\n}}\n\n\
         ring main(x: poly[q0; eval]) -> poly[q0; eval] {{\n  \
         %1 = call product@q0(x, x)\n  return %1\n}}\n"
    );
    let module = parse(&text).expect("a module");
    let config = Config::new(&Machine::load("medha-8x2").expect("ships")).expect("buildable");
    let lowered = lower(&config, &module).expect("lowers");
    let all = lowered.parts.iter().flat_map(|part| &part.microprogram.all);
    let products = all.filter(|placed| placed.instruction.reads().len() == 2);
    let products: Vec<_> = products.collect();
    assert_eq!(products.len(), 1);
    let slots = products[0].instruction.reads();
    assert_eq!(slots[0], slots[1]);
    assert_eq!(products[0].cycles, lowered.shape.dyadic(&config, 1));
}

/// The list of a program is as long as its time says: its tables, behind the degree, primes and factors that
/// come once. Also where each kernel takes another's place in the memories of microcode, and where operands
/// are moved by several kernels.
#[test]
fn tables_take_a_cycle_for_each_beat_of_the_list() {
    let shipped = Machine::load("medha-8x2").expect("ships");
    let values = |values: &[(&str, i64)]| {
        let set = values.iter();
        let set = set.map(|&(key, value)| (key.to_owned(), Setting::Int(value)));
        shipped.with("little", &set.collect(), "test", None)
    };
    let little = values(&[("code_words", 32), ("arguments", 8)]).expect("allowed");
    let prime = ntt_primes(30, 8, 1).expect("a prime")[0];
    let polys = |count: usize| {
        let each = (0..count).map(|i| format!("x{i}: poly[q0; eval]"));
        each.collect::<Vec<_>>().join(", ")
    };
    // 60 products, one behind the other, which no 32 microinstructions hold.
    let sum = |i: usize| match i {
        0 => "  %10 = add x0, x1\n".to_owned(),
        _ => format!("  %{} = mul %{}, x{}\n", 10 + i, 9 + i, i % 10),
    };
    let text = format!(
        "log_n 8\nprime q0 = {prime}\nentry main\n\n\
         ring main({}) -> poly[q0; eval], poly[q0; eval] {{\n{}  return %30, %69\n}}\n",
        polys(10),
        (0..60).map(sum).collect::<String>(),
    );
    let module = parse(&text).expect("a module");
    for (machine, fewest) in [(&shipped, 3), (&little, 6)] {
        let device = (MEDHA.lower)(machine).expect("a machine");
        let lowered = device.lower(&module).expect("lowers");
        let timing = lowered.timing().expect("simulated");
        let shares: Vec<_> = timing.shares().collect();
        let tables = shares
            .iter()
            .filter(|(source, _)| &*source.name == "tables");
        let tables: Vec<_> = tables
            .map(|(_, share)| (share.cycles.0, share.bytes_moved))
            .collect();
        assert!(tables.len() >= fewest, "{tables:?}");
        assert!(tables.iter().all(|&(cycles, bytes)| bytes == 16 * cycles));
        let filled: u64 = tables.iter().map(|&(cycles, _)| cycles).sum();
        let inputs = generate::inputs(7, &module);
        let image = image(machine, &module, &inputs, 0).expect("in RTL");
        let list = &image.memories[0].regions[0];
        let once = timing.set_up.as_ref().expect("factors").cycles.0;
        assert!(once > 2 * 256);
        // Words of 64 bits.
        assert_eq!(list.length as u64, 2 * (once + filled));
    }
}

#[test]
fn a_kernel_that_its_streams_do_not_hold_is_several() {
    let machine = Machine::load("medha-8x2").expect("ships");
    let module = Product::new(8, 54, 2, 1).alone();
    let config = Config::new(&machine).expect("buildable");
    let lowered = |code_words: usize| {
        let config = Config {
            code_words,
            ..config.clone()
        };
        lower(&config, &module)
    };
    let longest = |lowered: &Lowered| {
        let code = lowered.parts.iter().map(|part| {
            let code = encode(&config, &lowered.shape, &part.microprogram).expect("words");
            let streams = code.rpaus.iter().flat_map(|rpau| &rpau.streams);
            streams.chain(&code.lanes).map(Vec::len).max()
        });
        code.max().flatten().expect("streams")
    };
    let whole = lowered(config.code_words).expect("lowers");
    assert_eq!(whole.program.calls.len(), 1);
    let room = longest(&whole);
    assert_eq!(lowered(room).expect("lowers").program.calls.len(), 1);
    let cut = lowered(room - 1).expect("lowers");
    assert!(cut.program.calls.len() > 1);
    assert!(longest(&cut) < room);
    let Err(refused) = lowered(1) else {
        panic!("no room for an operation and its stop");
    };
    let said = "an operation needs a stream of 2 microinstructions; code_words = 1";
    assert!(refused.to_string().contains(said), "{refused}");
}
