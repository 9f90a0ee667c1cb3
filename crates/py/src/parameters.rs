//! CKKS parameters.

use crate::error::{parameter_error, storage_error, wire_error, ParameterError};
use crate::integer::{count, Integer};
use crate::record;
use crate::sharing::Sharing;
use pyo3::prelude::*;
use pyo3::types::{PyDict, PyTuple};
use ringwright_interop::storage::{self, Access};
use ringwright_interop::wire::{self, WireError};
use ringwright_schemes::ckks::{self, Fineness};
use ringwright_schemes::rlwe::{self, RingKind};
use ringwright_schemes::security::{self, Insecure, Secret};
use std::borrow::Cow;
use std::fs::File;
use std::path::PathBuf;
use std::sync::Arc;

/// How secure a parameter set is, and by which table.
#[pyclass(frozen, module = "ringwright._ringwright")]
pub struct Security(security::Security);

#[pymethods]
impl Security {
    /// What the tables say of a ring degree and a modulus, both as log2.
    ///
    /// `weight`: Hamming weight of a sparse secret; default a uniform ternary one. `encapsulated`: the
    /// sparse key lives under the two smallest primes only.
    #[staticmethod]
    #[pyo3(signature = (*, log_n, log_qp, weight = None, encapsulated = false))]
    fn of(
        log_n: Integer,
        log_qp: f64,
        weight: Option<Integer>,
        encapsulated: bool,
    ) -> PyResult<Self> {
        let secret = match (weight, encapsulated) {
            (None, false) => Secret::Ternary,
            (None, true) => {
                let text = "encapsulated given without a weight; it belongs to sparse keys";
                return Err(ParameterError::new_err(text));
            }
            (Some(weight), encapsulated) => {
                let weight = count("weight", weight)?;
                match encapsulated {
                    true => Secret::Encapsulated { weight },
                    false => Secret::Sparse { weight },
                }
            }
        };
        let log_n = count("log_n", log_n)?;
        if !(log_qp.is_finite() && log_qp > 0.0) {
            let text = format!("log_qp = {log_qp}, allowed: a finite number above 0");
            return Err(ParameterError::new_err(text));
        }
        Ok(Self(security::Security::new(log_n, log_qp, secret, true)))
    }

    /// What the gate says: 128, 192, 256, or 0 for parameters beyond its table; `None` where primes
    /// are not known that count.
    #[getter]
    fn bits(&self) -> Option<u32> {
        self.0.bits()
    }

    /// What every table says that has a row for them: `(table, bits, limit, excess, source)`, the
    /// gate's word first. `limit` is its 128-bit limit of log2(QP), `excess` what is beyond that.
    #[getter]
    fn verdicts(&self) -> Vec<(&'static str, u32, u32, f64, &'static str)> {
        let verdicts = self.0.verdicts().into_iter();
        let row =
            |v: security::Verdict| (v.table.name(), v.bits, v.limit, v.excess, v.table.source());
        verdicts.map(row).collect()
    }

    /// log2 of the product of all primes, special primes included.
    #[getter]
    fn log_qp(&self) -> f64 {
        self.0.log_qp
    }

    /// Largest log2(QP) that the gate allows for this N at 128 bits; `None` where it has no row.
    #[getter]
    fn limit(&self) -> Option<u32> {
        self.0.gate().map(|verdict| verdict.limit)
    }

    /// Where the limit was published.
    #[getter]
    fn source(&self) -> &str {
        self.0.source()
    }

    /// `2018: 128 bits, 2024: 8.0 bits beyond its 430`.
    fn __str__(&self) -> String {
        self.0.to_string()
    }

    fn __repr__(&self) -> String {
        format!("Security({}, log_qp={:.1})", self.0, self.0.log_qp)
    }
}

/// A checked, immutable CKKS parameter set.
///
/// `ring`: "standard", with N/2 complex slots, or "conjugate-invariant", with N real ones and no
/// conjugation. `log_n`: log2 of the ring degree, 4 to 17 (16 in a conjugate-invariant ring). `q_bits`: bits of each ciphertext prime, 20 to 61;
/// the last is dropped first. `p_bits`: bits of each special prime; none for a set that only
/// encrypts and decrypts. `log_scale`: log2 of the default scale. `digit`: towers per digit of a
/// key switch; 0 for as many as the special primes hold, which differ. `insecure`: accept parameters beyond the 128-bit table.
///
/// Raises `ParameterError` for a value outside its range, `SecurityError` beyond the table.
#[pyclass(frozen, eq, module = "ringwright._ringwright")]
#[derive(Clone)]
pub struct Parameters(pub ckks::Parameters, Arc<[String]>);

impl PartialEq for Parameters {
    /// How they were found is no part of what they are.
    fn eq(&self, other: &Self) -> bool {
        self.0 == other.0
    }
}

