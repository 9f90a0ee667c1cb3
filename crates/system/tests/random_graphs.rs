//! Random job graphs: the ledger adds up, and the schedule keeps its own rules.
//!
//! The checks read only the placed times; they share no code with the scheduler.

use proptest::prelude::*;
use ringwright_sim::{EdgeKind, Femtoseconds, Provenance};
use ringwright_system::{
    schedule, Detail, Job, JobId, Options, Placed, ResourceId, ResourceKind, Schedule, SegmentKind,
    Stage, StageKind, Workload,
};
use std::collections::BTreeMap;

const RESOURCES: usize = 3;

fn any_stage(index: usize) -> impl Strategy<Value = Stage> {
    let kind = prop_oneof![
        Just(StageKind::Kernel),
        Just(StageKind::HostFunction),
        Just(StageKind::Transfer)
    ];
    let provenance = prop_oneof![Just(Provenance::Measured), Just(Provenance::Modelled)];
    let latency = prop_oneof![2 => Just(0_u64), 1 => 0_u64..9];
    let numbers = (0..RESOURCES, any::<[bool; RESOURCES]>(), 0_u64..12, latency);
    let waits = prop::collection::vec(any::<bool>(), index);
    (kind, provenance, numbers, waits, 0..4_u8).prop_map(
        move |(kind, provenance, (resource, holds, duration, latency), waits, name)| {
            let name = format!("stage {name}");
            let duration = Femtoseconds(duration);
            let mut stage = Stage::new(name, kind, ResourceId(resource), duration, provenance);
            stage.latency = Femtoseconds(latency);
            stage.after = (0..index).filter(|before| waits[*before]).collect();
            // Rarely more than one resource: all three at once would serialise everything.
            let others = (0..RESOURCES).filter(|other| *other != resource && holds[*other]);
            stage.also_holds = others
                .take(usize::from(duration.0.is_multiple_of(3)))
                .map(ResourceId)
                .collect();
            stage.details = inside(duration);
            stage
        },
    )
}

/// A detail that fills the stage, and two that fill the detail.
fn inside(duration: Femtoseconds) -> Vec<Detail> {
    let half = duration.0 / 2;
    [(0, duration.0), (0, half), (half, duration.0 - half)]
        .map(detail)
        .to_vec()
}

fn detail((offset, length): (u64, u64)) -> Detail {
    Detail {
        name: "detail".to_string(),
        offset: Femtoseconds(offset),
        duration: Femtoseconds(length),
        args: Vec::new(),
    }
}

/// One stage with this inside.
fn with_details(duration: u64, details: &[(u64, u64)]) -> Workload {
    let (kind, length) = (StageKind::Kernel, Femtoseconds(duration));
    let mut stage = Stage::new("stage", kind, ResourceId(0), length, Provenance::Measured);
    stage.details = details.iter().copied().map(detail).collect();
    let mut workload = Workload::default();
    workload.add_resource("device", ResourceKind::Device);
    workload.jobs.push(Job {
        stages: vec![stage],
    });
    workload
}

fn crosses((a, a_length): (u64, u64), (b, b_length): (u64, u64)) -> bool {
    a < b && b < a + a_length && a + a_length < b + b_length
}

fn any_job(least: usize) -> impl Strategy<Value = Job> {
    (least..6_usize).prop_flat_map(|stages| {
        let stages: Vec<_> = (0..stages).map(any_stage).collect();
        stages.prop_map(|stages| Job { stages })
    })
}

fn any_schedule() -> impl Strategy<Value = Schedule> {
    let jobs = prop::collection::vec(any_job(1), 1..7);
    (any_job(0), jobs, 1_usize..5).prop_map(|(setup, jobs, in_flight)| {
        let mut workload = Workload {
            setup,
            jobs,
            ..Workload::default()
        };
        for index in 0..RESOURCES {
            workload.add_resource(format!("r{index}"), ResourceKind::Device);
        }
        schedule(workload, Options { in_flight }).unwrap()
    })
}

fn held(schedule: &Schedule, placed: &Placed) -> Vec<ResourceId> {
    let stage = schedule.stage(placed);
    std::iter::once(stage.resource)
        .chain(stage.also_holds.iter().copied())
        .collect()
}

/// First start and last arrival of every job.
fn job_bounds(schedule: &Schedule) -> BTreeMap<JobId, (u64, u64)> {
    let mut bounds = BTreeMap::new();
    for placed in schedule.placed() {
        let bound = bounds.entry(placed.job).or_insert((u64::MAX, 0));
        bound.0 = bound.0.min(placed.start.0);
        bound.1 = bound.1.max(placed.available.0);
    }
    bounds
}

