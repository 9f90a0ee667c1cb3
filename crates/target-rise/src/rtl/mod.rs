//! `rise_core` to take away: the parameters of a machine, and every operation once or twice with
//! operands, result and cycles.
//!
//! Results are the reference interpreter's, cycles the simulator's. Words lie in the files as in the
//! bank groups, so a testbench needs no address arithmetic; the sidecar says which word that is.

use crate::config::Config;
use crate::core::{Core, Group, Pointwise};
use crate::device::RISE;
use crate::shape::{Layout, Shape};
use crate::twiddles::{Constants, Direction};
use crate::units::bank_group::PortError;
use ringwright_arith::primes::ntt_primes;
use ringwright_ir::generate;
use ringwright_ir::interpret::Interpreter;
use ringwright_ir::ring::{Basis, Domain, Module, ModuleBuilder, Type};
use ringwright_ir::{Backend, RunError, Value};
use ringwright_spec::Machine;
use ringwright_target::{Rtl, RtlCase, RtlPackage, RtlParameter, RtlWords, TransformError};

/// The degrees whose transforms are given, where the machine holds them: log2 N.
const DEGREES: [u32; 2] = [8, 11];

/// The computing side: bank groups, butterfly units, controller.
pub const RTL: Rtl = Rtl {
    folder: "hw/rise",
    top: "rise_core",
    testbench: "rise_core_tb",
    package,
};

fn package(machine: &Machine, seed: u64) -> Result<RtlPackage, TransformError> {
    RISE.check(machine)?;
    let config = Config::new(machine)?;
    let mut cases = Vec::new();
    for log_n in degrees(&config) {
        let operands = Operands::new(&config, log_n, seed)?;
        cases.extend(operands.transforms().map_err(unsupported(&config))?);
        if cases.len() == 2 {
            cases.extend(operands.passes().map_err(unsupported(&config))?);
        }
    }
    Ok(RtlPackage {
        parameters: parameters(&config),
        cases,
    })
}

/// The parameters of `rise_core`, named as in `spec/rise/params.toml`.
fn parameters(config: &Config) -> Vec<(&'static str, RtlParameter)> {
    let numbers = [
        ("Bfus", config.bfus() as u64),
        ("WordBits", config.word_bits.into()),
        ("BankWords", config.bank_words as u64),
        ("BfuLatency", config.bfu_latency),
        ("TwiddleBatches", 1 << config.log_batches),
        ("WriteBuffer", config.write_buffer as u64),
        ("ReorderLatency", config.reorder_latency),
        ("QueuedCalls", config.queued_calls as u64),
        (
            "PortWords",
            config.dma_bytes_per_cycle / config.bytes_per_word(),
        ),
    ];
    numbers
        .map(|(name, value)| (name, RtlParameter::Number(value)))
        .to_vec()
}

/// The degrees of the package: those of `DEGREES`, the nearest that fits for one that does not.
fn degrees(config: &Config) -> Vec<u32> {
    let least = config.log_p + 3;
    let most = config.log_p + 2 + config.bank_words.ilog2();
    let mut degrees = DEGREES.map(|log_n| log_n.clamp(least, most)).to_vec();
    degrees.dedup();
    degrees
}

fn unsupported(config: &Config) -> impl Fn(PortError) -> RunError + '_ {
    |error| RunError::Unsupported {
        machine: config.machine.clone(),
        reason: error.to_string(),
    }
}

/// Two random polynomials, their transforms and what comes of them, for one degree.
struct Operands<'a> {
    config: &'a Config,
    shape: Shape,
    constants: Constants,
    coefficients: Vec<u64>,
    left: Vec<u64>,
    right: Vec<u64>,
    product: Vec<u64>,
    sum: Vec<u64>,
    difference: Vec<u64>,
}

