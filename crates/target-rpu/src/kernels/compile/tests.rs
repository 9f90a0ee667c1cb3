use super::*;
use crate::config::{Config, VdmMap, VrfPorts};
use ringwright_arith::primes::ntt_primes;
use ringwright_nttx::{breakdown, execute, Form, Plan, Problem};
use ringwright_spec::Machine;

fn machine(name: &str) -> Config {
    Config::new(&Machine::load(name).unwrap()).unwrap()
}

fn words(count: usize, q: u128) -> Vec<u128> {
    let mix = |i: usize| (i as u128 + 1).wrapping_mul(0x9e37_79b9_7f4a_7c15_f39c_c060_5ced_c835);
    (0..count).map(|i| mix(i) % q).collect()
}

/// Words of memory in the order of a layout, from words in index order, and back.
fn placed(plan: &Plan, layout: usize, words: &[u128]) -> Vec<u128> {
    let mut memory = vec![0; words.len()];
    for (i, &word) in words.iter().enumerate() {
        memory[plan.layouts[layout].address(i)] = word;
    }
    memory
}

/// Runs on the simulator what the plan computes word for word.
fn check(plan: &Plan, config: &Config, bits: u32) -> Kernel {
    let case = format!("{} {:?}", config.machine, plan.problem);
    let q = ntt_primes(bits, u32::from(plan.problem.log_n), 1).unwrap()[0];
    let input = words(1 << plan.problem.bits(), q);
    let kernel = Kernel::compile(plan, config).unwrap();
    let (result, schedule) = kernel.run(config, q, &input).unwrap();
    let expected = execute::run(plan, q, &placed(plan, 0, &input)).unwrap();
    assert_eq!(placed(plan, plan.passes.len(), &result), expected, "{case}");
    assert_eq!(schedule.cycles, kernel.cycles, "{case}");
    assert!(
        kernel
            .occupied
            .iter()
            .all(|&cycles| cycles <= kernel.cycles),
        "{case}"
    );
    kernel
}

fn small_plans(v: u8) -> Vec<Plan> {
    let two = |n: u8, first, r| breakdown::two_pass(Problem::forward(n), v, first, r).unwrap();
    let batch = Problem::forward(v + 2).batch(1);
    let forward = [
        breakdown::one_pass(Problem::forward(v + 1), v).unwrap(),
        breakdown::one_pass(batch, v).unwrap(),
        breakdown::korn_lambiotte(Problem::forward(v + 4), v, 3).unwrap(),
        two(v + 4, 6, [4, 3]),
        two(v + 5, 6, [4, 4]),
    ];
    let inverse = |plan: &Plan| {
        let scaled = plan
            .passes
            .last()
            .map_or(0, |pass| pass.registers.len().min(3) as u8);
        let scaled = if plan.layouts.last().is_some_and(|l| l.is_natural()) {
            scaled
        } else {
            0
        };
        [
            plan.inverse(Form::GentlemanSande, scaled),
            plan.inverse(Form::CooleyTukey, 0),
        ]
    };
    let inverses: Vec<Plan> = forward.iter().flat_map(inverse).collect();
    forward.into_iter().chain(inverses).collect()
}

#[test]
fn compiled_transforms_are_exact_on_small_machines() {
    for plan in small_plans(6) {
        let mut config = machine("rpu-8x8");
        // Inverses of Cooley-Tukey butterflies have as many powers of psi as words.
        config.vdm_words *= 2;
        check(&plan, &config, 40);
        config.vrf_ports = VrfPorts::Unlimited;
        config.vdm_map = VdmMap::Modulo;
        config.gap = 1;
        check(&plan, &config, 62);
    }
}

#[test]
fn compiled_transforms_are_exact_on_the_published_machine() {
    let config = machine("rpu-128x128");
    let problem = Problem::forward(12);
    let plan = breakdown::two_pass(problem, 9, 6, [3, 3]).unwrap();
    for bits in [20, 61, 127] {
        check(&plan, &config, bits);
    }
    check(&plan.inverse(Form::GentlemanSande, 3), &config, 127);
}

