//! OpenFHE's objects.

use crate::ciphertext::Ciphertext;
use crate::error::{count, foreign_error};
use crate::keys::{EvaluationKeys, ForeignKeys, PublicKey};
use crate::parameters::Parameters;
use pyo3::prelude::*;
use ringwright_interop::foreign::Declared;
use ringwright_interop::openfhe;
use ringwright_schemes::security::Insecure;
use std::borrow::Cow;

type Bytes = Cow<'static, [u8]>;

/// The parameters of OpenFHE's keys.
#[pyfunction]
pub fn openfhe_read_parameters(
    public_key: &[u8],
    evaluation_key: Option<&[u8]>,
    name: &str,
    log_scale: i64,
    insecure: bool,
) -> PyResult<Parameters> {
    let log_scale = count("log_scale", log_scale)?;
    let insecure = insecure.then_some(Insecure);
    openfhe::read_parameters(public_key, evaluation_key, name, log_scale, insecure)
        .map(Parameters)
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
    let declared = Declared {
        max: maximum,
        rms,
        noise,
    };
    py.detach(|| openfhe::read_ciphertext(data, &parameters.0, &declared))
        .map(Ciphertext)
        .map_err(foreign_error)
}

/// A ciphertext in the place of OpenFHE's.
#[pyfunction]
pub fn openfhe_write_ciphertext(
    py: Python<'_>,
    ciphertext: &Ciphertext,
    template: &[u8],
) -> PyResult<Bytes> {
    let write = || openfhe::write_ciphertext(&ciphertext.0, template);
    Ok(py.detach(write).map_err(foreign_error)?.into())
}

/// A public key of OpenFHE's.
#[pyfunction]
pub fn openfhe_read_public_key(
    py: Python<'_>,
    data: &[u8],
    parameters: &Parameters,
) -> PyResult<PublicKey> {
    py.detach(|| openfhe::read_public_key(data, &parameters.0))
        .map(PublicKey)
        .map_err(foreign_error)
}

/// A public key in the place of OpenFHE's.
#[pyfunction]
pub fn openfhe_write_public_key(key: &PublicKey, template: &[u8]) -> PyResult<Bytes> {
    let written = openfhe::write_public_key(&key.0, template);
    Ok(written.map_err(foreign_error)?.into())
}

/// OpenFHE's relinearisation and automorphism keys, each where it is given.
#[pyfunction]
pub fn openfhe_read_evaluation_keys(
    py: Python<'_>,
    parameters: &Parameters,
    relinearisation: Option<&[u8]>,
    rotations: Option<&[u8]>,
) -> PyResult<EvaluationKeys> {
    let keys = ForeignKeys {
        relinearisation,
        rotations,
    };
    let mult = openfhe::read_relinearisation_key;
    keys.read(py, parameters, mult, openfhe::read_rotation_keys)
}

/// The relinearisation key in the place of OpenFHE's; `None` where there is none.
#[pyfunction]
pub fn openfhe_write_relinearisation_key(
    keys: &EvaluationKeys,
    template: &[u8],
) -> PyResult<Option<Bytes>> {
    let write = |key| openfhe::write_relinearisation_key(key, template);
    let written = keys.0.mult().map(write).transpose();
    Ok(written.map_err(foreign_error)?.map(Cow::from))
}

/// The keys of automorphisms in the place of OpenFHE's.
#[pyfunction]
pub fn openfhe_write_rotation_keys(keys: &EvaluationKeys, template: &[u8]) -> PyResult<Bytes> {
    let written = openfhe::write_rotation_keys(keys.0.parameters(), keys.0.galois(), template);
    Ok(written.map_err(foreign_error)?.into())
}
