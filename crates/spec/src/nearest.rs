//! The known name nearest to a misspelt one, by edit distance (Levenshtein 1966).

/// The name in `known` that differs from `given` by the fewest insertions, deletions and
/// substitutions; the first of equals. `None` when even that one shares too little to be meant:
/// more than a third of the longer name differs (one letter is always forgiven).
pub(crate) fn nearest<'a>(
    given: &str,
    known: impl IntoIterator<Item = &'a str>,
) -> Option<&'a str> {
    let given = given.to_lowercase();
    known
        .into_iter()
        .filter(|name| plausible_length(name.len(), given.len()))
        .map(|name| (distance(&given, name), name))
        .filter(|(steps, name)| *steps <= allowed(name.len().max(given.len())))
        .min_by_key(|(steps, _)| *steps)
        .map(|(_, name)| name)
}

fn allowed(length: usize) -> usize {
    (length / 3).max(1)
}

/// Keeps the quadratic distance away from absurdly long input.
fn plausible_length(a: usize, b: usize) -> bool {
    a.abs_diff(b) <= allowed(a.max(b)) && a.max(b) <= 256
}

fn distance(a: &str, b: &str) -> usize {
    let b: Vec<char> = b.chars().collect();
    let mut row: Vec<usize> = (0..=b.len()).collect();
    for (i, from) in a.chars().enumerate() {
        let mut diagonal = row[0];
        row[0] = i + 1;
        for (j, to) in b.iter().enumerate() {
            let substituted = diagonal + usize::from(from != *to);
            diagonal = row[j + 1];
            row[j + 1] = substituted.min(diagonal + 1).min(row[j] + 1);
        }
    }
    row[b.len()]
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn distance_counts_single_letter_edits() {
        assert_eq!(distance("threads", "threads"), 0);
        assert_eq!(distance("thread", "threads"), 1);
        assert_eq!(distance("", "isa"), "isa".len());
        assert_eq!(distance("htreads", "threads"), 2);
    }

    #[test]
    fn a_name_that_resembles_nothing_has_no_neighbour() {
        let known = ["threads", "isa"];
        assert_eq!(nearest("Thread", known), Some("threads"));
        assert_eq!(nearest("frequency", known), None);
        assert_eq!(nearest(&"t".repeat(100_000), known), None);
    }
}
