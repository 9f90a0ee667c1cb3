//! What encoding and decoding ask of a host, counted.
//!
//! N/2 slots are the values of a polynomial at the orbit of 5 among the roots of unity; the transform
//! over it has N/2 points, hence N/4 · log2(N/2) butterflies of complex numbers.

use std::collections::BTreeMap;

/// Counts by the name of the operation in a host's description.
pub type Operations = BTreeMap<&'static str, u64>;

/// Slots to residues: the transform, its results in their own order, rounding, residues per tower.
/// `log_n`: of the ring degree, 2 or more.
pub fn encode_operations(log_n: u32, towers: usize) -> Operations {
    let mut counted = counted(log_n, "signed_residue", towers);
    counted.insert("slot_reorder", 1 << (log_n - 1));
    counted
}

/// Residues to slots: the integer coefficients out of their residues to where the transform takes
/// them, rounding, the transform.
pub fn decode_operations(log_n: u32, towers: usize) -> Operations {
    counted(log_n, "residue_compose", towers)
}

fn counted(log_n: u32, per_tower: &'static str, towers: usize) -> Operations {
    let n = 1 << log_n;
    [
        ("conversion_setup", 1),
        ("complex_butterfly", n / 4 * u64::from(log_n - 1)),
        ("coefficient_round", n),
        (per_tower, n * towers as u64),
    ]
    .into()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn both_ways_have_the_butterflies_of_half_as_many_points() {
        let (log_n, towers) = (5, 3);
        let points = 1_u64 << (log_n - 1);
        for counted in [
            encode_operations(log_n, towers),
            decode_operations(log_n, towers),
        ] {
            assert_eq!(
                counted["complex_butterfly"],
                points / 2 * u64::from(points.ilog2())
            );
            assert_eq!(counted["coefficient_round"], 2 * points);
            assert_eq!(counted["conversion_setup"], 1);
        }
        assert_eq!(encode_operations(log_n, towers)["slot_reorder"], points);
        assert_eq!(
            encode_operations(log_n, towers)["signed_residue"],
            2 * points * 3
        );
        assert_eq!(
            decode_operations(log_n, towers)["residue_compose"],
            2 * points * 3
        );
    }
}
