//! One named stream of bits.

use super::taker::Taker;
use crate::seed::Seed;
use crate::shake::{Shake256, BLOCK_WORDS};

/// Most bytes of a stream's name.
pub const MAX_STREAM_NAME: usize = u8::MAX as usize;

/// The stream's name does not fit its length byte.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("stream name of {length} bytes: at most {MAX_STREAM_NAME} are allowed (\"{start}..\")")]
pub struct StreamNameError {
    /// Bytes of the name.
    pub length: usize,
    /// How it begins.
    pub start: String,
}

/// SHAKE-256 over seed, name and tower: blocks of 1088 bits.
pub struct Xof {
    sponge: Shake256,
}

impl Xof {
    /// Starts the stream. Residues of one integer polynomial share tower 0; a uniform polynomial
    /// has a stream per tower.
    pub fn new(seed: &Seed, stream: &str, tower: u16) -> Result<Self, StreamNameError> {
        let Ok(length) = u8::try_from(stream.len()) else {
            let start = stream.chars().take(16).collect();
            return Err(StreamNameError {
                length: stream.len(),
                start,
            });
        };
        let parts: [&[u8]; 4] = [
            seed.expose(),
            &[length],
            stream.as_bytes(),
            &tower.to_le_bytes(),
        ];
        Ok(Self {
            sponge: Shake256::new(&parts),
        })
    }

    /// The next 1088 bits as 17 words; bit 0 of word 0 comes first.
    #[inline]
    pub fn next_block(&mut self) -> &[u64; BLOCK_WORDS] {
        self.sponge.next_block()
    }

    /// Gives a sampler all that it takes.
    pub(super) fn give(mut self, mut taker: impl Taker) {
        while taker.wants_more() {
            taker.take(self.next_block());
        }
    }

    /// What has absorbed seed, name and tower.
    pub(super) fn sponge(&self) -> &Shake256 {
        &self.sponge
    }
}
