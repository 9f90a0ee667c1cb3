//! Where seeds come from: the operating system, unless someone says [`Insecure`].

use super::Error;
use crate::security::Insecure;
use ringwright_ring::Seed;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::Arc;
use zeroize::Zeroizing;

/// A source of fresh seeds.
pub(crate) enum SeedSource {
    /// A fresh one from the operating system each time.
    System,
    /// The caller's bytes, the last eight of them replaced by a counter.
    Fixed(Zeroizing<[u8; 32]>, AtomicU64),
}

impl SeedSource {
    pub(crate) fn fixed(seed: [u8; 32], _: Insecure) -> Self {
        SeedSource::Fixed(Zeroizing::new(seed), AtomicU64::new(0))
    }

    /// The next seed; never the same one twice.
    pub(crate) fn next(&self) -> Result<Arc<Seed>, Error> {
        self.draw().map(Arc::new)
    }

    /// The same, for who keeps it.
    pub(crate) fn draw(&self) -> Result<Seed, Error> {
        match self {
            SeedSource::System => system(),
            SeedSource::Fixed(base, counter) => {
                let mut bytes = **base;
                let count = counter.fetch_add(1, Ordering::Relaxed);
                for (byte, tick) in bytes[24..].iter_mut().zip(count.to_le_bytes()) {
                    *byte ^= tick;
                }
                Ok(Seed::from_bytes(bytes))
            }
        }
    }
}

/// A fresh seed from the operating system.
pub(crate) fn system() -> Result<Seed, Error> {
    Seed::from_os().map_err(|error| Error::Randomness {
        reason: error.to_string(),
    })
}
