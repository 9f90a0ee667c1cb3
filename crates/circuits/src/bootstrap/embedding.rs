//! Coefficients into slots and back, as products of few-diagonal matrices.
//!
//! The slots of m(X) are z = U w, where slot k of w is m_k + i·m_(k + N/2) and U has the powers of the
//! roots: row j those of exp(2πi·5^j/2N). U is log2(N/2) levels of butterflies behind a bit reversal
//! (Cheon, Han, Kim, Kim, Song, "Bootstrapping for Approximate Homomorphic Encryption", EUROCRYPT 2018;
//! the levels joined in groups: Chen, Chillotti, Song, "Improved Bootstrapping for Approximate Homomorphic
//! Encryption", EUROCRYPT 2019, section 3). The reversal is left out of both directions: what stands between
//! them acts on every slot alike.
//!
//! **Repeated slots.** A vector that repeats after a period is the polynomial of a smaller ring, with as
//! many slots as the period has, and U is that ring's. Its real and imaginary coefficients fit beside each
//! other: the last matrix towards them has -i times its rows below itself, so that twice the real part of
//! what it makes is both. On the way back the first matrix has the second half's columns times i; the halves
//! are added up behind the last.

use crate::linear_transform::rotations::Rotations;
use ringwright_ir::he::Values;
use std::collections::BTreeMap;
use std::f64::consts::PI;

/// A complex number.
type Complex = [f64; 2];
/// What every rotation to the left is multiplied with.
type Factors = BTreeMap<usize, Vec<Complex>>;

/// Which way a matrix goes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Direction {
    /// From slots to coefficients, which are then in slots.
    ToCoefficients,
    /// Back.
    ToSlots,
}

/// How vectors stand in the slots.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Slots {
    /// After how many they repeat.
    pub period: usize,
    /// Whether real and imaginary coefficients stand beside each other, in twice as many.
    pub beside: bool,
}

/// The matrices of one direction, the first to be applied first, `constant` times the whole: `groups` of
/// them with as many levels each as divide evenly, the first ones one more.
pub(super) fn matrices(
    Slots { period, beside }: Slots,
    direction: Direction,
    groups: usize,
    constant: f64,
) -> Vec<Rotations> {
    let levels = period.ilog2() as usize;
    // Halves that differ must not meet.
    let slots = match direction {
        Direction::ToSlots if beside => 2 * period,
        _ => period,
    };
    let lengths = (1..=levels).map(|level| 1usize << level);
    let lengths: Vec<usize> = match direction {
        Direction::ToSlots => lengths.collect(),
        Direction::ToCoefficients => lengths.rev().collect(),
    };
    let (each, more) = (levels / groups, levels % groups);
    let share = constant.powf(1.0 / groups as f64);
    let mut begin = 0;
    let group = |group: usize| {
        let end = begin + each + usize::from(group < more);
        let stages = lengths[begin..end].iter();
        begin = end;
        let stages = stages.map(|&length| butterflies(slots, length, direction));
        let whole = stages.reduce(|before, after| product(&after, &before, slots));
        let mut whole = whole.unwrap_or_default();
        for number in whole.values_mut().flatten().flatten() {
            *number *= share;
        }
        let at_coefficients = match direction {
            Direction::ToCoefficients => group + 1 == groups,
            Direction::ToSlots => group == 0,
        };
        if beside && at_coefficients {
            put_beside(&mut whole, period, direction);
        }
        let length = whole.values().next().map_or(slots, Vec::len);
        let whole = whole.into_iter();
        let whole = whole.map(|(rotation, all)| (rotation, Values::Complex(all)));
        Rotations::new(whole.collect(), length)
    };
    (0..groups).map(group).collect()
}

