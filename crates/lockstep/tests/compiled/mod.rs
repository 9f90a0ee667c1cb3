//! Scheduled kernels with everything that they find in memory, and what they should leave there.

use ringwright_arith::primes::ntt_primes;
use ringwright_arith::Modulus;
use ringwright_ir::ring::Domain;
use ringwright_nttx::Roots;
use ringwright_target::definition as define;
use ringwright_target_rpu::isa::{reciprocal, Program, Segment, Space};
use ringwright_target_rpu::kernels::compile::known::Recipes;
use ringwright_target_rpu::kernels::plain::{self, StoreOrder};
use ringwright_target_rpu::kernels::scheduled::scheduled;
use ringwright_target_rpu::kernels::tower_kernel::{FIRST_SLOT_WORD, MODULUS_WORD, SCALAR_WORD};
use ringwright_target_rpu::kernels::word_by_word::Step;
use ringwright_target_rpu::kernels::{
    Formula, Layout, Operation, Scalar, Shape, TowerKernel, WordKernel,
};
use ringwright_target_rpu::Config;

/// A program and its result at the beginning of the vector memory.
pub struct Compiled {
    pub program: Program,
    pub expected: Vec<u128>,
}

/// What is scheduled of these operations on towers of 2^`log_n` words and fits the machine; none on
/// machines whose stores have a pipe of their own.
pub fn compiled(config: &Config, log_n: u32) -> Vec<Compiled> {
    let (galois, domain) = (5, Domain::Eval);
    let operations = [
        Operation::Ntt,
        Operation::Intt,
        Operation::Mul,
        Operation::MulAdd,
        Operation::Convolve,
        Operation::Automorphism { galois, domain },
    ];
    let kernels = operations.into_iter().filter_map(|operation| {
        let shape = Shape::new(config, log_n);
        let plain = plain::kernel(operation, shape, StoreOrder::of(config));
        scheduled(config, &Recipes::default(), &plain)?
            .kernels
            .into_iter()
            .next()
    });
    let kernels = kernels.filter(|kernel| fits(config, kernel));
    let kernels = kernels.map(|kernel| with_memories(config, &kernel));
    let slot = Shape::new(config, log_n).slot();
    let layouts = [Layout::Blocks, Layout::Places(slot)];
    let formulas = layouts.into_iter();
    let formulas = formulas.filter_map(|layout| formula(config, log_n, layout));
    kernels.chain(formulas).collect()
}

/// Operations word by word under two moduli: (a k0 + k1 + b c - k1) mod q1, k1 broadcast, where a may be
/// any residue modulo q0, and that plus b mod q0. The result takes the place of a.
fn formula(config: &Config, log_n: u32, layout: Layout) -> Option<Compiled> {
    let shape = Shape::new(config, log_n);
    let bits = config.word_bits - 1;
    let primes = ntt_primes(bits, log_n, 2).expect("primes");
    let (q0, q1) = (primes[1].max(primes[0]), primes[0].min(primes[1]));
    let steps = [
        (Step::Scale(0, 0), 1),
        (Step::Shift(3, 1), 1),
        (Step::MulAdd(1, 2, 4), 1),
        (Step::Fill(1), 1),
        (Step::Sub(5, 6), 1),
        (Step::Add(7, 1), 0),
    ];
    let formula = Formula {
        operands: 3,
        steps: steps.to_vec(),
        results: vec![8],
        moduli: 2,
        scalars: 2,
    };
    let made = WordKernel::new(config, shape, layout, formula);
    let kernel = made.expect("it can be timed")?;
    let word =
        |i: usize| (i as u128 + 7).wrapping_mul(0x9e37_79b9_7f4a_7c15_f39c_c060_5ced_c835) % q1;
    let length = kernel.words;
    let operands: Vec<u128> = (0..3 * length).map(word).collect();
    let scalars = [q1 / 3, q1 - 2];
    // Results begin where operands do.
    let places = match layout {
        Layout::Blocks => vec![0, 0],
        Layout::Places(_) => vec![0, length, 2 * length, 0],
    };
    if 3 * length > config.vdm_words {
        return None;
    }
    let formula = &kernel.formula;
    let arguments = formula
        .arguments(config, places, &[q0, q1], &scalars)
        .expect("odd");
    let (under0, under1) = (
        Modulus::new(q0).expect("odd"),
        Modulus::new(q1).expect("odd"),
    );
    let expected = (0..length).map(|i| {
        let [a, b, c] = [0, 1, 2].map(|operand| operands[operand * length + i]);
        let sum = under1.add(under1.mul(a, scalars[0]), under1.mul(b, c));
        under0.add(sum, b)
    });
    let expected = expected.collect();
    let segment = |space, words| Segment {
        space,
        address: 0,
        words,
    };
    let mut program = kernel.program.clone();
    program.name = format!("{layout:?} of {length} words, word by word");
    program.data = vec![
        segment(Space::Sdm, arguments),
        segment(Space::Vdm, operands),
    ];
    Some(Compiled { program, expected })
}

