//! The time of small programs as closed forms of the machine's parameters.

use ringwright_spec::Machine;
use ringwright_target_rpu::config::{
    BusyRule, Config, LoadStorePipes, SourceRelease, VdmMap, VrfClash, VrfPorts,
};
use ringwright_target_rpu::isa::{
    AReg, Form, Instruction, MReg, Mode, Op, Program, SReg, ShuffleOp, VReg,
};
use ringwright_target_rpu::{time, Problem, ProgramError, Schedule};

fn base() -> Config {
    Config::new(&Machine::load("rpu-128x128").expect("shipped")).expect("buildable")
}

fn free_ports() -> Config {
    Config {
        vrf_ports: VrfPorts::Unlimited,
        ..base()
    }
}

fn run(config: &Config, instructions: &[Instruction]) -> Result<Schedule, ProgramError> {
    let program = Program::new("test", instructions.to_vec());
    let schedule = time(&program, config, &vec![0; config.sdm_words])?;
    let stalls = &schedule.stalls;
    assert_eq!(stalls.front_end.total(), schedule.cycles, "{stalls:?}");
    let pipes = [stalls.compute, stalls.shuffle, stalls.load_store];
    for pipe in pipes.iter().chain(&stalls.store) {
        assert_eq!(pipe.total(), schedule.cycles, "{stalls:?}");
    }
    Ok(schedule)
}

fn cycles(config: &Config, instructions: &[Instruction]) -> u64 {
    run(config, instructions).expect("a legal program").cycles
}

fn problem(config: &Config, instructions: &[Instruction]) -> Problem {
    let error = run(config, instructions).expect_err("an illegal program");
    assert_eq!(error.instruction, Some(instructions.len() - 1));
    assert_eq!(error.line as usize, instructions.len());
    *error.what
}

fn v(number: u8) -> VReg {
    VReg::new(number).expect("a register")
}

fn load_mode(vd: u8, offset: u32, mode: Mode) -> Instruction {
    let rm = AReg::from_field(0);
    let vd = v(vd);
    Instruction::VLoad {
        vd,
        rm,
        offset,
        mode,
    }
}

fn load(vd: u8, offset: u32) -> Instruction {
    load_mode(vd, offset, Mode::Linear)
}

fn store(vs: u8, offset: u32) -> Instruction {
    Instruction::VStore {
        vs: v(vs),
        rm: AReg::from_field(0),
        offset,
        mode: Mode::Linear,
    }
}

fn bfly(vd: u8, vd1: u8, vs: u8, vt: u8, vt1: u8) -> Instruction {
    Instruction::Butterfly {
        form: Form::CooleyTukey,
        vd: v(vd),
        vd1: v(vd1),
        vs: v(vs),
        vt: v(vt),
        vt1: v(vt1),
        rm: MReg::from_field(0),
    }
}

fn add(vd: u8, vs: u8, vt: u8) -> Instruction {
    Instruction::Vector {
        op: Op::Add,
        vd: v(vd),
        vs: v(vs),
        vt: v(vt),
        rm: MReg::from_field(0),
    }
}

fn shuffle(op: ShuffleOp, vd: u8, vs: u8, vt: u8) -> Instruction {
    Instruction::Shuffle {
        op,
        vd: v(vd),
        vs: v(vs),
        vt: v(vt),
    }
}

/// Cycles of an instruction alone, from decode: issue, beats, latency.
struct Alone {
    load_store: u64,
    scalar: u64,
    compute: u64,
    shuffle: u64,
}

const ISSUE: u64 = 1;

fn alone(config: &Config) -> Alone {
    let beats = config.beats() as u64;
    Alone {
        load_store: ISSUE + beats + config.load_store_latency,
        scalar: ISSUE + 1 + config.load_store_latency,
        compute: ISSUE + (beats - 1) * config.ii + 1 + config.compute_latency,
        shuffle: ISSUE + beats + config.shuffle_latency,
    }
}

