//! Coins for the sides of a handshake.

use ringwright_arith::Choices;

/// Coins, thrown with a chance.
pub struct Stalls {
    choices: Choices,
    /// Of 256 throws, so many stall.
    chance: u64,
}

impl Stalls {
    pub fn new(seed: u64, chance: u64) -> Self {
        Stalls {
            choices: Choices::new(seed),
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
        self.choices.word() & 0xff < self.chance
    }
}
