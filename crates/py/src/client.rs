//! What a key holder does: keys, encoding, encryption, decryption.

use crate::ciphertext::{Ciphertext, Plaintext};
use crate::error::{ckks_error, count, ParameterError};
use crate::keys::{EvaluationKeys, PublicKey, SecretKey};
use crate::machine::Backend;
use crate::parameters::Parameters;
use crate::program::HeProgram;
use crate::record;
use numpy::{Complex64, IntoPyArray, PyArray1, PyReadonlyArray1};
use pyo3::prelude::*;
use ringwright_interop::wire;
use ringwright_schemes::{ckks, security::Insecure};
use std::path::PathBuf;
use std::sync::Arc;

/// Makes keys; every key takes a fresh seed from the operating system.
#[pyclass(frozen, module = "ringwright._ringwright")]
pub struct KeyGenerator {
    parameters: ckks::Parameters,
    inner: ckks::KeyGenerator,
}

#[pymethods]
impl KeyGenerator {
    #[new]
    fn new(parameters: &Parameters, backend: &Backend) -> Self {
        let inner = ckks::KeyGenerator::new(&parameters.0, backend.0.clone());
        Self {
            parameters: parameters.0.clone(),
            inner,
        }
    }

    /// A fresh ternary secret.
    fn secret_key(&self, py: Python<'_>) -> PyResult<SecretKey> {
        py.detach(|| self.inner.secret_key())
            .map(secret)
            .map_err(ckks_error)
    }

    /// Reads a file that `SecretKey.save` wrote. Raises `StorageError`, `FormatError` for damage
    /// and `KeyMismatchError` for a key of other parameters.
    fn load_secret_key(&self, py: Python<'_>, path: PathBuf) -> PyResult<SecretKey> {
        record::load_with(py, &path, |bytes| {
            wire::read_secret_key(bytes, &self.parameters, &self.inner)
        })
        .map(secret)
    }

    /// The public key of a secret.
    fn public_key(&self, py: Python<'_>, secret: &SecretKey) -> PyResult<PublicKey> {
        py.detach(|| self.inner.public_key(&secret.0))
            .map(PublicKey)
            .map_err(ckks_error)
    }

    /// The evaluation keys that these programs need, each once.
    fn evaluation_keys(
        &self,
        py: Python<'_>,
        secret: &SecretKey,
        programs: Vec<Bound<'_, HeProgram>>,
    ) -> PyResult<EvaluationKeys> {
        let wanted = programs
            .iter()
            .flat_map(|program| program.get().keys())
            .collect();
        py.detach(|| self.inner.evaluation_keys(&secret.0, &wanted))
            .map(EvaluationKeys)
            .map_err(ckks_error)
    }
}

impl KeyGenerator {
    /// A public key for libraries that encrypt under all primes.
    pub fn extended_public_key(
        &self,
        py: Python<'_>,
        secret: &SecretKey,
    ) -> PyResult<ckks::ExtendedPublicKey> {
        py.detach(|| self.inner.extended_public_key(&secret.0))
            .map_err(ckks_error)
    }
}

fn secret(key: ckks::SecretKey) -> SecretKey {
    SecretKey(Arc::new(key))
}

/// Vectors to polynomials and back.
#[pyclass(frozen, module = "ringwright._ringwright")]
pub struct Embedding(ckks::Embedding);

#[pymethods]
impl Embedding {
    #[new]
    fn new(parameters: &Parameters) -> PyResult<Self> {
        ckks::Embedding::new(&parameters.0)
            .map(Self)
            .map_err(ckks_error)
    }

    /// Up to N/2 real values; the slots after them are zero.
    fn encode_real(
        &self,
        py: Python<'_>,
        values: PyReadonlyArray1<'_, f64>,
        scale: f64,
        level: i64,
    ) -> PyResult<Plaintext> {
        let level = count("level", level)?;
        let values = values.as_array().to_vec();
        py.detach(|| self.0.encode_real(&values, scale, level))
            .map(Plaintext)
            .map_err(ckks_error)
    }

