//! Words where mistakes show.

use ringwright_arith::Choices;

/// A word below `q`: often one where reductions and centring turn, else any.
pub(super) fn word_below(random: &mut Choices, q: u128) -> u128 {
    match random.below(16) {
        0 => 0,
        1 => q - 1,
        2 => (q - 1) / 2,
        3 => q / 2 + 1,
        _ => random.wide() % q,
    }
}
