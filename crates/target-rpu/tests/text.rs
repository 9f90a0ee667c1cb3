//! Text, words and instructions: each of the three reads back from the others.

use proptest::prelude::*;
use proptest::strategy::ValueTree;
use ringwright_target_rpu::isa::{
    assemble, check, decode, encode, tables, Instruction, Kind, Mode, Program, Segment, Space,
};
use std::path::{Path, PathBuf};

/// Any instruction that has an encoding.
fn instruction() -> impl Strategy<Value = Instruction> {
    let rows = 0..tables().instructions.len();
    (rows, proptest::collection::vec(any::<u64>(), 8)).prop_filter_map(
        "operands that must differ are equal",
        |(row, random)| {
            let row = &tables().instructions[row];
            let number = |name: &str| {
                let place = row.operands.iter().position(|o| o.name == name);
                let (place, random) = place.map_or((0, 0), |place| (place, random[place]));
                let choices = match row.operands[place].kind {
                    Kind::Mode => tables().modes.len() as u64,
                    Kind::Form => tables().forms.len() as u64,
                    Kind::Value => Mode::MAX_VALUE as u64 + 1,
                    _ => tables()
                        .field(row.operands[place].field())
                        .map_or(1, |f| f.max() + 1),
                };
                random % choices
            };
            let linear = |name: &str| match name == "value" && number("mode") == 0 {
                true => 0,
                false => number(name),
            };
            let made = Instruction::from_operands(&row.mnemonic, linear)?;
            encode(&made).is_ok().then_some(made)
        },
    )
}

fn segment() -> impl Strategy<Value = Segment> {
    let space = prop_oneof![Just(Space::Vdm), Just(Space::Sdm)];
    let words = proptest::collection::vec(any::<u128>(), 1..20);
    // Far enough apart never to continue each other, which text would not keep apart.
    (space, 0u32..1 << 20, words).prop_map(|(space, address, words)| Segment {
        space,
        address: 64 * address,
        words,
    })
}

proptest! {
    #[test]
    fn programs_survive_text_and_words(
        instructions in proptest::collection::vec(instruction(), 0..40),
        data in proptest::collection::vec(segment(), 0..3),
    ) {
        let program = Program { data, ..Program::new("p", instructions) };
        prop_assert_eq!(assemble("p", &program.to_string()), Ok(program.clone()));
        for instruction in &program.instructions {
            let word = encode(instruction).expect("in range");
            prop_assert_eq!(decode(word), Ok(*instruction));
        }
    }

    #[test]
    fn a_word_is_one_instruction_or_none(word: u64) {
        if let Ok(instruction) = decode(word) {
            prop_assert_eq!(encode(&instruction), Ok(word));
        }
    }

    #[test]
    fn any_changed_bit_is_another_instruction_or_none(made in instruction(), bit in 0u32..64) {
        let word = encode(&made).expect("in range") ^ 1 << bit;
        prop_assert_ne!(decode(word), Ok(made));
    }
}

#[test]
fn every_instruction_can_be_chosen() {
    let mut runner = proptest::test_runner::TestRunner::deterministic();
    let mut seen = std::collections::BTreeSet::new();
    for _ in 0..100 * tables().instructions.len() {
        let tree = instruction().new_tree(&mut runner).expect("a choice");
        seen.insert(tree.current().mnemonic());
    }
    assert_eq!(seen.len(), tables().instructions.len());
}

#[test]
fn an_empty_word_is_no_instruction() {
    let error = decode(0).expect_err("opcode 0 is none");
    assert!(error.to_string().contains("opcode 0"), "{error}");
}

#[test]
fn operands_out_of_range_have_no_encoding() {
    let offset = tables().field("offset").expect("a field").max();
    let load = |offset: u64, mode| {
        let text = "vload v0, a0, 0";
        let program = assemble("p", text).expect(text);
        match program.instructions[0] {
            Instruction::VLoad { vd, rm, .. } => encode(&Instruction::VLoad {
                vd,
                rm,
                offset: offset as u32,
                mode,
            }),
            other => panic!("{other}"),
        }
    };
    assert!(load(offset, Mode::Linear).is_ok());
    assert!(load(offset + 1, Mode::Linear).is_err());
    assert!(load(0, Mode::Strided(Mode::MAX_VALUE)).is_ok());
    assert!(load(0, Mode::Strided(Mode::MAX_VALUE + 1)).is_err());
}

#[test]
fn lines_are_kept() {
    let text = "# a comment\n\nvbcast v1, s0\n\n  unpklo v2, v1, v1 # another\n";
    let program = assemble("p", text).expect("two instructions");
    assert_eq!(program.lines, [3, 5]);
    assert_eq!((program.line(1), program.line(2)), (5, 0));
}

#[test]
fn a_directive_goes_on_where_the_one_before_it_ended() {
    let program = assemble("p", ".sdm 4: 1, 2\n.sdm 6: 3\n.sdm 9: 4\n").expect("directives");
    let words: Vec<_> = program
        .data
        .iter()
        .map(|s| (s.address, s.words.len()))
        .collect();
    assert_eq!(words, [(4, 3), (9, 1)]);
}

fn texts(folder: &str) -> Vec<PathBuf> {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR"))
        .join("tests")
        .join(folder);
    let entries = std::fs::read_dir(folder).expect("a folder");
    let mut files: Vec<PathBuf> = entries
        .map(|entry| entry.expect("an entry").path())
        .collect();
    files.retain(|file| {
        file.extension()
            .is_some_and(|extension| extension == "b512")
    });
    files.sort();
    assert!(!files.is_empty());
    files
}

#[test]
fn errors_say_where_and_what_is_allowed() {
    for file in texts("errors") {
        let text = std::fs::read_to_string(&file).expect("text");
        let error = assemble("p", &text).expect_err(&file.display().to_string());
        let expected = std::fs::read_to_string(file.with_extension("expected")).unwrap_or_default();
        assert_eq!(format!("{error}\n"), expected, "{}", file.display());
    }
}

/// Changes one byte of each file in turn, to each of a few others; also as words.
#[test]
fn damaged_text_and_words_are_read_or_refused() {
    for file in [texts("errors"), texts("programs")].concat() {
        let bytes = std::fs::read(&file).expect("bytes");
        check(&bytes);
        for i in 0..bytes.len() {
            for other in [0, b' ', b',', b'9', b'#', 0xff] {
                let mut damaged = bytes.clone();
                damaged[i] = other;
                check(&damaged);
            }
            check(&bytes[i..]);
        }
    }
    let step = u64::MAX / (1 << 14);
    let words: Vec<u8> = (0..1u64 << 14)
        .flat_map(|i| (i * step).to_be_bytes())
        .collect();
    check(&words);
}
