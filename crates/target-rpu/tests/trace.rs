//! A traced run is the same run, and its records tell the whole of it.

use ringwright_spec::Machine;
use ringwright_target_rpu::isa::{
    reciprocal, AReg, Form, Instruction, MReg, Mode, Op, Program, SReg, Segment, ShuffleOp, Space,
    VReg,
};
use ringwright_target_rpu::{run, traced, Config, Memories};

const Q: u128 = 0xffff_0001;

/// Every class, both shuffles, loads that conflict, a butterfly, and a store of its results.
fn program(config: &Config) -> Program {
    let v = VReg::from_field;
    let (rm, m) = (AReg::from_field(1), MReg::from_field(2));
    let vector = |vd, offset, mode| Instruction::VLoad {
        vd: v(vd),
        rm,
        offset,
        mode,
    };
    let length = config.vector_length as u32;
    let mut program = Program::new(
        "all",
        vec![
            Instruction::ALoad { rt: rm, address: 3 },
            Instruction::MLoad { rt: m, address: 0 },
            Instruction::SLoad {
                rt: SReg::from_field(5),
                address: 2,
            },
            vector(1, 0, Mode::Linear),
            vector(2, 1, Mode::Strided(2)),
            vector(3, 5, Mode::StridedSkip(1)),
            vector(4, 9, Mode::Repeated(3)),
            Instruction::Butterfly {
                form: Form::CooleyTukey,
                vd: v(5),
                vd1: v(6),
                vs: v(1),
                vt: v(2),
                vt1: v(3),
                rm: m,
            },
            Instruction::Shuffle {
                op: ShuffleOp::PackHigh,
                vd: v(7),
                vs: v(5),
                vt: v(6),
            },
            Instruction::VectorScalar {
                op: Op::Mul,
                vd: v(8),
                vs: v(7),
                rt: SReg::from_field(5),
                rm: m,
            },
            Instruction::Broadcast {
                vd: v(9),
                rt: SReg::from_field(5),
            },
            Instruction::Vector {
                op: Op::Sub,
                vd: v(8),
                vs: v(8),
                vt: v(9),
                rm: m,
            },
            Instruction::VStore {
                vs: v(8),
                rm,
                offset: 8 * length,
                mode: Mode::Strided(1),
            },
        ],
    );
    let words = (0..8 * u128::from(length))
        .map(|i| i * i * 977 % Q)
        .collect();
    program.data = vec![
        Segment {
            space: Space::Vdm,
            address: 0,
            words,
        },
        Segment {
            space: Space::Sdm,
            address: 0,
            words: vec![Q, reciprocal(Q, config.word_bits).expect("odd"), 12345, 7],
        },
    ];
    program
}

fn config(name: &str) -> Config {
    Config::new(&Machine::load(name).expect("shipped")).expect("buildable")
}

/// The value of element `i` of the result, from the definitions alone.
fn expected(config: &Config, i: usize) -> u128 {
    let length = config.vector_length;
    let word = |address: usize| (address * address) as u128 * 977 % Q;
    let base = 7;
    let result = |half: usize, element: usize| {
        let skip = base + 5 + (element / 2) * 4 + element % 2;
        let (s, t, w) = (
            word(base + element),
            word(base + 1 + 4 * element),
            word(skip),
        );
        let product = t * w % Q;
        if half == 0 {
            (s + product) % Q
        } else {
            (s + Q - product) % Q
        }
    };
    let packed = match i < length / 2 {
        true => result(0, 2 * i + 1),
        false => result(1, 2 * (i - length / 2) + 1),
    };
    (packed * 12345 + Q - 12345) % Q
}

#[test]
fn values_and_records_agree_with_the_definitions() {
    for name in ["rpu-128x128", "rpu-8x8", "trebuchet-v2"] {
        let config = config(name);
        let program = program(&config);
        let mut plain = Memories::new(&config);
        let schedule = run(&program, &config, &mut plain).expect("legal");
        let mut memories = Memories::new(&config);
        let (same, records) = traced(&program, &config, &mut memories).expect("legal");
        assert_eq!(schedule, same);
        assert_eq!(plain, memories);
        let first = 7 + 8 * config.vector_length;
        for i in 0..config.vector_length {
            assert_eq!(
                memories.vdm[first + 2 * i],
                expected(&config, i),
                "{name} {i}"
            );
        }
        let count = |unit: &str, event: &str| {
            let found = records
                .iter()
                .filter(|r| (r.unit, r.event) == (unit, event));
            found.count()
        };
        let instructions = program.instructions.len();
        assert_eq!(count("front_end", "issue"), instructions);
        let stalled = schedule.stalls.front_end;
        let stalls = stalled.busy.iter().chain(&stalled.queue_full).sum::<u64>();
        assert_eq!(count("front_end", "stall") as u64, stalls);
        assert_eq!(count("load_store", "hold") as u64, schedule.counters.holds);
        let written: usize = program
            .instructions
            .iter()
            .map(|i| i.vector_destinations().count())
            .sum();
        assert_eq!(count("vrf", "write"), written * config.vector_length);
        assert_eq!(count("vdm", "write"), config.vector_length);
        assert_eq!(count("busyboard", "write_set"), written);
        assert_eq!(count("busyboard", "write_clear"), written);
        assert_eq!(count("scalar", "mrf"), 1);
        let last = records.last().expect("not empty");
        assert_eq!((last.unit, last.cycle.0), ("core", schedule.cycles));
        assert!(records.windows(2).all(|w| w[0].cycle <= w[1].cycle));
        // The last value written to a register or a word is the one that stays.
        for record in records.iter().filter(|r| r.unit == "vdm") {
            assert_eq!(memories.vdm[record.destination as usize], record.value);
        }
    }
}
