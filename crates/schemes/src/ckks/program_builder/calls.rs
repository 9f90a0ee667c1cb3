//! Calls of other programs.

use super::ProgramBuilder;
use crate::ckks::evaluator::NOISE_TOLERANCE;
use crate::ckks::plaintext::ROUNDED;
use crate::ckks::{Analysed, Error, Estimate};
use crate::rlwe::check_ring;
use ringwright_ir::he::{Function, HeOpKind};
use ringwright_ir::ring::ValueId;

impl ProgramBuilder {
    /// What another program returns for these values: its functions become this program's, each once
    /// however often it is called, and the call is one operation. Values of a higher level than the
    /// program's inputs drop towers; scales and noise are those of the values, and what is known of the
    /// results follows from them. Rotations stay as they are in the program that is called.
    ///
    /// # Errors
    /// A program of other parameters, or with plain arguments; another number of values than it has
    /// inputs, of other parts or a lower level. As for a run: larger values, more noise beside the scale
    /// or more in common than it was built for, since its claims hold for no more. What one of its
    /// operations refuses for these values ([`Error::Call`]).
    pub fn call(&mut self, program: &Analysed, args: &[ValueId]) -> Result<Vec<ValueId>, Error> {
        let name = program.program().name();
        check_ring(
            &format!("the called program {name}"),
            program.parameters(),
            self.parameters(),
        )?;
        if args.len() != program.inputs().len() {
            return Err(Error::InputCount {
                program: name.to_string(),
                given: args.len(),
                expected: program.inputs().len(),
            });
        }
        if program.program().plain_arguments().next().is_some() {
            let what = format!("{name} takes plain arguments; a program that is called has none");
            return Err(Error::Program { what });
        }
        let inputs = args.iter().zip(program.inputs()).enumerate();
        let args = inputs.map(|(index, (&arg, input))| self.argument(program, index, arg, input));
        let args: Vec<ValueId> = args.collect::<Result<_, _>>()?;
        self.check_related(program, &args)?;
        let before = self.program.functions.len();
        let function = self.functions_of(program)?;
        let called = self.push_all(HeOpKind::Call { function }, &args);
        if called.is_err() {
            self.program.functions.truncate(before);
        }
        called
    }

    /// A value that goes into a call, at the level of the input.
    fn argument(
        &mut self,
        program: &Analysed,
        index: usize,
        arg: ValueId,
        input: &Estimate,
    ) -> Result<ValueId, Error> {
        let given = self.ty(arg)?;
        let refuse = |what, given: String, expected: String| {
            let entry = program.program().entry();
            Err(Error::Input {
                program: entry.name.clone(),
                index,
                name: entry.value_name(ValueId(index as u32)),
                what,
                given,
                expected,
            })
        };
        if given.parts != input.parts {
            return refuse("parts", given.parts.to_string(), input.parts.to_string());
        }
        if given.level < input.level {
            return refuse("level", given.level.to_string(), input.level.to_string());
        }
        if given.max > input.max * ROUNDED {
            return refuse("values up to", given.max.to_string(), input.max.to_string());
        }
        let relative = |noise: f64, of: &Estimate| noise / of.scale;
        for (what, its, built) in [
            ("noise", given.noise, input.noise),
            ("peak noise", given.peak, input.peak),
        ] {
            let [its, built] = [relative(its, given), relative(built, input)];
            if its > built * NOISE_TOLERANCE {
                let bits = |value: f64| format!("2^{:.6} of the scale", value.log2());
                return refuse(what, bits(its), bits(built));
            }
        }
        self.drop_level(arg, input.level)
    }

    /// Refuses values with errors in common that the program was not built for.
    fn check_related(&self, program: &Analysed, args: &[ValueId]) -> Result<(), Error> {
        let groups = &program.errors().inputs;
        for (index, &arg) in args.iter().enumerate() {
            let apart = |&other: &usize| groups[index].is_none() || groups[other] != groups[index];
            let mut related = (0..args.len()).filter(apart);
            let other = related.find(|&o| o != index && self.analyst.meet(arg, args[o]));
            let uneven = groups[index].is_none() && !self.analyst.is_even(arg);
            if other.is_some() || uneven {
                let entry = program.program().entry();
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

    /// Takes over a program's functions that are not here yet; the number of its entry.
    fn functions_of(&mut self, program: &Analysed) -> Result<usize, Error> {
        let program = program.program();
        let constants = program.constants.iter();
        let constants = constants.map(|constant| self.constant(constant.values.clone()));
        let constants: Vec<usize> = constants.collect::<Result<_, _>>()?;
        let mut functions = Vec::with_capacity(program.functions.len());
        for function in &program.functions {
            let mut function = function.clone();
            for op in &mut function.ops {
                op.kind
                    .constants_mut()
                    .for_each(|constant| *constant = constants[*constant]);
                if let HeOpKind::Call { function } = &mut op.kind {
                    *function = functions[*function];
                }
            }
            functions.push(self.function(function));
        }
        functions
            .pop()
            .ok_or_else(|| Error::Internal("a program of no functions".into()))
    }

    /// The number of a function; one that is the same but for its name is here once.
    fn function(&mut self, mut function: Function) -> usize {
        let known = &self.program.functions;
        let same = |known: &Function| {
            let (known, function) = (known, &function);
            known.ops == function.ops
                && known.types == function.types
                && known.inputs == function.inputs
                && known.returns == function.returns
                && known.claims == function.claims
                && known.names == function.names
        };
        if let Some(found) = known.iter().position(same) {
            return found;
        }
        let taken = |name: &str| {
            name == self.function.name || known.iter().any(|function| function.name == name)
        };
        let numbered = (2u64..).map(|number| format!("{}_{number}", function.name));
        let mut names = std::iter::once(function.name.clone()).chain(numbered);
        function.name = names.find(|name| !taken(name)).unwrap_or_default();
        self.program.functions.push(function);
        self.program.functions.len() - 1
    }
}
