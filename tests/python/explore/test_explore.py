"""Studies: which designs, what is kept, and that nothing is lost or done twice."""

from __future__ import annotations

import errno
import itertools
import json
import os
import random
import signal
import subprocess
import sys
import time
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import pytest

import ringwright as rw
from ringwright import explore
from ringwright.cli.app import run
from ringwright.errors import (
    FormatError,
    MachineError,
    MissingToolError,
    ParameterError,
    StorageError,
)
from ringwright.explore import Space, Study, Workload, engine
from ringwright.explore.evaluate import Task, code
from ringwright.explore.sampled import Sampled
from ringwright.explore.space import Axis
from ringwright.explore.where import Where

# Small machines: a point takes some milliseconds.
MACHINE, WORK = "rise-1bfu", "ntt:256"
VARY = ["bfus=1,2,4", "bank_words=64..256:x2"]
FILES = ("results.parquet", "results.csv", "results.json")


def space() -> Space:
    return Space.parse(MACHINE, VARY)


def verb(out: Path, *more: str, vary: Sequence[str] = VARY, work: str = WORK) -> list[str]:
    said = [f"--vary={each}" for each in vary]
    return ["explore", "--machine", MACHINE, *said, "--workload", work, "--out", str(out), *more]


@pytest.fixture(scope="module")
def study(tmp_path_factory: pytest.TempPathFactory) -> Study:
    """One that was run once, without interruption."""
    return explore.run(space(), Workload.parse(WORK), tmp_path_factory.mktemp("study"), workers=0)


def test_axes_are_ranges_and_lists() -> None:
    assert Axis.parse("hples=4..256:x2").values == (4, 8, 16, 32, 64, 128, 256)
    assert Axis.parse("queue_depth=2..9:+3").values == (2, 5, 8)
    assert Axis.parse("vdm_port=second,exclusive").values == ("second", "exclusive")
    assert [len(space()), *space().points()][:2] == [9, {"bfus": 1, "bank_words": 64}]


@pytest.mark.parametrize(
    ("vary", "said"),
    [
        ([], "empty space"),
        (["bfus"], "write NAME=LOW..HIGH"),
        (["bfus=1..4"], "write NAME=LOW..HIGH"),
        (["bfus=4..1:x2"], "from low to high"),
        (["bfus=1..4:x1"], "by a factor from 2"),
        (["bfus=1,1"], "each value once"),
        (["bfus=1", "bfus=2"], "each parameter once"),
        (["lanes=4"], "rise has bank_words, bfu_latency"),
        (["bfus=3,5"], "no value is possible"),
        (["write_buffer=1..9999999:+1"], "points; allowed are"),
    ],
)
def test_a_space_that_is_none_is_refused(vary: list[str], said: str) -> None:
    with pytest.raises((ParameterError, MachineError), match=said):
        Space.parse(MACHINE, vary)


@pytest.mark.parametrize("given", ["ntt:1000", "ntt:x", "work.py", "work.py:f", "f@4096-2x30"])
def test_a_workload_that_is_none_is_refused(given: str) -> None:
    with pytest.raises(ParameterError, match="workload"):
        Workload.parse(given)


def test_points_have_time_area_and_energy(study: Study) -> None:
    assert len(study.points) == len(space())
    for row, values in zip(study.points, space().points(), strict=True):
        assert values.items() <= row.items()
        assert row["time_us"] == pytest.approx(row["cycles"] / row["clock_ghz"] / 1e3)
        for name in ("area_mm2", "energy_uj", "leakage_mw"):
            assert 0 < row[f"{name}_low"] < row[name] < row[f"{name}_high"]
        assert row["time_provenance"] == "simulated"


def test_the_table_reads_back(study: Study) -> None:
    again = Study.load(study.folder)
    assert [dict(row) for row in again.rows] == [dict(row) for row in study.rows]
    assert again.about == json.loads((study.folder / "study.json").read_text())
    assert len((study.folder / "results.csv").read_text().splitlines()) == 1 + len(study.rows)


def test_nothing_is_computed_twice(study: Study, monkeypatch: pytest.MonkeyPatch) -> None:
    before = [(study.folder / file).read_bytes() for file in FILES]
    monkeypatch.setattr(engine, "_client", None)
    explore.run(space(), Workload.parse(WORK), study.folder)
    assert [(study.folder / file).read_bytes() for file in FILES] == before


