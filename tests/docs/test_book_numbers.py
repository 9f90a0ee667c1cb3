"""The book's tables of cycles are what the compiler makes today."""

from __future__ import annotations

import re
from dataclasses import dataclass
from functools import cache
from pathlib import Path

import pytest

import ringwright as rw
from ringwright import _ringwright as native

ROOT = Path(__file__).resolve().parents[2]
DOCS = ROOT / "docs"

LARGEST = 1 << 16
FREE = rw.machine("rpu-128x128-freeports")
SINGLE = rw.machine("rpu-128x128")
LANES = [
    FREE.with_values(f"lanes-{lanes}", hples=lanes, banks=lanes, source="the book's table")
    for lanes in (64, 256)
]

DEGREES = (10, 12, 14, 16)
PRIMES = dict(zip(DEGREES, (1073707009, 1073692673, 1073643521, 1073479681), strict=True))
KERNELS = {
    "sum, difference, product": ("eval", "mul a, b"),
    "automorphism 5 of evaluations": ("eval", "automorphism a, 5"),
    "automorphism 5 of coefficients": ("coeff", "automorphism a, 5"),
}


def numbers(cell: str) -> list[int]:
    return [int(found.replace(",", "")) for found in re.findall(r"\d[\d,]*", cell)]


def rows(page: str) -> list[list[str]]:
    lines = (DOCS / page).read_text(encoding="utf-8").splitlines()
    return [
        [cell.strip() for cell in line.strip("|").split("|")] for line in lines if line[:1] == "|"
    ]


@dataclass(frozen=True)
class Counted:
    """Cycles of one transform, what they cannot go below, and what a paper prints for it."""

    cycles: int
    bound: int
    published: int | None = None


@cache
def transform(machine: rw.Machine, n: int = LARGEST) -> native.Transform:
    made = native.run_transform(machine, n, order="any")
    assert made is not None
    assert made.correct
    return made


def forward(machine: rw.Machine, n: int = LARGEST) -> Counted:
    made = transform(machine, n)
    return Counted(made.cycles, made.bound_cycles, made.published_cycles)


def inverse(machine: rw.Machine) -> Counted:
    made = transform(machine)
    return Counted(made.inverse_cycles, made.bound_cycles)


def strict(machine: rw.Machine) -> Counted:
    made = transform(machine)
    assert made.strict is not None
    cycles, bound, *_ = made.strict
    return Counted(cycles, bound, made.published_cycles)


def in_order(machine: rw.Machine) -> Counted:
    """The forward transform that keeps the order of the words, as a search finds it known."""
    found = native.search_schedules(machine, LARGEST, 1)
    assert found is not None
    (cycles,) = (known for inverse, keeps, known, _ in found[1] if keeps and not inverse)
    assert cycles is not None
    return Counted(cycles, transform(machine).bound_cycles)


TRANSFORMS = {
    "128 HPLEs, 128 banks, free register ports": lambda: [forward(FREE)],
    "the same with the published single-port memories": lambda: [forward(SINGLE)],
    "the same with the paper read strictly": lambda: [strict(SINGLE)],
    "and with exact bit-reversed output": lambda: [in_order(SINGLE)],
    "free ports, banks without skew": lambda: [forward(rw.machine("rpu-128x128-modulo"))],
    "exact bit-reversed output": lambda: [in_order(FREE)],
    "inverse with 1/N, Gentleman-Sande butterflies": lambda: [inverse(FREE)],
    "the same with single-port memories": lambda: [inverse(SINGLE)],
    "64 HPLEs, 64 banks · 256, 256, free ports": lambda: [forward(each) for each in LANES],
    "TREBUCHET, version 1 · version 2": lambda: [
        forward(rw.machine(f"trebuchet-v{version}")) for version in (1, 2)
    ],
    "N = 1,024 · 4,096 · 16,384, free ports": lambda: [
        forward(FREE, n) for n in (1024, 4096, 16384)
    ],
}
# Machines whose other transforms nobody has searched for: theirs are ordered when they are asked.
UNTUNED = ("64 HPLEs", "TREBUCHET", "and with exact")


def transform_rows() -> dict[str, list[str]]:
    table = [row for row in rows("nttx.md") if len(row) == 5 and numbers(row[1])]
    return {row[0]: row[1:] for row in table}


def test_every_transform_of_the_book_is_counted() -> None:
    assert list(transform_rows()) == list(TRANSFORMS)


@pytest.mark.parametrize(
    "row",
    [
        pytest.param(row, marks=[pytest.mark.slow] if row.startswith(UNTUNED) else [])
        for row in TRANSFORMS
    ],
)
def test_transforms_take_what_the_book_says(row: str) -> None:
    ours, _, published, bounds = transform_rows()[row]
    counted = TRANSFORMS[row]()
    assert numbers(ours) == [each.cycles for each in counted]
    # A row of machines with one bound says it once; what follows in brackets is another limit.
    assert numbers(bounds.partition("(")[0]) in (
        [each.bound for each in counted],
        sorted({each.bound for each in counted}),
    )
    known = [each.published for each in counted if each.published is not None]
    if published:
        assert thousands(published) == known


def thousands(cell: str) -> list[int]:
    """The numbers of a cell, 18.3k for 18,300."""
    return [
        round(float(k) * 1000) if k else numbers(plain)[0]
        for k, plain in re.findall(r"(\d+\.\d+)k|(\d[\d,]*)", cell)
    ]


@pytest.mark.parametrize("kernel", KERNELS)
@pytest.mark.parametrize(
    "log_n", [*DEGREES[:-1], pytest.param(DEGREES[-1], marks=pytest.mark.slow)]
)
def test_tower_kernels_take_what_the_book_says(kernel: str, log_n: int) -> None:
    (row,) = (row for row in rows("rpu.md") if row[0] == kernel)
    domain, operation = KERNELS[kernel]
    parameters = f"a: poly[q0; {domain}], b: poly[q0; {domain}]"
    module = (
        f"log_n {log_n}\nprime q0 = {PRIMES[log_n]}\nentry main\n"
        f"ring main({parameters}) -> poly[q0; {domain}] {{\n  r = {operation}\n  return r\n}}"
    )
    # Nothing moves beside it: the operation has its towers whole.
    alone = SINGLE.with_values("alone", source="the book", vdm_port="exclusive")
    backend = native.Backend(alone)
    ((_, listing),) = native.lower(backend, native.Module.parse(module)).listings()
    said = re.match(r"# scheduled: (\d+) cycles, bound (\d+) .*, plain (\d+)", listing)
    assert said is not None
    column = DEGREES.index(log_n)
    assert [numbers(cell)[column] for cell in row[1:]] == [int(each) for each in said.groups()]
