//! Objects of other libraries: what their readers and writers share.

use crate::ciphertext::Ciphertext;
use crate::error::{foreign_error, rlwe_error};
use crate::interruptible::interruptible;
use crate::keys::EvaluationKeys;
use crate::parameters::Parameters;
use pyo3::prelude::*;
use ringwright_interop::foreign::{Declared, ForeignError};
use ringwright_schemes::{ckks, rlwe};
use std::borrow::Cow;
use std::collections::BTreeMap;

/// An object as another library saves it.
pub type Bytes = Cow<'static, [u8]>;

/// What a writer made.
pub fn written(object: Result<Vec<u8>, ForeignError>) -> PyResult<Bytes> {
    object.map(Cow::from).map_err(foreign_error)
}

/// The same of a key that there may not be.
pub fn written_key(
    keys: &EvaluationKeys,
    write: impl FnOnce(&rlwe::SwitchingKey) -> Result<Vec<u8>, ForeignError>,
) -> PyResult<Option<Bytes>> {
    keys.0.mult().map(|key| written(write(key))).transpose()
}

/// A library's reader of ciphertexts.
type CiphertextReader =
    fn(&[u8], &ckks::Parameters, &Declared) -> Result<ckks::Ciphertext, ForeignError>;

/// A ciphertext of bytes that say neither bounds nor noise: `maximum`, `rms`, and `noise`, `None`
/// for that of a fresh one.
pub fn read_ciphertext(
    py: Python<'_>,
    data: &[u8],
    parameters: &Parameters,
    (max, rms, noise): (f64, f64, Option<f64>),
    read: CiphertextReader,
) -> PyResult<Ciphertext> {
    let declared = Declared { max, rms, noise };
    interruptible(py, || read(data, &parameters.0, &declared))?
        .map(Ciphertext)
        .map_err(foreign_error)
}

/// A library's reader of keys of the kind `K`.
type KeyReader<K> = fn(&[u8], &rlwe::Ring) -> Result<K, ForeignError>;

/// Evaluation keys, each where it is given, by a library's readers of both kinds.
pub fn read_evaluation_keys(
    py: Python<'_>,
    parameters: &Parameters,
    (relinearisation, rotations): (Option<&[u8]>, Option<&[u8]>),
    read_relinearisation: KeyReader<rlwe::SwitchingKey>,
    read_rotations: KeyReader<BTreeMap<u64, rlwe::SwitchingKey>>,
) -> PyResult<EvaluationKeys> {
    let parameters = &parameters.0;
    let read = || {
        let mult = relinearisation.map(|data| read_relinearisation(data, parameters));
        let galois = rotations.map(|data| read_rotations(data, parameters));
        Ok((mult.transpose()?, galois.transpose()?.unwrap_or_default()))
    };
    let (mult, galois) = py.detach(read).map_err(foreign_error)?;
    rlwe::EvaluationKeys::new(parameters, mult, galois)
        .map(|keys| EvaluationKeys(keys, parameters.clone()))
        .map_err(rlwe_error)
}
