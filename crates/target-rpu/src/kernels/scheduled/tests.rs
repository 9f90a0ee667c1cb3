//! What the checker's claims do not reach: kernels with many moduli, what is left out, what is
//! refused. Values of tower kernels are checked in `tests/checker.rs`.

use super::graph::{Graph, Held, Place, Role};
use super::*;
use crate::config::LoadStorePipes;
use crate::isa::{Instruction, Mode};
use crate::kernels::compile::CompileError;
use crate::kernels::Library;
use crate::kernels::Operation;
use crate::{run, Memories};
use ringwright_arith::primes::ntt_primes;
use ringwright_arith::Modulus;
use ringwright_spec::Machine;

fn machine(name: &str) -> Config {
    Config::new(&Machine::load(name).expect("it ships")).expect("sound")
}

fn words(seed: u128, count: usize, q: u128) -> Vec<u128> {
    let mix = |i: usize| (i as u128 + seed).wrapping_mul(0x9e37_79b9_7f4a_7c15_f39c_c060_5ced_c835);
    (0..count).map(|i| mix(i) % q).collect()
}

/// The sum of the module's header, from its definition.
fn extended(from: &[u128], towers: &[Vec<u128>], p: u128) -> Vec<u128> {
    let target = Modulus::new(p).unwrap();
    let others = |i: usize, under: u128| {
        let others = from.iter().enumerate().filter(|&(j, _)| j != i);
        let modulus = Modulus::new(under).unwrap();
        others.fold(1, |product, (_, &q)| modulus.mul(product, q % under))
    };
    let word = |position: usize| {
        let terms = (0..from.len()).map(|i| {
            let source = Modulus::new(from[i]).unwrap();
            let inverse = source.inv(others(i, from[i])).unwrap();
            let bracket = source.mul(towers[i][position], inverse);
            target.mul(bracket % p, others(i, p))
        });
        terms.fold(0, |sum, term| target.add(sum, term))
    };
    (0..towers[0].len()).map(word).collect()
}

fn extend(config: &Config, log_n: u32, bits: [u32; 2], counts: [usize; 2]) -> BasisExtension {
    let shape = Shape::new(config, log_n);
    let [k, l] = counts;
    let kernel = BasisExtension::new(config, shape, k, l).unwrap();
    let [from, to] = match bits[0] == bits[1] {
        true => {
            let mut all = ntt_primes(bits[0], log_n, k + l).unwrap();
            let to = all.split_off(k);
            [all, to]
        }
        false => {
            [(bits[0], k), (bits[1], l)].map(|(b, count)| ntt_primes(b, log_n, count).unwrap())
        }
    };
    let slot = shape.slot();
    let towers = from.iter().zip(1..).map(|(&q, seed)| words(seed, slot, q));
    let towers: Vec<Vec<u128>> = towers.collect();
    for program in [&kernel.program, &kernel.plain] {
        let mut memories = Memories::new(config);
        memories.sdm = kernel.scalars(config, &from, &to).unwrap();
        memories.vdm.fill(u128::MAX >> (128 - config.word_bits));
        memories.vdm[..k * slot].copy_from_slice(&towers.concat());
        let cycles = run(program, config, &mut memories).unwrap().cycles;
        assert!([kernel.cycles, kernel.plain_cycles].contains(&cycles));
        assert_eq!(memories.vdm[..k * slot], towers.concat());
        for (j, &p) in to.iter().enumerate() {
            let found = &memories.vdm[(k + j) * slot..][..slot];
            assert_eq!(found, extended(&from, &towers, p), "{bits:?}, modulus {j}");
        }
    }
    kernel
}

