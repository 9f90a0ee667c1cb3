//! Compiled transforms as tower kernels.
//!
//! A compiled transform goes back and forth between two buffers. With one pass they are operand and
//! result. With two, the first pass goes from the operand to a scratch slot and the second from
//! there to the result, which may be the operand's slot: in the compiled program it is.

use super::slots::{in_slot, prologue};
use super::Scheduled;
use crate::isa::{Instruction, MReg, Program, SReg};
use crate::kernels::compile::known::{lent, Recipes};
use crate::kernels::compile::recipe::{Formula, Recipe, Transform};
use crate::kernels::compile::Kernel;
use crate::kernels::compile::Knobs;
use crate::kernels::tower_kernel::{address, MODULUS_WORD};
use crate::kernels::{Making, Operation, Shape, Symbol, TowerKernel};
use crate::Config;
use ringwright_nttx::Factor;
use ringwright_target::{Origin, TransformSchedule};

/// log2 of the vectors that one pass holds in registers.
const MOST_REGISTERS: u8 = 5;
/// Stages of an inverse whose factors carry 1/N: with more, tables grow and nothing is gained.
const MOST_SCALED: u8 = 3;

/// A transform of a tower, scheduled; `None` for other operations, for towers shorter than two vectors,
/// and where no plan fits the machine.
pub fn transform(
    config: &Config,
    recipes: &Recipes,
    shape: Shape,
    operation: Operation,
) -> Option<Scheduled> {
    let transform = match operation {
        Operation::Ntt => Transform::Forward,
        Operation::Intt => Transform::Inverse,
        _ => return None,
    };
    let made = best(config, recipes, shape, transform)?;
    Some(Scheduled {
        kernels: vec![of_kernel(shape, operation, &made.kernel)],
        occupied: made.kernel.occupied,
        schedule: Some(TransformSchedule {
            n: shape.n(),
            inverse: operation == Operation::Intt,
            origin: made.origin,
            refused: made.refused,
        }),
    })
}

/// Forward and inverse of one formula: the inverse loads just what the forward transform stores.
pub fn pair(config: &Config, recipes: &Recipes, shape: Shape) -> Option<[TowerKernel; 2]> {
    let (forward, inverse) = (Transform::Forward, Transform::Inverse);
    let there = best(config, recipes, shape, forward)?;
    let scaled = there.kernel.plan.passes.last()?.registers.len();
    let tried = settings(there.recipe.formula, scaled as u8);
    let (_, back) = first(config, shape, inverse, &tried)?;
    Some([
        of_kernel(shape, Operation::Ntt, &there.kernel),
        of_kernel(shape, Operation::Intt, &back),
    ])
}

/// The first recipe that the machine takes.
fn first(
    config: &Config,
    shape: Shape,
    transform: Transform,
    recipes: &[Recipe],
) -> Option<(Recipe, Kernel)> {
    let problem = transform.problem(shape.log_n as u8);
    let mut compiled = recipes
        .iter()
        .filter(|recipe| recipe.fits_among_others(problem, config))
        .filter_map(|&recipe| Some((recipe, recipe.compile(problem, config).ok()?)));
    compiled.next()
}

/// A transform's kernel, and who found its order.
struct Best {
    recipe: Recipe,
    kernel: Kernel,
    origin: Origin,
    refused: Option<String>,
}

/// The kernel of a recipe that is known. Where none is, the quicker of two: of the first recipe that
/// fits, and of the one that is known for the machine most like this. No search, so that lowering stays
/// quick.
fn best(config: &Config, recipes: &Recipes, shape: Shape, transform: Transform) -> Option<Best> {
    let (known, refused) = recipes.quickest(config, transform, shape.log_n as u8, true);
    if let Some(known) = known {
        return Some(Best {
            recipe: known.recipe,
            kernel: known.kernel,
            origin: known.origin,
            refused,
        });
    }
    let problem = transform.problem(shape.log_n as u8);
    let mut others = lent(config, transform, problem.log_n).into_iter();
    let nearest = others.find(|recipe| recipe.fits_among_others(problem, config));
    let lent = first(config, shape, transform, nearest.as_slice());
    let usual = first(config, shape, transform, &usual(shape));
    let both = [usual, lent].into_iter().flatten();
    let (recipe, kernel) = both.min_by_key(|(_, kernel)| kernel.cycles)?;
    Some(Best {
        recipe,
        kernel,
        origin: Origin::Untuned,
        refused,
    })
}

