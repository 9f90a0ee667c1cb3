//! The diagonals of a matrix, by number: column minus row. Diagonal k has the entries that lie in the
//! matrix, from its top or left edge on, as `numpy.diagonal` and `scipy.sparse.diags` have them.

use crate::Error;
use ringwright_schemes::rlwe::LOG_N;
use std::collections::BTreeMap;

/// Diagonals that are not zero, by number.
pub(super) type Diagonals = BTreeMap<isize, Vec<f64>>;

/// The row in which a diagonal begins.
pub(super) fn first_row(offset: isize) -> usize {
    if offset < 0 {
        offset.unsigned_abs()
    } else {
        0
    }
}

/// Entries of a diagonal; none where it misses the matrix.
pub(super) fn length(rows: usize, columns: usize, offset: isize) -> usize {
    let first_column = if offset > 0 { offset as usize } else { 0 };
    let left = columns.saturating_sub(first_column);
    rows.saturating_sub(first_row(offset)).min(left)
}

/// The diagonals of a matrix given row by row.
pub(super) fn of_entries(rows: usize, columns: usize, entries: &[f64]) -> Diagonals {
    let mut diagonals = Diagonals::new();
    for (at, &entry) in entries.iter().enumerate() {
        if entry == 0.0 {
            continue;
        }
        let (row, column) = (at / columns, at % columns);
        let offset = column as isize - row as isize;
        let diagonal = diagonals.entry(offset);
        let diagonal = diagonal.or_insert_with(|| vec![0.0; length(rows, columns, offset)]);
        diagonal[row - first_row(offset)] = entry;
    }
    diagonals
}

/// The given ones that are not zero, checked against the matrix's shape.
pub(super) fn checked(rows: usize, columns: usize, given: Diagonals) -> Result<Diagonals, Error> {
    let refuse = |what, given: String, allowed: String| {
        Err(Error::range("linear transform", what, given, allowed))
    };
    let most = 1usize << (LOG_N.end() - 1);
    for (what, side) in [("rows", rows), ("columns", columns)] {
        if !(1..=most).contains(&side) {
            return refuse(what, side.to_string(), format!("1 to {most}"));
        }
    }
    let (lowest, highest) = (1 - rows as isize, columns as isize - 1);
    for (&offset, entries) in &given {
        if !(lowest..=highest).contains(&offset) {
            let allowed = format!("{lowest} to {highest} with {rows} rows and {columns} columns");
            return refuse("diagonal", offset.to_string(), allowed);
        }
        let wanted = length(rows, columns, offset);
        if entries.len() != wanted {
            let given = format!("{} in diagonal {offset}", entries.len());
            let allowed = format!("{wanted} with {rows} rows and {columns} columns");
            return refuse("entries", given, allowed);
        }
        if let Some(entry) = entries.iter().find(|entry| !entry.is_finite()) {
            let given = format!("{entry} in diagonal {offset}");
            return refuse("entry", given, "finite numbers".into());
        }
    }
    let mut kept = given;
    kept.retain(|_, entries| entries.iter().any(|&entry| entry != 0.0));
    // -0 is 0, so that equal matrices give equal programs.
    kept.values_mut().flatten().for_each(|entry| *entry += 0.0);
    Ok(kept)
}
