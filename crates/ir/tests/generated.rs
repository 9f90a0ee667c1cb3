//! Generated modules: valid, varied, the same under both words, and the same after a trip through
//! the text form.

use ringwright_arith::primes::ntt_primes;
use ringwright_arith::Word;
use ringwright_ir::generate::{self, Shape};
use ringwright_ir::ring::{Module, OpKind, RingKind};
use ringwright_ir::{interpret, text, Value};
use std::collections::BTreeSet;

fn shape(kind: RingKind) -> Shape {
    let log_n = 4;
    // Primes of both kinds.
    let primes = [20, 30, 40, 50, 60].map(|bits| ntt_primes(bits, log_n + 1, 1).unwrap()[0]);
    Shape {
        kind,
        log_n,
        primes: primes.to_vec(),
        helpers: 3,
        ops: 24,
    }
}

fn modules() -> impl Iterator<Item = (u64, Module)> {
    let of = |kind| (0..60).map(move |seed| (seed, generate::module(seed, &shape(kind)).unwrap()));
    RingKind::ALL.into_iter().flat_map(of)
}

#[test]
fn every_operation_and_composite_occurs() {
    let mut operations = BTreeSet::new();
    let mut composites = BTreeSet::new();
    for (_, module) in modules() {
        for func in &module.funcs {
            operations.extend(func.ops.iter().map(|op| op.kind.name()));
            composites.extend(
                func.composite
                    .map(|c| c.to_string().split('(').next().map(str::to_owned)),
            );
        }
    }
    let all = [
        "zero",
        "ntt",
        "intt",
        "add",
        "sub",
        "neg",
        "mul",
        "mul_scalar",
        "add_scalar",
        "automorphism",
        "towers",
        "concat",
        "switch_modulus",
        "element",
        "sample",
        "call",
    ];
    assert_eq!(operations, BTreeSet::from(all));
    let all = [
        "basis_extension",
        "fast_extension",
        "mod_down",
        "fast_mod_down",
        "key_switch",
        "key_product",
    ];
    assert_eq!(composites, all.map(|name| Some(name.to_owned())).into());
}

#[test]
fn helpers_are_called_and_streams_are_sampled_through_calls() {
    let calls = |module: &Module| {
        let called = |op: &&ringwright_ir::ring::Op| match op.kind {
            OpKind::Call { func } => module.func(func).name.starts_with("helper"),
            _ => false,
        };
        module.entry().ops.iter().filter(called).count()
    };
    assert!(modules().any(|(_, module)| calls(&module) > 0));
}

#[test]
fn text_reads_back_equal() {
    for (seed, module) in modules() {
        let printed = text::print(&module);
        let read =
            text::parse(&printed).unwrap_or_else(|error| panic!("seed {seed}: {error}\n{printed}"));
        assert_eq!(read, module, "seed {seed}");
        assert_eq!(text::print(&read), printed, "seed {seed}");
    }
}

#[test]
fn both_words_give_the_same_values() {
    for (seed, module) in modules().take(20) {
        let narrow = interpret::run::<u64>(&module, &generate::inputs(seed, &module)).unwrap();
        let wide = interpret::run::<u128>(&module, &generate::inputs(seed, &module)).unwrap();
        assert_eq!(words(&narrow), words(&wide), "seed {seed}");
    }
}

#[test]
fn words_are_reduced() {
    for (seed, module) in modules() {
        let outputs = interpret::run::<u64>(&module, &generate::inputs(seed, &module)).unwrap();
        for (ty, polys) in module.entry().result_types().iter().zip(words(&outputs)) {
            let primes = ty.basis().unwrap().values(&module.primes);
            for poly in polys {
                let limits = primes
                    .iter()
                    .flat_map(|q| std::iter::repeat_n(q, module.n()));
                assert!(
                    poly.iter().zip(limits).all(|(word, q)| word < q),
                    "seed {seed}"
                );
            }
        }
    }
}

/// The words of every polynomial of every value.
fn words<W: Word>(values: &[Value<W>]) -> Vec<Vec<Vec<u128>>> {
    let of_poly =
        |poly: &ringwright_ring::RnsPoly<W>| poly.words().iter().map(|w| w.to_u128()).collect();
    let of_value = |value: &Value<W>| match value {
        Value::Poly(poly) => vec![of_poly(poly)],
        Value::Array(items) => items.iter().map(of_poly).collect(),
        Value::Seed(_) => panic!("a seed came out"),
    };
    values.iter().map(of_value).collect()
}
