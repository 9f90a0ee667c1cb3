//! Runs ciphertext programs on a device.

use super::ciphertext::check_encrypted;
use super::constants::encoded;
use super::explain::op_text;
use super::lineage::Origin;
use super::plain_arguments::{self, Encodings};
use super::plaintext::ROUNDED;
use super::{
    expand_for, same_scale, Analysed, CallSite, Ciphertext, Error, Estimate, Expanded, Hoisting,
    Input, Lineage, Parameters, Place,
};
use crate::rlwe::{
    self, check_ring, keys_of, polys, programs, run_for, EvaluationKeys, Identity, KeyShape,
    Lowered, OnDevice,
};
use ringwright_ir::he::{HeOp, KeyId, Program};
use ringwright_ir::ring::{Module, Type, ValueId};
use ringwright_ir::{interrupt, Value};
use ringwright_ring::RnsPoly;
use ringwright_target::{Argument, Buffered, CallTime, Checked, Device, Form, Timing};
use std::collections::BTreeMap;
use std::sync::Arc;
use std::time::{Duration, Instant};

/// A ciphertext may carry this much more noise than the program was built for.
pub(super) const NOISE_TOLERANCE: f64 = 1.01;

/// Prepares programs for one parameter set and device.
pub struct Evaluator {
    parameters: Parameters,
    device: Arc<dyn Device>,
    to_evaluations: Lowered<(u16, bool)>,
    plain_arguments: Encodings,
}

impl Evaluator {
    /// For one device.
    pub fn new(parameters: &Parameters, device: Arc<dyn Device>) -> Self {
        Self::encoding_on(parameters, device.clone(), device)
    }

    /// The same, with constants and plain arguments transformed on another device: they are made ready
    /// before any run, and stand in no timing.
    pub fn encoding_on(
        parameters: &Parameters,
        device: Arc<dyn Device>,
        encoder: Arc<dyn Device>,
    ) -> Self {
        let to_evaluations = Lowered::new(encoder);
        Self {
            parameters: parameters.clone(),
            device,
            to_evaluations,
            plain_arguments: Encodings::new(parameters),
        }
    }

    /// The parameters it evaluates under.
    pub fn parameters(&self) -> &Parameters {
        &self.parameters
    }

    /// Expands a program, lowers it and makes its constants ready, once. A device with a memory of
    /// its own holds the constants from now on, and the keys from the first run.
    ///
    /// # Errors
    /// A program of other parameters, or that the device cannot run or has no room for.
    pub fn prepare(&self, program: &Analysed) -> Result<Prepared, Error> {
        self.prepare_for(program, &BTreeMap::new())
    }

    /// The same for keys of these shapes ([`EvaluationKeys::shapes`]); of every level, where none is
    /// given.
    ///
    /// # Errors
    /// As [`Evaluator::prepare`], and a key that does not reach the levels it is needed at.
    pub fn prepare_for(
        &self,
        program: &Analysed,
        keys: &BTreeMap<KeyId, KeyShape>,
    ) -> Result<Prepared, Error> {
        check_ring("the program", program.parameters(), &self.parameters)?;
        let Expanded {
            module,
            inputs,
            calls,
        } = expand_for(program, keys, Hoisting::on(&*self.device, &self.parameters))?;
        let kernel = Buffered::lower(&*self.device, &module)?;
        let inputs = inputs.into_iter().zip(kernel.params());
        let on_device = OnDevice::new(&*self.device);
        let inputs = inputs
            .map(|(input, form)| self.slot(program.program(), input, form.as_ref(), &on_device))
            .collect::<Result<_, _>>()?;
        let words = self.device.word_bytes();
        let widest = module.primes.iter().max().copied().unwrap_or(0);
        let bits = u128::BITS - widest.leading_zeros();
        Ok(Prepared {
            tower_bytes: words.map(|bytes| bytes.below(bits) * self.parameters.n() as u64),
            parameters: self.parameters.clone(),
            analysed: Arc::new(program.clone()),
            module: Arc::new(module),
            shapes: keys.clone(),
            kernel,
            inputs,
            calls: calls.into(),
            on_device,
        })
    }

