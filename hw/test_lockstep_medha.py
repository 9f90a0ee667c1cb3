"""medha_core in lockstep with crates/target-medha, on the machines of lockstep_medha_core.toml."""

from __future__ import annotations

import re
import sys
from typing import TYPE_CHECKING

import pytest

from harness.design import all_parameter_names
from harness.fault import Fault
from harness.lockstep import lockstep_library, rust_tests
from harness.machine import described, rtl_name
from harness.toolchain import ROOT

if sys.version_info >= (3, 11):
    import tomllib
else:
    import tomli as tomllib

if TYPE_CHECKING:
    from pathlib import Path

MACHINES = ROOT / "hw/medha/tb/lockstep_medha_core.toml"
BASE = "medha-8x2"
IN_THE_CORE = all_parameter_names("lockstep_medha_core")
# Put into one of the machines; crates/lockstep/tests/medha_core.rs knows what they do.
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
    listed = tomllib.loads(MACHINES.read_text())
    for machine in listed["machine"]:
        if machine.get("slow", False) != slow:
            continue
        name = machine["name"]
        values = described(BASE) | listed["everywhere"] | machine["parameters"]
        (folder / f"{name}.toml").write_text(description(name, values))
        named = {rtl_name(key): values[key] for key in sorted(values)}
        core = {key: named[key] for key in named if key in IN_THE_CORE}
        core |= {"Products": "sliced"}
        lockstep_library("lockstep_medha_core", core, folder / f"{name}.so", waves=waves)
        for fault in FAULTS if faults and name == FAULTY else []:
            library = folder / f"{fault}.so"
            lockstep_library("lockstep_medha_core", core, library, FAULTS[fault], waves)


def description(name: str, values: dict[str, int | str]) -> str:
    """A machine description as crates/spec reads it."""
    lines = [f"name = {name!r}", "target = 'medha'", "title = 'lockstep'", "[parameters]"]
    source = "hw/medha/tb/lockstep_medha_core.toml"
    lines += [f"{key} = {{ value = {values[key]!r}, source = {source!r} }}" for key in values]
    return "\n".join(lines)


def test_medha_core(tmp_path, seed, waves):
    build(False, tmp_path, waves)
    print(rust_tests("medha_core", tmp_path, seed, "simulator", "both_sides", runs=6))


@pytest.mark.slow
def test_broken_cores(tmp_path, seed, waves):
    build(False, tmp_path, waves, faults=True)
    print(rust_tests("medha_core", tmp_path, seed, "broken_units"))


@pytest.mark.slow
def test_medha_core_at_length(tmp_path, seed, waves):
    """A million records."""
    build(False, tmp_path, waves)
    build(True, tmp_path, waves)
    said = rust_tests("medha_core", tmp_path, seed, "medha_core_is_its_simulator", runs=24)
    print(said)
    records = re.findall(r"(\d+) records equal", said)
    assert sum(map(int, records)) >= 10**6, said