#[test]
fn basis_extensions_are_exact() {
    let small = machine("rpu-8x8");
    for counts in [[1, 1], [1, 3], [3, 2], [4, 4]] {
        for bits in [[20, 61], [61, 20], [40, 40]] {
            extend(&small, 8, bits, counts);
        }
    }
    let published = machine("rpu-128x128");
    let kernel = extend(&published, 12, [127, 126], [3, 4]);
    let vectors = kernel.shape.vectors() as u64;
    let [k, l] = [kernel.from as u64, kernel.to as u64];
    let beats = published.beats() as u64;
    let compute = vectors * (k * (1 + l) + (k - 1) * l) * beats;
    assert_eq!(kernel.occupied, [vectors * (k + l) * beats, compute, 0]);
    assert!((compute..kernel.plain_cycles).contains(&kernel.cycles));
}

#[test]
fn extensions_that_do_not_fit_are_refused() {
    let config = machine("rpu-8x8");
    let refused = |log_n, from, to| {
        let shape = Shape::new(&config, log_n);
        BasisExtension::new(&config, shape, from, to).unwrap_err()
    };
    assert!(matches!(refused(8, 0, 1), CompileError::Scalars { .. }));
    assert!(matches!(refused(8, 8, 8), CompileError::Scalars { .. }));
    assert!(matches!(refused(12, 2, 1), CompileError::Memory { .. }));
}

/// Nothing is stored between the three parts of a product of polynomials, and no evaluation is
/// anywhere in memory.
#[test]
fn a_convolution_stores_its_result_and_half_done_transforms_only() {
    let config = machine("rpu-8x8");
    let log_vector = config.vector_length.ilog2();
    let library = Library::default();
    for log_n in [log_vector + 1, log_vector + 4] {
        let kernel = library.kernel(&config, log_n, Operation::Convolve).unwrap();
        let program = kernel.kernel.program.instructions.iter();
        let stores = program.filter(|i| matches!(i, Instruction::VStore { .. }));
        assert_eq!(stores.count(), kernel.kernel.shape.vectors());
        assert_eq!(kernel.kernel.scratch_slots, 0);
        let apart = [Operation::Ntt, Operation::Mul, Operation::Intt];
        let apart = apart.map(|operation| library.kernel(&config, log_n, operation).unwrap());
        let apart: u64 = apart.iter().map(|measured| measured.cycles).sum();
        assert!(kernel.cycles < apart, "{} {apart}", kernel.cycles);
    }
}

#[test]
fn what_is_loaded_back_is_not_stored() {
    let shape = Shape {
        log_n: 5,
        log_vector: 4,
    };
    let roles = vec![Role::Operand, Role::Scratch, Role::Result];
    let mut graph = Graph::new(shape, roles);
    let at = |slot, offset, mode| Place { slot, offset, mode };
    let vector = shape.vector() as u32;
    let loads = [0, vector].map(|offset| graph.load(at(0, offset, Mode::Linear)));
    for (held, offset) in loads.into_iter().zip([0, vector]) {
        graph.store(at(1, offset, Mode::Linear), held);
    }
    let back: Held = graph.load(at(1, vector, Mode::Linear));
    assert_eq!(back.value, loads[1].value);
    // Other words of two stores: they stay.
    let across = graph.load(at(1, 0, Mode::Strided(1)));
    assert_ne!(across.value, loads[0].value);
    graph.store(at(2, 0, Mode::Linear), back);
    let stores = |graph: &Graph| {
        let needed = graph.needed();
        let nodes = graph.nodes.iter().zip(needed);
        nodes
            .filter(|(node, needed)| *needed && node.is_store())
            .count()
    };
    assert_eq!(stores(&graph), 1);
    graph.store(at(2, vector, Mode::Linear), across);
    assert_eq!(stores(&graph), 4);
}

#[test]
fn a_machine_whose_stores_overtake_loads_starts_plain_programs() {
    let mut config = machine("rpu-8x8");
    config.load_store_pipes = LoadStorePipes::Separate;
    let kernel = Library::default()
        .kernel(&config, 8, Operation::Ntt)
        .unwrap();
    assert_eq!(kernel.kernel.making, Making::Plain);
    assert!(
        kernel.summary().starts_with("plain: "),
        "{}",
        kernel.summary()
    );
}
