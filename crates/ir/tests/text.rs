//! The text form: golden files print as they read, and whatever prints reads back equal.

use proptest::prelude::*;
use ringwright_arith::primes::ntt_primes;
use ringwright_ir::he::{
    self, Claim, Constant, CtType, Fact, Function, HeOp, HeOpKind, Message, Program, SecretId,
    Values,
};
use ringwright_ir::ring::{composites, Basis, Domain, Loc, Module, ModuleBuilder, Type, ValueId};
use ringwright_ir::{text, verify, VerifyError};
use std::path::Path;

/// Primes of `blur.he`.
const LEVELS: usize = 3;

fn golden(file: &str) -> String {
    let path = Path::new(env!("CARGO_MANIFEST_DIR"))
        .join("tests/golden")
        .join(file);
    std::fs::read_to_string(path).unwrap()
}

#[test]
fn ring_programs_print_as_they_read() {
    for file in [
        "every_operation.ring",
        "mul_relin.ring",
        "conjugate_invariant.ring",
    ] {
        let text = golden(file);
        let module = text::parse(&text).unwrap();
        verify(&module).unwrap();
        assert_eq!(text::print(&module), text, "{file}");
    }
}

#[test]
fn he_programs_print_as_they_read() {
    for file in ["blur.he", "calls.he", "raise.he", "transform.he"] {
        let text = golden(file);
        let program = text::parse_he(&text).unwrap();
        he::verify(&program, LEVELS).unwrap();
        assert_eq!(text::print_he(&program), text, "{file}");
    }
}

#[test]
fn comments_and_line_ends_mean_nothing() {
    let text = golden("every_operation.ring");
    let spread = text.replace("  ", " # a comment, \"quoted\" %\n\t");
    assert_eq!(text::parse(&spread).unwrap(), text::parse(&text).unwrap());
}

#[test]
fn the_builder_makes_what_the_file_says() {
    assert_eq!(text::print(&mul_relin().unwrap()), golden("mul_relin.ring"));
}

/// A call of a relinearised product over two primes, with a third as special prime.
fn mul_relin() -> Result<Module, VerifyError> {
    let mut mb = ModuleBuilder::new(4, &ntt_primes(30, 4, 3).unwrap());
    let (q, p) = (Basis::range(0..2), Basis::range(2..3));
    let full = q.join(&p);
    let key = Type::array(
        &full,
        Domain::Eval,
        composites::key_length(&full, 1, 1) as u16,
    );
    let switch = composites::key_switch(&mut mb, &q, &p, &full, 1)?;

    let mut fb = mb.function("ckks.mul_relin@2");
    let [a0, a1, b0, b1] = ["a.0", "a.1", "b.0", "b.1"]
        .map(|name| fb.param(name, Type::poly(&q, Domain::Eval), false));
    let k = fb.param("k", key.clone(), false);
    let d0 = fb.mul(a0, b0)?;
    fb.name(d0, "d0");
    let (left, right) = (fb.mul(a0, b1)?, fb.mul(a1, b0)?);
    let d1 = fb.add(left, right)?;
    fb.name(d1, "d1");
    let d2 = fb.mul(a1, b1)?;
    let switched = fb.call(switch, &[d2, k])?;
    let c0 = fb.add(d0, switched[0])?;
    let c1 = fb.add(d1, switched[1])?;
    let product = fb.finish(&[c0, c1])?;

    let mut fb = mb.function("square");
    let x0 = fb.param("x.0", Type::poly(&q, Domain::Eval), false);
    let x1 = fb.param("x.1", Type::poly(&q, Domain::Eval), false);
    let k = fb.param("mult", key, false);
    fb.at(Loc {
        file: "camera.py".into(),
        line: 12,
    });
    let returns = fb.call(product, &[x0, x1, x0, x1, k])?;
    fb.name(returns[0], "m");
    fb.name(returns[1], "m");
    let entry = fb.finish(&returns)?;
    mb.finish(entry)
}

