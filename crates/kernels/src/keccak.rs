//! Keccak-f\[1600\] (FIPS 202, section 3) on four states side by side.
//!
//! One stream of SHAKE is serial: each block needs the one before. Streams of their own need
//! nothing of each other, so a register holds one word of each of four states, and one pass
//! permutes them all.
//!
//! # Bounds
//!
//! A round is 76 exclusive ors, 25 times (not, and), and 29 rotations. Instructions, and cycles of
//! the ports that take them:
//!
//! | body | instructions a round | 24 rounds | ports | cycles | a state |
//! |---|---|---|---|---|---|
//! | one state, general registers | 76 + 50 + 29 | 3720 | 4 | 930 | 930 |
//! | 4 states, AVX2: not with and; a rotation is three | 76 + 25 + 87 | 4512 | 3 | 1504 | 376 |
//! | 4 states, AVX-512 VL: any function of three operands; rotations | 61 + 29 | 2160 | 3 | 720 | 180 |
//!
//! A state is 25 registers: AVX-512 has 32, AVX2 has 16 and spills. Measured 2026-11 on a shared Intel
//! processor of family 6, model 167 (`examples/keccak_time.rs`): one state 336 ns, four 509 ns on
//! AVX2 and 254 ns on AVX-512: the bounds at 2.9 GHz.
//!
//! Tried on paper and dropped: 8 states in 512-bit registers. These leave two ports, of which one
//! rotates: 1080 cycles a pass, which pays from five streams on, and an encryption has three.
//! One state in five registers of a plane each: words change lanes twice a round, three cycles
//! each time that nothing hides, so it is no quicker than a state in 25 registers.
//!
//! No branch and no index depends on a state.

use crate::arch::KeccakBody;
use crate::error::{check_isa, PlanError};
use crate::isa::Isa;
use crate::rounds::{States, STATES};

/// The permutation on one instruction set.
#[derive(Clone, Copy, Debug)]
pub struct Keccak {
    body: KeccakBody,
}

impl Keccak {
    /// On the given instruction set or the best below it; one that the machine lacks is an error.
    pub fn with_isa(isa: Isa) -> Result<Self, PlanError> {
        let body = KeccakBody::choose(check_isa(isa)?);
        Ok(Self { body })
    }

    /// The instruction set in use.
    pub fn isa(&self) -> Isa {
        self.body.isa()
    }

    /// How many states are permuted in one pass.
    pub fn together(&self) -> usize {
        match self.isa() {
            Isa::Scalar => 1,
            _ => STATES,
        }
    }

    /// Permutes the first `used` states; what is in the others afterwards has no meaning.
    ///
    /// # Panics
    /// If `used` is above [`STATES`].
    pub fn permute(&self, states: &mut States, used: usize) {
        assert!(
            used <= STATES,
            "{used} states: at most {STATES} lie side by side"
        );
        self.body.permute(states, used);
    }
}

impl Default for Keccak {
    /// On the best instruction set of this machine.
    fn default() -> Self {
        let body = KeccakBody::choose(Isa::detect());
        Self { body }
    }
}
