//! A matrix as one operation: the values of rotations, products and sums one by one, with the keys of its
//! steps and no others; less noise than these, and no more than is promised.

use crate::client::{device, literal, max_error, uniform, Client};
use ringwright_ir::he::{KeyId, Values};
use ringwright_ir::ring::{Module, ValueId};
use ringwright_ir::text::{parse_he, print_he};
use ringwright_ir::RunError;
use ringwright_ring::automorphism::galois_of_rotation;
use ringwright_schemes::ckks::{
    analyse, expand, Analysed, Evaluator, Input, NoiseModel, Parameters, ProgramBuilder,
};
use ringwright_schemes::rlwe::{required_keys, required_shapes};
use ringwright_target::{Device, Executable, Roofs, WordBytes};
use std::collections::BTreeSet;
use std::sync::Arc;

/// Baby and giant steps.
const STEPS: [(i32, i32); 7] = [(0, 0), (1, 0), (-2, 0), (0, 8), (1, 8), (1, -8), (0, -8)];

/// Five 30-bit primes and a special one for each of a digit's.
fn parameters(digit: usize) -> Parameters {
    let mut given = literal(8, &[30; 5], &vec![30; digit], 26);
    given.digit = digit;
    Parameters::new(given).unwrap()
}

fn terms(slots: usize) -> Vec<(i32, i32, Vec<f64>)> {
    let term = |(index, &(baby, giant))| (baby, giant, uniform(slots, index as u64));
    STEPS.iter().enumerate().map(term).collect()
}

/// What the matrix is in the clear.
fn plain(terms: &[(i32, i32, Vec<f64>)], x: &[f64]) -> Vec<f64> {
    let slots = x.len() as i32;
    let at = |i: i32| i.rem_euclid(slots) as usize;
    let slot = |i: i32| {
        let term = |(baby, giant, values): &(i32, i32, Vec<f64>)| {
            values[at(i + giant)] * x[at(i + giant + baby)]
        };
        terms.iter().map(term).sum()
    };
    (0..slots).map(slot).collect()
}

fn program(
    parameters: &Parameters,
    build: impl FnOnce(&mut ProgramBuilder, ValueId, f64) -> ValueId,
) -> Analysed {
    let mut builder = ProgramBuilder::new(parameters, "matrix");
    let x = builder.input("x", parameters.fresh(1.0, 0.6)).unwrap();
    let scale = parameters.q()[parameters.levels() - 1] as f64;
    let product = build(&mut builder, x, scale);
    let result = builder.rescale(product).unwrap();
    builder.finish(&[result]).unwrap()
}

fn transformed(parameters: &Parameters) -> Analysed {
    let terms = terms(parameters.slots()).into_iter();
    let terms = terms.map(|(baby, giant, values)| (baby, giant, Values::Real(values)));
    program(parameters, |b, x, scale| {
        b.transform(x, terms.collect(), scale).unwrap()
    })
}

#[test]
fn a_matrix_is_its_rotations_products_and_sums() {
    let mut uneven = literal(8, &[30, 30, 30, 40, 30], &[31, 31], 26);
    uneven.digit = 0;
    let uneven = Parameters::new(uneven).unwrap();
    assert_eq!(uneven.grouping().to_string(), "at 2 3 4");
    for parameters in [parameters(1), parameters(2), uneven] {
        let client = Client::new(&parameters);
        let terms = terms(parameters.slots());
        let one_by_one = program(&parameters, |b, x, scale| {
            let products = terms.iter().map(|(baby, giant, values)| {
                let moved = b.rotate(x, *baby).unwrap();
                let product = b.mul_constant_at_scale(moved, values, scale).unwrap();
                b.rotate(product, *giant).unwrap()
            });
            let products: Vec<ValueId> = products.collect();
            let mut products = products.into_iter();
            let first = products.next().unwrap();
            products.fold(first, |sum, next| b.add(sum, next).unwrap())
        });
        let together = transformed(&parameters);
        let x = uniform(parameters.slots(), 90);
        let sent = client.encrypt(&x, 3);
        let error = |program: &Analysed| {
            let result = &client.run(program, std::slice::from_ref(&sent))[0];
            max_error(&client.decrypt(result), &plain(&terms, &x))
        };
        let [apart, whole] = [&one_by_one, &together].map(error);
        let bound = |program: &Analysed| {
            let result = program.results().next().unwrap().clone();
            NoiseModel::new(&parameters).error_bound(&result)
        };
        assert!(apart <= bound(&one_by_one) && whole <= bound(&together));
        assert!(bound(&together) <= bound(&one_by_one));
        // A bound that says something.
        assert!(
            whole > bound(&together) / 32.0,
            "{whole} {}",
            bound(&together)
        );
    }
}

