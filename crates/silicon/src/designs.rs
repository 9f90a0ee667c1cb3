//! Designs that were built in two processes: what their areas and clocks have to do with each other.

use crate::Estimate;
use std::collections::BTreeMap;

const AREAS: &str = include_str!("../../../spec/silicon/orfs_area_rules.csv");
const PERIODS: &str = include_str!("../../../spec/silicon/orfs_timing.csv");

/// Area in the second process over that in the first.
pub(crate) fn area_ratio(first: &str, second: &str) -> Option<Estimate> {
    over(AREAS, first, second, |columns| columns.first().copied())
}

/// Shortest clock period in the second process over that in the first: the clock that was asked for,
/// less what was left of it.
pub(crate) fn period_ratio(first: &str, second: &str) -> Option<Estimate> {
    over(PERIODS, first, second, |columns| match columns {
        [clock, slack, ..] => Some(clock - slack),
        _ => None,
    })
}

/// Least, geometric mean, largest over the designs that are built in both.
fn over(
    csv: &str,
    first: &str,
    second: &str,
    value: impl Fn(&[f64]) -> Option<f64>,
) -> Option<Estimate> {
    let mut found: BTreeMap<(&str, &str), f64> = BTreeMap::new();
    for line in csv.lines().skip(1) {
        let mut fields = line.split(',');
        let key = (fields.next()?, fields.next()?);
        let numbers: Vec<f64> = fields.map_while(|field| field.parse().ok()).collect();
        found.insert(key, value(&numbers)?);
    }
    let ratios: Vec<f64> = found
        .iter()
        .filter(|((_, platform), _)| *platform == first)
        .filter_map(|((design, _), value)| Some(found.get(&(*design, second))? / value))
        .collect();
    let logarithms: f64 = ratios.iter().map(|ratio| ratio.ln()).sum();
    (!ratios.is_empty()).then(|| Estimate {
        low: ratios.iter().copied().fold(f64::INFINITY, f64::min),
        expected: (logarithms / ratios.len() as f64).exp(),
        high: ratios.iter().copied().fold(0.0, f64::max),
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ratios_are_those_of_designs_built_in_both() {
        let areas = area_ratio("asap7", "gf12").unwrap();
        assert!((2.4..2.6).contains(&areas.expected), "{areas:?}");
        let periods = period_ratio("asap7", "gf12").unwrap();
        assert!(periods.low < periods.expected && periods.expected < periods.high);
        assert!((0.5..1.0).contains(&periods.expected), "{periods:?}");
        assert_eq!(area_ratio("asap7", "paper"), None);
    }
}
