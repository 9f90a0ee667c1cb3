//! What a key holder does: keys, encoding, encryption, decryption.

use crate::ciphertext::{Ciphertext, Plaintext};
use crate::error::{ckks_error, rlwe_error, ParameterError};
use crate::integer::{count, Integer};
use crate::interruptible::interruptible;
use crate::key_id::key_id;
use crate::keys::{key_store, EvaluationKeys, PublicKey, SecretKey, Streamed};
use crate::machine::Backend;
use crate::parameters::Parameters;
use crate::program::HeProgram;
use crate::record;
use crate::sharing::Sharing;
use numpy::{Complex64, IntoPyArray, PyArray1, PyReadonlyArray1};
use pyo3::prelude::*;
use ringwright_interop::wire;
use ringwright_schemes::{ckks, rlwe, security::Insecure};
use std::borrow::Cow;
use std::collections::BTreeMap;
use std::path::PathBuf;

/// Makes keys; every key takes a fresh seed from the operating system.
#[pyclass(frozen, module = "ringwright._ringwright")]
pub struct KeyGenerator {
    parameters: ckks::Parameters,
    inner: rlwe::KeyGenerator,
}

#[pymethods]
impl KeyGenerator {
    #[new]
    fn new(parameters: &Parameters, backend: &Backend) -> Self {
        let inner = rlwe::KeyGenerator::new(&parameters.0, backend.device());
        Self {
            parameters: parameters.0.clone(),
            inner,
        }
    }

    /// The same keys every time, from 32 bytes of the caller's: worthless as keys, for simulations that
    /// shall repeat.
    #[staticmethod]
    fn with_insecure_seed(parameters: &Parameters, backend: &Backend, seed: [u8; 32]) -> Self {
        let device = backend.device();
        let inner = rlwe::KeyGenerator::with_insecure_seed(&parameters.0, device, seed, Insecure);
        Self {
            parameters: parameters.0.clone(),
            inner,
        }
    }

    /// A fresh ternary secret.
    fn secret_key(&self, py: Python<'_>) -> PyResult<SecretKey> {
        interruptible(py, || self.inner.secret_key())?
            .map(|key| SecretKey::new(key, &self.parameters, None))
            .map_err(rlwe_error)
    }

    /// Reads a file that `SecretKey.save` wrote. Raises `StorageError`, `FormatError` for damage
    /// and `KeyMismatchError` for a key of other parameters.
    fn load_secret_key(&self, py: Python<'_>, path: PathBuf) -> PyResult<SecretKey> {
        let read = |bytes: &[u8]| wire::read_secret_key(bytes, &self.parameters, &self.inner);
        let key = record::load_with(py, &path, read)?;
        Ok(SecretKey::new(key, &self.parameters, Some(path)))
    }

    /// The public key of a secret.
    fn public_key(&self, py: Python<'_>, secret: &SecretKey) -> PyResult<PublicKey> {
        interruptible(py, || self.inner.public_key(&secret.key))?
            .map(|key| PublicKey(key, self.parameters.clone()))
            .map_err(rlwe_error)
    }

    /// The evaluation keys that these programs need, each once, for every level or (`limited`) for those
    /// that they use it at. `streamed`: how many bytes of them stay in memory; the others lie in files of
    /// this folder.
    #[pyo3(signature = (secret, programs, limited = false, streamed = None))]
    fn evaluation_keys(
        &self,
        py: Python<'_>,
        secret: &SecretKey,
        programs: Vec<Bound<'_, HeProgram>>,
        limited: bool,
        streamed: Option<Streamed>,
    ) -> PyResult<EvaluationKeys> {
        let store = key_store(streamed)?;
        let mut wanted = BTreeMap::new();
        for program in &programs {
            let shapes = program.get().key_shapes(limited).map_err(rlwe_error)?;
            for (id, shape) in shapes {
                let widest = wanted.entry(id).or_insert_with(|| shape.clone());
                if shape.level() > widest.level() {
                    *widest = shape;
                }
            }
        }
        let keys = || self.inner.evaluation_keys_in(&secret.key, &wanted, store);
        interruptible(py, keys)?
            .map(|keys| EvaluationKeys(keys, self.parameters.clone()))
            .map_err(rlwe_error)
    }
}

