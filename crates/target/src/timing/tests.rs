use super::*;
use crate::{Hardware, HostOperation, Task};
use ringwright_sim::Femtoseconds;

const PERIOD: Femtoseconds = Femtoseconds(1000);
const BFU: &[&str] = &["bfu"];
const DMA: &[&str] = &["dma"];
const UNITS: &[&str] = &["bfu", "dma"];
const DESCRIBED: Hardware = Hardware::Described { through_rtl: None };

fn kind(work: Work, units: &'static [&'static str]) -> StepKind {
    StepKind {
        name: "step",
        task: Task::Compute,
        work,
        hardware: Hardware::Rtl,
        units,
    }
}

fn transfer(cycles: u64) -> StepKind {
    kind(Work::Transfer { cycles, bytes: 8 }, DMA)
}

fn computed(cycles: u64) -> StepKind {
    kind(Work::Kernel { cycles }, BFU)
}

fn written() -> StepKind {
    let operations = [(HostOperation::RegisterWrite, 3)].into();
    kind(Work::HostFunction { operations }, &[HOST])
}

fn part(steps: &[(StepKind, &[usize])]) -> Arc<Part> {
    let mut list = Steps::new();
    for (kind, after) in steps {
        list.push(kind.clone(), after, None);
    }
    Arc::new(Part::new(list, Counters::new()))
}

fn called(part: usize) -> Called {
    Called {
        part,
        sources: [Source {
            name: "f".into(),
            call: Some(0),
            loc: None,
        }]
        .into(),
    }
}

fn timed(parts: Vec<Arc<Part>>, calls: &[usize]) -> Result<Timing, TimingError> {
    let clock = Clock::new("core", PERIOD, Provenance::Modelled).expect("a period");
    let calls = calls.iter().map(|&part| called(part)).collect();
    Timing::new(clock, UNITS, parts, calls)
}

fn message(timing: &Timing) -> String {
    timing.check().expect_err("inconsistent").to_string()
}

#[test]
fn a_run_is_the_sum_of_its_calls_each_part_timed_once() {
    let parts = vec![part(&[(computed(3), &[])]), part(&[(transfer(4), &[])])];
    let timing = timed(parts, &[0, 1, 0, 0]).expect("it adds up");
    assert_eq!(timing.cycles, Cycle(3 + 4 + 3 + 3));
    let starts: Vec<u64> = timing.calls.iter().map(|call| call.start.0).collect();
    assert_eq!(starts, [0, 3, 7, 10]);
    assert_eq!(timing.runs(), [3, 1]);
}

#[test]
fn unfolded_it_takes_the_same_time_with_and_without_a_host() {
    let write = (written(), &[][..]);
    let first = part(&[
        write.clone(),
        (transfer(3), &[0]),
        (computed(5), &[1]),
        (transfer(4), &[]),
    ]);
    let second = part(&[(transfer(7), &[]), write, (computed(2), &[1])]);
    let timing = timed(vec![first, second], &[0, 1, 1, 0]).expect("it adds up");
    for host in [0, 1, 9] {
        // In the second, a load beside a write and what waits for it.
        let parts = [host + 3 + 5, 7.max(host + 2)];
        let [folded, unfolded] = timing.both_ways(host);
        assert_eq!(folded, parts.map(|part| 2 * part).iter().sum());
        assert_eq!(unfolded, folded, "a write takes {host}");
    }
}

#[test]
fn contradictions_are_named() {
    let timing = timed(vec![part(&[(computed(3), &[])])], &[0, 0]).expect("it adds up");
    let mut wrong = timing.clone();
    wrong.cycles.0 += 1;
    assert_eq!(
        message(&wrong),
        "the calls expose 6 cycles together, the run takes 7"
    );
    let mut wrong = timing.clone();
    wrong.calls[1].start.0 -= 1;
    let said = "call 1 starts at cycle 2; the calls before it end at 3";
    assert_eq!(message(&wrong), said);
    let mut wrong = timing.clone();
    wrong.calls[0].part = 1;
    assert_eq!(
        message(&wrong),
        "call 0 (f) is of part 1; there are 1, from 0"
    );
    let mut longer = Part::clone(&timing.parts[0]);
    longer.cycles.0 = 4;
    let mut wrong = timing.clone();
    wrong.parts[0] = Arc::new(longer);
    assert_eq!(
        message(&wrong),
        "the steps of part 0 end at cycle 3, the part at 4"
    );
    let mut shared = Part::clone(&timing.parts[0]);
    shared.shares[0].exposed.0 = 2;
    let mut wrong = timing.clone();
    wrong.parts[0] = Arc::new(shared);
    let said = "the shares of part 0 expose 2 cycles together, it takes 3";
    assert_eq!(message(&wrong), said);
    let mut two = Part::clone(&timing.parts[0]);
    two.shares.push(Share::default());
    let mut wrong = timing.clone();
    wrong.parts[0] = Arc::new(two);
    let said = "part 0 is shared by 2, call 0 of it is for 1";
    assert_eq!(message(&wrong), said);
    let empty = timed(vec![part(&[])], &[0]).expect_err("nothing is done");
    assert_eq!(empty.to_string(), "part 0 has no step");
}

