//! `medha` to take away: the parameters of a machine, and programs with memory before and after them.

use crate::config::Config;
use crate::image::image;
use crate::shape::Shape;
use ringwright_arith::primes::ntt_primes;
use ringwright_ir::generate::{self, Product};
use ringwright_ir::interpret::Interpreter;
use ringwright_ir::ring::{Basis, Domain, Module, ModuleBuilder, Type};
use ringwright_ir::RunError;
use ringwright_spec::Machine;
use ringwright_target::image::{HostAction, ImageError};
use ringwright_target::{
    Device, Rtl, RtlCase, RtlPackage, RtlParameter, RtlWords, TargetError, TransformError,
};

/// The whole machine. Its lanes are in it and no unit here: the time of moves is the memory's, and what
/// fills tables before a kernel is not counted.
pub const RTL: Rtl = Rtl {
    folder: "hw/medha",
    top: "medha",
    testbench: "medha_tb",
    units: &[(CORE, "medha_core")],
    package,
};

/// RPAUs and ring.
pub const CORE: &str = "core";

/// Parameters of `medha` that are numbers, and as what `spec/medha/params.toml` declares them.
const NUMBERS: [(&str, &str); 19] = [
    ("Rpaus", "rpaus"),
    ("WideRpaus", "wide_rpaus"),
    ("WordBits", "word_bits"),
    ("WideBits", "wide_bits"),
    ("Butterflies", "butterflies"),
    ("MaxDegree", "max_degree"),
    ("BankWords", "bank_words"),
    ("LandingTowers", "landing_towers"),
    ("NttLatency", "ntt_latency"),
    ("DyadicLatency", "dyadic_latency"),
    ("IssueCycles", "issue_cycles"),
    ("Slrs", "slrs"),
    ("HopCycles", "hop_cycles"),
    ("SlrCycles", "slr_cycles"),
    ("DmaLanes", "dma_lanes"),
    ("StartCycles", "start_cycles"),
    ("CodeWords", "code_words"),
    ("Constants", "constants"),
    ("Arguments", "arguments"),
];
/// Those that choose a variant.
const CHOICES: [(&str, &str); 2] = [("Packing", "packing"), ("RingOrder", "ring_order")];

fn package(machine: &Machine, seed: u64) -> Result<RtlPackage, TransformError> {
    let config = Config::new(machine)?;
    let mut parameters = Vec::new();
    for (name, key) in NUMBERS {
        // The declared ranges are not negative.
        parameters.push((
            name,
            RtlParameter::Number(machine.int(key).map_err(TargetError::from)? as u64),
        ));
    }
    for (name, key) in CHOICES {
        parameters.push((
            name,
            RtlParameter::Text(machine.text(key).map_err(TargetError::from)?.to_owned()),
        ));
    }
    // The least degree that both machine and ring have.
    let log_n = (config.log_butterflies + 2).max(4);
    let shape = Shape::of(&config, log_n)?;
    let levels = config.rpaus.saturating_sub(1).clamp(1, 6) as u16;
    let bits = config.word_bits;
    let mut cases = Vec::new();
    if config.rpaus > 1 {
        let product = Product::new(log_n, bits, levels, 1).alone();
        cases.push(case(
            machine,
            &shape,
            "multiply-and-relinearise",
            &product,
            seed,
        )?);
    }
    for (name, galois, domain) in [
        ("rotate-evaluations", 5, Domain::Eval),
        (
            "rotate-coefficients",
            2 * shape.n() as u64 - 1,
            Domain::Coeff,
        ),
    ] {
        let module = moved(log_n, bits, galois, domain)?;
        cases.push(case(machine, &shape, name, &module, seed)?);
    }
    Ok(RtlPackage { parameters, cases })
}

/// X to X to a power, of one polynomial under one prime.
fn moved(log_n: u32, bits: u32, galois: u64, domain: Domain) -> Result<Module, RunError> {
    let invalid = |error: &dyn std::error::Error| RunError::Invalid(error.to_string());
    let primes = ntt_primes(bits, log_n, 1).map_err(|error| invalid(&error))?;
    let mut module = ModuleBuilder::new(log_n, &primes);
    let mut body = module.function("main");
    let x = body.param("x", Type::poly(&Basis::range(0..1), domain), false);
    let moved = body
        .automorphism(x, galois)
        .map_err(|error| invalid(&error))?;
    let main = body.finish(&[moved]).map_err(|error| invalid(&error))?;
    module.finish(main).map_err(|error| invalid(&error))
}

fn case(
    machine: &Machine,
    shape: &Shape,
    name: &str,
    module: &Module,
    seed: u64,
) -> Result<RtlCase, RunError> {
    let inputs = generate::inputs(seed, module);
    let image = image(machine, module, &inputs, 0).map_err(|error| match error {
        ImageError::Program(error) => error,
        ImageError::Machine(error) => RunError::Invalid(error.to_string()),
    })?;
    let results = Interpreter.lower(module)?.run(&inputs)?;
    // There is one memory.
    let (before, after) = (
        image.before().concat(),
        image.with_results(&results).concat(),
    );
    let mut compared = vec![0; before.len()];
    for &place in image.results.iter().flatten() {
        let region = image.region(place);
        let first = region.address as usize / 8;
        compared[first..first + region.length].fill(1);
    }
    let beats = image.script.iter().find_map(|action| match action {
        HostAction::Write(writes) => writes.last().map(|write| write.value),
        _ => None,
    });
    Ok(RtlCase {
        name: name.to_owned(),
        numbers: vec![
            ("Words", before.len() as u64),
            ("Beats", beats.unwrap_or(0).into()),
        ],
        facts: vec![("n", shape.n().to_string())],
        words: vec![
            RtlWords {
                what: "memory",
                bits: 64,
                words: before,
            },
            RtlWords {
                what: "result",
                bits: 64,
                words: after,
            },
            RtlWords {
                what: "compared",
                bits: 1,
                words: compared,
            },
        ],
    })
}
