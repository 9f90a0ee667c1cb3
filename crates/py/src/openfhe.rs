//! OpenFHE's objects.

use crate::ciphertext::Ciphertext;
use crate::error::foreign_error;
use crate::integer::{count, Integer};
use crate::interruptible::interruptible;
use crate::keys::{EvaluationKeys, ForeignKeys, PublicKey};
use crate::parameters::Parameters;
use pyo3::prelude::*;
use ringwright_interop::foreign::Declared;
use ringwright_interop::openfhe::{self, whole};
use ringwright_schemes::security::Insecure;
use std::borrow::Cow;

type Bytes = Cow<'static, [u8]>;

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
    let declared = Declared {
        max: maximum,
        rms,
        noise,
    };
    interruptible(py, || {
        openfhe::read_ciphertext(data, &parameters.0, &declared)
    })?
    .map(Ciphertext)
    .map_err(foreign_error)
}

/// A crypto context of OpenFHE's for parameters of ours.
#[pyfunction]
pub fn openfhe_write_context(parameters: &Parameters) -> PyResult<Bytes> {
    Ok(whole::write_context(&parameters.0)
        .map_err(foreign_error)?
        .into())
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
    Ok(interruptible(py, write)?.map_err(foreign_error)?.into())
}

/// A public key of OpenFHE's.
#[pyfunction]
pub fn openfhe_read_public_key(
    py: Python<'_>,
    data: &[u8],
    parameters: &Parameters,
) -> PyResult<PublicKey> {
    interruptible(py, || openfhe::read_public_key(data, &parameters.0))?
        .map(PublicKey)
        .map_err(foreign_error)
}

/// A public key, whole or in the place of OpenFHE's.
#[pyfunction]
pub fn openfhe_write_public_key(
    key: &PublicKey,
    template: Option<&[u8]>,
    tag: &str,
) -> PyResult<Bytes> {
    let written = match template {
        Some(template) => openfhe::write_public_key(&key.0, template),
        None => whole::write_public_key(&key.0, tag),
    };
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

/// The relinearisation key, whole or in the place of OpenFHE's; `None` where there is none.
#[pyfunction]
pub fn openfhe_write_relinearisation_key(
    keys: &EvaluationKeys,
    template: Option<&[u8]>,
    tag: &str,
) -> PyResult<Option<Bytes>> {
    let write = |key| match template {
        Some(template) => openfhe::write_relinearisation_key(key, template),
        None => whole::write_relinearisation_key(key, tag),
    };
    let written = keys.0.mult().map(write).transpose();
    Ok(written.map_err(foreign_error)?.map(Cow::from))
}

/// The keys of automorphisms, whole or in the place of OpenFHE's.
#[pyfunction]
pub fn openfhe_write_rotation_keys(
    keys: &EvaluationKeys,
    template: Option<&[u8]>,
    tag: &str,
) -> PyResult<Bytes> {
    let (parameters, galois) = (keys.0.parameters(), keys.0.galois());
    let written = match template {
        Some(template) => openfhe::write_rotation_keys(parameters, galois, template),
        None => whole::write_rotation_keys(parameters, galois, tag),
    };
    Ok(written.map_err(foreign_error)?.into())
}