fn jobs_only(bounds: &BTreeMap<JobId, (u64, u64)>) -> Vec<(u64, u64)> {
    let jobs = bounds.iter().filter(|(job, _)| **job != JobId::Setup);
    jobs.map(|(_, bound)| *bound).collect()
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(400))]

    #[test]
    fn every_instant_belongs_to_exactly_one_entry(run in any_schedule()) {
        let path = run.critical_path();
        let mut now = 0;
        for segment in path.segments() {
            prop_assert_eq!(segment.start.0, now, "gap or overlap");
            prop_assert!(segment.end > segment.start);
            let placed = &run.placed()[segment.placed];
            let (start, end) = match segment.kind {
                SegmentKind::Busy => (placed.start, placed.end),
                SegmentKind::Latency => (placed.end, placed.available),
            };
            prop_assert_eq!((segment.start, segment.end), (start, end));
            now = segment.end.0;
        }
        prop_assert_eq!(now, run.total().0);
        let ledger = run.ledger();
        let sum: u64 = ledger.entries().iter().map(|entry| entry.exposed.0).sum();
        prop_assert_eq!(sum, run.total().0);
        prop_assert_eq!(ledger.total(), run.total());
    }

    #[test]
    fn resources_do_one_thing_at_a_time_and_results_come_first(run in any_schedule()) {
        let placed = run.placed();
        for (i, a) in placed.iter().enumerate() {
            prop_assert_eq!(a.end.0 - a.start.0, run.stage(a).duration.0);
            prop_assert_eq!(a.available.0 - a.end.0, run.stage(a).latency.0);
            for b in &placed[i + 1..] {
                let share = held(&run, a).iter().any(|r| held(&run, b).contains(r));
                let apart = a.end <= b.start || b.end <= a.start;
                prop_assert!(!share || apart, "{:?} and {:?}", a, b);
                let waits = a.job == b.job && run.stage(b).after.contains(&a.stage);
                prop_assert!(!waits || b.start >= a.available, "{:?} before {:?}", b, a);
            }
        }
    }

    #[test]
    fn every_start_coincides_with_the_end_or_arrival_of_its_cause(run in any_schedule()) {
        for stage in run.placed() {
            match stage.cause {
                None => prop_assert_eq!(stage.start.0, 0),
                Some(index) => {
                    let cause = &run.placed()[index];
                    prop_assert!(stage.start == cause.end || stage.start == cause.available);
                }
            }
        }
    }

    #[test]
    fn setup_comes_first_and_buffers_are_never_exceeded(run in any_schedule()) {
        let bounds = job_bounds(&run);
        let jobs = jobs_only(&bounds);
        let ready = bounds.get(&JobId::Setup).map_or(0, |setup| setup.1);
        for (start, _) in &jobs {
            prop_assert!(*start >= ready);
            let open = jobs.iter().filter(|(s, e)| s <= start && e > start).count();
            prop_assert!(open <= run.options().in_flight);
        }
    }

    /// First come, first served: who was ready earlier at a resource starts there earlier.
    #[test]
    fn queues_are_served_in_order(run in any_schedule()) {
        let placed = run.placed();
        for (i, a) in placed.iter().enumerate() {
            for (j, b) in placed.iter().enumerate() {
                let share = held(&run, a).iter().any(|r| held(&run, b).contains(r));
                if share && (a.ready, i) < (b.ready, j) {
                    // Of two ready at one instant, an earlier number may only become ready after
                    // the other has started, within that instant.
                    let same_instant = a.ready == b.ready && b.start == b.ready;
                    prop_assert!(a.start <= b.start || same_instant, "{:?} {:?}", a, b);
                }
            }
        }
    }

    #[test]
    fn spans_nest_and_add_up_to_the_ledger(run in any_schedule()) {
        let mut timeline = run.timeline().unwrap();
        let busy: u64 = run.ledger().entries().iter().map(|entry| entry.busy.0).sum();
        let stages = timeline.spans().iter().filter(|span| span.name.starts_with("stage"));
        prop_assert_eq!(stages.map(|span| span.duration().0).sum::<u64>(), busy);
        run.add_critical_path(&mut timeline).unwrap();
        let last = timeline.tracks().len() - 1;
        let path = timeline.spans().iter().filter(|span| span.track.0 == last);
        prop_assert_eq!(path.map(|span| span.duration().0).sum::<u64>(), run.total().0);
        let edges = timeline.edges().unwrap();
        let begins = edges.iter().filter(|edge| edge.kind == EdgeKind::Begin).count();
        prop_assert_eq!(2 * begins, edges.len());
    }

    #[test]
    fn details_that_nest_inside_their_stage_are_accepted_and_no_others(
        duration in 0_u64..12,
        mut details in prop::collection::vec((0_u64..12, 0_u64..6), 0..6),
    ) {
        details.sort_by_key(|(offset, length)| (*offset, std::cmp::Reverse(*length)));
        let leave = details.iter().any(|(offset, length)| offset + length > duration);
        let cross = details.iter().any(|a| details.iter().any(|b| crosses(*a, *b)));
        let accepted = schedule(with_details(duration, &details), Options { in_flight: 1 });
        prop_assert_eq!(accepted.is_err(), leave || cross);
        if let Ok(run) = accepted {
            prop_assert!(run.timeline().unwrap().edges().is_ok());
            details.reverse();
            let strictly_back = details.windows(2).any(|pair| pair[0].0 > pair[1].0);
            let reversed = schedule(with_details(duration, &details), Options { in_flight: 1 });
            prop_assert!(reversed.is_err() || !strictly_back, "order of beginning");
        }
    }

    #[test]
    fn the_same_workload_gives_the_same_schedule(run in any_schedule()) {
        let again = schedule(run.workload().clone(), run.options()).unwrap();
        prop_assert_eq!(again.timeline(), run.timeline());
        prop_assert_eq!(again, run);
    }

    #[test]
    fn no_run_beats_its_throughput_bound_when_jobs_are_chains(run in any_schedule()) {
        let mut workload = run.workload().clone();
        workload.setup.stages.clear();
        for job in &mut workload.jobs {
            for (index, stage) in job.stages.iter_mut().enumerate() {
                stage.after = index.checked_sub(1).into_iter().collect();
            }
        }
        let chains = schedule(workload, run.options()).unwrap();
        let Some(bound) = chains.throughput() else { return Ok(()) };
        let jobs = chains.workload().jobs.len() as f64;
        let reached = jobs / chains.total().as_seconds();
        prop_assert!(reached <= bound.jobs_per_second * (1.0 + f64::EPSILON * 4.0));
    }
}
