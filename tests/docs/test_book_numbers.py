"""The book's tables of cycles are what the compiler makes today."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

import ringwright as rw
from ringwright import _ringwright as native

ROOT = Path(__file__).resolve().parents[2]
DOCS = ROOT / "docs"
RECIPES = ROOT / "crates" / "target-rpu" / "src" / "compile" / "recipes.toml"

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


def test_transforms_are_the_recipes() -> None:
    recipes = RECIPES.read_text(encoding="utf-8")
    recorded = {int(cycles) for cycles in re.findall(r"^cycles = (\d+)$", recipes, re.M)}
    table = [row for row in rows("nttx.md") if len(row) == 5 and numbers(row[4])]
    assert len(table) >= 9
    for row in table:
        assert set(numbers(row[1])) <= recorded, row


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
    backend = native.Backend(rw.machine("rpu-128x128"))
    ((_, listing),) = native.lower(backend, native.Module.parse(module)).listings()
    said = re.match(r"# scheduled: (\d+) cycles, bound (\d+) .*, plain (\d+)", listing)
    assert said is not None
    column = DEGREES.index(log_n)
    assert [numbers(cell)[column] for cell in row[1:]] == [int(each) for each in said.groups()]
