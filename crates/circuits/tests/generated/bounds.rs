//! No slot's error exceeds what is promised: programs drawn on inputs that are as bad as they may be.
//! Half of the slots stand at the ends of their interval; a ciphertext comes as several inputs; values
//! and scales are large; what one program computed goes into the next. All of it is drawn from fixed
//! seeds, so that a run that fails fails again.

use crate::client::{device, literal, max_error, uniform, Client};
use crate::program::{program_on, Given};
use crate::shapes::clients;
use crate::steps::{steps_on_edges, Step};
use proptest::prelude::*;
use proptest::strategy::ValueTree;
use proptest::test_runner::{Config, RngSeed, TestRunner};
use ringwright_schemes::ckks::{
    Ciphertext, Error, Evaluator, Lineage, Parameters, ParametersLiteral,
};
use ringwright_schemes::rlwe::RingKind::{ConjugateInvariant, Standard};
use ringwright_schemes::Insecure;
use std::sync::LazyLock;

/// Programs of a quick run, and of the long one.
const QUICK: usize = 300;
const LONG: usize = 10_000;

/// Long primes and scales, so that double precision is what slots are off by; and short ones with many
/// levels, so that an error goes far where a function is steep.
static MORE: LazyLock<Vec<Client>> = LazyLock::new(|| {
    let of = |kind, log_n, levels: usize, bits, log_scale| {
        let literal = ParametersLiteral {
            kind,
            ..literal(log_n, &vec![bits; levels], &[bits], log_scale)
        };
        Client::new(&Parameters::new(literal).expect("a sound shape"))
    };
    vec![
        of(Standard, 5, 4, 60, 52),
        of(Standard, 6, 9, 60, 52),
        of(Standard, 7, 9, 30, 25),
        of(Standard, 6, 9, 36, 32),
        of(ConjugateInvariant, 5, 9, 60, 52),
        of(ConjugateInvariant, 6, 9, 30, 25),
    ]
});

/// What is encrypted, and how often it is given.
#[derive(Clone, Debug)]
struct Inputs {
    /// log2 of the largest value.
    log_max: i32,
    /// For every input, which ciphertext it is.
    which: Vec<usize>,
    /// Whether the server has them as bytes only.
    read: bool,
    /// What the ciphertexts' randomness is made of.
    seeds: [[u8; 32]; 3],
}

fn inputs() -> impl Strategy<Value = Inputs> {
    let which = proptest::collection::vec(0usize..3, 1..5);
    let drawn = (-2i32..21, which, any::<bool>(), any::<[[u8; 32]; 3]>());
    drawn.prop_map(|(log_max, which, read, seeds)| Inputs {
        log_max,
        which,
        read,
        seeds,
    })
}

/// Half of the slots at one end or the other, the first at both.
fn edged(slots: usize, stream: u64, max: f64) -> Vec<f64> {
    let drawn = uniform(slots, stream).into_iter().enumerate();
    let mut values: Vec<f64> = drawn
        .map(|(i, x)| max * if i % 2 == 0 { x.signum() } else { x })
        .collect();
    (values[0], values[1]) = (max, -max);
    values
}

/// A vector with its ciphertext.
type Held = (Ciphertext, Vec<f64>);

/// Encrypts with a seed, or `None` where the modulus does not hold such values.
fn encrypted(client: &Client, stream: u64, seed: [u8; 32], log_max: i32) -> Option<Held> {
    let (parameters, max) = (&client.parameters, f64::from(log_max).exp2());
    let values = edged(parameters.slots(), stream, max);
    let scale = parameters.scale();
    let plaintext = client
        .embedding
        .encode_real(&values, scale, parameters.levels());
    let plaintext = plaintext.ok()?.with_bounds(max, max).ok()?;
    let encrypted = client
        .encryptor
        .encrypt_with_seed(&plaintext, seed, Insecure);
    Some((encrypted.ok()?, values))
}

/// Runs one program on what is held, checks every result, and returns them.
fn run(client: &Client, held: &[Held], steps: &[Step]) -> Vec<Held> {
    let lineages: Vec<_> = held.iter().map(|(c, _)| c.lineage()).collect();
    let groups = Lineage::groups(&lineages).into_iter();
    let given: Vec<Given> = held
        .iter()
        .zip(groups)
        .map(|((ciphertext, slots), group)| Given {
            ty: ciphertext.ty(),
            group,
            slots: slots.clone(),
        })
        .collect();
    let meant = program_on(&client.parameters, &given, steps);
    let prepared = Evaluator::new(&client.parameters, device()).prepare(&meant.program);
    let inputs: Vec<_> = held.iter().map(|(c, _)| c.clone()).collect();
    let keys = client.keys_for(&meant.program);
    let results = match prepared.expect("the interpreter").run(&inputs, &keys) {
        // x - x, by whatever way: nothing that decrypts with an error.
        Err(Error::Transparent { .. }) => return Vec::new(),
        results => results.expect("inputs that the program was built for"),
    };
    for (result, meant) in results.iter().zip(&meant.results) {
        let worst = max_error(&client.decrypt(result), meant);
        let bound = result.error_bound();
        assert!(
            worst <= bound,
            "off by {worst:e}, bound {bound:e}: {steps:?} under {}",
            client.parameters
        );
    }
    results.into_iter().zip(meant.results).collect()
}

fn check(client: &Client, inputs: &Inputs, first: &[Step], second: &[Step]) {
    let seeds = (0..).zip(inputs.seeds);
    let fresh: Option<Vec<Held>> = seeds
        .map(|(stream, seed)| encrypted(client, stream, seed, inputs.log_max))
        .collect();
    let Some(fresh) = fresh else { return };
    let mut held: Vec<Held> = inputs.which.iter().map(|&at| fresh[at].clone()).collect();
    if inputs.read {
        for (ciphertext, _) in &mut held {
            let (parts, ty) = (ciphertext.parts().to_vec(), ciphertext.ty());
            *ciphertext = Ciphertext::new(&client.parameters, parts, &ty).expect("it was one");
        }
    }
    let mut made = run(client, &held, first);
    made.extend(held);
    run(client, &made, second);
}

fn drawn(programs: usize, seed: u64) {
    let config = Config {
        rng_seed: RngSeed::Fixed(seed),
        failure_persistence: None,
        ..Config::default()
    };
    let mut runner = TestRunner::new(config);
    let all: Vec<&Client> = clients().iter().chain(MORE.iter()).collect();
    for client in all.into_iter().cycle().take(programs / 2) {
        let mut draw = || {
            let tree = steps_on_edges().new_tree(&mut runner);
            tree.expect("steps").current()
        };
        let (first, second) = (draw(), draw());
        let inputs = inputs().new_tree(&mut runner).expect("inputs").current();
        check(client, &inputs, &first, &second);
    }
}

#[test]
fn no_bound_is_exceeded() {
    drawn(QUICK, 1);
}

#[test]
#[ignore = "takes minutes; the slow tests run it"]
fn no_bound_is_exceeded_over_ten_thousand_programs() {
    const SEEDS: std::ops::Range<u64> = 2..6;
    let each = LONG / SEEDS.count();
    std::thread::scope(|scope| {
        SEEDS.for_each(|seed| drop(scope.spawn(move || drawn(each, seed))));
    });
}
