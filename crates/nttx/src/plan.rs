//! A breakdown: passes over memory, and what each does to the vectors that it holds.
//!
//! A pass loads blocks of registers, works on them and stores them. Bits that are neither in the
//! elements nor in the register number are the block's number.

use crate::problem::{Direction, Form};
use crate::{Access, Bit, Layout, PlanError, Problem};

/// One thing done to all registers of a block.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Step {
    /// Butterflies between the registers whose numbers differ in this bit.
    Stage(Bit),
    /// The bit leaves the register number for the lowest place of the element number, whose
    /// highest bit takes its place: unpack.
    Unpack(Bit),
    /// The bit leaves the register number for the highest place of the element number, whose
    /// lowest bit takes its place: pack.
    Pack(Bit),
}

/// One way through memory.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Pass {
    /// How vectors are loaded.
    pub load: Access,
    /// Index bits of the register number, lowest first.
    pub registers: Vec<Bit>,
    /// What is done.
    pub steps: Vec<Step>,
    /// How vectors are stored.
    pub store: Access,
}

/// A complete breakdown of one problem for vectors of 2^`log_vector` words.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Plan {
    /// What it computes.
    pub problem: Problem,
    /// log2 of the words of a vector.
    pub log_vector: u8,
    /// Memory before the first pass, between passes, after the last.
    pub layouts: Vec<Layout>,
    /// The passes.
    pub passes: Vec<Pass>,
    /// Inverse with [`Form::GentlemanSande`]: number of stages whose factors carry 1/N for the words
    /// that only sums have reached. After stage k these are those with index bits k..0 all zero, a
    /// 2^-(k+1)-th, and only they are multiplied by 1/N on their own.
    pub scaled_stages: u8,
}

/// Where the bits of a block stand.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Places {
    /// Index bits of the element number, lowest first.
    pub elements: Vec<Bit>,
    /// Index bits of the register number, lowest first.
    pub registers: Vec<Bit>,
}

impl Places {
    /// Which bit of the register number carries this index bit.
    pub fn register(&self, pass: usize, bit: Bit) -> Result<usize, PlanError> {
        let position = self.registers.iter().position(|&b| b == bit);
        position.ok_or_else(|| PlanError::NotInRegisters {
            pass,
            bit,
            registers: self.registers.clone(),
        })
    }

    /// Swaps a register bit with an element bit.
    pub fn swap(&mut self, register: usize, step: Step) {
        let last = self.elements.len() - 1;
        let (from, to) = match step {
            Step::Pack(_) => (0, last),
            _ => (last, 0),
        };
        let bit = self.elements.remove(from);
        self.elements.insert(to, self.registers[register]);
        self.registers[register] = bit;
    }
}

impl Plan {
    /// Checks layouts, the order of the stages, and that every bit is where it is needed.
    pub fn check(&self) -> Result<(), PlanError> {
        let bits = self.problem.bits();
        let fits = |layout: &Layout| layout.bits().len() == bits as usize;
        if self.layouts.len() != self.passes.len() + 1 || !self.layouts.iter().all(fits) {
            let passes = self.passes.len();
            return Err(PlanError::Layouts { passes, bits });
        }
        if (self.problem.direction, self.problem.form) == (Direction::Forward, Form::GentlemanSande)
        {
            return Err(PlanError::Form);
        }
        let mut due = self.problem.stages().into_iter();
        for pass in 0..self.passes.len() {
            self.check_pass(pass, &mut due)?;
        }
        due.next()
            .map_or(Ok(()), |bit| Err(PlanError::Unfinished(bit)))
    }

    fn check_pass(
        &self,
        pass: usize,
        due: &mut impl Iterator<Item = Bit>,
    ) -> Result<(), PlanError> {
        let mut places = self.places(pass)?;
        for &step in &self.passes[pass].steps {
            match step {
                Step::Stage(given) => {
                    places.register(pass, given)?;
                    let expected = due.next();
                    if expected != Some(given) {
                        return Err(PlanError::Stage {
                            pass,
                            given,
                            expected,
                        });
                    }
                }
                Step::Unpack(bit) | Step::Pack(bit) => {
                    let register = places.register(pass, bit)?;
                    places.swap(register, step);
                }
            }
        }
        let layout = self.element_bits(pass + 1, self.passes[pass].store)?;
        match layout == places.elements {
            true => Ok(()),
            false => Err(PlanError::Store {
                pass,
                elements: places.elements,
                layout,
            }),
        }
    }

    /// The places when a block of this pass has been loaded.
    pub(crate) fn places(&self, pass: usize) -> Result<Places, PlanError> {
        let elements = self.element_bits(pass, self.passes[pass].load)?;
        let registers = self.passes[pass].registers.clone();
        match registers.iter().find(|bit| elements.contains(bit)) {
            Some(&bit) => Err(PlanError::InElements { pass, bit }),
            None => Ok(Places {
                elements,
                registers,
            }),
        }
    }

    fn element_bits(&self, layout: usize, access: Access) -> Result<Vec<Bit>, PlanError> {
        let bits = self.layouts[layout].bits();
        let at = |address: u8| bits.get(address as usize).copied();
        let elements: Option<Vec<Bit>> = access
            .address_bits(self.log_vector)
            .into_iter()
            .map(at)
            .collect();
        elements.ok_or(PlanError::Layouts {
            passes: self.passes.len(),
            bits: self.problem.bits(),
        })
    }

    /// The inverse of a forward plan: everything backwards. `form` is the butterfly; with
    /// [`Form::GentlemanSande`] the factors of the first `scaled_stages` stages carry 1/N.
    pub fn inverse(&self, form: Form, scaled_stages: u8) -> Self {
        let mut passes: Vec<Pass> = Vec::new();
        for index in (0..self.passes.len()).rev() {
            passes.push(self.reversed_pass(index));
        }
        let mut layouts = self.layouts.clone();
        layouts.reverse();
        Plan {
            problem: Problem {
                direction: Direction::Inverse,
                form,
                ..self.problem
            },
            log_vector: self.log_vector,
            layouts,
            passes,
            scaled_stages,
        }
    }

    fn reversed_pass(&self, index: usize) -> Pass {
        let pass = &self.passes[index];
        let elements = self.element_bits(index, pass.load).unwrap_or_default();
        let mut places = Places {
            elements,
            registers: pass.registers.clone(),
        };
        let mut steps = Vec::new();
        for &step in &pass.steps {
            let swap = |places: &mut Places, bit: Bit| {
                let register = places.registers.iter().position(|&b| b == bit)?;
                places.swap(register, step);
                Some(places.registers[register])
            };
            let reversed = match step {
                Step::Stage(_) => Some(step),
                Step::Unpack(bit) => swap(&mut places, bit).map(Step::Pack),
                Step::Pack(bit) => swap(&mut places, bit).map(Step::Unpack),
            };
            steps.extend(reversed);
        }
        steps.reverse();
        Pass {
            load: pass.store,
            registers: places.registers,
            steps,
            store: pass.load,
        }
    }
}
