//! Samplers against their definition: known answers written by `data/samplers.py`, and a plain
//! reading of the stream for every degree.

use ringwright_arith::{Modulus, Word};
use ringwright_ring::sampler::{binomial21, flood, ternary, uniform, Xof};
use ringwright_ring::Seed;
use sha3::digest::{ExtendableOutput, Update, XofReader};
use std::fmt::Display;
use std::str::FromStr;

const SEED: [u8; 32] = {
    let mut bytes = [0; 32];
    let mut i = 0;
    while i < 32 {
        bytes[i] = i as u8;
        i += 1;
    }
    bytes
};

fn stream(name: &str, tower: u16) -> Xof {
    Xof::new(&Seed::from_bytes(SEED), name, tower).unwrap()
}

/// The same bytes, from another implementation.
fn bytes(name: &str, tower: u16, length: usize) -> Vec<u8> {
    let mut output = vec![0; length];
    sha3::Shake256::default()
        .chain(SEED)
        .chain([name.len() as u8])
        .chain(name)
        .chain(tower.to_le_bytes())
        .finalize_xof()
        .read(&mut output);
    output
}

/// Samples with the sampler that the first word names.
fn sample(title: &[&str], n: usize) -> Vec<String> {
    let xof = stream(title[1], title[2].parse().unwrap());
    match title[0] {
        "ternary" => filled(n, |out: &mut [i8]| ternary(xof, out)),
        "binomial21" => filled(n, |out: &mut [i8]| binomial21(xof, out)),
        "flood" => filled(n, |out: &mut [i64]| {
            flood(xof, title[3].parse().unwrap(), out).unwrap();
        }),
        _ => residues(xof, title[3].parse().unwrap(), n),
    }
}

/// Uniform residues in the narrowest word that holds q.
fn residues(xof: Xof, q: u128, n: usize) -> Vec<String> {
    fn in_word<W: Word>(xof: Xof, q: u128, n: usize) -> Vec<String> {
        let q = Modulus::new(W::from_u128(q)).unwrap();
        filled(n, |out: &mut [W]| uniform(xof, &q, out))
    }
    match q.bit_length() {
        0..=30 => in_word::<u32>(xof, q, n),
        31..=62 => in_word::<u64>(xof, q, n),
        _ => in_word::<u128>(xof, q, n),
    }
}

fn filled<T: Default + Copy + Display>(n: usize, fill: impl FnOnce(&mut [T])) -> Vec<String> {
    let mut out = vec![T::default(); n];
    fill(&mut out);
    out.iter().map(T::to_string).collect()
}

#[test]
fn known_answers() {
    let mut checked = 0;
    for line in include_str!("data/samplers.txt")
        .lines()
        .filter(|line| !line.starts_with('#'))
    {
        let (title, values) = line.split_once(": ").unwrap();
        let title: Vec<&str> = title.split(' ').collect();
        let values: Vec<&str> = values.split(' ').collect();
        assert_eq!(sample(&title, values.len()), values, "{title:?}");
        checked += 1;
    }
    assert!(checked > 0);
}

/// One q gives the same residues in every word that holds it.
#[test]
fn uniform_does_not_depend_on_the_word() {
    fn values<W: Word>(n: usize) -> Vec<u128> {
        let q = Modulus::new(W::from_u128((1 << 30) - 35)).unwrap();
        let mut out = vec![W::ZERO; n];
        uniform(stream("a", 0), &q, &mut out);
        out.iter().map(|word| word.to_u128()).collect()
    }
    assert_eq!(values::<u32>(1000), values::<u64>(1000));
    assert_eq!(values::<u64>(1000), values::<u128>(1000));
}

#[test]
fn ternary_is_plain_rejection_for_every_degree() {
    for log_n in 4..=17 {
        let (name, n) = (format!("ternary at {log_n}"), 1 << log_n);
        let mut out = vec![0; n];
        ternary(stream(&name, 0), &mut out);
        let accepted = bytes(&name, 0, 2 * n)
            .into_iter()
            .filter(|&byte| byte != 255);
        let expected: Vec<i8> = accepted.map(|byte| (byte % 3) as i8 - 1).take(n).collect();
        assert!(out == expected, "N = {n}");
    }
}

#[test]
fn any_number_of_samples_is_a_prefix_of_more() {
    let parse = |values: Vec<String>| -> Vec<i64> {
        values
            .iter()
            .map(|value| i64::from_str(value).unwrap())
            .collect()
    };
    for title in [
        ["ternary", "s", "0", ""],
        ["binomial21", "e", "0", ""],
        ["flood", "f", "0", "9"],
    ] {
        let most = parse(sample(&title, 300));
        for n in 0..300 {
            assert_eq!(parse(sample(&title, n)), most[..n]);
        }
    }
}

/// Name, length and tower are all absorbed, and no two of them can be mistaken for each other.
#[test]
fn streams_are_separate() {
    let first_block = |seed: u8, name: &str, tower| {
        *Xof::new(&Seed::from_bytes([seed; 32]), name, tower)
            .unwrap()
            .next_block()
    };
    let mut blocks = vec![
        first_block(0, "e", 0),
        first_block(1, "e", 0),
        first_block(0, "e", 1),
        first_block(0, "e", 256),
        first_block(0, "e\0", 0),
        first_block(0, "e\u{1}", 0),
        first_block(0, "", 0),
        first_block(0, "f", 0),
    ];
    let count = blocks.len();
    blocks.sort_unstable();
    blocks.dedup();
    assert_eq!(blocks.len(), count);
}

#[test]
fn long_names_are_refused() {
    let seed = Seed::from_bytes(SEED);
    assert!(Xof::new(&seed, &"n".repeat(255), 0).is_ok());
    let error = Xof::new(&seed, &"n".repeat(256), 0).err().unwrap();
    assert_eq!(error.length, 256);
    assert!(error.to_string().contains("at most 255"));
}

#[test]
fn wide_floods_are_refused() {
    let error = flood(stream("f", 0), 63, &mut [0; 4]).unwrap_err();
    assert_eq!(
        error.to_string(),
        "flooding noise of 63 bits: at most 62 are allowed"
    );
}
