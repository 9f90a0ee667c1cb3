//! The C face of a verilated library (`hw/harness/lockstep.cpp`), the only unsafe code here.

use libloading::Library;
use std::ffi::{c_char, c_void, CStr, OsStr};
use std::path::{Path, PathBuf};
use std::ptr::{self, NonNull};

/// A library that cannot be used.
#[derive(Debug, thiserror::Error)]
#[error("verilated library {}: {cause}", .path.display())]
pub struct LoadError {
    /// The file.
    pub path: PathBuf,
    /// What the loader said.
    pub cause: libloading::Error,
}

/// One record as the library lays it out; the cycle is the caller's.
#[derive(Clone, Copy, Debug)]
#[repr(C)]
pub(crate) struct RawRecord {
    pub destination: u64,
    /// Low half first.
    pub value: [u64; 2],
    pub probe: u64,
}

type New = unsafe extern "C" fn(u64) -> *mut c_void;
type Free = unsafe extern "C" fn(*mut c_void);
type Count = unsafe extern "C" fn(*const c_void) -> u64;
type Name = unsafe extern "C" fn(*const c_void, u64) -> *const c_char;
type Step = unsafe extern "C" fn(*mut c_void, *const u32, *mut u32, *mut *const RawRecord) -> u64;

/// A design after reset.
pub(crate) struct Model {
    model: NonNull<c_void>,
    step: Step,
    free: Free,
    /// Unit and event of each probe.
    pub probes: Vec<(String, String)>,
    inputs: usize,
    outputs: Vec<u32>,
    /// Holds the code that the fields above point to; dropped last.
    _library: Library,
}

impl Model {
    /// Loads a library and resets the design; its registers without reset start as `seed` says.
    pub fn load(path: &OsStr, seed: u64) -> Result<Self, LoadError> {
        let refused = |cause| LoadError {
            path: Path::new(path).to_path_buf(),
            cause,
        };
        // SAFETY: the library is one that the test driver linked from hw/harness/lockstep.cpp;
        // its initialisers are those of the C++ run-time.
        let library = unsafe { Library::new(path) }.map_err(refused)?;
        // SAFETY: the types are those of the definitions in hw/harness/lockstep.cpp.
        unsafe { Self::start(library, seed) }.map_err(refused)
    }

    /// # Safety
    /// The library's functions have the types above.
    unsafe fn start(library: Library, seed: u64) -> Result<Self, libloading::Error> {
        // SAFETY: as promised by the caller; `model` is alive until `free`.
        unsafe {
            let new = *library.get::<New>(b"ringwright_new\0")?;
            let free = *library.get::<Free>(b"ringwright_free\0")?;
            let step = *library.get::<Step>(b"ringwright_step\0")?;
            let inputs = *library.get::<Count>(b"ringwright_input_words\0")?;
            let outputs = *library.get::<Count>(b"ringwright_output_words\0")?;
            let count = *library.get::<Count>(b"ringwright_probe_count\0")?;
            let unit = *library.get::<Name>(b"ringwright_probe_unit\0")?;
            let event = *library.get::<Name>(b"ringwright_probe_event\0")?;

            let model = NonNull::new(new(seed)).expect("operator new throws, it never gives null");
            let at = model.as_ptr();
            let text = |name: Name, i| CStr::from_ptr(name(at, i)).to_string_lossy().into_owned();
            Ok(Self {
                model,
                step,
                free,
                probes: (0..count(at))
                    .map(|i| (text(unit, i), text(event, i)))
                    .collect(),
                inputs: inputs(at) as usize,
                outputs: vec![0; outputs(at) as usize],
                _library: library,
            })
        }
    }

    /// Words of the input vector.
    pub fn inputs(&self) -> usize {
        self.inputs
    }

    /// One cycle: the outputs before the edge, and what the edge recorded.
    ///
    /// Panics when `inputs` has not [`Model::inputs`] words.
    pub fn step(&mut self, inputs: &[u32]) -> (&[u32], &[RawRecord]) {
        assert_eq!(inputs.len(), self.inputs, "words of the input vector");
        let mut records = ptr::null();
        let (model, outputs) = (self.model.as_ptr(), self.outputs.as_mut_ptr());
        // SAFETY: the model is alive, both vectors have the words that the library asked for, and
        // the library writes the pointer to its records.
        let count = unsafe { (self.step)(model, inputs.as_ptr(), outputs, &mut records) };
        let records = match count {
            0 => &[][..],
            // SAFETY: that many records, untouched by the library until the next step, which needs
            // `&mut self`.
            _ => unsafe { std::slice::from_raw_parts(records, count as usize) },
        };
        (&self.outputs, records)
    }
}

impl Drop for Model {
    fn drop(&mut self) {
        // SAFETY: made by `ringwright_new` of this library, freed once.
        unsafe { (self.free)(self.model.as_ptr()) }
    }
}
