//! Python bindings: conversions, no logic.
//!
//! The module `ringwright._ringwright` mirrors the Rust crates one class per type; the package
//! under `python/ringwright` is the face that people use. Every heavy call releases the
//! interpreter lock. Objects that hold ciphertexts or keys carry their parameters, so that
//! serialising needs no further argument; secrets are never copied into Python objects unless
//! `to_bytes` is called, and no class can be pickled.
//!
//! Python's exception classes are defined in `ringwright.errors`; `error` maps each Rust error to
//! one of them, with the Rust error's own text.

mod allocator;
mod ciphertext;
mod client;
mod cost;
mod error;
mod evaluator;
mod explained;
mod femtoseconds;
mod foreign;
mod host;
mod image;
mod instruction_set;
mod integer;
mod interruptible;
mod key_id;
mod keys;
mod machine;
mod made_of;
mod module;
mod openfhe;
mod parameters;
mod program;
mod record;
mod record_class;
mod repeated;
mod roofline;
mod rtl;
mod schedule;
mod seal;
mod sharing;
mod stage;
mod stages;
mod system;
mod timing;
mod transform;
mod transform_schedule;
mod words;

#[global_allocator]
static ALLOCATOR: allocator::LargePages = allocator::LargePages;

/// The native module.
#[pyo3::pymodule]
mod _ringwright {
    use pyo3::prelude::*;
    use ringwright_kernels::Isa;

    #[pymodule_export]
    use crate::ciphertext::{error_groups, Ciphertext, Plaintext};
    #[pymodule_export]
    use crate::client::{
        Decryptor, Embedding, Encryptor, Expected, KeyGenerator, SymmetricEncryptor,
    };
    #[pymodule_export]
    use crate::cost::{core_cost, machine_cost, placed_um2, shipped_process, Cost, Process};
    #[pymodule_export]
    use crate::evaluator::{Checked, Evaluator, OperationTime, Prepared};
    #[pymodule_export]
    use crate::explained::{ExplainRow, OperationCount};
    #[pymodule_export]
    use crate::host::{decode_operations, encode_operations, Host, HostCost};
    #[pymodule_export]
    use crate::image::{image, Image};
    #[pymodule_export]
    use crate::instruction_set::{
        assemble, disassemble, run_instructions, time_transform_program, transform_generators,
        transform_in_c, Execution, TransformTime,
    };
    #[pymodule_export]
    use crate::interruptible::watch;
    #[pymodule_export]
    use crate::keys::{EvaluationKeys, PublicKey, SecretKey};
    #[pymodule_export]
    use crate::machine::{Backend, Link, Machine, Target};
    #[pymodule_export]
    use crate::module::{lower, Executable, Module};
    #[pymodule_export]
    use crate::openfhe::{
        openfhe_read_ciphertext, openfhe_read_evaluation_keys, openfhe_read_parameters,
        openfhe_read_public_key, openfhe_write_ciphertext, openfhe_write_context,
        openfhe_write_public_key, openfhe_write_relinearisation_key, openfhe_write_rotation_keys,
    };
    #[pymodule_export]
    use crate::parameters::{Parameters, Security};
    #[pymodule_export]
    use crate::program::{sign_polynomials, HeProgram, ProgramBuilder};
    #[pymodule_export]
    use crate::repeated::Repeated;
    #[pymodule_export]
    use crate::roofline::{roofline, Roofline};
    #[pymodule_export]
    use crate::rtl::{rtl_package, RtlCase, RtlPackage};
    #[pymodule_export]
    use crate::schedule::{schedule, LedgerEntry, Schedule, Span};
    #[pymodule_export]
    use crate::seal::{
        seal_read_ciphertext, seal_read_evaluation_keys, seal_read_parameters,
        seal_read_public_key, seal_slots, seal_version_of, seal_write_ciphertext,
        seal_write_parameters, seal_write_public_key, seal_write_relinearisation_key,
        seal_write_rotation_keys,
    };
    #[pymodule_export]
    use crate::stage::{Detail, Resource, Stage};
    #[pymodule_export]
    use crate::stages::{Batches, Stages, Station, StepNaming};
    #[pymodule_export]
    use crate::system::{Device, System};
    #[pymodule_export]
    use crate::timing::{KernelTiming, OperationCycles, Step, Timing};
    #[pymodule_export]
    use crate::transform::{run_transform, search_schedules, Transform};
    #[pymodule_export]
    use crate::transform_schedule::TransformSchedule;
    #[pymodule_export]
    use crate::words::{
        ciphertext_words, fresh_ciphertext, plaintext_of_coefficients, public_key_words,
    };

    #[pymodule_init]
    fn init(module: &Bound<'_, PyModule>) -> PyResult<()> {
        module.add("__version__", env!("CARGO_PKG_VERSION"))
    }

    /// The best vector instructions of this processor that there is a body for.
    #[pyfunction]
    fn isa_detected() -> String {
        Isa::detect().to_string()
    }

    /// Every body there is, slowest first.
    #[pyfunction]
    fn isas_known() -> Vec<String> {
        Isa::ALL.iter().map(Isa::to_string).collect()
    }

    /// Every body that this processor can run, slowest first.
    #[pyfunction]
    fn isas_available() -> Vec<String> {
        Isa::available().iter().map(Isa::to_string).collect()
    }
}
