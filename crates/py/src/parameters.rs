//! CKKS parameters.

use crate::error::{count, parameter_error, storage_error, wire_error, ParameterError};
use crate::record;
use pyo3::prelude::*;
use ringwright_interop::storage::{self, Access};
use ringwright_interop::wire::{self, WireError};
use ringwright_schemes::ckks::{self, Fineness};
use ringwright_schemes::security::{self, Insecure};
use std::borrow::Cow;
use std::fs::File;
use std::path::PathBuf;

/// How secure a parameter set is, and by which table.
#[pyclass(frozen, module = "ringwright._ringwright")]
pub struct Security(security::Security);

#[pymethods]
impl Security {
    /// 128, or 0 for parameters beyond the table.
    #[getter]
    fn bits(&self) -> u32 {
        self.0.bits()
    }

    /// log2 of the product of all primes, special primes included.
    #[getter]
    fn log_qp(&self) -> f64 {
        self.0.log_qp
    }

    /// Largest log2(QP) that the table allows for this N; `None` where it has no row.
    #[getter]
    fn limit(&self) -> Option<u32> {
        self.0.limit.map(|row| row.max_log_qp)
    }

    /// Where the limit was published.
    #[getter]
    fn source(&self) -> &str {
        self.0.source()
    }

    fn __repr__(&self) -> String {
        format!(
            "Security(bits={}, log_qp={:.1})",
            self.0.bits(),
            self.0.log_qp
        )
    }
}

/// A checked, immutable CKKS parameter set.
///
/// `log_n`: log2 of the ring degree, 4 to 17. `q_bits`: bits of each ciphertext prime, 20 to 61;
/// the last is dropped first. `p_bits`: bits of each special prime; none for a set that only
/// encrypts and decrypts. `log_scale`: log2 of the default scale. `digit`: towers per digit of a
/// key switch. `insecure`: accept parameters beyond the 128-bit table.
///
/// Raises `ParameterError` for a value outside its range, `SecurityError` beyond the table.
#[pyclass(frozen, eq, module = "ringwright._ringwright")]
#[derive(Clone, PartialEq)]
pub struct Parameters(pub ckks::Parameters);

