"""Clients that are simulated machines: real values, time from cycles and the host alone."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from itertools import pairwise
from pathlib import Path

import numpy as np
import pytest

import ringwright as rw
from ringwright import _ringwright as native
from ringwright import camera, system
from ringwright.camera.conversions import Conversions
from ringwright.camera.stages import CLIENT, RESOURCES, Stages
from ringwright.errors import MachineError
from ringwright.reproduce import silicon
from ringwright.reproduce.workload import parameter_set

SMALL = camera.Options(size=camera.Size(48, 32), frames=2)
SET = rw.ckks.Parameters.preset("4096-2x30")
HOST = rw.host(camera.Options.host)


def is_simulated(machine: rw.Machine) -> bool:
    """Whether it is, and can encrypt."""
    try:
        encryption = native.Module.encryption(SET, SET.levels)
        return native.lower(native.Backend(machine), encryption).timing is not None
    except MachineError:
        return False


SIMULATED = [machine.name for machine in rw.machines() if is_simulated(machine)]


@pytest.fixture(scope="module")
def films() -> dict[str, camera.Film]:
    return {name: camera.film(replace(SMALL, machines=[name])) for name in SIMULATED}


def on_client(name: str) -> bool:
    return name.split(maxsplit=1)[0] == CLIENT


@pytest.mark.parametrize("name", SIMULATED)
def test_answers_are_right_and_the_ledger_adds_up(films: dict[str, camera.Film], name: str) -> None:
    (run,) = films[name].runs
    assert run.correct
    entries = run.row["ledger"]
    assert sum(entry["exposed_fs"] for entry in entries) == run.row["total_fs"]
    assert len({entry["stage"] for entry in entries}) == len(entries)
    assert 0 < run.row["tax_share"] < 1


@pytest.mark.parametrize("name", SIMULATED)
def test_no_time_of_this_computer_is_the_clients(films: dict[str, camera.Film], name: str) -> None:
    row = films[name].runs[0].row
    mine = [r for r in row["resources"] if on_client(r["name"])]
    assert len(mine) > 1, "the machine's units have tracks"
    assert all("measured" not in resource["provenance"] for resource in mine)
    again = camera.film(replace(SMALL, machines=[name])).runs[0].row
    assert mine == [r for r in again["resources"] if on_client(r["name"])]
    assert {"capture", "pack", "serialise frame"} <= set(row["not_timed"])
    assert not set(row["not_timed"]) & {entry["stage"] for entry in row["ledger"]}


@pytest.mark.parametrize("name", SIMULATED)
def test_a_simulated_client_computes_what_the_processor_computes(name: str) -> None:
    keys = rw.ckks.Client(SET)
    plain = keys.encode(np.linspace(-1, 1, SET.slots))
    seed = bytes(range(32))
    backends = [native.Backend(rw.machine(machine)) for machine in ("cpu", name)]
    sent = [
        native.Encryptor(SET, keys.public_key, backend).encrypt_with_insecure_seed(plain, seed)
        for backend in backends
    ]
    assert sent[0].to_bytes() == sent[1].to_bytes()
    read = [
        native.Embedding(SET).decode_real(
            native.Decryptor(SET, keys.secret_key, backend).decrypt(sent[0])
        )
        for backend in backends
    ]
    assert np.array_equal(*read)


@pytest.mark.parametrize("name", SIMULATED)
def test_energy_is_published_watts_times_our_time(films: dict[str, camera.Film], name: str) -> None:
    row = films[name].runs[0].row
    published = row["energy"]["published"]
    if published["joules_per_frame"] is None:
        assert "no power" in published["how"]
        return
    watts = silicon.watts(name, parameter_set(row["parameters"]["n"]))
    assert published["joules_per_frame"] == pytest.approx(watts * published["seconds"])
    assert "published" in published["how"]


@pytest.mark.parametrize("name", SIMULATED)
def test_energy_is_the_host_s_cycles_and_the_machine_s_events(
    films: dict[str, camera.Film], name: str
) -> None:
    row = films[name].runs[0].row
    energy, spending = row["energy"], row["energy"]["spending"]
    assert HOST.core is not None
    core = rw.silicon.core_of(HOST.core)
    seconds = row["energy"]["published"].get("seconds")
    if seconds is not None:
        cycles = seconds * 1e15 / HOST.clock_fs
        assert spending["core_uj"]["expected"] == pytest.approx(
            cycles * core.cycle_pj.expected * 1e-6
        )
    # A message each way, of as many towers as are sent and as come back.
    assert 0 < spending["accelerator_uj"]["expected"] < spending["core_uj"]["expected"]
    assert energy["joules_per_frame"] == spending["frame_uj"]["expected"] * 1e-6
    low, high = energy["joules_range"]
    assert low < energy["joules_per_frame"] < high
    assert energy["provenance"] == "modelled"


def test_what_the_host_leaves_open_lies_around_what_is_printed(
    films: dict[str, camera.Film],
) -> None:
    for film in films.values():
        row = film.runs[0].row
        for key in ("latency_s", "fps"):
            low, high = row["range"][key]
            assert low <= row[key] <= high
            # On a busy computer the server, which is measured, may be what is slowest.
            slowest = {r["name"]: r["part_of"] or r["name"] for r in row["resources"]}
            if key == "latency_s" or slowest.get(row["slowest"]) == CLIENT:
                assert low < high


def test_the_constants_of_a_range_are_named_with_their_ends(
    films: dict[str, camera.Film],
) -> None:
    for name, film in films.items():
        found = film.runs[0].row["range"]
        for constant in found["constants"]:
            cost = HOST.operations[constant["operation"]]
            assert (constant["low"], constant["high"]) == (cost["low"], cost["high"])
            assert cost["low"] < cost["high"]
            assert constant["count"] > 0
            assert (constant["host"], constant["of"]) == (HOST.name, "client")
        named = {constant["operation"] for constant in found["constants"]}
        assert {"complex_butterfly", "interrupt"} <= named
        samples = rw.machine(name).values["samplers"] == "keccak"
        assert ("keccak_permutation" in named) != samples
        assert "butterfly" not in named
    page = camera.report_time.range_texts(films["race"].runs[0].row)
    assert "keccak_permutation 0 to 89,080" in page[0]


def test_energy_has_the_range_of_its_time(films: dict[str, camera.Film]) -> None:
    energy = films["race"].runs[0].row["energy"]["published"]
    low, high = energy["joules_range"]
    assert low < energy["joules_per_frame"] < high


def test_a_measured_client_has_no_host_and_leaves_nothing_out(motion_film: camera.Film) -> None:
    row = motion_film.runs[0].row
    assert (row["host"], row["not_timed"]) == (None, [])
    assert row["energy"]["joules_per_frame"] is None
    assert row["energy"]["published"]["joules_per_frame"] is None
    assert row["range"] is None
    assert row["unbuilt"] == []
    assert not any("busy_range_fs" in entry for entry in row["ledger"])


@pytest.fixture(scope="module")
def fast_host(tmp_path_factory: pytest.TempPathFactory) -> rw.Host:
    """A host so fast that the machine is the slower of the two: overlap can show."""
    return made_up_host(tmp_path_factory.mktemp("hosts") / "fast.toml", cycles=0.25)


def host_at(path: Path, end: str) -> Path:
    """The host with every cost at one end of its range, which is then certain."""
    lines = ['name = "at-an-end"', 'title = "made up"', "[parameters.clock_fs]"]
    lines += [f"value = {HOST.clock_fs}", 'source = "made up"']
    for operation, cost in HOST.operations.items():
        lines += [f"[cycles.{operation}]", f"value = {cost[end]}", 'provenance = "modelled"']
        lines += ['source = "made up"']
    path.write_text("\n".join(lines))
    return path


def made_up_host(path: Path, cycles: float) -> rw.Host:
    """Every operation takes as long."""
    lines = ['name = "made-up"', 'title = "made up"', "[parameters.clock_fs]", "value = 1_000_000"]
    lines += ['source = "made up"']
    for operation in HOST.operations:
        lines += [f"[cycles.{operation}]", f"value = {cycles}", 'provenance = "modelled"']
        lines += ['source = "made up"']
    path.write_text("\n".join(lines))
    return rw.host(str(path))


@pytest.mark.parametrize("name", SIMULATED)
def test_steps_scheduled_again_take_the_machines_cycles(name: str, tmp_path: Path) -> None:
    free = made_up_host(tmp_path / "free.toml", cycles=0.0)
    backend = native.Backend(rw.machine(name))
    for made in (native.Module.encryption, native.Module.decryption):
        timing = native.lower(backend, made(SET, SET.levels)).timing
        assert timing is not None
        stages = system.Stages()
        stages.run(system.Station("device", free), timing)
        assert system.schedule([stages]).total_fs == timing.cycles * timing.clock_fs


def m2c(name: str, host: rw.Host, count: int, batch: int, *, overlap: bool = True) -> Stages:
    stages = Stages()
    Conversions(SET, rw.machine(name), host, batch, overlap).add(stages, "m2c", count, SET.levels)
    return stages


def time_fs(stages: Stages) -> int:
    return system.schedule([stages.list]).total_fs


@pytest.mark.parametrize("name", SIMULATED)
@pytest.mark.parametrize("overlap", [True, False])
def test_a_range_is_the_time_with_hosts_at_its_ends(
    name: str, overlap: bool, tmp_path: Path
) -> None:
    ends = system.schedule([m2c(name, HOST, 3, 2, overlap=overlap).list]).ends
    assert ends is not None
    for which, schedule in zip(("low", "high"), ends, strict=True):
        host = rw.host(str(host_at(tmp_path / f"{which}.toml", which)))
        certain = m2c(name, host, 3, 2, overlap=overlap)
        assert schedule.total_fs == time_fs(certain)
        assert system.schedule([certain.list]).ends is None


@pytest.mark.parametrize("name", SIMULATED)
def test_batches_of_one_drain_and_larger_ones_overlap(name: str, fast_host: rw.Host) -> None:
    count = 4
    one = time_fs(m2c(name, fast_host, 1, 1))
    assert time_fs(m2c(name, fast_host, count, 1)) == count * one
    pairs = time_fs(m2c(name, fast_host, 2, 2))
    assert time_fs(m2c(name, fast_host, count, 2)) == count // 2 * pairs
    assert pairs < 2 * one
    together = m2c(name, fast_host, count, count)
    assert max(busy(together).values()) <= time_fs(together) < count * one


def busy(stages: Stages) -> dict[str, int]:
    found: dict[str, int] = {}
    for stage in stages.list:
        for held in (stage.resource, *stage.also_holds):
            found[held] = found.get(held, 0) + stage.duration_fs
    return found


@pytest.mark.parametrize("name", SIMULATED)
def test_without_sampling_overlap_what_samples_runs_alone(name: str, fast_host: rw.Host) -> None:
    alone = m2c(name, fast_host, 3, 3, overlap=False)
    assert beside_sampling(system.schedule([alone.list]).timeline.spans) == []
    overlapping = m2c(name, fast_host, 3, 3)
    assert beside_sampling(system.schedule([overlapping.list]).timeline.spans)
    assert time_fs(overlapping) < time_fs(alone)
    assert busy(overlapping) == busy(alone)


def beside_sampling(spans: Sequence[rw.Span]) -> list[str]:
    """What runs while another step samples."""
    sampling = [s for s in spans if "sample" in s.name and s.duration_fs]
    others = [s for s in spans if "sample" not in s.name and s.duration_fs]
    return [
        other.name
        for s in sampling
        for other in others
        if other.start_fs < s.end_fs and s.start_fs < other.end_fs
    ]


def test_double_buffering_works_on_the_next_frame_meanwhile() -> None:
    name = SIMULATED[-1]
    options = replace(SMALL, machines=[name], frames=3, compute="none")
    jobs = {}
    for in_flight in (1, 2):
        spans = camera.film(replace(options, in_flight=in_flight)).runs[0].timeline.spans
        frames = {s.args["job"]: [] for s in spans if s.args.get("job", "").isdigit()}
        for span in spans:
            if span.args.get("job") in frames:
                frames[span.args["job"]].append(span)
        jobs[in_flight] = list(frames.values())
    ends = [max(s.end_fs for s in job) for job in jobs[1]]
    starts = [min(s.start_fs for s in job) for job in jobs[1]]
    assert all(end <= start for (end, _), (_, start) in pairwise(zip(ends, starts, strict=True)))
    first, second = jobs[2][:2]
    assert min(s.start_fs for s in second) < max(s.end_fs for s in first)


@pytest.mark.parametrize(
    ("change", "parts"),
    [
        ({"parameters": "16384-7x54"}, ["54 bits", "word_bits = 30"]),
        ({"host": "none-such"}, ["none-such", HOST.name]),
    ],
)
def test_what_cannot_be_held_or_timed_is_refused_before_the_run(
    change: dict[str, str], parts: list[str]
) -> None:
    options = replace(SMALL, machines=["race"], compute="none", **change)
    with pytest.raises(MachineError) as refused:
        camera.film(options, started=lambda frames: pytest.fail("the run was started"))
    assert all(part in str(refused.value) for part in parts)


def test_a_host_that_lacks_an_operation_is_refused_before_the_run(tmp_path: Path) -> None:
    file = tmp_path / "lacking.toml"
    made_up_host(file, cycles=1.0)
    tables = file.read_text().split("\n[")
    file.write_text("\n[".join(table for table in tables if "conversion_setup" not in table))
    options = replace(SMALL, machines=["race"], compute="none", host=str(file))
    with pytest.raises(MachineError, match=r"conversion_setup.*blackparrot-published.* knows"):
        camera.film(options, started=lambda frames: pytest.fail("the run was started"))


def test_the_page_and_the_trace_have_the_machines_units(
    films: dict[str, camera.Film], tmp_path: Path
) -> None:
    film = films[SIMULATED[0]]
    camera.save(film, tmp_path)
    page = (tmp_path / "report.html").read_text(encoding="utf-8")
    units = [t for t in film.runs[0].timeline.tracks if t not in RESOURCES]
    assert units
    assert all(f">{unit.removeprefix(CLIENT + ' ')}</text>" in page for unit in units)
    assert HOST.name in page