#[test]
fn types_that_do_not_follow_are_written() {
    let mut module = mul_relin().unwrap();
    let wrong = Type::poly(&Basis::range(2..3), Domain::Coeff);
    let last = module.funcs.last_mut().unwrap();
    *last.types.last_mut().unwrap() = wrong;
    let printed = text::print(&module);
    assert!(
        printed.contains("-> poly[q0..q1; eval], poly[q2; coeff]"),
        "{printed}"
    );
    assert_eq!(text::parse(&printed).unwrap(), module);
    assert!(verify(&module).is_err());
}

fn name() -> impl Strategy<Value = String> {
    prop_oneof![
        "[a-z_][a-z0-9_.@/+]{0,8}",
        "\\PC{1,6}",
        "[\\x00-\\x20\"\\\\%#]{1,4}"
    ]
}

fn number() -> impl Strategy<Value = f64> {
    let power = (0i32..1000).prop_map(|e| 2f64.powi(e));
    prop_oneof![
        power,
        any::<f64>().prop_filter("NaN is not equal to itself", |x| !x.is_nan())
    ]
}

fn ct_type() -> impl Strategy<Value = CtType> {
    let exact = (any::<u64>(), any::<u64>())
        .prop_map(|(modulus, factor)| Message::Exact { modulus, factor });
    let message = prop_oneof![Just(Message::Approximate), exact];
    let all = (0u8..5, any::<u16>(), message, any::<u16>());
    all.prop_map(|(parts, level, message, secret)| CtType {
        parts,
        level,
        message,
        secret: secret_of(secret),
    })
}

/// Every number but that of a sparse secret without coefficients, which has no text.
fn secret_of(number: u16) -> SecretId {
    match SecretId(number).weight() {
        Some(0) => SecretId::MAIN,
        _ => SecretId(number),
    }
}

/// A claim of a value and others.
fn fact(kind: u32, number: f64, value: ValueId, of: ValueId) -> Fact {
    match kind % 8 {
        0 => Fact::Bounded { value, max: number },
        1 => Fact::Slope {
            value,
            of,
            gain: number,
        },
        2 => Fact::Rows {
            value,
            of,
            norm: number,
        },
        3 => Fact::Even { value },
        4 => Fact::Near {
            value,
            of,
            off: number,
        },
        5 => Fact::Settled { value, off: number },
        6 => Fact::Corrected {
            value,
            of,
            off: number,
        },
        _ => Fact::Placed {
            value,
            of: vec![of, value],
        },
    }
}

fn kind() -> impl Strategy<Value = HeOpKind> {
    prop_oneof![
        Just(HeOpKind::Add),
        Just(HeOpKind::Mul),
        Just(HeOpKind::Rescale),
        (0usize..4).prop_map(|constant| HeOpKind::AddConstant { constant }),
        (0usize..4, number())
            .prop_map(|(constant, scale)| HeOpKind::MulConstant { constant, scale }),
        any::<u16>().prop_map(|level| HeOpKind::DropLevel { level }),
        any::<i32>().prop_map(|steps| HeOpKind::Rotate { steps }),
        any::<i32>().prop_map(|steps| HeOpKind::RotateConjugate { steps }),
        any::<u16>().prop_map(|level| HeOpKind::Raise { level }),
        any::<[u16; 2]>().prop_map(|secrets| {
            let [from, to] = secrets.map(secret_of);
            HeOpKind::SwitchKey { from, to }
        }),
        Just(HeOpKind::Call { function: 0 }),
    ]
}

fn loc() -> impl Strategy<Value = Option<Loc>> {
    proptest::option::of((name(), any::<u32>()).prop_map(|(file, line)| Loc { file, line }))
}

type Piece = (HeOpKind, CtType, Option<String>, Option<Loc>, u32, u32);