#[test]
fn one_instruction_of_each_class() {
    for config in [base(), free_ports(), Config { ii: 2, ..base() }] {
        let alone = alone(&config);
        let sload = Instruction::SLoad {
            rt: SReg::from_field(1),
            address: 7,
        };
        assert_eq!(cycles(&config, &[load(1, 0)]), alone.load_store);
        assert_eq!(cycles(&config, &[store(1, 0)]), alone.load_store);
        assert_eq!(cycles(&config, &[sload]), alone.scalar);
        assert_eq!(cycles(&config, &[add(1, 2, 3)]), alone.compute);
        assert_eq!(cycles(&config, &[bfly(1, 2, 3, 4, 5)]), alone.compute);
        let merge = shuffle(ShuffleOp::PackLow, 1, 2, 3);
        assert_eq!(cycles(&config, &[merge]), alone.shuffle);
        assert_eq!(cycles(&config, &[]), 0);
    }
}

/// Three loads, nine times a butterfly and the two shuffles behind it, a butterfly, two stores.
#[test]
fn a_chain_of_butterflies_and_shuffles() {
    let config = base();
    let (alone, beats) = (alone(&config), config.beats() as u64);
    let mut program = vec![load(1, 0), load(2, 512), load(3, 1024)];
    for _ in 0..9 {
        program.push(bfly(4, 5, 1, 2, 3));
        program.push(shuffle(ShuffleOp::UnpackLow, 1, 4, 5));
        program.push(shuffle(ShuffleOp::UnpackHigh, 2, 4, 5));
    }
    program.extend([bfly(4, 5, 1, 2, 3), store(4, 0), store(5, 512)]);
    let loads = alone.load_store + 2 * beats;
    let stage = alone.compute + alone.shuffle + beats;
    let stores = alone.load_store + beats;
    let expected = loads + 9 * stage + alone.compute + stores;
    assert_eq!((loads, stage, alone.compute, stores), (19, 29, 15, 15));
    assert_eq!(cycles(&config, &program), expected);
    assert_eq!(cycles(&free_ports(), &program), expected);
}

#[test]
fn independent_instructions_follow_each_other_after_beats_and_gap() {
    for (ii, gap) in [(1, 0), (2, 0), (1, 3), (2, 1)] {
        let config = Config {
            ii,
            gap,
            ..free_ports()
        };
        let (alone, beats) = (alone(&config), config.beats() as u64);
        let count = 6;
        let adds: Vec<_> = (0..count).map(|i| add(i, 20, 21)).collect();
        let followers = u64::from(count) - 1;
        assert_eq!(
            cycles(&config, &adds),
            alone.compute + followers * (beats * ii + gap)
        );
        let loads: Vec<_> = (0..count).map(|i| load(i, 0)).collect();
        assert_eq!(
            cycles(&config, &loads),
            alone.load_store + followers * (beats + gap)
        );
        let schedule = run(&config, &adds).expect("legal");
        assert_eq!(schedule.stalls.compute.interval, 6 * beats * (ii - 1));
    }
}

#[test]
fn a_full_queue_stops_the_front_end() {
    let config = Config {
        queue_depth: 2,
        ..free_ports()
    };
    let beats = config.beats() as u64;
    let adds: Vec<_> = (0..6).map(|i| add(i, 20, 21)).collect();
    let schedule = run(&config, &adds).expect("legal");
    let issues: Vec<u64> = schedule.instructions.iter().map(|t| t.issue).collect();
    // Two in the queue, one of which starts in cycle 1; the third takes its place one cycle after,
    // the others wait until the next start, every `beats` cycles.
    let expected = [0, 1, 2, 2 + beats, 2 + 2 * beats, 2 + 3 * beats];
    assert_eq!(issues, expected);
    let waits = 3 * (beats - 1);
    assert_eq!(schedule.stalls.front_end.queue_full, [0, waits, 0]);
}