/// The result takes the place of the first operand.
fn fits(config: &Config, kernel: &TowerKernel) -> bool {
    let words = (kernel.slots() - 1 - kernel.table_slots()) * kernel.shape.slot();
    words + kernel.table.len() <= config.vdm_words
        && kernel.program.instructions.len() <= config.im_words
}

fn with_memories(config: &Config, kernel: &TowerKernel) -> Compiled {
    let (operation, log_n) = (kernel.operation, kernel.shape.log_n);
    let bits = (config.word_bits - 1).min(62);
    let q = ntt_primes(bits, log_n, 1).expect("a prime")[0];
    let roots = Roots::new(log_n as u8, q).expect("a prime");
    let (slot, count) = (kernel.shape.slot(), operation.operands());
    let word =
        |i: usize| (i as u128 + 3).wrapping_mul(0x9e37_79b9_7f4a_7c15_f39c_c060_5ced_c835) % q;
    let operands: Vec<u128> = (0..count * slot).map(word).collect();
    let towers: Vec<Vec<u128>> = operands.chunks(slot).map(<[u128]>::to_vec).collect();
    let mut slots: Vec<u128> = (0..count as u128).collect();
    // The result, then scratch and table.
    slots.push(0);
    slots.extend((count as u128..).take(kernel.slots() - count - 1));
    let slots = slots.into_iter().map(|number| number * slot as u128);
    let scalar = match operation.scalar() {
        Scalar::InverseOfN => roots.n_inverse(),
        _ => 0,
    };
    let inverse = reciprocal(q, config.word_bits).expect("odd");
    let table = kernel.table.iter().map(|symbol| symbol.word(&roots, log_n));
    let first_of_table = (count + kernel.scratch_slots) * slot;
    let segment = |space, address: usize, words| Segment {
        space,
        address: address as u32,
        words,
    };
    let mut program = kernel.program.clone();
    program.name = format!("{} of 2^{log_n} words, scheduled", operation.name());
    program.data = vec![
        segment(Space::Sdm, MODULUS_WORD as usize, vec![q, inverse]),
        segment(Space::Sdm, SCALAR_WORD as usize, vec![scalar]),
        segment(Space::Sdm, FIRST_SLOT_WORD as usize, slots.collect()),
        segment(Space::Vdm, 0, operands),
        segment(Space::Vdm, first_of_table, table.collect()),
    ];
    let expected = defined(operation, &Modulus::new(q).expect("odd"), log_n, &towers);
    Compiled { program, expected }
}

fn defined(operation: Operation, q: &Modulus<u128>, log_n: u32, x: &[Vec<u128>]) -> Vec<u128> {
    let psi = define::smallest_root(q, log_n).expect("a root");
    let product = |a: &[u128], b: &[u128]| -> Vec<u128> {
        a.iter().zip(b).map(|(&a, &b)| q.mul(a, b)).collect()
    };
    match operation {
        Operation::Ntt => define::ntt(q, psi, &x[0]),
        Operation::Intt => define::intt(q, psi, &x[0]).expect("invertible"),
        Operation::Mul => product(&x[0], &x[1]),
        Operation::MulAdd => {
            let products = product(&x[1], &x[2]);
            let sums = x[0].iter().zip(products);
            sums.map(|(&a, product)| q.add(a, product)).collect()
        }
        Operation::Convolve => {
            let products = product(&define::ntt(q, psi, &x[0]), &x[1]);
            define::intt(q, psi, &products).expect("invertible")
        }
        Operation::Automorphism { galois, .. } => {
            define::automorphism_of_evaluations(galois, &x[0])
        }
        other => unreachable!("{other:?} is not among those compiled"),
    }
}
