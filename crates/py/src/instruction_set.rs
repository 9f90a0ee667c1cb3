//! Programs in a target's own instructions.

use crate::error::{instruction_set_error, no_instruction_set, ParameterError};
use crate::integer::{count, Integer};
use crate::interruptible::interruptible;
use crate::machine::Machine;
use crate::schedule::Span;
use pyo3::prelude::*;
use pyo3::types::PyBytes;
use ringwright_nttx::{breakdown, emit_c, Form, PlanError};
use ringwright_target::{
    self as target, Alone, InstructionSet, InstructionSetError, TransformProgram,
};
use std::collections::BTreeMap;

/// Bytes of a word of memory, whatever the width of the machine's.
const WORD_BYTES: usize = 16;

/// Line, word and text of an instruction.
type Row = (u32, u64, String);

/// Text to instructions, each with its line from 1, its word and its text as the disassembler
/// writes it; and how many words of data memory the text states beside them.
///
/// Raises `ProgramError` with line, column and what is allowed.
#[pyfunction]
pub fn assemble(target: &str, name: &str, text: &str) -> PyResult<(Vec<Row>, u64)> {
    let set = instruction_set(target)?;
    let program = (set.assemble)(name, text).map_err(instruction_set_error)?;
    let instructions = program.instructions.into_iter();
    let instructions = instructions.map(|i| (i.line, i.word, i.text));
    Ok((instructions.collect(), program.data_words))
}

/// The bytes of an instruction memory to text.
///
/// Raises `ProgramError` with the number of the first instruction that is none.
#[pyfunction]
pub fn disassemble(target: &str, image: &[u8]) -> PyResult<String> {
    let set = instruction_set(target)?;
    (set.disassemble)(image).map_err(instruction_set_error)
}

/// A program that has run on a simulated machine.
#[pyclass(frozen, module = "ringwright._ringwright")]
pub struct Execution(target::Execution);

#[pymethods]
impl Execution {
    /// From the first instruction until the last result is written.
    #[getter]
    fn cycles(&self) -> u64 {
        self.0.cycles
    }

    /// Period of the clock that they count, in femtoseconds.
    #[getter]
    fn clock_fs(&self) -> u64 {
        self.0.clock.period().0
    }

    /// Where that period comes from: "published", "synthesised", "modelled", …
    #[getter]
    fn clock_provenance(&self) -> &'static str {
        self.0.clock.provenance().as_str()
    }

    /// "simulated", or "modelled" where the RTL cannot be built like the machine.
    #[getter]
    fn provenance(&self) -> &'static str {
        self.0.provenance.as_str()
    }

    /// Unit, reason and cycles; those of a unit add up to `cycles`.
    #[getter]
    fn stalls(&self) -> Vec<(&'static str, &'static str, u64)> {
        let stalls = self.0.stalls.iter();
        stalls.map(|s| (s.unit, s.reason, s.cycles)).collect()
    }

    /// What was done, and how often.
    #[getter]
    fn counters(&self) -> Vec<(&'static str, u64)> {
        self.0.counters.clone()
    }

    /// One track per unit.
    fn timeline(&self) -> Vec<Span> {
        Span::all(&self.0.timeline)
    }

    /// Every instruction through the pipeline, in the format of the viewer Konata.
    #[getter]
    fn pipeline_log(&self) -> &str {
        &self.0.pipeline_log
    }

    /// A memory afterwards: 16 bytes a word, little-endian. Raises `ProgramError`.
    fn memory<'py>(&self, py: Python<'py>, name: &str) -> PyResult<Bound<'py, PyBytes>> {
        let memories = &self.0.memories;
        let found = memories.iter().find(|memory| memory.0 == name);
        let Some((_, words)) = found else {
            let known: Vec<_> = memories.iter().map(|memory| memory.0).collect();
            let known = known.join(", ");
            return Err(refused(format!(
                "no memory is called {name}; known: {known}"
            )));
        };
        let bytes: Vec<u8> = words.iter().flat_map(|word| word.to_le_bytes()).collect();
        Ok(PyBytes::new(py, &bytes))
    }
}