#[test]
fn sources_are_released_when_read_or_when_done() {
    let config = free_ports();
    let program = [add(1, 2, 3), load(2, 0)];
    let issue = |config: &Config| run(config, &program).expect("legal").instructions[1].issue;
    let (beats, alone) = (config.beats() as u64, alone(&config));
    assert_eq!(issue(&config), ISSUE + beats);
    let completion = Config {
        source_release: SourceRelease::Completion,
        ..config.clone()
    };
    assert_eq!(issue(&completion), alone.compute);
}

#[test]
fn readers_share_a_register_unless_one_bit_stands_for_all_uses() {
    let config = free_ports();
    let program = [add(1, 2, 2), shuffle(ShuffleOp::PackLow, 4, 2, 5)];
    let issue = |config: &Config| run(config, &program).expect("legal").instructions[1].issue;
    assert_eq!(issue(&config), ISSUE);
    let one_bit = Config {
        busy_rule: BusyRule::OneBit,
        ..config.clone()
    };
    assert_eq!(issue(&one_bit), ISSUE + config.beats() as u64);
}

#[test]
fn registers_of_one_memory_are_no_operands_of_one_instruction() {
    let config = base();
    let srams = 16;
    let stacked = |first, second| Problem::StackedRegisters {
        first,
        second,
        sram: 1,
    };
    assert_eq!(problem(&config, &[add(0, 1, 1 + srams)]), stacked(1, 17));
    assert_eq!(
        problem(&config, &[bfly(1, 1 + srams, 2, 3, 4)]),
        stacked(1, 17)
    );
    // Once read, a register serves both operands; results follow when the operands are read.
    cycles(&config, &[add(1, 1, 1)]);
    cycles(&config, &[add(1 + srams, 1, 2)]);
    cycles(&free_ports(), &[add(0, 1, 1 + srams)]);
    let few = Config { hples: 4, ..config };
    assert!(few.beats() as u64 > few.compute_latency);
    assert_eq!(problem(&few, &[add(1 + srams, 1, 2)]), stacked(1, 17));
    assert_eq!(problem(&few, &[add(1, 1, 2)]), stacked(1, 1));
}

#[test]
fn the_later_of_two_instructions_waits_for_a_port() {
    let config = base();
    let beats = config.beats() as u64;
    // The shuffle would read v17 in the cycles in which the sum reads v1, of the same memory.
    let program = [add(0, 1, 2), shuffle(ShuffleOp::PackLow, 3, 17, 20)];
    let start = |config: &Config| {
        let schedule = run(config, &program).expect("legal");
        (
            schedule.instructions[1].start,
            schedule.stalls.shuffle.vrf_port,
        )
    };
    assert_eq!(start(&free_ports()), (2, 0));
    let sum_starts = ISSUE;
    assert_eq!(start(&config), (sum_starts + beats, beats - 1));
    let error = Config {
        vrf_clash: VrfClash::Error,
        ..config
    };
    let clash = problem(&error, &program);
    assert_eq!(
        clash,
        Problem::VrfClash {
            cycle: sum_starts + beats - 1,
            sram: 1
        }
    );
}

#[test]
fn loads_hold_for_reserved_ports() {
    let config = base();
    let (alone, beats) = (alone(&config), config.beats() as u64);
    // The load writes v1 while sums read v17 of the same memory, without a pause.
    let adds = 4;
    let mut program = vec![load(1, 0)];
    program.extend((0..adds).map(|i| add(4 + i, 17, 18)));
    let schedule = run(&config, &program).expect("legal");
    let sums_start = 1 + ISSUE;
    let first_write = ISSUE + config.load_store_latency;
    let held = sums_start + u64::from(adds) * beats - first_write;
    assert_eq!(schedule.counters.holds, held);
    assert_eq!(schedule.stalls.load_store.vrf_port, held);
    assert_eq!(schedule.instructions[0].end, alone.load_store + held);
}

