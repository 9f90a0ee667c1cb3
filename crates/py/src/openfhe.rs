//! OpenFHE's objects.

use crate::ciphertext::Ciphertext;
use crate::error::foreign_error;
use crate::foreign::{self, written, written_key, Bytes};
use crate::integer::{count, Integer};
use crate::interruptible::interruptible;
use crate::keys::{EvaluationKeys, PublicKey};
use crate::parameters::Parameters;
use pyo3::prelude::*;
use ringwright_interop::openfhe::{self, whole};
use ringwright_schemes::security::Insecure;

/// The parameters of OpenFHE's keys.
#[pyfunction]
pub fn openfhe_read_parameters(
    public_key: &[u8],
    evaluation_key: Option<&[u8]>,
    name: &str,
    log_scale: Integer,
    insecure: bool,
) -> PyResult<Parameters> {
    let log_scale = count("log_scale", log_scale)?;
    let insecure = insecure.then_some(Insecure);
    openfhe::read_parameters(public_key, evaluation_key, name, log_scale, insecure)
        .map(Parameters::from)
        .map_err(foreign_error)
}

/// A ciphertext of OpenFHE's.
#[pyfunction]
pub fn openfhe_read_ciphertext(
    py: Python<'_>,
    data: &[u8],
    parameters: &Parameters,
    maximum: f64,
    rms: f64,
    noise: Option<f64>,
) -> PyResult<Ciphertext> {
    let declared = (maximum, rms, noise);
    foreign::read_ciphertext(py, data, parameters, declared, openfhe::read_ciphertext)
}

/// A crypto context of OpenFHE's for parameters of ours.
#[pyfunction]
pub fn openfhe_write_context(parameters: &Parameters) -> PyResult<Bytes> {
    written(whole::write_context(&parameters.0))
}

/// A ciphertext, whole or in the place of OpenFHE's.
#[pyfunction]
pub fn openfhe_write_ciphertext(
    py: Python<'_>,
    ciphertext: &Ciphertext,
    template: Option<&[u8]>,
    tag: &str,
) -> PyResult<Bytes> {
    let ciphertext = &ciphertext.0;
    let write = || match template {
        Some(template) => openfhe::write_ciphertext(ciphertext, template),
        None => whole::write_ciphertext(ciphertext, tag),
    };
    written(interruptible(py, write)?)
}

/// A public key of OpenFHE's.
#[pyfunction]
pub fn openfhe_read_public_key(
    py: Python<'_>,
    data: &[u8],
    parameters: &Parameters,
) -> PyResult<PublicKey> {
    interruptible(py, || openfhe::read_public_key(data, &parameters.0))?
        .map(|key| PublicKey(key, parameters.0.clone()))
        .map_err(foreign_error)
}

/// A public key, whole or in the place of OpenFHE's.
#[pyfunction]
pub fn openfhe_write_public_key(
    key: &PublicKey,
    template: Option<&[u8]>,
    tag: &str,
) -> PyResult<Bytes> {
    written(match template {
        Some(template) => openfhe::write_public_key(&key.0, template),
        None => whole::write_public_key(&key.1, &key.0, tag),
    })
}

/// OpenFHE's relinearisation and automorphism keys, each where it is given.
#[pyfunction]
pub fn openfhe_read_evaluation_keys(
    py: Python<'_>,
    parameters: &Parameters,
    relinearisation: Option<&[u8]>,
    rotations: Option<&[u8]>,
) -> PyResult<EvaluationKeys> {
    foreign::read_evaluation_keys(
        py,
        parameters,
        (relinearisation, rotations),
        openfhe::read_relinearisation_key,
        openfhe::read_rotation_keys,
    )
}

/// The relinearisation key, whole or in the place of OpenFHE's; `None` where there is none.
#[pyfunction]
pub fn openfhe_write_relinearisation_key(
    keys: &EvaluationKeys,
    template: Option<&[u8]>,
    tag: &str,
) -> PyResult<Option<Bytes>> {
    written_key(keys, |key| match template {
        Some(template) => openfhe::write_relinearisation_key(key, template),
        None => whole::write_relinearisation_key(&keys.1, key, tag),
    })
}

/// The keys of automorphisms, whole or in the place of OpenFHE's.
#[pyfunction]
pub fn openfhe_write_rotation_keys(
    keys: &EvaluationKeys,
    template: Option<&[u8]>,
    tag: &str,
) -> PyResult<Bytes> {
    let (parameters, galois) = (&keys.1, keys.0.galois());
    written(match template {
        Some(template) => openfhe::write_rotation_keys(parameters, galois, template),
        None => whole::write_rotation_keys(parameters, galois, tag),
    })
}
