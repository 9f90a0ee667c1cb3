//! The interpreter against definitions that it does not share: big integers, ring identities,
//! ranges.

mod big;

use big::{in_poly, integers, negacyclic, polynomial, run};
use num_bigint::BigInt;
use ringwright_arith::primes::ntt_primes;
use ringwright_ir::ring::{
    Basis, Distribution, Domain, FunctionBuilder, Module, ModuleBuilder, Type, ValueId, VerifyError,
};
use ringwright_ir::{generate, interpret, RunError, Value};
use ringwright_ring::{RnsPoly, Seed};
use std::sync::Arc;

const LOG_N: u32 = 5;
const N: usize = 1 << LOG_N;

fn primes() -> Vec<u128> {
    [20, 60]
        .map(|bits| ntt_primes(bits, LOG_N, 1).unwrap()[0])
        .to_vec()
}

fn both() -> Basis {
    Basis::range(0..2)
}

/// A module with one function of `inputs` polynomials in coefficient form and a seed.
fn module<const INPUTS: usize>(
    build: impl FnOnce(
        &mut FunctionBuilder,
        [ValueId; INPUTS],
        ValueId,
    ) -> Result<Vec<ValueId>, VerifyError>,
) -> Module {
    let mut mb = ModuleBuilder::new(LOG_N, &primes());
    let mut fb = mb.function("main");
    let inputs = std::array::from_fn(|i| {
        fb.param(&format!("x{i}"), Type::poly(&both(), Domain::Coeff), false)
    });
    let seed = fb.param("seed", Type::Seed, true);
    let returns = build(&mut fb, inputs, seed).unwrap();
    let main = fb.finish(&returns).unwrap();
    mb.finish(main).unwrap()
}

#[test]
fn the_transform_turns_products_into_word_products() {
    let module = module(|fb, [a, b], _| {
        let (a, b) = (fb.ntt(a)?, fb.ntt(b)?);
        let product = fb.mul(a, b)?;
        Ok(vec![fb.intt(product)?])
    });
    for seed in 0..4 {
        let inputs = generate::inputs(seed, &module);
        let [a, b] = [0, 1].map(|i| integers(in_poly(&inputs[i]), &both(), &module.primes));
        let expected = polynomial(&negacyclic(&a, &b), &both(), &module.primes);
        assert_eq!(run(&module, &inputs)[0], expected);
    }
}

#[test]
fn sums_and_scalars_act_on_every_residue() {
    let [s, t] = [[3, 5], [1, 0]].map(|r: [u128; 2]| r.to_vec());
    let module = module(|fb, [a, b], _| {
        let sum = fb.add(a, b)?;
        let difference = fb.sub(a, b)?;
        let negated = fb.neg(a)?;
        let scaled = fb.mul_scalar(a, &s)?;
        let shifted = fb.add_scalar(a, &t)?;
        Ok(vec![sum, difference, negated, scaled, shifted])
    });
    let inputs = generate::inputs(7, &module);
    let outputs = run(&module, &inputs);
    let [a, b] = [0, 1].map(|i| in_poly(&inputs[i]));
    for (i, &q) in module.primes.iter().enumerate() {
        for k in 0..N {
            let (x, y) = (u128::from(a.tower(i)[k]), u128::from(b.tower(i)[k]));
            let expected = [x + y, x + q - y, q - x, x * s[i], x + t[i]].map(|word| word % q);
            let got: Vec<u128> = outputs.iter().map(|o| o.tower(i)[k].into()).collect();
            assert_eq!(got, expected, "tower {i}, word {k}");
        }
    }
}

/// A ring homomorphism that takes X to X^g is the automorphism.
#[test]
fn automorphisms_take_x_to_its_power_and_keep_sums_and_products() {
    for galois in [1, 3, 5, 25, 2 * N as u64 - 1] {
        let module = module(|fb, [a, b], _| {
            let (left, right) = (fb.ntt(a)?, fb.ntt(b)?);
            let product = fb.mul(left, right)?;
            let of_product = fb.automorphism(product, galois)?;
            let (left, right) = (
                fb.automorphism(left, galois)?,
                fb.automorphism(right, galois)?,
            );
            let product_of = fb.mul(left, right)?;
            let of_a = fb.automorphism(a, galois)?;
            Ok(vec![of_product, product_of, fb.intt(left)?, of_a])
        });
        let mut inputs = generate::inputs(galois, &module);
        let outputs = run(&module, &inputs);
        assert_eq!(outputs[0], outputs[1], "products, g = {galois}");
        assert_eq!(outputs[2], outputs[3], "both forms, g = {galois}");

        let mut x = vec![BigInt::from(0); N];
        x[1] = BigInt::from(1);
        let mut power = vec![BigInt::from(0); N];
        let sign = if galois < N as u64 { 1 } else { -1 };
        power[galois as usize % N] = BigInt::from(sign);
        inputs[0] = Value::Poly(Arc::new(polynomial(&x, &both(), &module.primes)));
        let expected = polynomial(&power, &both(), &module.primes);
        assert_eq!(run(&module, &inputs)[3], expected, "X, g = {galois}");
    }
}

#[test]
fn towers_move_and_words_become_integers_under_other_primes() {
    let (first, second) = (Basis::range(0..1), Basis::range(1..2));
    let module = module(|fb, [a, b], _| {
        let (low, high) = (fb.towers(a, &first)?, fb.towers(b, &second)?);
        let swapped = fb.concat(high, low)?;
        let ordered = fb.towers(swapped, &both())?;
        let wide = fb.switch_modulus(high, &both())?;
        Ok(vec![ordered, wide, fb.zero(&first, Domain::Eval)?])
    });
    let inputs = generate::inputs(11, &module);
    let outputs = run(&module, &inputs);
    let [a, b] = [0, 1].map(|i| in_poly(&inputs[i]));
    assert_eq!(outputs[0].tower(0), a.tower(0));
    assert_eq!(outputs[0].tower(1), b.tower(1));
    let smaller = module.primes[0] as u64;
    let reduced: Vec<u64> = b.tower(1).iter().map(|word| word % smaller).collect();
    assert_eq!(outputs[1].tower(0), reduced);
    assert_eq!(outputs[1].tower(1), b.tower(1));
    assert_eq!(outputs[2].words(), vec![0; N]);
}

