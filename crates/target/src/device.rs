//! Devices and the executables that they lower programs to: the one pair through which programs run.

use crate::{Checked, DeviceMemory, KernelCalls, Roofs, Timing, TransformSchedule, WordBytes};
use ringwright_ir::interpret::{Interpreted, Interpreter};
use ringwright_ir::ring::Module;
use ringwright_ir::{RunError, Value};
use std::sync::Arc;
use std::time::{Duration, Instant};

/// Something that runs ring programs: a target that is set up for one machine.
pub trait Device: Send + Sync {
    /// Checks a program and lowers it; the result runs many times and knows its time.
    fn lower(&self, module: &Module) -> Result<Arc<dyn Executable>, RunError>;

    /// Name of the machine description.
    fn machine(&self) -> &str;

    /// Bytes in which words of towers travel to and from the device and lie in the memory before it;
    /// `None` where the machine is real and its words stay in this computer's memory.
    fn word_bytes(&self) -> Option<WordBytes> {
        None
    }

    /// The device's own memory, in which values may stay between runs; `None` where it works in its
    /// host's memory, real or simulated.
    fn memory(&self) -> Option<&DeviceMemory> {
        None
    }

    /// What it could do at most, and which counters say what it did; `None` where nothing is counted.
    fn roofs(&self) -> Option<Roofs> {
        None
    }

    /// The transforms that have been lowered so far, in the order of degrees: who found their
    /// orders. Empty where the machine orders nothing.
    fn schedules(&self) -> Vec<TransformSchedule> {
        Vec::new()
    }
}

/// A lowered program; runs many times, from any thread.
pub trait Executable: Send + Sync {
    /// Runs the entry function; one value per returned value. Keeps no reference, not even a weak
    /// one, to a secret input, nor to any result of a run with a seed or another secret input: whoever
    /// owns a secret overwrites it when done, and `Arc::get_mut` must grant that.
    fn run(&self, inputs: &[Value]) -> Result<Vec<Value>, RunError>;

    /// Runs the same with one input that is made meanwhile: a device of several threads begins with
    /// what needs no input but seeds, as the noise of an encryption does while its message is
    /// encoded. By default it is made first.
    fn run_late(&self, inputs: &[Value], late: Late) -> Result<Vec<Value>, RunError> {
        self.run(&with_late(inputs, late.index, (late.make)()?))
    }

    /// The same with values in words of 128 bits, for primes that 64 bits do not hold. A device that has
    /// no such words refuses.
    fn run_wide(&self, inputs: &[Value<u128>]) -> Result<Vec<Value<u128>>, RunError> {
        let given = inputs.len();
        let what = format!("{given} values in words of 128 bits; this device has words of 64 bits");
        Err(RunError::Invalid(what))
    }

    /// Runs the same, and says what is known of the run beside its values.
    fn run_profiled(&self, inputs: &[Value]) -> Result<(Vec<Value>, Profile), RunError> {
        Ok((self.run(inputs)?, Profile::default()))
    }

    /// Time of one run on the simulated machine. It is known before any run because it never
    /// depends on values. `None` where the machine is real: the caller measures by wall clock.
    fn timing(&self) -> Option<&Arc<Timing>> {
        None
    }

    /// The programs in the machine's own instructions that a run starts, each once, in the order
    /// of first use. Empty where the machine has no instruction set.
    fn listings(&self) -> Vec<Listing> {
        Vec::new()
    }

    /// The program as calls that the simulated machine runs one by one; `None` where it does not.
    fn kernel_calls(&self) -> Option<&dyn KernelCalls> {
        None
    }
}

/// What is known of a run beside its values.
#[derive(Clone, Debug, Default)]
pub struct Profile {
    /// How long each call of the entry function took, in order and apart. A device that does not
    /// measure gives no times; one that does leaves out what it did not have to run.
    pub times: Vec<CallTime>,
    /// What was compared, where values are another device's.
    pub checked: Option<Checked>,
}

/// An input that does not exist yet.
pub struct Late<'a> {
    /// Its place among all inputs.
    pub index: usize,
    /// Makes it, once, on any thread. An error ends the run.
    pub make: Box<dyn FnOnce() -> Result<Value, RunError> + Send + 'a>,
}

/// All inputs, in order.
pub fn with_late(inputs: &[Value], index: usize, made: Value) -> Vec<Value> {
    let mut all = inputs.to_vec();
    all.insert(index.min(inputs.len()), made);
    all
}

/// When one call of the entry function ran, by the wall clock.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct CallTime {
    /// Which of the entry function's calls, from 0.
    pub call: usize,
    /// When it began.
    pub start: Instant,
    /// How long it took.
    pub duration: Duration,
}

/// A program in a machine's own instructions.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Listing {
    /// What it computes.
    pub name: String,
    /// One instruction a line, as the assembler reads it, after a comment on how it was made.
    pub text: String,
    /// The same before a scheduler has seen it, where the machine's target has both.
    pub plain: Option<String>,
}

/// The reference interpreter is a device without a machine.
impl Device for Interpreter {
    fn lower(&self, module: &Module) -> Result<Arc<dyn Executable>, RunError> {
        Ok(Arc::new(self.prepare(module)?))
    }

    fn machine(&self) -> &str {
        "interpreter"
    }
}

impl Executable for Interpreted {
    fn run(&self, inputs: &[Value]) -> Result<Vec<Value>, RunError> {
        Interpreted::run(self, inputs)
    }
}
