//! Ciphertext programs under construction, and finished.

use crate::error::{circuit_error, ckks_error, ProgramError};
use crate::explained::{ExplainRow, OperationCount};
use crate::integer::{count, Integer};
use crate::interruptible::interruptible;
use crate::made_of::MadeOf;
use crate::parameters::Parameters;
use crate::sharing::Sharing;
use numpy::{PyReadonlyArray1, PyReadonlyArray2};
use pyo3::prelude::*;
use ringwright_circuits::{inner_sum, Bootstrapping, LinearTransform, Polynomial, Sign};
use ringwright_ir::he::KeyId;
use ringwright_ir::ring::{count_entry, Loc, ValueId};
use ringwright_ir::text;
use ringwright_schemes::ckks::{Analysed, Estimate};
use ringwright_schemes::rlwe::KeyShape;
use ringwright_schemes::{ckks, rlwe};
use std::collections::{BTreeMap, BTreeSet};

/// Builds one program; values are numbers, the inputs first.
#[pyclass(module = "ringwright._ringwright")]
pub struct ProgramBuilder {
    parameters: Parameters,
    /// `None` once the program is finished.
    inner: Option<ckks::ProgramBuilder>,
    plains: Vec<ckks::Plain>,
}

#[pymethods]
impl ProgramBuilder {
    #[new]
    fn new(parameters: &Parameters, name: &str, file: String, line: u32) -> Self {
        let mut inner = ckks::ProgramBuilder::new(&parameters.0, name);
        inner.at(Loc { file, line });
        Self {
            parameters: parameters.clone(),
            inner: Some(inner),
            plains: Vec::new(),
        }
    }

    /// The user's file name and line of the operations that follow.
    fn at(&mut self, file: String, line: u32) -> PyResult<()> {
        self.open()?.at(Loc { file, line });
        Ok(())
    }

    /// Composes the rotations that follow of these steps, which then need the only keys.
    fn compose_rotations(&mut self, steps: Vec<i32>) -> PyResult<()> {
        let steps = ckks::RotationSteps::of(&self.parameters.0, &steps).map_err(ckks_error)?;
        self.open()?.compose_rotations(steps);
        Ok(())
    }

    /// The same of 1, 2, 4, … up to half of the slots; `signed`: and of the negative ones.
    fn compose_rotations_of_powers(&mut self, signed: bool) -> PyResult<()> {
        let steps = match signed {
            false => ckks::RotationSteps::powers(&self.parameters.0),
            true => ckks::RotationSteps::signed_powers(&self.parameters.0),
        };
        self.open()?.compose_rotations(steps);
        Ok(())
    }

    /// A ciphertext that the program takes. `noise`: standard deviation of a coefficient's error;
    /// `None`: that of a fresh encryption. `peak`: the same of the worst slot; `None`: as `noise`.
    /// `group`: inputs of one number may have errors in common (see `error_groups`).
    #[expect(clippy::too_many_arguments, reason = "the fields of a type")]
    fn input(
        &mut self,
        name: &str,
        level: Integer,
        scale: f64,
        maximum: f64,
        rms: f64,
        noise: Option<f64>,
        peak: Option<f64>,
        group: Option<u32>,
    ) -> PyResult<u32> {
        let fresh = self
            .parameters
            .0
            .fresh_at(count("level", level)?, scale, maximum, rms);
        let noise = noise.unwrap_or(fresh.noise);
        let peak = peak.unwrap_or(noise);
        let ty = Estimate {
            noise,
            peak,
            ..fresh
        };
        number(self.open()?.input_of_group(name, ty, group))
    }

    /// Sum of two values; the higher one drops to the lower one's level.
    fn add(&mut self, a: u32, b: u32) -> PyResult<u32> {
        number(self.open()?.add(ValueId(a), ValueId(b)))
    }

    /// Difference of two values.
    fn sub(&mut self, a: u32, b: u32) -> PyResult<u32> {
        number(self.open()?.sub(ValueId(a), ValueId(b)))
    }

