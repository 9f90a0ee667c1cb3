//! A chip of several tiles: what it computes, and how much quicker it is than one of them.

use ringwright_ir::generate;
use ringwright_ir::generate::Product;
use ringwright_ir::interpret::Interpreter;
use ringwright_ir::ring::{Module, ValueId};
use ringwright_ir::Value;
use ringwright_spec::Machine;
use ringwright_target::{Device, Executable, Timing};
use ringwright_target_rpu::RPU;
use std::sync::Arc;

const LOG_N: u32 = 9;

/// How products follow each other.
#[derive(Clone, Copy, PartialEq)]
enum Row {
    /// Of operands of their own.
    Beside,
    /// Each of the one before with itself.
    Chain,
}

/// So many products of ciphertexts of two parts under `levels` primes, relinearised with digits of one
/// prime and one special prime, all with the same key.
fn products(log_n: u32, bits: u32, levels: u16, count: usize, row: Row) -> Module {
    let Product {
        module: mut mb,
        function,
        polynomial,
        key,
    } = Product::new(log_n, bits, levels, 1);
    let mut fb = mb.function("main");
    let k = fb.param("k", key, false);
    let given = if row == Row::Beside { 4 * count } else { 2 };
    let given: Vec<ValueId> = (0..given)
        .map(|index| fb.param(&format!("x{index}"), polynomial.clone(), false))
        .collect();
    let mut results = Vec::new();
    let mut last = given.clone();
    for index in 0..count {
        let operands = match row {
            Row::Beside => given[4 * index..][..4].to_vec(),
            Row::Chain => [&last[..], &last[..]].concat(),
        };
        last = fb
            .call(function, &[&operands[..], &[k]].concat())
            .expect("its arguments");
        match row {
            Row::Beside => results.extend(&last),
            Row::Chain => results = last.clone(),
        }
    }
    let main = fb.finish(&results).expect("sound");
    mb.finish(main).expect("sound")
}

fn text(name: &str) -> &'static str {
    let machine = Machine::shipped()
        .iter()
        .find(|shipped| shipped.name == name);
    machine.expect("it ships").text
}

/// `rpu-8x8` with more memory.
fn one() -> Machine {
    Machine::parse("one.toml", &chip(1)).expect("sound")
}

/// The same several times over.
fn chip(tiles: usize) -> String {
    let value = |value: usize| format!("{{ value = {value}, source = \"chosen\" }}");
    let text = changed(text("rpu-8x8"), "vdm_words", &value(32_768));
    let text = changed(&text, "tiles", &value(tiles));
    let text = changed(&text, "mesh_columns", &value(tiles.div_ceil(2)));
    text.replace("rpu-8x8", "chip")
}

fn changed(text: &str, key: &str, value: &str) -> String {
    let lines = text.lines().map(|line| match line.split_once(" = ") {
        Some((name, _)) if name == key => format!("{key} = {value}\n"),
        _ => format!("{line}\n"),
    });
    lines.collect()
}

/// A machine with a memory that takes next to no time.
fn with_fast_memory(text: &str) -> Machine {
    let value = |value: u64| format!("{{ value = {value}, source = \"chosen\" }}");
    let text = changed(text, "dma_bits_per_second", &value(1_000_000_000_000_000));
    let text = changed(&text, "dma_latency", &value(1));
    Machine::parse("fast.toml", &text).expect("sound")
}

fn lowered(machine: &Machine, module: &Module) -> Arc<dyn Executable> {
    let device: Arc<dyn Device> = (RPU.lower)(machine).expect("it can be built");
    device.lower(module).expect("it fits")
}

fn timing(machine: &Machine, module: &Module) -> Arc<Timing> {
    lowered(machine, module)
        .timing()
        .expect("it is simulated")
        .clone()
}

/// Cycles of the cores, the busiest first, of a run that is one part.
fn cores(timing: &Timing) -> Vec<u64> {
    let [part] = &timing.parts[..] else {
        panic!("{} parts", timing.parts.len());
    };
    let work = part.steps.work(|kind| kind.work.device_cycles());
    let cores = work
        .into_iter()
        .filter(|(unit, _)| unit.starts_with("core"));
    let mut cores: Vec<u64> = cores.map(|(_, cycles)| cycles).collect();
    cores.sort_unstable_by(|a, b| b.cmp(a));
    cores
}

fn port(timing: &Timing) -> u64 {
    let parts = timing.parts.iter();
    parts
        .map(|part| part.steps.work(|kind| kind.work.device_cycles())["dma"])
        .sum()
}

