//! CRC-64/XZ: the polynomial of ECMA-182, reflected, ones in and out.
//!
//! Two bodies. [`update`] takes eight bytes a step through tables (Kounavis, Berry, "A systematic
//! approach to building high performance software-based CRC generators", ISCC 2005); which table
//! lines it touches depends on the data, so it is for public bytes. [`update_constant_time`] goes bit
//! by bit without a table or a branch; it is for secret keys.

/// ECMA-182, bit-reversed.
const POLYNOMIAL: u64 = 0xC96C_5795_D787_0F42;
/// State before the first byte.
pub(super) const INITIAL: u64 = u64::MAX;

/// The checksum of everything that went into `state`.
pub(super) fn finish(state: u64) -> u64 {
    !state
}

/// Continues over public bytes.
pub(super) fn update(mut state: u64, bytes: &[u8]) -> u64 {
    let (blocks, rest) = bytes.as_chunks::<8>();
    for block in blocks {
        let word = state ^ u64::from_le_bytes(*block);
        state = (0..8).fold(0, |sum, byte| {
            sum ^ TABLES[7 - byte][(word >> (8 * byte)) as usize & 255]
        });
    }
    rest.iter().fold(state, |state, byte| {
        (state >> 8) ^ TABLES[0][(state as u8 ^ byte) as usize]
    })
}

/// Continues over secret bytes, in a time that depends on their number only.
pub(super) fn update_constant_time(state: u64, bytes: &[u8]) -> u64 {
    bytes.iter().fold(state, |state, byte| {
        (0..8).fold(state ^ u64::from(*byte), |state, _| step(state))
    })
}

const fn step(state: u64) -> u64 {
    (state >> 1) ^ (POLYNOMIAL & (state & 1).wrapping_neg())
}

/// `TABLES[k][b]`: the state after byte b and then k zero bytes.
static TABLES: [[u64; 256]; 8] = tables();

const fn tables() -> [[u64; 256]; 8] {
    let mut tables = [[0; 256]; 8];
    let mut byte = 0;
    while byte < 256 {
        let mut state = byte as u64;
        let mut table = 0;
        while table < 8 {
            let mut bit = 0;
            while bit < 8 {
                state = step(state);
                bit += 1;
            }
            tables[table][byte] = state;
            table += 1;
        }
        byte += 1;
    }
    tables
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    /// The check value of the catalogue of parametrised CRC algorithms (CRC-64/XZ).
    #[test]
    fn the_check_value_is_the_published_one() {
        let (input, published) = (b"123456789", 0x995D_C9BB_DF19_39FA);
        assert_eq!(finish(update(INITIAL, input)), published);
        assert_eq!(finish(update_constant_time(INITIAL, input)), published);
    }

    proptest! {
        #[test]
        fn both_bodies_agree_however_the_bytes_are_cut(
            bytes in prop::collection::vec(any::<u8>(), 0..200), cut in any::<prop::sample::Index>(),
        ) {
            let (head, tail) = bytes.split_at(cut.index(bytes.len() + 1));
            let whole = update(INITIAL, &bytes);
            prop_assert_eq!(update(update(INITIAL, head), tail), whole);
            prop_assert_eq!(update_constant_time(update_constant_time(INITIAL, head), tail), whole);
        }
    }
}
