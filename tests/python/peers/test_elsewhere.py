"""Peers in processes of their own: what they are asked, what they answer, and what is said of one
that does not."""

from __future__ import annotations

import os
import shutil
import signal
import subprocess
import sys
from contextlib import suppress
from pathlib import Path
from typing import Any

import pytest

from ringwright.errors import MissingToolError
from ringwright.peers import lattigo, openfhe, operations, seal, transforms
from ringwright.peers.elsewhere import Elsewhere
from ringwright.peers.measure import Measured
from ringwright.peers.row import Row, row

#: Small, and quick: two towers, one step.
SHAPE = {
    "log_n": 12,
    "towers": 2,
    "bits": 45,
    "special_bits": [50],
    "digit": 1,
    "log_scale": 40,
    "steps": [3],
}
OPERATIONS = {
    "encode+encrypt",
    "decrypt+decode",
    "multiply+relinearise",
    "rescale",
    "rotate",
    "1 rotations",
}


def python(program: str) -> Elsewhere:
    return Elsewhere("A", (sys.executable, "-c", f"import json, sys; {program}"))


def test_a_request_is_answered() -> None:
    times = python("print(json.dumps({'forward': json.loads(sys.argv[1])['a']}))").times({"a": 2.5})
    assert times == {"forward": 2.5}


def test_a_peer_that_fails_is_skipped_with_what_it_says() -> None:
    measured = Measured()
    peer = python("print('begins', file=sys.stderr); sys.exit('rotate: wrong answer in slot 7')")
    assert measured.of(peer.name, lambda: peer.times({})) is None
    assert measured.skipped == {"A": "failed: rotate: wrong answer in slot 7"}
    assert measured.of(peer.name, lambda: pytest.fail("asked again")) is None


def test_a_peer_that_ignores_ctrl_c_is_killed(tmp_path: Path) -> None:
    named = tmp_path / "process"
    peer = python(
        "import os, pathlib, signal, time; signal.signal(signal.SIGINT, signal.SIG_IGN); "
        f"pathlib.Path({str(named)!r}).write_text(str(os.getpid())); time.sleep(600)"
    )

    def pressed(*_: object) -> None:
        if named.exists() and named.read_text():
            signal.setitimer(signal.ITIMER_REAL, 0)
            raise KeyboardInterrupt

    before = signal.signal(signal.SIGALRM, pressed)
    signal.setitimer(signal.ITIMER_REAL, 0.01, 0.01)
    try:
        with pytest.raises(KeyboardInterrupt):
            peer.times({})
    finally:
        signal.setitimer(signal.ITIMER_REAL, 0)
        signal.signal(signal.SIGALRM, before)
    # Our child still: its state is ours to fetch, unless that was done when it died.
    with suppress(ChildProcessError):
        _, state = os.waitpid(int(named.read_text()), 0)
        assert os.WTERMSIG(state) == signal.SIGKILL


def test_without_go_lattigo_says_what_would_bring_it(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("PATH", str(tmp_path))
    with pytest.raises(MissingToolError, match=r"needs Go 1\.21 or newer"):
        lattigo.peer(tmp_path)


def test_a_go_that_does_not_build_is_quoted(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    go = tmp_path / "go"
    go.write_text("#!/bin/sh\necho 'no network' >&2\nexit 1\n")
    go.chmod(0o755)
    monkeypatch.setenv("PATH", str(tmp_path))
    with pytest.raises(MissingToolError, match=f"{go} does not build it: no network"):
        lattigo.peer(tmp_path)


def test_an_interpreter_without_openfhe_is_named() -> None:
    with pytest.raises(MissingToolError, match="No module named 'openfhe'") as raised:
        openfhe.peer(Path(sys.executable))
    assert sys.executable in str(raised.value)


def native_rows() -> list[Row]:
    shapes: list[dict[str, Any]] = [
        {"log_n": 12, "bits": bits, "threads": threads}
        for threads in (1, 2)
        for bits in (50, 60, 120)
    ]
    shapes += [{"log_n": 12, "bits": 30, "word_bits": 32, "threads": 1}, {"threads": 1}]
    return [row("ntt forward", shape, 2.0, {"tfhe-ntt": 3.0}, correct=True) for shape in shapes]


def test_transforms_of_64_bit_words_on_one_thread_are_asked_elsewhere() -> None:
    rows = native_rows()
    asked = transforms.request(rows)["transforms"]
    assert asked == [{"log_n": 12, "bits": 50}, {"log_n": 12, "bits": 60}]
    beside = transforms.beside(rows, {"A": {"ntt forward log_n=12 bits=60": 1.0}})
    (joined,) = [row for row in beside if "A" in row["peers"]]
    assert joined["parameters"] == rows[1]["parameters"]
    assert joined["ratio_to_best"] == 1.0 / joined["ours_us"]
    assert [row for row in beside if row is not joined] == [rows[0], *rows[2:]]


@pytest.fixture(scope="module")
def live_lattigo(tmp_path_factory: pytest.TempPathFactory) -> Elsewhere:
    if shutil.which("go") is None:
        pytest.skip("needs Go on the search path")
    return lattigo.peer(tmp_path_factory.mktemp("lattigo"))


@pytest.mark.slow
def test_lattigo_s_program_is_formatted_and_vetted(live_lattigo: Elsewhere) -> None:
    source = Path(lattigo.__file__).with_name("lattigo_times")
    for command in (["gofmt", "-l", "."], ["go", "vet", "."], ["go", "mod", "verify"]):
        run = subprocess.run(command, cwd=source, capture_output=True, text=True)
        assert run.returncode == 0, run.stderr
        assert command[0] != "gofmt" or not run.stdout


@pytest.mark.slow
def test_lattigo_answers(live_lattigo: Elsewhere) -> None:
    shapes = [{"log_n": 10, "bits": bits} for bits in (30, 60)]
    times = live_lattigo.times({"operations": SHAPE, "transforms": shapes})
    named = {
        f"ntt {direction} log_n=10 bits={bits}"
        for direction in ("forward", "inverse")
        for bits in (30, 60)
    }
    assert set(times) == OPERATIONS | named
    assert all(microseconds > 0 for microseconds in times.values())


@pytest.mark.slow
def test_lattigo_s_answers_are_checked(live_lattigo: Elsewhere) -> None:
    # With a scale of a few bits the slots drown in noise.
    with pytest.raises(MissingToolError, match="wrong answer in slot"):
        live_lattigo.times({"operations": {**SHAPE, "log_scale": 5}})


@pytest.mark.slow
def test_openfhe_answers() -> None:
    try:
        peer = openfhe.peer()
    except MissingToolError as error:
        pytest.skip(str(error))
    assert set(peer.times({"operations": SHAPE})) == OPERATIONS
    assert peer.times({"transforms": []}) == {}


@pytest.mark.slow
def test_seal_answers_and_is_checked(monkeypatch: pytest.MonkeyPatch) -> None:
    pytest.importorskip("tenseal", reason="needs TenSEAL")
    preset = next(iter(operations.SETS))
    assert {name.replace("8", "1") for name in operations.in_turn(preset)} == OPERATIONS
    monkeypatch.setattr(seal, "TOLERANCE", 1e-12)
    with pytest.raises(MissingToolError, match="gave a wrong answer: product"):
        operations.in_turn(preset)