/// What a matrix beside the coefficients is if their imaginary parts are in the second half.
fn put_beside(factors: &mut Factors, period: usize, direction: Direction) {
    for (&rotation, all) in factors {
        match direction {
            Direction::ToCoefficients => {
                let below: Vec<Complex> = all.iter().map(|&[re, im]| [im, -re]).collect();
                all.extend(below);
            }
            Direction::ToSlots => {
                for (row, number) in all.iter_mut().enumerate() {
                    if (row + rotation) / period % 2 == 1 {
                        *number = [-number[1], number[0]];
                    }
                }
            }
        }
    }
}

/// One level of butterflies over blocks of `length` slots.
fn butterflies(slots: usize, length: usize, direction: Direction) -> Factors {
    let half = length / 2;
    let mut factors = Factors::new();
    let mut set = |rotation: usize, slot: usize, value: Complex| {
        let all = factors.entry(rotation % slots);
        let all = all.or_insert_with(|| vec![[0.0; 2]; slots]);
        // Rotations by half of all slots are one, whatever their sign.
        all[slot][0] += value[0];
        all[slot][1] += value[1];
    };
    let mut power = 1;
    for j in 0..half {
        let (sin, cos) = (2.0 * PI * power as f64 / (4 * length) as f64).sin_cos();
        for block in (0..slots).step_by(length) {
            let (low, high) = (block + j, block + j + half);
            match direction {
                Direction::ToSlots => {
                    set(0, low, [1.0, 0.0]);
                    set(half, low, [cos, sin]);
                    set(slots - half, high, [1.0, 0.0]);
                    set(0, high, [-cos, -sin]);
                }
                Direction::ToCoefficients => {
                    set(0, low, [0.5, 0.0]);
                    set(half, low, [0.5, 0.0]);
                    set(slots - half, high, [cos / 2.0, -sin / 2.0]);
                    set(0, high, [-cos / 2.0, sin / 2.0]);
                }
            }
        }
        power = 5 * power % (4 * length);
    }
    factors
}

/// `after` times `before`.
fn product(after: &Factors, before: &Factors, slots: usize) -> Factors {
    let mut whole = Factors::new();
    for (&turn, left) in after {
        for (&more, right) in before {
            let sum = whole.entry((turn + more) % slots);
            let sum = sum.or_insert_with(|| vec![[0.0; 2]; slots]);
            for (slot, ([re, im], [a, b])) in sum.iter_mut().zip(left).enumerate() {
                let [c, d] = right[(slot + turn) % slots];
                *re += a * c - b * d;
                *im += a * d + b * c;
            }
        }
    }
    whole
}

#[cfg(test)]
mod tests {
    use super::*;
    use ringwright_arith::Choices;

    fn applied(matrix: &Rotations, x: &[Complex]) -> Vec<Complex> {
        let mut sum = vec![[0.0; 2]; x.len()];
        for (rotation, factors) in &matrix.factors {
            let Values::Complex(factors) = factors else {
                panic!("complex factors")
            };
            let factors = factors.iter().cycle();
            for (slot, ([re, im], [a, b])) in sum.iter_mut().zip(factors).enumerate() {
                let [c, d] = x[(slot + rotation) % x.len()];
                *re += a * c - b * d;
                *im += a * d + b * c;
            }
        }
        sum
    }

    /// All slots, or those of a period, with parts of their own.
    fn whole(period: usize) -> Slots {
        Slots {
            period,
            beside: false,
        }
    }

    fn drawn(slots: usize) -> Vec<Complex> {
        let mut choices = Choices::new(7);
        let mut number = || choices.word() as f64 / 2f64.powi(63) - 1.0;
        (0..slots).map(|_| [number(), number()]).collect()
    }

    fn apart(a: &[Complex], b: &[Complex]) -> f64 {
        let off = a
            .iter()
            .zip(b)
            .map(|(a, b)| (a[0] - b[0]).hypot(a[1] - b[1]));
        off.fold(0.0, f64::max)
    }