    /// Up to N/2 complex values; the slots after them are zero.
    fn encode_complex(
        &self,
        py: Python<'_>,
        values: PyReadonlyArray1<'_, Complex64>,
        scale: f64,
        level: i64,
    ) -> PyResult<Plaintext> {
        let level = count("level", level)?;
        let (re, im): (Vec<f64>, Vec<f64>) = values.as_array().iter().map(|z| (z.re, z.im)).unzip();
        py.detach(|| self.0.encode_complex(&re, &im, scale, level))
            .map(Plaintext)
            .map_err(ckks_error)
    }

    /// The real parts of all N/2 slots.
    fn decode_real<'py>(
        &self,
        py: Python<'py>,
        plaintext: &Plaintext,
    ) -> PyResult<Bound<'py, PyArray1<f64>>> {
        let values = py
            .detach(|| self.0.decode_real(&plaintext.0))
            .map_err(ckks_error)?;
        Ok(values.into_pyarray(py))
    }

    /// All N/2 slots.
    fn decode_complex<'py>(
        &self,
        py: Python<'py>,
        plaintext: &Plaintext,
    ) -> PyResult<Bound<'py, PyArray1<Complex64>>> {
        let (re, im) = py
            .detach(|| self.0.decode_complex(&plaintext.0))
            .map_err(ckks_error)?;
        let values: Vec<_> = re
            .into_iter()
            .zip(im)
            .map(|(re, im)| Complex64 { re, im })
            .collect();
        Ok(values.into_pyarray(py))
    }
}

/// Encrypts with a public key; every encryption takes a fresh seed from the operating system.
#[pyclass(frozen, module = "ringwright._ringwright")]
pub struct Encryptor(ckks::Encryptor);

#[pymethods]
impl Encryptor {
    #[new]
    fn new(parameters: &Parameters, key: &PublicKey, backend: &Backend) -> PyResult<Self> {
        ckks::Encryptor::new(&parameters.0, key.0.clone(), backend.0.clone())
            .map(Self)
            .map_err(ckks_error)
    }

    /// Encrypts at the plaintext's level.
    fn encrypt(&self, py: Python<'_>, plaintext: &Plaintext) -> PyResult<Ciphertext> {
        py.detach(|| self.0.encrypt(&plaintext.0))
            .map(Ciphertext)
            .map_err(ckks_error)
    }

    /// Encrypts with the caller's 32-byte seed: worthless as encryption once it was used before.
    fn encrypt_with_insecure_seed(
        &self,
        py: Python<'_>,
        plaintext: &Plaintext,
        seed: &[u8],
    ) -> PyResult<Ciphertext> {
        let seed = <[u8; 32]>::try_from(seed).map_err(|_| {
            ParameterError::new_err(format!("a seed of {} bytes given; 32 allowed", seed.len()))
        })?;
        py.detach(|| self.0.encrypt_with_seed(&plaintext.0, seed, Insecure))
            .map(Ciphertext)
            .map_err(ckks_error)
    }
}

/// Decrypts with a secret key.
#[pyclass(frozen, module = "ringwright._ringwright")]
pub struct Decryptor(ckks::Decryptor);

#[pymethods]
impl Decryptor {
    #[new]
    fn new(parameters: &Parameters, key: &SecretKey, backend: &Backend) -> PyResult<Self> {
        ckks::Decryptor::new(&parameters.0, key.0.clone(), backend.0.clone())
            .map(Self)
            .map_err(ckks_error)
    }

    /// The message with its error: for the key holder only.
    fn decrypt(&self, py: Python<'_>, ciphertext: &Ciphertext) -> PyResult<Plaintext> {
        py.detach(|| self.0.decrypt(&ciphertext.0))
            .map(Plaintext)
            .map_err(ckks_error)
    }

    /// The message under flooding noise, which may leave the key holder: 30 statistical bits for
    /// one query, 8 bits of precision after the point. Raises `SecurityError` without room for it.
    fn decrypt_share(&self, py: Python<'_>, ciphertext: &Ciphertext) -> PyResult<Plaintext> {
        py.detach(|| self.0.decrypt_share(&ciphertext.0, ckks::Share::default()))
            .map(|(plaintext, _)| Plaintext(plaintext))
            .map_err(ckks_error)
    }
}
