//! From absolute addresses to slots whose addresses a program is told at its start.

use crate::isa::{AReg, Instruction, MReg, SReg};
use crate::kernels::tower_kernel::{address, FIRST_SLOT_WORD, MODULUS_WORD, SCALAR_WORD};
use crate::kernels::Scalar;

/// Loads modulus, scalar operand and slot addresses, the first ones needed first.
pub fn prologue(scalar: Scalar, slots: usize) -> Vec<Instruction> {
    let slot = |slot: usize| Instruction::ALoad {
        rt: address(slot),
        address: FIRST_SLOT_WORD + slot as u32,
    };
    let modulus = Instruction::MLoad {
        rt: MReg::from_field(0),
        address: MODULUS_WORD,
    };
    let scalar = (scalar != Scalar::None).then_some(Instruction::SLoad {
        rt: SReg::from_field(0),
        address: SCALAR_WORD,
    });
    let slots = (0..slots).map(slot);
    slots.chain([modulus]).chain(scalar).collect()
}

/// A load or store at an absolute address as one at an offset in a slot of `length` words; `register`
/// says which register has the address of the slot of this number, for a store if the flag is set.
pub fn in_slot(
    instruction: Instruction,
    length: u32,
    register: impl Fn(usize, bool) -> AReg,
) -> Instruction {
    let place = |offset: u32, store| {
        let slot = (offset / length) as usize;
        (register(slot, store), offset % length)
    };
    match instruction {
        Instruction::VLoad {
            vd, offset, mode, ..
        } => {
            let (rm, offset) = place(offset, false);
            Instruction::VLoad {
                vd,
                rm,
                offset,
                mode,
            }
        }
        Instruction::VStore {
            vs, offset, mode, ..
        } => {
            let (rm, offset) = place(offset, true);
            Instruction::VStore {
                vs,
                rm,
                offset,
                mode,
            }
        }
        other => other,
    }
}
