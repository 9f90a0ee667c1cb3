//! Plain arguments of a program: numbers that come with each run, beside its ciphertexts.
//!
//! They are encoded when they come, at every level and scale that the program takes them at, and kept
//! by what they are: the same numbers again cost a look-up.

use super::constants::repeated;
use super::embedding::check_finite;
use super::plaintext::ROUNDED;
use super::{Embedding, Error, Parameters, Place};
use ringwright_ir::he::{magnitude, Program, Values};
use ringwright_ring::RnsPoly;
use std::collections::{HashMap, VecDeque};
use std::sync::{Arc, Mutex, OnceLock, PoisonError};

/// What encoded arguments may take, in bytes; the oldest go first.
const CAPACITY: usize = 256 << 20;

/// Encoded arguments, in evaluation form.
pub(super) struct Encodings {
    parameters: Parameters,
    embedding: OnceLock<Embedding>,
    held: Mutex<Held>,
}

/// Numbers (their bits) at a place.
type Key = (Arc<[u64]>, Place);

#[derive(Default)]
struct Held {
    polys: HashMap<Key, Arc<RnsPoly>>,
    oldest: VecDeque<Key>,
    bytes: usize,
}

impl Encodings {
    pub(super) fn new(parameters: &Parameters) -> Self {
        Self {
            parameters: parameters.clone(),
            embedding: OnceLock::new(),
            held: Mutex::default(),
        }
    }

    /// The numbers at a place; `to_evaluations` transforms a polynomial of its towers.
    pub(super) fn get(
        &self,
        values: &[f64],
        place: Place,
        to_evaluations: impl FnOnce(Arc<RnsPoly>) -> Result<Arc<RnsPoly>, Error>,
    ) -> Result<Arc<RnsPoly>, Error> {
        let key = (values.iter().map(|v| v.to_bits()).collect(), place);
        if let Some(poly) = self.held().polys.get(&key) {
            return Ok(poly.clone());
        }
        let slots = repeated(values, self.parameters.slots());
        let poly = to_evaluations(self.embedding()?.encode_at(&slots, &[], place)?)?;
        self.held().keep(key, poly.clone());
        Ok(poly)
    }

    pub(super) fn embedding(&self) -> Result<&Embedding, Error> {
        if let Some(embedding) = self.embedding.get() {
            return Ok(embedding);
        }
        let embedding = Embedding::new(&self.parameters)?;
        Ok(self.embedding.get_or_init(|| embedding))
    }

    fn held(&self) -> std::sync::MutexGuard<'_, Held> {
        self.held.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Held {
    fn keep(&mut self, key: Key, poly: Arc<RnsPoly>) {
        self.bytes += size(&key, &poly);
        self.oldest.push_back(key.clone());
        if let Some(twin) = self.polys.insert(key.clone(), poly) {
            // Another thread encoded the same numbers meanwhile.
            self.bytes -= size(&key, &twin);
            self.oldest.pop_back();
        }
        while self.bytes > CAPACITY {
            let Some(oldest) = self.oldest.pop_front() else {
                break;
            };
            if let Some(poly) = self.polys.remove(&oldest) {
                self.bytes -= size(&oldest, &poly);
            }
        }
    }
}

fn size((values, _): &Key, poly: &RnsPoly) -> usize {
    size_of_val(&values[..]) + poly.n() * poly.towers() * size_of::<u64>()
}

/// Refuses arguments that are not what the program was built for.
pub(super) fn check(
    program: &Program,
    parameters: &Parameters,
    given: &[Vec<f64>],
) -> Result<(), Error> {
    let expected = program.plain_arguments().count();
    if given.len() != expected {
        return Err(Error::InputCount {
            program: format!("{}: plain arguments", program.name()),
            given: given.len(),
            expected,
        });
    }
    let arguments = program.plain_arguments().zip(given).enumerate();
    for (index, (constant, values)) in arguments {
        let constant = &program.constants[constant];
        if let Values::Argument { max, rms } = constant.values {
            let refuse = |what, given: String, expected: String| Error::Input {
                program: program.name().to_string(),
                index,
                name: format!("plain {}", constant.name),
                what,
                given,
                expected,
            };
            check_values(parameters, values, (max, rms), refuse)?;
        }
    }
    Ok(())
}

fn check_values(
    parameters: &Parameters,
    values: &[f64],
    (max, rms): (f64, f64),
    refuse: impl Fn(&'static str, String, String) -> Error,
) -> Result<(), Error> {
    let slots = parameters.slots();
    if values.is_empty() || !slots.is_multiple_of(values.len()) {
        let expected = format!("a length that divides the {slots} slots");
        return Err(refuse("length", values.len().to_string(), expected));
    }
    check_finite("plain argument", values)?;
    let (largest, mean) = magnitude(values);
    match () {
        () if largest > max => Err(refuse("values up to", largest.to_string(), max.to_string())),
        () if mean > rms * ROUNDED => Err(refuse(
            "root mean square",
            mean.to_string(),
            rms.to_string(),
        )),
        () => Ok(()),
    }
}
