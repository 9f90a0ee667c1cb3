//! A simulated machine whose runs take their values from another device.

use super::paired::Paired;
use super::run::Run;
use super::{Checks, OncePer};
use crate::{
    Checked, Device, DeviceMemory, Executable, KernelCalls, Listing, Profile, Roofs, Timing,
    TransformSchedule, WordBytes,
};
use ringwright_ir::arguments::Signature;
use ringwright_ir::ring::{Module, Type};
use ringwright_ir::{RunError, Value};
use std::collections::BTreeSet;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex, PoisonError};

/// Two devices as one: times, listings and memory are the simulated one's, values the other's.
pub struct SpotChecked {
    simulated: Arc<dyn Device>,
    values: Arc<dyn Device>,
    checks: Checks,
    /// Runs so far, of all programs.
    runs: Arc<AtomicU64>,
}

impl SpotChecked {
    /// Runs on `simulated` with the values of `values`.
    pub fn new(simulated: Arc<dyn Device>, values: Arc<dyn Device>, checks: Checks) -> Self {
        SpotChecked {
            simulated,
            values,
            checks,
            runs: Arc::default(),
        }
    }

    fn unsupported(&self, reason: String) -> RunError {
        RunError::Unsupported {
            machine: self.machine().to_owned(),
            reason,
        }
    }

    /// Secrets would be held by two devices, and between them by this one, which wipes nothing.
    fn check_public(&self, module: &Module) -> Result<(), RunError> {
        let mut params = module.entry().params.iter();
        let secret = params.find(|param| param.secret || param.ty == Type::Seed);
        secret.map_or(Ok(()), |param| {
            let (name, values) = (&param.name, self.values.machine());
            Err(self.unsupported(format!(
                "{name} is secret; allowed with values from {values} are programs without secrets, \
                 others in full simulation"
            )))
        })
    }
}

impl Device for SpotChecked {
    fn lower(&self, module: &Module) -> Result<Arc<dyn Executable>, RunError> {
        let executable = self.simulated.lower(module)?;
        self.check_public(module)?;
        let Some(calls) = executable.kernel_calls() else {
            let values = self.values.machine();
            return Err(self.unsupported(format!(
                "it does not run its kernels one by one, so values from {values} cannot be checked; \
                 allowed is full simulation"
            )));
        };
        let paired = Paired::new(module, calls.program(), self.machine(), &*self.values)?;
        Ok(Arc::new(Lowered {
            signature: Signature::of(module),
            paired,
            checks: self.checks,
            runs: self.runs.clone(),
            seen: Mutex::default(),
            simulated: executable.clone(),
        }))
    }

    fn machine(&self) -> &str {
        self.simulated.machine()
    }

    fn word_bytes(&self) -> Option<WordBytes> {
        self.simulated.word_bytes()
    }

    fn memory(&self) -> Option<&DeviceMemory> {
        self.simulated.memory()
    }

    fn roofs(&self) -> Option<Roofs> {
        self.simulated.roofs()
    }

    fn schedules(&self) -> Vec<TransformSchedule> {
        self.simulated.schedules()
    }
}

/// A program on both.
struct Lowered {
    simulated: Arc<dyn Executable>,
    signature: Signature,
    paired: Paired,
    checks: Checks,
    runs: Arc<AtomicU64>,
    /// Kernels that were checked in a run.
    seen: Mutex<BTreeSet<usize>>,
}

impl Lowered {
    fn checked(&self, inputs: &[Value]) -> Result<(Vec<Value>, Checked), RunError> {
        self.signature.check(inputs)?;
        // It was there when the program was lowered.
        let missing = || RunError::Invalid("the kernels are gone".to_owned());
        let calls: &dyn KernelCalls = self.simulated.kernel_calls().ok_or_else(missing)?;
        let number = self.runs.fetch_add(1, Ordering::Relaxed);
        let is_drawn = |call| self.checks.draws(number, call);
        let known = match self.checks.once_per() {
            OncePer::Run => BTreeSet::new(),
            OncePer::Device => self.seen().clone(),
        };
        let mut run = Run::new(&self.paired, calls, &is_drawn, known);
        let values = run.all(inputs)?;
        let checked = run.checked();
        self.seen().extend(run.into_seen());
        Ok((values, checked))
    }

    fn seen(&self) -> std::sync::MutexGuard<'_, BTreeSet<usize>> {
        // A set is whole at any time, whoever panics elsewhere.
        self.seen.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Executable for Lowered {
    fn run(&self, inputs: &[Value]) -> Result<Vec<Value>, RunError> {
        Ok(self.checked(inputs)?.0)
    }

    fn run_profiled(&self, inputs: &[Value]) -> Result<(Vec<Value>, Profile), RunError> {
        let (values, checked) = self.checked(inputs)?;
        let profile = Profile {
            times: Vec::new(),
            checked: Some(checked),
        };
        Ok((values, profile))
    }

    fn timing(&self) -> Option<&Arc<Timing>> {
        self.simulated.timing()
    }

    fn listings(&self) -> Vec<Listing> {
        self.simulated.listings()
    }
}