    /// The same program with its plain arguments, in the order they were added: each is encoded for
    /// every level and scale it is used at. Lengths divide the slots; the numbers are repeated.
    ///
    /// # Errors
    /// Another number of arguments, lengths or values beyond what the program was built for, or a
    /// program of other parameters.
    pub fn bind(&self, prepared: &Prepared, plains: &[Vec<f64>]) -> Result<Prepared, Error> {
        check_ring("the program", &prepared.parameters, &self.parameters)?;
        plain_arguments::check(prepared.program(), &self.parameters, plains)?;
        let bound = |slot: &Slot| match *slot {
            Slot::Plain { argument, place } => {
                let values = &plains[argument];
                let transform = |poly| self.evaluations(place, poly);
                let poly = self.plain_arguments.get(values, place, transform)?;
                Ok(Slot::Constant(Argument::Value(Value::Poly(poly))))
            }
            ref other => Ok(other.clone()),
        };
        let inputs = prepared.inputs.iter().map(bound);
        Ok(Prepared {
            inputs: inputs.collect::<Result<_, Error>>()?,
            ..prepared.clone()
        })
    }

    fn evaluations(&self, place: Place, poly: Arc<RnsPoly>) -> Result<Arc<RnsPoly>, Error> {
        interrupt::check()?;
        let Place {
            level, extended, ..
        } = place;
        let kernel = self.to_evaluations.get((level, extended), || {
            programs::plaintext_to_evaluations(&self.parameters, level.into(), extended)
        })?;
        let [poly] = run_for(&*kernel, &[Value::Poly(poly)])?;
        Ok(poly)
    }

    fn slot(
        &self,
        program: &Program,
        input: Input,
        form: Option<&Form>,
        on_device: &OnDevice,
    ) -> Result<Slot, Error> {
        Ok(match input {
            Input::Ciphertext { index, part } => Slot::Ciphertext { index, part },
            Input::Key(key) => Slot::Key(key),
            Input::Constant { constant, place } => {
                let constant = &program.constants[constant];
                let poly = encoded(self.plain_arguments.embedding()?, constant, place)?;
                let poly = self.evaluations(place, poly)?;
                Slot::Constant(on_device.argument(form, Value::Poly(poly))?)
            }
            Input::Plain { argument, place } => Slot::Plain { argument, place },
        })
    }
}

/// A program made ready; runs many times, from any thread.
#[derive(Clone)]
pub struct Prepared {
    parameters: Parameters,
    analysed: Arc<Analysed>,
    module: Arc<Module>,
    /// Of the keys, where they are not of every level.
    shapes: BTreeMap<KeyId, KeyShape>,
    kernel: Buffered,
    inputs: Vec<Slot>,
    calls: Arc<[CallSite]>,
    tower_bytes: Option<u64>,
    on_device: OnDevice,
}

/// Where an argument of the kernel comes from.
#[derive(Clone)]
enum Slot {
    Ciphertext {
        index: usize,
        part: usize,
    },
    Key(KeyId),
    Constant(Argument),
    /// A plain argument that is not there yet.
    Plain {
        argument: usize,
        place: Place,
    },
}

/// Towers that a run takes and gives: what a machine with memory of its own must be sent.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Traffic {
    /// Of the input ciphertexts.
    pub ciphertexts: usize,
    /// Of the evaluation keys, each as often as the program holds it.
    pub keys: usize,
    /// Of the plain arguments, whose values a run brings.
    pub plain: usize,
    /// Of the constants, which the program has.
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

/// What a run gave, and what is known of it.
#[derive(Debug)]
pub struct Profiled {
    /// One for each returned value.
    pub results: Vec<Ciphertext>,
    /// How long each operation took: in order, without those that the device did not have to run (one
    /// that only drops towers, one whose result nobody reads). Empty where the device does not measure.
    pub times: Vec<OperationTime>,
    /// What was compared, where values are another device's.
    pub checked: Option<Checked>,
}

impl Prepared {
    /// The ciphertext program.
    pub fn program(&self) -> &Program {
        self.analysed.program()
    }

    /// The same, with what is known of its values.
    pub fn analysed(&self) -> &Analysed {
        &self.analysed
    }

    /// The ring program it was expanded to.
    pub fn module(&self) -> &Module {
        &self.module
    }

    /// Time of one run on a simulated machine; `None` where the machine is real.
    pub fn timing(&self) -> Option<&Arc<Timing>> {
        self.kernel.executable().timing()
    }

    /// One call per operation, in the order they run: the names of a profile's lines.
    pub fn calls(&self) -> &[CallSite] {
        &self.calls
    }

