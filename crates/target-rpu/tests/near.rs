//! What values are near those of a machine, for whoever asks what an open question moves.

use ringwright_spec::{Machine, Setting, Value};

fn near(machine: &str, key: &str) -> Vec<Setting> {
    let machine = Machine::load(machine);
    machine.map_or_else(|error| panic!("{error}"), |machine| machine.near(key))
}

fn whole(values: [i64; 2]) -> Vec<Setting> {
    values.map(Setting::Int).to_vec()
}

#[test]
fn a_number_is_halved_and_doubled_within_its_range_and_domain() {
    assert_eq!(near("rpu-128x128", "hples"), whole([64, 256]));
    assert_eq!(near("rpu-128x128", "compute_latency"), whole([5, 20]));
    // A range that begins at 3; and what is read strictly.
    let strict = [whole([3, 10]), vec![Setting::Int(7)]].concat();
    assert_eq!(near("rpu-128x128", "shuffle_latency"), strict);
    // 0 has nothing below it; the largest has nothing above.
    assert_eq!(near("rpu-128x128", "gap"), [Setting::Int(1)]);
    assert_eq!(near("rpu-128x128", "vector_length"), [Setting::Int(256)]);
}

#[test]
fn a_name_is_changed_for_every_other() {
    let other = vec![Setting::Text("modulo".to_owned())];
    assert_eq!(near("rpu-128x128", "vdm_map"), other);
    assert_eq!(near("rpu-128x128", "no_such"), []);
}

#[test]
fn what_a_paper_prints_is_not_open() {
    let open = |machine: &str, key: &str| {
        let machine = Machine::load(machine).unwrap_or_else(|error| panic!("{error}"));
        machine.value(key).is_some_and(Value::is_open)
    };
    assert!(open("rpu-128x128", "gap"));
    assert!(!open("trebuchet-v2", "gap"));
    assert!(!open("rpu-128x128", "hples"));
}
