"""Optuna's choices follow from the space, the seed and the results, however a run is stopped."""

from __future__ import annotations

import os
import shutil
import subprocess
import tempfile
from collections.abc import Iterator
from pathlib import Path

import pytest

from ringwright import explore
from ringwright.cli.app import run
from ringwright.errors import ParameterError, StorageError
from ringwright.explore import Sampled, Space, Study, Workload
from ringwright.explore.sampled import BATCH

WORK = Workload.parse("ntt:256")
FILES = ("results.parquet", "results.csv", "results.json")
TRIALS = 2 * BATCH + 3
BIN = Path("/usr/lib/postgresql")


def plan(storage: str | None = None, seed: int = 1, trials: int = TRIALS) -> Sampled:
    vary = ["bfus=1..64:x2", "bank_words=64..4096:x2", "samplers=none,keccak"]
    space = Space.parse("rise-1bfu", vary)
    return Sampled(
        space, trials, ["time", "area"], seed=seed, storage=storage, where=["area_mm2 <= 0.5"]
    )


@pytest.fixture(scope="module")
def study(tmp_path_factory: pytest.TempPathFactory) -> Study:
    """One that was run once, without interruption, with Optuna's record in memory."""
    return explore.run(plan(), WORK, tmp_path_factory.mktemp("whole"), workers=0)


def test_no_more_points_than_trials_each_once(study: Study) -> None:
    names = [row["id"] for row in study.rows]
    assert BATCH < len(names) <= TRIALS
    assert len(set(names)) == len(names)
    assert study.about["sampler"] == "optuna"
    # What came before tells where to look: later points are nearer to the front than the first.
    first, last = study.points[:4], study.points[-4:]
    assert sum(row["time_us"] * row["area_mm2"] for row in last) < sum(
        row["time_us"] * row["area_mm2"] for row in first
    )


def test_a_seed_is_another_study(study: Study, tmp_path: Path) -> None:
    other = explore.run(plan(seed=5), WORK, tmp_path, workers=0)
    assert [row["id"] for row in other.rows] != [row["id"] for row in study.rows]
    with pytest.raises(ParameterError, match="another study lies there, with other seed"):
        explore.run(plan(), WORK, tmp_path, workers=0)


def stopped(storage: str, out: Path, at: int) -> None:
    """A run that ends after so many points."""

    def watch(done: int, of: int) -> None:
        if done == at:
            raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        explore.run(plan(storage), WORK, out, workers=0, watch=watch)


@pytest.mark.parametrize("at", [3, BATCH + 2])
def test_a_stopped_run_goes_on_with_the_same_choices(study: Study, tmp_path: Path, at: int) -> None:
    storage = f"sqlite:///{tmp_path / 'trials.db'}"
    out = tmp_path / "s"
    stopped(storage, out, at)
    then = {file: file.stat().st_mtime_ns for file in out.glob("points/*.json")}
    assert then
    explore.run(plan(storage), WORK, out, workers=0)
    assert all(file.stat().st_mtime_ns == when for file, when in then.items())
    for file in FILES:
        assert (out / file).read_bytes() == (study.folder / file).read_bytes()
    # And once more, with nothing left to do.
    explore.run(plan(storage), WORK, out, workers=0)
    assert (out / FILES[0]).read_bytes() == (study.folder / FILES[0]).read_bytes()


def test_a_trial_that_was_half_asked_for_is_asked_for_again(study: Study, tmp_path: Path) -> None:
    import optuna

    storage = f"sqlite:///{tmp_path / 'trials.db'}"
    out = tmp_path / "s"
    stopped(storage, out, 3)
    (name,) = optuna.get_all_study_names(storage)
    optuna.load_study(study_name=name, storage=storage).ask()
    explore.run(plan(storage), WORK, out, workers=0)
    assert (out / FILES[0]).read_bytes() == (study.folder / FILES[0]).read_bytes()


