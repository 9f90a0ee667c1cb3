//! Fast basis extension: a number modulo q1 ... qk brought under other moduli p1 ... pl.
//!
//! With Q = q1 ... qk and Qi = Q/qi, word j of the result is the sum over i of
//! `[x_i (Qi)^-1 mod q_i] Qi mod p_j`: the number itself, plus a multiple of Q below kQ (Bajard et
//! al., 2016). A bracket may exceed p_j, so it enters a product as the operand that may be any
//! word, and a butterfly, which would add in the same instruction, does not take it: 1 + l products
//! and l - 1/k sums for each of the k words. The brackets of a vector stay in registers.
//!
//! A study of the compiler: the residues of a ring program's fast extension are around 0 (so that it
//! takes signs along), and it runs as its expansion.
//!
//! | word of the scalar data memory | meaning |
//! |---|---|
//! | 0 ... | q1 ... qk, p1 ... pl, each with its reciprocal |
//! | 2(k + l) ... | (Qi)^-1 mod qi for each i |
//! | 2(k + l) + k ... | Qi mod pj, j fastest |
//! | after these | addresses of the slots of x1 ... xk, then of the results |

use super::graph::{Graph, Role};
use super::{compile, Shape};
use crate::isa::{AReg, Instruction, MReg, Mode, Op, Program, SReg, VReg, REGISTERS};
use crate::kernels::compile::CompileError;
use crate::{time, Config};
use ringwright_arith::Modulus;

/// Scalar registers that programs pass time with.
const FILLERS: usize = 8;

/// A compiled extension.
#[derive(Clone, Debug)]
pub struct BasisExtension {
    /// k.
    pub from: usize,
    /// l.
    pub to: usize,
    /// Degree and vector length.
    pub shape: Shape,
    /// The quickest program.
    pub program: Program,
    /// What it takes.
    pub cycles: u64,
    /// The same instructions vector by vector, unscheduled.
    pub plain: Program,
    /// What that takes.
    pub plain_cycles: u64,
    /// Cycles that load/store, compute and shuffle pipe work at least.
    pub occupied: [u64; 3],
}

impl BasisExtension {
    /// Compiles an extension from `from` to `to` moduli.
    pub fn new(
        config: &Config,
        shape: Shape,
        from: usize,
        to: usize,
    ) -> Result<Self, CompileError> {
        let moduli = from + to;
        let scalars = from + from * to + FILLERS;
        let needed = moduli.max(scalars);
        if from == 0 || to == 0 || needed > REGISTERS {
            return Err(CompileError::Scalars {
                needed,
                registers: REGISTERS,
            });
        }
        let words = moduli * shape.slot();
        if words > config.vdm_words {
            let (needed, words) = (words, config.vdm_words);
            return Err(CompileError::Memory { needed, words });
        }
        let layout = Scalars { from, to };
        let body = plain(layout, shape);
        let role = |slot| match slot < from {
            true => Role::Operand,
            false => Role::Result,
        };
        let mut graph = Graph::new(shape, (0..moduli).map(role).collect());
        graph.append(&body, |register, offset| (register.index(), offset));
        let (programs, occupied) = compile(&graph, config);
        let timed = |body: Vec<Instruction>| {
            let program = Program::new("basis_extension", [layout.prologue(), body].concat());
            let sdm = layout.words(config, shape, &vec![5; moduli], &vec![0; from * (to + 1)]);
            let cycles = time(&program, config, &sdm)?.cycles;
            Ok::<_, CompileError>((cycles, program))
        };
        let (plain_cycles, plain) = timed(body)?;
        let candidates = programs.into_iter().filter_map(|body| timed(body).ok());
        let quickest = candidates.min_by_key(|(cycles, _)| *cycles);
        let (cycles, program) = quickest
            .filter(|&(cycles, _)| cycles < plain_cycles)
            .unwrap_or((plain_cycles, plain.clone()));
        Ok(BasisExtension {
            from,
            to,
            shape,
            program,
            cycles,
            plain,
            plain_cycles,
            occupied,
        })
    }

    /// The scalar data memory for these moduli, towers in slots 0, 1, ...
    pub fn scalars(
        &self,
        config: &Config,
        from: &[u128],
        to: &[u128],
    ) -> Result<Vec<u128>, CompileError> {
        let layout = Scalars {
            from: self.from,
            to: self.to,
        };
        let factors = factors(from, to, config.word_bits)?;
        let moduli = [from, to].concat();
        Ok(layout.words(config, self.shape, &moduli, &factors))
    }
}

