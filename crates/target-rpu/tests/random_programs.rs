//! Random programs: repeatable, complete in what they cover, and readable as text.

use ringwright_target_rpu::config::{Config, VdmMap, VrfMap, VrfPorts};
use ringwright_target_rpu::isa::{assemble, encode};
use ringwright_target_rpu::machines;
use ringwright_target_rpu::random::{coverage, random_program, required, Coverage, Options};

fn small() -> Config {
    Config::new(&machines::load("rpu-8x8").expect("it ships")).expect("sound")
}

const LENGTH: Options = Options {
    instructions: 400,
    memory_order_error: false,
};

#[test]
fn a_seed_gives_one_program_and_two_seeds_two() {
    let program = |seed| random_program(seed, &small(), LENGTH).expect("room");
    assert_eq!(program(1), program(1));
    assert_ne!(program(1).instructions, program(2).instructions);
}

#[test]
fn every_instruction_has_an_encoding_and_text() {
    for seed in 0..20 {
        let program = random_program(seed, &small(), LENGTH).expect("room");
        assert!(program.instructions.len() > LENGTH.instructions / 2);
        for instruction in &program.instructions {
            encode(instruction).unwrap_or_else(|e| panic!("seed {seed}: {instruction}: {e}"));
        }
        let text = program.to_string();
        assert_eq!(assemble(&program.name, &text), Ok(program));
    }
}

/// The more a machine refuses, the harder the bins are to fill.
#[test]
fn a_few_programs_fill_every_bin() {
    let small = small();
    let kinds = [
        small.clone(),
        Config {
            vdm_map: VdmMap::Modulo,
            ..small.clone()
        },
        Config {
            vrf_ports: VrfPorts::Unlimited,
            ..small.clone()
        },
        Config {
            vrf_map: VrfMap::Quotient,
            hples: 32,
            banks: 4,
            ..small
        },
    ];
    for config in kinds {
        let mut all = Coverage::new();
        for seed in 0..40 {
            let program = random_program(seed, &config, LENGTH).expect("room");
            for (bin, count) in coverage(&program, &config) {
                *all.entry(bin).or_default() += count;
            }
        }
        let missing: Vec<_> = required(&config)
            .into_iter()
            .filter(|b| !all.contains_key(b))
            .collect();
        assert!(missing.is_empty(), "{config:?}: {missing:?}");
    }
}

#[test]
fn memories_without_room_have_no_program() {
    let small = small();
    let vdm_words = 2 * small.vector_length;
    assert!(random_program(
        1,
        &Config {
            vdm_words,
            ..small.clone()
        },
        LENGTH
    )
    .is_none());
    assert!(random_program(
        1,
        &Config {
            sdm_words: 8,
            ..small
        },
        LENGTH
    )
    .is_none());
}
