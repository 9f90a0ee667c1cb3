//! Programs on towers, run by the simulator, beside the reference interpreter's definitions.

use super::*;
use crate::kernels::arguments::{poison, write_arguments, Arguments};
use crate::kernels::constants::Constants;
use crate::{Config, Memories};
use ringwright_arith::bits::bit_reverse;
use ringwright_arith::primes::ntt_primes;
use ringwright_arith::Modulus;
use ringwright_ir::ring::Domain;
use ringwright_spec::Machine;

/// That of the published machine: four beats in [`machine`], whatever the vectors.
const ORDER: StoreOrder = StoreOrder {
    beats: 4,
    latency: 6,
    shared_pipe: true,
};
/// log2 of degree and vector length.
const SHAPES: [(u32, u32); 7] = [(4, 9), (4, 4), (6, 6), (7, 6), (8, 4), (10, 6), (12, 9)];

/// The published machine with other vectors, and memory for the kernel.
fn machine(kernel: &TowerKernel) -> Config {
    let machine = Machine::load("rpu-128x128").expect("it ships");
    let vector_length = kernel.shape.vector();
    Config {
        vector_length,
        hples: usize::min(128, vector_length / 4),
        vdm_words: (kernel.slots() * kernel.shape.slot()).next_power_of_two(),
        ..Config::new(&machine).expect("sound")
    }
}

/// The kernel's result on towers of degree N, one slot each, result behind them.
fn run(
    kernel: &TowerKernel,
    constants: &Constants,
    operands: &[Vec<u128>],
    given: u128,
) -> Vec<u128> {
    let (shape, config) = (kernel.shape, machine(kernel));
    let slot = shape.slot();
    let mut memories = Memories::new(&config);
    poison(&mut memories, &config);
    for (operand, words) in operands.iter().enumerate() {
        let places = memories.vdm[operand * slot..][..slot].iter_mut();
        for (place, &word) in places.zip(words.iter().cycle()) {
            *place = word;
        }
    }
    let table = slot * (operands.len() + 1);
    for (place, &symbol) in memories.vdm[table..].iter_mut().zip(&kernel.table) {
        *place = constants.value(symbol);
    }
    let slots: Vec<usize> = (0..kernel.slots()).collect();
    let arguments = Arguments {
        q: constants.modulus(),
        scalar: match kernel.operation.scalar() {
            Scalar::None => u128::MAX,
            Scalar::Fixed(value) => value.into(),
            Scalar::InverseOfN => constants.inverse_n(),
            Scalar::Given => given,
        },
        slots: &slots,
    };
    write_arguments(&mut memories.sdm, &config, kernel, arguments).unwrap();
    crate::run(&kernel.program, &config, &mut memories).unwrap();
    let result = &memories.vdm[slot * operands.len()..][..slot];
    for copy in result.chunks(shape.n()) {
        assert_eq!(copy, &result[..shape.n()]);
    }
    result[..shape.n()].to_vec()
}

fn words(seed: u64, n: usize, q: u128) -> Vec<u128> {
    let next = |state: &u64| {
        Some(
            state
                .wrapping_mul(6364136223846793005)
                .wrapping_add(1442695),
        )
    };
    std::iter::successors(Some(seed), next)
        .map(|state| u128::from(state >> 2) % q)
        .take(n)
        .collect()
}

fn each_shape(check: impl Fn(Shape, &Constants)) {
    for (log_n, log_vector) in SHAPES {
        for bits in [20, 62] {
            let q = ntt_primes(bits, log_n, 1).unwrap()[0];
            let constants = Constants::new(log_n, &[q]).unwrap();
            check(Shape { log_n, log_vector }, &constants);
        }
    }
}

#[test]
fn transforms_are_evaluations_and_come_back() {
    each_shape(|shape, constants| {
        let q = Modulus::new(constants.modulus()).unwrap();
        let coefficients = words(1, shape.n(), q.value());
        let forward = kernel(Operation::Ntt, shape, ORDER);
        let evaluations = run(&forward, constants, std::slice::from_ref(&coefficients), 0);
        let psi = constants.value(Symbol::Power(bit_reverse(1, shape.log_n) as u32));
        for i in [0, 1, shape.n() / 2 + 1, shape.n() - 1] {
            let point = q.pow(psi, 2 * bit_reverse(i, shape.log_n) as u128 + 1);
            let horner = |sum, &c| q.add(q.mul(sum, point), c);
            assert_eq!(evaluations[i], coefficients.iter().rev().fold(0, horner));
        }
        let inverse = kernel(Operation::Intt, shape, ORDER);
        assert_eq!(run(&inverse, constants, &[evaluations], 0), coefficients);
    });
}

