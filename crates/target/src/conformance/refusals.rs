//! What a device must refuse, with an error rather than a result or a panic.

use super::case::changed;
use super::{Case, Outcome};
use crate::Device;
use ringwright_arith::primes::ntt_primes;
use ringwright_ir::generate;
use ringwright_ir::ring::{
    Basis, Domain, FuncId, Module, ModuleBuilder, Type, ValueId, VerifyError, MAX_CALL_DEPTH,
};
use ringwright_ir::{RunError, Value};
use ringwright_ring::RnsPoly;

const LOG_N: u32 = 4;
const BITS: u32 = 30;

/// Tries wrong arguments and invalid programs.
pub fn run(device: &dyn Device) -> Vec<Case> {
    let module = match program() {
        Ok(module) => module,
        Err(error) => return vec![failed("refusals", error.to_string())],
    };
    let mut cases: Vec<Case> = wrong_arguments(&module)
        .into_iter()
        .map(|(what, inputs)| Case::fixed(what, refused(device, &module, &inputs)))
        .collect();
    for (what, damaged) in invalid_programs(&module) {
        cases.push(Case::fixed(what, not_lowered(device, &damaged)));
    }
    let what = "lowers calls of calls, doubled to the greatest depth";
    cases.push(match doubled() {
        Ok(module) => Case::fixed(what, lowered(device, &module)),
        Err(error) => failed(what, error.to_string()),
    });
    cases
}

/// A sum that is doubled by calling the function before twice, as deep as calls may nest.
fn doubled() -> Result<Module, VerifyError> {
    let primes = ntt_primes(BITS, LOG_N, 1).unwrap_or_default();
    let mut mb = ModuleBuilder::new(LOG_N, &primes);
    let mut below: Option<FuncId> = None;
    for level in 0..=MAX_CALL_DEPTH {
        let mut fb = mb.function(&format!("level{level}"));
        let x = fb.param("x", Type::poly(&Basis::range(0..1), Domain::Eval), false);
        let twice = match below {
            Some(below) => {
                let once = fb.call(below, &[x])?[0];
                fb.call(below, &[once])?[0]
            }
            None => fb.add(x, x)?,
        };
        below = Some(fb.finish(&[twice])?);
    }
    mb.finish(below.unwrap_or(FuncId(0)))
}

fn failed(name: &str, what: String) -> Case {
    Case::fixed(name, Outcome::Failed(what))
}

/// a * b + key\[1\], and a seed that nothing reads.
fn program() -> Result<Module, VerifyError> {
    let primes = ntt_primes(BITS, LOG_N, 2).unwrap_or_default();
    let mut mb = ModuleBuilder::new(LOG_N, &primes);
    let both = Basis::range(0..2);
    let mut fb = mb.function("main");
    let a = fb.param("a", Type::poly(&both, Domain::Eval), false);
    let key = fb.param("key", Type::array(&both, Domain::Eval, 2), false);
    fb.param("seed", Type::Seed, true);
    let item = fb.element(key, 1)?;
    let product = fb.mul(a, item)?;
    let sum = fb.add(product, a)?;
    let main = fb.finish(&[sum])?;
    mb.finish(main)
}

fn wrong_arguments(module: &Module) -> Vec<(&'static str, Vec<Value>)> {
    let right: Vec<Value> = generate::inputs(1, module);
    let n = module.n();
    let last = module.primes.len() - 1;
    let q = module.primes[last] as u64;
    let with_word = |word: u64| {
        move |poly: &RnsPoly| {
            let mut poly = poly.clone();
            poly.tower_mut(last)[n - 1] = word;
            poly
        }
    };
    let swapped = vec![right[1].clone(), right[0].clone(), right[2].clone()];
    let no_seed = vec![right[0].clone(), right[1].clone(), right[0].clone()];
    let polys = [
        (
            "refuses a word that is not reduced",
            changed(&right, 0, with_word(q)),
        ),
        (
            "refuses a word of 64 bits",
            changed(&right, 0, with_word(u64::MAX)),
        ),
        (
            "refuses such a word in an array",
            changed(&right, 1, with_word(q)),
        ),
        (
            "refuses too few towers",
            changed(&right, 0, |_| RnsPoly::zero(n, last)),
        ),
        (
            "refuses another degree",
            changed(&right, 1, |_| RnsPoly::zero(2 * n, last + 1)),
        ),
    ];
    let others = [
        ("refuses too few arguments", right[..2].to_vec()),
        (
            "refuses too many arguments",
            [right.clone(), right[..1].to_vec()].concat(),
        ),
        ("refuses an array in the place of a polynomial", swapped),
        ("refuses a polynomial in the place of a seed", no_seed),
    ];
    let polys = polys
        .into_iter()
        .filter_map(|(what, inputs)| Some((what, inputs?)));
    polys.chain(others).collect()
}

fn invalid_programs(module: &Module) -> Vec<(&'static str, Module)> {
    let damage = |change: fn(&mut Module)| {
        let mut damaged = module.clone();
        change(&mut damaged);
        damaged
    };
    vec![
        (
            "refuses a value that is not defined",
            damage(|m| m.funcs[0].ops[1].args[0] = ValueId(u32::MAX)),
        ),
        (
            "refuses an entry that does not exist",
            damage(|m| m.entry = FuncId(7)),
        ),
        (
            "refuses a composite number as prime",
            damage(|m| m.primes[0] = (1 << LOG_N) * 2 * 51 + 1),
        ),
        (
            "refuses a degree that is too small",
            damage(|m| m.log_n = 3),
        ),
    ]
}

fn refused(device: &dyn Device, module: &Module, inputs: &[Value]) -> Outcome {
    Outcome::of(|| {
        Ok(match device.lower(module)?.run(inputs) {
            Err(RunError::Argument { .. } | RunError::ArgumentCount { .. }) => Outcome::Passed,
            Err(error) => Outcome::Failed(format!("not an error of the argument: {error}")),
            Ok(_) => Outcome::Failed("it ran".into()),
        })
    })
}

fn lowered(device: &dyn Device, module: &Module) -> Outcome {
    Outcome::of(|| device.lower(module).map(|_| Outcome::Passed))
}

fn not_lowered(device: &dyn Device, module: &Module) -> Outcome {
    Outcome::of(|| match device.lower(module) {
        Err(RunError::Invalid(_)) => Ok(Outcome::Passed),
        Err(error @ RunError::Unsupported { .. }) => Err(error),
        Err(error) => Ok(Outcome::Failed(format!(
            "not an error of the program: {error}"
        ))),
        Ok(_) => Ok(Outcome::Failed("it was lowered".into())),
    })
}
