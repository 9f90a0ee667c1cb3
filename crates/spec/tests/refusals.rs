//! Each `tests/refusals/NAME.toml` is refused with exactly the line in `NAME.expected`.
//!
//! There, `{targets}` stands for the names of all targets. Files whose name begins with `link-` are read as links, the others as machines.

use ringwright_spec::{check, targets, Link, Machine, SpecError};
use std::path::{Path, PathBuf};

fn cases() -> Vec<PathBuf> {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/refusals");
    let mut files: Vec<PathBuf> = std::fs::read_dir(folder)
        .unwrap()
        .map(|entry| entry.unwrap().path())
        .filter(|path| path.extension().is_some_and(|end| end == "toml"))
        .collect();
    files.sort();
    files
}

fn refusal(path: &Path) -> String {
    let file = path.file_name().unwrap().to_str().unwrap();
    let text = std::fs::read_to_string(path).unwrap();
    let error = if file.starts_with("link-") {
        Link::parse(file, &text).err()
    } else {
        Machine::parse(file, &text).err()
    };
    error
        .unwrap_or_else(|| panic!("{file} was accepted"))
        .to_string()
}

#[test]
fn every_message_is_the_expected_line() {
    let cases = cases();
    assert!(!cases.is_empty());
    for path in cases {
        let expected = std::fs::read_to_string(path.with_extension("expected")).unwrap();
        let expected = expected.replace("{targets}", &targets().join(", "));
        assert_eq!(refusal(&path), expected.trim_end(), "{}", path.display());
    }
}

#[test]
fn an_unknown_name_lists_the_known_ones() {
    let message = Machine::load("cpu-l").unwrap_err().to_string();
    assert!(message.contains("did you mean `cpu-1`?"), "{message}");
    for shipped in Machine::shipped() {
        assert!(message.contains(shipped.name), "{message}");
    }
    let message = Link::load("carrier-pigeon").unwrap_err().to_string();
    assert!(
        message.starts_with("no link is called \"carrier-pigeon\"; known: "),
        "{message}"
    );
}

#[test]
fn files_that_cannot_be_read_are_named() {
    let missing = Machine::load("no/such.toml").unwrap_err();
    assert!(matches!(&missing, SpecError::Unreadable { file, .. } if file == "no/such.toml"));
    let folder = Machine::load(env!("CARGO_MANIFEST_DIR")).unwrap_err();
    assert!(matches!(folder, SpecError::Unreadable { .. }));
}

#[cfg(unix)]
#[test]
fn an_endless_file_is_refused_after_a_bounded_read() {
    let endless = Machine::load("/dev/zero").unwrap_err();
    assert!(matches!(endless, SpecError::TooLarge { .. }), "{endless}");
}

/// The bounded smoke test of the fuzz target `machine`: the same `check`, on every truncation and
/// single-byte change of every link that ships, of a machine of each target, and of what is refused
/// above.
#[test]
fn damaged_descriptions_never_panic_the_reader() {
    let mut seeds: Vec<Vec<u8>> = cases()
        .iter()
        .map(|path| std::fs::read(path).unwrap())
        .collect();
    // One machine of each target: the others differ in values only.
    let of_target = |target: &str| {
        let mut all = Machine::shipped().iter();
        all.find(|shipped| Machine::load(shipped.name).unwrap().target() == target)
    };
    let targets = targets();
    let machines = targets.iter().filter_map(|target| of_target(target));
    let shipped = machines.chain(Link::shipped());
    seeds.extend(shipped.map(|shipped| shipped.text.as_bytes().to_vec()));
    for seed in seeds {
        for at in 0..seed.len() {
            check(&seed[..at]);
            for replacement in [b'\0', b'"', b'[', b'9', b'\n', seed[at] ^ 1] {
                let mut damaged = seed.clone();
                damaged[at] = replacement;
                check(&damaged);
            }
        }
    }
}
