//! The time of programs on simulated machines, known without running them.

use crate::error::{ckks_error, run_error, ParameterError, ProgramError};
use crate::evaluator::femtoseconds;
use crate::integer::{count, Integer};
use crate::interruptible::interruptible;
use crate::machine::Backend;
use crate::parameters::Parameters;
use crate::program::HeProgram;
use pyo3::prelude::*;
use ringwright_arith::primes::ntt_primes;
use ringwright_ir::generate;
use ringwright_ir::ring::{Basis, Domain, Loc, Module, ModuleBuilder, Type};
use ringwright_ir::{RunError, Value};
use ringwright_schemes::ckks;
use ringwright_sim::Provenance;
use ringwright_target::{self as target, Work};
use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;
use std::time::Instant;

/// Time of one run on a simulated machine.
#[pyclass(frozen, module = "ringwright._ringwright")]
pub struct Timing(pub Arc<target::Timing>);

#[pymethods]
impl Timing {
    /// Period of the machine's clock, femtoseconds.
    #[getter]
    fn clock_fs(&self) -> u64 {
        self.0.clock.period().0
    }

    /// Where that period comes from: "published", "synthesised", "modelled", …
    #[getter]
    fn clock_provenance(&self) -> &'static str {
        self.0.clock.provenance().as_str()
    }

    /// From the start until the device has drained, host functions taking no time.
    #[getter]
    fn cycles(&self) -> u64 {
        self.0.cycles.0
    }

    /// Where `cycles` come from: "simulated" where the units are in RTL, "modelled" where they are
    /// described only, both where they mix.
    #[getter]
    fn provenances(&self) -> Vec<&'static str> {
        words(&self.0.provenances())
    }

    /// How often each instruction runs, by mnemonic; empty for machines without instructions.
    #[getter]
    fn instructions(&self) -> BTreeMap<&'static str, u64> {
        self.0.counters().of("instruction").collect()
    }

    /// How many parts were timed; what is called again is not timed again.
    #[getter]
    fn parts(&self) -> usize {
        self.0.parts.len()
    }

    /// What is called in order; its cycles sum to `cycles`.
    #[getter]
    fn kernels(&self) -> Vec<KernelTiming> {
        let calls = self.0.calls.iter().cloned();
        calls
            .map(|call| KernelTiming {
                provenances: self.0.parts[call.part].provenances.clone(),
                call,
            })
            .collect()
    }

    /// What device, transfers and host do, in order, of all calls.
    #[getter]
    fn steps(&self) -> Vec<Step> {
        let steps = self.0.unfolded();
        let step = |step: target::Step<'_>| Step {
            kind: step.kind.clone(),
            after: step.after.to_vec(),
        };
        steps.iter().map(step).collect()
    }
}

fn words(provenances: &BTreeSet<Provenance>) -> Vec<&'static str> {
    provenances.iter().map(|each| each.as_str()).collect()
}

/// Time of one ring function that a program calls.
#[pyclass(frozen, module = "ringwright._ringwright")]
pub struct KernelTiming {
    call: target::Call,
    provenances: BTreeSet<Provenance>,
}

#[pymethods]
impl KernelTiming {
    /// The ring function.
    #[getter]
    fn name(&self) -> &str {
        &self.call.name
    }

    /// The user's file and line that asked for it: "camera.py:12".
    #[getter]
    fn line(&self) -> Option<String> {
        self.call.loc.as_ref().map(Loc::to_string)
    }

    /// From its first operand until the device has drained; 0 where all is the host's.
    #[getter]
    fn cycles(&self) -> u64 {
        self.call.exposed.0
    }

    /// Where they come from, as `Timing.provenances`.
    #[getter]
    fn provenances(&self) -> Vec<&'static str> {
        words(&self.provenances)
    }
}

/// One step of a run.
#[pyclass(frozen, module = "ringwright._ringwright")]
pub struct Step {
    kind: target::StepKind,
    after: Vec<u32>,
}

