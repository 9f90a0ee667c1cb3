//! A graph computes what its function means, whatever kinds a target has: nodes are run one by one,
//! by definitions that share no code with the passes, and compared with the interpreter. So is what each
//! kernel says that it comes from.

mod evaluate;

use ringwright_arith::primes::ntt_primes;
use ringwright_ir::generate::{self, Shape};
use ringwright_ir::interpret::Interpreter;
use ringwright_ir::ring::composites::{fast_mod_down, key_switch, mod_down, switch_digits};
use ringwright_ir::ring::{Basis, Domain, FuncId, Module, ModuleBuilder, RingKind, Type};
use ringwright_ir::{RunError, Value};
use ringwright_towers::regions::{self, Stretch, Wiring};
use ringwright_towers::{Constants, Graph, Kind, Program, Supports};
use std::cell::Cell;
use std::sync::Arc;

const LOG_N: u32 = 4;
const BITS: u32 = 30;

/// What targets may have beyond the dialect: nothing, a product and a sum, sums of few products,
/// everything on single primes, primes joined.
const TARGETS: [Supports<'static>; 5] = [
    &|_| false,
    &|kind| {
        let one = Kind::InnerProduct {
            pairs: 1,
            plus: true,
        };
        *kind == one
    },
    &|kind| match kind {
        Kind::InnerProduct { pairs, .. } => *pairs <= 2,
        Kind::SwitchCentred { .. } | Kind::SubMulScalar(_) | Kind::AddMulScalar { .. } => true,
        _ => false,
    },
    &|kind| !matches!(kind, Kind::Join { .. }),
    // Two primes of 30 bits in the words of 64 bits that are computed with here.
    &|kind| match kind {
        Kind::Join { from, .. } => from.len() <= 2,
        Kind::InnerProduct { .. } | Kind::WeightedSum { .. } => true,
        _ => false,
    },
];

fn cut(module: &Module, supports: Supports<'_>, most: usize) -> Result<Program, RunError> {
    Program::cut(module, supports, Constants::AsArguments, most, &|_| Ok(()))
}

fn check(module: &Module) {
    let inputs: Vec<Value> = generate::inputs(3, module);
    let interpreted = Interpreter.prepare(module).expect("valid");
    let meant = interpreted.run(&inputs).expect("runs");
    for (target, supports) in TARGETS.into_iter().enumerate() {
        let graphs = ringwright_towers::functions(module, supports, &|_| false).expect("builds");
        let found = evaluate::functions(module, &graphs, &inputs);
        assert!(evaluate::same(&meant, &found), "functions, target {target}");
        for most in [1, 3] {
            let cut = cut(module, supports, most).expect("builds");
            let found = evaluate::program(module, &cut, &inputs);
            let what = format!("at most {most}, target {target}");
            assert!(evaluate::same(&meant, &found), "{what}");
            let found = evaluate::meanings(module, &cut, &inputs);
            assert!(evaluate::same(&meant, &found), "meanings, {what}");
        }
        for constants in [Constants::AsArguments, Constants::InKernels] {
            let cut = Program::new(module, supports, constants).expect("builds");
            let found = evaluate::program(module, &cut, &inputs);
            let what = format!("{constants:?}, target {target}");
            assert!(evaluate::same(&meant, &found), "{what}");
            let found = evaluate::meanings(module, &cut, &inputs);
            assert!(evaluate::same(&meant, &found), "meanings, {what}");
            for longest in [2, 3, usize::MAX] {
                let joined = joined(&cut, longest, supports);
                let found = evaluate::program(module, &joined, &inputs);
                assert!(evaluate::same(&meant, &found), "{what}, by {longest}");
                let found = evaluate::meanings(module, &joined, &inputs);
                assert!(
                    evaluate::same(&meant, &found),
                    "meanings, {what}, by {longest}"
                );
            }
        }
    }
}

/// The program with calls joined, up to so many, wherever they can be.
fn joined(program: &Program, longest: usize, supports: Supports<'_>) -> Program {
    let last = regions::last_reads(program);
    let (mut stretches, mut graphs) = (Vec::new(), Vec::new());
    let mut first = 0;
    while first < program.calls.len() {
        let end = first.saturating_add(longest).min(program.calls.len());
        let calls = first..end;
        let wiring = Wiring::of(program, calls.clone(), &last);
        let graph = regions::graph(program, calls.clone(), &wiring, supports);
        let region = graph.map(|graph| {
            graphs.push(Arc::new(graph));
            (graphs.len() - 1, wiring)
        });
        stretches.push(Stretch { calls, region });
        first = end;
    }
    regions::joined(program.clone(), stretches, &graphs)
}

