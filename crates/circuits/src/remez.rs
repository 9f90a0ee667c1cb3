//! The best odd polynomial for the sign: Remez' algorithm.
//!
//! On \[low, high\] with low above 0, the odd polynomials of degree 2n - 1 are a Chebyshev system, so
//! the best approximation of 1 is the one whose error alternates n + 1 times at equal height (E. Ya.
//! Remez, 1934; Trefethen, "Approximation Theory and Approximation Practice", 2013, chapter 10). The
//! error's derivative is the polynomial's, which has n - 1 zeros above 0: two of the points are the
//! ends of the interval, and the others lie between the error's zeros.
//!
//! Coefficients are those of T_1, T_3, … of x/high; powers lose half of the digits at degree 15.

const ITERATIONS: usize = 40;
/// Extrema this equal, as a part of the error, are equal.
const LEVELLED: f64 = 1e-6;
/// Errors below this are those of f64.
const ROUNDING: f64 = 1e-13;

/// A polynomial Σ c_i T_(2i+1)(x/high) and its largest distance from 1 on \[low, high\].
#[derive(Clone, Debug)]
pub(crate) struct Best {
    pub odd: Vec<f64>,
    pub error: f64,
}

/// The best odd polynomial of degree 2·`terms` - 1.
pub(crate) fn best_sign(low: f64, high: f64, terms: usize) -> Best {
    let angle = |j: usize| std::f64::consts::PI * j as f64 / terms as f64;
    let mut points: Vec<f64> = (0..=terms)
        .map(|j| (low + high) / 2.0 - (high - low) / 2.0 * angle(j).cos())
        .collect();
    let mut best = Best {
        odd: vec![1.0],
        error: f64::INFINITY,
    };
    for _ in 0..ITERATIONS {
        let odd = levelled(&points, high, terms);
        let error = |x: f64| value(&odd, x / high) - 1.0;
        points = extrema(&points, error);
        let heights = || points.iter().map(|&x| error(x).abs());
        let largest = heights().fold(0.0, f64::max);
        let smallest = heights().fold(f64::INFINITY, f64::min);
        if largest < best.error {
            best = Best {
                odd,
                error: largest,
            };
        }
        if largest < ROUNDING || largest - smallest < largest * LEVELLED {
            break;
        }
    }
    best
}

/// Σ c_i T_(2i+1)(y).
fn value(odd: &[f64], y: f64) -> f64 {
    let (mut before, mut now, mut sum) = (1.0, y, 0.0);
    for &c in odd {
        sum += c * now;
        for _ in 0..2 {
            (before, now) = (now, 2.0 * y * now - before);
        }
    }
    sum
}

/// The coefficients whose error alternates at equal height on these points.
fn levelled(points: &[f64], high: f64, terms: usize) -> Vec<f64> {
    let row = |(j, &x): (usize, &f64)| {
        let mut unit = vec![0.0; terms];
        let mut row: Vec<f64> = (0..terms)
            .map(|i| {
                unit[i] = 1.0;
                let basis = value(&unit[..=i], x / high);
                unit[i] = 0.0;
                basis
            })
            .collect();
        row.extend([if j % 2 == 0 { 1.0 } else { -1.0 }, 1.0]);
        row
    };
    let mut solved = solve(points.iter().enumerate().map(row).collect());
    solved.pop();
    solved
}

/// Gaussian elimination; the last column is the right side.
pub(crate) fn solve(mut rows: Vec<Vec<f64>>) -> Vec<f64> {
    let n = rows.len();
    for column in 0..n {
        let pivot = (column..n)
            .max_by(|&a, &b| rows[a][column].abs().total_cmp(&rows[b][column].abs()))
            .unwrap_or(column);
        rows.swap(column, pivot);
        let (above, below) = rows.split_at_mut(column + 1);
        let pivot = &above[column];
        for row in below {
            let factor = row[column] / pivot[column];
            row.iter_mut()
                .zip(pivot)
                .for_each(|(entry, p)| *entry -= factor * p);
        }
    }
    let mut solution = vec![0.0; n];
    for row in (0..n).rev() {
        let known: f64 = (row + 1..n).map(|k| rows[row][k] * solution[k]).sum();
        solution[row] = (rows[row][n] - known) / rows[row][row];
    }
    solution
}

/// The ends of the interval, and the largest error between neighbouring zeros.
fn extrema(points: &[f64], error: impl Fn(f64) -> f64) -> Vec<f64> {
    let zeros: Vec<f64> = points
        .windows(2)
        .map(|pair| zero(&error, pair[0], pair[1]))
        .collect();
    let mut found = vec![points[0]];
    found.extend(
        zeros
            .windows(2)
            .map(|pair| largest(&error, pair[0], pair[1])),
    );
    found.push(points[points.len() - 1]);
    found
}

fn zero(f: impl Fn(f64) -> f64, mut low: f64, mut high: f64) -> f64 {
    let below = f(low) < 0.0;
    for _ in 0..60 {
        let middle = (low + high) / 2.0;
        match (f(middle) < 0.0) == below {
            true => low = middle,
            false => high = middle,
        }
    }
    (low + high) / 2.0
}

/// Where |f|, rising then falling, is largest: golden section.
fn largest(f: impl Fn(f64) -> f64, mut low: f64, mut high: f64) -> f64 {
    let ratio = (5f64.sqrt() - 1.0) / 2.0;
    for _ in 0..60 {
        let (left, right) = (high - ratio * (high - low), low + ratio * (high - low));
        match f(left).abs() > f(right).abs() {
            true => high = right,
            false => low = left,
        }
    }
    (low + high) / 2.0
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_error_alternates_at_equal_height() {
        for (low, high, terms) in [
            (0.5, 1.0, 1),
            (0.1, 1.0, 2),
            (0.01, 1.0, 4),
            (0.001, 3.0, 8),
        ] {
            let best = best_sign(low, high, terms);
            let grid = (0..=100_000).map(|k| low * (high / low).powf(f64::from(k) / 100_000.0));
            let errors: Vec<f64> = grid.map(|x| value(&best.odd, x / high) - 1.0).collect();
            let largest = errors.iter().fold(0f64, |max, e| max.max(e.abs()));
            assert!(
                largest <= best.error * (1.0 + 1e-5),
                "{terms} terms: {largest}"
            );
            let peaks = errors.iter().filter(|e| e.abs() > largest * 0.999);
            let mut signs: Vec<bool> = peaks.map(|&e| e > 0.0).collect();
            signs.dedup();
            assert_eq!(signs.len(), terms + 1, "{terms} terms");
        }
    }

    #[test]
    fn degree_1_is_the_closed_form() {
        let (low, high) = (0.25, 1.0);
        let best = best_sign(low, high, 1);
        assert!((best.odd[0] - 2.0 * high / (low + high)).abs() < 1e-12);
        assert!((best.error - (high - low) / (high + low)).abs() < 1e-12);
    }
}
