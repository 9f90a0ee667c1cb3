//! Where a slot of SEAL's is among ours.
//!
//! Both evaluate the message at the primitive 2N-th roots ζ^e, one of each conjugate pair. We take
//! e = 5^i, SEAL takes e = 3^j. The powers of 5 are all e ≡ 1 modulo 4, so one of 3^j and −3^j is a
//! power of 5: SEAL's slot j is our slot i, or its conjugate. No automorphism brings one order into
//! the other, so the permutation is part of encoding and decoding, not of a program.
//!
//! A rotation by k steps of SEAL's is the automorphism by [`galois_of_rotation`], whoever runs it: for
//! even k a rotation of ours by slot k's index, for odd k one that conjugates as well.

use ringwright_schemes::ckks::Parameters;

/// SEAL's generator of the slots.
const GENERATOR: u64 = 3;

/// One slot of SEAL's.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Slot {
    /// Ours.
    pub index: usize,
    /// Whether ours holds the conjugate.
    pub conjugated: bool,
}

/// Ours of every slot of SEAL's, in SEAL's order. `slots`: how many there are, a power of two.
pub fn slots(slots: usize) -> Vec<Slot> {
    let two_n = 4 * slots as u64;
    let mut index_of = vec![0; 2 * slots];
    let mut power = 1;
    for index in 0..slots {
        index_of[(power / 2) as usize] = index;
        power = power * 5 % two_n;
    }
    let exponents = std::iter::successors(Some(1), |power| Some(power * GENERATOR % two_n));
    let slot = |exponent: u64| match exponent % 4 {
        1 => Slot {
            index: index_of[(exponent / 2) as usize],
            conjugated: false,
        },
        _ => Slot {
            index: index_of[((two_n - exponent) / 2) as usize],
            conjugated: true,
        },
    };
    exponents.take(slots).map(slot).collect()
}

/// The Galois element of SEAL's rotation by `steps` to the left (negative: right): 3^steps mod 2N.
pub fn galois_of_rotation(parameters: &Parameters, steps: i64) -> u64 {
    let two_n = 2 * parameters.n() as u64;
    // 3 has order N/2 modulo 2N.
    let steps = steps.rem_euclid(parameters.slots() as i64);
    (0..steps).fold(1, |power, _| power * GENERATOR % two_n)
}