def test_a_damaged_point_is_computed_again(study: Study) -> None:
    before = (study.folder / "results.parquet").read_bytes()
    damaged = study.folder / "points" / f"{study.points[0]['id']}.json"
    damaged.write_text("{")
    explore.run(space(), Workload.parse(WORK), study.folder, workers=1)
    assert (study.folder / "results.parquet").read_bytes() == before


def test_another_study_is_not_overwritten(study: Study) -> None:
    with pytest.raises(ParameterError, match="another study lies there, with other axes"):
        explore.run(Space.parse(MACHINE, ["bfus=1"]), Workload.parse(WORK), study.folder)


def test_damaged_files_are_named(study: Study, tmp_path: Path) -> None:
    with pytest.raises(StorageError, match=r"study.json: not read"):
        Study.load(tmp_path)
    (tmp_path / "study.json").write_text((study.folder / "study.json").read_text())
    with pytest.raises(StorageError, match="not finished"):
        Study.load(tmp_path)
    (tmp_path / "results.parquet").write_bytes(b"PAR1 and nothing")
    with pytest.raises(FormatError, match=r"results.parquet: damaged"):
        Study.load(tmp_path)
    (tmp_path / "study.json").write_text('{"format": 99}')
    with pytest.raises(FormatError, match="another version"):
        Study.load(tmp_path)


def test_conditions_are_kept_as_reasons(study: Study) -> None:
    limit = sorted(row["area_mm2"] for row in study.points)[4]
    where = [f"area_mm2 <= {limit}"]
    kept = explore.run(space(), Workload.parse(WORK), study.folder, where=where)
    assert len(kept.points) == 5
    assert {row["skipped"] for row in kept.skipped} == {f"not area_mm2 <= {limit:g}"}
    explore.run(space(), Workload.parse(WORK), study.folder)
    for text in ("area", "area_mm2 == 3", "name < 3", "area_mm2 < --"):
        with pytest.raises(ParameterError, match="where"):
            Where.parse(text)


def test_a_program_that_fails_is_named_with_its_line(tmp_path: Path) -> None:
    file = tmp_path / "failing.py"
    file.write_text("import ringwright as rw\n\n@rw.program\ndef f(x):\n    return x * nope\n")
    work = Workload.parse(f"{file}:f@4096-2x30")
    with pytest.raises(ParameterError, match=r"workload: line 5: NameError: name 'nope'"):
        explore.run(Space.parse(MACHINE, ["bfus=1"]), work, tmp_path / "s", workers=0)


def test_designs_that_contradict_themselves_are_skipped_with_the_reason(tmp_path: Path) -> None:
    vary = ["bfus=1,2", "dma_bytes_per_cycle=8,64"]
    found = explore.run(Space.parse(MACHINE, vary), Workload.parse(WORK), tmp_path / "s", workers=0)
    assert len(found.points) == 2
    assert all("dma_bytes_per_cycle" in row["skipped"] for row in found.skipped)
    one = Space.parse(MACHINE, ["bfus=1"])
    with pytest.raises(ParameterError, match="no design of 1 can be built"):
        explore.run(one, Workload.parse("ntt:1048576"), tmp_path / "large", workers=0)


def test_the_front_is_what_nobody_beats() -> None:
    drawn = random.Random(1)
    rows = [
        {"id": i, "time_us": drawn.randrange(9), "area_mm2": drawn.randrange(9)} for i in range(200)
    ]

    def beaten(row: dict[str, Any]) -> bool:
        mine = row["time_us"], row["area_mm2"]
        others = ((other["time_us"], other["area_mm2"]) for other in rows)
        return any(o != mine and o[0] <= mine[0] and o[1] <= mine[1] for o in others)

    found = {row["id"] for row in explore.front(rows, ["time", "area"])}
    assert found == {row["id"] for row in rows if not beaten(row)}
    with pytest.raises(ParameterError, match="beauty given; known are time"):
        explore.front(rows, ["beauty"])


PROGRAM = """\
import ringwright as rw

@rw.program
def product(a, b):
    return a * b
"""


def test_a_program_is_a_workload(tmp_path: Path) -> None:
    (tmp_path / "work.py").write_text(PROGRAM)
    workload = Workload.parse(f"{tmp_path / 'work.py'}:product@4096-2x30")
    study = explore.run(
        Space.parse("rpu-128x128", ["hples=64,128"]), workload, tmp_path / "s", workers=2
    )
    slow, fast = (row["cycles"] for row in study.points)
    assert fast < slow
    assert study.about["workload"] == "product@4096-2x30"


