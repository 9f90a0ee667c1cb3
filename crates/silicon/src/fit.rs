//! Sums of terms through points: least squares of what they are off by, relative to the points.

/// Coefficients of the terms, and the largest share by which a point is off.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Fit {
    coefficients: Vec<f64>,
    pub(crate) largest_error: f64,
}

impl Fit {
    /// Of rows of terms and what each should sum to; `None` where rows do not determine them.
    ///
    /// Each row is divided by its value, so that a small block counts as much as a large one, and
    /// each column by its largest entry, so that none of them vanishes beside another.
    pub(crate) fn through(rows: &[Vec<f64>], values: &[f64]) -> Option<Self> {
        let terms = rows.first()?.len();
        let relative: Vec<Vec<f64>> = rows
            .iter()
            .zip(values)
            .map(|(row, value)| row.iter().map(|term| term / value).collect())
            .collect();
        let largest = |column: usize| {
            let entries = relative.iter().map(|row| row[column].abs());
            entries.fold(f64::MIN_POSITIVE, f64::max)
        };
        let scales: Vec<f64> = (0..terms).map(largest).collect();
        let scaled = |row: &Vec<f64>| -> Vec<f64> {
            row.iter()
                .zip(&scales)
                .map(|(term, scale)| term / scale)
                .collect()
        };
        let scaled: Vec<Vec<f64>> = relative.iter().map(scaled).collect();
        let solution = solve(&scaled)?;
        let coefficients: Vec<f64> = solution
            .iter()
            .zip(&scales)
            .map(|(x, scale)| x / scale)
            .collect();
        let fit = Self {
            coefficients,
            largest_error: 0.0,
        };
        let errors = rows
            .iter()
            .zip(values)
            .map(|(row, value)| (fit.at(row) / value - 1.0).abs());
        let largest_error = errors.fold(0.0, f64::max);
        Some(Self {
            largest_error,
            ..fit
        })
    }

    /// The sum at these terms.
    pub(crate) fn at(&self, row: &[f64]) -> f64 {
        self.coefficients
            .iter()
            .zip(row)
            .map(|(c, term)| c * term)
            .sum()
    }
}

/// x for which |A x - 1| is least, from A^T A x = A^T 1 by elimination with pivots.
fn solve(rows: &[Vec<f64>]) -> Option<Vec<f64>> {
    let terms = rows.first()?.len();
    let product = |i: usize, j: usize| rows.iter().map(|row| row[i] * row[j]).sum::<f64>();
    let mut system: Vec<Vec<f64>> = (0..terms)
        .map(|i| {
            let right = rows.iter().map(|row| row[i]).sum();
            (0..terms).map(|j| product(i, j)).chain([right]).collect()
        })
        .collect();
    for column in 0..terms {
        let pivot = (column..terms)
            .max_by(|&a, &b| system[a][column].abs().total_cmp(&system[b][column].abs()))?;
        system.swap(column, pivot);
        // Terms that are the same at all points: none of them can be told from the others.
        if system[column][column].abs() < 1e-9 {
            return None;
        }
        let lead = system[column].clone();
        for row in (0..terms).filter(|row| *row != column) {
            let share = system[row][column] / lead[column];
            for (entry, above) in system[row].iter_mut().zip(&lead) {
                *entry -= share * above;
            }
        }
    }
    Some(
        (0..terms)
            .map(|i| system[i][terms] / system[i][i])
            .collect(),
    )
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_sum_of_terms_is_found_again() {
        let rows: Vec<Vec<f64>> = [8.0, 30.0, 54.0, 128.0]
            .map(|w| vec![w * w, w, 1.0])
            .to_vec();
        let values: Vec<f64> = rows
            .iter()
            .map(|row| 1.5 * row[0] + 20.0 * row[1] + 7.0)
            .collect();
        let fit = Fit::through(&rows, &values).unwrap();
        assert!(fit.largest_error < 1e-6);
        assert!((fit.at(&[64.0 * 64.0, 64.0, 1.0]) / 7431.0 - 1.0).abs() < 1e-6);
    }

    #[test]
    fn what_is_off_is_said() {
        let fit = Fit::through(&[vec![1.0], vec![1.0]], &[90.0, 110.0]).unwrap();
        assert!((0.08..0.12).contains(&fit.largest_error));
    }

    #[test]
    fn points_that_tell_nothing_apart_give_nothing() {
        assert_eq!(
            Fit::through(&[vec![1.0, 2.0], vec![2.0, 4.0]], &[1.0, 2.0]),
            None
        );
        assert_eq!(Fit::through(&[], &[]), None);
    }
}