#[test]
fn a_store_waits_for_the_row_that_a_load_writes() {
    let config = base();
    let beats = config.beats() as u64;
    // Row 0 of the load is written `load_store_latency` steps after it was read, while the store
    // behind it reads; so each row that the store would read in that time waits for one.
    let program = [load(1, 0), store(17, 4096)];
    let schedule = run(&config, &program).expect("legal");
    let writes = |row: u64| config.load_store_latency + row;
    let mut step = beats;
    let mut bubbles = 0;
    for _ in 0..beats {
        while (0..beats).any(|row| writes(row) == step) {
            step += 1;
            bubbles += 1;
        }
        step += 1;
    }
    assert!(bubbles > 0);
    assert_eq!(schedule.stalls.load_store.bubble, bubbles);
    let separate = Config {
        load_store_pipes: LoadStorePipes::Separate,
        ..config
    };
    // The store starts with the load before it and meets the last row of the first one.
    let program = [load(1, 0), load(2, 0), load(3, 0), store(17, 4096)];
    let last_row = ISSUE + beats - 1 + separate.load_store_latency;
    let schedule = run(&separate, &program).expect("legal");
    assert_eq!(schedule.instructions[2].start + 1, last_row);
    assert_eq!(schedule.instructions[3].start, last_row + 1);
    assert_eq!(schedule.stalls.load_store.bubble, 0);
    let store = schedule.stalls.store.expect("its own pipeline");
    assert_eq!((store.vrf_port, schedule.counters.holds), (1, 1));
}

#[test]
fn strides_meet_in_banks_without_skew() {
    for v in 1..=7_u8 {
        let program = [load_mode(1, 0, Mode::Strided(v))];
        let skewed = free_ports();
        let modulo = Config {
            vdm_map: VdmMap::Modulo,
            ..skewed.clone()
        };
        let beats = skewed.beats() as u64;
        assert_eq!(cycles(&skewed, &program), alone(&skewed).load_store);
        let conflicts = beats * ((1 << v) - 1);
        assert_eq!(
            cycles(&modulo, &program),
            alone(&modulo).load_store + conflicts
        );
        let schedule = run(&modulo, &program).expect("legal");
        assert_eq!(schedule.stalls.load_store.bank_conflict, conflicts);
    }
}

#[test]
fn unaligned_rows_meet_themselves_with_skew() {
    let skewed = free_ports();
    let modulo = Config {
        vdm_map: VdmMap::Modulo,
        ..skewed.clone()
    };
    let program = [load(1, 3)];
    assert_eq!(cycles(&modulo, &program), alone(&modulo).load_store);
    let beats = skewed.beats() as u64;
    assert_eq!(cycles(&skewed, &program), alone(&skewed).load_store + beats);
}

#[test]
fn a_load_behind_a_store_of_its_words_comes_too_early() {
    let config = base();
    // The store writes a word `latency` after it reads the row; the load follows after `beats`.
    let program = [store(1, 512), load(2, 512)];
    match problem(&config, &program) {
        Problem::MemoryOrder {
            address,
            other,
            other_line,
            kind,
            other_kind,
            cycle,
            other_cycle,
        } => {
            assert_eq!((address, other, other_line), (512, 0, 1));
            assert_eq!((kind, other_kind), ("read", "writes"));
            assert_eq!(other_cycle, ISSUE + config.load_store_latency);
            assert_eq!(cycle, ISSUE + config.beats() as u64);
        }
        other => panic!("{other}"),
    }
    cycles(&config, &[store(1, 512), load(2, 0)]);
    // With enough between them the word is there.
    let rest = config.load_store_latency.div_ceil(config.beats() as u64) as u32;
    let mut program = vec![store(1, 512)];
    program.extend((0..rest).map(|i| load(3 + i as u8, 4096)));
    program.push(load(2, 512));
    cycles(&config, &program);
}

