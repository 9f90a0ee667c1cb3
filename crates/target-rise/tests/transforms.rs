//! Transforms on the simulated units: values against the kernels, cycles against the formulas.

use ringwright_arith::primes::ntt_primes;
use ringwright_kernels::NttPlan;
use ringwright_spec::Machine;
use ringwright_target_rise::closed_form;
use ringwright_target_rise::core::{Core, Group};
use ringwright_target_rise::shape::{Layout, Shape};
use ringwright_target_rise::twiddles::{Constants, Direction};
use ringwright_target_rise::Config;

fn config(machine: &str) -> Config {
    Config::new(&Machine::load(machine).expect("shipped")).expect("buildable")
}

/// Every degree from 32 to 16384 on every number of units that fits.
fn shapes() -> Vec<Shape> {
    let fitting = |log_p: u32| (log_p.max(2) + 3..=14).map(move |log_n| Shape { log_n, log_p });
    (0..=5).flat_map(fitting).collect()
}

/// A machine with as many units, banks deep enough.
fn with_units(machine: &str, shape: Shape) -> Config {
    Config {
        log_p: shape.log_p,
        bank_words: shape.bank_words(),
        ..config(machine)
    }
}

fn words(n: usize, q: u64) -> Vec<u64> {
    let step = |word: &u64| Some((word * 5 + 1) % q);
    std::iter::successors(Some(q - 1), step).take(n).collect()
}

/// Loads, transforms, stores; returns the words, the cycles of the transform and the core.
fn run(
    config: &Config,
    shape: Shape,
    q: u64,
    direction: Direction,
    words: &[u64],
) -> (Vec<u64>, u64, Core) {
    let constants = Constants::new(shape.log_n, q).expect("constants");
    let mut core = Core::new(config, shape);
    let (before, after) = match direction {
        Direction::Forward => (Layout::ForwardIn, Layout::ForwardOut),
        Direction::Inverse => (Layout::InverseIn, Layout::InverseOut),
    };
    let start = core.load(0, Group::Bg0, before, words).expect("ports");
    let end = core
        .transform(start, Group::Bg0, direction, &constants)
        .expect("ports");
    let mut result = vec![0; shape.n()];
    core.store(end, Group::Bg0, after, &mut result)
        .expect("ports");
    (result, end - start, core)
}

#[test]
fn values_and_cycles_of_every_degree_and_number_of_units() {
    for shape in shapes() {
        for machine in ["rise-1bfu", "rise-32bfu-interleaved"] {
            let config = with_units(machine, shape);
            let q = ntt_primes(config.word_bits, shape.log_n, 1).expect("primes")[0] as u64;
            let input = words(shape.n(), q);
            let mut expected = input.clone();
            NttPlan::new(shape.log_n, q)
                .expect("plan")
                .forward(&mut expected);
            let (found, cycles, core) = run(&config, shape, q, Direction::Forward, &input);
            assert_eq!(found, expected, "{machine}, {shape:?}");
            let (back, inverse_cycles, _) = run(&config, shape, q, Direction::Inverse, &found);
            assert_eq!(back, input, "{machine}, {shape:?}, inverse");
            let work = core.activity();
            assert_eq!(work.operands, u64::from(shape.log_n) * shape.issues());
            if machine == "rise-1bfu" {
                let stalled = |direction| closed_form::stalled(&config, shape, direction);
                assert_eq!(cycles, stalled(Direction::Forward), "{shape:?}");
                assert_eq!(
                    inverse_cycles,
                    stalled(Direction::Inverse),
                    "{shape:?}, inverse"
                );
            } else {
                assert!(cycles >= closed_form::floor(&config, shape));
                assert!(
                    cycles <= closed_form::bound(&config, shape),
                    "{shape:?}: {cycles}"
                );
            }
        }
    }
}

#[test]
fn probe() {
    for machine in ["race", "rise-4bfu", "rise-32bfu", "rise-32bfu-interleaved"] {
        let config = config(machine);
        for log_n in [8, 9, 10, 11, 12, 13, 14] {
            let shape = Shape {
                log_n,
                log_p: config.log_p,
            };
            let q = ntt_primes(30, log_n, 1).unwrap()[0] as u64;
            let input = words(shape.n(), q);
            let t = std::time::Instant::now();
            let (_, c, core) = run(&config, shape, q, Direction::Forward, &input);
            let dt = t.elapsed();
            let (_, ic, icore) = run(&config, shape, q, Direction::Inverse, &input);
            println!(
                "{machine} {log_n} fwd {c} inv {ic} bound {} floor {} wb {} {} {:?}",
                closed_form::bound(&config, shape),
                closed_form::floor(&config, shape),
                core.deepest_write_buffer(),
                icore.deepest_write_buffer(),
                dt
            );
        }
    }
    for log_p in 0..=5 {
        for d in 2..=14 {
            for c in [0, 4] {
                let mut row = vec![];
                for log_n in log_p.max(2) + 3..=11 {
                    let shape = Shape { log_n, log_p };
                    let config = Config {
                        bfu_latency: d,
                        log_batches: c,
                        write_buffer: 1000,
                        ..with_units("rise-1bfu", shape)
                    };
                    let q = ntt_primes(30, log_n, 1).unwrap()[0] as u64;
                    let input = words(shape.n(), q);
                    let (_, _, core) = run(&config, shape, q, Direction::Forward, &input);
                    let (_, _, icore) = run(&config, shape, q, Direction::Inverse, &input);
                    row.push((core.deepest_write_buffer(), icore.deepest_write_buffer()));
                }
                println!("P {} D {d} C {} {:?}", 1 << log_p, 1 << c, row);
            }
        }
    }
}
