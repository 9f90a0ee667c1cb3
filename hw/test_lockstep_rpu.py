"""rpu_core in lockstep with crates/target-rpu, on the machines of lockstep_rpu_core.toml."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

import pytest

from harness.design import all_parameter_names
from harness.fault import Fault
from harness.lockstep import lockstep_library, machines, rust_tests
from harness.machine import port_bytes, rtl_name
from harness.toolchain import ROOT

if TYPE_CHECKING:
    from pathlib import Path

MACHINES = ROOT / "hw/rpu/tb/lockstep_rpu_core.toml"
BASE = "rpu-8x8"
IN_THE_CORE = all_parameter_names("lockstep_rpu_core")
# Put into one of the machines; crates/lockstep/tests/rpu_core.rs knows what they do.
FAULTS = {
    "adding": Fault(
        "rpu_law", "OpVsub: beside_d.word = difference;", "OpVsub: beside_d.word = sum;"
    ),
}
FAULTY = "short"


def build(slow: bool, folder: Path, waves: bool) -> None:
    """Puts the descriptions of the listed machines, each beside its library, into a folder."""
    for name, values in machines(MACHINES, BASE, slow, folder):
        named = {rtl_name(key): values[key] for key in sorted(values)}
        core = {key: named[key] for key in named if key in IN_THE_CORE}
        core |= {"Products": "Sliced", "PortBytes": port_bytes(values["word_bits"])}
        lockstep_library("lockstep_rpu_core", core, folder / f"{name}.so", waves=waves)
        for fault in FAULTS if name == FAULTY else []:
            library = folder / f"{fault}.so"
            lockstep_library("lockstep_rpu_core", core, library, FAULTS[fault], waves)


def test_rpu_core(tmp_path, seed, waves):
    build(False, tmp_path, waves)
    print(rust_tests("rpu_core", tmp_path, seed, runs=12))


@pytest.mark.slow
def test_rpu_core_at_length(tmp_path, seed, waves):
    build(True, tmp_path, waves)
    print(rust_tests("rpu_core", tmp_path, seed, "rpu_core_is_its_simulator", runs=15))


@pytest.mark.slow
def test_rpu_core_with_moves_at_length(tmp_path, seed, waves):
    """A million records beside words on the move."""
    build(False, tmp_path, waves)
    said = rust_tests("rpu_core", tmp_path, seed, "moves_beside", runs=66)
    print(said)
    records = re.findall(r"(\d+) records equal", said)
    assert sum(map(int, records)) >= 10**6, said