    /// Bytes in which one tower travels to and from the machine; `None` where the machine is real
    /// and its words stay in this computer's memory.
    pub fn tower_bytes(&self) -> Option<u64> {
        self.tower_bytes
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
                Slot::Plain { .. } => traffic.plain += towers,
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
    /// Ciphertexts or keys of other parameters or of different secret keys; a ciphertext of another
    /// level, scale or number of parts than the program was built for, with larger values, more noise
    /// or more in common with another one's; a missing key; keys that the device has no room for; a
    /// result that is not encrypted.
    pub fn run(
        &self,
        ciphertexts: &[Ciphertext],
        keys: &EvaluationKeys,
    ) -> Result<Vec<Ciphertext>, Error> {
        let inputs = self.arguments(ciphertexts, keys)?;
        let results = polys(self.kernel.run(&inputs)?)?;
        self.collect(results, ciphertexts, keys)
    }

    /// Runs the program and says what is known of the run.
    ///
    /// # Errors
    /// As [`Prepared::run`].
    pub fn run_profiled(
        &self,
        ciphertexts: &[Ciphertext],
        keys: &EvaluationKeys,
    ) -> Result<Profiled, Error> {
        let inputs = self.arguments(ciphertexts, keys)?;
        let (values, profile) = self.kernel.run_profiled(&inputs)?;
        let times = profile.times.into_iter().map(|time| self.named(time));
        Ok(Profiled {
            results: self.collect(polys(values)?, ciphertexts, keys)?,
            times: times.collect::<Result<_, _>>()?,
            checked: profile.checked,
        })
    }

    fn named(&self, time: CallTime) -> Result<OperationTime, Error> {
        let site = self.calls.get(time.call).ok_or_else(|| {
            let (call, calls) = (time.call, self.calls.len());
            Error::Internal(format!("a device timed call {call} of {calls}"))
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
    ) -> Result<Vec<Argument>, Error> {
        self.check(ciphertexts, keys)?;
        let mut keys = self.keys(keys)?.into_iter();
        let missing = || Error::Internal("fewer keys than the program holds".into());
        let argument = |slot: &Slot| match slot {
            &Slot::Ciphertext { index, part } => {
                let poly = ciphertexts[index].parts()[part].clone();
                Ok(Argument::Value(Value::Poly(poly)))
            }
            Slot::Key(_) => keys.next().ok_or_else(missing),
            Slot::Constant(argument) => Ok(argument.clone()),
            Slot::Plain { .. } => Err(self.unbound()),
        };
        self.inputs.iter().map(argument).collect()
    }

    /// The program's keys, in the order of its inputs.
    fn keys(&self, keys: &EvaluationKeys) -> Result<Vec<Argument>, Error> {
        let slots = self.inputs.iter().zip(self.kernel.params());
        let values = slots.filter_map(|(slot, form)| match slot {
            Slot::Key(id) => Some((id, form.as_ref())),
            _ => None,
        });
        let value = |(id, form): (&KeyId, _)| {
            let polys = keys.get(*id)?.polys().clone();
            Ok((form, Value::Array(polys)))
        };
        let values = values.map(value).collect::<Result<_, Error>>()?;
        Ok(self.on_device.keys(values)?)
    }

    fn unbound(&self) -> Error {
        Error::InputCount {
            program: format!("{}: plain arguments", self.program().name()),
            given: 0,
            expected: self.program().plain_arguments().count(),
        }
    }

    fn collect(
        &self,
        polys: Vec<Arc<RnsPoly>>,
        ciphertexts: &[Ciphertext],
        keys: &EvaluationKeys,
    ) -> Result<Vec<Ciphertext>, Error> {
        let entry = self.program().entry();
        let returns = entry.returns.iter();
        let types = self.analysed.results();
        let expected: usize = self
            .analysed
            .results()
            .map(|ty| usize::from(ty.parts))
            .sum();
        if polys.len() != expected {
            let what = format!(
                "a device returned {} polynomials instead of {expected}",
                polys.len()
            );
            return Err(Error::Internal(what));
        }
        let owner = ciphertexts.iter().map(Ciphertext::identity);
        let owner = owner.fold(keys.identity(), Identity::or);
        let own = Origin::next();
        let mut polys = polys.into_iter();
        let ciphertext = |(index, (value, ty)): (usize, (&ValueId, &Estimate))| {
            let parts: Vec<_> = polys.by_ref().take(ty.parts.into()).collect();
            let name = entry.value_name(*value);
            check_encrypted(&format!("{}: result {name}", entry.name), &parts)?;
            let lineage = self.lineage(index, ciphertexts, own);
            Ok(Ciphertext::from_run(
                &self.parameters,
                parts,
                ty,
                owner,
                lineage,
            ))
        };
        returns.zip(types).enumerate().map(ciphertext).collect()
    }

    /// Where the error of a result comes from.
    fn lineage(&self, result: usize, ciphertexts: &[Ciphertext], own: Origin) -> Lineage {
        let of = |ciphertext| {
            (
                Ciphertext::lineage(ciphertext),
                Ciphertext::peak(ciphertext),
            )
        };
        let inputs: Vec<_> = ciphertexts.iter().map(of).collect();
        Lineage::of_result(&inputs, &self.analysed.errors().results[result], own)
    }

    fn check(&self, ciphertexts: &[Ciphertext], keys: &EvaluationKeys) -> Result<(), Error> {
        check_ring("evaluation keys", keys.ring(), &self.parameters)?;
        let entry = self.program().entry();
        let (program, given) = (entry.name.clone(), ciphertexts.len());
        if given != entry.inputs {
            return Err(Error::InputCount {
                program,
                given,
                expected: entry.inputs,
            });
        }
        let mut owner = keys.identity();
        for (index, ciphertext) in ciphertexts.iter().enumerate() {
            check_ring("ciphertext", ciphertext.parameters(), &self.parameters)?;
            let name = entry.value_name(ValueId(index as u32));
            let what = format!("{program}: input {index} ({name})");
            ciphertext.identity().check(&what, owner)?;
            owner = owner.or(ciphertext.identity());
            self.check_input(index, &ciphertext.ty())?;
        }
        self.check_groups(ciphertexts)?;
        self.check_keys(keys)
    }

    /// Refuses inputs with errors in common that the program was not built for.
    fn check_groups(&self, ciphertexts: &[Ciphertext]) -> Result<(), Error> {
        let errors = self.analysed.errors();
        let lineages: Vec<_> = ciphertexts.iter().map(Ciphertext::lineage).collect();
        let groups = Lineage::groups(&lineages);
        for (index, group) in groups
            .iter()
            .enumerate()
            .filter(|(_, group)| group.is_some())
        {
            let differs = |other: &usize| {
                groups[*other] == *group && errors.inputs[*other] != errors.inputs[index]
            };
            let other = match errors.inputs[index] {
                None => (0..groups.len()).find(|&other| other != index && groups[other] == *group),
                Some(_) => (0..groups.len()).find(differs),
            };
            if other.is_some() || errors.inputs[index].is_none() {
                let entry = self.program().entry();
                let name = |index: usize| entry.value_name(ValueId(index as u32));
                return Err(Error::Related {
                    program: entry.name.clone(),
                    name: name(index),
                    other: other.map_or("its own slots".to_string(), name),
                });
            }
        }
        Ok(())
    }

    fn check_keys(&self, keys: &EvaluationKeys) -> Result<(), Error> {
        let keys_of = |op: &HeOp| keys_of(&op.kind, &self.parameters);
        let ops = self.program().ops();
        let needed = ops
            .flat_map(|(function, op)| keys_of(op).into_iter().map(move |key| (function, op, key)));
        for (function, op, key) in needed {
            let needed_by = || {
                let line = op.loc.as_ref().filter(|loc| !loc.file.is_empty());
                let line = line.map_or(String::new(), |loc| format!(", {loc}"));
                format!(" for {}{line}", op_text(self.program(), function, op))
            };
            let Ok(found) = keys.get(key) else {
                return Err(rlwe::Error::MissingKey {
                    key,
                    needed_by: needed_by(),
                    given: keys.list(),
                }
                .into());
            };
            let whole = || KeyShape::whole(&self.parameters, key).ok();
            let asked = self.shapes.get(&key).cloned().or_else(whole);
            if let Some(asked) = asked.filter(|asked| asked != found.shape()) {
                return Err(rlwe::Error::KeyShape {
                    key,
                    needed_by: needed_by(),
                    asked: asked.to_string(),
                    given: found.shape().to_string(),
                }
                .into());
            }
        }
        Ok(())
    }

    fn check_input(&self, index: usize, given: &Estimate) -> Result<(), Error> {
        let expected = &self.analysed.inputs()[index];
        let refuse = |what, given: String, expected: String| {
            let entry = self.program().entry();
            let name = entry.value_name(ValueId(index as u32));
            let program = entry.name.clone();
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
        if given.max > expected.max * ROUNDED {
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
