//! What every operation on a tower takes, plain and scheduled, with the bound of each.
//!
//! `cargo run --release -p ringwright-target-rpu --example tower_kernels [machine]`

use ringwright_ir::ring::Domain;
use ringwright_spec::Machine;
use ringwright_target_rpu::kernels::scheduled::BasisExtension;
use ringwright_target_rpu::kernels::{Library, Operation, Shape};
use ringwright_target_rpu::{Config, RPU};
use std::error::Error;

fn main() -> Result<(), Box<dyn Error>> {
    let name = std::env::args().nth(1);
    let machine = Machine::load(name.as_deref().unwrap_or(RPU.default_machine))?;
    let config = Config::new(&machine)?;
    println!(
        "{:14} {:>6} {:>7} {:>7} {:10} {:>7} {:9} {:>6}",
        "operation", "N", "cycles", "bound", "of", "plain", "made", "table"
    );
    for operation in operations() {
        for log_n in [10, 12, 14, 16] {
            let library = Library::default();
            let measured = match library.kernel(&config, log_n, operation) {
                Ok(measured) => measured,
                Err(refused) => {
                    println!("{:14} {:6} {refused}", operation.name(), 1u32 << log_n);
                    continue;
                }
            };
            let plain = measured.plain_cycles.map_or("-".into(), |c| c.to_string());
            let (bound, pipe) = measured.bound().unwrap_or_default();
            println!(
                "{:14} {:6} {:7} {bound:7} {pipe:10} {plain:>7} {:9} {:6}",
                operation.name(),
                1u32 << log_n,
                measured.cycles,
                measured.kernel.making.name(),
                measured.kernel.table.len(),
            );
        }
    }
    for log_n in [10, 12, 14] {
        let kernel = BasisExtension::new(&config, Shape::new(&config, log_n), 3, 4)?;
        let bound = kernel.occupied.into_iter().max().unwrap_or_default();
        println!(
            "{:14} {:6} {:7} {bound:7} {:10} {:>7}",
            "basis 3 to 4",
            1u32 << log_n,
            kernel.cycles,
            "compute",
            kernel.plain_cycles,
        );
    }
    Ok(())
}

fn operations() -> Vec<Operation> {
    let rotation = |galois, domain| Operation::Automorphism { galois, domain };
    vec![
        Operation::Add,
        Operation::Sub,
        Operation::Mul,
        Operation::MulAdd,
        Operation::AddMulScalar,
        Operation::Reduce,
        Operation::Ntt,
        Operation::Intt,
        Operation::Convolve,
        rotation(5, Domain::Eval),
        rotation(5, Domain::Coeff),
    ]
}
