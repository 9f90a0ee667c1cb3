//! Goes through a program with something else than numbers in its registers.
//!
//! There is one walk and two things to carry: degrees, which are cheap, and whole polynomials. The
//! walk finds what is wrong with a program whatever the words are.

use super::claim::{Claim, Fault};
use crate::config::Config;
use crate::isa::{Form, Instruction, Mode, Op, Program, Space, VReg, REGISTERS};
use std::collections::{BTreeMap, HashMap, HashSet};

/// What stands for a number.
pub(super) trait Domain {
    /// In the place of a word.
    type Word: Clone;

    /// A known number.
    fn constant(&self, value: u128) -> Self::Word;
    /// A word of an operand.
    fn variable(&self, operand: usize, word: u32) -> Self::Word;
    /// A sum, a difference or a product.
    fn apply(&self, op: Op, a: &Self::Word, b: &Self::Word) -> Self::Word;
}

/// The words of the result, in the order of the claim's addresses.
pub(super) fn walk<D: Domain>(
    domain: &D,
    program: &Program,
    config: &Config,
    claim: &Claim<'_>,
) -> Result<Vec<D::Word>, Fault> {
    let mut walk = Walk::new(domain, program, config, claim);
    for (index, instruction) in program.instructions.iter().enumerate() {
        walk.index = index;
        walk.step(instruction)?;
    }
    let word = |&(address, word): &(u32, u32)| {
        let found = walk.vdm.get(&address.into()).cloned();
        found.ok_or(Fault::NotWritten { word, address })
    };
    claim.result.words.iter().map(word).collect()
}

struct Walk<'a, D: Domain> {
    domain: &'a D,
    claim: &'a Claim<'a>,
    length: usize,
    modulus: u128,
    /// Number of the instruction.
    index: usize,
    vdm: HashMap<u64, D::Word>,
    sdm: BTreeMap<u32, u128>,
    result: HashSet<u64>,
    vrf: Vec<Option<Vec<D::Word>>>,
    srf: [Option<u128>; REGISTERS],
    mrf: [Option<u128>; REGISTERS],
    arf: [Option<u128>; REGISTERS],
}

impl<'a, D: Domain> Walk<'a, D> {
    fn new(domain: &'a D, program: &Program, config: &Config, claim: &'a Claim<'a>) -> Self {
        let (mut vdm, mut sdm) = (HashMap::new(), BTreeMap::new());
        for segment in claim.data.iter().chain(&program.data) {
            for (address, &word) in (segment.address..).zip(&segment.words) {
                match segment.space {
                    Space::Vdm => drop(vdm.insert(address.into(), domain.constant(word))),
                    Space::Sdm => drop(sdm.insert(address, word)),
                }
            }
        }
        for (number, operand) in claim.operands.iter().enumerate() {
            for &(address, word) in &operand.region.words {
                vdm.insert(address.into(), domain.variable(number, word));
            }
        }
        Walk {
            domain,
            claim,
            length: config.vector_length,
            modulus: claim.modulus,
            index: 0,
            vdm,
            sdm,
            result: claim.result.words.iter().map(|&(a, _)| a.into()).collect(),
            vrf: vec![None; REGISTERS],
            srf: [None; REGISTERS],
            mrf: [None; REGISTERS],
            arf: [None; REGISTERS],
        }
    }