#[test]
fn generated_programs_mean_the_same() {
    let primes = ntt_primes(BITS, LOG_N + 1, 5).expect("enough primes");
    for (kind, seeds) in [
        (RingKind::Standard, 0..60),
        (RingKind::ConjugateInvariant, 60..90),
    ] {
        for seed in seeds {
            let shape = Shape {
                kind,
                log_n: LOG_N,
                primes: primes.clone(),
                helpers: seed as usize % 5,
                ops: 1 + seed as usize % 30,
            };
            check(&generate::module(seed, &shape).expect("a valid shape"));
        }
    }
}

#[test]
fn composites_mean_their_expansions() {
    let primes = ntt_primes(BITS, LOG_N, 6).expect("enough primes");
    // With digits of three, joined primes belong to two of them. With three primes, the last is joined with
    // the first special one.
    for (digit, levels) in [(1, 4), (2, 4), (3, 4), (1, 3), (2, 3), (3, 3)] {
        let mut mb = ModuleBuilder::new(LOG_N, &primes);
        let (q, p) = (Basis::range(0..levels), Basis::range(levels..levels + 2));
        let switch = key_switch(&mut mb, &q, &p, &q.join(&p), digit).expect("valid");
        check(&mb.finish(switch).expect("valid"));
    }
    let kinds = [mod_down, fast_mod_down];
    for (domain, kind) in [Domain::Coeff, Domain::Eval]
        .iter()
        .flat_map(|&d| kinds.map(|k| (d, k)))
    {
        let mut mb = ModuleBuilder::new(LOG_N, &primes);
        let (kept, dropped) = (Basis::range(0..3), Basis::range(3..5));
        let down = kind(&mut mb, &kept, &dropped, domain).expect("valid");
        let mut fb = mb.function("main");
        let ty = Type::poly(&kept.join(&dropped), domain);
        let halves = [fb.param("c0", ty.clone(), false), fb.param("c1", ty, false)];
        let divided = halves.map(|half| fb.call(down, &[half]).expect("valid")[0]);
        let main = fb.finish(&divided).expect("valid");
        check(&mb.finish(main).expect("valid"));
    }
}

#[test]
fn a_hoisted_rotation_moves_no_digit() {
    let primes = ntt_primes(BITS, LOG_N, 4).expect("enough primes");
    let mut mb = ModuleBuilder::new(LOG_N, &primes);
    let (q, p) = (Basis::range(0..3), Basis::range(3..4));
    let full = q.join(&p);
    let switch = switch_digits(&mut mb, &q, &p, &full, 1, 5).expect("valid");
    let module = mb.finish(switch).expect("valid");
    check(&module);
    let graphs = ringwright_towers::functions(&module, &|_| true, &|_| false).expect("builds");
    let nodes = &graphs[module.entry.index()].nodes;
    let count = |wanted: fn(&Kind) -> bool| nodes.iter().filter(|node| wanted(&node.kind)).count();
    assert_eq!(count(|kind| matches!(kind, Kind::Automorphism { .. })), 0);
    let sums = count(|kind| matches!(kind, Kind::PermutedInnerProduct { .. }));
    assert_eq!(sums, 2 * full.len());
}

/// x -> x * first * second, in two functions that differ in their constant, each called twice.
fn scaled(primes: &[u128], constants: [u128; 2]) -> Module {
    let basis = Basis::range(0..primes.len() as u16);
    let ty = Type::poly(&basis, Domain::Eval);
    let mut mb = ModuleBuilder::new(LOG_N, primes);
    let functions = constants.map(|constant| {
        let mut fb = mb.function(&format!("times{constant}"));
        let x = fb.param("x", ty.clone(), false);
        let y = fb
            .mul_scalar(x, &vec![constant; primes.len()])
            .expect("valid");
        fb.finish(&[y]).expect("valid")
    });
    let mut fb = mb.function("main");
    let mut x = fb.param("x", ty, false);
    for function in functions.into_iter().chain(functions) {
        x = fb.call(function, &[x]).expect("valid")[0];
    }
    let main = fb.finish(&[x]).expect("valid");
    mb.finish(main).expect("valid")
}

