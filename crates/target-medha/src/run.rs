//! The words of a run: every microinstruction on the slots that it names, in the order of the list.

use crate::config::Config;
use crate::lower::Lowered;
use crate::microcode::{Address, Function, Instruction, Placed, Slot, Stages};
use crate::shape::Shape;
use ringwright_arith::Modulus;
use ringwright_ir::ring::Domain;
use ringwright_ir::{interrupt, RunError, Value};
use ringwright_kernels::NttPlan;
use ringwright_towers::{Call, Memory, Place, Shelf, Val, Words};
use std::collections::HashMap;
use std::sync::Arc;
use zeroize::Zeroizing;

/// What an RPAU computes with.
struct Rpau {
    q: Modulus<u64>,
    plan: NttPlan<u64>,
}

/// The RPAUs of a program.
pub struct Rpaus(Vec<Option<Rpau>>);

impl Rpaus {
    /// Of these primes, one for each RPAU that has something to do.
    pub fn new(config: &Config, log_n: u32, primes: &[Option<u128>]) -> Result<Self, RunError> {
        let rpau = |q: &Option<u128>| {
            let Some(q) = q else {
                return Ok(None);
            };
            let refuse = |error: String| config.unsupported(format!("prime {q}: {error}"));
            let word = u64::try_from(*q).map_err(|error| refuse(error.to_string()))?;
            let q = Modulus::new(word).map_err(|error| refuse(error.to_string()))?;
            let plan = NttPlan::new(log_n, word).map_err(|error| refuse(error.to_string()))?;
            Ok(Some(Rpau { q, plan }))
        };
        primes.iter().map(rpau).collect::<Result<_, _>>().map(Rpaus)
    }

    fn of(&self, rpau: u8) -> Result<&Rpau, RunError> {
        let found = self.0.get(usize::from(rpau)).and_then(Option::as_ref);
        found.ok_or_else(|| RunError::Invalid(format!("RPAU {rpau} has no prime")))
    }
}

/// Runs all calls.
pub fn run(program: &Lowered, rpaus: &Rpaus, inputs: &[Value]) -> Result<Vec<Value>, RunError> {
    let mut memory = Shelf::new(program.program.towers);
    memory.load(&program.program.inputs, inputs);
    for call in &program.program.calls {
        run_call(program, rpaus, call, &mut memory)?;
    }
    memory.values(&program.program.outputs, inputs)
}

/// Runs one call: its operands are in memory, its results go there.
pub fn run_call(
    program: &Lowered,
    rpaus: &Rpaus,
    call: &Call,
    memory: &mut Shelf,
) -> Result<(), RunError> {
    watch_call(program, rpaus, call, memory, &mut |_| {})
}

/// What a microinstruction did.
pub struct Did<'a> {
    /// It.
    pub placed: &'a Placed,
    /// The words of the slots that it read, in their order.
    pub read: Vec<Words>,
    /// The words that it made or moved; of the first stage of a transform alone those that it read.
    pub made: Words,
}

/// The same; each microinstruction is shown when it has run.
pub fn watch_call(
    program: &Lowered,
    rpaus: &Rpaus,
    call: &Call,
    memory: &mut Shelf,
    watch: &mut dyn FnMut(Did<'_>),
) -> Result<(), RunError> {
    let part = &program.parts[call.kernel];
    let args = call.args.iter().flat_map(Val::towers);
    let places: Vec<Place> = args.chain(call.results.iter().copied()).collect();
    let operands = places.len() - call.results.len();
    let mut frame = Frame {
        rpaus,
        shape: &program.shape,
        constants: program.program.constants(call),
        slots: HashMap::new(),
        memory: HashMap::new(),
    };
    for (number, &place) in (0..).zip(&places[..operands]) {
        frame.arguments(number, memory.tower(place)?);
    }
    for placed in &part.microprogram.all {
        interrupt::check()?;
        let read = placed.instruction.reads().into_iter();
        let read = read
            .map(|slot| frame.read(placed.rpau, slot))
            .collect::<Result<_, _>>()?;
        let made = frame.step(placed.rpau, &placed.instruction)?;
        watch(Did { placed, read, made });
    }
    for (number, &place) in (0..).zip(&places).skip(operands) {
        memory.share(place, frame.result(number)?);
    }
    Ok(())
}

/// A call at work.
struct Frame<'a> {
    rpaus: &'a Rpaus,
    shape: &'a Shape,
    constants: &'a [u128],
    /// By RPAU.
    slots: HashMap<(u8, Slot), Words>,
    memory: HashMap<Address, Words>,
}

