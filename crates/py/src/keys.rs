//! Keys. The secret one shows nothing of itself.

use crate::error::{ckks_error, format_error, storage_error, SecurityError, StorageError};
use crate::integer::{count, Integer};
use crate::key_id::key_id;
use crate::parameters::Parameters;
use crate::record::load_with;
use crate::record_class::record_class;
use pyo3::prelude::*;
use ringwright_interop::key_file::{self, CountError};
use ringwright_interop::storage::{self, Access};
use ringwright_interop::wire;
use ringwright_ir::he::KeyId;
use ringwright_schemes::{ckks, rlwe};
use std::io::Write;
use std::path::PathBuf;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

/// A secret key: overwritten when it is dropped, in no repr and no pickle.
#[pyclass(frozen, module = "ringwright._ringwright")]
#[derive(Clone)]
pub struct SecretKey {
    pub key: Arc<rlwe::SecretKey>,
    parameters: ckks::Parameters,
    /// The file in which the results that it shared are counted, if there is one.
    home: Arc<Mutex<Option<PathBuf>>>,
}

impl SecretKey {
    pub fn new(key: rlwe::SecretKey, parameters: &ckks::Parameters, home: Option<PathBuf>) -> Self {
        Self {
            key: Arc::new(key),
            parameters: parameters.clone(),
            home: Arc::new(Mutex::new(home)),
        }
    }

    /// Counts a result, in the key's file first where it has one.
    pub fn count(&self, shared: &ckks::Shared) -> PyResult<()> {
        let home = self.home().clone();
        let Some(path) = home else {
            return shared.count(&self.key).map_err(ckks_error);
        };
        key_file::count(&path, &self.key, shared).map_err(|error| match error {
            CountError::Storage(_) => StorageError::new_err(error.to_string()),
            CountError::File(error) => format_error(&path, error),
            CountError::Scheme(error) => ckks_error(error),
        })
    }

    fn home(&self) -> MutexGuard<'_, Option<PathBuf>> {
        self.home.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

#[pymethods]
impl SecretKey {
    /// The parameters it was drawn for.
    #[getter]
    fn parameters(&self) -> Parameters {
        self.parameters.clone().into()
    }

    /// Which key it is, 32 hexadecimal digits that travel with what is made under it; `None` for one
    /// of another library.
    #[getter]
    fn key_id(&self) -> Option<String> {
        key_id(self.key.identity())
    }

    /// What was shared under it: for every result a digest, the statistical bits that were promised,
    /// and the number of results of which it was to be one.
    #[getter]
    fn shared(&self) -> Vec<(String, u32, u32)> {
        let digits = |digest: [u8; 32]| digest.iter().map(|byte| format!("{byte:02x}")).collect();
        let shared = self.key.shared().into_iter();
        let row = |r: rlwe::SharedResult| (digits(r.result), r.statistical_bits, r.queries);
        shared.map(row).collect()
    }

    /// Writes the key to a file that only its owner can read, whole or not at all. Whoever reads
    /// the file decrypts everything. The results that it shares from now on are counted there.
    /// Raises `StorageError`.
    fn save(&self, py: Python<'_>, path: PathBuf) -> PyResult<()> {
        let write = || {
            let bytes = wire::expose_secret_key(&self.key);
            storage::save(&path, Access::Owner, |file| file.write_all(&bytes))
        };
        py.detach(write).map_err(storage_error)?;
        *self.home() = Some(path);
        Ok(())
    }

    fn __reduce__(&self) -> PyResult<()> {
        Err(SecurityError::new_err(
            "a secret key is not pickled; save(path) writes it deliberately",
        ))
    }

    fn __repr__(&self) -> String {
        let id = self.key.identity();
        format!("SecretKey({}, {id}, hidden)", self.parameters.name())
    }
}

/// A public key: encrypts.
#[pyclass(frozen, module = "ringwright._ringwright")]
pub struct PublicKey(pub rlwe::PublicKey, pub ckks::Parameters);

impl PublicKey {
    fn of(record: rlwe::PublicKey, parameters: &ckks::Parameters) -> Self {
        Self(record, parameters.clone())
    }

    fn under(&self) -> &ckks::Parameters {
        &self.1
    }
}

record_class! { impl PublicKey:
    fn __repr__(&self) -> String {
        format!("PublicKey({})", self.1.name())
    }
}

/// How many bytes of keys stay in memory, and the folder of the others' files; default: the system's for
/// temporary files.
pub type Streamed = (Integer, Option<PathBuf>);

/// Where keys lie: in memory, or but for so many bytes in files.
pub fn key_store(streamed: Option<Streamed>) -> PyResult<rlwe::KeyStore> {
    let Some((in_memory, folder)) = streamed else {
        return Ok(rlwe::KeyStore::memory());
    };
    let folder = folder.unwrap_or_else(std::env::temp_dir);
    Ok(rlwe::KeyStore::streamed(
        count("in_memory", in_memory)?,
        folder,
    ))
}

/// What a server needs to run programs: relinearisation and rotation keys.
#[pyclass(frozen, module = "ringwright._ringwright")]
pub struct EvaluationKeys(pub rlwe::EvaluationKeys, pub ckks::Parameters);

impl EvaluationKeys {
    fn of(record: rlwe::EvaluationKeys, parameters: &ckks::Parameters) -> Self {
        Self(record, parameters.clone())
    }

    fn under(&self) -> &ckks::Parameters {
        &self.1
    }
}

record_class! { impl EvaluationKeys:
    /// The keys there are: "mult", "galois 5", ...
    #[getter]
    fn names(&self) -> Vec<String> {
        self.0.ids().iter().map(KeyId::to_string).collect()
    }

    /// `load`, and so many bytes of keys stay in memory, the first in order; the others lie in files of
    /// this folder, by default the one for temporary files.
    #[staticmethod]
    #[pyo3(signature = (parameters, path, in_memory, folder = None))]
    fn load_streamed(
        py: Python<'_>,
        parameters: &Parameters,
        path: PathBuf,
        in_memory: Integer,
        folder: Option<PathBuf>,
    ) -> PyResult<Self> {
        let store = key_store(Some((in_memory, folder)))?;
        let read = |bytes: &[u8]| wire::read_evaluation_keys_into(bytes, &parameters.0, store);
        let keys = load_with(py, &path, read)?;
        Ok(Self::of(keys, &parameters.0))
    }

    fn __repr__(&self) -> String {
        format!(
            "EvaluationKeys({}, {})",
            self.1.name(),
            self.names().join(", ")
        )
    }
}