#[pymethods]
impl Parameters {
    #[new]
    #[pyo3(signature = (*, log_n, q_bits, p_bits = Vec::new(), log_scale, digit = 1,
                        insecure = false, name = None))]
    fn new(
        log_n: i64,
        q_bits: Vec<i64>,
        p_bits: Vec<i64>,
        log_scale: i64,
        digit: i64,
        insecure: bool,
        name: Option<String>,
    ) -> PyResult<Self> {
        let name = name.unwrap_or_else(|| "custom".to_string());
        let bits = |what, all: Vec<i64>| -> PyResult<Vec<u32>> {
            all.into_iter().map(|b| count(what, b)).collect()
        };
        let literal = ckks::ParametersLiteral {
            name,
            log_n: count("log_n", log_n)?,
            q_bits: bits("q_bits", q_bits)?,
            p_bits: bits("p_bits", p_bits)?,
            digit: count("digit", digit)?,
            log_scale: count("log_scale", log_scale)?,
            insecure,
        };
        ckks::Parameters::new(literal)
            .map(Self)
            .map_err(parameter_error)
    }

    /// The smallest parameters that carry `depth` multiplications one after another.
    ///
    /// `log_scale`: log2 of the scale, 40 if nothing else is said; or `precision`: bits after the
    /// binary point that a fresh encryption keeps. `integer_bits`: results stay below 2 to this. `slots`: how many are
    /// needed. Raises `DepthError` beyond the 128-bit table, naming the largest depth, and
    /// `ParameterError` for anything else.
    #[staticmethod]
    #[pyo3(signature = (depth, *, security = 128, log_scale = None, precision = None,
                        integer_bits = 8, slots = 1))]
    fn for_depth(
        depth: i64,
        security: i64,
        log_scale: Option<i64>,
        precision: Option<i64>,
        integer_bits: i64,
        slots: i64,
    ) -> PyResult<Self> {
        let fineness = match (log_scale, precision) {
            (Some(_), Some(_)) => {
                let text = "log_scale and precision given; one of them allowed";
                return Err(ParameterError::new_err(text));
            }
            (None, Some(bits)) => Fineness::Precision(count("precision", bits)?),
            (bits, None) => Fineness::LogScale(count("log_scale", bits.unwrap_or(40))?),
        };
        let request = ckks::DepthRequest {
            depth: count("depth", depth)?,
            security: count("security", security)?,
            fineness,
            integer_bits: count("integer_bits", integer_bits)?,
            slots: count("slots", slots)?,
        };
        let found = ckks::Parameters::for_depth(request);
        found.map(Self).map_err(parameter_error)
    }

    /// A preset by name. Raises `ParameterError` for an unknown one, listing those there are.
    #[staticmethod]
    fn preset(name: &str) -> PyResult<Self> {
        ckks::Parameters::preset(name)
            .map(Self)
            .map_err(parameter_error)
    }

    /// The names of all presets, smallest ring first.
    #[staticmethod]
    fn presets() -> Vec<&'static str> {
        ckks::Parameters::presets()
    }

    /// Raises `DepthError`, naming the smallest N that carries it, for a depth that the set does
    /// not carry.
    fn require_depth(&self, depth: i64) -> PyResult<()> {
        self.0
            .require_depth(count("depth", depth)?)
            .map_err(parameter_error)
    }

    /// The name, for reports and errors.
    #[getter]
    fn name(&self) -> &str {
        self.0.name()
    }

    /// log2 of the ring degree N.
    #[getter]
    fn log_n(&self) -> u32 {
        self.0.log_n()
    }

    /// Ring degree N.
    #[getter]
    fn n(&self) -> usize {
        self.0.n()
    }

    /// Numbers in one ciphertext: N/2.
    #[getter]
    fn slots(&self) -> usize {
        self.0.slots()
    }

    /// Ciphertext primes; rescaling drops the last that remains.
    #[getter]
    fn q(&self) -> Vec<u64> {
        self.0.q().to_vec()
    }

    /// Special primes of key switching; none for sets that only encrypt and decrypt.
    #[getter]
    fn p(&self) -> Vec<u64> {
        self.0.p().to_vec()
    }

    /// Number of ciphertext primes: the level of a fresh ciphertext.
    #[getter]
    fn levels(&self) -> usize {
        self.0.levels()
    }

    /// Towers per digit of a key switch.
    #[getter]
    fn digit(&self) -> usize {
        self.0.digit()
    }

    /// Default factor between slot values and encrypted integers.
    #[getter]
    fn scale(&self) -> f64 {
        self.0.scale()
    }

    /// Multiplications one after another that the set carries.
    #[getter]
    fn depth(&self) -> usize {
        self.0.depth()
    }

    /// Predicted standard deviation of one coefficient's error in a fresh encryption.
    #[getter]
    fn fresh_noise(&self) -> f64 {
        ckks::NoiseModel::new(&self.0).encryption()
    }

    /// How secure the set is, and by which table.
    #[getter]
    fn security(&self) -> Security {
        Security(self.0.security())
    }

    /// Fingerprint over N, primes and digit, in hexadecimal: what belongs together shares it.
    #[getter]
    fn id(&self) -> String {
        self.0
            .id()
            .iter()
            .map(|byte| format!("{byte:02x}"))
            .collect()
    }

    /// The wire record.
    fn to_bytes(&self) -> PyResult<Cow<'static, [u8]>> {
        let mut bytes = Vec::new();
        wire::write_parameters(&self.0, &mut bytes).map_err(wire_error)?;
        Ok(bytes.into())
    }

    /// Reads a wire record. Raises `FormatError` for damage and `SecurityError` for parameters
    /// beyond the 128-bit table without `insecure=True`, whatever the record says.
    #[staticmethod]
    #[pyo3(signature = (data, *, insecure = false))]
    fn from_bytes(data: &[u8], insecure: bool) -> PyResult<Self> {
        read(data, insecure).map(Self).map_err(wire_error)
    }

    /// Writes the wire record to a file, whole or not at all. Raises `StorageError`.
    fn save(&self, py: Python<'_>, path: PathBuf) -> PyResult<()> {
        let write = |file: &mut File| wire::write_parameters(&self.0, file);
        py.detach(|| storage::save(&path, Access::Everyone, write))
            .map_err(storage_error)
    }

    /// Reads a file that `save` wrote. Raises as `from_bytes` does, and `StorageError`.
    #[staticmethod]
    #[pyo3(signature = (path, *, insecure = false))]
    fn load(py: Python<'_>, path: PathBuf, insecure: bool) -> PyResult<Self> {
        record::load_with(py, &path, |bytes| read(bytes, insecure)).map(Self)
    }

    fn __hash__(&self) -> u64 {
        let id = self.0.id();
        u64::from_le_bytes([id[0], id[1], id[2], id[3], id[4], id[5], id[6], id[7]])
    }

    fn __repr__(&self) -> String {
        format!("<{}>", self.0)
    }
}

fn read(bytes: &[u8], insecure: bool) -> Result<ckks::Parameters, WireError> {
    wire::read_parameters(bytes, insecure.then_some(Insecure))
}
