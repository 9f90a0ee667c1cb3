//! A link: every transfer takes a set-up, and bits take time.

use crate::error::ScheduleError;
use crate::workload::{ResourceId, Stage, StageKind};
use ringwright_sim::{Femtoseconds, Provenance};

/// Rate, set-up and delay of a connection, in one direction.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Link {
    name: String,
    bits_per_second: u64,
    latency: Femtoseconds,
    setup: Femtoseconds,
}

impl Link {
    /// As described in its file.
    pub fn new(description: &ringwright_spec::Link) -> Self {
        // The declared ranges are at least 1 bit/s and at most a minute, 2^56 fs.
        Self {
            name: description.name().to_string(),
            bits_per_second: description.bits_per_second(),
            latency: Femtoseconds(description.latency_ns() * 1_000_000),
            setup: Femtoseconds(description.setup_ns() * 1_000_000),
        }
    }

    /// The name.
    pub fn name(&self) -> &str {
        &self.name
    }

    /// How long a transfer of these bits occupies the link: its set-up + ceil(bits * 10^15 / rate) fs.
    pub fn occupied(&self, bits: u64) -> Result<Femtoseconds, ScheduleError> {
        let scaled = u128::from(bits) * u128::from(Femtoseconds::PER_SECOND);
        let fs = scaled.div_ceil(u128::from(self.bits_per_second)) + u128::from(self.setup.0);
        u64::try_from(fs)
            .map(Femtoseconds)
            .map_err(|_| ScheduleError::TooLong {
                what: format!("a transfer of {bits} bits over {}", self.name),
            })
    }

    /// A transfer of these bits; the link is `resource`. Modelled: set-up, rate and delay alone.
    pub fn transfer(
        &self,
        name: impl Into<String>,
        resource: ResourceId,
        bits: u64,
    ) -> Result<Stage, ScheduleError> {
        let duration = self.occupied(bits)?;
        let stage = Stage::new(
            name,
            StageKind::Transfer,
            resource,
            duration,
            Provenance::Modelled,
        );
        Ok(Stage {
            latency: self.latency,
            ..stage
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn link(bits_per_second: u64, latency_ns: u64) -> Link {
        with_setup(bits_per_second, latency_ns, 0)
    }

    fn with_setup(bits_per_second: u64, latency_ns: u64, setup_ns: u64) -> Link {
        let text = format!(
            "name = \"l\"\ntitle = \"t\"\n[parameters]\n\
             bits_per_second = {{ value = {bits_per_second}, source = \"test\" }}\n\
             latency_ns = {{ value = {latency_ns}, source = \"test\" }}\n\
             setup_ns = {{ value = {setup_ns}, source = \"test\" }}\n"
        );
        Link::new(&ringwright_spec::Link::parse("l.toml", &text).unwrap())
    }

    #[test]
    fn a_transfer_rounds_up_to_whole_femtoseconds() {
        let three = link(3, 0);
        assert_eq!(three.occupied(0).unwrap(), Femtoseconds::ZERO);
        assert_eq!(three.occupied(3).unwrap().0, Femtoseconds::PER_SECOND);
        assert_eq!(
            three.occupied(1).unwrap().0,
            Femtoseconds::PER_SECOND / 3 + 1
        );
    }

    #[test]
    fn a_transfer_beyond_five_hours_is_refused() {
        let slow = link(1, 0);
        let longest = u64::MAX / Femtoseconds::PER_SECOND;
        assert!(slow.occupied(longest).is_ok());
        let message = slow.occupied(longest + 1).unwrap_err().to_string();
        assert!(
            message.contains(&format!("{} bits over l", longest + 1)),
            "{message}"
        );
        assert!(slow.occupied(u64::MAX).is_err());
    }

    #[test]
    fn every_transfer_takes_the_set_up_once() {
        let (with, without) = (with_setup(1_000, 0, 5), link(1_000, 0));
        let setup = 5 * Femtoseconds::PER_SECOND / 1_000_000_000;
        for bits in [0, 1, 7_000] {
            let more = with.occupied(bits).unwrap().0 - without.occupied(bits).unwrap().0;
            assert_eq!(more, setup);
        }
        let longest = u64::MAX / Femtoseconds::PER_SECOND;
        let slow = with_setup(1, 0, 60_000_000_000);
        assert!(slow.occupied(longest - 60).is_ok() && slow.occupied(longest).is_err());
    }

    #[test]
    fn the_latency_stands_apart_from_the_occupation() {
        let stage = link(1_000, 7).transfer("up", ResourceId(0), 1).unwrap();
        assert_eq!(stage.duration.0, Femtoseconds::PER_SECOND / 1_000);
        assert_eq!(
            stage.latency.0,
            7 * Femtoseconds::PER_SECOND / 1_000_000_000
        );
        assert_eq!(stage.provenance, Provenance::Modelled);
    }
}