impl<'a> Operands<'a> {
    fn new(config: &'a Config, log_n: u32, seed: u64) -> Result<Self, TransformError> {
        let shape = config.shape(log_n)?;
        let primes = ntt_primes(config.word_bits, log_n, 1);
        let prime = primes.map_err(|error| RunError::Invalid(error.to_string()))?[0];
        let constants = Constants::new(log_n, prime as u64).map_err(RunError::Invalid)?;
        let module = module(log_n, prime)?;
        let inputs = generate::inputs(seed, &module);
        let results = Interpreter.prepare(&module)?.run(&inputs)?;
        let mut polys = results.into_iter().map(words);
        let mut next = || polys.next().unwrap_or_default();
        Ok(Operands {
            config,
            shape,
            constants,
            coefficients: next(),
            left: next(),
            right: next(),
            product: next(),
            sum: next(),
            difference: next(),
        })
    }

    fn transforms(&self) -> Result<Vec<RtlCase>, PortError> {
        let (small, large) = (&self.coefficients, &self.left);
        Ok(vec![
            self.transform("forward", Direction::Forward, small, large)?,
            self.transform("inverse", Direction::Inverse, large, small)?,
        ])
    }

    fn passes(&self) -> Result<Vec<RtlCase>, PortError> {
        Ok(vec![
            self.pass("multiply", Pointwise::Mul, &self.product)?,
            self.pass("add", Pointwise::Add, &self.sum)?,
            self.pass("subtract", Pointwise::SubFrom0, &self.difference)?,
        ])
    }

    fn transform(
        &self,
        name: &str,
        direction: Direction,
        operand: &[u64],
        result: &[u64],
    ) -> Result<RtlCase, PortError> {
        let (before, after) = match direction {
            Direction::Forward => (Layout::ForwardIn, Layout::ForwardOut),
            Direction::Inverse => (Layout::InverseIn, Layout::InverseOut),
        };
        let mut core = Core::new(self.config, self.shape);
        let start = core.load(0, Group::Bg0, before, operand)?;
        let cycles = core.transform(start, Group::Bg0, direction, &self.constants)? - start;
        let unused = vec![0; operand.len()];
        Ok(self.case(name, direction as u64, cycles, Group::Bg0).with(
            [(operand, before), (&unused, before), (result, after)],
            self.shape,
        ))
    }

    fn pass(&self, name: &str, op: Pointwise, result: &[u64]) -> Result<RtlCase, PortError> {
        // Any layout that the three share.
        let layout = Layout::InverseIn;
        let mut core = Core::new(self.config, self.shape);
        core.load(0, Group::Bg0, layout, &self.left)?;
        let start = core.load(0, Group::Bg1, layout, &self.right)?;
        let cycles = core.pointwise(start, op, &self.constants)? - start;
        Ok(self.case(name, 2 + op as u64, cycles, Group::Bg1).with(
            [
                (&self.left, layout),
                (&self.right, layout),
                (result, layout),
            ],
            self.shape,
        ))
    }

    fn case(&self, name: &str, op: u64, cycles: u64, group: Group) -> Case<'_> {
        let table = self.constants.table(self.config.word_bits);
        Case {
            operands: self,
            case: RtlCase {
                name: format!("{name}-{}", self.shape.n()),
                numbers: vec![
                    ("Op", op),
                    ("LogN", self.shape.log_n.into()),
                    ("Cycles", cycles),
                    ("ResultGroup", group as u64),
                    ("Constants", table.len() as u64),
                ],
                facts: Vec::new(),
                words: vec![RtlWords {
                    what: "constants",
                    bits: self.config.word_bits + 2,
                    words: table.into_iter().map(u128::from).collect(),
                }],
            },
        }
    }
}

/// A case whose words are still missing.
struct Case<'a> {
    operands: &'a Operands<'a>,
    case: RtlCase,
}

