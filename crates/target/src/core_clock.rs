//! The clock of a machine, and whose it is.

use crate::TargetError;
use ringwright_sim::{Clock, Femtoseconds, Provenance};
use ringwright_spec::Machine;

/// Of a machine that declares `clock_fs`. Where the file does not say whose clock that is
/// (`clock_provenance`), somebody has assumed it: [`Provenance::Modelled`].
pub fn core_clock(machine: &Machine) -> Result<Clock, TargetError> {
    // The declared range is not negative.
    let period = Femtoseconds(machine.int("clock_fs")? as u64);
    let provenance = machine.clock_provenance().unwrap_or(Provenance::Modelled);
    Clock::new("core", period, provenance).map_err(|error| TargetError::Unavailable {
        machine: machine.name().to_owned(),
        key: "clock_fs",
        given: period.0.to_string(),
        allowed: error.to_string(),
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn machine(head: &str) -> Machine {
        let text = format!("name = \"mine\"\ntarget = \"rise\"\ntitle = \"t\"\n{head}\n");
        Machine::parse("mine.toml", &text).expect("a machine")
    }

    #[test]
    fn a_clock_that_nobody_vouches_for_is_modelled() {
        let clock = core_clock(&machine("")).expect("a clock");
        assert_eq!(clock.provenance(), Provenance::Modelled);
        let clock = core_clock(&machine("clock_provenance = \"synthesised\"")).expect("a clock");
        assert_eq!(clock.provenance(), Provenance::Synthesised);
    }
}