@pytest.mark.parametrize(
    "url", ["sqlite:////no/such/folder/x.db", "postgresql://127.0.0.1:1/x", "nowhere://x", "x"]
)
def test_a_record_that_cannot_be_kept_is_named(url: str, tmp_path: Path) -> None:
    with pytest.raises(StorageError, match="Optuna's record is not kept"):
        explore.run(plan(url), WORK, tmp_path, workers=0)


def test_a_password_is_not_printed(tmp_path: Path) -> None:
    pytest.importorskip("psycopg")
    url = "postgresql+psycopg://study:secret@127.0.0.1:1/x"
    with pytest.raises(StorageError) as raised:
        explore.run(plan(url), WORK, tmp_path, workers=0)
    assert "study:***@127.0.0.1:1/x" in str(raised.value)
    assert "secret" not in str(raised.value)


def test_what_another_hand_wrote_is_refused(study: Study, tmp_path: Path) -> None:
    import optuna

    storage = f"sqlite:///{tmp_path / 'trials.db'}"
    out = tmp_path / "s"
    stopped(storage, out, 3)
    (name,) = optuna.get_all_study_names(storage)
    record = optuna.load_study(study_name=name, storage=storage)
    for _ in range(BATCH):
        trial = record.ask({"bfus": optuna.distributions.IntDistribution(0, 99)})
        record.tell(trial, [1.0, 1.0])
    with pytest.raises(StorageError, match="Optuna's record is not kept"):
        explore.run(plan(storage), WORK, out, workers=0)


def test_the_verb_takes_trials(
    study: Study, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    verb = ["explore", "--machine", "rise-1bfu", "--vary", "bfus=1..64:x2", "--workload", "ntt:256"]
    verb += ["--out", str(tmp_path), "--workers", "0"]
    assert run([*verb, "--sampler", "optuna", "--trials", "3"]) == 0
    assert len(Study.load(tmp_path).rows) <= 3
    assert run([*verb, "--sampler", "optuna"]) == 2
    for more in ("--trials", "--batch", "--seed"):
        assert run([*verb, more, "3"]) == 2
    assert run([*verb, "--sampler", "luck"]) == 2
    assert "sampler 'luck': grid or optuna" in capsys.readouterr().err
    with pytest.raises(ParameterError, match="trials = 0"):
        plan(trials=0)


@pytest.fixture
def database() -> Iterator[str]:
    """A PostgreSQL server of this test alone."""
    pytest.importorskip("psycopg")
    found = sorted(BIN.glob("*/bin/initdb"))
    if not found:
        pytest.skip("PostgreSQL is not installed")
    # It does not run as root.
    rights = ["setpriv", "--reuid=65534", "--regid=65534", "--clear-groups"]
    before = rights if os.geteuid() == 0 else []
    folder = Path(tempfile.mkdtemp(dir="/tmp"))
    if before:
        shutil.chown(folder, 65534, 65534)
    tools = found[-1].parent

    def tool(name: str, *more: str) -> None:
        subprocess.run(
            [*before, str(tools / name), "-D", str(folder / "data"), *more],
            check=True,
            stdout=subprocess.DEVNULL,
            cwd=folder,
        )

    try:
        tool("initdb", "--auth=trust", "--username=study", "--no-sync")
    except (subprocess.CalledProcessError, OSError) as error:
        pytest.skip(f"PostgreSQL does not run here: {error}")
    options = f"-c listen_addresses= -c unix_socket_directories={folder} -c fsync=off"
    tool("pg_ctl", "-w", "-l", str(folder / "log"), "-o", options, "start")
    try:
        yield f"postgresql+psycopg://study@/postgres?host={folder}"
    finally:
        tool("pg_ctl", "-m", "immediate", "stop")
        shutil.rmtree(folder)


def test_postgresql_keeps_the_record(study: Study, database: str, tmp_path: Path) -> None:
    out = tmp_path / "s"
    stopped(database, out, 5)
    explore.run(plan(database), WORK, out, workers=0)
    for file in FILES:
        assert (out / file).read_bytes() == (study.folder / file).read_bytes()
