//! A plan built from front to back, the places of all bits kept along.

use crate::plan::Places;
use crate::{Access, Bit, Layout, Pass, Plan, PlanError, Problem, Step};

/// A plan that is not finished.
pub struct Chain {
    problem: Problem,
    log_vector: u8,
    layouts: Vec<Layout>,
    passes: Vec<Pass>,
    places: Places,
    done: usize,
}

impl Chain {
    /// Loads from words in natural order.
    pub fn start(
        problem: Problem,
        log_vector: u8,
        load: Access,
        registers: &[Bit],
    ) -> Result<Self, PlanError> {
        let problem = Problem {
            form: crate::Form::CooleyTukey,
            ..problem
        };
        let mut chain = Chain {
            problem,
            log_vector,
            layouts: vec![Layout::natural(problem.bits())],
            passes: Vec::new(),
            places: Places {
                elements: Vec::new(),
                registers: Vec::new(),
            },
            done: 0,
        };
        chain.load(load, registers);
        Ok(chain)
    }

    fn load(&mut self, load: Access, registers: &[Bit]) {
        let layout = &self.layouts[self.layouts.len() - 1];
        let addresses = load.address_bits(self.log_vector).into_iter();
        let elements = addresses.filter_map(|a| layout.bits().get(a as usize).copied());
        self.places = Places {
            elements: elements.collect(),
            registers: registers.to_vec(),
        };
        self.passes.push(Pass {
            load,
            registers: registers.to_vec(),
            steps: Vec::new(),
            store: Access::Linear,
        });
    }

    /// The bit whose stage is next.
    pub fn next_bit(&self) -> Bit {
        self.problem.log_n.saturating_sub(1 + self.done as u8)
    }

    /// Stages that are left.
    pub fn due(&self) -> usize {
        self.problem.log_n as usize - self.done
    }

    /// The next `count` stages.
    pub fn stages(&mut self, count: usize) -> Result<(), PlanError> {
        for _ in 0..count {
            let bit = self.next_bit();
            self.places.register(self.passes.len() - 1, bit)?;
            self.step(Step::Stage(bit));
            self.done += 1;
        }
        Ok(())
    }

    /// The next stage, then its bit is unpacked; the bit that comes in.
    pub fn stage_unpack(&mut self) -> Result<Bit, PlanError> {
        let bit = self.next_bit();
        self.stages(1)?;
        let register = self.places.register(self.passes.len() - 1, bit)?;
        self.step(Step::Unpack(bit));
        self.places.swap(register, Step::Unpack(bit));
        Ok(self.places.registers[register])
    }

    /// The next `count` stages, a swap behind stage i of them if bit i of `swaps` is set.
    pub fn stages_at(&mut self, count: usize, swaps: u32) -> Result<(), PlanError> {
        for stage in 0..count {
            match swaps >> stage & 1 {
                0 => self.stages(1)?,
                _ => self.stage_unpack().map(|_| ())?,
            }
        }
        Ok(())
    }

    /// The bits of the register number, ascending.
    pub fn register_bits(&self) -> Vec<Bit> {
        let mut bits = self.places.registers.clone();
        bits.sort_unstable();
        bits
    }

    /// Ends the pass and begins another. Address bits that `load` puts into the elements and `store`
    /// does not carry the bits of `fill`; the other address bits carry what is left, ascending.
    pub fn turn(
        &mut self,
        store: Access,
        load: Access,
        fill: &[Bit],
        registers: &[Bit],
    ) -> Result<(), PlanError> {
        self.store(store, load, fill)?;
        self.load(load, registers);
        Ok(())
    }

    /// Ends the last pass.
    pub fn end(mut self, store: Access) -> Result<Plan, PlanError> {
        self.store(store, store, &[])?;
        let plan = Plan {
            problem: self.problem,
            log_vector: self.log_vector,
            layouts: self.layouts,
            passes: self.passes,
            scaled_stages: 0,
        };
        plan.check()?;
        Ok(plan)
    }

    fn store(&mut self, store: Access, load: Access, fill: &[Bit]) -> Result<(), PlanError> {
        let bits = self.problem.bits();
        let mut layout: Vec<Option<Bit>> = vec![None; bits as usize];
        let wrong = PlanError::Layouts {
            passes: self.passes.len(),
            bits,
        };
        for (address, &bit) in store
            .address_bits(self.log_vector)
            .iter()
            .zip(&self.places.elements)
        {
            *layout.get_mut(*address as usize).ok_or(wrong.clone())? = Some(bit);
        }
        let mut fill = fill.iter().copied();
        for address in load.address_bits(self.log_vector) {
            let place = layout.get_mut(address as usize).ok_or(wrong.clone())?;
            *place = place.or_else(|| fill.next());
        }
        let missing: Vec<Bit> = (0..bits)
            .filter(|&bit| !layout.contains(&Some(bit)))
            .collect();
        let mut missing = missing.into_iter();
        let full = layout
            .into_iter()
            .filter_map(|place| place.or_else(|| missing.next()));
        self.layouts.push(Layout::new(full.collect())?);
        if let Some(pass) = self.passes.last_mut() {
            pass.store = store;
        }
        Ok(())
    }

    fn step(&mut self, step: Step) {
        if let Some(pass) = self.passes.last_mut() {
            pass.steps.push(step);
        }
    }
}
