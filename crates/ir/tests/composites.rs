//! Each composite's expansion against big-integer arithmetic, at random and boundary inputs.

mod big;

use big::{in_poly, integers, negacyclic, polynomial, product, reduced, run};
use num_bigint::BigInt;
use ringwright_arith::primes::ntt_primes;
use ringwright_ir::ring::{
    composites, Basis, Domain, FuncId, FunctionBuilder, Module, ModuleBuilder, TowerIdx, Type,
    ValueId,
};
use ringwright_ir::{generate, Value};
use ringwright_ring::RnsPoly;
use std::sync::Arc;

const LOG_N: u32 = 5;

/// Primes of different sizes, so that digits exceed and fall below their targets.
fn primes() -> Vec<u128> {
    [20, 60, 30, 45, 60, 25]
        .iter()
        .zip([0, 0, 0, 0, 1, 0])
        .map(|(&bits, i)| ntt_primes(bits, LOG_N, 2).unwrap()[i])
        .collect()
}

fn basis(towers: &[u16]) -> Basis {
    Basis(towers.iter().copied().map(TowerIdx).collect())
}

/// A module whose entry is the function that `build` makes.
fn module(build: impl FnOnce(&mut ModuleBuilder) -> FuncId) -> Module {
    let mut mb = ModuleBuilder::new(LOG_N, &primes());
    let entry = build(&mut mb);
    mb.finish(entry).unwrap()
}

/// The integers at which centring and reduction turn, then the module's own boundary words.
fn inputs(module: &Module, seed: u64) -> Vec<Value> {
    let mut inputs = generate::inputs::<u64>(seed, module);
    let Type::Poly { basis, .. } = &module.entry().params[0].ty else {
        panic!("first is a poly")
    };
    let whole = product(basis, &module.primes);
    let mut values = integers(in_poly(&inputs[0]), basis, &module.primes);
    let half: BigInt = (&whole - 1) / 2;
    values[..5].clone_from_slice(&[
        BigInt::from(0),
        &whole - 1,
        half.clone(),
        half + 1,
        BigInt::from(1),
    ]);
    inputs[0] = Value::Poly(Arc::new(polynomial(&values, basis, &module.primes)));
    inputs
}

/// `x` modulo the odd `m`, in (-m/2, m/2).
fn centred(x: &BigInt, m: &BigInt) -> BigInt {
    let low = reduced(x, m);
    match &low * 2 > *m {
        true => low - m,
        false => low,
    }
}

/// `x / p`, rounded to the nearest integer; `p` is odd and positive.
fn rounded(x: &BigInt, p: &BigInt) -> BigInt {
    (x - centred(x, p)) / p
}

/// The fast extension by its definition: the sum of centred residues times the other primes.
fn fast(x: &BigInt, basis: &Basis, primes: &[u128]) -> BigInt {
    let whole = product(basis, primes);
    let term = |tower: &TowerIdx| {
        let prime = BigInt::from(primes[tower.index()]);
        let others = &whole / &prime;
        let inverse = others.modinv(&prime).expect("coprime");
        centred(&(x * inverse), &prime) * others
    };
    basis.0.iter().map(term).sum()
}

#[test]
fn basis_extension_keeps_the_centred_integer() {
    let bases = [
        (basis(&[0]), basis(&[1])),
        (basis(&[1]), basis(&[0, 2, 3])),
        (basis(&[0, 1, 2]), basis(&[3, 4])),
        (basis(&[4, 2, 0, 3]), basis(&[5, 1, 2])),
        (basis(&[0, 1]), basis(&[0, 1])),
    ];
    for (from, to) in bases {
        let module = module(|mb| composites::basis_extension(mb, &from, &to).unwrap());
        let primes = &module.primes;
        let whole = product(&from, primes);
        for seed in 0..8 {
            let inputs = inputs(&module, seed);
            let x = integers(in_poly(&inputs[0]), &from, primes);
            let expected: Vec<BigInt> = x.iter().map(|x| centred(x, &whole)).collect();
            assert_eq!(
                run(&module, &inputs)[0],
                polynomial(&expected, &to, primes),
                "{from} to {to}"
            );
        }
    }
}

