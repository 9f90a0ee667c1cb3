//! What functions are called with.

use ringwright_ring::Seed;

/// What a function is called with.
pub struct Arguments<'a> {
    /// Parameter towers.
    pub towers: Vec<&'a [u64]>,
    /// Seed parameters.
    pub seeds: Vec<&'a Seed>,
}
