//! The parameter sets that have a name.
//!
//! The sets of RACE and RISE use 30-bit primes (one 27-bit prime at N = 2^10, where the table
//! allows no more); three of them only encrypt and decrypt. Medha's two sets use 54-bit primes and
//! one 60-bit special prime. The deep set has 24 towers in digits of five, of 1,740 bits with its five
//! special primes: what the guidelines of 2024 allow at N = 2^16 is 1,747. The set for bootstrapping has
//! all of them, the one in half the ring 860 bits of 868.
//!
//! The default scale leaves headroom on the last tower that remains after the deepest program:
//! four bits for the small primes, so slot values below 8 in size survive (2^30 / 2^26 / 2),
//! fourteen for the 54-bit primes and ten for the 60-bit ones. The set for sharing results has four
//! with the longest primes there are, because the flood takes 40 bits and more of what a result
//! holds. A multiplication therefore does not use up a whole prime; the builder's `mul_rescale`
//! multiplies the product by the integer nearest q·Δ/(Δ_a·Δ_b) before it rescales, which keeps the
//! scale.

use super::literal::ParametersLiteral;
use crate::rlwe::RingKind;

struct Preset {
    name: &'static str,
    log_n: u32,
    /// So many primes of so many bits, the last dropped first.
    towers: &'static [(usize, u32)],
    /// The same of the special primes.
    special: &'static [(usize, u32)],
    /// [`ParametersLiteral::digit`].
    digit: usize,
    log_scale: u32,
}

/// Default scale of the sets with 30-bit primes.
const SMALL: u32 = 26;
/// The same headroom for the one 27-bit prime.
const SMALLEST: u32 = 23;
/// Default scale of the sets with 54-bit primes.
const LARGE: u32 = 40;
/// Default scale of the deep set with 60-bit primes: ten bits of headroom.
const DEEP: u32 = 50;
/// Default scale of the set whose results have room to be shared.
const SHARED: u32 = 57;

/// The first prime and twelve to compute with; those that bring coefficients back into slots, those of the sine
/// with its arcsine, those that bring them into slots.
const BOOT: &[(usize, u32)] = &[(1, 60), (12, 42), (3, 42), (10, 60), (4, 53)];
/// The same in half the ring: two to compute with, no arcsine, matrices of more diagonals.
const SHORT_BOOT: &[(usize, u32)] = &[(1, 44), (2, 36), (2, 36), (8, 52), (3, 50)];
/// One that the encapsulated key lives under beside the first prime; short ones, which transforms and
/// divisions are quicker with.
const BOOT_SPECIAL: &[(usize, u32)] = &[(1, 61), (4, 46)];

#[rustfmt::skip]
const PRESETS: [Preset; 12] = [
    Preset { name: "1024-27",     log_n: 10, towers: &[(1, 27)],   special: &[],        digit: 1, log_scale: SMALLEST },
    Preset { name: "2048-30",     log_n: 11, towers: &[(1, 30)],   special: &[],        digit: 1, log_scale: SMALL },
    Preset { name: "4096-3x30",   log_n: 12, towers: &[(3, 30)],   special: &[],        digit: 1, log_scale: SMALL },
    Preset { name: "4096-2x30",   log_n: 12, towers: &[(2, 30)],   special: &[(1, 30)], digit: 1, log_scale: SMALL },
    Preset { name: "8192-6x30",   log_n: 13, towers: &[(6, 30)],   special: &[(1, 30)], digit: 1, log_scale: SMALL },
    Preset { name: "16384-13x30", log_n: 14, towers: &[(13, 30)],  special: &[(1, 30)], digit: 1, log_scale: SMALL },
    Preset { name: "16384-7x54",  log_n: 14, towers: &[(7, 54)],   special: &[(1, 60)], digit: 1, log_scale: LARGE },
    Preset { name: "16384-6x61",  log_n: 14, towers: &[(6, 61)],   special: &[(1, 61)], digit: 1, log_scale: SHARED },
    Preset { name: "32768-9x54",  log_n: 15, towers: &[(9, 54)],   special: &[(1, 60)], digit: 1, log_scale: LARGE },
    Preset { name: "32768-boot", log_n: 15, towers: SHORT_BOOT, special: &[(2, 53)], digit: 2, log_scale: 36 },
    Preset { name: "65536-24x60", log_n: 16, towers: &[(24, 60)],  special: &[(5, 60)], digit: 5, log_scale: DEEP },
    Preset { name: "65536-boot", log_n: 16, towers: BOOT, special: BOOT_SPECIAL, digit: 0, log_scale: 42 },
];

/// Every name, smallest ring first.
pub(super) fn names() -> Vec<&'static str> {
    PRESETS.iter().map(|preset| preset.name).collect()
}

/// The literal behind a name.
pub(super) fn literal(name: &str) -> Option<ParametersLiteral> {
    PRESETS
        .iter()
        .find(|preset| preset.name == name)
        .map(Preset::literal)
}

/// The smallest preset whose primes have `tower_bits` bits and which carries `depth`.
pub(super) fn smallest_with(tower_bits: u32, depth: usize) -> Option<&'static str> {
    PRESETS
        .iter()
        .find(|preset| {
            let alike =
                matches!(preset.towers, [(towers, bits)] if *bits == tower_bits && *towers > depth);
            alike && !preset.special.is_empty()
        })
        .map(|preset| preset.name)
}

/// The presets that can evaluate programs.
pub(super) fn with_special_primes() -> Vec<&'static str> {
    PRESETS
        .iter()
        .filter(|preset| !preset.special.is_empty())
        .map(|preset| preset.name)
        .collect()
}

fn bits_of(primes: &[(usize, u32)]) -> Vec<u32> {
    let of = |&(count, bits)| std::iter::repeat_n(bits, count);
    primes.iter().flat_map(of).collect()
}

impl Preset {
    fn literal(&self) -> ParametersLiteral {
        ParametersLiteral {
            name: self.name.to_string(),
            kind: RingKind::Standard,
            log_n: self.log_n,
            q_bits: bits_of(self.towers),
            p_bits: bits_of(self.special),
            digit: self.digit,
            log_scale: self.log_scale,
            insecure: false,
        }
    }
}
