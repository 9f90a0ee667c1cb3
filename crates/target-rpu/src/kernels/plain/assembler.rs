//! Writes instructions in the order in which a plain compiler would: no scheduling.
//!
//! **Registers.** Instructions work in one of four sets of twelve vector registers. The registers
//! of a set differ modulo 16 and divided by 4, so no instruction finds two of its registers in one
//! single-port memory of a slice, however they are stacked (RPU, section IV-B1). Four sets let four
//! vectors be loaded before the first is used.
//!
//! **Memory order.** The busyboard watches registers, not memory. A load that follows a store to
//! one of its words too closely would read the old word, so a *fence* goes between them: a load
//! into the register that was stored, which issues when the store has read it and, in the same
//! pipe, ends after the store does; and another into the same register, which issues after that.
//! A fence is left out where enough loads and stores lie between to keep the pipe busy until the
//! store has written.

use crate::config::{Config, LoadStorePipes};
use crate::isa::{AReg, Form, Instruction, MReg, Mode, Op, SReg, VReg};
use crate::kernels::shape::Shape;

/// Sets of vector registers.
pub const SETS: usize = 4;
/// Registers of a set.
const SET_SIZE: usize = 12;
/// Distance between the registers of a set: prime to 16 and above 4.
const SET_STEP: usize = 5;

/// The modulus.
pub const MODULUS: MReg = MReg::from_field(0);
/// The scalar operand.
pub const SCALAR: SReg = SReg::from_field(0);

/// When a store's words can be read again.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct StoreOrder {
    /// Cycles that every load or store keeps the pipe busy at least.
    pub beats: u64,
    /// Cycles from a store's last bank access to its write.
    pub latency: u64,
    /// Whether loads and stores share one pipe; if not, every load after a store needs a fence.
    pub shared_pipe: bool,
}

impl StoreOrder {
    /// On a machine.
    pub fn of(config: &Config) -> Self {
        StoreOrder {
            beats: config.beats() as u64,
            latency: config.load_store_latency,
            shared_pipe: config.load_store_pipes == LoadStorePipes::Shared,
        }
    }
}

/// Register `index` of a set.
pub fn register(set: usize, index: usize) -> VReg {
    debug_assert!(set < SETS && index < SET_SIZE);
    VReg::from_field((SET_STEP * index + set) as u64)
}

/// A program as it is written.
pub struct Assembler {
    instructions: Vec<Instruction>,
    order: StoreOrder,
    shape: Shape,
    /// Vector loads and stores so far.
    accesses: u64,
    /// For each word of the result, the number of accesses before its last store.
    stored: Vec<Option<u64>>,
    last_stored: Option<VReg>,
    /// What a fence loads: words that the program never stores.
    constant: Option<AReg>,
}

impl Assembler {
    /// An empty program. `constant`: the base of a table, for programs with more than one pass.
    pub fn new(shape: Shape, order: StoreOrder, constant: Option<AReg>) -> Self {
        Assembler {
            instructions: Vec::new(),
            order,
            shape,
            accesses: 0,
            stored: vec![None; shape.slot()],
            last_stored: None,
            constant,
        }
    }

    /// The instructions.
    pub fn finish(self) -> Vec<Instruction> {
        self.instructions
    }

    /// Any instruction that is no vector load or store.
    pub fn push(&mut self, instruction: Instruction) {
        self.instructions.push(instruction);
    }

    /// Loads words that this program does not store.
    pub fn load_operand(&mut self, vd: VReg, rm: AReg, offset: u32, mode: Mode) {
        self.accesses += 1;
        self.push(Instruction::VLoad {
            vd,
            rm,
            offset,
            mode,
        });
    }

    /// Loads words of the result, after a fence where they may not have been written yet.
    pub fn load_result(&mut self, vd: VReg, rm: AReg, offset: u32, mode: Mode) {
        let words =
            (0..self.shape.vector()).map(|i| offset as usize + mode.offset(i as u64) as usize);
        let last = words.filter_map(|word| self.stored[word]).max();
        if last.is_some_and(|store| self.too_early(store)) {
            self.fence();
        }
        self.load_operand(vd, rm, offset, mode);
    }

    /// Stores words of the result.
    pub fn store_result(&mut self, vs: VReg, rm: AReg, offset: u32, mode: Mode) {
        for i in 0..self.shape.vector() {
            self.stored[offset as usize + mode.offset(i as u64) as usize] = Some(self.accesses);
        }
        self.last_stored = Some(vs);
        self.accesses += 1;
        self.push(Instruction::VStore {
            vs,
            rm,
            offset,
            mode,
        });
    }

    /// `vd = vs op vt`.
    pub fn vector(&mut self, op: Op, vd: VReg, vs: VReg, vt: VReg) {
        let rm = MODULUS;
        self.push(Instruction::Vector { op, vd, vs, vt, rm });
    }

    /// `vd = vs op scalar`.
    pub fn scalar(&mut self, op: Op, vd: VReg, vs: VReg) {
        let (rt, rm) = (SCALAR, MODULUS);
        self.push(Instruction::VectorScalar { op, vd, vs, rt, rm });
    }

    /// Both outputs of a butterfly with factor `vt1`.
    pub fn butterfly(&mut self, form: Form, [vd, vd1]: [VReg; 2], [vs, vt, vt1]: [VReg; 3]) {
        self.push(Instruction::Butterfly {
            form,
            vd,
            vd1,
            vs,
            vt,
            vt1,
            rm: MODULUS,
        });
    }

    /// Whether a load that came next could begin before the store has written. The pipe is busy
    /// with the store until its last bank access, then with everything since.
    fn too_early(&self, store: u64) -> bool {
        let since = (self.accesses - store - 1) * self.order.beats;
        !self.order.shared_pipe || since < self.order.latency
    }

    fn fence(&mut self) {
        let (Some(register), Some(constant)) = (self.last_stored, self.constant) else {
            return;
        };
        for _ in 0..2 {
            self.load_operand(register, constant, 0, Mode::Repeated(0));
        }
        self.stored.fill(None);
    }
}