/// Runs text on a machine. The memories are those of the machine's instruction set, in its order;
/// each begins with the words given, 16 bytes each, little-endian, and is zero behind them.
///
/// Raises `ProgramError` with line and instruction.
#[pyfunction]
pub fn run_instructions(
    py: Python<'_>,
    machine: &Machine,
    name: &str,
    text: &str,
    memories: [Vec<u8>; 2],
) -> PyResult<Execution> {
    let set = alone(machine.0.target())?;
    for (memory, bytes) in set.memories.iter().zip(&memories) {
        if !bytes.len().is_multiple_of(WORD_BYTES) {
            let given = bytes.len();
            return Err(refused(format!(
                "{memory}: {given} bytes are no words of {WORD_BYTES}"
            )));
        }
    }
    let memories = memories.map(|bytes| {
        let words = bytes.chunks_exact(WORD_BYTES);
        let word = |bytes: &[u8]| bytes.iter().rev().fold(0, |w, &b| w << 8 | u128::from(b));
        words.map(word).collect()
    });
    let run = interruptible(py, || (set.run)(&machine.0, name, text, memories))?;
    Ok(Execution(run.map_err(instruction_set_error)?))
}

/// Cycles of a transform's program, counted without values.
#[pyclass(frozen, module = "ringwright._ringwright")]
pub struct TransformTime(pub target::TransformTime);

#[pymethods]
impl TransformTime {
    /// From the first instruction until the last result is written.
    #[getter]
    fn cycles(&self) -> u64 {
        self.0.cycles
    }

    /// Period of the clock that they count, in femtoseconds.
    #[getter]
    fn clock_fs(&self) -> u64 {
        self.0.clock.period().0
    }

    /// Where that period comes from: "published", "synthesised", "modelled", …
    #[getter]
    fn clock_provenance(&self) -> &'static str {
        self.0.clock.provenance().as_str()
    }

    /// "simulated", or "modelled" where the RTL cannot be built like the machine.
    #[getter]
    fn provenance(&self) -> &'static str {
        self.0.provenance.as_str()
    }

    /// What was done, and how often.
    #[getter]
    fn counters(&self) -> BTreeMap<&'static str, u64> {
        self.0.counters.iter().copied().collect()
    }

    /// Cycles for which instructions of each pipeline waited for a busy register, at the front end.
    #[getter]
    fn held(&self) -> BTreeMap<&'static str, u64> {
        self.0.held.iter().copied().collect()
    }
}

/// The ways to write a transform in the target's instructions.
#[pyfunction]
pub fn transform_generators(target: &str) -> PyResult<Vec<&'static str>> {
    Ok(alone(target)?.generators.to_vec())
}

/// Writes a transform of degree 2^`log_n` for `written_for` (default: `machine`) and times it on
/// `machine`, without values.
///
/// Raises `ProgramError` where the machine cannot run it, or no generator has that name.
#[pyfunction]
#[pyo3(signature = (machine, generator, log_n, *, inverse = false, written_for = None))]
pub fn time_transform_program(
    py: Python<'_>,
    machine: &Machine,
    generator: &str,
    log_n: Integer,
    inverse: bool,
    written_for: Option<&Machine>,
) -> PyResult<TransformTime> {
    let set = alone(machine.0.target())?;
    let asked = TransformProgram {
        generator,
        log_n: count("log_n", log_n)?,
        inverse,
        written_for: written_for.map(|machine| &machine.0),
    };
    interruptible(py, || (set.time_transform)(&machine.0, asked))?
        .map(TransformTime)
        .map_err(instruction_set_error)
}

/// One transform of degree 2^`log_n` as a file of portable C in which the function is `name`.
#[pyfunction]
#[pyo3(signature = (log_n, name, *, inverse = false))]
pub fn transform_in_c(log_n: Integer, name: &str, inverse: bool) -> PyResult<String> {
    let refused = |error: PlanError| ParameterError::new_err(error.to_string());
    let forward = breakdown::usual(count("log_n", log_n)?).map_err(refused)?;
    let plan = match inverse {
        false => forward,
        true => forward.inverse(Form::GentlemanSande, 0),
    };
    emit_c::source(&plan, name).map_err(refused)
}

fn refused(text: String) -> PyErr {
    instruction_set_error(InstructionSetError(text))
}

fn instruction_set(target: &str) -> PyResult<&'static InstructionSet> {
    ringwright_targets::instruction_set(target).ok_or_else(|| no_instruction_set(target))
}

fn alone(target: &str) -> PyResult<Alone> {
    let set = instruction_set(target)?;
    let missing = || refused(format!("{}: a text of it does not run alone", set.name));
    set.alone.ok_or_else(missing)
}