impl KeyGenerator {
    /// A public key for libraries that encrypt under all primes.
    pub fn extended_public_key(
        &self,
        py: Python<'_>,
        secret: &SecretKey,
    ) -> PyResult<rlwe::ExtendedPublicKey> {
        interruptible(py, || self.inner.extended_public_key(&secret.key))?.map_err(rlwe_error)
    }
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
        level: Integer,
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
        level: Integer,
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
        ckks::Encryptor::new(&parameters.0, key.0.clone(), backend.device())
            .map(Self)
            .map_err(ckks_error)
    }

    /// Encrypts at the plaintext's level.
    fn encrypt(&self, py: Python<'_>, plaintext: &Plaintext) -> PyResult<Ciphertext> {
        interruptible(py, || self.0.encrypt(&plaintext.0))?
            .map(Ciphertext)
            .map_err(ckks_error)
    }

    /// Encodes real values and encrypts them; `bounds`: the public bounds of their size and root mean
    /// square. Noise is drawn meanwhile where there are several threads.
    #[pyo3(signature = (embedding, values, scale, level, bounds))]
    fn encrypt_real(
        &self,
        py: Python<'_>,
        embedding: &Embedding,
        values: PyReadonlyArray1<'_, f64>,
        scale: f64,
        level: Integer,
        bounds: Option<(f64, f64)>,
    ) -> PyResult<Ciphertext> {
        let values = values.as_array().to_vec();
        self.encrypt_encoded(py, embedding, (&values, &[]), scale, level, bounds)
    }

    /// Encodes complex values and encrypts them, as `encrypt_real`.
    #[pyo3(signature = (embedding, values, scale, level, bounds))]
    fn encrypt_complex(
        &self,
        py: Python<'_>,
        embedding: &Embedding,
        values: PyReadonlyArray1<'_, Complex64>,
        scale: f64,
        level: Integer,
        bounds: Option<(f64, f64)>,
    ) -> PyResult<Ciphertext> {
        let (re, im): (Vec<f64>, Vec<f64>) = values.as_array().iter().map(|z| (z.re, z.im)).unzip();
        self.encrypt_encoded(py, embedding, (&re, &im), scale, level, bounds)
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
        interruptible(py, || {
            self.0.encrypt_with_seed(&plaintext.0, seed, Insecure)
        })?
        .map(Ciphertext)
        .map_err(ckks_error)
    }
}

impl Encryptor {
    fn encrypt_encoded(
        &self,
        py: Python<'_>,
        embedding: &Embedding,
        (re, im): (&[f64], &[f64]),
        scale: f64,
        level: Integer,
        bounds: Option<(f64, f64)>,
    ) -> PyResult<Ciphertext> {
        let level = count("level", level)?;
        let encode = || {
            let encoded = embedding.0.encode_complex(re, im, scale, level)?;
            match bounds {
                Some((max, rms)) => encoded.with_bounds(max, rms),
                None => Ok(encoded),
            }
        };
        interruptible(py, || self.0.encrypt_encoded(level, encode))?
            .map(Ciphertext)
            .map_err(ckks_error)
    }
}

/// Encrypts with the secret key: less noise, and half of every ciphertext's record is a public seed.
#[pyclass(frozen, module = "ringwright._ringwright")]
pub struct SymmetricEncryptor(ckks::SymmetricEncryptor);

#[pymethods]
impl SymmetricEncryptor {
    #[new]
    fn new(parameters: &Parameters, key: &SecretKey, backend: &Backend) -> PyResult<Self> {
        ckks::SymmetricEncryptor::new(&parameters.0, key.key.clone(), backend.device())
            .map(Self)
            .map_err(ckks_error)
    }

    /// Encrypts at the plaintext's level.
    fn encrypt(&self, py: Python<'_>, plaintext: &Plaintext) -> PyResult<Ciphertext> {
        interruptible(py, || self.0.encrypt(&plaintext.0))?
            .map(Ciphertext)
            .map_err(ckks_error)
    }
}

/// What a key holder expects a server to return: kept anywhere, checked when something is shared.
#[pyclass(frozen, eq, module = "ringwright._ringwright")]
#[derive(PartialEq)]
pub struct Expected(ckks::Expected);

#[pymethods]
impl Expected {
    /// The secret key that made it.
    #[getter]
    fn key_id(&self) -> Option<String> {
        key_id(self.0.parts().identity)
    }

    /// Digest of what the program computes, in hexadecimal.
    #[getter]
    fn program(&self) -> String {
        hexadecimal(&self.0.parts().program)
    }

