//! Values that stay in a device's memory: the same results, and no bytes lost.

use super::case::same;
use super::{Case, Outcome};
use crate::{Argument, Buffer, BufferError, Buffered, Device, DeviceMemory, Form, WordBytes};
use ringwright_arith::primes::ntt_primes;
use ringwright_ir::interpret::Interpreter;
use ringwright_ir::ring::{Basis, Domain, Module, ModuleBuilder, Type, VerifyError};
use ringwright_ir::{generate, RunError, Value};
use std::sync::Arc;

const LOG_N: u32 = 4;
const BITS: u32 = 30;

/// Nothing for a device that works in its host's memory.
pub fn run(device: &dyn Device) -> Option<Case> {
    let memory = device.memory()?;
    let outcome = Outcome::of(|| match attempt(device, memory) {
        Ok(()) => Ok(Outcome::Passed),
        Err(BufferError::Run(error)) => Err(error),
        Err(error) => Ok(Outcome::Failed(error.to_string())),
    });
    Some(Case::fixed("values stay in its memory", outcome))
}

/// The program, and values that fit it.
struct Trial<'a> {
    memory: &'a DeviceMemory,
    program: Buffered,
    a: Value,
    key: Value,
}

fn attempt(device: &dyn Device, memory: &DeviceMemory) -> Result<(), BufferError> {
    let module = program().map_err(RunError::from)?;
    let used = memory.used();
    let [a, key] = <[Value; 2]>::try_from(generate::inputs(1, &module))
        .map_err(|_| wrong("the suite's own program takes two"))?;
    let trial = Trial {
        memory,
        program: Buffered::lower(device, &module)?,
        a,
        key,
    };
    trial.check_values(&module)?;
    trial.check_refusals()?;
    trial.check_full()?;
    match memory.used() == used {
        true => Ok(()),
        false => Err(wrong("bytes stay held when every buffer is dropped")),
    }
}

/// a * key\[0\] + key\[1\], of the form of a.
fn program() -> Result<Module, VerifyError> {
    let primes = ntt_primes(BITS, LOG_N, 2).unwrap_or_default();
    let both = Basis::range(0..2);
    let mut mb = ModuleBuilder::new(LOG_N, &primes);
    let mut fb = mb.function("main");
    let a = fb.param("a", Type::poly(&both, Domain::Eval), false);
    let key = fb.param("key", Type::array(&both, Domain::Eval, 2), false);
    let factor = fb.element(key, 0)?;
    let summand = fb.element(key, 1)?;
    let product = fb.mul(a, factor)?;
    let sum = fb.add(product, summand)?;
    let main = fb.finish(&[sum])?;
    mb.finish(main)
}

impl Trial<'_> {
    fn form(&self, index: usize) -> Result<&Form, BufferError> {
        let form = self.program.params()[index].as_ref();
        form.ok_or_else(|| wrong("a polynomial has no form"))
    }

    fn arguments(&self) -> Vec<Argument> {
        [&self.a, &self.key]
            .map(|value| Argument::Value(value.clone()))
            .into()
    }

    /// A run on the result of a run, both with the key in memory, as the interpreter.
    fn check_values(&self, module: &Module) -> Result<(), BufferError> {
        let reference = Interpreter.prepare(module)?;
        let once = reference.run(&[self.a.clone(), self.key.clone()])?;
        let twice = reference.run(&[once[0].clone(), self.key.clone()])?;
        let key = self.memory.put(self.form(1)?, self.key.clone())?;
        let held = Argument::Held(key.clone());
        let kept = self
            .program
            .run_keeping(&[self.arguments().remove(0), held.clone()])?;
        check_same(&once, &[kept[0].value().clone()])?;
        let bytes = self.memory.size(self.form(0)?) + self.memory.size(self.form(1)?);
        if kept[0].bytes() + key.bytes() != bytes || self.memory.used() < bytes {
            return Err(wrong("buffers do not take the bytes of their words"));
        }
        let again = self.program.run(&[Argument::Held(kept[0].clone()), held])?;
        check_same(&twice, &again)
    }

    /// Buffers of another device, even of the same name, and of another form.
    fn check_refusals(&self) -> Result<(), BufferError> {
        let other = DeviceMemory::new(self.memory.machine(), u64::MAX, WordBytes::all(1));
        let foreign = other.put(self.form(0)?, self.a.clone())?;
        if !matches!(
            self.run_on(foreign),
            Err(BufferError::Foreign { index: 0, .. })
        ) {
            return Err(wrong("a buffer of another device is not refused"));
        }
        let coefficients = Form {
            domain: Domain::Coeff,
            ..self.form(0)?.clone()
        };
        let forms = [(coefficients, &self.a), (self.form(1)?.clone(), &self.key)];
        for (form, value) in forms {
            let buffer = self.memory.put(&form, value.clone())?;
            if !matches!(self.run_on(buffer), Err(BufferError::Form { index: 0, .. })) {
                return Err(wrong("a buffer of another form is not refused"));
            }
        }
        Ok(())
    }

    fn run_on(&self, a: Arc<Buffer>) -> Result<Vec<Value>, BufferError> {
        self.program
            .run(&[Argument::Held(a), Argument::Value(self.key.clone())])
    }

    /// Nothing goes into a memory without room; with room again it does.
    fn check_full(&self) -> Result<(), BufferError> {
        let rest = self.memory.reserve(self.memory.free())?;
        let full = |error| matches!(error, Some(BufferError::Full { free: 0, .. }));
        if !full(self.memory.put(self.form(0)?, self.a.clone()).err())
            || !full(self.program.run_keeping(&self.arguments()).err())
        {
            return Err(wrong("a value goes into a memory that is full"));
        }
        drop(rest);
        self.program.run_keeping(&self.arguments()).map(drop)
    }
}

fn check_same(expected: &[Value], found: &[Value]) -> Result<(), BufferError> {
    same(expected, found).map_err(|what| wrong(&what))
}

fn wrong(what: &str) -> BufferError {
    RunError::Invalid(what.to_owned()).into()
}