/// (Qi)^-1 mod qi, then Qi mod pj.
fn factors(from: &[u128], to: &[u128], word_bits: u32) -> Result<Vec<u128>, CompileError> {
    let product = |i: usize, under: u128| {
        let wrong = CompileError::Modulus {
            q: under,
            word_bits,
        };
        let modulus = Modulus::new(under).map_err(|_| wrong)?;
        let others = from.iter().enumerate().filter(|&(other, _)| other != i);
        let product = others.fold(1 % under, |product, (_, &q)| {
            modulus.mul(product, q % under)
        });
        Ok::<_, CompileError>((modulus, product))
    };
    let mut factors = Vec::new();
    for (i, &q) in from.iter().enumerate() {
        let (modulus, product) = product(i, q)?;
        let inverse = modulus.inv(product);
        factors.push(inverse.ok_or(CompileError::Modulus { q, word_bits })?);
    }
    for i in 0..from.len() {
        for &p in to {
            factors.push(product(i, p)?.1);
        }
    }
    Ok(factors)
}

/// Where what stands in scalar data memory, and in which registers.
#[derive(Clone, Copy)]
struct Scalars {
    from: usize,
    to: usize,
}

impl Scalars {
    fn moduli(self) -> usize {
        self.from + self.to
    }

    fn factors(self) -> usize {
        self.from * (1 + self.to)
    }

    fn prologue(self) -> Vec<Instruction> {
        let first_slot = 2 * self.moduli() + self.factors();
        let slot = |slot: usize| Instruction::ALoad {
            rt: AReg::from_field(slot as u64),
            address: (first_slot + slot) as u32,
        };
        let modulus = |modulus: usize| Instruction::MLoad {
            rt: MReg::from_field(modulus as u64),
            address: 2 * modulus as u32,
        };
        let factor = |factor: usize| Instruction::SLoad {
            rt: SReg::from_field(factor as u64),
            address: (2 * self.moduli() + factor) as u32,
        };
        let slots = (0..self.moduli()).map(slot);
        let moduli = (0..self.moduli()).map(modulus);
        let factors = (0..self.factors()).map(factor);
        slots.chain(moduli).chain(factors).collect()
    }

    fn words(self, config: &Config, shape: Shape, moduli: &[u128], factors: &[u128]) -> Vec<u128> {
        let of_modulus = |&q: &u128| {
            let reciprocal = crate::isa::reciprocal(q, config.word_bits);
            [q, reciprocal.unwrap_or_default()]
        };
        let slots = (0..self.moduli()).map(|slot| (slot * shape.slot()) as u128);
        let words = moduli.iter().flat_map(of_modulus);
        let words = words.chain(factors.iter().copied()).chain(slots);
        let mut words: Vec<u128> = words.collect();
        words.resize(config.sdm_words.max(words.len()), 0);
        words
    }
}

/// Vector by vector: the brackets, then one sum after the other.
fn plain(layout: Scalars, shape: Shape) -> Vec<Instruction> {
    // Steps of 5 keep the registers of an instruction in different memories.
    let register = |i: usize| VReg::from_field((5 * i % REGISTERS) as u64);
    let multiply = |vd, vs, factor: usize, modulus: usize| Instruction::VectorScalar {
        op: Op::Mul,
        vd,
        vs,
        rt: SReg::from_field(factor as u64),
        rm: MReg::from_field(modulus as u64),
    };
    let at = |slot: usize| AReg::from_field(slot as u64);
    let (from, to) = (layout.from, layout.to);
    let word = |i: usize| register(i);
    let bracket = |i: usize| register(from + i);
    let [sum, product, next] = [0, 1, 2].map(|i| register(2 * from + i));
    let mut program = Vec::new();
    for vector in 0..shape.vectors() {
        let (offset, mode) = ((vector * shape.vector()) as u32, Mode::Linear);
        for i in 0..from {
            let (vd, rm) = (word(i), at(i));
            program.push(Instruction::VLoad {
                vd,
                rm,
                offset,
                mode,
            });
            program.push(multiply(bracket(i), word(i), i, i));
        }
        for j in 0..to {
            let modulus = from + j;
            let factor = |i: usize| from + i * to + j;
            let mut held = [sum, next];
            program.push(multiply(held[0], bracket(0), factor(0), modulus));
            for i in 1..from {
                program.push(multiply(product, bracket(i), factor(i), modulus));
                program.push(Instruction::Vector {
                    op: Op::Add,
                    vd: held[1],
                    vs: held[0],
                    vt: product,
                    rm: MReg::from_field(modulus as u64),
                });
                held.reverse();
            }
            program.push(Instruction::VStore {
                vs: held[0],
                rm: at(modulus),
                offset,
                mode,
            });
        }
    }
    program
}
