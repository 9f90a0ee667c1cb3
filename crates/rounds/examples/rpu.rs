//! The simulator of the RPU on the paper's 64K transform of 127-bit words, on one thread: with
//! values, and time alone; prints a JSON list of rows.
//!
//! The answer is compared word by word with the transform from its definition, and the cycles with
//! those of the run without values. There is no peer: no other simulator of B512 is public.

use ringwright_arith::primes::ntt_primes;
use ringwright_arith::Modulus;
use ringwright_rounds::{least, Action};
use ringwright_spec::Machine;
use ringwright_target::definition;
use ringwright_target_rpu::isa::{reciprocal, Program, Segment, Space};
use ringwright_target_rpu::study::korn_lambiotte::{self, Layout};
use ringwright_target_rpu::study::list_schedule::list_schedule;
use ringwright_target_rpu::{run, time, Config, Memories, RPU};
use serde_json::{json, Value};

const LOG_N: u32 = 16;

fn main() {
    let machine = Machine::load(RPU.default_machine).expect("it ships");
    let config = Config::new(&machine).expect("it can be built");
    let prime = ntt_primes(config.word_bits - 1, LOG_N, 1).expect("a prime of this size")[0];
    let q = Modulus::new(prime).expect("a prime is odd");
    let psi = definition::smallest_root(&q, LOG_N).expect("the prime has a root");
    let input: Vec<u128> = (0..1 << LOG_N).map(|i| q.pow(3 + i, 5)).collect();
    let (program, layout) = program(&config, &q, psi, &input);

    let mut memories = Memories::new(&config);
    let simulated = run(&program, &config, &mut memories).expect("a program of this machine");
    let timed = time(&program, &config, &memories.sdm).expect("a program of this machine");
    let output = layout.output as usize;
    let correct = memories.vdm[output..output + input.len()] == definition::ntt(&q, psi, &input)
        && simulated.cycles == timed.cycles;

    let sdm = memories.sdm.clone();
    let values: Action<Memories> = Box::new(|memories| drop(run(&program, &config, memories)));
    let alone: Action<Memories> = Box::new(|_| drop(time(&program, &config, &sdm)));
    let taken = least(&mut [memories], &[&values, &alone]);
    let row = |name: &str, us: f64| {
        json!({
            "name": name,
            "parameters": {
                "log_n": LOG_N,
                "bits": q.bits(),
                "machine": RPU.default_machine,
                "instructions": program.instructions.len(),
                "threads": 1,
            },
            "ours_us": us,
            "peers": {},
            "ratio_to_best": null,
            "correct": correct,
        })
    };
    let rows = vec![row("rpu simulated", taken[0]), row("rpu timed", taken[1])];
    println!("{}", Value::Array(rows));
}

/// Program S in the order of our list scheduler, with its input and factors.
fn program(config: &Config, q: &Modulus<u128>, psi: u128, input: &[u128]) -> (Program, Layout) {
    let made = korn_lambiotte::program(LOG_N, config.vector_length);
    let (program, layout) = made.expect("there are enough vectors");
    let mut program = list_schedule(&program, config);
    let word = reciprocal(q.value(), config.word_bits).expect("the prime fits the machine");
    program
        .data
        .push(korn_lambiotte::constants(q.value(), word));
    let reversed = |i: usize| (i.reverse_bits() >> (usize::BITS - LOG_N)) as u128;
    let factors = (0..input.len()).map(|i| q.pow(psi, reversed(i))).collect();
    for (address, words) in [(layout.input, input.to_vec()), (layout.factors, factors)] {
        let space = Space::Vdm;
        program.data.push(Segment {
            space,
            address,
            words,
        });
    }
    (program, layout)
}
