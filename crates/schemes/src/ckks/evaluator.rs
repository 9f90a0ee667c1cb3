//! Runs ciphertext programs on a backend.

use super::expand::key_of;
use super::explain::op_text;
use super::lowered::{polys, run_for, Lowered};
use super::plaintext::DEFAULT_BOUND;
use super::residues::check_parameters;
use super::{
    expand, programs, CallSite, Ciphertext, Error, EvaluationKeys, Expanded, Input, Parameters,
};
use ringwright_ir::he::{same_scale, CtType, KeyId, Program};
use ringwright_ir::ring::{Module, Type, ValueId};
use ringwright_ir::{Backend, CallTime, Kernel, Value};
use ringwright_ring::RnsPoly;
use std::sync::Arc;
use std::time::{Duration, Instant};

/// A ciphertext may carry this much more noise than the program was built for.
const NOISE_TOLERANCE: f64 = 1.01;

/// Prepares programs for one parameter set and backend.
pub struct Evaluator {
    parameters: Parameters,
    backend: Arc<dyn Backend>,
    to_evaluations: Lowered<usize>,
}

impl Evaluator {
    /// For one backend.
    pub fn new(parameters: &Parameters, backend: Arc<dyn Backend>) -> Self {
        let to_evaluations = Lowered::new(backend.clone());
        Self {
            parameters: parameters.clone(),
            backend,
            to_evaluations,
        }
    }

    /// The parameters it evaluates under.
    pub fn parameters(&self) -> &Parameters {
        &self.parameters
    }

    /// Expands a program, lowers it and makes its constants ready, once.
    ///
    /// # Errors
    /// A program that does not hold under the parameters, or that the backend cannot run.
    pub fn prepare(&self, program: &Program) -> Result<Prepared, Error> {
        let Expanded {
            module,
            inputs,
            calls,
        } = expand(program, &self.parameters)?;
        let kernel = self.backend.prepare(&module)?;
        let inputs = inputs
            .into_iter()
            .map(|input| self.slot(input))
            .collect::<Result<_, _>>()?;
        let (parameters, program) = (self.parameters.clone(), program.clone());
        Ok(Prepared {
            parameters,
            program,
            module,
            kernel,
            inputs,
            calls,
        })
    }

    fn slot(&self, input: Input) -> Result<Slot, Error> {
        Ok(match input {
            Input::Ciphertext { index, part } => Slot::Ciphertext { index, part },
            Input::Key(key) => Slot::Key(key),
            Input::Constant(plaintext) => {
                let level = plaintext.level();
                let kernel = self.to_evaluations.get(level, || {
                    programs::plaintext_to_evaluations(&self.parameters, level)
                })?;
                let [poly] = run_for(&*kernel, &[Value::Poly(plaintext.poly().clone())])?;
                Slot::Constant(poly)
            }
        })
    }
}

/// A program made ready; runs many times, from any thread.
pub struct Prepared {
    parameters: Parameters,
    program: Program,
    module: Module,
    kernel: Arc<dyn Kernel>,
    inputs: Vec<Slot>,
    calls: Vec<CallSite>,
}

/// Where an argument of the kernel comes from.
enum Slot {
    Ciphertext { index: usize, part: usize },
    Key(KeyId),
    Constant(Arc<RnsPoly>),
}

/// Towers that a run takes and gives: what a machine with memory of its own must be sent.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Traffic {
    /// Of the input ciphertexts.
    pub ciphertexts: usize,
    /// Of the evaluation keys, each as often as the program holds it.
    pub keys: usize,
    /// Of the constants.
    pub constants: usize,
    /// Of the results.
    pub results: usize,
}

/// When one operation of a program ran, by the wall clock.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct OperationTime {
    /// Which operation, and where the user wrote it.
    pub site: CallSite,
    /// When it began.
    pub start: Instant,
    /// How long it took.
    pub duration: Duration,
}

impl Prepared {
    /// The ciphertext program.
    pub fn program(&self) -> &Program {
        &self.program
    }

    /// The ring program it was expanded to.
    pub fn module(&self) -> &Module {
        &self.module
    }

    /// One call per operation, in the order they run: the names of a profile's lines.
    pub fn calls(&self) -> &[CallSite] {
        &self.calls
    }

    /// How many towers go in and come out.
    pub fn traffic(&self) -> Traffic {
        let mut traffic = Traffic::default();
        let entry = self.module.entry();
        for (slot, param) in self.inputs.iter().zip(&entry.params) {
            let towers = towers_of(&param.ty);
            match slot {
                Slot::Ciphertext { .. } => traffic.ciphertexts += towers,
                Slot::Key(_) => traffic.keys += towers,
                Slot::Constant(_) => traffic.constants += towers,
            }
        }
        let results = entry
            .returns
            .iter()
            .map(|&value| towers_of(entry.ty(value)));
        traffic.results = results.sum();
        traffic
    }

    /// Runs the program.
    ///
    /// # Errors
    /// Ciphertexts or keys of other parameters; a ciphertext of another level, scale or number of
    /// parts than the program was built for, with larger values or more noise; a missing key.
    pub fn run(
        &self,
        ciphertexts: &[Ciphertext],
        keys: &EvaluationKeys,
    ) -> Result<Vec<Ciphertext>, Error> {
        let inputs = self.arguments(ciphertexts, keys)?;
        self.collect(polys(self.kernel.run(&inputs)?)?)
    }

