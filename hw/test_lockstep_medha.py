"""medha_core in lockstep with crates/target-medha, on the machines of lockstep_medha_core.toml."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

import pytest

from harness.design import all_parameter_names
from harness.fault import Fault
from harness.lockstep import lockstep_library, machines, rust_tests
from harness.machine import rtl_name
from harness.toolchain import ROOT

if TYPE_CHECKING:
    from pathlib import Path

MACHINES = ROOT / "hw/medha/tb/lockstep_medha_core.toml"
BASE = "medha-8x2"
IN_THE_CORE = all_parameter_names("lockstep_medha_core")
# Put into one of the machines; crates/lockstep/tests/medha_core knows what they do.
FAULTS = {
    "passing": Fault(
        "medha_link",
        "assign data    = passed_q ? passed_data_q : own_data_i;",
        "assign data    = passed_q ? passed_data_q ^ Width'(1) : own_data_i;",
    ),
}
FAULTY = "three"


def build(slow: bool, folder: Path, waves: bool, faults: bool = False) -> None:
    """Puts the descriptions of the listed machines, each beside its library, into a folder."""
    for name, values in machines(MACHINES, BASE, slow, folder):
        named = {rtl_name(key): values[key] for key in sorted(values)}
        core = {key: named[key] for key in named if key in IN_THE_CORE}
        core |= {"Products": "sliced"}
        lockstep_library("lockstep_medha_core", core, folder / f"{name}.so", waves=waves)
        for fault in FAULTS if faults and name == FAULTY else []:
            library = folder / f"{fault}.so"
            lockstep_library("lockstep_medha_core", core, library, FAULTS[fault], waves)


def test_medha_core(tmp_path, seed, waves):
    build(False, tmp_path, waves)
    print(rust_tests("medha_core", tmp_path, seed, "simulator", "both_sides", runs=30))


@pytest.mark.slow
def test_broken_cores(tmp_path, seed, waves):
    build(False, tmp_path, waves, faults=True)
    print(rust_tests("medha_core", tmp_path, seed, "broken_units"))


@pytest.mark.slow
def test_medha_core_at_length(tmp_path, seed, waves):
    """A million records."""
    build(False, tmp_path, waves)
    build(True, tmp_path, waves)
    said = rust_tests("medha_core", tmp_path, seed, "medha_core_is_its_simulator", runs=48)
    print(said)
    records = re.findall(r"(\d+) records equal", said)
    assert sum(map(int, records)) >= 10**6, said
