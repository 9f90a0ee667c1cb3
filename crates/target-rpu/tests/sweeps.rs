//! Machines whose vector data memory holds few towers work on blocks of them, and on towers joined.

use ringwright_ir::generate;
use ringwright_ir::generate::Product;
use ringwright_ir::interpret::Interpreter;
use ringwright_ir::ring::Module;
use ringwright_ir::Value;
use ringwright_spec::Machine;
use ringwright_target::conformance::{run, Budget};
use ringwright_target::{Device, Executable};
use ringwright_target_rpu::kernels::Library;
use ringwright_target_rpu::lower::commands::{Moved, What};
use ringwright_target_rpu::lower::kinds::Manner;
use ringwright_target_rpu::lower::plan::Plan;
use ringwright_target_rpu::lower::program::lower;
use ringwright_target_rpu::lower::start::Starts;
use ringwright_target_rpu::{Config, RPU};
use ringwright_towers::residency::Content;
use std::sync::Arc;

/// Towers of 2^9 words, eight of which the machine below holds.
const LOG_N: u32 = 9;
/// Two of these primes fit one word of 64 bits.
const BITS: u32 = 30;

/// The small machine with half of its vector data memory, and a port that is quick to begin, as it is
/// beside towers of the size that sweeps are for.
fn machine() -> Machine {
    let mut text = include_str!("../../../machines/rpu-8x8.toml").to_owned();
    for (shipped, here) in [
        ("vdm_words = { value = 8192", "vdm_words = { value = 4096"),
        ("dma_latency = { value = 100", "dma_latency = { value = 1"),
    ] {
        assert!(text.contains(shipped), "{shipped}");
        text = text.replace(shipped, here);
    }
    Machine::parse("few-slots.toml", &text).expect("sound")
}

fn device(machine: &Machine) -> Arc<dyn Device> {
    (RPU.lower)(machine).expect("it can be set up")
}

/// With `digit` primes a digit and as many special ones.
fn product(bits: u32, levels: u16, digit: u16) -> Module {
    Product::new(LOG_N, bits, levels, digit).alone()
}

fn lowered(machine: &Machine, module: &Module) -> Arc<dyn Executable> {
    device(machine).lower(module).expect("it fits")
}

fn sweeps(kernel: &dyn Executable) -> usize {
    let listings = kernel.listings();
    listings
        .iter()
        .filter(|listing| listing.name == "word_by_word")
        .count()
}

/// Digits that end where a pair of joined primes does, and digits that do not.
#[test]
fn a_product_with_key_switch_is_the_interpreters() {
    for (bits, levels, digit) in [(BITS, 4, 2), (BITS, 7, 3), (54, 5, 2), (BITS, 3, 1)] {
        let module = product(bits, levels, digit);
        let inputs: Vec<Value> = generate::inputs(7, &module);
        let meant = Interpreter
            .prepare(&module)
            .expect("valid")
            .run(&inputs)
            .expect("runs");
        let kernel = lowered(&machine(), &module);
        assert!(sweeps(&*kernel) > 0, "{levels} primes, digits of {digit}");
        let found = kernel.run(&inputs).expect("runs");
        for (found, meant) in found.iter().zip(&meant) {
            assert!(
                found.towers().eq(meant.towers()),
                "{levels} primes, digits of {digit}"
            );
        }
    }
}

/// Whatever works on whole towers has its sweeps between.
#[test]
fn any_program_is_the_interpreters() {
    let budget = Budget {
        log_n: vec![LOG_N],
        bits: vec![BITS, 54],
        generated: 10,
        seed: 40,
    };
    let report = run(&RPU, &machine(), &budget);
    assert!(report.is_conformant(), "{report}");
}

/// The bound of the header of `lower/phases.rs`, for the largest part of what is moved: every key word
/// is brought once, every extended digit taken and brought at its transform and brought for its
/// products, for two primes at once.
#[test]
fn key_words_come_once_and_digits_in_pairs() {
    let (levels, digit) = (4, 2);
    let config = Config::new(&machine()).expect("it can be built");
    let plan = Plan {
        manner: Manner::Swept,
        starts: Starts::Ahead { kernels: 1 },
    };
    let module = product(BITS, levels, digit);
    let program = lower(&config, &Library::default(), &module, plan).expect("it fits");
    let part = &program.parts[0];
    let items = part
        .commands
        .list
        .iter()
        .flat_map(|command| match &command.what {
            What::Moves(items) => items.as_slice(),
            What::Run(_) => &[],
        });
    let loads = items.filter(|item| matches!(item.what, Moved::Load(_)));
    let spans = loads.flat_map(|&item| part.spans(item));
    let towers = spans.filter(|span| matches!(span.content, Content::Tower(_)));
    let words: usize = towers.map(|span| span.words).sum();
    let digits = levels / digit;
    let pairs = levels / 2;
    // One pair of special primes; no digit is extended to its own pair.
    let extended = digits * (pairs + 1) - pairs;
    let keys = 2 * digits * (pairs + 1); // joined in memory
    let products = 4 * levels;
    // Operands for the joined product and for the results, digits, both divisions.
    let loaded = keys + products + products / 2 // keys; a and b; a1 and b1 once more
        + pairs // coefficients of pairs
        + pairs // which are extended
        + 2 * extended + pairs // digits transformed, multiplied; own ones multiplied
        + 2 + 2 // sums under special primes, transformed and extended
        + 2 * (2 * pairs); // remainders, transformed and subtracted
    assert_eq!(words, usize::from(loaded) << LOG_N);
}
