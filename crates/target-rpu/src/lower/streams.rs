//! Where calls read and write: in slots, which the residency gives, or in blocks that are streamed.
//!
//! **Bound**, of `mul_relin@7` of `16384-7x54` on `rpu-128x128`, whose memory holds 16 towers, each of 860
//! cycles at the port: 56 key parts (`key_parts`), 28 operands, 14 results and 14 operands once more,
//! whose product is switched: 112 towers, 96,400 cycles. The core takes 95,300: 36 transforms of
//! digits and remainders under joined primes and 6 back, 43,700; the rest word by word, sums of two
//! products at once. All of it takes 125,823. What is above:
//!
//! | cycles | what |
//! |--:|---|
//! | 10,500 | tables: 5 moduli forward, 5 back with 1.4 towers each |
//! | 1,400 | programs, arguments, commands |
//! | 17,400 | the port waits for the core: at both ends, and where kernels in a row bring little |
//!
//! Port and core are nearly equally long, so what one waits for the other is what is left. Tried while
//! the special prime was not joined, no quicker: 5 and 6 slots for streams, 2 and 3 kernels of a start.
//! Dropped: sums of three products at once, which hold too many digits (139,200 for a rotation that
//! takes 129,800 with two); when key parts came one by one, runs of several kernels behind what is
//! brought, which free places late, and a third and fourth list of moves under way, for which the port
//! has no use.

use super::start::{Call, Given, Placed, Span};
use crate::kernels::{Body, Shape};
use ringwright_towers::residency::{Content, Move, Placement};
use ringwright_towers::{OriginId, TowerId};
use std::sync::Arc;

/// Vectors of a block at least.
const LEAST_VECTORS: usize = 2;

/// Words of the vector data memory through which towers are streamed, one block behind the other, from
/// the start again at the end.
#[derive(Clone, Copy, Debug, Default)]
pub struct Streams {
    first: usize,
    words: usize,
    next: usize,
}

impl Streams {
    /// So many words from `first` on.
    pub fn new(first: usize, words: usize) -> Self {
        Streams {
            first,
            words,
            next: 0,
        }
    }

    /// How many towers can be streamed at once: in blocks of two vectors.
    pub fn most(&self, shape: Shape) -> usize {
        self.words / (2 * LEAST_VECTORS * shape.vector())
    }

    /// Words of a block where so many towers are streamed at once: the most with which all of them
    /// fit twice, one set on the move while another is worked on; a slot where none is streamed.
    /// `None` where they do not fit.
    pub fn block(&self, shape: Shape, towers: usize) -> Option<usize> {
        let mut block = shape.slot();
        while 2 * towers * block > self.words && towers > 0 {
            block /= 2;
            if block < LEAST_VECTORS * shape.vector() {
                return None;
            }
        }
        Some(block)
    }

    /// A place for a block.
    fn take(&mut self, block: usize) -> usize {
        let next = self.next.next_multiple_of(block);
        let next = if next + block > self.words { 0 } else { next };
        self.next = next + block;
        self.first + next
    }
}

/// A call before it is known where it reads and writes.
pub struct Unplaced {
    /// As [`Call::body`].
    pub body: Body,
    /// As [`Call::moduli`].
    pub moduli: Arc<[u128]>,
    /// As [`Call::scalars`].
    pub scalars: Arc<[Given]>,
    /// As [`Call::origin`].
    pub origin: OriginId,
    /// As [`Call::arrivals`].
    pub arrivals: Vec<TowerId>,
    /// Of a formula, which operands are streamed; `None` for those in slots.
    pub loaded: Vec<Option<TowerId>>,
    /// Which results.
    pub stored: Vec<Option<TowerId>>,
}

impl Unplaced {
    /// The call in slots of so many words: once, or once for each block. `table`: the words of a table.
    pub fn placed(
        self,
        placement: Placement,
        slot: usize,
        table: &dyn Fn(usize) -> usize,
        streams: &mut Streams,
    ) -> Vec<Placed> {
        let span = |each: &Move| match each.content {
            Content::Tower(_) => Span {
                content: each.content,
                first: 0,
                words: slot,
                place: each.slot * slot,
            },
            Content::Table { table: of, part } => Span {
                content: each.content,
                first: part * slot,
                words: slot.min(table(of) - part * slot),
                place: each.slot * slot,
            },
        };
        let spans = |moves: &[Move]| moves.iter().map(span).collect::<Vec<_>>();
        let words = self.body.words();
        let streams_any = self.loaded.iter().chain(&self.stored).any(Option::is_some);
        let blocks = if streams_any { slot / words } else { 1 };
        let mut all: Vec<Placed> = (0..blocks)
            .map(|block| self.block(block, &placement, slot, streams))
            .collect();
        if let Some(first) = all.first_mut() {
            first.spilled = spans(&placement.spilled);
            first.loaded.splice(0..0, spans(&placement.loaded));
        }
        if let Some(last) = all.last_mut() {
            last.stored.extend(spans(&placement.stored));
        }
        all
    }

    fn block(
        &self,
        block: usize,
        placement: &Placement,
        slot: usize,
        streams: &mut Streams,
    ) -> Placed {
        let words = self.body.words();
        let mut slots = placement.slots.iter().map(|at| at * slot + block * words);
        let (mut places, mut loaded, mut stored) = (Vec::new(), Vec::new(), Vec::new());
        let mut stream = |tower: TowerId, moves: &mut Vec<Span>| {
            let span = Span {
                content: Content::Tower(tower),
                first: block * words,
                words,
                place: streams.take(words),
            };
            moves.push(span);
            span.place
        };
        for (operands, moves) in [(&self.loaded, &mut loaded), (&self.stored, &mut stored)] {
            for operand in operands {
                places.extend(match operand {
                    Some(tower) => Some(stream(*tower, moves)),
                    None => slots.next(),
                });
            }
        }
        places.extend(slots);
        Placed {
            call: Call {
                body: self.body.clone(),
                moduli: self.moduli.clone(),
                scalars: self.scalars.clone(),
                places,
                arrivals: self.arrivals.clone(),
                origin: self.origin,
            },
            spilled: Vec::new(),
            loaded,
            stored,
        }
    }
}
