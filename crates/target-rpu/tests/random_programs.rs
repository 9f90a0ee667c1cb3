//! Random programs: repeatable, complete in what they cover, and readable as text.

use ringwright_spec::Machine;
use ringwright_target_rpu::config::{
    BusyRule, Config, LoadStorePipes, SourceRelease, VdmMap, VrfMap, VrfPorts,
};
use ringwright_target_rpu::isa::{assemble, encode, Program};
use ringwright_target_rpu::random::{check, coverage, random_program, required, Coverage, Options};
use ringwright_target_rpu::{run, Memories, ProgramError, Schedule};
use std::collections::BTreeMap;

fn small() -> Config {
    Config::new(&Machine::load("rpu-8x8").expect("it ships")).expect("sound")
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

/// Machines that differ in everything that changes what is legal or when it happens.
fn machines() -> Vec<Config> {
    let small = small();
    vec![
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
            ..small.clone()
        },
        Config {
            load_store_pipes: LoadStorePipes::Separate,
            gap: 1,
            ..small.clone()
        },
        Config {
            busy_rule: BusyRule::OneBit,
            ii: 2,
            gap: 1,
            ..small.clone()
        },
        Config {
            source_release: SourceRelease::Completion,
            hples: 1,
            ..small.clone()
        },
        Config {
            queue_depth: 1,
            compute_latency: 4,
            shuffle_latency: 3,
            load_store_latency: 1,
            ..small
        },
    ]
}

fn run_on(program: &Program, config: &Config) -> Result<Schedule, ProgramError> {
    run(program, config, &mut Memories::new(config))
}

#[test]
fn machines_take_random_programs() {
    for config in machines() {
        for seed in 0..25 {
            let program = random_program(seed, &config, LENGTH).expect("room");
            if let Err(error) = run_on(&program, &config) {
                panic!("seed {seed}, {config:?}: {error}");
            }
        }
    }
}

/// What the text of a program promises is what happens: nothing that can delay an instruction is
/// left out.
#[test]
fn every_reason_to_wait_occurs() {
    let mut all = BTreeMap::<String, u64>::new();
    for config in machines() {
        for seed in 0..10 {
            let program = random_program(seed, &config, LENGTH).expect("room");
            for (unit, reason, cycles) in run_on(&program, &config).expect("legal").stalls.rows() {
                *all.entry(format!("{unit}: {reason}")).or_default() += cycles;
            }
        }
    }
    // The lanes wait neither for banks nor for rows, what moves words has no beats.
    let impossible = [
        "compute: bank conflict",
        "compute: row clash",
        "load_store: initiation interval",
        "shuffle: bank conflict",
        "shuffle: initiation interval",
        "shuffle: row clash",
        "store: initiation interval",
        "store: row clash",
    ];
    for (reason, cycles) in all {
        assert_eq!(
            cycles == 0,
            impossible.contains(&reason.as_str()),
            "{reason}: {cycles}"
        );
    }
}

#[test]
fn a_store_that_is_overtaken_is_an_error() {
    let options = Options {
        memory_order_error: true,
        ..LENGTH
    };
    for config in machines() {
        for seed in 0..5 {
            let program = random_program(seed, &config, options).expect("room");
            let error = run_on(&program, &config).expect_err("a load before its store");
            assert_eq!(
                error.instruction,
                Some(program.instructions.len() - 1),
                "{error}"
            );
        }
    }
}

/// The more a machine refuses, the harder the bins are to fill.
#[test]
fn a_few_programs_fill_every_bin() {
    for config in machines() {
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

/// Bytes that choose a machine, a program and what is wrong with it.
#[test]
fn machines_run_or_refuse_anything() {
    const STRINGS: u64 = 300;
    const LENGTH: usize = 64;
    for seed in 0..STRINGS {
        let mut state = seed;
        let mut next = || {
            state = state
                .wrapping_mul(6364136223846793005)
                .wrapping_add(1442695040888963407);
            (state >> 56) as u8
        };
        let bytes: Vec<u8> = (0..LENGTH).map(|_| next()).collect();
        check(&small(), &bytes);
    }
    // Words of a program: sixteen of each opcode.
    let words = (0..256u64)
        .map(|i| i << 44 | (i * i) << 16 & 0xff_ffff)
        .map(u64::to_le_bytes);
    let machine_and_words = std::iter::repeat_n(0, 16).chain(words.flatten());
    check(&small(), &machine_and_words.collect::<Vec<u8>>());
}