    /// Digest of every input, in hexadecimal.
    #[getter]
    fn inputs(&self) -> Vec<String> {
        let inputs = self.0.parts().inputs.iter();
        inputs.map(|input| hexadecimal(input)).collect()
    }

    /// How many ciphertexts may be shared against it.
    #[getter]
    fn queries(&self) -> u32 {
        self.0.parts().queries
    }

    /// What no slot of each result is off by more, as predicted here, but with probability 2^-20.
    #[getter]
    fn error_bounds(&self) -> Vec<f64> {
        let model = ckks::NoiseModel::new(self.0.parameters());
        let results = self.0.parts().results.iter();
        results.map(|ty| model.error_bound(ty)).collect()
    }

    /// Raises `SecurityError` for ciphertexts that are not those inputs, word by word.
    fn check_inputs(&self, py: Python<'_>, inputs: Vec<Bound<'_, Ciphertext>>) -> PyResult<()> {
        let inputs: Vec<_> = inputs.iter().map(|input| input.get().0.clone()).collect();
        interruptible(py, || self.0.check_inputs(&inputs))?.map_err(ckks_error)
    }

    /// The wire record.
    fn to_bytes(&self, py: Python<'_>) -> PyResult<Cow<'static, [u8]>> {
        record::to_bytes(py, &self.0)
    }

    /// Reads a wire record. Raises `FormatError` for damage and `KeyMismatchError` for a record of
    /// other parameters; whether it was changed shows when something is shared.
    #[staticmethod]
    fn from_bytes(py: Python<'_>, parameters: &Parameters, data: &[u8]) -> PyResult<Self> {
        record::from_bytes(py, &parameters.0, data).map(Self)
    }

    fn __repr__(&self) -> String {
        let parts = self.0.parts();
        format!(
            "Expected({} results of {} inputs, {} to be shared)",
            parts.results.len(),
            parts.inputs.len(),
            parts.queries
        )
    }
}

fn hexadecimal(bytes: &[u8]) -> String {
    bytes.iter().map(|byte| format!("{byte:02x}")).collect()
}

/// Decrypts with a secret key.
#[pyclass(frozen, module = "ringwright._ringwright")]
pub struct Decryptor {
    inner: ckks::Decryptor,
    secret: SecretKey,
}

#[pymethods]
impl Decryptor {
    #[new]
    fn new(parameters: &Parameters, key: &SecretKey, backend: &Backend) -> PyResult<Self> {
        let inner = ckks::Decryptor::new(&parameters.0, key.key.clone(), backend.device());
        let (inner, secret) = (inner.map_err(ckks_error)?, key.clone());
        Ok(Self { inner, secret })
    }

    /// The message with its error: for the key holder only.
    fn decrypt(&self, py: Python<'_>, ciphertext: &Ciphertext) -> PyResult<Plaintext> {
        interruptible(py, || self.inner.decrypt(&ciphertext.0))?
            .map(Plaintext)
            .map_err(ckks_error)
    }

    /// Predicts what a program will return for inputs that were encrypted here.
    fn expect(
        &self,
        py: Python<'_>,
        program: &HeProgram,
        inputs: Vec<Bound<'_, Ciphertext>>,
        queries: Integer,
    ) -> PyResult<Expected> {
        let queries = count("queries", queries)?;
        let inputs: Vec<_> = inputs.iter().map(|input| input.get().0.clone()).collect();
        let key = &self.secret.key;
        interruptible(py, || {
            ckks::Expected::new(
                &program.parameters.0,
                key,
                &program.program,
                &inputs,
                queries,
            )
        })?
        .map(Expected)
        .map_err(ckks_error)
    }

    /// The message under flooding noise, which may leave the key holder, and the predicted error (root
    /// mean square) of its slots' real parts. Counted before it is decrypted.
    fn share(
        &self,
        py: Python<'_>,
        ciphertext: &Ciphertext,
        expected: &Expected,
        index: Integer,
        sharing: Sharing,
    ) -> PyResult<(Plaintext, f64)> {
        let sharing = sharing.read()?;
        let (index, key) = (count("result", index)?, &self.secret.key);
        let sized = || ckks::Shared::new(key, &ciphertext.0, &expected.0, index, sharing);
        let shared = py.detach(sized).map_err(ckks_error)?;
        py.detach(|| self.secret.count(&shared))?;
        let plaintext = py.detach(|| self.inner.release(&shared));
        let plaintext = plaintext.map_err(ckks_error)?;
        Ok((Plaintext(plaintext), shared.flooding().slot_error))
    }
}