/// The scheduler's clock and the simulator's are the same where nothing can issue earlier.
#[test]
fn the_schedulers_clock_is_the_simulators() {
    for name in ["rpu-128x128-freeports", "rpu-128x128", "trebuchet-v1"] {
        let config = machine(name);
        let plan = breakdown::one_pass(Problem::forward(11), 9).unwrap();
        let knobs = Knobs {
            ahead: 7,
            ..Knobs::default()
        };
        let front = kernel::Front::new(&plan, &config, kernel::Shape::default()).unwrap();
        let kernel = front.finish(&config, knobs).unwrap();
        let counted = front.estimate(&config, knobs).unwrap();
        assert!(
            counted.abs_diff(kernel.cycles) <= 1,
            "{name} {counted} {}",
            kernel.cycles
        );
    }
}

/// The headline kernels: as quick as recorded, and right.
#[test]
fn shipped_recipes_keep_their_cycles() {
    for tuned in known::shipped() {
        let config = tuned.config().unwrap();
        for entry in &tuned.kernel {
            let problem = entry.transform.problem(entry.log_n);
            let kernel = entry.recipe.compile(problem, &config).unwrap();
            assert_eq!(kernel.cycles, entry.cycles, "{entry:?}");
            let bound = bound(&config, entry.log_n.into());
            assert!(kernel.occupied[1] >= bound, "{entry:?}");
        }
    }
}

#[test]
fn a_search_finds_the_same_again() {
    let config = machine("rpu-8x8");
    let budget = |seed| Budget {
        tries: 40,
        seed,
        among_others: true,
    };
    let find = |seed| search(Problem::forward(8), &config, budget(seed)).unwrap();
    let (recipe, kernel) = find(1);
    assert_eq!(find(1).0, recipe);
    let plan = recipe.plan(Problem::forward(8), 6).unwrap();
    assert!(fits_among_others(&plan));
    let plain = Kernel::compile(&plan, &config).unwrap();
    assert!(kernel.cycles <= plain.cycles);
}

/// 128K words do not fit the published memory; twice of it they do.
#[test]
fn a_larger_memory_takes_a_larger_degree() {
    let mut config = machine("rpu-128x128");
    let problem = Problem::forward(17);
    let plan = breakdown::two_pass(problem, 9, 9, [5, 4]).unwrap();
    let error = Kernel::compile(&plan, &config).unwrap_err();
    assert!(matches!(error, CompileError::Memory { .. }), "{error}");
    config.vdm_words *= 2;
    for plan in [plan.inverse(Form::GentlemanSande, 3), plan] {
        check(&plan, &config, 100);
    }
}

/// Some formula serves every degree, from one pair of vectors on.
#[test]
fn a_search_finds_something_for_every_degree() {
    for name in ["rpu-128x128", "rpu-128x128-modulo"] {
        let config = machine(name);
        for log_n in 10..=16 {
            let budget = Budget {
                tries: 1,
                seed: 1,
                among_others: false,
            };
            let (_, kernel) = search(Problem::forward(log_n), &config, budget).unwrap();
            assert!(kernel.cycles > bound(&config, log_n.into()));
        }
    }
}

#[test]
fn what_does_not_fit_is_refused() {
    let config = machine("rpu-8x8");
    let plan = |v, n| breakdown::one_pass(Problem::forward(n), v).unwrap();
    let compile = |plan: &Plan| Kernel::compile(plan, &config);
    let error = compile(&plan(5, 7)).unwrap_err();
    assert!(
        matches!(error, CompileError::VectorLength { .. }),
        "{error}"
    );
    let error = compile(&plan(6, 13)).unwrap_err();
    assert!(matches!(error, CompileError::Memory { .. }), "{error}");
    let kernel = compile(&plan(6, 8)).unwrap();
    let error = kernel.memories(&config, 1 << 20, &[]).unwrap_err();
    assert!(matches!(error, CompileError::Modulus { .. }), "{error}");
    let error = kernel.memories(&config, 7681, &[0]).unwrap_err();
    assert!(matches!(error, CompileError::Words { .. }), "{error}");
}
