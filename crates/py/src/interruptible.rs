//! Long native work that Ctrl-C stops.

use pyo3::prelude::*;
use ringwright_ir::interrupt::{self, Interrupt};
use std::sync::{Arc, Mutex, PoisonError};

/// Does work without the interpreter's lock and asks now and then whether a signal came whose handler
/// raises, as that of Ctrl-C does.
///
/// Raises what the handler raised, once the work has given up ([`RunError::Interrupted`]) or ended.
///
/// [`RunError::Interrupted`]: ringwright_ir::RunError::Interrupted
pub fn interruptible<R: Send>(py: Python<'_>, work: impl FnOnce() -> R + Send) -> PyResult<R> {
    let raised = Arc::new(Mutex::new(None));
    let held = raised.clone();
    let question = move || {
        let signals = Python::attach(|py| py.check_signals());
        let raised = signals.err();
        let stop = raised.is_some();
        if stop {
            *held.lock().unwrap_or_else(PoisonError::into_inner) = raised;
        }
        stop
    };
    let result = py.detach(|| interrupt::scope(Some(Interrupt::new(question)), work));
    let raised = raised.lock().unwrap_or_else(PoisonError::into_inner).take();
    raised.map_or(Ok(result), Err)
}
