//! What several automorphisms of one ciphertext do with its digits; the words are the same.

use crate::ckks::Parameters;
use ringwright_target::Device;

/// Whether digits are shared.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Hoisting {
    /// They are raised once and kept: less to compute.
    Shared,
    /// Every automorphism raises those of what it has moved: less to move.
    Anew,
}

impl Hoisting {
    /// What takes less on a device, by what it could do at most: to raise a tower of a digit takes a
    /// transform, and a product for each prime of the digit; to keep it, a read for the automorphism, a
    /// write and a read of its image. A real machine keeps it: what is read soon is in its caches.
    pub fn on(device: &dyn Device, parameters: &Parameters) -> Self {
        let (Some(roofs), Some(words)) = (device.roofs(), device.word_bytes()) else {
            return Self::Shared;
        };
        let bits = parameters.q().iter().max().map_or(0, |q| q.ilog2() + 1);
        let levels = parameters.levels();
        let digit = levels as f64 / parameters.digits(levels) as f64;
        let products = f64::from(parameters.log_n()) / 2.0 + digit;
        let bytes = 3.0 * words.below(bits) as f64;
        match products / roofs.products_per_second < bytes / roofs.bytes_per_second {
            true => Self::Anew,
            false => Self::Shared,
        }
    }
}
