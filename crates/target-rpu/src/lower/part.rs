//! A part of a ring program behind which the device has drained: a call of the entry function, or
//! operations of its own between calls.
//!
//! Its operations become calls of kernels, in order, and those become starts, with the moves of
//! towers, tables and programs between off-chip memory and the device; all of it becomes one list of
//! commands. Nothing stays on the device from one part to the next, so that a function takes the same
//! time wherever it is called.

use super::commands::{Commands, Item, Moved};
use super::key_parts::KeyPart;
use super::start::{Call, Span, Start};
use super::sweep::Sweep;
use crate::isa::INSTRUCTION_BITS;
use crate::kernels::library::Words;
use crate::kernels::Shape;
use crate::Config;
use ringwright_towers::residency::Content;
use ringwright_towers::{OriginId, TowerId};

/// A part, lowered.
pub struct Part {
    /// Lengths of towers and vectors.
    pub shape: Shape,
    /// In order.
    pub pieces: Vec<Piece>,
    /// The tables that they load, one per kernel and prime.
    pub tables: Vec<Words>,
    /// Bits of each tower's modulus.
    pub tower_bits: Vec<u32>,
    /// Bits of each table's widest word.
    pub table_bits: Vec<u32>,
    /// The towers of keys that lie joined in off-chip memory.
    pub key_parts: Vec<KeyPart>,
    /// The towers that it makes for its callers.
    pub made: Vec<TowerId>,
    /// The towers that land, and where in the vector data memory.
    pub landed: Vec<(TowerId, usize)>,
    /// Words that divide every place in the vector data memory.
    pub granule: usize,
    /// From where on towers are streamed through it.
    pub streams: usize,
    /// What the device does, in order.
    pub commands: Commands,
}

/// What the controlling core does at once.
pub enum Piece {
    /// One start of tower kernels.
    Start(Start),
    /// A start for each block of towers.
    Sweep(Sweep),
}

impl Part {
    /// What a move moves between off-chip memory and the vector data memory.
    pub fn spans(&self, item: Item) -> impl Iterator<Item = Span> + '_ {
        let number = match item.what {
            Moved::Program { .. } => None,
            Moved::Load(number) | Moved::Spill(number) | Moved::Store(number) => {
                Some(number as usize)
            }
        };
        let piece = &self.pieces[item.piece as usize];
        let span = number.and_then(|number| match (piece, item.what) {
            (Piece::Start(start), Moved::Load(_)) => start.loaded.get(number),
            (Piece::Start(start), Moved::Spill(_)) => start.spilled.get(number),
            (Piece::Start(start), Moved::Store(_)) => start.stored.get(number),
            _ => None,
        });
        let leaves = !matches!(item.what, Moved::Load(_));
        let block = number.and_then(|number| match piece {
            Piece::Sweep(sweep) => Some(sweep.spans(number, leaves)),
            Piece::Start(_) => None,
        });
        span.copied().into_iter().chain(block.into_iter().flatten())
    }

    /// Bytes that a move takes.
    pub fn bytes(&self, config: &Config, item: Item) -> u64 {
        if let Moved::Program { .. } = item.what {
            let (instructions, arguments) = self.program(item.piece as usize);
            let of_instruction = u64::from(INSTRUCTION_BITS / 8);
            return of_instruction * instructions as u64
                + config.bytes_per_word() * arguments as u64;
        }
        let spans = self.spans(item);
        spans
            .map(|span| {
                let bits = match span.content {
                    Content::Tower(tower) => self.tower_bits[tower.index()],
                    Content::Table { table, .. } => self.table_bits[table],
                };
                config.offchip_bytes(bits) * span.words as u64
            })
            .sum()
    }

    /// Bytes of the words that a move sends to other tiles.
    pub fn mesh_bytes(&self, config: &Config, item: Item) -> u64 {
        let n = self.shape.n();
        let spans = self.spans(item).filter_map(|span| match span.content {
            Content::Tower(tower) => {
                let words = span.words.min(n - span.first) as u64;
                Some(config.mesh_bytes(self.tower_bits[tower.index()]) * words)
            }
            Content::Table { .. } => None,
        });
        spans.sum()
    }

    /// Instructions of a piece's program, and words of its arguments.
    pub fn program(&self, piece: usize) -> (usize, usize) {
        match &self.pieces[piece] {
            Piece::Start(start) => (start.chain.program.instructions.len(), start.chain.words),
            Piece::Sweep(sweep) => {
                let instructions = sweep.kernel.program.instructions.len();
                (instructions, sweep.argument_words())
            }
        }
    }

    /// The starts of tower kernels.
    pub fn starts(&self) -> impl Iterator<Item = &Start> {
        self.pieces.iter().filter_map(|piece| match piece {
            Piece::Start(start) => Some(start),
            Piece::Sweep(_) => None,
        })
    }
}

impl Piece {
    /// The first and the last operation of the program that it comes from.
    pub fn origins(&self) -> (OriginId, OriginId) {
        match self {
            Piece::Sweep(sweep) => (sweep.origin, sweep.origin),
            Piece::Start(start) => {
                let (first, last) = (start.calls.first(), start.calls.last());
                let of = |call: Option<&Call>| call.map_or(OriginId(0), |call| call.origin);
                (of(first), of(last))
            }
        }
    }
}