#[test]
fn small_samples_are_one_integer_under_every_prime() {
    let bits = 10;
    let module = module(|fb, [], seed| {
        let mut draw = |dist, stream| fb.sample(dist, stream, &both(), Domain::Coeff, seed);
        Ok(vec![
            draw(Distribution::Ternary, "ternary")?,
            draw(Distribution::Binomial21, "binomial")?,
            draw(Distribution::Flood { bits }, "flood")?,
            draw(Distribution::Ternary, "another")?,
        ])
    });
    let outputs = run(&module, &generate::inputs(1, &module));
    let limits = [(-1, 1), (-21, 21), (-(1 << bits), (1 << bits) - 1), (-1, 1)];
    for (poly, (least, most)) in outputs.iter().zip(limits) {
        let towers = [0, 1].map(|i| signed(poly.tower(i), module.primes[i]));
        assert_eq!(towers[0], towers[1]);
        assert!(
            towers[0].iter().all(|x| (least..=most).contains(x)),
            "{:?}",
            towers[0]
        );
    }
    assert!(outputs[0] != outputs[3], "two streams of one seed");
}

fn signed(words: &[u64], q: u128) -> Vec<i128> {
    let centre = |word: u64| {
        i128::from(word)
            - if u128::from(word) > q / 2 {
                q as i128
            } else {
                0
            }
    };
    words.iter().map(|&word| centre(word)).collect()
}

#[test]
fn a_run_depends_on_its_seed_and_uniform_towers_on_their_prime() {
    let module = module(|fb, [], seed| {
        Ok(vec![fb.sample(
            Distribution::Uniform,
            "a",
            &both(),
            Domain::Eval,
            seed,
        )?])
    });
    let of = |byte| {
        run(
            &module,
            &[Value::Seed(Arc::new(Seed::from_bytes([byte; 32])))],
        )
        .remove(0)
    };
    assert_eq!(of(1), of(1));
    assert!(of(1) != of(2));

    let mut mb = ModuleBuilder::new(LOG_N, &primes());
    let mut fb = mb.function("main");
    let seed = fb.param("seed", Type::Seed, true);
    let second = fb
        .sample(
            Distribution::Uniform,
            "a",
            &Basis::range(1..2),
            Domain::Eval,
            seed,
        )
        .unwrap();
    let main = fb.finish(&[second]).unwrap();
    let alone = mb.finish(main).unwrap();
    let alone = run(&alone, &[Value::Seed(Arc::new(Seed::from_bytes([1; 32])))]);
    assert_eq!(
        alone[0].tower(0),
        of(1).tower(1),
        "a level down, the same prime has the same words"
    );
}

#[test]
fn wide_words_carry_wide_primes_and_narrow_words_refuse_them() {
    let mut mb = ModuleBuilder::new(LOG_N, &ntt_primes(127, LOG_N, 1).unwrap());
    let mut fb = mb.function("main");
    let x = fb.param("x", Type::poly(&Basis::range(0..1), Domain::Coeff), false);
    let y = fb.ntt(x).unwrap();
    let y = fb.intt(y).unwrap();
    let main = fb.finish(&[y]).unwrap();
    let module = mb.finish(main).unwrap();

    let inputs = generate::inputs::<u128>(3, &module);
    let outputs = interpret::run(&module, &inputs).unwrap();
    match (&inputs[0], &outputs[0]) {
        (Value::Poly(x), Value::Poly(y)) => assert_eq!(x, y),
        _ => panic!("not polynomials"),
    }
    let refused = interpret::Interpreter.prepare(&module).err().unwrap();
    assert!(matches!(refused, RunError::Unsupported { .. }), "{refused}");
    assert!(refused.to_string().contains("below 2^62"), "{refused}");
}

#[test]
fn wrong_arguments_are_refused_by_name() {
    let module = module(|_, [x], _| Ok(vec![x]));
    let good = generate::inputs(1, &module);
    let kernel = interpret::Interpreter.prepare(&module).unwrap();
    assert!(kernel.run(&good).is_ok());

    let poly =
        |n: usize, words: Vec<u64>| Value::Poly(Arc::new(RnsPoly::from_words(n, words).unwrap()));
    let q = module.primes[1] as u64;
    let mut unreduced = vec![0; 2 * N];
    unreduced[2 * N - 1] = q;
    let cases = [
        (
            vec![good[0].clone()],
            "expected 2 arguments, got 1".to_owned(),
        ),
        (vec![good[1].clone(), good[0].clone()], "got a seed".into()),
        (
            vec![good[0].clone(), good[0].clone()],
            "argument 1 (seed): expected seed".into(),
        ),
        (
            vec![poly(N, vec![0; N]), good[1].clone()],
            format!("got 1 towers of degree {N}"),
        ),
        (
            vec![poly(2 * N, vec![0; 4 * N]), good[1].clone()],
            format!("got 2 towers of degree {}", 2 * N),
        ),
        (
            vec![poly(N, unreduced), good[1].clone()],
            format!("not below q1 = {q}"),
        ),
    ];
    for (inputs, part) in cases {
        let error = kernel.run(&inputs).err().unwrap().to_string();
        assert!(error.contains(&part), "{error} should contain {part}");
    }
}
