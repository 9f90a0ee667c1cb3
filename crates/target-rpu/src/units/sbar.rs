//! The shuffle crossbar (RPU, section IV-B2): two registers merged into one.
//!
//! Every beat reads a row of VS and one of VT and writes one row of VD `shuffle_latency` later.
//! Unpacking makes row b in beat b. Packing makes half a row of each half of VD from the rows of a
//! beat, so two beats fill two rows and even beats write the first half, odd ones the second: row
//! b/2 needs the rows of beat b + 1, hence a latency of at least 3.

use super::vrf::Rhythm;
use crate::config::Config;
use crate::isa::ShuffleOp;

/// The rhythm of the crossbar.
pub fn rhythm(config: &Config) -> Rhythm {
    Rhythm {
        beats: config.beats() as u64,
        interval: 1,
        latency: config.shuffle_latency,
    }
}

/// The row of the destination that a beat writes.
pub fn row(op: ShuffleOp, beat: usize, beats: usize) -> usize {
    match op {
        ShuffleOp::UnpackLow | ShuffleOp::UnpackHigh => beat,
        ShuffleOp::PackLow | ShuffleOp::PackHigh => beat / 2 + (beat % 2) * (beats / 2),
    }
}

/// Merges two vectors.
pub fn shuffle<W: Copy>(op: ShuffleOp, out: &mut [W], s: &[W], t: &[W]) {
    let half = out.len() / 2;
    match op {
        ShuffleOp::UnpackLow => interleave(out, &s[..half], &t[..half]),
        ShuffleOp::UnpackHigh => interleave(out, &s[half..], &t[half..]),
        ShuffleOp::PackLow => every_other(out, s, t, 0),
        ShuffleOp::PackHigh => every_other(out, s, t, 1),
    }
}

fn interleave<W: Copy>(out: &mut [W], s: &[W], t: &[W]) {
    for (pair, (s, t)) in out.chunks_exact_mut(2).zip(s.iter().zip(t)) {
        (pair[0], pair[1]) = (*s, *t);
    }
}

fn every_other<W: Copy>(out: &mut [W], s: &[W], t: &[W], parity: usize) {
    let sources = s.chunks_exact(2).chain(t.chunks_exact(2));
    for (word, pair) in out.iter_mut().zip(sources) {
        *word = pair[parity];
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const OPS: [ShuffleOp; 4] = [
        ShuffleOp::UnpackLow,
        ShuffleOp::UnpackHigh,
        ShuffleOp::PackLow,
        ShuffleOp::PackHigh,
    ];

    #[test]
    fn every_element_comes_from_where_the_instruction_set_says() {
        let length = 16;
        let s: Vec<usize> = (0..length).collect();
        let t: Vec<usize> = (0..length).map(|i| i + length).collect();
        for op in OPS {
            let mut out = vec![0; length];
            shuffle(op, &mut out, &s, &t);
            for (i, word) in out.iter().enumerate() {
                let (from_t, element) = op.source(i, length);
                assert_eq!(*word, element + if from_t { length } else { 0 }, "{op:?}");
            }
        }
    }

    #[test]
    fn every_row_is_written_once_and_not_before_its_words_are_read() {
        let (beats, lanes, latency) = (8, 4, 3);
        for op in OPS {
            let mut rows: Vec<usize> = (0..beats).map(|beat| row(op, beat, beats)).collect();
            for (beat, &row) in rows.iter().enumerate() {
                for lane in 0..lanes {
                    let (_, element) = op.source(row * lanes + lane, beats * lanes);
                    let read_in_beat = match op {
                        ShuffleOp::UnpackLow => 2 * (element / lanes),
                        ShuffleOp::UnpackHigh => 2 * (element / lanes - beats / 2),
                        ShuffleOp::PackLow | ShuffleOp::PackHigh => element / lanes,
                    };
                    assert!(read_in_beat + 1 < beat + latency, "{op:?} {beat}");
                }
            }
            rows.sort_unstable();
            assert!(rows.into_iter().eq(0..beats));
        }
    }
}