    /// Negation.
    fn neg(&mut self, a: u32) -> PyResult<u32> {
        number(self.open()?.neg(ValueId(a)))
    }

    /// Sum with a constant vector whose length divides the slots.
    fn add_constant(&mut self, a: u32, values: PyReadonlyArray1<'_, f64>) -> PyResult<u32> {
        number(
            self.open()?
                .add_constant(ValueId(a), &values.as_array().to_vec()),
        )
    }

    /// Product with a constant vector whose length divides the slots, rescaled.
    fn mul_constant_rescale(&mut self, a: u32, values: PyReadonlyArray1<'_, f64>) -> PyResult<u32> {
        number(
            self.open()?
                .mul_constant_rescale(ValueId(a), &values.as_array().to_vec()),
        )
    }

    /// A plaintext vector that comes with each run: its number, for the two operations below. Bounds
    /// on its largest and its root-mean-square absolute value.
    fn plain(&mut self, name: &str, maximum: f64, rms: f64) -> PyResult<usize> {
        let plain = self.open()?.plain(name, maximum, rms).map_err(ckks_error)?;
        self.plains.push(plain);
        Ok(self.plains.len() - 1)
    }

    /// Sum with a plain argument.
    fn add_plain(&mut self, a: u32, plain: usize) -> PyResult<u32> {
        let plain = self.known(plain)?;
        number(self.open()?.add_plain(ValueId(a), plain))
    }

    /// Product with a plain argument, rescaled.
    fn mul_plain_rescale(&mut self, a: u32, plain: usize) -> PyResult<u32> {
        let plain = self.known(plain)?;
        let product = self.open()?.mul_plain(ValueId(a), plain);
        let product = product.map_err(ckks_error)?;
        number(self.open()?.rescale(product))
    }

    /// Product of two values, relinearised and rescaled.
    fn mul_rescale(&mut self, a: u32, b: u32) -> PyResult<u32> {
        number(self.open()?.mul_rescale(ValueId(a), ValueId(b)))
    }

    /// Brings a value to the scale and level of one that has fewer levels.
    fn match_scale(&mut self, a: u32, like: u32) -> PyResult<u32> {
        number(self.open()?.match_scale(ValueId(a), ValueId(like)))
    }

    /// The same value under fewer towers.
    fn drop_level(&mut self, a: u32, level: Integer) -> PyResult<u32> {
        let level = count("level", level)?;
        number(self.open()?.drop_level(ValueId(a), level))
    }

    /// c_0 + c_1 x + c_2 x² + … of every slot, at least depth.
    fn polynomial(&mut self, a: u32, coefficients: PyReadonlyArray1<'_, f64>) -> PyResult<u32> {
        let coefficients = coefficients.as_array().to_vec();
        let polynomial = Polynomial::power(&coefficients).map_err(circuit_error)?;
        self.evaluated(&polynomial, a)
    }

    /// The Chebyshev series c_0 + c_1 T_1 + c_2 T_2 + … of every slot, mapped from an interval
    /// that no slot may leave.
    fn chebyshev(
        &mut self,
        a: u32,
        coefficients: PyReadonlyArray1<'_, f64>,
        low: f64,
        high: f64,
    ) -> PyResult<u32> {
        let coefficients = coefficients.as_array().to_vec();
        let polynomial =
            Polynomial::chebyshev(&coefficients, [low, high]).map_err(circuit_error)?;
        self.evaluated(&polynomial, a)
    }

    /// -1 or 1, or with `step` 0 or 1, off by `error` at most for threshold <= |x| <= bound.
    fn sign(
        &mut self,
        a: u32,
        threshold: f64,
        bound: f64,
        error: f64,
        step: bool,
    ) -> PyResult<u32> {
        let sign = found_sign(threshold, bound, error, step).map_err(circuit_error)?;
        let value = sign.evaluate(self.open()?, ValueId(a));
        value.map(|id| id.0).map_err(circuit_error)
    }