#[test]
fn a_store_overtakes_a_load_only_in_a_pipeline_of_its_own() {
    let shared = Config {
        vdm_map: VdmMap::Modulo,
        ..free_ports()
    };
    // All words of a row in one bank: the load takes longer than the latency.
    let stride = Mode::Strided(7);
    let program = [load_mode(1, 0, stride), store(2, 400 << 7)];
    cycles(&shared, &program);
    let separate = Config {
        load_store_pipes: LoadStorePipes::Separate,
        ..shared
    };
    match problem(&separate, &program) {
        Problem::MemoryOrder {
            kind, other_kind, ..
        } => {
            assert_eq!((kind, other_kind), ("written", "reads"));
        }
        other => panic!("{other}"),
    }
}

#[test]
fn what_leaves_a_memory_is_refused() {
    let config = base();
    let last = config.vdm_words as u32 - config.vector_length as u32;
    cycles(&config, &[load(1, last)]);
    let beyond = u64::from(last) + config.vector_length as u64;
    assert_eq!(
        problem(&config, &[load(1, last + 1)]),
        Problem::OutsideVdm {
            first: u64::from(last) + 1,
            last: beyond,
            words: config.vdm_words
        }
    );
    let address = config.sdm_words as u32;
    let rt = SReg::from_field(0);
    let outside = Problem::OutsideSdm {
        address: u64::from(address),
        words: config.sdm_words,
    };
    assert_eq!(
        problem(&config, &[Instruction::SLoad { rt, address }]),
        outside
    );
    let (rt, address) = (MReg::from_field(0), address - 1);
    assert_eq!(
        problem(&config, &[Instruction::MLoad { rt, address }]),
        outside
    );
    let value = 8;
    let store = Instruction::VStore {
        vs: v(0),
        rm: AReg::from_field(0),
        offset: 0,
        mode: Mode::Repeated(value),
    };
    assert_eq!(
        problem(&config, &[store]),
        Problem::RepeatedStore { value, least: 9 }
    );
    let long = Program::new("long", vec![load(0, 0); config.im_words + 1]);
    let error = time(&long, &config, &vec![0; config.sdm_words]).expect_err("too long");
    assert_eq!((error.instruction, error.line), (None, 0));
}

#[test]
fn shuffles_in_place_need_all_rows_read_before_the_first_is_written() {
    let config = free_ports();
    let in_place = [shuffle(ShuffleOp::UnpackLow, 1, 1, 2)];
    assert!(config.beats() as u64 <= config.shuffle_latency);
    cycles(&config, &in_place);
    let long = Config {
        hples: 32,
        ..config
    };
    let refused = problem(&long, &in_place);
    assert!(matches!(
        refused,
        Problem::ShuffleInPlace { register: 1, .. }
    ));
}

#[test]
fn spans_stand_apart_whatever_the_machine() {
    let machines = [
        base(),
        Config {
            source_release: SourceRelease::Completion,
            ii: 2,
            ..free_ports()
        },
        Config {
            load_store_pipes: LoadStorePipes::Separate,
            gap: 1,
            ..base()
        },
    ];
    for config in machines {
        let mut instructions: Vec<_> = (0..6).map(|i| load(i, 512 * u32::from(i))).collect();
        instructions.extend((0..6).map(|i| bfly(10 + i, 20 + i, 1, 2, 3)));
        instructions.extend((0..4).map(|i| store(10 + i, 8192 + 512 * u32::from(i))));
        let program = Program::new("spans", instructions);
        let schedule = time(&program, &config, &vec![0; config.sdm_words]).expect("legal");
        let timeline = ringwright_target_rpu::timeline::timeline(&program, &config, &schedule);
        let timeline = timeline.expect("within the range");
        timeline.edges().expect("spans nest");
        let waits = schedule.waits.len();
        assert_eq!(timeline.spans().len(), program.instructions.len() + waits);
    }
}
