//! What functions are called with.

use ringwright_ring::Seed;

/// What a function is called with.
pub struct Arguments<'a, W> {
    /// Parameter towers.
    pub towers: Vec<&'a [W]>,
    /// Seed parameters.
    pub seeds: Vec<&'a Seed>,
}
