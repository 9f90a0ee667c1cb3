//! Keys. The secret one shows nothing of itself.

use crate::error::{ckks_error, foreign_error, storage_error, SecurityError};
use crate::parameters::Parameters;
use crate::record::{self, Record};
use pyo3::prelude::*;
use ringwright_interop::foreign::ForeignError;
use ringwright_interop::storage::{self, Access};
use ringwright_interop::wire;
use ringwright_ir::he::KeyId;
use ringwright_schemes::ckks;
use std::borrow::Cow;
use std::collections::BTreeMap;
use std::io::Write;
use std::path::PathBuf;
use std::sync::Arc;

/// A secret key: overwritten when it is dropped, in no repr and no pickle.
#[pyclass(frozen, module = "ringwright._ringwright")]
pub struct SecretKey(pub Arc<ckks::SecretKey>);

#[pymethods]
impl SecretKey {
    /// The parameters it was drawn for.
    #[getter]
    fn parameters(&self) -> Parameters {
        Parameters(self.0.parameters().clone())
    }

    /// Writes the key to a file that only its owner can read, whole or not at all. Whoever reads
    /// the file decrypts everything. Raises `StorageError`.
    fn save(&self, py: Python<'_>, path: PathBuf) -> PyResult<()> {
        let write = || {
            let bytes = wire::expose_secret_key(&self.0);
            storage::save(&path, Access::Owner, |file| file.write_all(&bytes))
        };
        py.detach(write).map_err(storage_error)
    }

    fn __reduce__(&self) -> PyResult<()> {
        Err(SecurityError::new_err(
            "a secret key is not pickled; save(path) writes it deliberately",
        ))
    }

    fn __repr__(&self) -> String {
        format!("SecretKey({}, hidden)", self.0.parameters().name())
    }
}

/// A public key: encrypts.
#[pyclass(frozen, module = "ringwright._ringwright")]
pub struct PublicKey(pub ckks::PublicKey);

#[pymethods]
impl PublicKey {
    /// The parameters it was made for.
    #[getter]
    fn parameters(&self) -> Parameters {
        Parameters(self.0.parameters().clone())
    }

    /// The wire record.
    fn to_bytes(&self, py: Python<'_>) -> PyResult<Cow<'static, [u8]>> {
        record::to_bytes(py, &self.0)
    }

    /// Bytes of the wire record, without making it.
    #[getter]
    fn encoded_len(&self) -> u64 {
        self.0.length()
    }

    /// Reads a wire record. Raises `FormatError` for damage and `KeyMismatchError` for a record
    /// of other parameters.
    #[staticmethod]
    fn from_bytes(py: Python<'_>, parameters: &Parameters, data: &[u8]) -> PyResult<Self> {
        record::from_bytes(py, &parameters.0, data).map(Self)
    }

    /// Writes the wire record to a file, whole or not at all. Raises `StorageError`.
    fn save(&self, py: Python<'_>, path: PathBuf) -> PyResult<()> {
        record::save(py, &self.0, path)
    }

    /// Reads a file that `save` wrote. Raises as `from_bytes` does, and `StorageError`.
    #[staticmethod]
    fn load(py: Python<'_>, parameters: &Parameters, path: PathBuf) -> PyResult<Self> {
        record::load(py, &parameters.0, path).map(Self)
    }

    fn __repr__(&self) -> String {
        format!("PublicKey({})", self.0.parameters().name())
    }
}

/// What a server needs to run programs: relinearisation and rotation keys.
#[pyclass(frozen, module = "ringwright._ringwright")]
pub struct EvaluationKeys(pub ckks::EvaluationKeys);

#[pymethods]
impl EvaluationKeys {
    /// The parameters they were made for.
    #[getter]
    fn parameters(&self) -> Parameters {
        Parameters(self.0.parameters().clone())
    }

    /// The keys there are: "mult", "galois 5", ...
    #[getter]
    fn names(&self) -> Vec<String> {
        self.0.ids().iter().map(KeyId::to_string).collect()
    }

    /// The wire record.
    fn to_bytes(&self, py: Python<'_>) -> PyResult<Cow<'static, [u8]>> {
        record::to_bytes(py, &self.0)
    }

    /// Bytes of the wire record, without making it.
    #[getter]
    fn encoded_len(&self) -> u64 {
        self.0.length()
    }

    /// Reads a wire record. Raises `FormatError` for damage and `KeyMismatchError` for a record
    /// of other parameters.
    #[staticmethod]
    fn from_bytes(py: Python<'_>, parameters: &Parameters, data: &[u8]) -> PyResult<Self> {
        record::from_bytes(py, &parameters.0, data).map(Self)
    }

    /// Writes the wire record to a file, whole or not at all. Raises `StorageError`.
    fn save(&self, py: Python<'_>, path: PathBuf) -> PyResult<()> {
        record::save(py, &self.0, path)
    }

    /// Reads a file that `save` wrote. Raises as `from_bytes` does, and `StorageError`.
    #[staticmethod]
    fn load(py: Python<'_>, parameters: &Parameters, path: PathBuf) -> PyResult<Self> {
        record::load(py, &parameters.0, path).map(Self)
    }

    fn __repr__(&self) -> String {
        format!(
            "EvaluationKeys({}, {})",
            self.0.parameters().name(),
            self.names().join(", ")
        )
    }
}

/// Another library's evaluation keys as it saves them, each where it is given.
pub struct ForeignKeys<'b> {
    pub relinearisation: Option<&'b [u8]>,
    pub rotations: Option<&'b [u8]>,
}

/// A library's reader of keys of the kind `K`.
type Reader<K> = fn(&[u8], &ckks::Parameters) -> Result<K, ForeignError>;

impl ForeignKeys<'_> {
    /// Reads them with the library's readers.
    pub fn read(
        &self,
        py: Python<'_>,
        parameters: &Parameters,
        relinearisation: Reader<ckks::SwitchingKey>,
        rotations: Reader<BTreeMap<u64, ckks::SwitchingKey>>,
    ) -> PyResult<EvaluationKeys> {
        let parameters = &parameters.0;
        let read = || {
            let mult = self.relinearisation;
            let mult = mult.map(|data| relinearisation(data, parameters));
            let galois = self.rotations.map(|data| rotations(data, parameters));
            Ok((mult.transpose()?, galois.transpose()?.unwrap_or_default()))
        };
        let (mult, galois) = py.detach(read).map_err(foreign_error)?;
        ckks::EvaluationKeys::new(parameters, mult, galois)
            .map(EvaluationKeys)
            .map_err(ckks_error)
    }
}
