//! The effect of every option, by a formula over named durations.

use proptest::prelude::*;
use ringwright_sim::{Femtoseconds, Provenance};
use ringwright_system::{
    schedule, End, EntryKind, Job, Limit, Options, ResourceId, ResourceKind, Schedule,
    ScheduleError, Stage, StageKind, Workload,
};

/// n jobs, each a chain with one resource per stage.
fn chain(jobs: usize, durations: &[u64]) -> Workload {
    let mut workload = Workload::default();
    for index in 0..durations.len() {
        workload.add_resource(format!("r{index}"), ResourceKind::Host);
    }
    let mut job = Job::new();
    for (index, duration) in durations.iter().enumerate() {
        job.push(stage(&format!("s{index}"), index, *duration).after(index.checked_sub(1)));
    }
    workload.jobs = vec![job; jobs];
    workload
}

fn stage(name: &str, resource: usize, duration: u64) -> Stage {
    let duration = Femtoseconds(duration);
    let resource = ResourceId(resource);
    Stage::new(
        name,
        StageKind::HostFunction,
        resource,
        duration,
        Provenance::Modelled,
    )
}

fn total(workload: Workload, options: Options) -> u64 {
    schedule(workload, options).unwrap().total().0
}

fn exposed(schedule: &Schedule, stage: &str) -> u64 {
    let ledger = schedule.ledger();
    let named = ledger.entries().iter().filter(|entry| entry.stage == stage);
    named.map(|entry| entry.exposed.0).sum()
}

proptest! {
    #[test]
    fn a_range_is_evaluated_at_its_ends_and_added_up(
        n in 1_u64..12, known in 0_u64..50, (low, middle, high) in (0_u64..20, 20_u64..30, 30_u64..90),
    ) {
        let mut workload = chain(n as usize, &[known, middle]);
        for job in &mut workload.jobs {
            job.stages[1].range = Some((Femtoseconds(low), Femtoseconds(high)));
        }
        for (end, ranged) in [(End::Low, low), (End::High, high)] {
            let at = total(workload.clone().at(end).expect("short"), Options::SEQUENTIAL);
            prop_assert_eq!(at, n * (known + ranged));
        }
        let schedule = schedule(workload, Options::SEQUENTIAL).unwrap();
        prop_assert_eq!(schedule.total().0, n * (known + middle));
        for entry in schedule.ledger().entries() {
            let (from, to) = if entry.stage == "s1" { (low, high) } else { (known, known) };
            let range = (Femtoseconds(n * from), Femtoseconds(n * to));
            prop_assert_eq!(entry.busy_range, range);
        }
    }

    #[test]
    fn double_buffering_hides_the_shorter_stage(n in 1_u64..20, a in 0_u64..50, b in 0_u64..50) {
        let workload = chain(n as usize, &[a, b]);
        prop_assert_eq!(total(workload.clone(), Options::SEQUENTIAL), n * (a + b));
        prop_assert_eq!(total(workload, Options::DOUBLE_BUFFERED), a + (n - 1) * a.max(b) + b);
    }

    #[test]
    fn a_chain_of_k_resources_overlaps_fully_with_k_in_flight(
        n in 1_u64..12, durations in prop::collection::vec(0_u64..50, 1..6), spare in 0_usize..3,
    ) {
        let (sum, max) = (durations.iter().sum::<u64>(), *durations.iter().max().unwrap());
        let options = Options { in_flight: durations.len() + spare };
        prop_assert_eq!(total(chain(n as usize, &durations), options), sum + (n - 1) * max);
    }

    #[test]
    fn a_transfer_that_holds_its_host_overlaps_with_nothing_there(
        n in 1_u64..20, compute in 1_u64..50, send in 1_u64..50,
    ) {
        let mut workload = chain(n as usize, &[compute, send]);
        for job in &mut workload.jobs {
            job.stages[1].also_holds = vec![ResourceId(0)];
        }
        prop_assert_eq!(total(workload, Options::DOUBLE_BUFFERED), n * (compute + send));
    }

    #[test]
    fn latency_delays_the_next_stage_and_leaves_the_link_free(
        n in 1_u64..20, send in 1_u64..50, latency in 0_u64..200,
    ) {
        let mut workload = chain(n as usize, &[send]);
        for job in &mut workload.jobs {
            job.stages[0].latency = Femtoseconds(latency);
        }
        let all = Options { in_flight: n as usize };
        prop_assert_eq!(total(workload.clone(), all), n * send + latency);
        let sequential = schedule(workload, Options::SEQUENTIAL).unwrap();
        prop_assert_eq!(sequential.total().0, n * (send + latency));
        prop_assert_eq!(exposed(&sequential, "s0"), n * send);
        prop_assert_eq!(exposed(&sequential, "wait: latency of s0"), n * latency);
    }

    #[test]
    fn setup_is_paid_once_and_before_everything(n in 1_u64..20, setup in 0_u64..500, a in 1_u64..50, b in 1_u64..50) {
        let without = chain(n as usize, &[a, b]);
        let mut with = without.clone();
        with.setup.push(stage("keys", 0, setup));
        let paid = schedule(with, Options::DOUBLE_BUFFERED).unwrap();
        let free = schedule(without, Options::DOUBLE_BUFFERED).unwrap();
        prop_assert_eq!(paid.total().0, setup + free.total().0);
        prop_assert_eq!(exposed(&paid, "keys"), setup);
        prop_assert_eq!(paid.throughput(), free.throughput());
    }

    #[test]
    fn the_slowest_resource_sets_the_rate_and_latency_stands_apart(
        n in 2_u64..20, durations in prop::collection::vec(1_u64..50, 1..5),
    ) {
        let (sum, max) = (durations.iter().sum::<u64>(), *durations.iter().max().unwrap());
        let slowest = durations.iter().position(|duration| *duration == max).unwrap();
        let rate = |fs: u64| Femtoseconds::PER_SECOND as f64 / fs as f64;
        let all = Options { in_flight: durations.len() };
        let overlapped = schedule(chain(n as usize, &durations), all).unwrap();
        let throughput = overlapped.throughput().unwrap();
        prop_assert_eq!(throughput.limit, Limit::Resource(ResourceId(slowest)));
        prop_assert!((throughput.jobs_per_second / rate(max) - 1.0).abs() < f64::EPSILON * 4.0);
        prop_assert_eq!(overlapped.latency(0), Some(Femtoseconds(sum)));
        prop_assert_eq!(overlapped.latency_alone(n as usize - 1), Some(Femtoseconds(sum)));
        prop_assert_eq!(overlapped.latency(n as usize), None);

        let sequential = schedule(chain(n as usize, &durations), Options::SEQUENTIAL).unwrap();
        let throughput = sequential.throughput().unwrap();
        prop_assert!((throughput.jobs_per_second / rate(sum) - 1.0).abs() < f64::EPSILON * 4.0);
        prop_assert_eq!(throughput.limit == Limit::InFlight, durations.len() > 1);
    }
}

