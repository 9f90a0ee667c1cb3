//! Where a constant of a program stands.

/// How a constant is encoded.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Place {
    /// Under so many ciphertext primes.
    pub level: u16,
    /// Under the special primes too.
    pub extended: bool,
    /// The bits of the scale.
    scale: u64,
}

impl Place {
    /// With a positive scale, under the ciphertext primes of a level alone.
    pub fn new(level: u16, scale: f64) -> Self {
        let (extended, scale) = (false, scale.to_bits());
        Self {
            level,
            extended,
            scale,
        }
    }

    /// The same under the special primes too.
    pub fn extended(self) -> Self {
        Self {
            extended: true,
            ..self
        }
    }

    /// The factor that slots are encoded with.
    pub fn scale(self) -> f64 {
        f64::from_bits(self.scale)
    }
}
