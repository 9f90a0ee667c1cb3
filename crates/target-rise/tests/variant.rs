//! A machine with other values: what stays, and what is refused.

use ringwright_spec::{Machine, Setting, SpecError};

fn with(machine: &Machine, values: &[(&str, Setting)]) -> Result<Machine, SpecError> {
    let values = values
        .iter()
        .map(|(key, value)| (key.to_string(), value.clone()));
    machine.with("changed", &values.collect(), "this test", None)
}

#[test]
fn a_value_changes_and_the_others_stay() {
    let base = Machine::load("rise-32bfu").unwrap();
    let made = with(&base, &[("bfus", Setting::Int(8))]).unwrap();
    assert_eq!((made.name(), made.int("bfus").unwrap()), ("changed", 8));
    assert_eq!(made.value("bfus").unwrap().source, "this test");
    assert_eq!(made.clock_provenance(), base.clock_provenance());
    assert_ne!(made.identity(), base.identity());
    let back = with(&made, &[("bfus", Setting::Int(32))]).unwrap();
    assert_eq!(back.identity(), base.identity());
}

#[test]
fn another_clock_is_nobodys_until_said() {
    let base = Machine::load("rise-32bfu").unwrap();
    let clock = ("clock", Setting::Text("1.25 GHz".to_owned()));
    let made = with(&base, &[clock]).unwrap();
    assert_eq!(made.int("clock_fs").unwrap(), 800_000);
    assert_eq!(made.clock_provenance(), None);
}

#[test]
fn what_no_file_may_say_is_refused() {
    let base = Machine::load("rise-32bfu").unwrap();
    for (key, value, said) in [
        ("bfu", Setting::Int(8), "bfus"),
        ("bfus", Setting::Int(0), "whole number"),
        ("bfus", Setting::Text("8\"\n".to_owned()), "whole number"),
        ("a \"key\"\n", Setting::Int(8), "not"),
    ] {
        let error = with(&base, &[(key, value)]).unwrap_err().to_string();
        assert!(error.contains(said) && !error.contains('\n'), "{error}");
    }
}