    /// Against the definition: slot j is the sum of w_k times the k-th power of its root.
    #[test]
    fn coefficients_become_the_slots_of_their_polynomial() {
        for slots in [2, 8, 64] {
            let w = drawn(slots);
            let mut root = 1;
            let mut expected = Vec::new();
            for _ in 0..slots {
                let turn =
                    |k: usize| 2.0 * PI * (k * root % (4 * slots)) as f64 / (4 * slots) as f64;
                let terms = w.iter().enumerate().map(|(k, [re, im])| {
                    let (sin, cos) = turn(k).sin_cos();
                    [re * cos - im * sin, re * sin + im * cos]
                });
                expected
                    .push(terms.fold([0.0; 2], |sum, term| [sum[0] + term[0], sum[1] + term[1]]));
                root = 5 * root % (4 * slots);
            }
            let bits = slots.ilog2();
            let reversed = |k: usize| k.reverse_bits() >> (usize::BITS - bits);
            let begin: Vec<Complex> = (0..slots).map(|k| w[reversed(k)]).collect();
            let whole = whole(slots);
            for groups in 1..=bits as usize {
                let matrices = matrices(whole, Direction::ToSlots, groups, 1.0);
                let slots = matrices
                    .iter()
                    .fold(begin.clone(), |x, matrix| applied(matrix, &x));
                assert!(apart(&slots, &expected) < 1e-12);
                let back = super::matrices(whole, Direction::ToCoefficients, groups, 0.25);
                let back = back.iter().fold(slots, |x, matrix| applied(matrix, &x));
                let quarter: Vec<Complex> = begin.iter().map(|w| w.map(|v| v / 4.0)).collect();
                assert!(apart(&back, &quarter) < 1e-12);
            }
        }
    }

    /// Twice the real part of what comes of a vector that repeats is what its halves are made of, and
    /// makes them again.
    #[test]
    fn halves_stand_beside_each_other() {
        let period = 16;
        let beside = Slots {
            period,
            beside: true,
        };
        let whole = whole(period);
        let x = drawn(period);
        let twice = [x.clone(), x].concat();
        for groups in 1..=4 {
            let apply = |slots, direction, x: Vec<Complex>| {
                let all = matrices(slots, direction, groups, 1.0);
                all.iter().fold(x, |x, matrix| applied(matrix, &x))
            };
            let coefficients = apply(whole, Direction::ToCoefficients, twice.clone());
            let halves = apply(beside, Direction::ToCoefficients, twice.clone());
            let real: Vec<Complex> = halves.iter().map(|w| [w[0], 0.0]).collect();
            for (slot, [re, im]) in coefficients[..period].iter().enumerate() {
                assert!((real[slot][0] - re).abs() < 1e-12);
                assert!((real[slot + period][0] - im).abs() < 1e-12);
            }
            let back = apply(beside, Direction::ToSlots, real);
            let sum = (0..2 * period).map(|slot| {
                let other = back[(slot + period) % (2 * period)];
                [back[slot][0] + other[0], back[slot][1] + other[1]]
            });
            assert!(apart(&sum.collect::<Vec<_>>(), &twice) < 1e-12);
        }
    }

    #[test]
    fn levels_in_a_group_share_their_diagonals() {
        let diagonals = |groups| -> Vec<usize> {
            let whole = whole(64);
            let all = matrices(whole, Direction::ToSlots, groups, 1.0);
            all.iter().map(|matrix| matrix.factors.len()).collect()
        };
        assert_eq!(diagonals(6), [3, 3, 3, 3, 3, 2]);
        assert_eq!(diagonals(3), [7, 7, 4]);
        assert_eq!(diagonals(1), [64]);
    }

    #[test]
    fn norms_are_of_rows() {
        let whole = whole(8);
        let [matrix] = &matrices(whole, Direction::ToCoefficients, 1, 1.0)[..] else {
            panic!("one group")
        };
        // Every entry has the size 1/8.
        assert!((matrix.norm - 1.0).abs() < 1e-12);
        assert!((matrix.euclidean - 8f64.sqrt().recip()).abs() < 1e-12);
    }
}
