//! SHAKE-256 against published answers and an independent implementation.

use proptest::prelude::*;
use ringwright_kernels::{Isa, Keccak, STATES};
use ringwright_ring::shake::{Shake256, Sponges, BLOCK_BYTES, BLOCK_WORDS};
use sha3::digest::{ExtendableOutput, Update, XofReader};

fn squeeze(parts: &[&[u8]], length: usize) -> Vec<u8> {
    let mut sponge = Shake256::new(parts);
    let mut output = Vec::new();
    while output.len() < length {
        output.extend(
            sponge
                .next_block()
                .iter()
                .flat_map(|word| word.to_le_bytes()),
        );
    }
    output.truncate(length);
    output
}

fn bytes_of(hexadecimal: &str) -> Vec<u8> {
    let digits = hexadecimal.trim_start_matches('-');
    let byte = |i| u8::from_str_radix(&digits[i..i + 2], 16).unwrap();
    (0..digits.len()).step_by(2).map(byte).collect()
}

#[test]
fn published_answers() {
    let lines = include_str!("data/shake256.txt").lines();
    let answers: Vec<_> = lines.filter(|line| !line.starts_with('#')).collect();
    assert!(!answers.is_empty());
    for line in answers {
        let (message, output) = line.split_once(' ').unwrap();
        let expected = bytes_of(output);
        assert_eq!(
            squeeze(&[&bytes_of(message)], expected.len()),
            expected,
            "{message}"
        );
    }
}

proptest! {
    #[test]
    fn agrees_with_another_implementation(
        message in prop::collection::vec(any::<u8>(), 0..3 * BLOCK_BYTES),
        cut in any::<prop::sample::Index>(),
        length in 0..5 * BLOCK_BYTES,
    ) {
        let mut expected = vec![0; length];
        sha3::Shake256::default().chain(&message).finalize_xof().read(&mut expected);
        let (first, second) = message.split_at(cut.index(message.len() + 1));
        prop_assert_eq!(squeeze(&[first, second], length), expected);
    }
}

/// Padding at its corners: the message ends just before, at and after the end of a block.
#[test]
fn every_length_around_a_block_is_padded_right() {
    for length in BLOCK_BYTES - 2..=BLOCK_BYTES + 2 {
        let message = vec![0x5a; length];
        let mut expected = [0; 32];
        sha3::Shake256::default()
            .chain(&message)
            .finalize_xof()
            .read(&mut expected);
        assert_eq!(squeeze(&[&message], 32), expected, "{length} bytes");
    }
}

/// Each of several sponges gives the blocks that it gives alone, on every instruction set.
#[test]
fn sponges_side_by_side_are_sponges() {
    let alone = |which: usize| Shake256::new(&[&[which as u8; 3]]);
    for isa in Isa::available() {
        for count in 1..=STATES {
            let mut single: Vec<_> = (0..count).map(alone).collect();
            let mut together = Sponges::new(Keccak::with_isa(isa).unwrap(), &single);
            for _ in 0..5 {
                together.permute(count);
                for (which, sponge) in single.iter_mut().enumerate() {
                    let mut block = [0; BLOCK_WORDS];
                    together.copy_block(which, &mut block);
                    assert_eq!(block, *sponge.next_block(), "{isa}");
                }
            }
        }
    }
}
