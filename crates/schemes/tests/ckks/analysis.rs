//! A program that says nothing of scales and noise comes to the same as one that was built here.

use crate::client::{literal, max_error, small, uniform, Client};
use ringwright_ir::he::{verify, Message};
use ringwright_ir::text::{parse_he, print_he};
use ringwright_schemes::ckks::{analyse, Analysed, Error, Parameters, ProgramBuilder};

/// Every operation that CKKS has, with claims between them.
fn built(parameters: &Parameters) -> Analysed {
    let mut builder = ProgramBuilder::new(parameters, "all");
    let x = builder.input("x", parameters.fresh(1.0, 0.6)).unwrap();
    let y = builder
        .input_of_group("y", parameters.fresh(1.0, 0.6), Some(0))
        .unwrap();
    let square = builder.mul_rescale(x, x).unwrap();
    let square = builder.bounded(square, 0.5).unwrap();
    let products = builder.mul_no_relin(x, y).unwrap();
    let product = builder.rescale(products).unwrap();
    let product = builder.relinearise(product).unwrap();
    let moved = builder.rotate(product, 3).unwrap();
    let turned = builder.rotate_conjugate(square, -2).unwrap();
    let turned = builder.conjugate(turned).unwrap();
    let turned = builder.placed(turned, &[square]).unwrap();
    let masked = builder.mul_constant_rescale(x, &[1.0, 0.0]).unwrap();
    let imaginary = builder.mul_complex(masked, &[[0.0, 1.0]]).unwrap();
    let imaginary = builder.rescale(imaginary).unwrap();
    let imaginary = builder.add_complex(imaginary, &[[0.5, -0.5]]).unwrap();
    let matched = builder.match_scale(moved, imaginary).unwrap();
    let sum = builder.add(matched, imaginary).unwrap();
    let sum = builder.gain_of_slots(sum, moved, 1.5).unwrap();
    let other = builder.sub(turned, square).unwrap();
    let other = builder.neg(other).unwrap();
    let other = builder.gain_of_rows(other, square, 1.25).unwrap();
    let lower = builder.drop_level(other, 2).unwrap();
    builder.finish(&[sum, lower, other]).unwrap()
}

fn known(analysed: &Analysed) -> Vec<(ringwright_schemes::ckks::Estimate, Option<u32>)> {
    let groups = analysed.errors().inputs.iter().copied();
    analysed.inputs().iter().cloned().zip(groups).collect()
}

#[test]
fn what_is_read_is_known_as_well_as_what_is_built() {
    let parameters = small();
    let built = built(&parameters);
    let read = parse_he(&print_he(built.program())).unwrap();
    assert_eq!(&read, built.program());
    verify(&read, parameters.levels()).unwrap();
    assert_eq!(analyse(read, &parameters, &known(&built)).unwrap(), built);
}

#[test]
fn a_program_without_a_word_of_noise_runs() {
    let text = "complex i = [(0.0, 1.0)]
        he turn(x: ct@3) -> ct@2 {
          y = mul_constant x, i, scale 2^30 -> ct@3
          z = rescale y -> ct@2
          w = add z, z -> ct@2
          return w
        }";
    let client = Client::new(&Parameters::new(literal(6, &[30; 3], &[30], 26)).unwrap());
    let program = parse_he(text).unwrap();
    let analysed = analyse(program, &client.parameters, &[(client.fresh(), None)]).unwrap();
    let values = uniform(client.parameters.slots(), 1);
    let result = client
        .run(&analysed, &[client.encrypt(&values, 1)])
        .remove(0);
    let decrypted = client.decryptor.decrypt(&result).unwrap();
    let (re, im) = client.embedding.decode_complex(&decrypted).unwrap();
    let twice: Vec<f64> = values.iter().map(|value| 2.0 * value).collect();
    assert!(max_error(&im, &twice) <= result.error_bound());
    assert!(max_error(&re, &vec![0.0; re.len()]) <= result.error_bound());
}

#[test]
fn what_does_not_hold_is_refused() {
    let parameters = Parameters::new(literal(6, &[30; 3], &[30], 26)).unwrap();
    let fresh = (parameters.fresh(1.0, 0.6), None);
    let refused = |text: &str, inputs: &[_]| {
        analyse(parse_he(text).unwrap(), &parameters, inputs).unwrap_err()
    };
    let sum = "constant h = [0.5] he f(x: ct@3) -> ct@3 {
          y = mul_constant x, h, scale 2^10 -> ct@3
          z = add x, y -> ct@3
          return z
        }";
    let error = refused(sum, std::slice::from_ref(&fresh));
    assert!(matches!(error, Error::ScaleMismatch { .. }), "{error}");
    let error = refused(sum, &[]);
    assert!(matches!(error, Error::InputCount { .. }), "{error}");
    let exact = "he f(x: ct@3 (t 257, factor 1)) -> ct@3 { return x }";
    let error = refused(exact, std::slice::from_ref(&fresh)).to_string();
    assert!(error.contains("integers modulo 257"), "{error}");
    let lower = "he f(x: ct@2) -> ct@2 { return x }";
    let error = refused(lower, std::slice::from_ref(&fresh));
    assert!(matches!(error, Error::Shape { .. }), "{error}");
    let long = "constant h = [0.5, 0.5, 0.5, 0.5, 0.5, 0.5, 0.5, 0.5, 0.5, 0.5, 0.5, 0.5, 0.5, 0.5, 0.5, 0.5,
            0.5, 0.5, 0.5, 0.5, 0.5, 0.5, 0.5, 0.5, 0.5, 0.5, 0.5, 0.5, 0.5, 0.5, 0.5, 0.5,
            0.5, 0.5, 0.5, 0.5, 0.5, 0.5, 0.5, 0.5, 0.5, 0.5, 0.5, 0.5, 0.5, 0.5, 0.5, 0.5,
            0.5, 0.5, 0.5, 0.5, 0.5, 0.5, 0.5, 0.5, 0.5, 0.5, 0.5, 0.5, 0.5, 0.5, 0.5, 0.5]
        he f(x: ct@3) -> ct@3 { y = add_constant x, h -> ct@3 return y }";
    let error = refused(long, std::slice::from_ref(&fresh));
    assert!(matches!(error, Error::Slots { given: 64, .. }), "{error}");
    let mut large = fresh;
    large.0.max = 1e30;
    let error = refused("he f(x: ct@3) -> ct@3 { return x }", &[large]);
    assert!(matches!(error, Error::Overflow { .. }), "{error}");
    assert_eq!(
        parameters.fresh(1.0, 0.6).ty().message,
        Message::Approximate
    );
}