#[test]
fn fast_extension_is_off_by_few_multiples_and_takes_signs_along() {
    let bases = [
        (basis(&[1]), basis(&[0, 2, 3])),
        (basis(&[0, 1, 2]), basis(&[3, 4])),
        (basis(&[4, 2, 0, 3]), basis(&[5, 1, 2])),
    ];
    for (from, to) in bases {
        let module = module(|mb| composites::fast_extension(mb, &from, &to).unwrap());
        let primes = &module.primes;
        let whole = product(&from, primes);
        for seed in 0..8 {
            let mut inputs = inputs(&module, seed);
            let x = integers(in_poly(&inputs[0]), &from, primes);
            let expected: Vec<BigInt> = x.iter().map(|x| fast(x, &from, primes)).collect();
            for (x, fast) in x.iter().zip(&expected) {
                let multiples: BigInt = (fast - centred(x, &whole)) / &whole;
                assert!(
                    multiples.magnitude() * 2u32 <= (from.len() as u32).into(),
                    "{x}"
                );
            }
            let extended = run(&module, &inputs).remove(0);
            assert_eq!(
                extended,
                polynomial(&expected, &to, primes),
                "{from} to {to}"
            );
            let negated: Vec<BigInt> = x.iter().map(|x| &whole - x).collect();
            inputs[0] = Value::Poly(Arc::new(polynomial(&negated, &from, primes)));
            let negated: Vec<BigInt> = expected.iter().map(|x| -x).collect();
            assert_eq!(run(&module, &inputs)[0], polynomial(&negated, &to, primes));
        }
    }
}

#[test]
fn mod_down_divides_and_rounds_to_nearest_and_the_fast_one_near_it() {
    let bases = [
        (basis(&[0, 1]), basis(&[2])),
        (basis(&[3]), basis(&[4, 5])),
        (basis(&[1, 0]), basis(&[5, 3, 2])),
    ];
    for (q, p) in bases {
        for domain in [Domain::Coeff, Domain::Eval] {
            for is_fast in [false, true] {
                let module = module(|mb| mod_down_of_coefficients(mb, &q, &p, domain, is_fast));
                let primes = &module.primes;
                let divisor = product(&p, primes);
                let divided = |x: &BigInt| match is_fast {
                    true => (x - fast(x, &p, primes)) / &divisor,
                    false => rounded(x, &divisor),
                };
                for seed in 0..8 {
                    let inputs = inputs(&module, seed);
                    let x = integers(in_poly(&inputs[0]), &q.join(&p), primes);
                    let expected: Vec<BigInt> = x.iter().map(divided).collect();
                    let whole = product(&q, primes);
                    for (x, divided) in x.iter().zip(&expected) {
                        let off = centred(&(divided - rounded(x, &divisor)), &whole);
                        assert!(off.magnitude() * 2u32 <= (p.len() as u32).into(), "{x}");
                    }
                    assert_eq!(
                        run(&module, &inputs)[0],
                        polynomial(&expected, &q, primes),
                        "{q} by {p} in {domain}"
                    );
                }
            }
        }
    }
}

/// `poly[q, p; coeff] -> poly[q; coeff]`, with the division in `domain`.
fn mod_down_of_coefficients(
    mb: &mut ModuleBuilder,
    q: &Basis,
    p: &Basis,
    domain: Domain,
    is_fast: bool,
) -> FuncId {
    let down = match is_fast {
        true => composites::fast_mod_down(mb, q, p, domain).unwrap(),
        false => composites::mod_down(mb, q, p, domain).unwrap(),
    };
    let mut fb = mb.function("main");
    let x = fb.param("x", Type::poly(&q.join(p), Domain::Coeff), false);
    let result = match domain {
        Domain::Coeff => fb.call(down, &[x]).unwrap()[0],
        Domain::Eval => {
            let x = fb.ntt(x).unwrap();
            let divided = fb.call(down, &[x]).unwrap()[0];
            fb.intt(divided).unwrap()
        }
    };
    fb.finish(&[result]).unwrap()
}