    /// Runs the program and says how long each operation took: in order, without those that the
    /// backend did not have to run (one that only drops towers, one whose result nobody reads).
    /// Empty where the backend does not measure.
    ///
    /// # Errors
    /// As [`Prepared::run`].
    pub fn run_profiled(
        &self,
        ciphertexts: &[Ciphertext],
        keys: &EvaluationKeys,
    ) -> Result<(Vec<Ciphertext>, Vec<OperationTime>), Error> {
        let inputs = self.arguments(ciphertexts, keys)?;
        let (values, times) = self.kernel.run_profiled(&inputs)?;
        let times = times.into_iter().map(|time| self.named(time));
        Ok((
            self.collect(polys(values)?)?,
            times.collect::<Result<_, _>>()?,
        ))
    }

    fn named(&self, time: CallTime) -> Result<OperationTime, Error> {
        let site = self.calls.get(time.call).ok_or_else(|| {
            let (call, calls) = (time.call, self.calls.len());
            Error::Internal(format!("a backend timed call {call} of {calls}"))
        })?;
        Ok(OperationTime {
            site: site.clone(),
            start: time.start,
            duration: time.duration,
        })
    }

    fn arguments(
        &self,
        ciphertexts: &[Ciphertext],
        keys: &EvaluationKeys,
    ) -> Result<Vec<Value>, Error> {
        self.check(ciphertexts, keys)?;
        let value = |slot: &Slot| {
            Ok(match slot {
                &Slot::Ciphertext { index, part } => {
                    Value::Poly(ciphertexts[index].parts()[part].clone())
                }
                Slot::Key(key) => Value::Array(keys.get(*key)?.polys().clone()),
                Slot::Constant(poly) => Value::Poly(poly.clone()),
            })
        };
        self.inputs.iter().map(value).collect()
    }

    fn collect(&self, polys: Vec<Arc<RnsPoly>>) -> Result<Vec<Ciphertext>, Error> {
        let types = self
            .program
            .returns
            .iter()
            .map(|value| &self.program.types[value.index()]);
        let expected: usize = types.clone().map(|ty| usize::from(ty.parts)).sum();
        if polys.len() != expected {
            let what = format!(
                "a backend returned {} polynomials instead of {expected}",
                polys.len()
            );
            return Err(Error::Internal(what));
        }
        let mut polys = polys.into_iter();
        let ciphertext = |ty: &CtType| {
            let parts = polys.by_ref().take(ty.parts.into()).collect();
            Ciphertext::from_run(&self.parameters, parts, ty)
        };
        Ok(types.map(ciphertext).collect())
    }

    fn check(&self, ciphertexts: &[Ciphertext], keys: &EvaluationKeys) -> Result<(), Error> {
        check_parameters("evaluation keys", keys.parameters(), &self.parameters)?;
        let (program, given) = (self.program.name.clone(), ciphertexts.len());
        if given != self.program.inputs {
            return Err(Error::InputCount {
                program,
                given,
                expected: self.program.inputs,
            });
        }
        for (index, ciphertext) in ciphertexts.iter().enumerate() {
            check_parameters("ciphertext", ciphertext.parameters(), &self.parameters)?;
            self.check_input(index, &ciphertext.ty())?;
        }
        self.check_keys(keys)
    }

    fn check_keys(&self, keys: &EvaluationKeys) -> Result<(), Error> {
        for op in &self.program.ops {
            let Some(key) = key_of(&op.kind, &self.parameters) else {
                continue;
            };
            if keys.get(key).is_err() {
                let line = op.loc.as_ref().filter(|loc| !loc.file.is_empty());
                let line = line.map_or(String::new(), |loc| format!(", {loc}"));
                return Err(Error::MissingKey {
                    key,
                    needed_by: format!(" for {}{line}", op_text(&self.program, op)),
                    given: keys.list(),
                });
            }
        }
        Ok(())
    }

    fn check_input(&self, index: usize, given: &CtType) -> Result<(), Error> {
        let expected = &self.program.types[index];
        let refuse = |what, given: String, expected: String| {
            let name = self.program.value_name(ValueId(index as u32));
            let program = self.program.name.clone();
            Err(Error::Input {
                program,
                index,
                name,
                what,
                given,
                expected,
            })
        };
        let bits = |value: f64| format!("2^{:.6}", value.log2());
        if given.level != expected.level {
            return refuse("level", given.level.to_string(), expected.level.to_string());
        }
        if given.parts != expected.parts {
            return refuse("parts", given.parts.to_string(), expected.parts.to_string());
        }
        if !same_scale(given.scale, expected.scale) {
            return refuse("scale", bits(given.scale), bits(expected.scale));
        }
        // The default bound says nothing about values below it; the program's word counts there.
        if given.max > expected.max.max(DEFAULT_BOUND) {
            return refuse(
                "values up to",
                given.max.to_string(),
                expected.max.to_string(),
            );
        }
        if given.noise > expected.noise * NOISE_TOLERANCE {
            return refuse("noise", bits(given.noise), bits(expected.noise));
        }
        if given.peak > expected.peak * NOISE_TOLERANCE {
            return refuse("peak noise", bits(given.peak), bits(expected.peak));
        }
        Ok(())
    }
}

/// Towers of a value of this type.
fn towers_of(ty: &Type) -> usize {
    let items = match ty {
        Type::Array { len, .. } => usize::from(*len),
        _ => 1,
    };
    items * ty.basis().map_or(0, |basis| basis.len())
}