#[pymethods]
impl Step {
    /// What it does; steps that do the same share it.
    #[getter]
    fn name(&self) -> &'static str {
        self.kind.name
    }

    /// "kernel", "transfer" or "host".
    #[getter]
    fn kind(&self) -> &'static str {
        match self.kind.work {
            Work::Kernel { .. } => "kernel",
            Work::Transfer { .. } => "transfer",
            Work::HostFunction { .. } => "host",
        }
    }

    /// What it is for: "compute", "sample" (draws coefficients), "move" (words) or "control"
    /// (registers, starts, interrupts).
    #[getter]
    fn task(&self) -> &'static str {
        self.kind.task.as_str()
    }

    /// Cycles of the device's clock; 0 for a host function, whose time its host decides.
    #[getter]
    fn cycles(&self) -> u64 {
        self.kind.work.device_cycles()
    }

    /// "simulated" where RTL does it, "modelled" where none does; `None` for a host function in which
    /// nothing of the device is assumed: its time is its host's alone.
    #[getter]
    fn provenance(&self) -> Option<&'static str> {
        self.kind.provenance().map(Provenance::as_str)
    }

    /// Cycles that the port which the RTL has would take for the same bytes; `None` where the step is
    /// in RTL or none of its ports could do it.
    #[getter]
    fn cycles_through_rtl(&self) -> Option<u64> {
        match self.kind.hardware {
            target::Hardware::Described { through_rtl } => through_rtl,
            target::Hardware::Rtl => None,
        }
    }

    /// Bytes of a transfer; 0 otherwise.
    #[getter]
    fn byte_count(&self) -> u64 {
        match self.kind.work {
            Work::Transfer { bytes, .. } => bytes,
            _ => 0,
        }
    }

    /// What a host function does, as counts of operations; empty otherwise.
    #[getter]
    fn operations(&self) -> BTreeMap<&'static str, u64> {
        match &self.kind.work {
            Work::HostFunction { operations } => operations
                .iter()
                .map(|(operation, count)| (operation.as_str(), *count))
                .collect(),
            _ => BTreeMap::new(),
        }
    }

    /// The units that it occupies, its own first.
    #[getter]
    fn units(&self) -> Vec<&'static str> {
        self.kind.units.to_vec()
    }

    /// Indices of the earlier steps that it waits for.
    #[getter]
    fn after(&self) -> Vec<u32> {
        self.after.clone()
    }
}

/// Encryption of an encoded polynomial at a level; `None` on a machine that is not simulated.
#[pyfunction]
pub fn time_encryption(
    py: Python<'_>,
    backend: &Backend,
    parameters: &Parameters,
    level: Integer,
) -> PyResult<Option<Timing>> {
    let level = count("level", level)?;
    let module = ckks::programs::encrypt(&parameters.0, level).map_err(ckks_error)?;
    time(py, backend, &module)
}

/// Decryption of a ciphertext of two parts to an encoded polynomial.
#[pyfunction]
pub fn time_decryption(
    py: Python<'_>,
    backend: &Backend,
    parameters: &Parameters,
    level: Integer,
) -> PyResult<Option<Timing>> {
    let level = count("level", level)?;
    let module = ckks::programs::decrypt(&parameters.0, level, 2).map_err(ckks_error)?;
    time(py, backend, &module)
}

/// A ciphertext program: neither keys nor values are needed, and constants stay as they are.
#[pyfunction]
pub fn time_operations(
    py: Python<'_>,
    backend: &Backend,
    program: &HeProgram,
) -> PyResult<Option<(Timing, Vec<OperationCycles>)>> {
    let expanded = interruptible(py, || ckks::expand(&program.program, &program.parameters.0))?;
    let ckks::Expanded { module, calls, .. } = expanded.map_err(ckks_error)?;
    let Some(timing) = time(py, backend, &module)? else {
        return Ok(None);
    };
    // A call that leaves nothing to do is not there.
    let timed = timing.0.calls.iter();
    let timed: BTreeMap<usize, &target::Call> =
        timed.filter_map(|call| Some((call.call?, call))).collect();
    let with_cycles = |(index, site): (usize, ckks::CallSite)| {
        let call = timed.get(&index);
        let part = call.map(|call| &timing.0.parts[call.part]);
        OperationCycles {
            cycles: call.map_or(0, |call| call.exposed.0),
            provenances: part.map_or_else(Vec::new, |part| words(&part.provenances)),
            site,
        }
    };
    let operations = calls.into_iter().enumerate().map(with_cycles).collect();
    Ok(Some((timing, operations)))
}

/// What one operation of a ciphertext program takes.
#[pyclass(frozen, module = "ringwright._ringwright")]
pub struct OperationCycles {
    site: ckks::CallSite,
    cycles: u64,
    provenances: Vec<&'static str>,
}

#[pymethods]
impl OperationCycles {
    /// The operation with its operands, as `explain` shows it: "rotate %4".
    #[getter]
    fn op(&self) -> &str {
        &self.site.op
    }

    /// Towers of its first operand.
    #[getter]
    fn level(&self) -> usize {
        self.site.level
    }

    /// Name of the value it makes.
    #[getter]
    fn result(&self) -> &str {
        &self.site.result
    }

