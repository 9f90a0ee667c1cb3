//! A run with another device's values refuses a machine whose programs or constants are wrong.

use super::{Lowered, Processor};
use crate::checker::mutation::{Kind, KINDS};
use crate::kernels::chain::Chain;
use crate::lower::part::Piece;
use crate::lower::start::Start;
use ringwright_arith::primes::ntt_primes;
use ringwright_ir::generate;
use ringwright_ir::interpret::Interpreter;
use ringwright_ir::ring::{Basis, Domain, Module, ModuleBuilder, Type, VerifyError};
use ringwright_ir::RunError;
use ringwright_spec::Machine;
use ringwright_target::{Checks, Device, Executable, OncePer, SpotChecked};
use std::sync::Arc;

const LOG_N: u32 = 6;

/// Two calls, which are quicker together: transforms, and a product with a constant.
fn program() -> Result<Module, VerifyError> {
    let primes = ntt_primes(54, LOG_N, 2).unwrap_or_default();
    let basis = Basis::range(0..2);
    let mut mb = ModuleBuilder::new(LOG_N, &primes);
    let mut fb = mb.function("transformed");
    let x = fb.param("x", Type::poly(&basis, Domain::Coeff), false);
    let y = fb.ntt(x)?;
    let transformed = fb.finish(&[y])?;
    let mut fb = mb.function("scaled");
    let x = fb.param("x", Type::poly(&basis, Domain::Eval), false);
    let y = fb.mul_scalar(x, &[7, 7])?;
    let scaled = fb.finish(&[y])?;
    let mut fb = mb.function("main");
    let x = fb.param("x", Type::poly(&basis, Domain::Coeff), false);
    let y = fb.call(transformed, &[x])?;
    let z = fb.call(scaled, &y)?;
    let main = fb.finish(&z)?;
    mb.finish(main)
}

/// A machine that has lowered one program.
struct Given(Arc<Lowered>);

impl Device for Given {
    fn lower(&self, _: &Module) -> Result<Arc<dyn Executable>, RunError> {
        Ok(self.0.clone())
    }

    fn machine(&self) -> &str {
        &self.0.config.machine
    }
}

/// What a run says with the interpreter's values, once the lowered program has been changed.
fn said(change: impl FnOnce(&mut Lowered)) -> Result<(), RunError> {
    let machine = Machine::load("rpu-8x8").expect("it ships");
    let processor = Processor::new(&machine).expect("sound");
    let module = program().expect("valid");
    let mut lowered = processor.lowered(&module).expect("lowers");
    change(&mut lowered);
    let simulated = Arc::new(Given(Arc::new(lowered)));
    let checks = Checks::new(0.0, OncePer::Run, 0).expect("a share");
    let both = SpotChecked::new(simulated, Arc::new(Interpreter), checks);
    let executable = both.lower(&module).expect("lowers");
    executable.run(&generate::inputs(1, &module)).map(|_| ())
}

/// The same program with one instruction changed, at the first place where that can be.
fn mutate(start: &mut Start, kind: &Kind) {
    let chain = &start.chain;
    let places = 0..chain.program.instructions.len();
    let mutant = places.filter_map(|at| kind.at(&chain.program, at)).next();
    start.chain = Arc::new(Chain {
        program: mutant.expect("an instruction of that kind"),
        links: chain.links.clone(),
        words: chain.words,
    });
}

fn first_start(lowered: &mut Lowered, kernel: usize) -> &mut Start {
    let part = Arc::get_mut(&mut lowered.program.parts[kernel]).expect("nobody else has it");
    let pieces = part.pieces.iter_mut();
    let mut starts = pieces.filter_map(|piece| match piece {
        Piece::Start(start) => Some(start),
        Piece::Sweep(_) => None,
    });
    starts.next().expect("a transform is started")
}

#[test]
fn a_program_as_it_was_lowered_passes() {
    said(|_| ()).expect("the same words");
}

#[test]
fn a_wrong_instruction_is_found() {
    let kind = KINDS
        .iter()
        .find(|kind| kind.name == "the other form of butterfly");
    let kind = kind.expect("a kind of mutant");
    let error = said(|lowered| mutate(first_start(lowered, 0), kind)).expect_err("found");
    let RunError::Differs(found) = error else {
        panic!("{error}")
    };
    assert_eq!(
        (found.kernel.as_str(), found.call, found.calls),
        ("transformed, scaled", 0, 1)
    );
    assert_eq!(
        (found.machine.as_str(), found.values.as_str()),
        ("rpu-8x8", "interpreter")
    );
}

#[test]
fn a_wrong_constant_is_found() {
    let change = |lowered: &mut Lowered| {
        let call = &mut lowered.program.towers.calls[0];
        call.constants = call.constants.iter().map(|constant| constant + 1).collect();
    };
    let error = said(change).expect_err("found");
    let RunError::Differs(found) = error else {
        panic!("{error}")
    };
    assert_eq!(
        (found.kernel.as_str(), found.call),
        ("transformed, scaled", 0)
    );
}
