//! Words where mistakes show.

use ringwright_arith::Choices;

/// A word from 0 to `limit`: often one at either end, else any.
pub(super) fn word_to(choices: &mut Choices, limit: u128) -> u128 {
    match choices.below(12) {
        0 => 0,
        1 => limit,
        _ => {
            let word = choices.wide();
            limit.checked_add(1).map_or(word, |bound| word % bound)
        }
    }
}