#[test]
fn exposed_time_goes_to_the_bottleneck_and_hidden_time_to_nobody() {
    let (n, fast, slow) = (10, 3, 7);
    let run = schedule(chain(n, &[fast, slow]), Options::DOUBLE_BUFFERED).unwrap();
    assert_eq!(exposed(&run, "s0"), fast);
    assert_eq!(exposed(&run, "s1"), n as u64 * slow);
    let ledger = run.ledger();
    assert_eq!(ledger.entries()[0].busy.0, n as u64 * fast);
    assert_eq!(ledger.exposed(EntryKind::Tax), ledger.total());
}

#[test]
fn a_kernel_is_a_kernel_and_the_rest_is_tax() {
    let (host, kernel, send) = (2, 5, 11);
    let mut workload = chain(1, &[host, kernel, send]);
    workload.jobs[0].stages[1].kind = StageKind::Kernel;
    workload.jobs[0].stages[2].kind = StageKind::Transfer;
    let ledger = schedule(workload, Options::SEQUENTIAL).unwrap().ledger();
    assert_eq!(ledger.exposed(EntryKind::Kernel).0, kernel);
    assert_eq!(ledger.exposed(EntryKind::Tax).0, host + send);
}

#[test]
fn energy_adds_up_only_when_every_stage_states_it() {
    let jobs = 3;
    let mut workload = chain(jobs, &[1, 1]);
    for job in &mut workload.jobs {
        job.stages[0].joules = Some(0.25);
    }
    let partly = schedule(workload.clone(), Options::SEQUENTIAL)
        .unwrap()
        .ledger();
    assert_eq!(partly.entries()[0].joules, Some(jobs as f64 * 0.25));
    assert_eq!((partly.entries()[1].joules, partly.joules()), (None, None));
    for job in &mut workload.jobs {
        job.stages[1].joules = Some(0.5);
    }
    let wholly = schedule(workload, Options::SEQUENTIAL).unwrap().ledger();
    assert_eq!(wholly.joules(), Some(jobs as f64 * 0.75));
}

#[test]
fn a_total_that_mixes_provenances_says_so() {
    let mut workload = chain(1, &[4, 5]);
    workload.jobs[0].stages[0].provenance = Provenance::Measured;
    let ledger = schedule(workload, Options::SEQUENTIAL).unwrap().ledger();
    assert_eq!(
        ledger.provenance(),
        [Provenance::Measured, Provenance::Modelled]
    );
}

#[test]
fn what_cannot_be_scheduled_is_refused_by_name() {
    let refused = |change: fn(&mut Workload)| {
        let mut workload = chain(2, &[1, 1]);
        change(&mut workload);
        schedule(workload, Options::SEQUENTIAL)
            .unwrap_err()
            .to_string()
    };
    assert!(refused(|w| w.jobs.clear()).contains("at least one job"));
    assert!(refused(|w| w.jobs[1].stages.clear()).contains("job 1 has no stage"));
    assert!(refused(|w| w.jobs[0].stages[0].resource = ResourceId(9)).contains("resource 9"));
    assert!(
        refused(|w| w.jobs[0].stages[1].also_holds = vec![ResourceId(1)]).contains("\"r1\" twice")
    );
    assert!(refused(|w| w.jobs[0].stages[0].after = vec![0]).contains("waits for stage 0"));
    assert!(refused(|w| w.jobs[0].stages[0].joules = Some(f64::NAN)).contains("joules"));
    let long = refused(|w| w.jobs[1].stages[1].duration = Femtoseconds(u64::MAX));
    assert!(long.contains("\"s1\" ends after 2^64 fs"), "{long}");
    let none = schedule(chain(1, &[1]), Options { in_flight: 0 }).unwrap_err();
    assert_eq!(none, ScheduleError::NoneInFlight);
}

#[test]
fn a_duration_outside_its_range_is_refused() {
    let mut workload = chain(1, &[7]);
    workload.jobs[0].stages[0].range = Some((Femtoseconds(8), Femtoseconds(9)));
    let error = schedule(workload, Options::SEQUENTIAL).unwrap_err();
    assert!(matches!(error, ScheduleError::BadRange { .. }), "{error}");
    assert!(error
        .to_string()
        .contains("takes 7 fs, but between 8 fs and 9 fs"));
}
