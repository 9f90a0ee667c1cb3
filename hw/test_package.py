"""A package of RTL stands alone: `make check` there passes, and fails on a wrong vector."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from harness.fault import Fault
from harness.machine import SMALL, small_machine
from harness.toolchain import verilator_folder

rw = pytest.importorskip("ringwright")

# Nobody waits for who still reads the register that it writes.
FORGETS_READERS = Fault("rpu_busyboard", "(|(writes_i & read_q))", "1'b0")


# Those that take a minute to build.
SLOW = {"medha-8x2"}
MACHINES = [pytest.param(m, marks=pytest.mark.slow) if m in SLOW else m for m in SMALL]


@pytest.fixture(scope="module", params=MACHINES)
def package(request, tmp_path_factory) -> Path:
    folder = tmp_path_factory.mktemp("package")
    return rw.rtl.package(small_machine(request.param, folder), folder / "out")


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


def last_compared(file: Path, count: int) -> int:
    """The last line of a file that is compared: where nothing says which are, the last of all."""
    compared = file.with_name(file.name.replace(".result.", ".compared."))
    if compared == file or not compared.exists():
        return count - 1
    return max(i for i, line in enumerate(compared.read_text().split()) if line == "1")


def test_check_passes_then_fails_on_a_wrong_word_or_cycle(package):
    assert rw.rtl.check(package).startswith("PASS: ")
    # The last line of what RISE's host does is a cycle; the RPU's cycles are in the testbench.
    for what, message in {"result": "1 of ", "host": "expected"}.items():
        for file in sorted((package / "vectors").glob(f"*.{what}.hex"))[:1]:
            right = file.read_text()
            words = right.splitlines()
            at = last_compared(file, len(words))
            words[at] = f"{int(words[at], 16) ^ 1:0{len(words[at])}x}"
            file.write_text("\n".join(words))
            done = make(package, "run")
            with pytest.raises(rw.MismatchError, match="make check fails: FAIL: 1 of"):
                rw.rtl.check(package)
            file.write_text(right)
            assert done.returncode != 0
            assert message in done.stdout
            assert "FAIL: 1 of " in done.stdout
            assert "PASS" not in done.stdout


@pytest.mark.parametrize("package", ["rpu-8x8"], indirect=True)
def test_only_random_programs_miss_the_wait_for_readers(package, tmp_path):
    broken = tmp_path / "broken"
    shutil.copytree(package, broken, ignore=shutil.ignore_patterns("build"))
    busyboard = broken / "rtl" / f"{FORGETS_READERS.module}.sv"
    busyboard.write_text(FORGETS_READERS.apply(busyboard.read_text()))
    done = make(broken, "run")
    failed = {line.split("-")[0] for line in done.stdout.splitlines() if "expected" in line}
    assert done.returncode != 0
    assert failed == {"random"}, done.stdout


# What is slow to build is read by the lint.
QUICK = pytest.mark.parametrize("package", sorted(SMALL.keys() - SLOW), indirect=True)


@QUICK
def test_yosys_elaborates_it(package):
    done = make(package, "yosys")
    assert done.returncode == 0, done.stdout + done.stderr


@QUICK
@pytest.mark.slow
def test_waves(package):
    make(package, "wave", "FORMAT=vcd")
    assert (package / "waves.vcd").stat().st_size > 0