fn bytes_sent(timing: &Timing) -> u64 {
    timing.counters().get("mesh", "send towers")
}

fn check(machine: &Machine, module: &Module) -> Arc<Timing> {
    let inputs = generate::inputs(7, module);
    let executable = lowered(machine, module);
    let values = executable.run(&inputs).expect("it runs");
    let expected = Interpreter
        .prepare(module)
        .expect("sound")
        .run(&inputs)
        .expect("runs");
    let towers = |values: &[Value]| -> Vec<Vec<u64>> {
        values
            .iter()
            .flat_map(Value::towers)
            .map(<[u64]>::to_vec)
            .collect()
    };
    assert!(towers(&values) == towers(&expected));
    executable.timing().expect("it is simulated").clone()
}

/// The book's table of a chip has these numbers in a row.
fn book_has(numbers: &[u64]) {
    let thousands = |number: &u64| {
        let digits = number.to_string();
        let groups = digits.as_bytes().rchunks(3).rev();
        let groups = groups.map(|group| String::from_utf8_lossy(group).into_owned());
        groups.collect::<Vec<_>>().join(",")
    };
    let numbers: Vec<String> = numbers.iter().map(thousands).collect();
    let mut rows = include_str!("../../../docs/rpu.md").lines();
    let has = |row: &str| row.starts_with("| ") && numbers.iter().all(|each| row.contains(each));
    assert!(rows.any(has), "docs/rpu.md has no row with {numbers:?}");
}

/// Alone, side by side and one behind the other, on chips on which towers go one hop and several.
#[test]
fn a_chip_computes_what_the_interpreter_does() {
    let mut sent = 0;
    for tiles in [2, 3, 6] {
        for (count, row) in [(1, Row::Beside), (5, Row::Beside), (3, Row::Chain)] {
            let module = products(LOG_N, 30, 4, count, row);
            sent += bytes_sent(&check(&with_fast_memory(&chip(tiles)), &module));
            let timing = check(
                &Machine::parse("chip.toml", &chip(tiles)).expect("sound"),
                &module,
            );
            assert!(
                timing.cycles <= check(&one(), &module).cycles,
                "{tiles} tiles, {count} calls"
            );
        }
    }
    assert!(sent > 0, "nothing was sent");
}

/// Issue bars: a product of `16384-7x54` on the tiles of TREBUCHET's chip takes a seventh of a tile's kernel
/// cycles when nothing waits for memory.
#[test]
fn fourteen_tiles_do_a_product_in_a_seventh_of_the_time() {
    let module = products(14, 54, 7, 1, Row::Beside);
    let tile = cores(&timing(
        &Machine::load("trebuchet-v2").expect("ships"),
        &module,
    ))[0];
    let chip = timing(&with_fast_memory(text("trebuchet-chip-14")), &module);
    assert!(chip.cycles.0 * 7 <= tile, "{} of {tile}", chip.cycles.0);
    book_has(&[chip.cycles.0, tile]);
    assert!(bytes_sent(&chip) > 0);
}

/// Independent products share what they have in common: the port brings keys and tables once for all, and
/// nothing else is waited for but a tenth of the time.
#[test]
fn fourteen_products_take_what_memory_takes() {
    let module = products(14, 54, 7, 14, Row::Beside);
    let chip = timing(&Machine::load("trebuchet-chip-14").expect("ships"), &module);
    let (port, core) = (port(&chip), cores(&chip)[0]);
    assert!(
        10 * chip.cycles.0 <= 11 * port.max(core),
        "{} of {port}, {core}",
        chip.cycles.0
    );
    book_has(&[chip.cycles.0, port]);
    let alone = products(14, 54, 7, 1, Row::Beside);
    let alone = timing(&Machine::load("trebuchet-v2").expect("ships"), &alone);
    assert!(
        2 * port < 14 * self::port(&alone),
        "{port} of 14 times {}",
        self::port(&alone)
    );
}

#[test]
fn small_products_are_as_many_times_as_quick_as_there_are_tiles() {
    let machine = with_fast_memory(text("trebuchet-chip-14"));
    let [one, all] = [1, 14].map(|count| {
        let tiles = Machine::load("trebuchet-v2").expect("ships");
        let module = products(12, 36, 2, count, Row::Beside);
        match count {
            1 => cores(&timing(&tiles, &module))[0],
            _ => timing(&machine, &module).cycles.0,
        }
    });
    assert!(12 * all <= 14 * one, "{all} for fourteen, {one} for one");
    book_has(&[all, one]);
}
