//! Memories of a compiler: so much a column and so much a bit, and a factor for ports.

use crate::fit::Fit;
use crate::{Estimate, ProcessError};
use ringwright_spec::Provenance;
use serde::Deserialize;

/// How many accesses a memory takes in one cycle.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Ports(usize);

impl Ports {
    /// One, which reads or writes.
    pub const ONE: Self = Self(1);
    /// One that reads and one that writes.
    pub const TWO: Self = Self(2);
    /// And a third one.
    pub const THREE: Self = Self(3);
}

/// What a memory takes in a process.
#[derive(Clone, Debug, PartialEq)]
pub struct MemoryCost {
    /// The macro, in square micrometres.
    pub area_um2: Estimate,
    /// An access to a word, in picojoules.
    pub access_pj: Estimate,
    /// Its cycle, in picoseconds.
    pub path_ps: Estimate,
    /// Where the area comes from.
    pub provenance: Provenance,
    /// Whose memories.
    pub source: String,
    /// Whose energies.
    pub energy_source: String,
    /// Whose cycles.
    pub path_source: String,
}

/// A single-port memory whose area is known.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct MemoryPoint {
    words: u64,
    bits: u64,
    area_um2: f64,
}

#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct Memories {
    provenance: String,
    source: String,
    trusted_bits: u64,
    error: f64,
    error_beyond: f64,
    ports: Vec<Estimate>,
    energy: Energy,
    path: Path,
}

#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
struct Energy {
    pj: f64,
    bits: f64,
    bytes: f64,
    scale: Estimate,
    source: String,
}

#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
struct Path {
    base_ps: f64,
    ps_per_word: f64,
    least_words: u64,
    error: f64,
    source: String,
}

impl Memories {
    /// Refuses what could not be computed with.
    pub(crate) fn check(&self) -> Result<(), String> {
        self.provenance
            .parse::<Provenance>()
            .map_err(|error| error.to_string())?;
        if self.ports.len() < Ports::THREE.0 {
            return Err(format!(
                "memories.ports has {} entries: one for each of 1 to 3 ports",
                self.ports.len()
            ));
        }
        Ok(())
    }

    /// A memory of so many words.
    pub(crate) fn cost(
        &self,
        points: &[MemoryPoint],
        words: u64,
        bits: u64,
        ports: Ports,
    ) -> MemoryCost {
        let capacity = words * bits;
        let area = Self::area(points, words, bits);
        let area = match capacity <= self.trusted_bits {
            true => Estimate::around(area, self.error),
            false => Estimate::within(area, self.error_beyond),
        };
        let energy = &self.energy;
        let root = (capacity as f64 / 8.0 / energy.bytes).sqrt();
        let provenance = self.provenance.parse().unwrap_or(Provenance::Modelled);
        MemoryCost {
            area_um2: area * self.ports[ports.0 - 1],
            access_pj: energy.scale * (energy.pj / energy.bits * bits as f64 * root),
            path_ps: self.path.of(words),
            provenance,
            source: self.source.clone(),
            energy_source: energy.source.clone(),
            path_source: self.path.source.clone(),
        }
    }

    /// So much a column and so much a bit, as the points have it; of one point, its share.
    fn area(points: &[MemoryPoint], words: u64, bits: u64) -> f64 {
        let row = |words: u64, bits: u64| vec![bits as f64, (words * bits) as f64];
        let rows: Vec<Vec<f64>> = points.iter().map(|p| row(p.words, p.bits)).collect();
        let areas: Vec<f64> = points.iter().map(|p| p.area_um2).collect();
        if let Some(fit) = Fit::through(&rows, &areas) {
            return fit.at(&row(words, bits)).max(0.0);
        }
        let capacity: f64 = rows.iter().map(|row| row[1]).sum();
        areas.iter().sum::<f64>() / capacity * (words * bits) as f64
    }
}

impl Path {
    fn of(&self, words: u64) -> Estimate {
        let at = |words: u64| self.base_ps + self.ps_per_word * words as f64;
        if words >= self.least_words {
            return Estimate::around(at(words), self.error);
        }
        // Smaller than any that is known: quicker, nobody says by how much.
        Estimate {
            low: at(self.least_words) / 3.0,
            expected: at(self.least_words) / 2.0,
            high: at(self.least_words),
        }
    }
}

/// There must be one.
pub(crate) fn check_points(points: &[MemoryPoint]) -> Result<(), ProcessError> {
    match points.iter().any(|p| p.words * p.bits > 0) {
        true => Ok(()),
        false => Err(ProcessError::NoMemory),
    }
}
