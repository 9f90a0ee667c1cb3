//! The reasons of every cycle, counted again from the times of the instructions alone.

use ringwright_spec::Machine;
use ringwright_target_rpu::config::{BusyRule, LoadStorePipes, VrfPorts};
use ringwright_target_rpu::isa::Class;
use ringwright_target_rpu::random::{random_program, Options};
use ringwright_target_rpu::schedule::{PipeStalls, Schedule, Times};
use ringwright_target_rpu::{run, Config, Memories};

const SEEDS: u64 = 12;
const LENGTH: usize = 200;

fn machines() -> Vec<Config> {
    let base = Config::new(&Machine::load("rpu-8x8").expect("shipped")).expect("buildable");
    vec![
        Config {
            ii: 2,
            gap: 1,
            ..base.clone()
        },
        Config {
            vrf_ports: VrfPorts::Unlimited,
            busy_rule: BusyRule::OneBit,
            queue_depth: 2,
            ..base.clone()
        },
        Config {
            load_store_pipes: LoadStorePipes::Separate,
            gap: 2,
            ..base.clone()
        },
        base,
    ]
}

/// Cycles of a pipeline of beats, cycle by cycle: taken, gap, waiting for a port, empty.
fn counted(times: &[Times], config: &Config, cycles: u64) -> [u64; 4] {
    let mut counts = [0; 4];
    for cycle in 0..cycles {
        let taken = times.iter().any(|t| t.start <= cycle && cycle < t.taken);
        let after = |t: &Times| t.taken <= cycle && cycle < t.taken + config.gap;
        let gap = times.iter().any(after);
        let waits = times.iter().any(|t| t.issue < cycle && cycle < t.start);
        let reason = [taken, gap, waits].iter().position(|&is| is);
        counts[reason.unwrap_or(3)] += 1;
    }
    counts
}

fn stated(stalls: &PipeStalls) -> [u64; 4] {
    [
        stalls.work + stalls.interval,
        stalls.gap,
        stalls.vrf_port,
        stalls.empty,
    ]
}

fn front_end(schedule: &Schedule) -> [u64; 3] {
    let issues: Vec<u64> = schedule.instructions.iter().map(|t| t.issue).collect();
    let last = *issues.last().expect("not empty");
    let waits = (0..last).filter(|cycle| issues.binary_search(cycle).is_err());
    let issued = issues.len() as u64;
    [issued, waits.count() as u64, schedule.cycles - last - 1]
}

#[test]
fn every_cycle_has_the_reason_that_the_times_show() {
    let options = Options {
        instructions: LENGTH,
        memory_order_error: false,
    };
    for config in machines() {
        for seed in 0..SEEDS {
            let program = random_program(seed, &config, options).expect("room");
            let mut memories = Memories::new(&config);
            let schedule = run(&program, &config, &mut memories).expect("legal");
            let of = |class: Class| -> Vec<Times> {
                let both = program.instructions.iter().zip(&schedule.instructions);
                let of_class = both.filter(|(i, _)| i.class() == class);
                of_class.map(|(_, times)| *times).collect()
            };
            let stalls = &schedule.stalls;
            for (class, pipe) in [
                (Class::Compute, &stalls.compute),
                (Class::Shuffle, &stalls.shuffle),
            ] {
                let found = counted(&of(class), &config, schedule.cycles);
                assert_eq!(found, stated(pipe), "{class:?}, seed {seed}, {config:?}");
            }
            let f = &stalls.front_end;
            let waits = f.busy.iter().chain(&f.queue_full).sum();
            assert_eq!(front_end(&schedule), [f.issue, waits, f.drained]);
            let pipes = [stalls.compute, stalls.shuffle, stalls.load_store];
            for pipe in pipes.iter().chain(&stalls.store) {
                assert_eq!(pipe.total(), schedule.cycles);
            }
        }
    }
}
