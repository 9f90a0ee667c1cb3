"""Stages, schedules, ledgers, timelines and the Perfetto trace."""

from __future__ import annotations

from itertools import combinations
from pathlib import Path

import pytest

import ringwright as rw
from ringwright import system
from ringwright.ledger import duration_range_text, duration_text
from ringwright.system import Detail, Job, Stage, Stopwatch, measure, schedule, transfer

MS = 10**12
HOST = "blackparrot-published"
ENCRYPT, SEND, COMPUTE, KEYS = 3 * MS, 5 * MS, 4 * MS, 7 * MS


def frame() -> Job:
    return Job(
        [
            Stage("encrypt", "kernel", "client", ENCRYPT, "measured"),
            Stage("send", "transfer", "uplink", SEND, "modelled", after=[0]),
            Stage("motion", "kernel", "server", COMPUTE, "measured", joules=0.5, after=[1]),
        ]
    )


def setup() -> list[Stage]:
    return [Stage("keys", "host", "client", KEYS, "measured")]


@pytest.mark.parametrize("in_flight", [1, 2, 4])
@pytest.mark.parametrize("frames", [1, 5])
def test_the_ledger_adds_up(frames, in_flight):
    planned = schedule([frame() for _ in range(frames)], setup=setup(), in_flight=in_flight)
    assert sum(entry.exposed_fs for entry in planned.ledger) == planned.total_fs
    busy = {entry.stage: entry.busy_fs for entry in planned.ledger}
    assert busy["send"] == frames * SEND
    assert busy["keys"] == KEYS
    assert planned.latency_fs(0) == ENCRYPT + SEND + COMPUTE


@pytest.mark.parametrize("in_flight", [1, 2, 3])
def test_the_slowest_resource_or_the_jobs_in_flight_set_the_rate(in_flight):
    planned = schedule([frame() for _ in range(3)], in_flight=in_flight)
    alone, slowest = ENCRYPT + SEND + COMPUTE, max(ENCRYPT, SEND, COMPUTE)
    assert planned.throughput_fps == pytest.approx(10**15 / max(slowest, alone / in_flight))
    assert planned.bottleneck == ("uplink" if slowest * in_flight >= alone else None)
    assert planned.latency_alone_fs(2) == alone