#[test]
fn it_takes_the_keys_of_its_steps_and_constants_under_all_primes() {
    let parameters = parameters(2);
    let program = transformed(&parameters);
    let galois = |steps| galois_of_rotation(parameters.kind(), steps, parameters.log_n());
    let keys: BTreeSet<KeyId> = [1, -2, 8, -8]
        .map(|steps| KeyId::Galois(galois(steps)))
        .into();
    assert_eq!(required_keys(program.program(), &parameters), keys);
    let shapes = required_shapes(program.program(), &parameters).unwrap();
    assert!(shapes
        .values()
        .all(|shape| shape.level() == parameters.levels()));
    let expanded = expand(&program).unwrap();
    let towers = expanded.inputs.iter().filter_map(|input| match input {
        Input::Constant { place, .. } => Some((place.level, place.extended)),
        _ => None,
    });
    assert_eq!(towers.collect::<Vec<_>>(), [(5, true); 7]);
}

#[test]
fn its_text_reads_back() {
    let parameters = parameters(1);
    let program = transformed(&parameters);
    let text = print_he(program.program());
    let again = parse_he(&text).unwrap();
    assert_eq!(&again, program.program());
    let known = (parameters.fresh(1.0, 0.6), None);
    let analysed = analyse(again, &parameters, &[known]).unwrap();
    let peak = |of: &Analysed| of.results().next().unwrap().peak;
    assert_eq!(peak(&analysed), peak(&program));
}

#[test]
fn what_cannot_be_is_refused() {
    let parameters = parameters(1);
    let mut builder = ProgramBuilder::new(&parameters, "refused");
    let x = builder.input("x", parameters.fresh(1.0, 0.6)).unwrap();
    let mut refused = |terms, scale| builder.transform(x, terms, scale).unwrap_err().to_string();
    assert!(refused(vec![], 2.0).contains("no terms"));
    let one = || vec![(0, 1, Values::Real(vec![1.0]))];
    assert!(refused(one(), 0.0).contains("scale"));
    assert!(refused(vec![(0, 1, Values::Real(vec![1.0; 3]))], 2.0).contains("divides"));
    let client_only = Parameters::new(literal(8, &[30], &[], 26)).unwrap();
    let mut builder = ProgramBuilder::new(&client_only, "refused");
    let x = builder.input("x", client_only.fresh(1.0, 0.6)).unwrap();
    let refused = builder.transform(x, one(), 2.0).unwrap_err().to_string();
    assert!(refused.contains("special prime"), "{refused}");
}

/// The interpreter, as a machine whose memory is slow beside its multipliers, or fast.
struct Narrow {
    bytes_per_second: f64,
}

impl Device for Narrow {
    fn lower(&self, module: &Module) -> Result<Arc<dyn Executable>, RunError> {
        device().lower(module)
    }

    fn machine(&self) -> &str {
        "narrow"
    }

    fn word_bytes(&self) -> Option<WordBytes> {
        Some(WordBytes::all(8))
    }

    fn roofs(&self) -> Option<Roofs> {
        Some(Roofs {
            products_per_second: 1e12,
            bytes_per_second: self.bytes_per_second,
            products: &[],
        })
    }
}

/// A matrix, and several rotations of one value.
#[test]
fn digits_that_are_raised_anew_give_the_same_words() {
    let parameters = parameters(2);
    let client = Client::new(&parameters);
    let terms = terms(parameters.slots()).into_iter();
    let terms = terms.map(|(baby, giant, values)| (baby, giant, Values::Real(values)));
    let mut builder = ProgramBuilder::new(&parameters, "both");
    let x = builder.input("x", parameters.fresh(1.0, 0.6)).unwrap();
    let scale = parameters.q()[parameters.levels() - 1] as f64;
    let product = builder.transform(x, terms.collect(), scale).unwrap();
    let turned = [1, 3, -5].map(|steps| builder.rotate(x, steps).unwrap());
    let results = [vec![product], turned.to_vec()].concat();
    let program = builder.finish(&results).unwrap();
    let sent = client.encrypt(&uniform(parameters.slots(), 91), 4);
    let keys = client.keys_for(&program);
    let run = |device: Arc<dyn Device>| {
        let prepared = Evaluator::new(&parameters, device)
            .prepare(&program)
            .unwrap();
        let functions = prepared.module().funcs.iter();
        let shared = functions.filter(|function| function.name.starts_with("decompose@"));
        let shared = shared.count();
        let results = prepared.run(std::slice::from_ref(&sent), &keys).unwrap();
        let words = results.iter().map(|result| result.parts().to_vec());
        (shared, words.collect::<Vec<_>>())
    };
    let narrow = |bytes_per_second| run(Arc::new(Narrow { bytes_per_second }));
    let [real, slow, fast] = [run(device()), narrow(1e9), narrow(1e15)];
    assert_eq!([real.0, slow.0, fast.0], [1, 0, 1]);
    assert!(real.1 == slow.1 && real.1 == fast.1);
}
