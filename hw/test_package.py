"""A package of RTL stands alone: `make check` there passes, and fails on a wrong vector."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

from harness.toolchain import ROOT, verilator_folder

rw = pytest.importorskip("ringwright")

# What is changed in a shipped machine, for models that build in seconds.
SMALL = {
    # Both degrees of the package shrink to one.
    "rise-4bfu": {"bfus": 2, "bank_words": 32, "queued_calls": 1},
    # A register file of flip-flops is the quickest to build.
    "rpu-8x8": {
        **{"hples": 2, "banks": 4, "vector_length": 16, "word_bits": 30, "vrf_ports": "unlimited"},
        **{"vdm_words": 512, "sdm_words": 16, "im_words": 256},
    },
}


def small_machine(base: str, folder: Path) -> Path:
    changes = SMALL[base]
    lines = (ROOT / "machines" / f"{base}.toml").read_text().splitlines()
    keys = [line.split(" ")[0] for line in lines]
    for key in changes:
        lines[keys.index(key)] = f'{key} = {{ value = {changes[key]!r}, source = "a test" }}'
    file = folder / "small.toml"
    file.write_text("\n".join(lines))
    return file


@pytest.fixture(scope="module", params=SMALL)
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


def test_check_passes_then_fails_on_a_wrong_word_or_cycle(package):
    done = make(package, "check")
    assert done.returncode == 0, done.stdout + done.stderr
    assert "PASS: " in done.stdout
    # The last line of what RISE's host does is a cycle; the RPU's cycles are in the testbench.
    for what, message in {"result": "1 of ", "host": "expected"}.items():
        for file in sorted((package / "vectors").glob(f"*.{what}.hex"))[:1]:
            right = file.read_text()
            *words, last = right.splitlines()
            file.write_text("\n".join([*words, f"{int(last, 16) ^ 1:0{len(last)}x}"]))
            done = make(package, "run")
            file.write_text(right)
            assert done.returncode != 0
            assert message in done.stdout
            assert "FAIL: 1 of " in done.stdout
            assert "PASS" not in done.stdout


def test_yosys_elaborates_it(package):
    done = make(package, "yosys")
    assert done.returncode == 0, done.stdout + done.stderr


@pytest.mark.slow
def test_waves(package):
    make(package, "wave", "FORMAT=vcd")
    assert (package / "waves.vcd").stat().st_size > 0
