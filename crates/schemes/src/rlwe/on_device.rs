//! Evaluation keys and constants in the memory of a device: sent once, not with every run.
//!
//! A value lies there once, whoever uses it, and as long as a prepared program refers to it. A
//! program that is run under other keys lets go of the ones before.

use super::Error;
use ringwright_ir::Value;
use ringwright_target::{Argument, Buffer, Device, DeviceMemory, Form};
use std::sync::{Arc, Mutex, PoisonError};

/// Where a program's keys and constants go.
#[derive(Clone)]
pub(crate) struct OnDevice {
    memory: Option<DeviceMemory>,
    /// The keys of the latest run.
    keys: Arc<Mutex<Vec<Arc<Buffer>>>>,
}

impl OnDevice {
    /// No keys yet.
    pub(crate) fn new(device: &dyn Device) -> Self {
        OnDevice {
            memory: device.memory().cloned(),
            keys: Arc::default(),
        }
    }

    /// The value as an argument of this form: a buffer, where the device has a memory of its own.
    pub(crate) fn argument(&self, form: Option<&Form>, value: Value) -> Result<Argument, Error> {
        Ok(match (&self.memory, form) {
            (Some(memory), Some(form)) => Argument::Held(memory.put(form, value)?),
            _ => Argument::Value(value),
        })
    }

    /// The keys of a run as arguments. What the run before held and this one does not makes room.
    pub(crate) fn keys(&self, keys: Vec<(Option<&Form>, Value)>) -> Result<Vec<Argument>, Error> {
        let mut latest = self.keys.lock().unwrap_or_else(PoisonError::into_inner);
        latest.retain(|buffer| keys.iter().any(|(_, key)| buffer.holds(key)));
        let arguments = keys.into_iter().map(|(form, key)| self.argument(form, key));
        let arguments: Vec<Argument> = arguments.collect::<Result<_, _>>()?;
        let held = arguments.iter().filter_map(|argument| match argument {
            Argument::Held(buffer) => Some(buffer.clone()),
            Argument::Value(_) => None,
        });
        *latest = held.collect();
        Ok(arguments)
    }
}
