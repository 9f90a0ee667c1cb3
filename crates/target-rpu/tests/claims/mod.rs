//! Programs with what they claim: the lowering's, and some written by hand.

use ringwright_arith::primes::ntt_primes;
use ringwright_arith::Modulus;
use ringwright_ir::ring::Domain;
use ringwright_nttx::{Direction, Plan, Roots};
use ringwright_target::definition as define;
use ringwright_target_rpu::checker::{Claim, Operand, Region};
use ringwright_target_rpu::config::Config;
use ringwright_target_rpu::isa::{assemble, reciprocal, Program, Segment, Space};
use ringwright_target_rpu::kernels::compile::memory_map::scalars;
use ringwright_target_rpu::kernels::compile::Kernel;
use ringwright_target_rpu::kernels::plain::{self, StoreOrder};
use ringwright_target_rpu::kernels::tower_kernel::{FIRST_SLOT_WORD, MODULUS_WORD, SCALAR_WORD};
use ringwright_target_rpu::kernels::{Library, Making, Operation, Scalar, Shape, TowerKernel};
use std::ops::Range;
use std::rc::Rc;

/// The result's words from the operands' words.
type Function = Rc<dyn Fn(&[Vec<u128>]) -> Vec<u128>>;

/// A program and its claim.
#[derive(Clone)]
pub struct Subject {
    pub name: String,
    pub program: Program,
    pub degree: u32,
    modulus: u128,
    data: Vec<Segment>,
    operands: Vec<Operand>,
    result: Region,
    scratch: Vec<Range<u32>>,
    function: Function,
}

impl Subject {
    pub fn claim(&self) -> Claim<'_> {
        Claim {
            modulus: self.modulus,
            data: self.data.clone(),
            operands: self.operands.clone(),
            result: self.result.clone(),
            scratch: self.scratch.clone(),
            function: &*self.function,
            degree: self.degree,
        }
    }
}

/// Every operation that is lowered, on towers of degree 2^`log_n`.
pub fn kernels(config: &Config, log_n: u32, bits: u32) -> Vec<Subject> {
    let q = ntt_primes(bits, log_n, 1).expect("a prime")[0];
    let order = StoreOrder::of(config);
    let shape = Shape::new(config, log_n);
    operations(log_n)
        .into_iter()
        .map(|operation| kernel(config, plain::kernel(operation, shape, order), q))
        .collect()
}

/// Every operation of which a library starts a scheduled program.
pub fn scheduled(config: &Config, log_n: u32, bits: u32) -> Vec<Subject> {
    let q = ntt_primes(bits, log_n, 1).expect("a prime")[0];
    let library = Library::default();
    let chosen = operations(log_n).into_iter().map(|operation| {
        let chosen = library.kernel(config, log_n, operation);
        chosen.expect("it fits").kernel.clone()
    });
    chosen
        .filter(|chosen| chosen.making == Making::Scheduled)
        .map(|chosen| kernel(config, chosen, q))
        .collect()
}

fn operations(log_n: u32) -> Vec<Operation> {
    let n = 1u64 << log_n;
    let mut operations = vec![
        Operation::Zero,
        Operation::Add,
        Operation::Sub,
        Operation::Neg,
        Operation::Mul,
        Operation::MulAdd,
        Operation::AddMulScalar,
        Operation::MulScalar,
        Operation::AddScalar,
        Operation::Reduce,
        Operation::Ntt,
        Operation::Intt,
        Operation::Convolve,
    ];
    for galois in [3, n - 1, 2 * n - 1] {
        for domain in [Domain::Coeff, Domain::Eval] {
            operations.push(Operation::Automorphism { galois, domain });
        }
    }
    operations
}

