//! Steps of a program: what is drawn.

use proptest::prelude::*;

/// An operation or a circuit. Operands are any numbers: they count, cyclically, through the values
/// that there are.
#[derive(Clone, Debug)]
pub enum Step {
    Add(usize, usize),
    Sub(usize, usize),
    Neg(usize),
    Conjugate(usize),
    AddConstant(usize, Values),
    /// Rescaled.
    MulConstant(usize, Values),
    /// Ones in some slots, zeros in the others.
    Mask(usize, usize, usize),
    /// Relinearised, rescaled.
    Mul(usize, usize),
    /// A sum of products in three parts, rescaled, then relinearised.
    Products(Vec<(usize, usize)>),
    Drop(usize),
    /// The sum of rotations of one value, which share its digits.
    Rotations(usize, Vec<i32>),
    InnerSum {
        of: usize,
        count: usize,
        stride: usize,
    },
    Matrix {
        of: usize,
        rows: usize,
        columns: usize,
        /// Of four entries, how many are not zero.
        density: u64,
        stream: u64,
    },
    Power(usize, Vec<f64>),
    Chebyshev {
        of: usize,
        degree: usize,
        /// The interval's length, beside that of the values.
        wider: f64,
        function: Function,
    },
    Sign(usize),
    /// What a program of this step computes of two values, called twice: the second time on the first
    /// result.
    Called(Box<Step>, usize, usize),
}

/// A constant.
#[derive(Clone, Debug)]
pub enum Values {
    One(f64),
    /// This many of a stream, repeated.
    Many(usize, u64),
}

#[derive(Clone, Copy, Debug)]
pub enum Function {
    Sigmoid,
    Sine,
    Square,
    /// √(1-x²), 0 beyond 1: as steep as can be at the ends.
    Arc,
    /// Fast and, interpolated, large beyond the ends.
    Wave,
}

impl Function {
    pub fn at(self, x: f64) -> f64 {
        match self {
            Function::Sigmoid => 1.0 / (1.0 + (-x).exp()),
            Function::Sine => x.sin(),
            Function::Square => x * x,
            Function::Arc => (1.0 - x * x).max(0.0).sqrt(),
            Function::Wave => (40.0 * x).cos(),
        }
    }
}

impl Step {
    /// Its name, for the count of what occurs.
    pub fn name(&self) -> String {
        let text = format!("{self:?}");
        let end = text.find(['(', ' ']).unwrap_or(text.len());
        text[..end].to_owned()
    }
}

/// The same, with functions of high degree on no wider an interval than the values need.
pub fn steps_on_edges() -> impl Strategy<Value = Vec<Step>> {
    let functions = prop_oneof![
        Just(Function::Sigmoid),
        Just(Function::Sine),
        Just(Function::Arc),
        Just(Function::Wave)
    ];
    let steep =
        (0usize..8, 1usize..128, functions).prop_map(|(of, degree, function)| Step::Chebyshev {
            of,
            degree,
            wider: 1.0,
            function,
        });
    let step = prop_oneof![2 => step(), 1 => steep];
    proptest::collection::vec(step, 1..7)
}

/// Programs of some steps.
pub fn steps() -> impl Strategy<Value = Vec<Step>> {
    proptest::collection::vec(step(), 3..10)
}

fn step() -> impl Strategy<Value = Step> {
    let called = (prop_oneof![operation(), circuit()], 0usize..8, 0usize..8);
    let called = called.prop_map(|(step, a, b)| Step::Called(Box::new(step), a, b));
    prop_oneof![3 => operation(), 3 => circuit(), 1 => called]
}

fn operation() -> impl Strategy<Value = Step> {
    let v = || 0usize..8;
    prop_oneof![
        2 => (v(), v()).prop_map(|(a, b)| Step::Add(a, b)),
        1 => (v(), v()).prop_map(|(a, b)| Step::Sub(a, b)),
        1 => v().prop_map(Step::Neg),
        1 => v().prop_map(Step::Conjugate),
        1 => (v(), values()).prop_map(|(a, c)| Step::AddConstant(a, c)),
        1 => (v(), values()).prop_map(|(a, c)| Step::MulConstant(a, c)),
        1 => (v(), v(), 1usize..9).prop_map(|(a, from, count)| Step::Mask(a, from, count)),
        2 => (v(), v()).prop_map(|(a, b)| Step::Mul(a, b)),
        1 => proptest::collection::vec((v(), v()), 1..4).prop_map(Step::Products),
        1 => v().prop_map(Step::Drop),
        2 => (v(), proptest::collection::vec(-20i32..20, 1..4))
            .prop_map(|(a, steps)| Step::Rotations(a, steps)),
    ]
}

fn circuit() -> impl Strategy<Value = Step> {
    let v = || 0usize..8;
    let functions = prop_oneof![
        Just(Function::Sigmoid),
        Just(Function::Sine),
        Just(Function::Square)
    ];
    prop_oneof![
        (v(), 1usize..9, 1usize..9).prop_map(|(of, count, stride)| Step::InnerSum {
            of,
            count,
            stride
        }),
        (v(), 1usize..9, 1usize..9, 1u64..5, any::<u64>()).prop_map(
            |(of, rows, columns, density, stream)| Step::Matrix {
                of,
                rows,
                columns,
                density,
                stream
            }
        ),
        (v(), proptest::collection::vec(-1.0f64..1.0, 2..9)).prop_map(|(a, c)| Step::Power(a, c)),
        (v(), 1usize..9, 1.0f64..1.5, functions).prop_map(|(of, degree, wider, function)| {
            Step::Chebyshev {
                of,
                degree,
                wider,
                function,
            }
        }),
        v().prop_map(Step::Sign),
    ]
}

fn values() -> impl Strategy<Value = Values> {
    prop_oneof![
        (-1.5f64..1.5).prop_map(Values::One),
        (0u32..4, any::<u64>()).prop_map(|(log, stream)| Values::Many(1 << log, stream)),
    ]
}