#[test]
fn steps_overlap_where_neither_unit_nor_dependency_forbids() {
    let (load, transform, store) = (3, 5, 2);
    let steps = [
        (transfer(load), &[][..]),
        (computed(transform), &[0]),
        (transfer(load), &[]),
        (transfer(store), &[1, 2]),
    ];
    let timing = timed(vec![part(&steps)], &[0]).expect("the second load is beside the transform");
    assert_eq!(timing.cycles, Cycle(load + transform + store));
    let timeline = timing.timeline().expect("within the range");
    let track = |span: &Span| timeline.tracks()[span.track.0].name.clone();
    let spans: Vec<_> = timeline.spans().iter().map(track).collect();
    assert_eq!(spans, ["dma", "bfu", "dma", "dma"]);
    timeline.edges().expect("spans nest");
}

#[test]
fn what_no_rtl_does_is_modelled_and_the_run_says_that_it_mixes() {
    let described = StepKind {
        hardware: DESCRIBED,
        ..transfer(3)
    };
    let mixed = part(&[(described, &[]), (computed(5), &[0])]);
    let plain = part(&[(computed(5), &[])]);
    let timing = timed(vec![plain.clone(), mixed.clone()], &[0, 1]).expect("it adds up");
    let both = BTreeSet::from([Provenance::Simulated, Provenance::Modelled]);
    assert_eq!(timing.provenances(), both);
    let unused = timed(vec![plain, mixed], &[0]).expect("it adds up");
    assert_eq!(
        unused.provenances(),
        BTreeSet::from([Provenance::Simulated])
    );
    let mut silent = Part::clone(&timing.parts[1]);
    silent.provenances = [Provenance::Simulated].into();
    let mut wrong = timing;
    wrong.parts[1] = Arc::new(silent);
    let said = "the cycles of part 1 are simulated, its steps' simulated + modelled";
    assert_eq!(message(&wrong), said);
}

#[test]
fn a_host_function_is_its_hosts_unless_it_needs_what_no_device_has() {
    let mut function = written();
    assert_eq!(function.provenance(), None);
    function.hardware = DESCRIBED;
    assert_eq!(function.provenance(), Some(Provenance::Modelled));
    // It takes no cycle of the device, so the device's cycles are not its.
    assert!(part(&[(function, &[])]).provenances.is_empty());
}

#[test]
fn a_step_on_the_wrong_unit_or_out_of_order_is_named() {
    let host = Work::HostFunction {
        operations: Default::default(),
    };
    for wrong in [
        kind(host, DMA),
        kind(Work::Kernel { cycles: 1 }, &["sampler"]),
    ] {
        let error = timed(vec![part(&[(wrong, &[])])], &[0]).expect_err("no such unit");
        assert!(matches!(error, TimingError::Units { index: 0, .. }));
    }
    let error = timed(vec![part(&[(computed(1), &[0])])], &[0]).expect_err("out of order");
    assert!(matches!(
        error,
        TimingError::NotEarlier {
            index: 0,
            given: 0,
            ..
        }
    ));
}

#[test]
fn the_bound_of_a_part_is_its_busiest_unit() {
    let steps = [
        (transfer(4), &[][..]),
        (computed(3), &[0]),
        (transfer(2), &[1]),
        (written(), &[2]),
    ];
    let part = part(&steps);
    assert_eq!((part.cycles, part.bound()), (Cycle(9), Cycle(6)));
    assert_eq!(part.shares[0].bound, part.bound());
}

#[test]
fn counters_add_up_over_the_calls() {
    let mut counters = Counters::new();
    counters.add("memory", "read", 7);
    counters.add("memory", "written", 0);
    let steps = part(&[(computed(1), &[])]).steps.clone();
    let timing = timed(vec![Arc::new(Part::new(steps, counters))], &[0, 0, 0]).expect("adds up");
    let all: Vec<_> = timing.counters().of("memory").collect();
    assert_eq!(all, [("read", 21)]);
    assert_eq!(timing.counters().get("memory", "written"), 0);
}
