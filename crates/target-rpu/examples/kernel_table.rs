//! The shipped kernels: cycles, bound, what a paper prints, where the other cycles went.
//!
//! Every kernel is compiled from its recipe and run on random words modulo a prime of 127 bits;
//! a wrong word prints `incorrect` where the cycles would be. With an argument only the machine
//! of that name.

use ringwright_arith::primes::ntt_primes;
use ringwright_arith::Modulus;
use ringwright_spec::Machine;
use ringwright_target::definition;
use ringwright_target_rpu::kernels::compile::bound;
use ringwright_target_rpu::kernels::compile::known::{shipped, Entry, Tuned};
use ringwright_target_rpu::kernels::compile::recipe::Transform;
use ringwright_target_rpu::published;

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let only = std::env::args().nth(1);
    println!("| machine | transform | N | cycles | bound | published | compute | shuffle | load/store | compute waits: operands, ports |");
    println!("|---|---|---|---|---|---|---|---|---|---|");
    for tuned in shipped() {
        let names = tuned.names();
        if only
            .as_ref()
            .is_some_and(|only| !names.contains(&only.as_str()))
        {
            continue;
        }
        for entry in &tuned.kernel {
            println!("{}", row(tuned, &names, entry)?);
        }
    }
    Ok(())
}

fn row(tuned: &Tuned, names: &[&str], entry: &Entry) -> Result<String, Box<dyn std::error::Error>> {
    let config = tuned.config()?;
    let log_n = u32::from(entry.log_n);
    let kernel = entry
        .recipe
        .compile(entry.transform.problem(entry.log_n), &config)?;
    let q = ntt_primes(127, log_n, 1)?[0];
    let modulus = Modulus::new(q)?;
    let psi = definition::smallest_root(&modulus, log_n).ok_or("no root")?;
    let mix = |i: u128| (i + 1).wrapping_mul(0x9e37_79b9_7f4a_7c15_f39c_c060_5ced_c835) % q;
    let coefficients: Vec<u128> = (0..1 << log_n).map(mix).collect();
    let evaluations = definition::ntt(&modulus, psi, &coefficients);
    let (operand, expected) = match entry.transform {
        Transform::Forward => (coefficients, evaluations),
        _ => (evaluations, coefficients),
    };
    let (result, schedule) = kernel.run(&config, q, &operand)?;
    let cycles = match result == expected {
        true => schedule.cycles.to_string(),
        false => "incorrect".to_owned(),
    };
    let share = |pipe: usize| 100 * kernel.occupied[pipe] / schedule.cycles;
    let waits = &schedule.stalls.compute;
    let machines = names.iter().filter_map(|name| Machine::load(name).ok());
    let mut papers = machines.filter_map(|machine| published::cycles(&machine, log_n));
    let paper = papers.find(|_| entry.transform == Transform::Forward);
    let printed = paper.map_or(String::new(), |paper| paper.cycles.to_string());
    let grid = format!("{} HPLEs, {} banks", config.hples, config.banks);
    let machine = if names.is_empty() {
        grid
    } else {
        names.join(", ")
    };
    Ok(format!(
        "| {} | {:?} | {} | {cycles} | {} | {printed} | {} % | {} % | {} % | {}, {} |",
        machine,
        entry.transform,
        1u64 << log_n,
        bound(&config, log_n),
        share(1),
        share(2),
        share(0),
        waits.empty,
        waits.vrf_port,
    ))
}
