//! A machine is what its parameters say: its name changes neither schedules nor what is printed of it.

use ringwright_spec::{Machine, Schedules, Setting};
use ringwright_target::{Origin, Sought, TransformAsked, TransformReport, WordOrder};
use ringwright_target_rpu::kernels::compile::known::{Entry, Recipes};
use ringwright_target_rpu::kernels::compile::recipe::Transform;
use ringwright_target_rpu::kernels::compile::ScheduleParameters;
use ringwright_target_rpu::{published, Config, RPU};

const TRANSFORMS: [Transform; 3] = [
    Transform::Forward,
    Transform::Inverse,
    Transform::InverseCooleyTukey,
];
const PRINTED: u32 = 16;

/// The shipped machines with their texts.
fn shipped() -> Vec<(Machine, &'static str)> {
    let all = Machine::shipped().iter();
    let all = all.map(|s| (Machine::load(s.name).expect("sound"), s.text));
    all.filter(|(machine, _)| machine.target() == RPU.name)
        .collect()
}

fn parse(text: &str) -> Machine {
    Machine::parse("copy.toml", text).expect("sound")
}

fn renamed(machine: &Machine, text: &str) -> Machine {
    let name = |name: &str| format!("name = \"{name}\"");
    parse(&text.replacen(&name(machine.name()), &name("a-copy"), 1))
}

/// The machine's file with one value changed.
fn changed(text: &str, key: &str, value: &str) -> Machine {
    let mut lines: Vec<String> = text.lines().map(str::to_owned).collect();
    let of_key = |line: &&mut String| line.starts_with(&format!("{key} = "));
    let line = lines.iter_mut().find(of_key).expect("given");
    *line = format!("{key} = {{ value = {value}, source = \"changed by a test\" }}");
    parse(&lines.join("\n"))
}

/// Everything that is known for a machine.
fn known(machine: &Machine) -> Vec<Entry> {
    let config = Config::new(machine).expect("buildable");
    let recipes = Recipes::of(machine).expect("readable");
    let mut known = Vec::new();
    for transform in TRANSFORMS {
        for log_n in 1..=17 {
            let found = recipes.entries(&config, transform, log_n);
            known.extend(found.into_iter().map(|(entry, _)| entry.clone()));
        }
    }
    known
}

fn report(machine: &Machine) -> TransformReport {
    let study = RPU.transform.expect("it has a transform");
    let vector = machine.int("vector_length").expect("declared");
    let log_n = vector.ilog2() + 1;
    study(machine, &TransformAsked::new(log_n, WordOrder::Any)).expect("it fits")
}

#[test]
fn a_copy_under_another_name_is_the_same_machine() {
    for (machine, text) in shipped() {
        let copy = renamed(&machine, text);
        assert_ne!(copy.name(), machine.name());
        assert_eq!(known(&copy), known(&machine));
        for log_n in 1..=17 {
            let printed = published::cycles(&machine, log_n);
            assert_eq!(published::cycles(&copy, log_n), printed);
        }
        let (ours, copied) = (report(&machine), report(&copy));
        assert!(ours.correct && copied.correct, "{}", machine.name());
        let counted = |r: &TransformReport| (r.cycles, r.inverse_cycles, r.bound_cycles);
        assert_eq!(counted(&copied), counted(&ours), "{}", machine.name());
        assert_eq!(copied.schedules, ours.schedules, "{}", machine.name());
    }
}

#[test]
fn what_a_paper_prints_is_gone_with_any_parameter_that_it_states() {
    let stated = [
        ("hples", "32"),
        ("banks", "32"),
        ("vector_length", "256"),
        ("word_bits", "64"),
        ("clock_fs", "1_000_000"),
    ];
    let mut seen = 0;
    for (machine, text) in shipped() {
        if published::cycles(&machine, PRINTED).is_none() {
            continue;
        }
        seen += 1;
        for (key, value) in stated {
            let other = changed(text, key, value);
            assert_eq!(other.name(), machine.name());
            assert_eq!(published::cycles(&other, PRINTED), None, "{key}");
        }
    }
    assert!(seen >= 4, "{seen} machines in print");
}

