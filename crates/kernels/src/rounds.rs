//! The rounds of Keccak-f\[1600\], written once over registers of one word of each of four states.
//!
//! `keccak` has the bounds, `arch` the registers. As everywhere, tokens make the methods safe.

/// States side by side.
pub const STATES: usize = 4;
/// 64-bit words of a state.
pub const STATE_WORDS: usize = 25;

/// Word by word, and of each word that of every state.
pub type States = [[u64; STATES]; STATE_WORDS];

/// A register of one word of each state.
pub trait Rounds: Copy {
    /// The register.
    type Reg: Copy;

    /// Reads a word of each state.
    fn load(self, words: &[u64; STATES]) -> Self::Reg;
    /// Writes a word of each state.
    fn store(self, reg: Self::Reg, words: &mut [u64; STATES]);
    /// The word in every lane.
    fn splat(self, word: u64) -> Self::Reg;
    /// x ^ y.
    fn xor(self, x: Self::Reg, y: Self::Reg) -> Self::Reg;
    /// x ^ (!y & z).
    fn chi(self, x: Self::Reg, y: Self::Reg, z: Self::Reg) -> Self::Reg;
    /// Words turned left by `LEFT` bits; `RIGHT` is 64 - `LEFT`.
    fn rotate<const LEFT: i32, const RIGHT: i32>(self, x: Self::Reg) -> Self::Reg;
    /// x ^ y ^ z; y ^ z is the same for several x.
    #[inline(always)]
    fn xor3(self, x: Self::Reg, y: Self::Reg, z: Self::Reg) -> Self::Reg {
        self.xor(x, self.xor(y, z))
    }
}

/// Permutes all states. Becomes part of an entry point that is compiled with the instruction set.
#[inline(always)]
pub fn permute<V: Rounds>(v: V, states: &mut States) {
    let mut a = [v.splat(0); STATE_WORDS];
    for (reg, words) in a.iter_mut().zip(states.iter()) {
        *reg = v.load(words);
    }
    for constant in ROUND_CONSTANTS {
        a = round(v, &a, v.splat(constant));
    }
    for (&reg, words) in a.iter().zip(states.iter_mut()) {
        v.store(reg, words);
    }
}

/// One round: theta, rho with pi, chi, iota; word (x, y) of the standard is `a[x + 5y]`.
#[inline(always)]
fn round<V: Rounds>(v: V, a: &[V::Reg; STATE_WORDS], constant: V::Reg) -> [V::Reg; STATE_WORDS] {
    let mut column = [a[0]; 5];
    for x in 0..5 {
        let upper = v.xor3(a[x], a[x + 5], a[x + 10]);
        column[x] = v.xor3(upper, a[x + 15], a[x + 20]);
    }
    let mut turned = column;
    for x in 0..5 {
        turned[x] = v.rotate::<1, 63>(column[(x + 1) % 5]);
    }
    let theta = |x: usize, y: usize| v.xor3(a[x + 5 * y], column[(x + 4) % 5], turned[x]);
    // Row by row of the result: word x of row y comes from word x' = x + 3y of row x (modulo 5).
    macro_rules! row {
        ($y:literal: $($x:literal $from:literal $left:literal),*) => {
            [$(v.rotate::<$left, { (64 - $left) % 64 }>(theta($from, $x))),*]
        };
    }
    let rows = [
        row!(0: 0 0 0, 1 1 44, 2 2 43, 3 3 21, 4 4 14),
        row!(1: 0 3 28, 1 4 20, 2 0 3, 3 1 45, 4 2 61),
        row!(2: 0 1 1, 1 2 6, 2 3 25, 3 4 8, 4 0 18),
        row!(3: 0 4 27, 1 0 36, 2 1 10, 3 2 15, 4 3 56),
        row!(4: 0 2 62, 1 3 55, 2 4 39, 3 0 41, 4 1 2),
    ];
    let mut next = *a;
    for (y, b) in rows.iter().enumerate() {
        for x in 0..5 {
            next[x + 5 * y] = v.chi(b[x], b[(x + 1) % 5], b[(x + 2) % 5]);
        }
    }
    next[0] = v.xor(next[0], constant);
    next
}

/// Of iota (FIPS 202, section 3.2.5).
const ROUND_CONSTANTS: [u64; 24] = round_constants();

/// The bits of a linear feedback shift register, x^8 + x^6 + x^5 + x^4 + 1, at 2^j - 1.
const fn round_constants() -> [u64; 24] {
    let mut constants = [0; 24];
    let mut register = 1u32;
    let mut round = 0;
    while round < constants.len() {
        let mut j = 0;
        while j < 7 {
            constants[round] |= ((register & 1) as u64) << ((1 << j) - 1);
            register <<= 1;
            if register & 0x100 != 0 {
                register ^= 0x171;
            }
            j += 1;
        }
        round += 1;
    }
    constants
}
