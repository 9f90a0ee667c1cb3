//! Encoded and encrypted vectors.

use crate::error::ckks_error;
use crate::integer::{count, Integer};
use crate::parameters::Parameters;
use crate::record_class::record_class;
use pyo3::prelude::*;
use ringwright_schemes::ckks::{self, Length, Lineage};

/// An encoded vector: a polynomial that has not been encrypted. Treat it as the secret it holds.
#[pyclass(frozen, module = "ringwright._ringwright")]
pub struct Plaintext(pub ckks::Plaintext);

#[pymethods]
impl Plaintext {
    /// The parameters it was encoded for.
    #[getter]
    fn parameters(&self) -> Parameters {
        self.0.parameters().clone().into()
    }

    /// Number of towers, at least 1.
    #[getter]
    fn level(&self) -> usize {
        self.0.level()
    }

    /// Factor between slot values and the polynomial's coefficients.
    #[getter]
    fn scale(&self) -> f64 {
        self.0.scale()
    }

    /// Public bound on the slots' absolute values.
    #[getter]
    fn max(&self) -> f64 {
        self.0.max()
    }

    /// Public bound on the root mean square of the slots' absolute values.
    #[getter]
    fn rms(&self) -> f64 {
        self.0.rms()
    }

    /// The same with declared public bounds; they travel with the ciphertext.
    fn with_bounds(&self, maximum: f64, rms: f64) -> PyResult<Self> {
        self.0
            .clone()
            .with_bounds(maximum, rms)
            .map(Self)
            .map_err(ckks_error)
    }

    fn __repr__(&self) -> String {
        format!(
            "Plaintext({}, level={})",
            self.0.parameters().name(),
            self.0.level()
        )
    }
}

/// An encrypted vector, with what is publicly known of it.
#[pyclass(frozen, module = "ringwright._ringwright")]
pub struct Ciphertext(pub ckks::Ciphertext);

impl Ciphertext {
    fn of(record: ckks::Ciphertext, _: &ckks::Parameters) -> Self {
        Self(record)
    }

    fn under(&self) -> &ckks::Parameters {
        self.0.parameters()
    }
}

record_class! { impl Ciphertext:
    /// Number of towers that are left, at least 1.
    #[getter]
    fn level(&self) -> usize {
        self.0.level()
    }

    /// Factor between slot values and the encrypted integers.
    #[getter]
    fn scale(&self) -> f64 {
        self.0.scale()
    }

    /// Polynomials: 2, or 3 after a multiplication that was not relinearised.
    #[getter]
    fn parts(&self) -> usize {
        self.0.parts().len()
    }

    /// Predicted standard deviation of one coefficient's error, in integer units; divided by
    /// `scale` and times sqrt(N/2) it is that of a slot's real part.
    #[getter]
    fn noise(&self) -> f64 {
        self.0.noise()
    }

    /// `noise` for the slot that is worst off: where masks, matrices and products leave most of it.
    #[getter]
    fn peak(&self) -> f64 {
        self.0.peak()
    }

    /// What no slot's real part is off by more, but with probability 2^-20 over keys and errors.
    #[getter]
    fn error_bound(&self) -> f64 {
        self.0.error_bound()
    }

    /// Bound on the slots' absolute values, as declared or computed.
    #[getter]
    fn max(&self) -> f64 {
        self.0.max()
    }

    /// Root mean square of the slots' absolute values, as declared or computed.
    #[getter]
    fn rms(&self) -> f64 {
        self.0.rms()
    }

    /// Numbers that it holds, from its first slot, as whoever wrote it says.
    #[getter]
    fn length(&self) -> usize {
        self.0.length().numbers
    }

    /// Whether the slots after them are zero; else they hold whatever was left there.
    #[getter]
    fn zeros_beyond(&self) -> bool {
        self.0.length().zeros_beyond
    }

    /// The same as a vector of this length. Raises `ParameterError` for none or more than the slots.
    fn with_length(&self, numbers: Integer, zeros_beyond: bool) -> PyResult<Self> {
        let numbers = count("length", numbers)?;
        let length = Length {
            numbers,
            zeros_beyond,
        };
        let same = self.0.clone().with_length(length);
        same.map(Self).map_err(ckks_error)
    }

    /// Whether it was encrypted or computed in this process, so that its noise was predicted here.
    #[getter]
    fn made_here(&self) -> bool {
        self.0.lineage().is_known()
    }

    /// Whether every word of both is the same.
    fn same_words(&self, py: Python<'_>, other: &Self) -> bool {
        py.detach(|| self.0.parts() == other.0.parts())
    }

    /// The same message under fewer towers: less to send and to decrypt.
    /// Raises `ParameterError` for a level above its own or below 1.
    fn drop_level(&self, py: Python<'_>, level: Integer) -> PyResult<Self> {
        let level = count("level", level)?;
        py.detach(|| self.0.drop_level(level))
            .map(Self)
            .map_err(ckks_error)
    }

    fn __repr__(&self) -> String {
        let (name, level) = (self.0.parameters().name(), self.0.level());
        format!(
            "Ciphertext({name}, level={level}, scale=2^{:.1})",
            self.0.scale().log2()
        )
    }
}

/// Which of these ciphertexts may have errors in common: equal numbers, `None` for one that stands
/// alone and whose slots' errors have nothing to do with each other.
#[pyfunction]
pub fn error_groups(ciphertexts: Vec<Bound<'_, Ciphertext>>) -> Vec<Option<u32>> {
    let lineages: Vec<&Lineage> = ciphertexts.iter().map(|c| c.get().0.lineage()).collect();
    Lineage::groups(&lineages)
}
