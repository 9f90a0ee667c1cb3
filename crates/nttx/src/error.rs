//! Why a plan is none.

use crate::Bit;

/// What is wrong with a breakdown.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum PlanError {
    /// A layout that names a bit twice or not at all.
    #[error("layout {bits:?} is not a permutation of the bits 0..{}", bits.len())]
    NotAPermutation {
        /// Index bits by address bit.
        bits: Vec<Bit>,
    },
    /// A size that the breakdown does not cover.
    #[error("{breakdown} of 2^{log_n} words in vectors of 2^{log_vector}: {why}")]
    Size {
        /// The breakdown.
        breakdown: &'static str,
        /// log2 of the transform's words.
        log_n: u8,
        /// log2 of the vector's words.
        log_vector: u8,
        /// What would be allowed.
        why: String,
    },
    /// A stage out of order, left out or done twice.
    #[error("stage {given} of pass {pass}, but bit {expected:?} is next")]
    Stage {
        /// Pass, counted from 0.
        pass: usize,
        /// The bit of the stage.
        given: Bit,
        /// The bit that is due; none when all are done.
        expected: Option<Bit>,
    },
    /// Stages that no pass does.
    #[error("no stage for bit {0}")]
    Unfinished(Bit),
    /// A bit that must be in the register number is not.
    #[error("pass {pass}: bit {bit} is not in the register number, which holds {registers:?}")]
    NotInRegisters {
        /// Pass, counted from 0.
        pass: usize,
        /// The bit.
        bit: Bit,
        /// What the register number holds.
        registers: Vec<Bit>,
    },
    /// A bit both in the element and the register number.
    #[error("pass {pass}: bit {bit} is loaded into the elements, it cannot be a register's")]
    InElements {
        /// Pass, counted from 0.
        pass: usize,
        /// The bit.
        bit: Bit,
    },
    /// Elements that lie elsewhere than the next layout has them.
    #[error("pass {pass} stores elements {elements:?} where the layout has {layout:?}")]
    Store {
        /// Pass, counted from 0.
        pass: usize,
        /// Index bits by element bit.
        elements: Vec<Bit>,
        /// What the layout wants there.
        layout: Vec<Bit>,
    },
    /// Layouts and passes that do not fit together.
    #[error("{passes} passes need {} layouts of {bits} bits each", passes + 1)]
    Layouts {
        /// Number of passes.
        passes: usize,
        /// Index bits.
        bits: u8,
    },
    /// A direction and a butterfly that do not go together.
    #[error("a forward transform has no Gentleman-Sande form here")]
    Form,
    /// A modulus without the roots that the transform needs.
    #[error("{0}")]
    Modulus(String),
    /// A name that is no identifier of C.
    #[error("{given:?} is no identifier: allowed are letters, digits and _, no digit first")]
    Name {
        /// The name.
        given: String,
    },
}
