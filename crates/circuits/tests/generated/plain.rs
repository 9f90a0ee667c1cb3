//! What steps mean, on slots in the clear.

/// Slot i + steps, cyclically.
pub fn rotated(x: &[f64], steps: i32) -> Vec<f64> {
    let mut x = x.to_vec();
    let by = steps.rem_euclid(x.len() as i32) as usize;
    x.rotate_left(by);
    x
}

pub fn both(a: &[f64], b: &[f64], f: impl Fn(f64, f64) -> f64) -> Vec<f64> {
    a.iter().zip(b).map(|(&a, &b)| f(a, b)).collect()
}

pub fn each(a: &[f64], f: impl Fn(f64) -> f64) -> Vec<f64> {
    a.iter().map(|&a| f(a)).collect()
}

/// A constant, repeated to fill the slots.
pub fn repeated(values: &[f64], slots: usize) -> Vec<f64> {
    values.iter().copied().cycle().take(slots).collect()
}

/// Slot i the sum of `count` slots from there on, `stride` apart.
pub fn windows(x: &[f64], count: usize, stride: usize) -> Vec<f64> {
    let at = |i: usize, k: usize| x[(i + k * stride) % x.len()];
    (0..x.len())
        .map(|i| (0..count).map(|k| at(i, k)).sum())
        .collect()
}

/// A matrix times the first slots; zeros beyond its rows.
pub fn product(columns: usize, entries: &[f64], x: &[f64]) -> Vec<f64> {
    let rows = entries.chunks(columns);
    let mut result: Vec<f64> = rows
        .map(|row| row.iter().zip(x).map(|(m, x)| m * x).sum())
        .collect();
    result.resize(x.len(), 0.0);
    result
}
