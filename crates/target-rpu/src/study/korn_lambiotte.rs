//! Program S: a forward negacyclic transform by Korn and Lambiotte's algorithm, as in the paper.
//!
//! Every stage takes vectors i and i + V/2 (V vectors in all), forms butterflies, and interleaves
//! sum and difference into vectors 2i and 2i + 1, so all stages look alike and words are only ever
//! addressed as whole vectors; the last stage does not interleave. At 64K that makes 64 butterflies
//! in each of 16 stages and 128 shuffles in 15 of them: the paper's 1024 and 1920 (section VI-F).
//! How the paper moves data and factors is not known; here four stages at a time are done on blocks
//! of 16 vectors in registers, which makes 1024 loads and stores of data and 136 of factors. Up to 16
//! vectors in all (8K) stay in registers from the first stage to the last.
//!
//! Input in natural order, output in bit-reversed order. Factor of the butterfly at word j of stage
//! s is psi^brv(2^s + j mod 2^s): up to stage 9 one vector serves all butterflies of a stage, loaded
//! with REPEATED; later 2^(s-9) different ones.
//!
//! Registers: data lie in memories 0 to 7 of the register file, temporaries and factors in 8 to 15,
//! placed so that no butterfly and no shuffle has two operands in one memory.

use crate::isa::{AReg, Form, Instruction, MReg, Mode, Program, Segment, ShuffleOp, Space, VReg};

/// Stages done on vectors in registers.
const STAGES: u32 = 4;

/// Where things are, in words.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Layout {
    /// Input of passes 0, 2, …: the transform's, too.
    pub input: u32,
    /// Input of passes 1, 3, …
    pub other: u32,
    /// psi^brv(i) for i below N.
    pub factors: u32,
    /// Where the result is: one of the two above.
    pub output: u32,
}

/// The program for N = 2^`log_n` in vectors of `length` words, in the order of its blocks; `None`
/// where N is less than two vectors or not below 2^18 words. Modulus and reciprocal stand at 0 and 1
/// of the scalar data memory, address 0 at 2.
pub fn program(log_n: u32, length: usize) -> Option<(Program, Layout)> {
    let n = 1_u32.checked_shl(log_n)?;
    let vectors = n as usize / length;
    if vectors < 2 || log_n >= 18 {
        return None;
    }
    let fits = vectors <= 1 << STAGES;
    let stages = if fits { log_n } else { STAGES };
    let passes = log_n.div_ceil(stages);
    let layout = Layout {
        input: 0,
        other: n,
        factors: 2 * n,
        output: n * (passes % 2),
    };
    let mut writer = Writer {
        log_n,
        log_length: length.trailing_zeros(),
        vectors,
        stages,
        block: vectors.min(1 << STAGES),
        layout,
        instructions: Vec::new(),
        temporary: 0,
        factor: 0,
        held: Vec::new(),
    };
    writer.start();
    for pass in 0..passes {
        writer.pass(pass);
    }
    let name = format!("korn_lambiotte_{n}");
    Some((Program::new(name, writer.instructions), layout))
}

/// What stands in the scalar data memory.
pub fn constants(modulus: u128, reciprocal: u128) -> Segment {
    Segment {
        space: Space::Sdm,
        address: 0,
        words: vec![modulus, reciprocal, 0],
    }
}

/// Registers of 16 in which sets of data lie: two sets for blocks that overlap.
const DATA: [[usize; 2]; 2] = [[0, 16], [32, 48]];
/// Registers for results before they are interleaved, and for factors: of each 16 the upper eight.
const TEMPORARIES: [usize; 2] = [8, 24];
const FACTORS: [usize; 2] = [40, 56];

/// The register of a block's vector: two vectors that differ in one bit of their number, as the two
/// of every butterfly do, lie in different memories.
fn data(block: usize, vector: usize) -> VReg {
    let flip = if vector & 8 != 0 { 7 } else { 0 };
    register(DATA[block % 2][vector / 8] + ((vector & 7) ^ flip))
}

fn register(number: usize) -> VReg {
    VReg::from_field(number as u64)
}

fn upper(files: [usize; 2], count: usize) -> VReg {
    register(files[count / 8 % 2] + count % 8)
}

struct Writer {
    log_n: u32,
    log_length: u32,
    vectors: usize,
    /// Stages of a pass, and vectors of a block.
    stages: u32,
    block: usize,
    layout: Layout,
    instructions: Vec<Instruction>,
    /// Temporaries and factor registers used so far.
    temporary: usize,
    factor: usize,
    /// Factor vectors that lie in registers: stage, number, register.
    held: Vec<(u32, usize, VReg)>,
}