fn kernel(config: &Config, kernel: TowerKernel, q: u128) -> Subject {
    let (operation, shape) = (kernel.operation, kernel.shape);
    let log_n = shape.log_n;
    let roots = Roots::new(log_n as u8, q).expect("a prime");
    let scalar = q / 3;
    let operands = operation.operands() as u32;
    let address = |slot: u32| slot * shape.slot() as u32;
    let region = |slot| Region::copies(address(slot), shape.n(), shape.copies());
    let operand = |slot| Operand {
        region: region(slot),
        reduced: match operation {
            Operation::Reduce => false,
            Operation::AddMulScalar => slot == 0,
            _ => true,
        },
    };
    let scalar_word = match operation.scalar() {
        Scalar::Fixed(value) => Some(value.into()),
        Scalar::InverseOfN => Some(roots.n_inverse()),
        Scalar::Given => Some(scalar),
        Scalar::None => None,
    };
    let mut data = vec![modulus_words(config, MODULUS_WORD, q)];
    data.extend(scalar_word.map(|word| words(Space::Sdm, SCALAR_WORD, vec![word])));
    let slots = (0..kernel.slots() as u32).map(|slot| address(slot).into());
    data.push(words(Space::Sdm, FIRST_SLOT_WORD, slots.collect()));
    let table = kernel.table.iter();
    let table = table.map(|symbol| symbol.word(&roots, log_n));
    let first = operands + 1 + kernel.scratch_slots as u32;
    data.push(words(Space::Vdm, address(first), table.collect()));
    let making = kernel.making.name();
    Subject {
        name: format!("{making} {operation:?}, N = 2^{log_n}, {q}"),
        degree: match operation {
            Operation::Mul | Operation::MulAdd | Operation::Convolve => 2,
            _ => 1,
        },
        modulus: q,
        data,
        operands: (0..operands).map(operand).collect(),
        result: region(operands),
        scratch: std::iter::once(address(operands + 1)..address(first)).collect(),
        function: definition(operation, log_n, q, scalar),
        program: kernel.program,
    }
}

/// What an operation means.
fn definition(operation: Operation, log_n: u32, q: u128, scalar: u128) -> Function {
    let q = Modulus::new(q).expect("odd");
    let psi = define::smallest_root(&q, log_n).expect("a root");
    let each = |of: fn(&Modulus<u128>, u128, u128, u128, u128) -> u128| -> Function {
        Rc::new(move |x| {
            let word = |k: usize, i: usize| x.get(k).map_or(0, |words: &Vec<u128>| words[i]);
            let len = 1usize << log_n;
            (0..len)
                .map(|i| of(&q, word(0, i), word(1, i), word(2, i), scalar))
                .collect()
        })
    };
    match operation {
        Operation::Zero => each(|_, _, _, _, _| 0),
        Operation::Add => each(|q, a, b, _, _| q.add(a, b)),
        Operation::Sub => each(|q, a, b, _, _| q.sub(a, b)),
        Operation::Neg => each(|q, a, _, _, _| q.sub(0, a)),
        Operation::Mul => each(|q, a, b, _, _| q.mul(a, b)),
        Operation::MulAdd => each(|q, a, b, c, _| q.add(a, q.mul(b, c))),
        Operation::AddMulScalar => each(|q, a, b, _, s| q.add(a, q.mul(q.reduce(b), s))),
        Operation::MulScalar => each(|q, a, _, _, s| q.mul(a, s)),
        Operation::AddScalar => each(|q, a, _, _, s| q.add(a, s)),
        Operation::Reduce => each(|q, a, _, _, _| a % q.value()),
        Operation::Ntt => Rc::new(move |x| define::ntt(&q, psi, &x[0])),
        Operation::Intt => Rc::new(move |x| define::intt(&q, psi, &x[0]).expect("invertible")),
        Operation::Convolve => Rc::new(move |x| {
            let evaluations = define::ntt(&q, psi, &x[0]);
            let products = evaluations.iter().zip(&x[1]).map(|(&a, &b)| q.mul(a, b));
            let products: Vec<u128> = products.collect();
            define::intt(&q, psi, &products).expect("invertible")
        }),
        Operation::Automorphism { galois, domain } => Rc::new(move |x| match domain {
            Domain::Coeff => define::automorphism_of_coefficients(&q, galois, &x[0]),
            Domain::Eval => define::automorphism_of_evaluations(galois, &x[0]),
        }),
    }
}

