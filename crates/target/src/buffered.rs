//! A lowered program whose arguments and results may stay on the device.

use crate::{Buffer, BufferError, Device, DeviceMemory, Executable, Form, Profile, Space};
use ringwright_ir::ring::Module;
use ringwright_ir::{RunError, Value};
use std::sync::Arc;

/// One argument of a run.
#[derive(Clone)]
pub enum Argument {
    /// Sent for this run.
    Value(Value),
    /// It lies on the device already.
    Held(Arc<Buffer>),
}

/// An executable, with the memory of its device and what the program takes and gives. Space that a
/// run needs for itself is the executable's own affair and is counted nowhere here.
#[derive(Clone)]
pub struct Buffered {
    executable: Arc<dyn Executable>,
    machine: String,
    memory: Option<DeviceMemory>,
    params: Arc<[Option<Form>]>,
    returns: Arc<[Option<Form>]>,
}

impl Buffered {
    /// Lowers a program.
    ///
    /// # Errors
    /// As [`Device::lower`].
    pub fn lower(device: &dyn Device, module: &Module) -> Result<Self, RunError> {
        let executable = device.lower(module)?;
        let entry = module.entry();
        let params = entry.params.iter().map(|param| Form::of(module, &param.ty));
        let returns = entry.returns.iter();
        let returns = returns.map(|&value| Form::of(module, entry.ty(value)));
        Ok(Buffered {
            executable,
            machine: device.machine().to_owned(),
            memory: device.memory().cloned(),
            params: params.collect(),
            returns: returns.collect(),
        })
    }

    /// What the program was lowered to.
    pub fn executable(&self) -> &dyn Executable {
        &*self.executable
    }

    /// What each parameter is; `None` for a seed.
    pub fn params(&self) -> &[Option<Form>] {
        &self.params
    }

    /// Runs the program; its results come back.
    ///
    /// # Errors
    /// [`BufferError::Foreign`] and [`BufferError::Form`], before anything runs; what the executable
    /// refuses.
    pub fn run(&self, arguments: &[Argument]) -> Result<Vec<Value>, BufferError> {
        Ok(self.executable.run(&self.values(arguments)?)?)
    }

    /// The same, with what [`Executable::run_profiled`] says.
    ///
    /// # Errors
    /// As [`Buffered::run`].
    pub fn run_profiled(
        &self,
        arguments: &[Argument],
    ) -> Result<(Vec<Value>, Profile), BufferError> {
        Ok(self.executable.run_profiled(&self.values(arguments)?)?)
    }

    /// Runs the program; its results stay on the device. Their space is reserved before the run.
    ///
    /// # Errors
    /// As [`Buffered::run`]; [`BufferError::Full`], [`BufferError::NoMemory`] and
    /// [`BufferError::Seed`], before anything runs.
    pub fn run_keeping(&self, arguments: &[Argument]) -> Result<Vec<Arc<Buffer>>, BufferError> {
        let values = self.values(arguments)?;
        let spaces = self.reserve_results()?;
        let results = self.executable.run(&values)?;
        if results.len() != spaces.len() {
            let (found, expected) = (results.len(), spaces.len());
            let what = format!("{found} results instead of {expected}");
            return Err(RunError::Invalid(what).into());
        }
        let kept = spaces.into_iter().zip(results);
        let kept = kept.map(|((form, space), value)| Arc::new(Buffer::new(space, form, value)));
        Ok(kept.collect())
    }

    fn reserve_results(&self) -> Result<Vec<(Form, Space)>, BufferError> {
        let no_memory = || BufferError::NoMemory {
            machine: self.machine.clone(),
        };
        let memory = self.memory.as_ref().ok_or_else(no_memory)?;
        let reserve = |form: &Option<Form>| {
            let form = form.clone().ok_or(BufferError::Seed)?;
            let space = memory.reserve(memory.size(&form))?;
            Ok((form, space))
        };
        self.returns.iter().map(reserve).collect()
    }

    /// What the executable is given, once every buffer is found right.
    fn values(&self, arguments: &[Argument]) -> Result<Vec<Value>, BufferError> {
        let value = |(index, argument): (usize, &Argument)| match argument {
            Argument::Value(value) => Ok(value.clone()),
            Argument::Held(buffer) => {
                self.check(index, buffer)?;
                Ok(buffer.value().clone())
            }
        };
        arguments.iter().enumerate().map(value).collect()
    }

    fn check(&self, index: usize, buffer: &Buffer) -> Result<(), BufferError> {
        let owner = buffer.owner();
        if !self.memory.as_ref().is_some_and(|own| own.is(owner)) {
            return Err(BufferError::Foreign {
                machine: self.machine.clone(),
                index,
                owner: owner.machine().to_owned(),
            });
        }
        // How many there are is the executable's to check.
        let Some(expected) = self.params.get(index) else {
            return Ok(());
        };
        if expected.as_ref() == Some(buffer.form()) {
            return Ok(());
        }
        let expected = expected.as_ref().map(Form::to_string);
        Err(BufferError::Form {
            index,
            expected: expected.unwrap_or_else(|| "a seed".to_owned()),
            got: buffer.form().to_string(),
        })
    }
}
