//! Words of polynomials, for whoever computes beside Ringwright: firmware, other hardware.
//!
//! An array holds tower after tower of one polynomial, coefficients or evaluations as the value has them.

use crate::ciphertext::{Ciphertext, Plaintext};
use crate::error::{ckks_error, ParameterError};
use crate::keys::PublicKey;
use crate::parameters::Parameters;
use numpy::{IntoPyArray, PyArray1, PyReadonlyArray1};
use pyo3::prelude::*;
use pyo3::types::PyBytes;
use ringwright_ring::RnsPoly;
use ringwright_schemes::ckks;
use std::sync::Arc;

type Words<'py> = Bound<'py, PyArray1<u64>>;

fn words<'py>(py: Python<'py>, poly: &RnsPoly) -> Words<'py> {
    let towers: Vec<u64> = poly.iter().flatten().copied().collect();
    towers.into_pyarray(py)
}

fn polynomial(parameters: &ckks::Parameters, words: &[u64]) -> PyResult<Arc<RnsPoly>> {
    let n = parameters.n();
    if words.is_empty() || !words.len().is_multiple_of(n) {
        let given = words.len();
        return Err(ParameterError::new_err(format!(
            "{given} words given; allowed are towers of {n}"
        )));
    }
    let poly = RnsPoly::from_words(n, words.to_vec());
    poly.map(Arc::new)
        .map_err(|error| ParameterError::new_err(error.to_string()))
}

/// The half of a public key that is not uniform, in evaluation form, and the seed of the other where that
/// is known.
#[pyfunction]
pub fn public_key_words<'py>(
    py: Python<'py>,
    key: &PublicKey,
) -> (Words<'py>, Option<Bound<'py, PyBytes>>) {
    let key = &key.0;
    let mask = key.mask().map(|mask| PyBytes::new(py, &mask.bytes()));
    (words(py, key.b()), mask)
}

/// An encoding that was made elsewhere: integer coefficients, and the slots' bound 1. Raises
/// `ParameterError` for another number of them or a level that the parameters do not have.
#[pyfunction]
pub fn plaintext_of_coefficients(
    parameters: &Parameters,
    coefficients: PyReadonlyArray1<'_, i64>,
    scale: f64,
    level: usize,
) -> PyResult<Plaintext> {
    let parameters = &parameters.0;
    let primes = parameters.q().get(..level).ok_or_else(|| {
        ParameterError::new_err(format!(
            "level {level} given; allowed are up to {}",
            parameters.levels()
        ))
    })?;
    let values = coefficients.as_slice()?;
    let residue = |q: u64, value: i64| i128::from(value).rem_euclid(i128::from(q)) as u64;
    let towers = primes
        .iter()
        .flat_map(|&q| values.iter().map(move |&value| residue(q, value)));
    let towers: Vec<u64> = towers.collect();
    let poly = polynomial(parameters, &towers)?;
    ckks::Plaintext::new(parameters, poly, scale, 1.0, 1.0)
        .map(Plaintext)
        .map_err(ckks_error)
}

/// The parts of a ciphertext, in evaluation form.
#[pyfunction]
pub fn ciphertext_words<'py>(py: Python<'py>, ciphertext: &Ciphertext) -> Vec<Words<'py>> {
    let parts = ciphertext.0.parts().iter();
    parts.map(|part| words(py, part)).collect()
}

/// A ciphertext of two parts that somebody else encrypted with the public key just now, from its words;
/// the slots' bound is 1. Raises what a ciphertext of such words does.
#[pyfunction]
pub fn fresh_ciphertext(
    parameters: &Parameters,
    parts: [PyReadonlyArray1<'_, u64>; 2],
    scale: f64,
) -> PyResult<Ciphertext> {
    let parameters = &parameters.0;
    let parts = parts.iter();
    let parts = parts.map(|part| polynomial(parameters, part.as_slice()?));
    let parts: Vec<Arc<RnsPoly>> = parts.collect::<PyResult<_>>()?;
    let ty = parameters.fresh_at(parts[0].towers(), scale, 1.0, 1.0);
    ckks::Ciphertext::new(parameters, parts, &ty)
        .map(Ciphertext)
        .map_err(ckks_error)
}