impl Case<'_> {
    /// Adds both operands and the result, each as it lies in its bank group.
    fn with(mut self, words: [(&[u64], Layout); 3], shape: Shape) -> RtlCase {
        let q = &self.operands.constants.q;
        let root = self.operands.constants.root();
        let [(_, before), _, (_, after)] = words;
        self.case.facts = vec![
            ("n", shape.n().to_string()),
            ("q", q.value().to_string()),
            ("root", root.to_string()),
            ("order_before", order(before).to_owned()),
            ("order_after", order(after).to_owned()),
            ("banks", shape.banks().to_string()),
        ];
        let bits = self.operands.config.word_bits;
        for (what, (words, layout)) in ["bg0", "bg1", "result"].into_iter().zip(words) {
            let mut image = vec![0; words.len()];
            for (index, &word) in words.iter().enumerate() {
                image[shape.word_address(layout, index)] = word.into();
            }
            let words = image;
            self.case.words.push(RtlWords { what, bits, words });
        }
        self.case
    }
}

/// Which word lies at which address, L = log2 N, r = log2 of the banks of a group.
fn order(layout: Layout) -> &'static str {
    match layout {
        Layout::ForwardIn => "coefficient i at address brv(i)",
        Layout::ForwardOut => {
            "evaluation j, at root^(2 brv(j) + 1), at address rot(brv(j)): \
             rot moves address bit b >= r to bit r + (b mod (L - r))"
        }
        Layout::InverseIn => "evaluation j, at root^(2 brv(j) + 1), at address j",
        Layout::InverseOut => {
            "coefficient i at address rot(i): rot moves address bit b >= r to bit r + (b mod (L - r))"
        }
    }
}

/// x, y -> x, ntt x, y, (ntt x) y, ntt x + y, ntt x - y.
fn module(log_n: u32, prime: u128) -> Result<Module, RunError> {
    let basis = Basis::range(0..1);
    let mut mb = ModuleBuilder::new(log_n, &[prime]);
    let mut fb = mb.function("vectors");
    let x = fb.param("x", Type::poly(&basis, Domain::Coeff), false);
    let y = fb.param("y", Type::poly(&basis, Domain::Eval), false);
    let a = fb.ntt(x)?;
    let (product, sum, difference) = (fb.mul(a, y)?, fb.add(a, y)?, fb.sub(a, y)?);
    let main = fb.finish(&[x, a, y, product, sum, difference])?;
    Ok(mb.finish(main)?)
}

fn words(value: Value) -> Vec<u64> {
    match value {
        Value::Poly(poly) => poly.words().to_vec(),
        _ => Vec::new(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn machines() -> impl Iterator<Item = Machine> {
        let all = Machine::shipped().iter();
        all.map(|shipped| Machine::load(shipped.name).expect(shipped.name))
            .filter(|machine| machine.target() == RISE.name)
    }

    #[test]
    fn every_machine_has_vectors_that_a_testbench_can_read_in_one_loop() {
        for machine in machines() {
            let package = package(&machine, 1).unwrap();
            let first = &package.cases[0];
            let numbers =
                |case: &RtlCase| -> Vec<_> { case.numbers.iter().map(|&(name, _)| name).collect() };
            let words = |case: &RtlCase| -> Vec<_> {
                case.words.iter().map(|w| (w.what, w.bits)).collect()
            };
            for case in &package.cases {
                assert_eq!(numbers(case), numbers(first));
                assert_eq!(words(case), words(first));
                for file in &case.words {
                    assert!(file.words.iter().all(|&word| word >> file.bits == 0));
                }
            }
        }
    }

    #[test]
    fn the_seed_chooses_the_operands_and_nothing_else() {
        let machine = machines().next().expect("one");
        let [one, again, two] = [1, 1, 2].map(|seed| package(&machine, seed).expect("fits"));
        assert_eq!(one, again);
        assert_eq!(one.parameters, two.parameters);
        for (a, b) in one.cases.iter().zip(&two.cases) {
            assert_eq!(a.numbers, b.numbers);
            assert_eq!(a.facts, b.facts);
            assert_ne!(a.words, b.words);
        }
    }
}