/// What is tried where nothing is known and no other machine helps.
fn usual(shape: Shape) -> Vec<Recipe> {
    let log_n = shape.log_n as u8;
    let vectors = log_n.saturating_sub(shape.log_vector as u8);
    if vectors == 0 {
        return vec![];
    }
    let most = vectors.min(MOST_REGISTERS);
    let two_pass = (log_n / 2..log_n).map(|first| Formula::TwoPass {
        first,
        registers: [most, most],
    });
    let formulas = match vectors <= MOST_REGISTERS {
        true => vec![Formula::OnePass],
        false => two_pass.collect(),
    };
    let each = |formula| settings(formula, most);
    formulas.into_iter().flat_map(each).collect()
}

/// A formula at settings of the scheduler, one of which finds registers on most machines.
fn settings(formula: Formula, registers: u8) -> Vec<Recipe> {
    let wide = |window| Knobs {
        window,
        reserve: 2,
        ..Knobs::default()
    };
    let recipe = |knobs| Recipe {
        formula,
        swaps: None,
        scaled_stages: registers.min(MOST_SCALED),
        overlap: 30,
        strides: 0,
        knobs,
    };
    [wide(160), wide(60), Knobs::SPARING].map(recipe).to_vec()
}

/// Of a plan that [`crate::kernels::compile::fits_among_others`].
fn of_kernel(shape: Shape, operation: Operation, kernel: &Kernel) -> TowerKernel {
    let passes = kernel.plan.passes.len();
    let table = table(shape, kernel);
    let scratch_slots = passes - 1;
    // Slots of the compiled program: two buffers, then the constants.
    let register = |slot: usize, store: bool| match (slot, store) {
        (0, false) => address(0),
        (0, true) => address(1),
        (1, _) => address(passes),
        (table, _) => address(table + scratch_slots),
    };
    let slots = 2 + scratch_slots + table.len().div_ceil(shape.slot());
    let mut instructions = prologue(operation.scalar(), slots);
    let program = kernel.program.instructions.iter();
    let program = program.filter(|instruction| !is_loaded_before(instruction));
    let length = shape.slot() as u32;
    let program = program.map(|&instruction| in_slot(filler(instruction), length, register));
    instructions.extend(program);
    TowerKernel {
        operation,
        shape,
        program: Program::new(operation.name(), instructions),
        table,
        scratch_slots,
        making: Making::Scheduled,
    }
}

/// Whether the prologue has loaded this register.
fn is_loaded_before(instruction: &Instruction) -> bool {
    let (modulus, scalar) = (MReg::from_field(0), SReg::from_field(0));
    match *instruction {
        Instruction::MLoad { rt, .. } => rt == modulus,
        Instruction::SLoad { rt, .. } => rt == scalar,
        _ => false,
    }
}

/// A scalar load that only passes time reads a word that every start writes.
fn filler(instruction: Instruction) -> Instruction {
    match instruction {
        Instruction::SLoad { rt, .. } => Instruction::SLoad {
            rt,
            address: MODULUS_WORD,
        },
        other => other,
    }
}

/// The constants, as they lie behind the two buffers.
fn table(shape: Shape, kernel: &Kernel) -> Vec<Symbol> {
    let start = 2 * shape.slot() as u32;
    let words = (kernel.map.words - start) as usize;
    let mut table = vec![Symbol::Zero; words.next_multiple_of(shape.vector())];
    let patterns = kernel.dataflow.patterns.all().iter();
    for (pattern, &address) in patterns.zip(&kernel.map.patterns) {
        let places = table[(address - start) as usize..].iter_mut();
        for (place, &factor) in places.zip(pattern as &Vec<Factor>) {
            *place = Symbol::Factor(factor);
        }
    }
    table
}