/// The paper's number with other ports is of the tile that has them, or of none.
#[test]
fn register_ports_tell_the_tiles_apart() {
    let printed = |machine: &Machine| published::cycles(machine, PRINTED).map(|p| p.cycles);
    for (machine, text) in shipped() {
        let other = match machine.text("vrf_ports").expect("declared") {
            "single" => changed(text, "vrf_ports", "\"unlimited\""),
            _ => changed(text, "vrf_ports", "\"single\""),
        };
        let both = [printed(&machine), printed(&other)];
        assert!(both == [None, None] || both[0] != both[1], "{both:?}");
    }
}

#[test]
fn a_schedule_needs_every_parameter_that_it_depends_on_and_no_other() {
    let text = include_str!("../../../machines/rpu-128x128.toml");
    let machine = parse(text);
    let own = known(&machine);
    assert!(!own.is_empty());
    for (declared, value) in machine.values() {
        let other = match &value.setting {
            Setting::Int(x) => (2 * x.max(&1)).to_string(),
            Setting::Text(x) => match &declared.kind {
                ringwright_spec::Kind::Choice(names) => {
                    let other = names.iter().find(|name| *name != x).expect("two");
                    format!("\"{other}\"")
                }
                _ => continue,
            },
            _ => continue,
        };
        // Twice the widest word, the longest vector and the largest instruction memory there is none.
        let other = match declared.name.as_str() {
            "word_bits" => "64".to_owned(),
            "vector_length" => "256".to_owned(),
            "im_words" => "32_768".to_owned(),
            _ => other,
        };
        let changed = changed(text, &declared.name, &other);
        let decides = ScheduleParameters::NAMES.contains(&declared.name.as_str());
        match decides {
            true => assert_ne!(known(&changed), own, "{}", declared.name),
            false => assert_eq!(known(&changed), own, "{}", declared.name),
        }
    }
}

/// A machine that nobody has tuned, tuned; what is kept is used, and what does not hold is refused.
#[test]
fn a_search_is_kept_used_and_checked() {
    let text = include_str!("../../../machines/rpu-8x8.toml");
    let machine = changed(text, "shuffle_latency", "9");
    let search = RPU.schedules.expect("it orders");
    let log_n = 8;
    let study = |machine: &Machine| {
        (RPU.transform.expect("it has one"))(machine, &TransformAsked::new(log_n, WordOrder::Any))
    };
    let untuned = study(&machine).expect("it fits");
    assert_eq!(untuned.schedules[0].origin, Origin::Untuned);

    let tries = 30;
    let found = (search.search)(&machine, log_n, tries, &Sought::ALL).expect("it fits");
    let again = (search.search)(&machine, log_n, tries, &Sought::ALL).expect("it fits");
    assert_eq!(found, again);
    let with = |text: &str| {
        let schedules = Schedules {
            file: "kept.toml".into(),
            text: text.into(),
        };
        machine.clone().with_schedules(schedules)
    };
    let tuned = study(&with(&found.text)).expect("it fits");
    let best = found.found.iter().filter(|each| !each.inverse);
    assert_eq!(Some(tuned.cycles), best.map(|each| each.cycles).min());
    assert_eq!(tuned.schedules[0].origin, Origin::Cache("kept.toml".into()));
    assert!(tuned.correct && tuned.schedules[0].refused.is_none());

    // Another search goes on from there and keeps what is no better.
    let further = (search.search)(&with(&found.text), log_n, tries, &Sought::ALL).expect("it fits");
    let least = |found: &ringwright_target::FoundSchedules| found.found[0].cycles;
    assert!(least(&further) <= least(&found));
    assert_eq!(further.found[0].before, Some(least(&found)));

    let cycles = |cycles: u64| format!("cycles = {cycles}\n");
    let lie = found
        .text
        .replace(&cycles(tuned.cycles), &cycles(tuned.cycles - 1));
    assert_ne!(lie, found.text);
    let refused = study(&with(&lie)).expect("it fits");
    let said = refused.schedules[0].refused.clone().expect("refused");
    assert!(
        said.contains("kept.toml") && said.contains("not used"),
        "{said}"
    );
    assert_eq!(refused.schedules[0].origin, Origin::Untuned);
    assert_eq!(refused.cycles, untuned.cycles);

    let damaged = Recipes::of(&with(&found.text[..found.text.len() / 3])).expect_err("damaged");
    assert!(
        damaged.to_string().starts_with("kept.toml: not read"),
        "{damaged}"
    );
}
