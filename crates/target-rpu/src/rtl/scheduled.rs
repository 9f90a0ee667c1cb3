//! Transforms as the compiler schedules them: the whole tower in registers, shuffles between the
//! stages.

use super::image::{facts, Image};
use super::operands::Operands;
use crate::kernels::compile::memory_map::scalars;
use crate::kernels::compile::{CompileError, Kernel};
use crate::Config;
use ringwright_ir::RunError;
use ringwright_nttx::{breakdown, Direction, Form, Plan, Problem};

/// Forward and inverse transform.
pub fn images(config: &Config, of: &Operands) -> Result<Vec<Image>, RunError> {
    let unsupported = |error: CompileError| config.unsupported(error);
    let forward = plan(config, of).map_err(unsupported)?;
    let inverse = forward.inverse(Form::GentlemanSande, 0);
    let image = |plan: &Plan| image(config, of, plan).map_err(unsupported);
    Ok(vec![image(&forward)?, image(&inverse)?])
}

fn plan(config: &Config, of: &Operands) -> Result<Plan, CompileError> {
    let problem = Problem::forward(of.log_n as u8);
    let plan = breakdown::one_pass(problem, config.vector_length.ilog2() as u8)?;
    Ok(plan)
}

fn image(config: &Config, of: &Operands, plan: &Plan) -> Result<Image, CompileError> {
    let (name, operand, result) = match plan.problem.direction {
        Direction::Forward => ("forward", &of.coefficients, &of.evaluations),
        Direction::Inverse => ("inverse", &of.evaluations, &of.coefficients),
    };
    let kernel = Kernel::compile(plan, config)?;
    let memories = kernel.memories(config, of.q, operand)?;
    let passes = plan.passes.len();
    let base = kernel.map.buffers[passes % 2] as usize;
    let address = |index| base + plan.layouts[passes].address(index);
    let (before, after) = match plan.problem.direction {
        Direction::Forward => (coefficients(0), evaluations(base)),
        Direction::Inverse => (evaluations(0), coefficients(base)),
    };
    Ok(Image {
        name: format!("scheduled-{name}-{}", operand.len()),
        program: kernel.program,
        memories,
        vdm_words: kernel.map.words as usize,
        sdm_words: scalars::WORDS as usize,
        result: (0..result.len())
            .map(address)
            .zip(result.iter().copied())
            .collect(),
        facts: facts(of, before, after),
    })
}

/// One pass leaves words where they were.
fn coefficients(base: usize) -> String {
    format!("coefficient i of x at address {base} + i")
}

fn evaluations(base: usize) -> String {
    format!("evaluation j of x, at root^(2 brv(j) + 1), at address {base} + j")
}
