//! Sums of products on every body against one product and one sum at a time.

use crate::support::{on_every_isa, prime, stored, words};
use ringwright_arith::{Modulus, Word};
use ringwright_kernels::{Factors, InnerProduct, Isa, Permutation, Pointwise, Start, SumWord};

/// Not a multiple of any register.
const LENGTH: usize = 77;
/// More than any body sums at once.
const MOST: usize = 33;
const WIDTHS: [u32; 13] = [13, 20, 29, 30, 31, 32, 45, 50, 53, 54, 60, 61, 62];

/// The moduli of those widths with the most and the least to spare, and the smallest of all.
fn moduli() -> Vec<u64> {
    let odd = |bits: u32| [(1 << (bits - 1)) + 1, (1 << bits) - 1];
    let edges = WIDTHS.into_iter().flat_map(odd);
    let primes = WIDTHS.into_iter().map(|bits| prime::<u64>(bits, 4));
    edges.chain(primes).chain([3, 5, 7]).collect()
}

/// Two operands of one product.
type Pair<'a, W> = (&'a [W], &'a [W]);

fn expected<W: Word>(q: u64, start: &[W], pairs: &[Pair<W>]) -> Vec<W> {
    let q = Modulus::new(q).unwrap();
    let wide = |word: W| word.low_u64();
    let sum = |i: usize| {
        let products = pairs.iter().map(|(x, y)| q.mul(wide(x[i]), wide(y[i])));
        let sum = products.fold(wide(start[i]), |sum, product| q.add(sum, product));
        W::from_u128(sum.into())
    };
    (0..start.len()).map(sum).collect()
}

/// In words of 64 bits and, where the modulus fits, of 32.
fn check(kernel: &InnerProduct, q: u64, start: &[u64], operands: &[Vec<u64>], name: &str) {
    check_words(kernel, q, start, operands, name);
    if u32::try_from(q).is_ok() {
        let operands: Vec<Vec<u32>> = operands.iter().map(|words| stored(words)).collect();
        let name = format!("{name}, words of 32 bits");
        check_words::<u32>(kernel, q, &stored(start), &operands, &name);
    }
}

fn check_words<W: Word + SumWord>(
    kernel: &InnerProduct,
    q: u64,
    start: &[W],
    operands: &[Vec<W>],
    name: &str,
) {
    let pairs: Vec<Pair<W>> = operands
        .chunks_exact(2)
        .map(|pair| (&pair[0][..], &pair[1][..]))
        .collect();
    // The second of two sums has the second operands in the opposite order.
    let twins = swapped(&pairs);
    let (zeros, garbage) = (
        vec![W::ZERO; start.len()],
        vec![<W as Word>::MAX; start.len()],
    );
    // Where sums find what they begin with, what that is, and what lies where they go.
    let begun = [
        ("zero", Start::Zero, Start::Zero, &zeros[..], &garbage[..]),
        ("there", Start::Out, Start::Out, start, start),
        (
            "elsewhere",
            Start::Words([start]),
            Start::Words([start; 2]),
            start,
            &garbage,
        ),
    ];
    for (place, for_one, for_two, start, filled) in begun {
        let name = format!("{name}, begun: {place}");
        let sums = [expected(q, start, &pairs), expected(q, start, &twins)];
        let mut alone = filled.to_vec();
        kernel.sums([&mut alone], &one(&pairs), for_one);
        assert_eq!(alone, sums[0], "{name}");
        let [mut first, mut second] = [filled.to_vec(), filled.to_vec()];
        kernel.sums([&mut first, &mut second], &two(&pairs, &twins), for_two);
        assert_eq!([first, second], sums, "{name}, two sums");
    }
}

/// The second operands in the opposite order.
fn swapped<'a, W>(pairs: &[Pair<'a, W>]) -> Vec<Pair<'a, W>> {
    let seconds = pairs.iter().rev();
    let both = pairs.iter().zip(seconds);
    both.map(|(&(x, _), &(_, y))| (x, y)).collect()
}

