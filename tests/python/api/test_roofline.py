"""No program lies above its machine's roofs, and each names the lower one."""

from __future__ import annotations

import pytest

import ringwright as rw
from ringwright import _ringwright as native
from ringwright.machines import backend
from ringwright.roofline import Roofline, roofline

PARAMETERS = rw.ckks.Parameters.preset("8192-6x30")
MACHINES = [
    "rpu-128x128",
    "rpu-128x128-packed",
    "rpu-128x128-strict",
    "rpu-128x128-freeports",
    "trebuchet-v2",
]


@rw.program
def product(x, y):  # type: ignore[no-untyped-def]
    return x * y


@rw.program
def added(x):  # type: ignore[no-untyped-def]
    return x + x * 0.5


@rw.program
def rotated(x):  # type: ignore[no-untyped-def]
    return (x.rotate(1) + x.rotate(7)) * x


@rw.program
def deep(x):  # type: ignore[no-untyped-def]
    for _ in range(3):
        x = x * x
    return x


def placed(program: rw.Program, machine: rw.Machine) -> Roofline:
    return roofline(machine, rw.oracle(program, machine, PARAMETERS).timing, None)


@pytest.mark.parametrize("machine", MACHINES)
@pytest.mark.parametrize("program", [product, added, rotated, deep], ids=lambda each: each.name)
def test_it_lies_under_both_roofs(program: rw.Program, machine: str) -> None:
    described = rw.machine(machine)
    at = placed(program, described)
    latency = rw.oracle(program, described, PARAMETERS)
    assert at.skipped is None
    assert at.bytes_moved == sum(each.bytes_moved for each in latency.operations)
    assert at.time_fs == latency.time_fs
    seconds = at.time_fs * 1e-15
    assert 0 < at.attained == pytest.approx(at.products / seconds)
    assert at.attained <= at.products_per_second * (1 + 1e-9)
    assert at.bytes_moved / seconds <= at.bytes_per_second * (1 + 1e-9)
    lower = min(at.products_per_second, at.intensity * at.bytes_per_second)
    assert at.allowed == pytest.approx(lower)
    assert at.limit == ("memory" if at.intensity < at.ridge else "compute")
    assert at.words.startswith(f"{at.limit}-bound: ")


def test_the_roofs_are_the_machines_parameters() -> None:
    machine = rw.machine("rpu-128x128")
    values = {name: int(value) for name, value in machine.values.items() if isinstance(value, int)}
    at = placed(product, machine)
    hertz = 1e15 / values["clock_fs"]
    assert at.products_per_second == pytest.approx(values["hples"] * hertz / values["ii"])
    assert at.bytes_per_second == pytest.approx(values["dma_bits_per_second"] / 8)
    half = machine.with_values("mine", ii=2, dma_bits_per_second=values["dma_bits_per_second"] // 2)
    slower = placed(product, half)
    assert slower.products_per_second == pytest.approx(at.products_per_second / 2)
    assert slower.bytes_per_second == pytest.approx(at.bytes_per_second / 2)
    # The lists of commands that bring the work are another machine's.
    assert slower.products == at.products
    assert slower.bytes_moved == pytest.approx(at.bytes_moved, rel=0.01)
    assert slower.attained < at.attained


def test_enough_memory_makes_it_compute_bound() -> None:
    machine = rw.machine("rpu-128x128")
    rate = int(machine.values["dma_bits_per_second"])
    fast = machine.with_values("fast", dma_bits_per_second=200 * rate)
    at = placed(deep, fast)
    assert at.limit == "compute"
    assert at.allowed == at.products_per_second
    assert "compute-bound: " in at.words


@pytest.mark.parametrize("machine", ["rise-1bfu", "rise-32bfu"])
def test_an_encryption_on_rise_lies_under_its_roofs(machine: str) -> None:
    described = rw.machine(machine)
    module = native.Module.encryption(rw.ckks.Parameters.preset("4096-2x30"), 2)
    timing = native.lower(backend(described), module).timing
    assert timing is not None
    at = roofline(described, timing, None)
    units, clock = (int(described.values[name]) for name in ("bfus", "clock_fs"))
    assert at.products_per_second == pytest.approx(units * 1e15 / clock)
    assert 0 < at.attained <= at.allowed * (1 + 1e-9)


def test_what_is_not_counted_is_skipped_with_its_reason() -> None:
    (here,) = rw.compare(product, ["cpu-1"], PARAMETERS)
    assert here.roofline.to_dict() == {"skipped": here.roofline.skipped}
    assert here.roofline.words.startswith("skipped: target cpu is not simulated")
    nothing = roofline(rw.machine("cpu-1"), None, None)
    assert nothing.words == "skipped: its time is not simulated"
