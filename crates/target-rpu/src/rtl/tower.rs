//! Plain programs: one operation on one tower, operands, result and table each in slots of their
//! own, from address 0 on.

use super::image::{facts, Image};
use super::operands::{Operands, GALOIS};
use crate::kernels::arguments::{poison, write_arguments, Arguments};
use crate::kernels::tower_kernel::FIRST_SLOT_WORD;
use crate::kernels::{Library, Operation, Scalar, TowerKernel};
use crate::{Config, Memories};
use ringwright_ir::ring::Domain;
use ringwright_ir::RunError;

/// Bits of the widest prime of a tower, whose words are 64-bit numbers.
pub const WIDEST_PRIME: u32 = 62;

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
    // Primes of a tower fit 64 bits.
    let q = of.q as u64;
    let kernel = &library.kernel(config, of.log_n, case.operation)?.kernel;
    let table = library.table(kernel, q)?;
    let slot = kernel.shape.slot();
    let mut memories = memory(config, kernel)?;
    for (place, words) in case.operands.iter().enumerate() {
        memories.vdm[place * slot..][..slot].copy_from_slice(words);
    }
    let behind = (case.operands.len() + 1) * slot;
    for (place, &word) in memories.vdm[behind..].iter_mut().zip(table.iter()) {
        *place = word.into();
    }
    let slots: Vec<usize> = (0..kernel.slots()).collect();
    let scalar = match case.operation.scalar() {
        Scalar::InverseOfN => library.constants(of.log_n, q)?.inverse_n(),
        Scalar::Fixed(value) => value,
        Scalar::None | Scalar::Given => 0,
    };
    let slots = &slots;
    write_arguments(
        &mut memories.sdm,
        config,
        kernel,
        Arguments { q, scalar, slots },
    )
    .map_err(|reason| unsupported(config, reason))?;
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

/// Memories of a machine that holds the kernel's slots, with nothing in them that could be used.
fn memory(config: &Config, kernel: &TowerKernel) -> Result<Memories, RunError> {
    let (needed, room) = (kernel.slots() * kernel.shape.slot(), config.vdm_words);
    if needed > room {
        let (name, n) = (kernel.operation.name(), kernel.shape.n());
        let reason = format!(
            "{name} of degree {n} works on {needed} words; the vector data memory holds {room}"
        );
        return Err(unsupported(config, reason));
    }
    let mut memories = Memories::new(config);
    poison(&mut memories, config);
    Ok(memories)
}

fn unsupported(config: &Config, reason: String) -> RunError {
    RunError::Unsupported {
        machine: config.machine.clone(),
        reason,
    }
}