    /// The same numbers with new levels, by a `Bootstrapping`.
    fn bootstrap(&mut self, a: u32, made_of: MadeOf) -> PyResult<u32> {
        let made =
            Bootstrapping::new(&self.parameters.0, made_of.read()?).map_err(circuit_error)?;
        let value = made.apply(self.open()?, ValueId(a));
        value.map(|id| id.0).map_err(circuit_error)
    }

    /// The same value, declared to be off by no more than this in any slot.
    fn settled(&mut self, a: u32, off: f64) -> PyResult<u32> {
        number(self.open()?.settled(ValueId(a), off))
    }

    /// (a + i b)/2, exact and of no level.
    fn half_complex(&mut self, a: u32, b: u32) -> PyResult<u32> {
        number(self.open()?.half_complex(ValueId(a), ValueId(b)))
    }

    /// Every slot times i, exact and of no level.
    fn mul_i(&mut self, a: u32) -> PyResult<u32> {
        number(self.open()?.mul_i(ValueId(a)))
    }

    /// A matrix times the vector in the first slots; zero beyond its rows.
    fn linear(&mut self, a: u32, matrix: PyReadonlyArray2<'_, f64>) -> PyResult<u32> {
        let matrix = matrix.as_array();
        let entries: Vec<f64> = matrix.iter().copied().collect();
        let (rows, columns) = matrix.dim();
        self.applied(LinearTransform::new(rows, columns, &entries), a)
    }

    /// The same with a matrix given by its diagonals, by column minus row.
    fn linear_of_diagonals(
        &mut self,
        a: u32,
        rows: Integer,
        columns: Integer,
        diagonals: BTreeMap<isize, PyReadonlyArray1<'_, f64>>,
    ) -> PyResult<u32> {
        let (rows, columns) = (count("rows", rows)?, count("columns", columns)?);
        let diagonals = diagonals.into_iter();
        let diagonals = diagonals.map(|(k, entries)| (k, entries.as_array().to_vec()));
        let transform = LinearTransform::from_diagonals(rows, columns, diagonals.collect());
        self.applied(transform, a)
    }

    /// Slot i becomes the sum of `count` slots from there on, `stride` apart, cyclically.
    fn sum(&mut self, a: u32, count: Integer, stride: Integer) -> PyResult<u32> {
        let (count, stride) = (self::count("count", count)?, self::count("stride", stride)?);
        let value = inner_sum(self.open()?, ValueId(a), count, stride);
        value.map(|id| id.0).map_err(circuit_error)
    }

    /// The same value, declared to be at most this large.
    fn bounded(&mut self, a: u32, maximum: f64) -> PyResult<u32> {
        number(self.open()?.bounded(ValueId(a), maximum))
    }

    /// The same value, of which every slot is a slot of one of these values, or zero.
    fn placed(&mut self, a: u32, values: Vec<u32>) -> PyResult<u32> {
        let values: Vec<_> = values.into_iter().map(ValueId).collect();
        number(self.open()?.placed(ValueId(a), &values))
    }

    /// What another program returns for these values, which is one operation here.
    fn call(&mut self, program: &HeProgram, args: Vec<u32>) -> PyResult<Vec<u32>> {
        let args: Vec<_> = args.into_iter().map(ValueId).collect();
        let results = self.open()?.call(&program.program, &args);
        let results = results.map_err(ckks_error)?.into_iter();
        Ok(results.map(|value| value.0).collect())
    }

    /// Slot i becomes slot i + steps, cyclically.
    fn rotate(&mut self, a: u32, steps: i32) -> PyResult<u32> {
        number(self.open()?.rotate(ValueId(a), steps))
    }

    /// The complex conjugate of slot i + steps in slot i.
    fn rotate_conjugate(&mut self, a: u32, steps: i32) -> PyResult<u32> {
        number(self.open()?.rotate_conjugate(ValueId(a), steps))
    }

