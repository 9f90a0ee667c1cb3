//! Coins for the sides of a handshake.

/// SplitMix64, thrown with a chance.
pub struct Stalls {
    state: u64,
    /// Of 256 throws, so many stall.
    chance: u64,
}

impl Stalls {
    pub fn new(seed: u64, chance: u64) -> Self {
        Stalls {
            state: seed,
            chance,
        }
    }

    pub fn never() -> Self {
        Stalls::new(0, 0)
    }

    pub fn stall(&mut self) -> bool {
        if self.chance == 0 {
            return false;
        }
        self.state = self.state.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let z = (self.state ^ (self.state >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        let z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        (z ^ (z >> 31)) & 0xff < self.chance
    }
}