impl From<ckks::Parameters> for Parameters {
    fn from(parameters: ckks::Parameters) -> Self {
        Self(parameters, Arc::default())
    }
}

#[pymethods]
impl Parameters {
    /// The largest ring degree that there is.
    #[classattr]
    const LARGEST_N: usize = 1 << *rlwe::LOG_N.end();

    #[new]
    #[pyo3(signature = (*, log_n, q_bits, p_bits = Vec::new(), log_scale, digit = Integer::Held(1),
                        insecure = false, name = None, ring = "standard"),
           text_signature = "(*, log_n, q_bits, p_bits=..., log_scale, digit=1, insecure=False, name=None, ring='standard')")]
    #[expect(clippy::too_many_arguments, reason = "keyword arguments in Python")]
    fn new(
        log_n: Integer,
        q_bits: Vec<Integer>,
        p_bits: Vec<Integer>,
        log_scale: Integer,
        digit: Integer,
        insecure: bool,
        name: Option<String>,
        ring: &str,
    ) -> PyResult<Self> {
        let name = name.unwrap_or_else(|| "custom".to_string());
        let bits = |what, all: Vec<Integer>| -> PyResult<Vec<u32>> {
            all.into_iter().map(|b| count(what, b)).collect()
        };
        let literal = ckks::ParametersLiteral {
            name,
            kind: kind_of_ring(ring)?,
            log_n: count("log_n", log_n)?,
            q_bits: bits("q_bits", q_bits)?,
            p_bits: bits("p_bits", p_bits)?,
            digit: count("digit", digit)?,
            log_scale: count("log_scale", log_scale)?,
            insecure,
        };
        ckks::Parameters::new(literal)
            .map(Self::from)
            .map_err(parameter_error)
    }

    /// The smallest parameters that carry `depth` multiplications one after another.
    ///
    /// `log_scale`: log2 of the scale, 40 if nothing else is said; or `precision`: bits after the
    /// binary point that a fresh encryption keeps. `integer_bits`: results stay below 2 to this. `slots`: how many are
    /// needed. `security`: 128, 192 or 256 bits, by every table. `share`: a `Sharing` that results are
    /// shared with; the scale grows until what `depth` squarings leave has room for it. Raises `DepthError` beyond the tables,
    /// naming the largest depth, and `ParameterError` for anything else.
    #[staticmethod]
    #[pyo3(signature = (depth, *, security = Integer::Held(128), log_scale = None, precision = None,
                        integer_bits = Integer::Held(8), slots = Integer::Held(1), share = None),
           text_signature = "(depth, *, security=128, log_scale=None, precision=None, integer_bits=8, slots=1, share=None)")]
    fn for_depth(
        depth: Integer,
        security: Integer,
        log_scale: Option<Integer>,
        precision: Option<Integer>,
        integer_bits: Integer,
        slots: Integer,
        share: Option<Sharing>,
    ) -> PyResult<Self> {
        let fineness = match (log_scale, precision) {
            (Some(_), Some(_)) => {
                let text = "log_scale and precision given; one of them allowed";
                return Err(ParameterError::new_err(text));
            }
            (None, Some(bits)) => Fineness::Precision(count("precision", bits)?),
            (bits, None) => {
                Fineness::LogScale(count("log_scale", bits.unwrap_or(Integer::Held(40)))?)
            }
        };
        let request = ckks::DepthRequest {
            depth: count("depth", depth)?,
            security: count("security", security)?,
            fineness,
            integer_bits: count("integer_bits", integer_bits)?,
            slots: count("slots", slots)?,
            share: share.map(Sharing::read).transpose()?,
        };
        let found = ckks::Parameters::for_depth(request);
        found.map(Self::from).map_err(parameter_error)
    }

    /// A preset by name. Raises `ParameterError` for an unknown one, listing those there are.
    #[staticmethod]
    fn preset(name: &str) -> PyResult<Self> {
        ckks::Parameters::preset(name)
            .map(Self::from)
            .map_err(parameter_error)
    }

    /// The names of all presets, smallest ring first.
    #[staticmethod]
    fn presets() -> Vec<&'static str> {
        ckks::Parameters::presets()
    }

    /// The smallest parameters under which a program keeps its promises: no result of `program` is off
    /// by more than 2^-`precision_bits` (see `Ciphertext.error_bound`), by `security` bits in every
    /// table, with room for `share`, on `machine` where one is given.
    ///
    /// `inputs`: what each input is, as for `Program.trace`; default: as declared. The program is traced,
    /// and scale and depth are enlarged until everything holds; `why` lists what was tried. Raises
    /// `DepthError` or `ParameterError`, with that list, where nothing does. A program that says what its
    /// bootstrappings are made of gets the smallest preset that carries it.
    #[staticmethod]
    #[pyo3(signature = (program, *inputs, precision_bits = None, security = None, share = None,
                        machine = None),
           text_signature = "(program, *inputs, precision_bits=16, security=128, share=None, machine=None)")]
    fn for_program<'py>(
        program: &Bound<'py, PyAny>,
        inputs: &Bound<'py, PyTuple>,
        precision_bits: Option<Bound<'py, PyAny>>,
        security: Option<Bound<'py, PyAny>>,
        share: Option<Bound<'py, PyAny>>,
        machine: Option<Bound<'py, PyAny>>,
    ) -> PyResult<Bound<'py, PyAny>> {
        let wanted = PyDict::new(program.py());
        for (name, value) in [("precision_bits", precision_bits), ("security", security)] {
            if let Some(value) = value {
                wanted.set_item(name, value)?;
            }
        }
        wanted.set_item("share", share)?;
        wanted.set_item("machine", machine)?;
        let module = program.py().import("ringwright.choosing")?;
        module.call_method("for_program", (program, inputs), Some(&wanted))
    }

    /// What `for_program` tried, one line each; empty for parameters that were found otherwise.
    #[getter]
    fn why(&self) -> Vec<&str> {
        self.1.iter().map(String::as_str).collect()
    }

    /// The same, found by trying these.
    fn found_by(&self, tried: Vec<String>) -> Self {
        Self(self.0.clone(), tried.into())
    }

    /// The same with more levels and without security: to see how deep a program is, and for no key.
    fn extended(&self, levels: Integer) -> PyResult<Self> {
        let extended = self.0.extended(count("levels", levels)?);
        extended.map(Self::from).map_err(parameter_error)
    }

    /// Raises `DepthError`, naming the smallest N that carries it, for a depth that the set does
    /// not carry; or one that ciphertexts of `level` do not (`None`: fresh ones).
    #[pyo3(signature = (depth, level=None))]
    fn require_depth(&self, depth: Integer, level: Option<Integer>) -> PyResult<()> {
        let depth = count("depth", depth)?;
        let level = level.map(|level| count("level", level)).transpose()?;
        self.0
            .require_depth_at(level.unwrap_or(self.0.levels()), depth)
            .map_err(parameter_error)
    }

    /// The name, for reports and errors.
    #[getter]
    fn name(&self) -> &str {
        self.0.name()
    }

    /// "standard" or "conjugate-invariant".
    #[getter]
    fn ring(&self) -> &'static str {
        self.0.kind().name()
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

    /// Numbers in one ciphertext: N/2, or N in a conjugate-invariant ring.
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

    /// Towers per digit of a key switch; 0 for as many as the special primes hold.
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

    /// The same at a scale, for values up to `maximum`: encoding them in double precision counts.
    fn fresh_noise_at(&self, scale: f64, maximum: f64) -> f64 {
        let levels = self.0.levels();
        self.0.fresh_at(levels, scale, maximum, maximum).noise
    }

    /// Error (root mean square) of the slots' real parts at this scale, from the noise of a coefficient:
    /// a slot is the sum of all coefficients times roots of unity.
    fn slot_error(&self, noise: f64, scale: f64) -> f64 {
        ckks::NoiseModel::new(&self.0).slot_error(noise, scale)
    }

    /// The same of an encryption with the secret key.
    fn symmetric_noise_at(&self, scale: f64, maximum: f64) -> f64 {
        let levels = self.0.levels();
        let ty = self.0.fresh_symmetric_at(levels, scale, maximum, maximum);
        ty.noise
    }

    /// How secure the set is, and by which table.
    #[getter]
    fn security(&self) -> Security {
        Security(self.0.security())
    }

    /// Fingerprint over ring, N, primes and digit, in hexadecimal: what belongs together shares it.
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
        read(data, insecure).map(Self::from).map_err(wire_error)
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
        record::load_with(py, &path, |bytes| read(bytes, insecure)).map(Self::from)
    }

    fn __hash__(&self) -> u64 {
        let id = self.0.id();
        u64::from_le_bytes([id[0], id[1], id[2], id[3], id[4], id[5], id[6], id[7]])
    }

    fn __repr__(&self) -> String {
        format!("<{}>", self.0)
    }
}

/// The kind of ring of this name.
fn kind_of_ring(name: &str) -> PyResult<RingKind> {
    RingKind::named(name).ok_or_else(|| {
        let allowed = RingKind::ALL.map(|kind| format!("{:?}", kind.name()));
        let allowed = allowed.join(" and ");
        ParameterError::new_err(format!("ring = {name:?}, allowed: {allowed}"))
    })
}

fn read(bytes: &[u8], insecure: bool) -> Result<ckks::Parameters, WireError> {
    wire::read_parameters(bytes, insecure.then_some(Insecure))
}
