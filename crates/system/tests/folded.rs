//! A run folded into one stage is the run with a stage for every step, to the femtosecond.
//!
//! Where two steps end in the same femtosecond, the critical path may go through either. Here every
//! kind of step has a decimal digit of its own in the times, so no two end together.

use proptest::prelude::*;
use ringwright_sim::{Clock, Femtoseconds, Provenance, Span};
use ringwright_system::{
    schedule, End, Entry, Host, Naming, Options, Resource, ResourceKind, Schedule, Stage,
    StageKind, Stages, Station, Waits, Workload,
};
use ringwright_target::{
    Called, Counters, Hardware, HostOperation, Part, StepKind, Steps, Task, Timing, Work, HOST,
};
use std::sync::Arc;
use std::time::Instant;

const UNITS: &[&str] = &["core", "dma"];

/// Kinds of steps: on one unit, on both, moves, and what the host does.
fn kinds() -> Vec<StepKind> {
    let step = |name, task, work, hardware, units| StepKind {
        name,
        task,
        work,
        hardware,
        units,
    };
    let described = Hardware::Described { through_rtl: None };
    let host = |operation, count| Work::HostFunction {
        operations: [(operation, count)].into(),
    };
    let (write, sample) = (HostOperation::RegisterWrite, HostOperation::BinomialSample);
    vec![
        step(
            "ntt",
            Task::Compute,
            Work::Kernel { cycles: 1 },
            Hardware::Rtl,
            &["core"],
        ),
        step(
            "mul",
            Task::Compute,
            Work::Kernel { cycles: 10 },
            Hardware::Rtl,
            &["core", "dma"],
        ),
        step(
            "load",
            Task::Move,
            Work::Transfer {
                cycles: 100,
                bytes: 8,
            },
            described,
            &["dma"],
        ),
        step(
            "write",
            Task::Control,
            host(write, 1),
            Hardware::Rtl,
            &[HOST],
        ),
        step("draw", Task::Sample, host(sample, 1), described, &[HOST]),
    ]
}

fn station() -> Station {
    let text = "name = \"h\"\ntitle = \"t\"\n[parameters]\n\
                clock_fs = { value = 1_000_000, source = \"test\" }\n[cycles]\n\
                register_write = { value = 1, provenance = \"rtl\", source = \"test\" }\n\
                binomial_sample = { value = 1000, low = 100, high = 10000, provenance = \"fitted\", source = \"test\" }\n";
    Station {
        device: "device".to_owned(),
        part_of: "device".to_owned(),
        host: Host::new(&ringwright_spec::Host::parse("h.toml", text).expect("a host")),
        processor: Resource::new("h", ResourceKind::Host),
        naming: Naming::Own,
    }
}

/// Steps by kind, each waiting for some before it: bits of a mask, the nearest first.
type Drawn = Vec<(usize, u8)>;

fn timing(parts: &[Drawn], calls: &[usize]) -> Timing {
    let part = |drawn: &Drawn| {
        let mut steps = Steps::new();
        for (index, (kind, mask)) in drawn.iter().enumerate() {
            let near = (0..8).filter(|bit| mask >> bit & 1 == 1);
            let after: Vec<usize> = near.filter_map(|bit| index.checked_sub(bit + 1)).collect();
            steps.push(kinds().swap_remove(*kind), &after, None);
        }
        Arc::new(Part::new(steps, Counters::new()))
    };
    let called = |&part: &usize| Called {
        part,
        sources: [ringwright_target::Source {
            name: "f".into(),
            call: None,
            loc: None,
        }]
        .into(),
    };
    let clock = Clock::new("core", Femtoseconds(1000), Provenance::Modelled).expect("a clock");
    let parts = parts.iter().map(part).collect();
    let timing = Timing::new(clock, UNITS, parts, calls.iter().map(called).collect());
    timing.expect("parts and calls add up")
}

/// Something before the run, the run, something after it.
fn scheduled(timing: &Timing, folded: bool, end: Option<End>) -> Schedule {
    let (station, mut stages) = (station(), Stages::new());
    let link = stages
        .resource(&Resource::new("link", ResourceKind::Link))
        .expect("new");
    let moved = |name| {
        let time = Femtoseconds(12_345);
        Stage::new(name, StageKind::Transfer, link, time, Provenance::Modelled)
    };
    let before = [stages.push(moved("operands"))];
    if folded {
        station
            .run_folded(&mut stages, timing, &before)
            .expect("costs are known");
    } else {
        let waits = Waits {
            all: &before,
            device: &[],
        };
        station
            .run(&mut stages, timing, waits)
            .expect("costs are known");
    }
    let ends = stages.ends(1);
    stages.push(moved("results").after(ends));
    let mut workload = Workload::of(Stages::new(), [stages]).expect("one link");
    if let Some(end) = end {
        workload = workload.at(end).expect("short");
    }
    schedule(workload, Options::SEQUENTIAL).expect("a schedule")
}

fn entries(schedule: &Schedule) -> Vec<Entry> {
    schedule.ledger().entries().to_vec()
}

/// The spans of the resources, and those of the critical path after them.
fn spans(schedule: &Schedule) -> (Vec<Span>, Vec<Span>) {
    let mut timeline = schedule.timeline().expect("spans fit");
    schedule
        .add_critical_path(&mut timeline)
        .expect("they do too");
    let resources = schedule.workload().resources.len();
    let spans = timeline.spans().iter().cloned();
    spans.partition(|span| span.track.0 < resources)
}

fn parts_and_calls() -> impl Strategy<Value = (Vec<Drawn>, Vec<usize>)> {
    let steps = prop::collection::vec((0..5_usize, any::<u8>()), 1..7);
    prop::collection::vec(steps, 1..4).prop_flat_map(|parts| {
        let calls = prop::collection::vec(0..parts.len(), 1..7);
        (Just(parts), calls)
    })
}

proptest! {
    #[test]
    fn folded_is_unfolded((parts, calls) in parts_and_calls()) {
        let timing = timing(&parts, &calls);
        for end in [None, Some(End::Low), Some(End::High)] {
            let (one, all) = (scheduled(&timing, true, end), scheduled(&timing, false, end));
            prop_assert_eq!(one.total(), all.total());
            prop_assert_eq!(entries(&one), entries(&all));
            prop_assert_eq!(one.loads(), all.loads());
            prop_assert_eq!(spans(&one), spans(&all));
        }
    }
}

#[test]
fn the_ledger_of_a_million_calls_takes_seconds() {
    let parts: Vec<Drawn> = (0..30)
        .map(|seed| vec![(2, 0), (0, 1), (seed % 5, 3), (2, 1)])
        .collect();
    let calls: Vec<usize> = (0..1_000_000).map(|call| call % parts.len()).collect();
    let timing = timing(&parts, &calls);
    let begun = Instant::now();
    let schedule = scheduled(&timing, true, None);
    let ledger = schedule.ledger();
    let took = begun.elapsed();
    let exposed: u64 = ledger.entries().iter().map(|entry| entry.exposed.0).sum();
    assert_eq!(exposed, schedule.total().0);
    assert!(took.as_secs_f64() < 2.0, "a million calls took {took:?}");
}
