//! Plain programs: one operation on one tower, operands, result and table each in slots of their
//! own, from address 0 on.

use super::image::{facts, Image};
use super::operands::{Operands, GALOIS};
use crate::kernels::tower_kernel::FIRST_SLOT_WORD;
use crate::kernels::{alone, Library, Operation};
use crate::Config;
use ringwright_ir::ring::Domain;
use ringwright_ir::RunError;

/// Forward and inverse transform, product, automorphism.
pub fn images(config: &Config, library: &Library, of: &Operands) -> Result<Vec<Image>, RunError> {
    let (x, evaluations, y) = (&of.coefficients, &of.evaluations, &of.other);
    let automorphism = Operation::Automorphism {
        galois: GALOIS,
        domain: Domain::Coeff,
    };
    let n = x.len();
    let value = |of: &str, base| {
        format!("evaluation j of {of}, at root^(2 brv(j) + 1), at address {base} + j")
    };
    let coefficient = |of: &str, base| format!("coefficient i of {of} at address {base} + i");
    let both = format!("{}; {}", value("x", 0), value("y", n));
    let cases: [Case<'_>; 4] = [
        Case {
            name: "forward",
            operation: Operation::Ntt,
            operands: &[x],
            result: evaluations,
            before: coefficient("x", 0),
            after: value("x", n),
        },
        Case {
            name: "inverse",
            operation: Operation::Intt,
            operands: &[evaluations],
            result: x,
            before: value("x", 0),
            after: coefficient("x", n),
        },
        Case {
            name: "multiply",
            operation: Operation::Mul,
            operands: &[evaluations, y],
            result: &of.product,
            before: both,
            after: value("x y", 2 * n),
        },
        Case {
            name: "automorphism",
            operation: automorphism,
            operands: &[x],
            result: &of.moved,
            before: coefficient("x", 0),
            after: coefficient(&format!("x(X^{GALOIS})"), n),
        },
    ];
    let images = cases
        .into_iter()
        .map(|case| image(config, library, of, case));
    images.collect()
}

/// One operation with operands and result in index order.
struct Case<'a> {
    name: &'a str,
    operation: Operation,
    operands: &'a [&'a [u128]],
    result: &'a [u128],
    before: String,
    after: String,
}

fn image(
    config: &Config,
    library: &Library,
    of: &Operands,
    case: Case<'_>,
) -> Result<Image, RunError> {
    let kernel = &library.kernel(config, of.log_n, case.operation)?.kernel;
    let slot = kernel.shape.slot();
    let slots: Vec<usize> = (0..kernel.slots()).collect();
    let memories = alone::memories(config, library, kernel, of.q, case.operands, &slots)?;
    let result = case.operands.len() * slot..;
    Ok(Image {
        name: format!("{}-{}", case.name, kernel.shape.n()),
        program: kernel.program.clone(),
        memories,
        vdm_words: kernel.slots() * slot,
        sdm_words: FIRST_SLOT_WORD as usize + slots.len(),
        result: result.zip(case.result.iter().copied()).collect(),
        facts: facts(of, case.before, case.after),
    })
}
