//! Every refusal, by what it says.

use crate::check::says;
use crate::client::small;
use ringwright_circuits::{chebyshev, inner_sum, LinearTransform, Polynomial, Sign};
use ringwright_schemes::ckks::ProgramBuilder;

#[test]
fn polynomials() {
    says(Polynomial::power(&[2.0, 0.0]), &["degree = 0", "1 or more"]);
    says(Polynomial::power(&[0.0, f64::NAN]), &["coefficient = NaN"]);
    says(
        Polynomial::chebyshev(&[0.0, 1.0], [1.0, 1.0]),
        &["interval = [1, 1]"],
    );
    says(
        chebyshev(f64::sin, [0.0, 1.0], 0),
        &["degree = 0", "1 to 4095"],
    );
    says(chebyshev(f64::ln, [-1.0, 1.0], 3), &["coefficient = NaN"]);
}

#[test]
fn depth_names_the_smallest_ring() {
    let parameters = small();
    let mut builder = ProgramBuilder::new(&parameters, "deep");
    let x = builder.input("x", parameters.fresh(1.0, 0.5)).unwrap();
    let deep = Polynomial::power(&[1.0; 17]).unwrap();
    let words = ["depth 4, not 5", "smallest N that carries it is 8192"];
    says(deep.evaluate(&mut builder, x), &words);
    let x = builder.drop_level(x, 2).unwrap();
    let square = Polynomial::power(&[0.0, 0.0, 1.0]).unwrap();
    says(square.evaluate(&mut builder, x), &["depth 4, not 5"]);
}

#[test]
fn sums() {
    let parameters = small();
    let mut builder = ProgramBuilder::new(&parameters, "sums");
    let x = builder.input("x", parameters.fresh(1.0, 0.5)).unwrap();
    says(inner_sum(&mut builder, x, 0, 1), &["count = 0", "1 to 256"]);
    says(inner_sum(&mut builder, x, 257, 1), &["count = 257"]);
    says(inner_sum(&mut builder, x, 2, 0), &["stride = 0"]);
}

#[test]
fn linear_transforms() {
    says(
        LinearTransform::new(2, 2, &[1.0; 3]),
        &["entries = 3 for 2 rows and 2 columns"],
    );
    says(LinearTransform::new(0, 2, &[]), &["at least 1"]);
    says(
        LinearTransform::new(1, 1, &[f64::INFINITY]),
        &["entry = inf"],
    );
    says(
        LinearTransform::new(1, 2, &[0.0; 2]),
        &["other than 0 = none"],
    );
    let parameters = small();
    let mut builder = ProgramBuilder::new(&parameters, "matrices");
    let x = builder.input("x", parameters.fresh(1.0, 0.5)).unwrap();
    let wide = LinearTransform::new(1, 257, &[1.0; 257]).unwrap();
    says(wide.apply(&mut builder, x), &["columns = 257", "256 slots"]);
    let x = builder.drop_level(x, 1).unwrap();
    let identity = LinearTransform::new(1, 1, &[1.0]).unwrap();
    says(identity.apply(&mut builder, x), &["depth 4, not 5"]);
}

#[test]
fn diagonals() {
    let of = |rows, columns, offset: isize, entries: &[f64]| {
        LinearTransform::from_diagonals(rows, columns, [(offset, entries.to_vec())].into())
    };
    says(of(0, 2, 0, &[1.0]), &["rows = 0", "1 to 65536"]);
    let words = ["columns = 65537", "1 to 65536"];
    says(of(1, 65_537, 0, &[1.0]), &words);
    let words = ["diagonal = 3", "-1 to 2 with 2 rows and 3 columns"];
    says(of(2, 3, 3, &[1.0]), &words);
    says(of(2, 3, -2, &[1.0]), &["diagonal = -2", "-1 to 2"]);
    says(of(2, 3, isize::MIN, &[]), &["diagonal = -9", "-1 to 2"]);
    let words = ["entries = 2 in diagonal 2", "1 with 2 rows"];
    says(of(2, 3, 2, &[1.0; 2]), &words);
    let words = ["entry = NaN in diagonal 1", "finite"];
    says(of(2, 3, 1, &[1.0, f64::NAN]), &words);
    says(of(2, 3, 1, &[0.0, -0.0]), &["other than 0 = none"]);
    let none = LinearTransform::from_diagonals(2, 3, [].into());
    says(none, &["other than 0 = none"]);
}

#[test]
fn signs() {
    says(Sign::new(0.0, 1.0, 0.1), &["threshold = 0", "to 0.5"]);
    says(Sign::new(0.1, f64::NAN, 0.1), &["bound = NaN"]);
    says(Sign::new(0.1, 1.0, 0.7), &["error = 0.7", "to 0.5"]);
}