#[test]
fn functions_that_differ_in_constants_are_one_kernel_where_those_are_arguments() {
    let primes = ntt_primes(BITS, LOG_N, 2).expect("enough primes");
    let module = scaled(&primes, [3, 5]);
    check(&module);
    let kernels = |constants| {
        let program = Program::new(&module, &|_| false, constants).expect("builds");
        assert_eq!(program.calls.len(), 4);
        let names: Vec<&str> = program
            .calls
            .iter()
            .map(|call| &*call.sources[0].name)
            .collect();
        assert_eq!(names, ["times3", "times5", "times3", "times5"]);
        program.kernels.len()
    };
    assert_eq!(kernels(Constants::AsArguments), 1);
    assert_eq!(kernels(Constants::InKernels), 2);
}

#[test]
fn what_nobody_reads_is_neither_called_nor_made() {
    let primes = ntt_primes(BITS, LOG_N, 1).expect("a prime");
    let ty = Type::poly(&Basis::range(0..1), Domain::Eval);
    let mut mb = ModuleBuilder::new(LOG_N, &primes);
    let mut fb = mb.function("both");
    let a = fb.param("a", ty.clone(), false);
    let both = [fb.mul(a, a).expect("valid"), fb.add(a, a).expect("valid")];
    let both = fb.finish(&both).expect("valid");
    let mut fb = mb.function("main");
    let a = fb.param("a", ty, false);
    fb.call(both, &[a]).expect("valid");
    let pair = fb.call(both, &[a]).expect("valid");
    let unread = fb.neg(pair[0]).expect("valid");
    fb.add(unread, unread).expect("valid");
    let main = fb.finish(&[pair[1]]).expect("valid");
    let module = mb.finish(main).expect("valid");
    check(&module);
    let program = Program::new(&module, &|_| false, Constants::InKernels).expect("builds");
    let called: Vec<Option<usize>> = program
        .calls
        .iter()
        .map(|call| call.sources[0].call)
        .collect();
    assert_eq!(called, [Some(1)]);
    let kinds = |kernel: usize| {
        program.kernels[kernel]
            .graph
            .nodes
            .iter()
            .map(|node| &node.kind)
    };
    assert_eq!(
        kinds(program.calls[0].kernel).collect::<Vec<_>>(),
        [&Kind::Add]
    );
}

#[test]
fn kernels_have_no_more_operations_than_they_may() {
    let primes = ntt_primes(BITS, LOG_N, 2).expect("enough primes");
    let ty = Type::poly(&Basis::range(0..2), Domain::Eval);
    let mut mb = ModuleBuilder::new(LOG_N, &primes);
    let mut chain = |name: &str, length: usize, inner: Option<FuncId>| {
        let mut fb = mb.function(name);
        let mut x = fb.param("x", ty.clone(), false);
        for _ in 0..length {
            x = match inner {
                Some(inner) => fb.call(inner, &[x]).expect("valid")[0],
                None => fb.mul(x, x).expect("valid"),
            };
        }
        fb.finish(&[x]).expect("valid")
    };
    let squares = chain("squares", 3, None);
    let main = chain("main", 1, Some(squares));
    let nested = chain("nested", 2, Some(squares));
    let deep = chain("deep", 1, Some(nested));
    for (entry, most, expected) in [
        (squares, 2, vec!["squares", "squares"]),
        (main, 3, vec!["squares"]),
        (main, 1, vec!["squares"; 3]),
        (deep, 6, vec!["nested"]),
        (deep, 5, vec!["squares"; 2]),
        (deep, 2, vec!["squares"; 4]),
    ] {
        let module = mb.clone().finish(entry).expect("valid");
        let program = cut(&module, &|_| false, most).expect("builds");
        let called = program.calls.iter().map(|call| &*call.sources[0].name);
        assert_eq!(called.collect::<Vec<_>>(), expected, "{most}");
        let nodes = program
            .kernels
            .iter()
            .map(|kernel| kernel.graph.nodes.len());
        assert!(nodes.max() <= Some(2 * most), "{most}");
    }

    // It ends at the first that does not fit.
    let module = mb.finish(deep).expect("valid");
    let (seen, constants) = (Cell::new(0), Constants::AsArguments);
    let fits = |graph: &Graph| {
        seen.set(seen.get() + 1);
        Err(RunError::Invalid(format!("{} nodes", graph.nodes.len())))
    };
    let refused = Program::cut(&module, &|_| false, constants, 2, &fits).expect_err("too long");
    assert_eq!(
        (refused.to_string(), seen.get()),
        ("invalid program: 4 nodes".to_owned(), 1)
    );
}