def test_a_driver_that_is_killed_goes_on(tmp_path: Path) -> None:
    """With points that take a while, so that it is killed before the last."""
    out, whole = tmp_path / "killed", tmp_path / "whole"
    slow: dict[str, Any] = {"vary": ["bank_words=4096", "bfus=1,2,4,8"], "work": "ntt:16384"}
    with subprocess.Popen(
        [sys.executable, "-m", "ringwright", *verb(out, "--workers", "1", **slow)],
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
        start_new_session=True,
    ) as driver:
        until(lambda: len(list(out.glob("points/*.json"))) >= 1)
        os.killpg(driver.pid, signal.SIGKILL)
    finished = {file: file.stat().st_mtime_ns for file in out.glob("points/*.json")}
    assert not (out / FILES[0]).exists()
    assert run(verb(out, "--json", **slow)) == 0
    assert run(verb(whole, "--json", **slow)) == 0
    assert all(file.stat().st_mtime_ns == then for file, then in finished.items())
    for file in FILES:
        assert (out / file).read_bytes() == (whole / file).read_bytes()


def test_a_worker_that_is_killed_is_replaced(study: Study, tmp_path: Path) -> None:
    """A real scheduler and real workers; one of them ends in the middle."""
    address = tmp_path / "scheduler.json"
    said = {"stdout": subprocess.DEVNULL, "stderr": subprocess.DEVNULL}
    dask = [sys.executable, "-m", "distributed.cli"]
    scheduler = [f"{dask[2]}.dask_scheduler", "--scheduler-file", str(address), "--port", "0"]
    worker = [f"{dask[2]}.dask_worker", "--scheduler-file", str(address), "--nthreads", "1"]
    quiet = ["--no-dashboard"]
    running = [subprocess.Popen([*dask[:2], *scheduler, *quiet], **said)]  # type: ignore[call-overload]
    try:
        for _ in range(2):
            alone = [*dask[:2], *worker, *quiet, "--no-nanny"]
            running.append(subprocess.Popen(alone, **said))  # type: ignore[call-overload]
        until(lambda: address.is_file() and address.stat().st_size > 0)
        url = json.loads(address.read_text())["address"]
        until(lambda: workers_of(url) == 2)
        out = tmp_path / "s"
        kills = itertools.count()

        def watch(done: int, of: int) -> None:
            if done == 2 and next(kills) == 0:
                running[1].kill()

        explore.run(space(), Workload.parse(WORK), out, cluster=url, watch=watch)
        assert next(kills) == 1
        for file in FILES:
            assert (out / file).read_bytes() == (study.folder / file).read_bytes()
    finally:
        for process in running:
            process.kill()
            process.wait()