/// Programs with every instruction that the plain lowering leaves out: shuffles, broadcasts,
/// scalar sums. Operands at 0 and at two vectors, the result at four.
pub fn by_hand(config: &Config, bits: u32) -> Vec<Subject> {
    let length = config.vector_length;
    let q = ntt_primes(bits, length.ilog2() + 1, 1).expect("a prime")[0];
    let two = |address| Region::copies(address * length as u32, 2 * length, 1);
    let subject = |name: &str, text: &str, function: Function| {
        let addresses = [0u128, 2, 4].map(|vectors| vectors * length as u128);
        let operand = |address| Operand {
            region: two(address),
            reduced: true,
        };
        let text = text.replace("NEXT", &length.to_string());
        Subject {
            name: name.to_owned(),
            program: assemble(name, &text).expect(name),
            degree: 2,
            modulus: q,
            data: vec![
                modulus_words(config, 0, q),
                words(Space::Sdm, 2, vec![5, 7]),
                words(Space::Sdm, 4, addresses.to_vec()),
            ],
            operands: vec![operand(0), operand(2)],
            result: two(4),
            scratch: Vec::new(),
            function,
        }
    };
    let q = Modulus::new(q).expect("odd");
    let shuffled: Function = Rc::new(move |x| {
        let sums: Vec<u128> = x[0].iter().zip(&x[1]).map(|(&a, &b)| q.add(a, b)).collect();
        let products = x[0].iter().zip(&x[1]).map(|(&a, &b)| q.mul(a, b));
        // Sums of the first vector beside products of the second, then back to even and odd.
        let products: Vec<u128> = products.collect();
        let pairs = (0..length).flat_map(|i| [sums[i], products[length + i]]);
        pairs.collect()
    });
    let scaled: Function = Rc::new(move |x| {
        let even = x[0].iter().chain(&x[1]).step_by(2);
        let odd = x[0].iter().chain(&x[1]).skip(1).step_by(2);
        let low = even
            .clone()
            .zip(odd)
            .take(length)
            .map(|(&e, &o)| q.sub(q.mul(e, 5), q.add(o, 7)));
        let high = even.skip(length).map(|&e| q.mul(q.sub(e, 5), 7));
        low.chain(high).collect()
    });
    vec![
        subject(
            "unpacked pairs",
            include_str!("unpacked_pairs.b512"),
            shuffled,
        ),
        subject("packed halves", include_str!("packed_halves.b512"), scaled),
    ]
}

/// A transform that the compiler has scheduled. It goes back and forth between two buffers.
pub fn compiled(config: &Config, plan: &Plan, bits: u32) -> Subject {
    let log_n = u32::from(plan.problem.log_n);
    let q = ntt_primes(bits, log_n, 1).expect("a prime")[0];
    let n = 1usize << log_n;
    let kernel = Kernel::compile(plan, config).expect("it compiles");
    let memories = kernel.memories(config, q, &vec![0; n]).expect("a prime");
    let used = kernel.map.words as usize;
    let place = |layout: usize| {
        let base = kernel.map.buffers[layout % 2];
        Region::placed(n, |i| base + plan.layouts[layout].address(i) as u32)
    };
    let operand = Operand {
        region: place(0),
        reduced: true,
    };
    let field = Modulus::new(q).expect("odd");
    let psi = define::smallest_root(&field, log_n).expect("a root");
    // A compiled kernel takes the base from a0 and leaves loading it to whoever starts it.
    let mut constants = memories.sdm[..scalars::WORDS as usize].to_vec();
    constants.push(0);
    let load = assemble("base", &format!("aload a0, {}", scalars::WORDS)).expect("an instruction");
    let instructions = [load.instructions, kernel.program.instructions].concat();
    Subject {
        name: format!("compiled {:?}, {q}", plan.problem),
        degree: 1,
        modulus: q,
        data: vec![
            words(Space::Vdm, 2 * n as u32, memories.vdm[2 * n..used].to_vec()),
            words(Space::Sdm, 0, constants),
        ],
        operands: vec![operand],
        result: place(plan.passes.len()),
        scratch: kernel
            .map
            .buffers
            .map(|base| base..base + n as u32)
            .to_vec(),
        function: match plan.problem.direction {
            Direction::Forward => Rc::new(move |x| define::ntt(&field, psi, &x[0])),
            Direction::Inverse => {
                Rc::new(move |x| define::intt(&field, psi, &x[0]).expect("invertible"))
            }
        },
        program: Program::new(kernel.program.name, instructions),
    }
}

fn modulus_words(config: &Config, address: u32, q: u128) -> Segment {
    let reciprocal = reciprocal(q, config.word_bits).expect("a modulus");
    words(Space::Sdm, address, vec![q, reciprocal])
}

fn words(space: Space, address: u32, words: Vec<u128>) -> Segment {
    Segment {
        space,
        address,
        words,
    }
}
