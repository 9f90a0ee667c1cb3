//! The clock of a machine, and whose it is.

use crate::TargetError;
use ringwright_sim::{Clock, Femtoseconds, Provenance, UnknownProvenance};
use ringwright_spec::Machine;

/// Of a machine that declares `clock_fs`. Where the file does not say whose clock that is
/// (`clock_provenance`), somebody has assumed it: [`Provenance::Modelled`].
pub fn core_clock(machine: &Machine) -> Result<Clock, TargetError> {
    // The declared range is not negative.
    let period = Femtoseconds(machine.int("clock_fs")? as u64);
    let refusal = |key, given: String, allowed| TargetError::Unavailable {
        machine: machine.name().to_owned(),
        key,
        given,
        allowed,
    };
    let provenance = match machine.clock_provenance() {
        None => Provenance::Modelled,
        Some(word) => word.parse().map_err(|error: UnknownProvenance| {
            refusal("clock_provenance", word.to_owned(), error.to_string())
        })?,
    };
    Clock::new("core", period, provenance)
        .map_err(|error| refusal("clock_fs", period.0.to_string(), error.to_string()))
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

    #[test]
    fn an_unknown_word_is_refused_with_the_known_ones() {
        let refused = core_clock(&machine("clock_provenance = \"guessed\""));
        let message = refused.expect_err("no such word").to_string();
        assert!(message.contains("clock_provenance"), "{message}");
        assert!(message.contains("published"), "{message}");
    }
}
