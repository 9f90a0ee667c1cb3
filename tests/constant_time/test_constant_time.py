"""Branches and addresses do not depend on secrets: memcheck on secrets marked undefined."""

from __future__ import annotations

import shutil
import subprocess
from pathlib import Path

import pytest

HERE = Path(__file__).resolve().parent

pytestmark = [
    pytest.mark.slow,
    pytest.mark.skipif(shutil.which("valgrind") is None, reason="valgrind is not installed"),
]


@pytest.fixture(scope="module")
def program(tmp_path_factory: pytest.TempPathFactory) -> Path:
    target = tmp_path_factory.mktemp("target")
    command = ["cargo", "build", "--release", "--locked", "--quiet", "--target-dir", str(target)]
    subprocess.run(command, cwd=HERE, check=True)
    return target / "release" / "ringwright-constant-time"


def memcheck(*command: str | Path) -> subprocess.CompletedProcess[str]:
    valgrind = ["valgrind", "--quiet", "--error-exitcode=1", "--undef-value-errors=yes"]
    return subprocess.run([*valgrind, *command], capture_output=True, text=True)


def test_kernels_are_constant_time(program: Path) -> None:
    run = memcheck(program)
    assert run.returncode == 0, run.stderr
    assert run.stdout.startswith("constant time on")


def test_a_leak_is_seen(program: Path) -> None:
    assert memcheck(program, "leak").returncode == 1


def test_without_valgrind_nothing_is_claimed(program: Path) -> None:
    assert subprocess.run([program], capture_output=True).returncode == 3