    /// The ring function: "ckks.mul_relin@6".
    #[getter]
    fn function(&self) -> &str {
        &self.site.function
    }

    /// The user's file and line: "camera.py:12".
    #[getter]
    fn line(&self) -> Option<String> {
        self.site.loc.as_ref().map(Loc::to_string)
    }

    /// Cycles of the device, its host taking no time; 0 for what is left to the host.
    #[getter]
    fn cycles(&self) -> u64 {
        self.cycles
    }

    /// Where they come from, as `Timing.provenances`; empty for what is left to the host.
    #[getter]
    fn provenances(&self) -> Vec<&'static str> {
        self.provenances.clone()
    }
}

/// A `ring` module, given as text; `None` on a machine that is not simulated. Raises
/// `ProgramError` for a wrong module.
#[pyfunction]
pub fn time_module(py: Python<'_>, backend: &Backend, module: &str) -> PyResult<Option<Timing>> {
    let module = py.detach(|| parsed(module))?;
    time(py, backend, &module)
}

/// Runs a `ring` module, given as text, on random words: wall-clock femtoseconds of each of
/// `rounds` runs after one that is not counted.
#[pyfunction]
pub fn measure_module(
    py: Python<'_>,
    backend: &Backend,
    module: &str,
    rounds: Integer,
) -> PyResult<Vec<u64>> {
    let rounds: usize = count("rounds", rounds)?;
    let module = parsed(module)?;
    let measure = || -> Result<Vec<u64>, RunError> {
        let kernel = backend.0.lower(&module)?;
        let inputs: Vec<Value> = generate::inputs(1, &module);
        kernel.run(&inputs)?;
        let one = |_| {
            let started = Instant::now();
            kernel.run(&inputs).map(|_| femtoseconds(started.elapsed()))
        };
        (0..rounds).map(one).collect()
    };
    interruptible(py, measure)?.map_err(run_error)
}

/// The programs in the machine's own instructions that a `ring` module, given as text, becomes:
/// (what it computes, one instruction a line, after a comment on how it was made). `plain`: before a
/// scheduler has seen them, where the target has both. Raises `ProgramError` for a wrong module.
#[pyfunction]
#[pyo3(signature = (backend, module, *, plain = false))]
pub fn list_instructions(
    py: Python<'_>,
    backend: &Backend,
    module: &str,
    plain: bool,
) -> PyResult<Vec<(String, String)>> {
    let module = parsed(module)?;
    let kernel = interruptible(py, || backend.0.lower(&module))?.map_err(run_error)?;
    let listings = kernel.listings().into_iter();
    let text = |plain_text: Option<String>, text: String| match plain {
        true => plain_text.unwrap_or(text),
        false => text,
    };
    Ok(listings
        .map(|each| (each.name, text(each.plain, each.text)))
        .collect())
}

/// One transform of one tower, modulo the largest prime of `bits` bits that has it.
#[pyfunction]
#[pyo3(signature = (backend, log_n, bits, *, inverse = false))]
pub fn time_transform(
    py: Python<'_>,
    backend: &Backend,
    log_n: Integer,
    bits: Integer,
    inverse: bool,
) -> PyResult<Option<Timing>> {
    let module = transform(count("log_n", log_n)?, count("bits", bits)?, inverse)?;
    time(py, backend, &module)
}

fn parsed(module: &str) -> PyResult<Module> {
    ringwright_ir::text::parse(module).map_err(|error| ProgramError::new_err(error.to_string()))
}

fn time(py: Python<'_>, backend: &Backend, module: &Module) -> PyResult<Option<Timing>> {
    let kernel = interruptible(py, || backend.0.lower(module))?.map_err(run_error)?;
    Ok(kernel.timing().cloned().map(Timing))
}

/// A program that is one transform of one tower.
fn transform(log_n: u32, bits: u32, inverse: bool) -> PyResult<Module> {
    let refused = |error: &dyn std::fmt::Display| ParameterError::new_err(error.to_string());
    let primes = ntt_primes(bits, log_n, 1).map_err(|error| refused(&error))?;
    let mut mb = ModuleBuilder::new(log_n, &primes);
    let mut fb = mb.function(if inverse { "intt" } else { "ntt" });
    let domain = if inverse { Domain::Eval } else { Domain::Coeff };
    let x = fb.param("x", Type::poly(&Basis::range(0..1), domain), false);
    let y = if inverse { fb.intt(x) } else { fb.ntt(x) };
    let main = y
        .and_then(|y| fb.finish(&[y]))
        .map_err(|error| refused(&error))?;
    mb.finish(main).map_err(|error| refused(&error))
}
