"""Records side by side: what one machine lacks is a dash, a wrong answer says so."""

from __future__ import annotations

import importlib.util
from pathlib import Path
from types import ModuleType
from typing import Any

import pytest

from ringwright.peers.row import Row, row

SOURCE = Path(__file__).resolve().parents[2] / "bench" / "table.py"
SHAPE = {"bits": 60, "log_n": 14, "threads": 1}
OURS, PEER, SLOWER = 40.0, 50.0, 90.0


@pytest.fixture(scope="module")
def table() -> ModuleType:
    spec = importlib.util.spec_from_file_location("bench_table", SOURCE)
    assert spec
    assert spec.loader
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def record(cpu: str, used: str, rows: list[Row]) -> dict[str, Any]:
    known = {f"isa {name}": "available" for name in ("scalar", "avx2", "avx512")}
    return {"cpu": cpu, "found": {**known, f"isa {used}": "used"}, "rows": rows}


def forward(peers: dict[str, float], *, correct: bool = True, **shape: int) -> Row:
    return row("ntt forward", {**SHAPE, **shape}, OURS, peers, correct=correct)


def test_what_was_not_measured_is_a_dash(table: ModuleType) -> None:
    old = record("A", "avx512", [forward({"tfhe-ntt": PEER})])
    new = record(
        "B", "avx2", [forward({"tfhe-ntt": PEER, "Lattigo": SLOWER}), forward({}, bits=120)]
    )
    lines = table.side_by_side([new, old]).splitlines()
    assert lines[:2] == ["- `avx512`: A", "- `avx2`: B"]
    near, far = f"**{PEER / OURS:.2f}**", f"{SLOWER / OURS:.2f}"
    assert f"| forward, 60 bits | {OURS} | {near} | - | {OURS} | {near} | {far} |" in lines
    assert f"| forward, 120 bits | - | - | - | {OURS} | - | - |" in lines


def test_other_sizes_and_threads_stay_in_the_record(table: ModuleType) -> None:
    rows = [forward({}, log_n=13), forward({}, threads=2)]
    assert "forward" not in table.side_by_side([record("A", "avx2", rows)])


def test_a_wrong_answer_says_so(table: ModuleType) -> None:
    rows = [forward({"tfhe-ntt": PEER}, correct=False)]
    assert f"{OURS}" not in table.side_by_side([record("A", "avx2", rows)])
    assert "| forward, 60 bits | incorrect | - |" in table.side_by_side([record("A", "avx2", rows)])
    assert "| incorrect |" in table.whole(rows)