impl Frame<'_> {
    /// An operand lies wherever the part reads it first.
    fn arguments(&mut self, number: u32, words: Words) {
        self.memory.insert(Address::Argument(number), words);
    }

    /// The words of a slot; operands in memories of their RPAU are there from the beginning.
    fn read(&self, rpau: u8, slot: Slot) -> Result<Words, RunError> {
        let there = self.slots.get(&(rpau, slot)).or_else(|| match slot {
            Slot::Argument(_, number) => self.memory.get(&Address::Argument(number)),
            Slot::At(..) => None,
        });
        there.cloned().ok_or_else(|| {
            RunError::Invalid(format!("RPAU {rpau} reads {slot}, which nobody wrote"))
        })
    }

    fn write(&mut self, rpau: u8, slot: Slot, words: Vec<u64>) -> Words {
        let words: Words = Arc::new(Zeroizing::new(words));
        self.slots.insert((rpau, slot), words.clone());
        words
    }

    fn result(&self, number: u32) -> Result<Words, RunError> {
        let mut slots = self.slots.iter();
        let is_own = |slot: &Slot| matches!(slot, Slot::Argument(_, own) if *own == number);
        let on_chip = slots.find(|((_, slot), _)| is_own(slot));
        let found = on_chip.map(|(_, words)| words);
        let found = found.or_else(|| self.memory.get(&Address::Argument(number)));
        found
            .cloned()
            .ok_or_else(|| RunError::Invalid(format!("result {number} was not made")))
    }

    /// The words that it made or moved.
    fn step(&mut self, rpau: u8, instruction: &Instruction) -> Result<Words, RunError> {
        Ok(match instruction {
            Instruction::Transform {
                inverse,
                stages,
                to,
                from,
            } => {
                let words = self.read(rpau, *from)?;
                // All stages are computed with the last.
                let words = match (stages, inverse) {
                    (Stages::First, _) => words.to_vec(),
                    (_, false) => {
                        let mut words = words.to_vec();
                        self.rpaus.of(rpau)?.plan.forward(&mut words);
                        words
                    }
                    (_, true) => {
                        let mut words = words.to_vec();
                        self.rpaus.of(rpau)?.plan.inverse(&mut words);
                        words
                    }
                };
                self.write(rpau, *to, words)
            }
            Instruction::Dyadic { function, to, of } => {
                let operands: Vec<Words> = of
                    .iter()
                    .map(|&slot| self.read(rpau, slot))
                    .collect::<Result<_, _>>()?;
                let words = self.dyadic(rpau, *function, &operands)?;
                self.write(rpau, *to, words)
            }
            Instruction::Send { from, to } => {
                let words = self.read(rpau, *from)?;
                for &(at, slot) in to {
                    self.slots.insert((at, slot), words.clone());
                }
                words
            }
            Instruction::Load { from, to, .. } => {
                let words = self.memory.get(from).cloned();
                let words = words.ok_or_else(|| {
                    RunError::Invalid(format!("RPAU {rpau} loads {from}, which nobody stored"))
                })?;
                self.slots.insert((rpau, *to), words.clone());
                words
            }
            Instruction::Store { from, to, .. } => {
                let words = self.read(rpau, *from)?;
                self.memory.insert(*to, words.clone());
                words
            }
            Instruction::Wait(_) => Arc::default(),
        })
    }

    fn dyadic(
        &self,
        rpau: u8,
        function: Function,
        operands: &[Words],
    ) -> Result<Vec<u64>, RunError> {
        let q = &self.rpaus.of(rpau)?.q;
        let constant = |number: u32| self.constants[number as usize] as u64;
        let each =
            |word: &dyn Fn(usize) -> u64| -> Vec<u64> { (0..self.shape.n()).map(word).collect() };
        Ok(match (function, operands) {
            (Function::Zero, []) => each(&|_| 0),
            (Function::Add, [a, b]) => each(&|i| q.add(a[i], b[i])),
            (Function::Sub, [a, b]) => each(&|i| q.sub(a[i], b[i])),
            (Function::Neg, [a]) => each(&|i| q.neg(a[i])),
            (Function::Mul, [a, b]) => each(&|i| q.mul(a[i], b[i])),
            (Function::MulAdd, [a, b, c]) => each(&|i| q.add(q.mul(a[i], b[i]), c[i])),
            (Function::MulScalar(s), [a]) => each(&|i| q.mul(a[i], constant(s))),
            (Function::AddScalar(s), [a]) => each(&|i| q.add(a[i], constant(s))),
            (Function::AddMulScalar(s), [a, b]) => each(&|i| q.add(a[i], q.mul(b[i], constant(s)))),
            (Function::SubMulScalar(s), [a, b]) => each(&|i| q.mul(q.sub(a[i], b[i]), constant(s))),
            (Function::SubMulScalarAdd(s), [a, b, c]) => {
                each(&|i| q.add(q.mul(q.sub(a[i], b[i]), constant(s)), c[i]))
            }
            (Function::Reduce, [a]) => each(&|i| q.reduce(a[i])),
            (Function::Centre(from), [a]) => {
                let from = &self.rpaus.of(from)?.q;
                each(&|i| q.from_i128(from.centred(a[i])))
            }
            (Function::Automorphism(galois, domain), [a]) => self.moved(q, galois, domain, a),
            _ => {
                let what = format!("{} of {} operands", function.name(), operands.len());
                return Err(RunError::Invalid(what));
            }
        })
    }

    fn moved(&self, q: &Modulus<u64>, galois: u64, domain: Domain, a: &[u64]) -> Vec<u64> {
        let n = a.len() as u64;
        let shape = self.shape;
        let mut moved = vec![0; a.len()];
        for (i, &word) in a.iter().enumerate() {
            // X^N is -1.
            let wraps = domain == Domain::Coeff && (i as u64 * galois) % (2 * n) >= n;
            moved[shape.image(galois, domain, i)] = if wraps { q.neg(word) } else { word };
        }
        moved
    }
}