fn one<'a, W>(pairs: &[Pair<'a, W>]) -> Vec<Factors<'a, 1, W>> {
    pairs.iter().map(|&(x, y)| (x, [y])).collect()
}

fn two<'a, W>(first: &[Pair<'a, W>], second: &[Pair<'a, W>]) -> Vec<Factors<'a, 2, W>> {
    let both = first.iter().zip(second);
    both.map(|(&(x, y), &(_, z))| (x, [y, z])).collect()
}

#[test]
fn sums_of_largest_and_of_arbitrary_words() {
    on_every_isa(|isa| {
        for q in moduli() {
            let kernel = InnerProduct::with_isa(q, isa).unwrap();
            assert!(kernel.isa() <= isa && kernel.most_products() >= 1);
            let most = kernel.most_products();
            for count in [0, 1, most - 1, most, most + 1, 2 * most, 2 * most + 1, MOST] {
                let name = format!("{isa}, q = {q}, {count} products");
                let largest = vec![q - 1; LENGTH];
                check(
                    &kernel,
                    q,
                    &largest,
                    &vec![largest.clone(); 2 * count],
                    &name,
                );
                let operand = |seed: usize| words(q, LENGTH, seed as u64);
                let operands: Vec<Vec<u64>> = (0..2 * count).map(operand).collect();
                check(&kernel, q, &operand(MOST * 2), &operands, &name);
            }
        }
    });
}

/// Words that are all ones below, above, or at both ends of the cut into halves.
#[test]
fn sums_of_words_at_the_edges_of_halves() {
    on_every_isa(|isa| {
        for q in moduli() {
            let kernel = InnerProduct::with_isa(q, isa).unwrap();
            let half = (u64::BITS - q.leading_zeros()).div_ceil(2);
            let ones = (1u64 << half) - 1;
            let edges = [
                ones,
                !ones & (q >> 1),
                (q - 1) & !ones,
                1 << half,
                0,
                1,
                q / 2,
            ];
            let operand = |shift: usize| -> Vec<u64> {
                let edge = |i: usize| edges[(i * (shift + 1) + shift) % edges.len()];
                (0..LENGTH).map(|i| edge(i).min(q - 1)).collect()
            };
            let count = kernel.most_products();
            let operands: Vec<Vec<u64>> = (0..2 * count).map(operand).collect();
            let name = format!("{isa}, q = {q}");
            check(&kernel, q, &operand(1), &operands, &name);
        }
    });
}

/// Blocks in another order, and their words too.
fn permutation(n: usize) -> Permutation {
    let position = |i: usize| {
        let (block, word) = (i / 8, i % 8);
        let block = (block * 5 + 3) % (n / 8);
        (block * 8 + (word ^ (block % 8))) as u32
    };
    Permutation::new((0..n).map(position).collect()).unwrap()
}

#[test]
fn permuted_operands_are_read_where_they_are() {
    on_every_isa(|isa| {
        for q in moduli() {
            check_permuted::<u64>(q, isa);
            if u32::try_from(q).is_ok() {
                check_permuted::<u32>(q, isa);
            }
        }
    });
}

fn check_permuted<W: Word + SumWord>(q: u64, isa: Isa) {
    const N: usize = 128;
    let name = format!("{isa}, q = {q}, words of {} bits", W::BITS);
    let words = |seed: usize| stored::<W>(&words(q, N, seed as u64));
    let permutation = permutation(N);
    let moved = |words: &Vec<W>| -> Vec<W> {
        let positions = permutation.positions().iter();
        positions.map(|&p| words[p as usize]).collect()
    };
    let kernel = InnerProduct::with_isa(q, isa).unwrap();
    let operands: Vec<Vec<W>> = (0..2 * MOST).map(words).collect();
    let (left, right) = operands.split_at(MOST);
    let places: Vec<Vec<W>> = left.iter().map(moved).collect();
    let mut alone = vec![<W as Word>::MAX; N];
    kernel.permute(&mut alone, &left[0], &permutation);
    assert_eq!(alone, places[0], "{name}");
    let start = words(99);
    for range in [0..N, 16..48, N - 16..N, 32..32] {
        let part = |words: &'_ [W]| words[range.clone()].to_vec();
        let right: Vec<Vec<W>> = right.iter().map(|words| part(words)).collect();
        let pairs: Vec<Pair<W>> = left
            .iter()
            .map(|x| &x[..])
            .zip(right.iter().map(|y| &y[..]))
            .collect();
        let places: Vec<Vec<W>> = places.iter().map(|words| part(words)).collect();
        let plain: Vec<Pair<W>> = places
            .iter()
            .zip(&right)
            .map(|(x, y)| (&x[..], &y[..]))
            .collect();
        let sum = expected(q, &part(&start), &plain);
        let mut out = part(&start);
        let alone = one(&pairs);
        kernel.permuted_sums([&mut out], &alone, &permutation, range.clone(), Start::Out);
        assert_eq!(out, sum, "{name}");
        let twins: Vec<Pair<W>> = swapped(&pairs);
        let moved: Vec<Pair<W>> = swapped(&plain);
        let twin = expected(q, &part(&start), &moved);
        let (both, mut other) = (two(&pairs, &twins), part(&start));
        out = part(&start);
        let outs = [&mut out[..], &mut other[..]];
        kernel.permuted_sums(outs, &both, &permutation, range.clone(), Start::Out);
        assert_eq!([&out, &other], [&sum, &twin], "{name}, two sums");
        let (begun, outs) = (part(&start), [&mut out[..], &mut other[..]]);
        let begun = Start::Words([&begun[..]; 2]);
        kernel.permuted_sums(outs, &both, &permutation, range, begun);
        assert_eq!([out, other], [sum, twin], "{name}, begun elsewhere");
    }
}

/// The chain that a sum replaces gives the same words.
#[test]
fn sums_are_chains_of_products() {
    let q = prime::<u64>(54, 4);
    let (a, b, c) = (
        words(q, LENGTH, 1),
        words(q, LENGTH, 2),
        words(q, LENGTH, 3),
    );
    let mut chain = c.clone();
    let pointwise = Pointwise::with_isa(q, Isa::Scalar).unwrap();
    pointwise.mul_add_in_place(&mut chain, &a, &b);
    pointwise.mul_add_in_place(&mut chain, &b, &b);
    on_every_isa(|isa| {
        let mut out = c.clone();
        InnerProduct::with_isa(q, isa).unwrap().sums(
            [&mut out],
            &[(&a, [&b]), (&b, [&b])],
            Start::Out,
        );
        assert_eq!(out, chain, "{isa}");
    });
}

#[test]
#[should_panic(expected = "slices of different lengths")]
fn operands_must_have_one_length() {
    let kernel = InnerProduct::with_isa(prime(30, 4), Isa::Scalar).unwrap();
    kernel.sums([&mut [0_u64; 4]], &[(&[0; 4], [&[0; 5]])], Start::Zero);
}

#[test]
#[should_panic(expected = "a cut register")]
fn ranges_must_not_cut_registers() {
    let kernel = InnerProduct::with_isa(prime(30, 4), Isa::Scalar).unwrap();
    kernel.permuted_sums(
        [&mut [0_u64; 8]],
        &[],
        &permutation(128),
        8..16,
        Start::Zero,
    );
}

#[test]
#[should_panic(expected = "a modulus of 54 bits")]
fn a_modulus_must_fit_a_word() {
    let kernel = InnerProduct::with_isa(prime(54, 4), Isa::Scalar).unwrap();
    kernel.sums([&mut [0_u32; 4]], &[], Start::Zero);
}