impl Writer {
    fn start(&mut self) {
        let rt = MReg::from_field(0);
        self.instructions
            .push(Instruction::MLoad { rt, address: 0 });
        let rt = AReg::from_field(0);
        self.instructions
            .push(Instruction::ALoad { rt, address: 2 });
    }

    /// Some stages on all blocks. A block is the vectors that agree modulo the number of blocks; in
    /// the order of its pass's end it is a run.
    fn pass(&mut self, pass: u32) {
        let first = pass * self.stages;
        let stages = self.stages.min(self.log_n - first);
        let held = self.block.min(1 << stages);
        let blocks = self.vectors / held;
        self.held.clear();
        for block in 0..blocks {
            // Where each vector of the block is, in the order of the current stage.
            let mut places: Vec<VReg> = (0..held).map(|v| data(block, v)).collect();
            for (vector, &vd) in places.iter().enumerate() {
                let address = self.buffer(pass) + self.word(block + vector * blocks);
                self.load(vd, address, Mode::Linear);
            }
            for done in 0..stages {
                places = self.stage(first, done, block, &places);
            }
            self.store(pass, first + stages, block, &places);
        }
    }

    /// One stage of one block, `done` stages after the first of its pass.
    fn stage(&mut self, first: u32, done: u32, block: usize, places: &[VReg]) -> Vec<VReg> {
        let stage = first + done;
        let half = places.len() / 2;
        let blocks = self.vectors / places.len();
        let last = stage + 1 == self.log_n;
        let mut next = Vec::with_capacity(places.len());
        let mut differences = Vec::new();
        for pair in 0..half {
            let (vs, vt) = (places[pair], places[pair + half]);
            // The block's vectors lie in runs of 2^done, the runs `blocks` runs apart.
            let (run, within) = (pair >> done, pair & ((1 << done) - 1));
            let vector = ((run * blocks + block) << done) + within;
            let vt1 = self.factors(stage, vector);
            let (vd, vd1) = match last {
                true => (vs, vt),
                false => (self.temporary(), self.temporary()),
            };
            self.instructions.push(Instruction::Butterfly {
                form: Form::CooleyTukey,
                vd,
                vd1,
                vs,
                vt,
                vt1,
                rm: MReg::from_field(0),
            });
            if last {
                next.push(vs);
                differences.push(vt);
                continue;
            }
            for (op, result) in [(ShuffleOp::UnpackLow, vs), (ShuffleOp::UnpackHigh, vt)] {
                self.instructions.push(Instruction::Shuffle {
                    op,
                    vd: result,
                    vs: vd,
                    vt: vd1,
                });
                next.push(result);
            }
        }
        next.extend(differences);
        next
    }

    fn store(&mut self, pass: u32, done: u32, block: usize, places: &[VReg]) {
        let out = self.buffer(pass + 1);
        let last = done == self.log_n;
        let half = places.len() / 2;
        for (vector, &vs) in places.iter().enumerate() {
            let (offset, mode) = match last {
                // Sums are the even words of the result, differences the odd ones.
                true => {
                    let pair = vector % half + block * half;
                    (
                        2 * self.word(pair) + (vector / half) as u32,
                        Mode::Strided(1),
                    )
                }
                false => (self.word(block * places.len() + vector), Mode::Linear),
            };
            self.instructions.push(Instruction::VStore {
                vs,
                rm: AReg::from_field(0),
                offset: out + offset,
                mode,
            });
        }
    }

    /// The register with the factors of a butterfly, loaded if it is not there.
    fn factors(&mut self, stage: u32, vector: usize) -> VReg {
        let different = 1_usize << stage.saturating_sub(self.log_length);
        let number = vector % different;
        if let Some(&(.., held)) = self.held.iter().find(|h| (h.0, h.1) == (stage, number)) {
            return held;
        }
        let vd = upper(FACTORS, self.factor);
        self.factor += 1;
        self.held.retain(|held| held.2 != vd);
        self.held.push((stage, number, vd));
        let first = self.layout.factors + (1 << stage);
        match stage <= self.log_length {
            true => self.load(vd, first, Mode::Repeated(stage as u8)),
            false => self.load(vd, first + self.word(number), Mode::Linear),
        }
        vd
    }

    fn temporary(&mut self) -> VReg {
        self.temporary += 1;
        upper(TEMPORARIES, self.temporary - 1)
    }

    fn load(&mut self, vd: VReg, offset: u32, mode: Mode) {
        let rm = AReg::from_field(0);
        self.instructions.push(Instruction::VLoad {
            vd,
            rm,
            offset,
            mode,
        });
    }

    fn buffer(&self, pass: u32) -> u32 {
        match pass % 2 {
            0 => self.layout.input,
            _ => self.layout.other,
        }
    }

    fn word(&self, vector: usize) -> u32 {
        (vector << self.log_length) as u32
    }
}