/// A program that need not be valid, only well formed: unique names, operands before results. Its entry
/// may call a function of two results.
fn program(
    pieces: Vec<Piece>,
    input: CtType,
    values: Vec<f64>,
    title: String,
    loc: Option<Loc>,
) -> Program {
    let constant = |i| Constant {
        name: format!("c {i}"),
        values: match i {
            0 => Values::Real(values.clone()),
            1 => Values::Complex(values.iter().map(|&re| [re, 0.5]).collect()),
            2 => Values::Integer(vec![i64::MIN, 0, i64::MAX]),
            _ => Values::Argument {
                max: 2.5,
                rms: 0.125,
            },
        },
    };
    let callee = Function {
        name: format!("{title} twice"),
        types: vec![input],
        names: vec![None],
        inputs: 1,
        returns: vec![ValueId(0); 2],
        ..Function::default()
    };
    let mut entry = Function {
        name: title.clone(),
        types: vec![input],
        names: vec![Some(title)],
        inputs: 1,
        returns: vec![ValueId(pieces.len() as u32), ValueId(0)],
        loc,
        ..Function::default()
    };
    for (kind, ty, name, loc, a, b) in pieces {
        let result = ValueId(entry.types.len() as u32);
        let (operands, made) = match kind {
            HeOpKind::Add | HeOpKind::Mul => (2, 1),
            HeOpKind::Call { .. } => (1 + a as usize % 2, 2),
            _ => (1, 1),
        };
        let args = [a, b]
            .iter()
            .take(operands)
            .map(|x| ValueId(x % result.0))
            .collect();
        let unique = name.filter(|name| !entry.names.contains(&Some(name.clone())));
        let results: Vec<_> = (0..made).map(|more| ValueId(result.0 + more)).collect();
        entry.types.extend(results.iter().map(|_| ty));
        entry.names.push(unique);
        entry.names.resize(entry.types.len(), None);
        entry.ops.push(HeOp {
            kind,
            args,
            results,
            loc,
        });
        entry.claims.push(Claim {
            after: entry.ops.len(),
            fact: fact(a, 0.75, result, ValueId(b % (result.0 + 1))),
        });
    }
    Program {
        functions: vec![callee, entry],
        constants: (0..4).map(constant).collect(),
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(200))]

    #[test]
    fn he_programs_read_back_equal(
        pieces in prop::collection::vec((kind(), ct_type(), proptest::option::of(name()), loc(), any::<u32>(), any::<u32>()), 0..8),
        input in ct_type(), values in prop::collection::vec(number(), 0..4), title in name(), loc in loc(),
    ) {
        let program = program(pieces, input, values, title, loc);
        let printed = text::print_he(&program);
        match text::parse_he(&printed) {
            Ok(read) => prop_assert_eq!(read, program),
            Err(error) => prop_assert!(false, "{}\n{}", error, printed),
        }
    }

    #[test]
    fn any_name_survives(function in name(), value in name(), stream in name(), file in name()) {
        let mut mb = ModuleBuilder::new(4, &ntt_primes(30, 4, 1).unwrap());
        let mut fb = mb.function(&function);
        let seed = fb.param(&value, Type::Seed, true);
        fb.at(Loc { file, line: 1 });
        let x = fb.sample(ringwright_ir::ring::Distribution::Ternary, &stream, &Basis::range(0..1), Domain::Coeff, seed);
        let x = x.unwrap();
        fb.name(x, &value);
        let entry = fb.finish(&[x]).unwrap();
        let module = mb.finish(entry).unwrap();
        let printed = text::print(&module);
        match text::parse(&printed) {
            Ok(read) => prop_assert_eq!(read, module),
            Err(error) => prop_assert!(false, "{}\n{}", error, printed),
        }
    }

    /// The bounded smoke test of the fuzz target `program_text`: the same `check`.
    #[test]
    fn damaged_text_is_an_error_not_a_panic(at in any::<prop::sample::Index>(), with in "\\PC{0,3}") {
        for file in ["every_operation.ring", "blur.he"] {
            let mut text: Vec<char> = golden(file).chars().collect();
            let at = at.index(text.len());
            text.splice(at..(at + 2).min(text.len()), with.chars());
            text::check(text.into_iter().collect::<String>().as_bytes());
        }
    }
}