    /// Towers of a value.
    fn level(&mut self, a: u32) -> PyResult<u16> {
        self.open()?
            .ty(ValueId(a))
            .map(|ty| ty.level)
            .map_err(ckks_error)
    }

    /// Scale of a value.
    fn scale(&mut self, a: u32) -> PyResult<f64> {
        self.open()?
            .ty(ValueId(a))
            .map(|ty| ty.scale)
            .map_err(ckks_error)
    }

    /// Noise of a value: standard deviation of a coefficient's error, and the same of the worst slot.
    fn noise(&mut self, a: u32) -> PyResult<(f64, f64)> {
        self.open()?
            .ty(ValueId(a))
            .map(|ty| (ty.noise, ty.peak))
            .map_err(ckks_error)
    }

    /// Bound on a value's slots.
    fn maximum(&mut self, a: u32) -> PyResult<f64> {
        self.open()?
            .ty(ValueId(a))
            .map(|ty| ty.max)
            .map_err(ckks_error)
    }

    /// The program, verified; the builder is used up.
    fn finish(&mut self, returns: Vec<u32>) -> PyResult<HeProgram> {
        let returns: Vec<_> = returns.into_iter().map(ValueId).collect();
        self.open()?;
        let inner = self.inner.take().ok_or_else(finished)?;
        let program = inner.finish(&returns).map_err(ckks_error)?;
        Ok(HeProgram {
            parameters: self.parameters.clone(),
            program,
        })
    }
}

impl ProgramBuilder {
    fn evaluated(&mut self, polynomial: &Polynomial, a: u32) -> PyResult<u32> {
        let value = polynomial.evaluate(self.open()?, ValueId(a));
        value.map(|id| id.0).map_err(circuit_error)
    }

    fn applied(
        &mut self,
        transform: Result<LinearTransform, ringwright_circuits::Error>,
        a: u32,
    ) -> PyResult<u32> {
        let transform = transform.map_err(circuit_error)?;
        let value = transform.apply(self.open()?, ValueId(a));
        value.map(|id| id.0).map_err(circuit_error)
    }

    fn known(&self, plain: usize) -> PyResult<ckks::Plain> {
        let unknown =
            || ProgramError::new_err(format!("no plain argument {plain} in this program"));
        self.plains.get(plain).copied().ok_or_else(unknown)
    }

    fn open(&mut self) -> PyResult<&mut ckks::ProgramBuilder> {
        self.inner.as_mut().ok_or_else(finished)
    }
}

fn finished() -> PyErr {
    ProgramError::new_err("this program is finished; nothing can be added to it")
}

fn number(value: Result<ValueId, ckks::Error>) -> PyResult<u32> {
    value.map(|id| id.0).map_err(ckks_error)
}

/// Chebyshev series (coefficients, low, high) whose composition is off from the sign by `error` at
/// most for threshold <= |x| <= bound; `step`: from 0 to 1 instead of from -1.
#[pyfunction]
pub fn sign_polynomials(
    py: Python<'_>,
    threshold: f64,
    bound: f64,
    error: f64,
    step: bool,
) -> PyResult<Vec<(Vec<f64>, f64, f64)>> {
    let found = interruptible(py, || found_sign(threshold, bound, error, step))?;
    let series = |p: &Polynomial| (p.coefficients().to_vec(), p.interval()[0], p.interval()[1]);
    let sign = found.map_err(circuit_error)?;
    Ok(sign.polynomials().iter().map(series).collect())
}

fn found_sign(
    threshold: f64,
    bound: f64,
    error: f64,
    step: bool,
) -> Result<Sign, ringwright_circuits::Error> {
    let sign = Sign::new(threshold, bound, error)?;
    if step {
        sign.step()
    } else {
        Ok(sign)
    }
}

