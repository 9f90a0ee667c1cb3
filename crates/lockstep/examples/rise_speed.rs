//! One encryption on the simulator and on the verilated machine: microseconds of each, answers and
//! cycles checked. `bench/rtl.py` builds the library, without probes, and runs this.

#[path = "../tests/rise/bench.rs"]
mod bench;
#[path = "../tests/rise/host.rs"]
mod host;
#[path = "../tests/rise/memory.rs"]
mod memory;
#[path = "../tests/rise/stalls.rs"]
mod stalls;

use bench::{machine, seed, words, Bench};
use ringwright_ir::ring::Module;
use ringwright_ir::{generate, Value};
use ringwright_lockstep::Lockstep;
use ringwright_schemes::ckks::Parameters;
use ringwright_schemes::rlwe::programs;
use ringwright_target_rise::hosted::Hosted;
use ringwright_target_rise::RISE;
use stalls::Stalls;
use std::convert::Infallible;
use std::error::Error;
use std::time::Instant;

const ROUNDS: usize = 5;

struct Run {
    microseconds: f64,
    results: Vec<Value>,
    /// Cycle in which the host has taken the last interrupt.
    end: u64,
}

fn main() -> Result<(), Box<dyn Error>> {
    let mut arguments = std::env::args().skip(1);
    let name = arguments.next().ok_or("give a machine")?;
    let preset = arguments.next().ok_or("give a parameter set")?;
    let parameters = Parameters::preset(&preset)?;
    let module = programs::encrypt(&parameters, parameters.levels())?;
    let inputs = generate::inputs(seed(), &module);
    let hosted = Hosted::new(&machine(&name, &[]), &module)?;
    let durations =
        hosted.durations(|what, operations| host::cycles(what, operations.values().sum()));
    let spans = hosted.place(&durations);
    let cycles = spans.iter().map(|span| span.end).max().unwrap_or_default();

    // In turn, so that a drift of the machine's speed meets all.
    let (mut runs, mut times, mut peers) = (Vec::new(), Vec::new(), Vec::new());
    let mut correct = true;
    for _ in 0..ROUNDS {
        let found = verilated(&name, &hosted, &module, &inputs)?;
        let expected = simulated(&name, &module, &inputs)?;
        let (timed, cycles_alone) = timed(&name, &module)?;
        correct &= words(&found.results) == words(&expected.results) && found.end == cycles;
        correct &= cycles_alone == hosted.timing().cycles.0;
        runs.push(expected.microseconds);
        times.push(timed);
        peers.push(found.microseconds);
    }
    let peer = median(peers);
    let row = |what: &str, ours: f64| {
        let parameters =
            format!(r#"{{"machine": "{name}", "preset": "{preset}", "cycles": {cycles}}}"#);
        let peers = format!(r#"{{"Verilator": {peer:.1}}}"#);
        format!(
            r#"{{"name": "{what}", "parameters": {parameters}, "ours_us": {ours:.1}, "peers": {peers}, "ratio_to_best": {:.3}, "correct": {correct}}}"#,
            peer / ours
        )
    };
    let rows = [
        row("simulate an encryption", median(runs)),
        row("time an encryption", median(times)),
    ];
    println!("[{}]", rows.join(", "));
    Ok(())
}

/// Cycles alone: the program lowered, every kind of instruction run once, the rest composed.
fn timed(name: &str, module: &Module) -> Result<(f64, u64), Box<dyn Error>> {
    let device = (RISE.lower)(&machine(name, &[]))?;
    let start = Instant::now();
    let kernel = device.lower(module)?;
    let microseconds = start.elapsed().as_secs_f64() * 1e6;
    let cycles = kernel.timing().map_or(0, |timing| timing.cycles.0);
    Ok((microseconds, cycles))
}

/// Values and cycles of the simulator: every access of a bank with its address and its cycle.
fn simulated(name: &str, module: &Module, inputs: &[Value]) -> Result<Run, Box<dyn Error>> {
    let device = (RISE.lower)(&machine(name, &[]))?;
    let kernel = device.lower(module)?;
    let start = Instant::now();
    let results = kernel.run(inputs)?;
    Ok(Run {
        microseconds: start.elapsed().as_secs_f64() * 1e6,
        results,
        end: 0,
    })
}

/// The design, with a host and a memory that never stall.
fn verilated(
    name: &str,
    hosted: &Hosted,
    module: &Module,
    inputs: &[Value],
) -> Result<Run, Box<dyn Error>> {
    let mut run = Lockstep::new(seed(), "");
    let mut bench = Bench::new(name, hosted, inputs, |_| Stalls::never(), &mut run);
    let set_up = bench.set_up_cycles();
    let start = Instant::now();
    while !bench.host.is_done() {
        let step = bench.step(|rtl, inputs| Ok::<_, Infallible>(rtl.watch(inputs).0.to_vec()));
        step.unwrap_or_else(|never| match never {});
    }
    let microseconds = start.elapsed().as_secs_f64() * 1e6;
    let end = bench
        .host
        .steps
        .last()
        .map_or(0, |&(_, _, end)| end - set_up);
    Ok(Run {
        microseconds,
        results: bench.check_results(module, inputs),
        end,
    })
}

fn median(mut times: Vec<f64>) -> f64 {
    times.sort_by(f64::total_cmp);
    times[times.len() / 2]
}