def test_a_full_disk_is_named_and_what_was_computed_stays(
    study: Study, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def full(_: int) -> None:
        raise OSError(errno.ENOSPC, "No space left on device")

    def watch(done: int, of: int) -> None:
        if done == 2:
            monkeypatch.setattr(os, "fsync", full)

    with pytest.raises(StorageError, match="not written: No space left"):
        explore.run(space(), Workload.parse(WORK), tmp_path, workers=0, watch=watch)
    monkeypatch.undo()
    finished = {file: file.stat().st_mtime_ns for file in tmp_path.glob("points/*.json")}
    assert len(finished) == 2
    explore.run(space(), Workload.parse(WORK), tmp_path, workers=0)
    assert all(file.stat().st_mtime_ns == then for file, then in finished.items())
    for file in FILES:
        assert (tmp_path / file).read_bytes() == (study.folder / file).read_bytes()


def test_a_cluster_that_does_not_answer_is_named(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(engine, "_PATIENCE", 1)
    for url in ("tcp://127.0.0.1:1", "nowhere://x"):
        with pytest.raises(StorageError, match="no scheduler answers"):
            explore.run(space(), Workload.parse(WORK), tmp_path / "s", cluster=url)


def test_a_worker_of_other_code_is_refused() -> None:
    task = Task(space().base.to_toml(), Workload.parse(WORK))
    row, seconds = engine.timed(task, code())
    assert row["cycles"] > 0 < seconds
    with pytest.raises(MachineError, match="a worker has Ringwright"):
        engine.timed(task, "0" * 16)


def test_another_checkout_computes_points_anew(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    task = Task(space().base.to_toml(), Workload.parse(WORK))
    before = task.id
    explore.run(space(), Workload.parse(WORK), tmp_path / "s")
    for module in ("engine", "evaluate"):
        monkeypatch.setattr(f"ringwright.explore.{module}.code", lambda: "0" * 16)
    assert task.id != before
    with pytest.raises(ParameterError, match="another study lies there, with other code;"):
        explore.run(space(), Workload.parse(WORK), tmp_path / "s")


def test_the_verbs_print_points_and_the_front(
    study: Study, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert run(verb(study.folder, "--json", "--objectives", "time,area")) == 0
    said = json.loads(capsys.readouterr().out)
    assert len(said["points"]) == 9
    assert said["skipped"] == []
    assert said["study"] == str(study.folder)
    assert said["seconds"] > 0
    pick = said["front"][0]
    hardware = ["--pick", pick, "--rtl", str(tmp_path / "rtl"), "--no-check"]
    assert run(verb(study.folder, *hardware)) == 0
    out = capsys.readouterr().out
    assert "designs that no other beats" in out
    assert f"machine: {study.folder / pick}.toml" in out
    assert "check:" not in out
    assert (study.folder / f"{pick}.toml").is_file()
    assert (tmp_path / "rtl" / "Makefile").is_file()
    assert run(["pareto", str(study.folder), "--objectives", "energy"]) == 0
    assert "energy" in capsys.readouterr().out
    for wrong in (
        ["--rtl", "x"],
        ["--clock", "mine"],
        ["--objectives", "beauty"],
        ["--objectives", "dsp"],
        ["--pick", "zz"],
    ):
        assert run(verb(study.folder, *wrong)) == 2


def test_designs_on_an_fpga_are_compared_by_what_they_take_of_it(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    lanes = Space.parse("medha-u250", ["dyadic_lanes=8,16"])
    out, work = tmp_path / "s", Workload.parse("ntt:16384")
    few, many = explore.run(lanes, work, out, workers=0, where=["dsp < 1e6"]).points
    total = rw.cost_of(lanes.machine({"dyadic_lanes": 8})).totals["dsp"].value
    assert (few["dsp_low"], few["dsp"], few["dsp_high"]) == (total.low, total.expected, total.high)
    assert few["dsp"] == sum(few["dsp_by_unit"].values()) < many["dsp"]
    assert not [name for name in few if "area" in name or "energy" in name]
    loaded = Study.load(out)
    assert loaded.points == (few, many)
    # A transform multiplies nothing beside itself.
    assert loaded.front(["time", "dsp", "uram"]) == (few,)
    assert run(["pareto", str(out)]) == 0
    assert "time, lut, dsp, bram36, uram" in " ".join(capsys.readouterr().out.split())
    with pytest.raises(ParameterError, match="area given; known are time, cycles, flipflops, lut"):
        loaded.front(["time", "area"])
    with pytest.raises(ParameterError, match="where area_mm2 < 3: not known of these designs"):
        explore.run(lanes, work, out, workers=0, where=["area_mm2 < 3"])
    with pytest.raises(ParameterError, match="where energy_uj < 3: not known of these designs"):
        Sampled(lanes, 2, ["time"], where=["energy_uj < 3"])
    with pytest.raises(ParameterError, match="no clock of its parts; described allowed"):
        explore.run(lanes, work, tmp_path / "t", workers=0, clock="parts")


def test_hardware_that_nothing_can_run_is_a_check_that_was_skipped(
    study: Study,
    tmp_path: Path,
    capsys: pytest.CaptureFixture[str],
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setenv("VERILATOR", "/no/such")
    hardware = ["--pick", study.points[0]["id"], "--rtl", str(tmp_path / "rtl")]
    assert run(verb(study.folder, *hardware)) == 0
    assert "check: skipped: no Verilator found" in capsys.readouterr().out
    monkeypatch.setenv("PATH", str(tmp_path))
    with pytest.raises(MissingToolError, match="make is not installed"):
        rw.rtl.check(tmp_path / "rtl")


def until(holds: Any) -> None:
    for _ in range(400):
        if holds():
            return
        time.sleep(0.05)
    raise AssertionError("waited for 20 s")


def workers_of(url: str) -> int:
    from distributed import Client

    with Client(url, timeout=5) as client:
        return len(client.nthreads())