def test_a_transfer_takes_the_links_time():
    link = rw.link("5g-max")
    byte_count = 10**6
    for carrier in (link, rw.link("pcie5-x16")):
        stage = transfer("send", carrier, byte_count)
        bits_fs = -(-byte_count * 8 * 10**15 // carrier.bits_per_second)
        assert stage.duration_fs == carrier.setup_ns * 10**6 + bits_fs
        assert stage.latency_fs == carrier.latency_ns * 10**6
    stage = transfer("send", "5g-max", byte_count)
    assert (stage.kind, stage.resource, stage.provenance) == ("transfer", "5g-max", "modelled")
    assert transfer("send", link, byte_count, resource="uplink").resource == "uplink"


def test_details_lie_inside_their_stage():
    inside = [Detail("mul", 0, 1, {"line": "a.py:3"}), Detail("add", 1, 2)]
    stage = Stage("motion", "kernel", "server", 4, "measured", details=inside)
    spans = {span.name: span for span in schedule([[stage]]).timeline}
    assert (spans["add"].start_fs, spans["add"].end_fs) == (1, 3)
    assert spans["mul"].args == {"line": "a.py:3"}
    too_long = Stage("motion", "kernel", "server", 2, "measured", details=inside)
    with pytest.raises(rw.ScheduleError, match="motion"):
        schedule([[too_long]])


def test_details_nest():
    bounds = {"ciphertext": (0, 3), "mul": (0, 1), "add": (1, 2), "next": (3, 1)}
    inside = [Detail(name, start, length) for name, (start, length) in bounds.items()]
    stage = Stage("motion", "kernel", "server", 4, "measured", details=inside)
    spans = {span.name: (span.start_fs, span.duration_fs) for span in schedule([[stage]]).timeline}
    assert spans == {"motion": (0, 4), **bounds}
    crossing = [Detail("a", 0, 2), Detail("b", 1, 2)]
    stage = Stage("motion", "kernel", "server", 4, "measured", details=crossing)
    with pytest.raises(rw.ScheduleError, match="each inside or after"):
        schedule([[stage]])


def test_resources_are_what_somebody_said_and_never_guessed() -> None:
    link = system.Resource("uplink", "link")
    unit = system.Resource("server core", "device", part_of="server")
    stages = [
        Stage("send", "transfer", link, SEND, "modelled"),
        Stage("work", "kernel", unit, COMPUTE, "simulated", after=[0], also_holds=["server"]),
        Stage("more", "host", "server", KEYS, "measured", after=[1]),
    ]
    planned = schedule([stages])
    assert planned.resources == [link, unit, system.Resource("server")]
    assert [entry.resource for entry in planned.ledger] == ["uplink", "server core", "server"]
    # A name that one stage calls a host and another a link is one of them.
    stages.append(Stage("odd", "host", system.Resource("uplink", "host"), 1, "measured"))
    with pytest.raises(rw.ScheduleError, match="uplink"):
        schedule([stages])
    with pytest.raises(rw.ScheduleError, match="host, device, link"):
        system.Resource("a", "gadget")  # type: ignore[arg-type]


def test_a_range_is_the_ledger_at_its_ends() -> None:
    low, high = COMPUTE // 2, 3 * COMPUTE
    stages = [
        Stage("send", "transfer", "uplink", SEND, "modelled"),
        Stage("work", "host", "h", COMPUTE, "fitted", after=[0], range_fs=(low, high)),
    ]
    planned = schedule([stages])
    assert planned.ends is not None
    assert [end.total_fs for end in planned.ends] == [SEND + low, SEND + high]
    assert [entry.busy_range_fs for entry in planned.ledger] == [None, (low, high)]
    assert planned.ledger.to_dicts()[1]["busy_range_fs"] == [low, high]
    assert schedule([stages[:1]]).ends is None
    stages[1] = Stage("work", "host", "h", COMPUTE, "fitted", range_fs=(high, high))
    with pytest.raises(rw.ScheduleError, match="between"):
        schedule([stages])


#: As the book's table of provenances, from the most certain to the least.
CERTAIN = ("measured", "rtl", "synthesised", "simulated", "published", "fitted", "modelled")


def test_a_sum_is_as_certain_as_its_least_certain_part() -> None:
    host = rw.host(HOST)
    costs = host.operations
    for pair in combinations(costs, 2):
        words = [costs[name]["provenance"] for name in pair]
        stage = host.stage("work", dict.fromkeys(pair, 1), "h")
        assert stage.provenance == max(words, key=CERTAIN.index)
    for counted in CERTAIN:
        stage = host.stage("work", {"register_write": 1}, "h", provenance=counted)
        words = [counted, costs["register_write"]["provenance"]]
        assert stage.provenance == max(words, key=CERTAIN.index)
    with pytest.raises(rw.ScheduleError, match="guessed"):
        host.stage("work", {"register_write": 1}, "h", provenance="guessed")  # type: ignore[arg-type]


def test_a_host_functions_range_is_its_costs() -> None:
    host = rw.host(HOST)
    cost = host.operations["butterfly"]
    stage = host.stage("transform", {"butterfly": 10}, "h")
    ends = [10 * host.clock_fs * cost[end] for end in ("low", "high")]
    assert stage.range_fs == tuple(ends)
    assert host.stage("start", {"register_write": 3}, "h").range_fs is None


def test_one_in_flight_is_one_after_the_other():
    jobs = 3
    planned = schedule([frame()] * jobs, in_flight=1)
    assert planned.total_fs == jobs * (ENCRYPT + SEND + COMPUTE)


@pytest.mark.parametrize(
    ("stages", "in_flight", "named"),
    [
        ([Stage("a", "host", "h", 1, "measured", after=[3])], 1, "3"),
        ([Stage("a", "host", "h", 1, "measured", after=[0])], 1, "0|itself"),
        ([Stage("a", "host", "h", 1, "measured")], 0, "0"),
        ([Stage("a", "host", "h", 1, "measured")], -1, "-1"),
        ([], 1, "no stage"),
    ],
)
def test_what_cannot_be_scheduled_is_refused(stages, in_flight, named):
    with pytest.raises(rw.ScheduleError, match=named):
        schedule([stages], in_flight=in_flight)


@pytest.mark.parametrize(
    "changed", [{"kind": "guess"}, {"provenance": "guessed"}, {"joules": -1.0}, {"duration_fs": -1}]
)
def test_stages_that_make_no_sense_are_refused(changed):
    good = {"name": "a", "kind": "host", "resource": "h", "duration_fs": 1}
    with pytest.raises(rw.ScheduleError):
        schedule([[Stage(**(good | {"provenance": "measured"} | changed))]])


def test_entries_are_ready_for_json():
    ledger = schedule([frame()]).ledger
    by_stage = {entry["stage"]: entry for entry in ledger.to_dicts()}
    assert by_stage["motion"] == {
        "stage": "motion",
        "kind": "kernel",
        "resource": "server",
        "waits": False,
        "busy_fs": COMPUTE,
        "exposed_fs": COMPUTE,
        "provenance": "measured",
        "joules": 0.5,
    }
    assert "joules" not in by_stage["send"]
    assert by_stage["send"]["kind"] == "tax"
    assert set(ledger.provenances) == {"measured", "modelled"}
    table = ledger.table().splitlines()
    assert len(table) == len(ledger) + 2
    assert "measured + modelled" in table[-1]


@pytest.mark.parametrize(
    ("femtoseconds", "text"),
    [(0, "0 fs"), (999, "999 fs"), (1500, "1.5 ps"), (3 * MS, "3 ms"), (2 * 10**15, "2 s")],
)
def test_durations_read_well(femtoseconds, text):
    assert duration_text(femtoseconds) == text


def test_two_durations_share_a_unit_where_they_can() -> None:
    assert duration_range_text(3 * MS, 25 * MS) == "3 to 25 ms"
    assert duration_range_text(MS // 2, 1700 * MS) == "500 us to 1.7 s"


def test_the_trace_nests_and_its_durations_are_the_ledgers(tmp_path: Path):
    from perfetto.protos.perfetto.trace.perfetto_trace_pb2 import Trace, TrackEvent

    planned = schedule([frame() for _ in range(4)], setup=setup(), in_flight=2)
    trace = Trace.FromString(planned.timeline.save(tmp_path / "t.perfetto-trace").read_bytes())
    names = {
        packet.track_descriptor.uuid: packet.track_descriptor.name
        for packet in trace.packet
        if packet.HasField("track_descriptor")
    }
    assert sorted(names.values()) == sorted(planned.timeline.tracks)
    open_events: dict[int, list[tuple[int, int, str]]] = {track: [] for track in names}
    busy: dict[str, int] = {}
    for packet in trace.packet:
        if not packet.HasField("track_event"):
            continue
        event = packet.track_event
        stack = open_events[event.track_uuid]
        if event.type == TrackEvent.TYPE_SLICE_BEGIN:
            exact = {note.name: note.uint_value for note in event.debug_annotations}
            assert packet.timestamp == exact["start_fs"] // 10**6
            stack.append((packet.timestamp, exact["duration_fs"], event.name))
        else:
            start, duration_fs, name = stack.pop()
            assert packet.timestamp - start == duration_fs // 10**6
            busy[name] = busy.get(name, 0) + duration_fs
    assert not any(open_events.values())
    ledger = {e.stage: e.busy_fs for e in planned.ledger if e.stage in busy}
    assert busy == ledger


def test_nested_spans_close_inside_out():
    spans = (rw.Span("unit", "outer", 0, 10**7), rw.Span("unit", "inner", 2 * 10**6, 10**7))
    from perfetto.protos.perfetto.trace.perfetto_trace_pb2 import Trace

    trace = Trace.FromString(rw.Timeline(spans).to_bytes())
    events = [p for p in trace.packet if p.HasField("track_event")]
    assert [event.track_event.name for event in events[:2]] == ["outer", "inner"]
    assert [event.timestamp for event in events] == [0, 2, 10, 10]


def test_a_trace_that_cannot_be_written_leaves_nothing(tmp_path: Path):
    timeline = schedule([frame()]).timeline
    with pytest.raises(rw.StorageError, match="absent"):
        timeline.save(tmp_path / "absent" / "t.perfetto-trace")
    assert list(tmp_path.iterdir()) == []


def test_measuring_returns_value_and_time():
    measured = measure(sum, [1, 2, 3])
    assert measured.value == sum([1, 2, 3])
    with Stopwatch() as watch:
        pass
    assert measured.duration_fs >= 0
    assert watch.duration_fs == watch.duration_fs
    assert watch.duration_fs % 10**6 == 0