#[test]
fn key_switch_is_the_rounded_inner_product_with_the_key() {
    let (full, p) = (basis(&[0, 1, 2, 3, 4, 5]), basis(&[4, 5]));
    let cases = [
        (basis(&[0, 1, 2, 3]), 1),
        (basis(&[0, 1, 2, 3]), 2),
        (basis(&[0, 1, 2, 3]), 3),
        (basis(&[0, 1, 2]), 2),
        (basis(&[0]), 1),
        (basis(&[2, 0]), 1),
    ];
    for (q, digit) in cases {
        let module = module(|mb| key_switch_of_coefficients(mb, &q, &p, &full, digit));
        for seed in 0..2 {
            let inputs = inputs(&module, seed);
            let expected = switched(&module, &inputs, &q, &p, &full, digit);
            let expected: Vec<_> = expected
                .iter()
                .map(|e| polynomial(e, &q, &module.primes))
                .collect();
            assert_eq!(
                run(&module, &inputs),
                expected,
                "{q} with {digit} towers per digit"
            );
        }
    }
}

#[test]
fn a_key_product_divided_is_the_key_switch() {
    let (full, p) = (basis(&[0, 1, 2, 3, 4, 5]), basis(&[4, 5]));
    for (q, digit) in [
        (basis(&[0, 1, 2, 3]), 1),
        (basis(&[0, 1, 2, 3]), 3),
        (basis(&[2, 0]), 1),
    ] {
        let whole = module(|mb| {
            let switch = composites::key_switch(mb, &q, &p, &full, digit).unwrap();
            of_automorphism(mb, &q, &full, digit, |fb, x, key| {
                fb.call(switch, &[x, key]).unwrap()
            })
        });
        let in_two = module(|mb| {
            let product = composites::key_product(mb, &q, &p, &full, digit).unwrap();
            let down = composites::fast_mod_down(mb, &q, &p, Domain::Eval).unwrap();
            of_automorphism(mb, &q, &full, digit, |fb, x, key| {
                let sums = fb.call(product, &[x, key]).unwrap();
                let divided = sums.iter().map(|&sum| fb.call(down, &[sum]).unwrap()[0]);
                divided.collect()
            })
        });
        let inputs = inputs(&whole, 1);
        assert_eq!(run(&whole, &inputs), run(&in_two, &inputs), "{q}");
    }
}

/// `poly[q; coeff], array[full; eval] -> poly[q; coeff] x 2`
fn key_switch_of_coefficients(
    mb: &mut ModuleBuilder,
    q: &Basis,
    p: &Basis,
    full: &Basis,
    digit: u16,
) -> FuncId {
    let switch = composites::key_switch(mb, q, p, full, digit).unwrap();
    let items = composites::key_length(full, p.len(), digit) as u16;
    let mut fb = mb.function("main");
    let x = fb.param("x", Type::poly(q, Domain::Coeff), false);
    let key = fb.param("key", Type::array(full, Domain::Eval, items), false);
    let x = fb.ntt(x).unwrap();
    let switched = fb.call(switch, &[x, key]).unwrap();
    let back: Vec<_> = switched
        .into_iter()
        .map(|part| fb.intt(part).unwrap())
        .collect();
    fb.finish(&back).unwrap()
}

#[test]
fn switched_digits_are_the_key_switch_of_the_moved_polynomial() {
    let (full, p) = (basis(&[0, 1, 2, 3, 4, 5]), basis(&[4, 5]));
    for (q, digit) in [
        (basis(&[0, 1, 2, 3]), 1),
        (basis(&[0, 1, 2, 3]), 3),
        (basis(&[2, 0]), 1),
    ] {
        for galois in [5, 2 * (1 << LOG_N) - 1] {
            let plain = module(|mb| {
                let switch = composites::key_switch(mb, &q, &p, &full, digit).unwrap();
                of_automorphism(mb, &q, &full, digit, |fb, x, key| {
                    let moved = fb.automorphism(x, galois).unwrap();
                    fb.call(switch, &[moved, key]).unwrap()
                })
            });
            let hoisted = module(|mb| {
                let decompose = composites::decompose(mb, &q, &p, digit).unwrap();
                let switch = composites::switch_digits(mb, &q, &p, &full, digit, galois).unwrap();
                of_automorphism(mb, &q, &full, digit, |fb, x, key| {
                    let mut args = fb.call(decompose, &[x]).unwrap();
                    args.push(key);
                    fb.call(switch, &args).unwrap()
                })
            });
            for seed in 0..2 {
                let inputs = inputs(&plain, seed);
                assert_eq!(
                    run(&plain, &inputs),
                    run(&hoisted, &inputs),
                    "{q}, {galois}"
                );
            }
        }
    }
}

