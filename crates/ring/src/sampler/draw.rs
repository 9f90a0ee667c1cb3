//! Streams that are drawn together.
//!
//! A stream is serial, streams are not: where a program draws several at once, as an encryption
//! its three, their states lie side by side and one pass permutes them all
//! ([`ringwright_kernels::Keccak`] has the bounds). What a stream gives is as if it were drawn
//! alone. A stream that has given enough stays in the pass and is not read.
//!
//! How many blocks a sampler of secrets takes depends on the number of coefficients only, so when
//! a pass ends tells nothing of them.

use super::binomial::Binomial21;
use super::taker::Taker;
use super::ternary::Ternary;
use super::uniform::Uniform;
use super::xof::Xof;
use crate::shake::{Sponges, BLOCK_WORDS};
use ringwright_arith::{Modulus, Word};
use ringwright_kernels::Keccak;
use zeroize::Zeroizing;

/// A stream, and what is made of it.
pub struct Draw<'a> {
    xof: Xof,
    taker: Box<dyn Taker + 'a>,
}

impl<'a> Draw<'a> {
    /// As [`super::ternary()`].
    pub fn ternary(xof: Xof, out: &'a mut [i8]) -> Self {
        let taker = Box::new(Ternary::new(out));
        Self { xof, taker }
    }

    /// As [`super::binomial21`].
    pub fn binomial21(xof: Xof, out: &'a mut [i8]) -> Self {
        let taker = Box::new(Binomial21::new(out));
        Self { xof, taker }
    }

    /// As [`super::uniform()`].
    pub fn uniform<W: Word>(xof: Xof, q: &Modulus<W>, out: &'a mut [W]) -> Self {
        let taker = Box::new(Uniform::new(q, out));
        Self { xof, taker }
    }
}

/// Draws all of them, as many at a time as one pass of the permutation has room for.
pub fn draw(keccak: &Keccak, mut draws: Vec<Draw>) {
    for draws in draws.chunks_mut(keccak.together()) {
        draw_group(keccak, draws);
    }
}

fn draw_group(keccak: &Keccak, draws: &mut [Draw]) {
    let mut sponges = Sponges::new(*keccak, draws.iter().map(|draw| draw.xof.sponge()));
    let mut block = Zeroizing::new([0; BLOCK_WORDS]);
    while draws.iter().any(|draw| draw.taker.wants_more()) {
        sponges.permute(draws.len());
        for (which, draw) in draws.iter_mut().enumerate() {
            if draw.taker.wants_more() {
                sponges.copy_block(which, &mut block);
                draw.taker.take(&block);
            }
        }
    }
}
