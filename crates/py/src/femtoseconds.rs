//! Durations by the wall clock.

use ringwright_sim::Femtoseconds;
use std::time::Duration;

/// In femtoseconds, as far as 64 bits reach: 5 hours.
pub fn femtoseconds(duration: Duration) -> u64 {
    let fs = u64::try_from(duration.as_nanos()).map(Femtoseconds::from_nanoseconds);
    fs.ok().flatten().map_or(u64::MAX, |fs| fs.0)
}