/// A finished, verified ciphertext program.
#[pyclass(frozen, module = "ringwright._ringwright")]
pub struct HeProgram {
    pub parameters: Parameters,
    pub program: Analysed,
}

#[pymethods]
impl HeProgram {
    /// The user's function.
    #[getter]
    fn name(&self) -> &str {
        self.program.program().name()
    }

    /// The text form of the `he` dialect.
    #[getter]
    fn text(&self) -> String {
        text::print_he(self.program.program())
    }

    /// Digest of what it computes, in hexadecimal: by this a record of what is expected names it.
    #[getter]
    fn digest(&self) -> String {
        let digest = ckks::Expected::digest_of(&self.program);
        digest.iter().map(|byte| format!("{byte:02x}")).collect()
    }

    /// Levels that it takes of its highest input, down to the lowest value it computes.
    #[getter]
    fn depth(&self) -> u16 {
        let functions = self.program.program().functions.iter();
        let levels = functions
            .flat_map(|function| &function.types)
            .map(|ty| ty.level);
        let inputs = self.program.inputs().iter();
        let highest = inputs.map(|ty| ty.level).max().unwrap_or(0);
        highest - levels.min().unwrap_or(0).min(highest)
    }

    /// What no slot of each result is off by more, but with probability 2^-20.
    #[getter]
    fn error_bounds(&self) -> Vec<f64> {
        let model = ckks::NoiseModel::new(&self.parameters.0);
        self.program
            .results()
            .map(|ty| model.error_bound(ty))
            .collect()
    }

    /// The largest absolute slot value of the results.
    #[getter]
    fn max(&self) -> f64 {
        self.program.results().fold(0.0, |max, ty| max.max(ty.max))
    }

    /// Raises `SecurityError` or `ParameterError` where a result has no room for the flood of a
    /// `Sharing`.
    fn check_sharing(&self, sharing: Sharing) -> PyResult<()> {
        let sharing = sharing.read()?;
        for ty in self.program.results() {
            ckks::Flooding::size(&self.parameters.0, ty, sharing).map_err(ckks_error)?;
        }
        Ok(())
    }

    /// One row per input and result of an operation, functions that are called not among them.
    fn explain(&self) -> Vec<ExplainRow> {
        ckks::explain(&self.program)
            .rows
            .into_iter()
            .map(ExplainRow)
            .collect()
    }

    /// The rows as a table.
    fn table(&self) -> String {
        ckks::explain(&self.program).to_string()
    }

    /// What every operation takes, counted in towers.
    fn counts(&self, py: Python<'_>) -> PyResult<Vec<OperationCount>> {
        let expanded = interruptible(py, || ckks::expand(&self.program))?;
        let ckks::Expanded { module, calls, .. } = expanded.map_err(ckks_error)?;
        let counts = count_entry(&module).into_iter();
        let named = calls.into_iter().zip(counts);
        Ok(named
            .map(|(site, count)| OperationCount { site, count })
            .collect())
    }

    /// The keys it needs, each once.
    fn required_keys(&self) -> Vec<String> {
        self.keys().iter().map(KeyId::to_string).collect()
    }

    fn __repr__(&self) -> String {
        format!(
            "HeProgram({}, {} operations)",
            self.program.program().name(),
            self.program.program().entry().ops.len()
        )
    }
}

impl HeProgram {
    /// The shapes of the keys it needs: for every level, or for those that it uses them at.
    pub fn key_shapes(&self, limited: bool) -> Result<BTreeMap<KeyId, KeyShape>, rlwe::Error> {
        if limited {
            return rlwe::required_shapes(self.program.program(), &self.parameters.0);
        }
        let whole = |id| Ok((id, KeyShape::whole(&self.parameters.0, id)?));
        self.keys().into_iter().map(whole).collect()
    }

    /// The keys it needs.
    pub fn keys(&self) -> BTreeSet<KeyId> {
        rlwe::required_keys(self.program.program(), &self.parameters.0)
    }
}
