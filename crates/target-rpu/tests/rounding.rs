//! Rounding is no polynomial, so no random point vouches for it. What the device does for a
//! composite that rounds is therefore held to be the composite's expansion, operation by operation:
//! as many starts of every kernel as the expansion has operations on towers. Each kernel by itself is
//! checked in `checker.rs`; the words at which rounding turns are run by the conformance suite.

use ringwright_arith::primes::ntt_primes;
use ringwright_ir::ring::composites::{basis_extension, mod_down};
use ringwright_ir::ring::{Basis, Domain, FuncId, Module, ModuleBuilder, OpKind, TowerIdx};
use ringwright_spec::Machine;
use ringwright_target_rpu::kernels::Library;
use ringwright_target_rpu::lower::plan::Plan;
use ringwright_target_rpu::lower::program::lower;
use ringwright_target_rpu::Config;
use std::collections::BTreeMap;

type Counts = BTreeMap<String, usize>;

const LOG_N: u32 = 6;
const BITS: u32 = 40;
const PRIMES: usize = 5;

fn basis(towers: &[u16]) -> Basis {
    Basis(towers.iter().copied().map(TowerIdx).collect())
}

/// Operations on towers of a function, calls included. A product whose sum is taken may be one
/// kernel with it, so products and sums are counted together.
fn expansion(module: &Module, function: FuncId, counts: &mut Counts) {
    let function = &module.funcs[function.index()];
    for op in &function.ops {
        let name = match &op.kind {
            OpKind::Call { func } => {
                expansion(module, *func, counts);
                continue;
            }
            OpKind::Ntt => "ntt",
            OpKind::Intt => "intt",
            OpKind::Add | OpKind::Mul => "mul and add",
            OpKind::Sub => "sub",
            OpKind::Neg => "neg",
            OpKind::MulScalar { .. } => "mul_scalar",
            OpKind::AddScalar { .. } => "add_scalar",
            OpKind::SwitchModulus => "switch_modulus",
            _ => continue,
        };
        let towers = function.types[op.results[0].index()]
            .basis()
            .map_or(0, Basis::len);
        *counts.entry(name.to_owned()).or_default() += towers;
    }
}

/// Kernels that the device runs where each operation has one of its own.
fn starts(module: &Module) -> Counts {
    let machine = Machine::load("rpu-8x8").expect("it ships");
    let config = Config::new(&machine).expect("it can be built");
    let lowered = lower(&config, &Library::default(), module, Plan::TOGETHER).expect("it fits");
    let mut counts = Counts::new();
    for call in &lowered.towers.calls {
        let starts = lowered.parts[call.kernel].starts();
        for call in starts.flat_map(|start| &start.calls) {
            let (name, times) = match call.body.name() {
                "mul_add" => ("mul and add", 2),
                "mul" | "add" => ("mul and add", 1),
                name => (name, 1),
            };
            *counts.entry(name.to_owned()).or_default() += times;
        }
    }
    counts
}

fn check(build: impl Fn(&mut ModuleBuilder) -> FuncId) {
    let primes = ntt_primes(BITS, LOG_N, PRIMES).expect("there are primes");
    let mut mb = ModuleBuilder::new(LOG_N, &primes);
    let entry = build(&mut mb);
    let module = mb.finish(entry).expect("sound");
    let mut expected = Counts::new();
    expansion(&module, module.entry, &mut expected);
    assert!(expected["switch_modulus"] > 0, "it does not round");
    assert_eq!(starts(&module), expected);
}

#[test]
fn mod_down_is_its_expansion() {
    for domain in [Domain::Coeff, Domain::Eval] {
        for p in [&[4][..], &[3, 4]] {
            check(|mb| mod_down(mb, &basis(&[0, 1, 2]), &basis(p), domain).expect("sound"));
        }
    }
}

#[test]
fn basis_extension_is_its_expansion() {
    for from in [&[0][..], &[0, 1], &[2, 0, 1]] {
        check(|mb| basis_extension(mb, &basis(from), &basis(&[3, 4])).expect("sound"));
    }
}