#[test]
fn pointwise_operations_are_the_definitions() {
    each_shape(|shape, constants| {
        let q = Modulus::new(constants.modulus()).unwrap();
        let towers: Vec<Vec<u128>> = (1..4)
            .map(|seed| words(seed, shape.n(), q.value()))
            .collect();
        let scalar = q.value() - 2;
        let check = |operation: Operation, definition: &dyn Fn(u128, u128, u128) -> u128| {
            let kernel = kernel(operation, shape, ORDER);
            let operands = &towers[..operation.operands()];
            let expected: Vec<u128> = (0..shape.n())
                .map(|i| definition(towers[0][i], towers[1][i], towers[2][i]))
                .collect();
            let result = run(&kernel, constants, operands, scalar);
            assert_eq!(result, expected, "{operation:?}, {shape:?}");
        };
        check(Operation::Zero, &|_, _, _| 0);
        check(Operation::Add, &|a, b, _| q.add(a, b));
        check(Operation::Sub, &|a, b, _| q.sub(a, b));
        check(Operation::Neg, &|a, _, _| q.neg(a));
        check(Operation::Mul, &|a, b, _| q.mul(a, b));
        check(Operation::MulAdd, &|a, b, c| q.add(a, q.mul(b, c)));
        check(Operation::AddMulScalar, &|a, b, _| {
            q.add(a, q.mul(b, scalar))
        });
        check(Operation::MulScalar, &|a, _, _| q.mul(a, scalar));
        check(Operation::AddScalar, &|a, _, _| q.add(a, scalar));
        let larger = words(9, shape.n(), 1 << 62);
        let kernel = kernel(Operation::Reduce, shape, ORDER);
        let reduced: Vec<u128> = larger.iter().map(|&word| q.reduce(word)).collect();
        assert_eq!(run(&kernel, constants, &[larger], 0), reduced);
    });
}

#[test]
fn automorphisms_move_words_as_they_should() {
    each_shape(|shape, constants| {
        let (n, q) = (shape.n() as u64, constants.modulus());
        let tower = words(7, shape.n(), q);
        for galois in [3, 5, 25, n - 1, n + 1, 2 * n - 1] {
            let run = |domain| {
                let operation = Operation::Automorphism { galois, domain };
                let kernel = kernel(operation, shape, ORDER);
                run(&kernel, constants, std::slice::from_ref(&tower), 0)
            };
            let moved = run(Domain::Coeff);
            for (i, &word) in tower.iter().enumerate() {
                let place = i as u64 * galois % (2 * n);
                let expected = if place < n { word } else { (q - word) % q };
                assert_eq!(moved[(place % n) as usize], expected, "{shape:?}, {galois}");
            }
            let moved = run(Domain::Eval);
            for (i, &word) in moved.iter().enumerate() {
                let exponent = (2 * bit_reverse(i, shape.log_n) as u64 + 1) * galois % (2 * n);
                let source = bit_reverse((exponent / 2) as usize, shape.log_n);
                assert_eq!(word, tower[source], "{shape:?}, {galois}");
            }
        }
    });
}

#[test]
fn registers_of_an_instruction_lie_in_different_memories() {
    let n = 1 << 10;
    let shape = Shape {
        log_n: 10,
        log_vector: 6,
    };
    let galois = n + 5;
    let operations = [
        Operation::MulAdd,
        Operation::Ntt,
        Operation::Intt,
        Operation::Automorphism {
            galois,
            domain: Domain::Coeff,
        },
        Operation::Automorphism {
            galois,
            domain: Domain::Eval,
        },
    ];
    for operation in operations {
        let kernel = kernel(operation, shape, ORDER);
        for instruction in &kernel.program.instructions {
            let sources = instruction.vector_sources();
            let registers: Vec<u8> = sources
                .chain(instruction.vector_destinations())
                .map(|register| register.number())
                .collect();
            for memory in [|r: u8| r % 16, |r: u8| r / 4] {
                let mut memories: Vec<u8> = registers.iter().map(|&r| memory(r)).collect();
                memories.sort_unstable();
                memories.dedup();
                assert_eq!(memories.len(), registers.len(), "{instruction:?}");
            }
        }
    }
}

/// Slots are aligned to their length, so another base adds the same to the bank of every word.
#[test]
fn time_does_not_depend_on_where_towers_lie() {
    for name in ["rpu-8x8", "rpu-128x128-modulo"] {
        let config = Config::new(&Machine::load(name).expect("it ships")).expect("sound");
        let log_vector = config.vector_length.trailing_zeros();
        let shape = Shape {
            log_n: log_vector + 1,
            log_vector,
        };
        let (galois, domain) = (5, Domain::Eval);
        let automorphism = Operation::Automorphism { galois, domain };
        for operation in [Operation::MulAdd, Operation::Ntt, automorphism] {
            let kernel = kernel(operation, shape, ORDER);
            let cycles = |slots: Vec<usize>| {
                let mut memories = Memories::new(&config);
                let arguments = Arguments {
                    q: 5,
                    scalar: 0,
                    slots: &slots,
                };
                write_arguments(&mut memories.sdm, &config, &kernel, arguments).unwrap();
                let schedule = crate::time(&kernel.program, &config, &memories.sdm);
                schedule.unwrap().cycles
            };
            let first = cycles((0..kernel.slots()).collect());
            let room = config.vdm_words / shape.slot();
            let last = cycles((0..kernel.slots()).map(|slot| room - 1 - slot).collect());
            assert_eq!(first, last, "{operation:?} on {name}");
        }
    }
}