    fn step(&mut self, instruction: &Instruction) -> Result<(), Fault> {
        match *instruction {
            Instruction::VLoad {
                vd,
                rm,
                offset,
                mode,
            } => {
                let base = self.base(rm.index(), offset)?;
                self.vrf[vd.index()] = Some(self.load(base, mode)?);
            }
            Instruction::VStore {
                vs,
                rm,
                offset,
                mode,
            } => {
                let base = self.base(rm.index(), offset)?;
                self.store(base, mode, vs)?;
            }
            Instruction::SLoad { rt, address } => {
                self.srf[rt.index()] = Some(self.scalar(address)?)
            }
            Instruction::MLoad { rt, address } => {
                self.mrf[rt.index()] = Some(self.scalar(address)?)
            }
            Instruction::ALoad { rt, address } => {
                self.arf[rt.index()] = Some(self.scalar(address)? & u128::from(u32::MAX));
            }
            Instruction::Vector { op, vd, vs, vt, rm } => {
                self.under_modulus(rm.index())?;
                let made = self.pairwise(op, self.vector(vs)?, self.vector(vt)?);
                self.vrf[vd.index()] = Some(made);
            }
            Instruction::VectorScalar { op, vd, vs, rt, rm } => {
                self.under_modulus(rm.index())?;
                let scalar = self.spread(rt.index())?;
                let made = self.pairwise(op, self.vector(vs)?, &scalar);
                self.vrf[vd.index()] = Some(made);
            }
            Instruction::Butterfly {
                form,
                vd,
                vd1,
                vs,
                vt,
                vt1,
                rm,
            } => {
                self.under_modulus(rm.index())?;
                let (s, t, w) = (self.vector(vs)?, self.vector(vt)?, self.vector(vt1)?);
                let (sum, difference) = match form {
                    Form::CooleyTukey => {
                        let product = self.pairwise(Op::Mul, t, w);
                        (
                            self.pairwise(Op::Add, s, &product),
                            self.pairwise(Op::Sub, s, &product),
                        )
                    }
                    Form::GentlemanSande => {
                        let difference = self.pairwise(Op::Sub, s, t);
                        (
                            self.pairwise(Op::Add, s, t),
                            self.pairwise(Op::Mul, &difference, w),
                        )
                    }
                };
                self.vrf[vd.index()] = Some(sum);
                self.vrf[vd1.index()] = Some(difference);
            }
            Instruction::Broadcast { vd, rt } => {
                self.vrf[vd.index()] = Some(self.spread(rt.index())?);
            }
            Instruction::Shuffle { op, vd, vs, vt } => {
                let (s, t) = (self.vector(vs)?, self.vector(vt)?);
                let from = |i| match op.source(i, self.length) {
                    (false, element) => s[element].clone(),
                    (true, element) => t[element].clone(),
                };
                let made = (0..self.length).map(from).collect();
                self.vrf[vd.index()] = Some(made);
            }
        }
        Ok(())
    }

    fn pairwise(&self, op: Op, a: &[D::Word], b: &[D::Word]) -> Vec<D::Word> {
        let pairs = a.iter().zip(b);
        pairs.map(|(a, b)| self.domain.apply(op, a, b)).collect()
    }

    fn vector(&self, register: VReg) -> Result<&[D::Word], Fault> {
        let words = self.vrf[register.index()].as_deref();
        words.ok_or_else(|| self.unwritten(register.to_string()))
    }

    fn spread(&self, scalar: usize) -> Result<Vec<D::Word>, Fault> {
        let value = self.srf[scalar].ok_or_else(|| self.unwritten(format!("s{scalar}")))?;
        Ok(vec![self.domain.constant(value); self.length])
    }

    fn base(&self, register: usize, offset: u32) -> Result<u64, Fault> {
        let base = self.arf[register].ok_or_else(|| self.unwritten(format!("a{register}")))?;
        Ok(base as u64 + u64::from(offset))
    }

    fn under_modulus(&self, register: usize) -> Result<(), Fault> {
        let found = self.mrf[register].ok_or_else(|| self.unwritten(format!("m{register}")))?;
        match found == self.modulus {
            true => Ok(()),
            false => Err(Fault::OtherModulus {
                instruction: self.index,
                found,
                expected: self.modulus,
            }),
        }
    }

    fn unwritten(&self, register: String) -> Fault {
        Fault::UnwrittenRegister {
            instruction: self.index,
            register,
        }
    }

    fn scalar(&self, address: u32) -> Result<u128, Fault> {
        self.sdm.get(&address).copied().ok_or(Fault::UnwrittenWord {
            instruction: self.index,
            address: address.into(),
        })
    }

    fn load(&self, base: u64, mode: Mode) -> Result<Vec<D::Word>, Fault> {
        let word = |i: usize| {
            let address = base + mode.offset(i as u64);
            self.vdm.get(&address).cloned().ok_or(Fault::UnwrittenWord {
                instruction: self.index,
                address,
            })
        };
        (0..self.length).map(word).collect()
    }

    fn store(&mut self, base: u64, mode: Mode, register: VReg) -> Result<(), Fault> {
        let words = self.vector(register)?.to_vec();
        for (i, word) in words.into_iter().enumerate() {
            let address = base + mode.offset(i as u64);
            if !self.result.contains(&address) && !self.claim.is_scratch(address) {
                return Err(Fault::WritesOutside {
                    instruction: Some(self.index),
                    address,
                });
            }
            self.vdm.insert(address, word);
        }
        Ok(())
    }
}
