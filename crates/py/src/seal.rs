//! SEAL's formats.

use crate::ciphertext::Ciphertext;
use crate::client::KeyGenerator;
use crate::error::{foreign_error, rlwe_error};
use crate::foreign::{self, written, written_key, Bytes};
use crate::integer::{count, Integer};
use crate::keys::{EvaluationKeys, PublicKey, SecretKey};
use crate::parameters::Parameters;
use numpy::{IntoPyArray, PyArray1};
use pyo3::prelude::*;
use ringwright_interop::seal;
use ringwright_schemes::security::Insecure;

/// SEAL's `EncryptionParameters`.
#[pyfunction]
pub fn seal_read_parameters(
    data: &[u8],
    name: &str,
    log_scale: Integer,
    insecure: bool,
) -> PyResult<Parameters> {
    let insecure = insecure.then_some(Insecure);
    seal::read_parameters(data, name, count("log_scale", log_scale)?, insecure)
        .map(Parameters::from)
        .map_err(foreign_error)
}

/// SEAL's `EncryptionParameters` of ours.
#[pyfunction]
pub fn seal_write_parameters(parameters: &Parameters, version: (u8, u8)) -> PyResult<Bytes> {
    written(seal::write_parameters(&parameters.0, of(version)?))
}

/// A `Ciphertext` of SEAL's.
#[pyfunction]
pub fn seal_read_ciphertext(
    py: Python<'_>,
    data: &[u8],
    parameters: &Parameters,
    maximum: f64,
    rms: f64,
    noise: Option<f64>,
) -> PyResult<Ciphertext> {
    let declared = (maximum, rms, noise);
    foreign::read_ciphertext(py, data, parameters, declared, seal::read_ciphertext)
}

/// A ciphertext as SEAL saves it.
#[pyfunction]
pub fn seal_write_ciphertext(
    py: Python<'_>,
    ciphertext: &Ciphertext,
    version: (u8, u8),
) -> PyResult<Bytes> {
    let version = of(version)?;
    written(py.detach(|| seal::write_ciphertext(&ciphertext.0, version)))
}

/// SEAL's `PublicKey`, under the ciphertext primes.
#[pyfunction]
pub fn seal_read_public_key(
    py: Python<'_>,
    data: &[u8],
    parameters: &Parameters,
) -> PyResult<PublicKey> {
    let read = || seal::read_public_key(data, &parameters.0);
    let key = py.detach(read).map_err(foreign_error)?;
    key.restricted()
        .map(|key| PublicKey(key, parameters.0.clone()))
        .map_err(rlwe_error)
}

/// A fresh public key of a secret, under all primes, as SEAL saves it.
#[pyfunction]
pub fn seal_write_public_key(
    py: Python<'_>,
    generator: &KeyGenerator,
    secret: &SecretKey,
    version: (u8, u8),
) -> PyResult<Bytes> {
    let key = generator.extended_public_key(py, secret)?;
    written(seal::write_public_key(&key, of(version)?))
}

/// The keys of SEAL's `RelinKeys` and `GaloisKeys`, each where it is given.
#[pyfunction]
pub fn seal_read_evaluation_keys(
    py: Python<'_>,
    parameters: &Parameters,
    relinearisation: Option<&[u8]>,
    rotations: Option<&[u8]>,
) -> PyResult<EvaluationKeys> {
    foreign::read_evaluation_keys(
        py,
        parameters,
        (relinearisation, rotations),
        seal::read_relinearisation_key,
        seal::read_galois_keys,
    )
}

/// SEAL's `RelinKeys` of ours; `None` where there is no such key.
#[pyfunction]
pub fn seal_write_relinearisation_key(
    keys: &EvaluationKeys,
    version: (u8, u8),
) -> PyResult<Option<Bytes>> {
    let version = of(version)?;
    written_key(keys, |key| seal::write_relinearisation_key(key, version))
}

/// SEAL's `GaloisKeys` of ours.
#[pyfunction]
pub fn seal_write_rotation_keys(keys: &EvaluationKeys, version: (u8, u8)) -> PyResult<Bytes> {
    let (ring, galois) = (keys.0.ring(), keys.0.galois());
    written(seal::write_galois_keys(ring, galois, of(version)?))
}

/// Our slot of every slot of SEAL's, of which there are `slots`; `~slot` where ours holds the
/// conjugate.
#[pyfunction]
pub fn seal_slots(py: Python<'_>, slots: usize) -> Bound<'_, PyArray1<i64>> {
    let slots = seal::slots::slots(slots);
    let number = |slot: &seal::slots::Slot| match slot.conjugated {
        false => slot.index as i64,
        true => !(slot.index as i64),
    };
    let numbers: Vec<i64> = slots.iter().map(number).collect();
    numbers.into_pyarray(py)
}

/// The version of SEAL that wrote an object.
#[pyfunction]
pub fn seal_version_of(data: &[u8]) -> PyResult<(u8, u8)> {
    let version = seal::Version::of(data).map_err(foreign_error)?;
    Ok(version.numbers())
}

fn of((major, minor): (u8, u8)) -> PyResult<seal::Version> {
    seal::Version::new(major, minor).map_err(foreign_error)
}