/// `poly[q; eval], array[full; eval] -> poly[q; eval] x 2`
fn of_automorphism(
    mb: &mut ModuleBuilder,
    q: &Basis,
    full: &Basis,
    digit: u16,
    body: impl FnOnce(&mut FunctionBuilder, ValueId, ValueId) -> Vec<ValueId>,
) -> FuncId {
    let items = composites::key_length(full, 2, digit) as u16;
    let mut fb = mb.function("main");
    let x = fb.param("x", Type::poly(q, Domain::Eval), false);
    let key = fb.param("key", Type::array(full, Domain::Eval, items), false);
    let parts = body(&mut fb, x, key);
    fb.finish(&parts).unwrap()
}

/// The definition: digits, times the key's coefficients, summed, divided by P.
fn switched(
    module: &Module,
    inputs: &[Value],
    q: &Basis,
    p: &Basis,
    full: &Basis,
    digit: u16,
) -> [Vec<BigInt>; 2] {
    let primes = &module.primes;
    let x = integers(in_poly(&inputs[0]), q, primes);
    let key = key_coefficients(&inputs[1], full);
    let divisor = product(p, primes);
    let mut sums = [(); 2].map(|()| vec![BigInt::from(0); x.len()]);
    for (i, group) in q.0.chunks(usize::from(digit)).enumerate() {
        let group = Basis(group.to_vec());
        let part: Vec<BigInt> = x.iter().map(|x| fast(x, &group, primes)).collect();
        for (half, sum) in sums.iter_mut().enumerate() {
            let item = integers(&key[2 * i + half], full, primes);
            for (sum, product) in sum.iter_mut().zip(negacyclic(&part, &item)) {
                *sum += product;
            }
        }
    }
    let whole = product(&q.join(p), primes);
    sums.map(|sum| {
        sum.iter()
            .map(|x| centred(x, &whole))
            .map(|x| (&x - fast(&x, p, primes)) / &divisor)
            .collect()
    })
}

/// The key's items in coefficient form.
fn key_coefficients(key: &Value, full: &Basis) -> Vec<RnsPoly<u64>> {
    let Value::Array(items) = key else {
        panic!("a key is an array")
    };
    let inverse = module(|mb| {
        let mut fb = mb.function("main");
        let x = fb.param("x", Type::poly(full, Domain::Eval), false);
        let back = fb.intt(x).unwrap();
        fb.finish(&[back]).unwrap()
    });
    let item =
        |item: &RnsPoly<u64>| run(&inverse, &[Value::Poly(Arc::new(item.clone()))]).remove(0);
    items.iter().map(item).collect()
}

#[test]
fn composites_are_built_once_and_refuse_bad_bases() {
    let mut mb = ModuleBuilder::new(LOG_N, &primes());
    let (q, p) = (basis(&[0, 1]), basis(&[2]));
    let first = composites::mod_down(&mut mb, &q, &p, Domain::Eval).unwrap();
    let functions = mb.funcs().len();
    assert_eq!(
        composites::mod_down(&mut mb, &q, &p, Domain::Eval).unwrap(),
        first
    );
    assert_eq!(mb.funcs().len(), functions);

    let refused = |result: Result<FuncId, _>, part: &str| {
        let error: ringwright_ir::VerifyError = result.unwrap_err();
        assert!(error.message.contains(part), "{error}");
    };
    refused(composites::basis_extension(&mut mb, &basis(&[9]), &q), "q9");
    refused(
        composites::basis_extension(&mut mb, &basis(&[]), &q),
        "at least one tower",
    );
    refused(
        composites::mod_down(&mut mb, &q, &basis(&[1]), Domain::Eval),
        "q1",
    );
    refused(
        composites::key_switch(&mut mb, &q, &p, &q, 1),
        "special primes",
    );
    refused(
        composites::key_switch(&mut mb, &q, &p, &q.join(&p), 0),
        "at least 1",
    );
}
