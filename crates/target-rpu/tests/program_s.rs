//! The paper's own program: its instruction counts, its values, its time.

use ringwright_arith::bits::bit_reverse;
use ringwright_arith::primes::ntt_primes;
use ringwright_arith::roots::minimal_primitive_root_2n;
use ringwright_arith::Modulus;
use ringwright_spec::Machine;
use ringwright_target_rpu::isa::{reciprocal, Program, Segment, Space};
use ringwright_target_rpu::study::korn_lambiotte::{constants, program, Layout};
use ringwright_target_rpu::study::list_schedule::list_schedule;
use ringwright_target_rpu::{run, time, Config, Memories};

fn config(name: &str) -> Config {
    Config::new(&Machine::load(name).expect("shipped")).expect("buildable")
}

struct Case {
    config: Config,
    program: Program,
    layout: Layout,
    q: Modulus<u128>,
    n: usize,
    factors: Vec<u128>,
    input: Vec<u128>,
}

fn case(name: &str, log_n: u32) -> Case {
    let config = config(name);
    let n = 1 << log_n;
    let prime = ntt_primes(config.word_bits - 1, log_n, 1).expect("a prime")[0];
    let q = Modulus::new(prime).expect("odd");
    let psi = minimal_primitive_root_2n(&q, log_n).expect("a root");
    let factors: Vec<u128> = (0..n)
        .map(|i| q.pow(psi, bit_reverse(i, log_n) as u128))
        .collect();
    let input: Vec<u128> = (0..n as u128).map(|i| q.pow(3 + i, 5)).collect();
    let (mut program, layout) = program(log_n, config.vector_length).expect("large enough");
    let word = reciprocal(prime, config.word_bits).expect("odd");
    program.data.push(constants(prime, word));
    for (address, words) in [(layout.input, &input), (layout.factors, &factors)] {
        let words = words.clone();
        program.data.push(Segment {
            space: Space::Vdm,
            address,
            words,
        });
    }
    Case {
        config,
        program,
        layout,
        q,
        n,
        factors,
        input,
    }
}

/// The transform, stage by stage in place.
fn transform(case: &Case) -> Vec<u128> {
    let (q, mut a) = (&case.q, case.input.clone());
    let (mut blocks, mut half) = (1, case.n / 2);
    while half > 0 {
        for block in 0..blocks {
            let w = case.factors[blocks + block];
            for j in 2 * block * half..(2 * block + 1) * half {
                let t = q.mul(a[j + half], w);
                (a[j], a[j + half]) = (q.add(a[j], t), q.sub(a[j], t));
            }
        }
        (blocks, half) = (2 * blocks, half / 2);
    }
    a
}

fn runs(case: &Case, program: &Program) {
    let mut memories = Memories::new(&case.config);
    run(program, &case.config, &mut memories).unwrap_or_else(|error| panic!("{error}"));
    let output = case.layout.output as usize;
    assert!(
        memories.vdm[output..output + case.n] == transform(case),
        "another transform"
    );
}

#[test]
fn it_transforms() {
    let sizes = [("rpu-8x8", 7), ("rpu-8x8", 10), ("rpu-8x8", 11)];
    let published = [10, 11, 12, 13].map(|log_n| ("rpu-128x128", log_n));
    for (name, log_n) in sizes.into_iter().chain(published) {
        let case = case(name, log_n);
        runs(&case, &case.program);
        runs(&case, &list_schedule(&case.program, &case.config));
    }
}

#[test]
fn it_has_the_papers_instructions() {
    let case = case("rpu-128x128", 16);
    let (vectors, stages) = (case.n / case.config.vector_length, 16);
    let time = |program| time(program, &case.config, &vec![0; case.config.sdm_words]);
    let schedule = time(&case.program).unwrap_or_else(|error| panic!("{error}"));
    let [load_store, compute, shuffle] = schedule.counters.instructions;
    assert_eq!(compute as usize, vectors / 2 * stages);
    assert_eq!(shuffle as usize, vectors * (stages - 1));
    assert_eq!((compute, shuffle), (1024, 1920));
    // Data in and out in passes of four stages; a vector of factors for stages 0 to 9 each, then
    // twice as many in every stage; modulus and address.
    let factors = 10 + (1..=6).map(|s| 1 << s).sum::<u64>();
    assert_eq!(
        load_store as usize,
        2 * vectors * stages / 4 + factors as usize + 2
    );
    let bound = shuffle * case.config.beats() as u64;
    let scheduled = time(&list_schedule(&case.program, &case.config));
    let scheduled = scheduled.unwrap_or_else(|error| panic!("{error}"));
    assert!(bound < scheduled.cycles && scheduled.cycles < schedule.cycles);
}

#[test]
#[ignore = "half a million butterflies of 127 bits; run with --include-ignored"]
fn it_transforms_at_full_size() {
    let case = case("rpu-128x128", 16);
    runs(&case, &list_schedule(&case.program, &case.config));
}

#[test]
fn the_page_of_the_book_has_todays_numbers() {
    let written = include_str!("../../../docs/rpu-sensitivity.md");
    let page = ringwright_target_rpu::study::sensitivity::page().expect("a page");
    for (written, now) in written.lines().zip(page.lines()) {
        assert_eq!(
            written, now,
            "write docs/rpu-sensitivity.md anew: see its first line"
        );
    }
    assert_eq!(written.lines().count(), page.lines().count());
}
