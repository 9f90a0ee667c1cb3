//! Long native work that Ctrl-C stops, and that somebody watches.

use pyo3::prelude::*;
use ringwright_ir::interrupt::{self, Interrupt};
use std::cell::RefCell;
use std::sync::{Arc, Mutex, PoisonError};

thread_local! {
    static WATCHER: RefCell<Option<Arc<Py<PyAny>>>> = const { RefCell::new(None) };
}

/// Has long work of this thread tell a callable now and then which share of it is done, `None` where that is
/// not known; returns the one before. `None`: nobody is told.
#[pyfunction]
pub fn watch(py: Python<'_>, watcher: Option<Py<PyAny>>) -> Option<Py<PyAny>> {
    let before = WATCHER.replace(watcher.map(Arc::new));
    before.map(|before| before.clone_ref(py))
}

/// Does work without the interpreter's lock and asks now and then whether a signal came whose handler
/// raises, as that of Ctrl-C does. What a watcher raises stops it as well.
///
/// Raises what was raised, once the work has given up ([`RunError::Interrupted`]) or ended.
///
/// [`RunError::Interrupted`]: ringwright_ir::RunError::Interrupted
pub fn interruptible<R: Send>(py: Python<'_>, work: impl FnOnce() -> R + Send) -> PyResult<R> {
    let raised = Arc::new(Mutex::new(None));
    let held = raised.clone();
    let watcher = WATCHER.with_borrow(Clone::clone);
    let question = move |share: Option<f64>| {
        let asked = Python::attach(|py| {
            py.check_signals()?;
            watcher
                .as_ref()
                .map_or(Ok(()), |watcher| watcher.call1(py, (share,)).map(drop))
        });
        let raised = asked.err();
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
