//! Equal jobs: the time of any number of them is the one that placing all of them has.

use proptest::prelude::*;
use ringwright_sim::{Femtoseconds, Provenance};
use ringwright_system::{
    schedule, End, Options, Repeated, Resource, ResourceKind, ScheduleError, Stage, StageKind,
    Stages, Workload,
};

/// A stage: resource, duration, latency, what it waits for (bits, the nearest first), how much longer
/// it may take, whether it also holds another resource.
type Drawn = (usize, u64, u64, u8, u64, bool);

const RESOURCES: usize = 3;

fn stages(drawn: &[Drawn]) -> Stages {
    let mut stages = Stages::new();
    for (index, &(at, duration, latency, mask, more, both)) in drawn.iter().enumerate() {
        let name = |at: usize| Resource::new(format!("r{}", at % RESOURCES), ResourceKind::Device);
        let own = stages.resource(&name(at)).expect("known alike");
        let other = stages.resource(&name(at + 1)).expect("known alike");
        let near = (0..8).filter(|bit| mask >> bit & 1 == 1);
        let after: Vec<usize> = near.filter_map(|bit| index.checked_sub(bit + 1)).collect();
        let duration = Femtoseconds(duration);
        let mut stage = Stage::new("s", StageKind::Kernel, own, duration, Provenance::Modelled);
        stage.latency = Femtoseconds(latency);
        stage.range = Some((duration, Femtoseconds(duration.0 + more)));
        stage.also_holds = both.then_some(other).into_iter().collect();
        stages.push(stage.after(after));
    }
    stages
}

fn any_job(least: usize) -> impl Strategy<Value = Vec<Drawn>> {
    let stage = (
        0..RESOURCES,
        0_u64..12,
        0_u64..5,
        any::<u8>(),
        0_u64..4,
        prop::bool::weighted(0.2),
    );
    prop::collection::vec(stage, least..6)
}

/// All of them placed, from the end of the set-up on.
fn placed(setup: &[Drawn], job: &[Drawn], count: usize, options: Options, end: Option<End>) -> u64 {
    let total = |count: usize| {
        let jobs = (0..count).map(|_| stages(job));
        let workload = Workload::of(stages(setup), jobs).expect("alike");
        let workload = match end {
            Some(end) => workload.at(end).expect("short"),
            None => workload,
        };
        schedule(workload, options).expect("a schedule")
    };
    let all = total(count);
    let set_up = all.placed().iter().take(setup.len());
    let set_up = set_up.map(|each| each.available.0).max().unwrap_or(0);
    all.total().0 - set_up
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(300))]

    #[test]
    fn a_batch_takes_what_placing_all_of_it_takes(
        (setup, job) in (any_job(0), any_job(1)),
        in_flight in 1_usize..5,
        counts in prop::collection::vec(1_usize..90, 4),
        end in prop_oneof![Just(None), Just(Some(End::Low)), Just(Some(End::High))],
    ) {
        let options = Options { in_flight };
        let repeated = Repeated::new(stages(&setup), stages(&job), options, end).unwrap();
        for count in counts {
            let all = placed(&setup, &job, count, options, end);
            prop_assert_eq!(repeated.jobs(count as u64).unwrap(), u128::from(all), "{} jobs", count);
        }
    }

    #[test]
    fn the_first_within_is_the_smallest(
        (setup, job) in (any_job(0), any_job(1)),
        in_flight in 1_usize..5,
        each in 0_u64..60,
    ) {
        let options = Options { in_flight };
        let repeated = Repeated::new(stages(&setup), stages(&job), options, None).unwrap();
        let is_within = |count: u64| {
            let jobs = repeated.jobs(count).unwrap() + u128::from(repeated.setup().0);
            jobs <= u128::from(each) * u128::from(count)
        };
        match repeated.first_within(Femtoseconds(each)) {
            Some(first) => prop_assert!(is_within(first) && !(1..first).any(is_within)),
            None => prop_assert!(!(1..3_000).chain([1 << 40]).any(is_within)),
        }
    }
}

#[test]
fn a_chain_of_two_resources_takes_the_slower_one_in_the_steady_state() {
    let (fast, slow, count) = (3, 7, 1_000_000_u64);
    let job = [(0, fast, 0, 0, 0, false), (1, slow, 0, 1, 0, false)];
    let two = Options::DOUBLE_BUFFERED;
    let repeated = Repeated::new(Stages::new(), stages(&job), two, None).unwrap();
    assert_eq!(repeated.steady(), (1, Femtoseconds(slow)));
    let closed = u128::from(fast + count * slow);
    assert_eq!(repeated.jobs(count).unwrap(), closed);
    let one = Repeated::new(Stages::new(), stages(&job), Options::SEQUENTIAL, None).unwrap();
    assert_eq!(one.jobs(count).unwrap(), u128::from(count * (fast + slow)));
}

#[test]
fn the_set_up_is_made_up_for_by_a_batch() {
    let (setup, each, elsewhere) = (100, 7, 10);
    let session = [(0, setup, 0, 0, 0, false)];
    let job = [(1, each, 0, 0, 0, false)];
    let options = Options::SEQUENTIAL;
    let repeated = Repeated::new(stages(&session), stages(&job), options, None).unwrap();
    let first = repeated.first_within(Femtoseconds(elsewhere));
    assert_eq!(first, Some(setup.div_ceil(elsewhere - each)));
    assert_eq!(repeated.first_within(Femtoseconds(each)), None);
    assert_eq!(repeated.first_within(Femtoseconds(each - 1)), None);
}

#[test]
fn no_jobs_and_none_in_flight_are_errors() {
    let job = [(0, 1, 0, 0, 0, false)];
    let made = |options| Repeated::new(Stages::new(), stages(&job), options, None);
    let repeated = made(Options::SEQUENTIAL).unwrap();
    assert_eq!(repeated.jobs(0), Err(ScheduleError::NoJobs));
    let none = Options { in_flight: 0 };
    assert_eq!(made(none), Err(ScheduleError::NoneInFlight));
    let many = Options { in_flight: 1 << 20 };
    let message = made(many).unwrap_err().to_string();
    assert!(message.contains("no state"), "{message}");
    let empty = Repeated::new(Stages::new(), Stages::new(), Options::SEQUENTIAL, None);
    assert!(matches!(empty, Err(ScheduleError::EmptyJob { .. })));
}
