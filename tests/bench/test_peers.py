"""`make bench` runs beside the live peers and every answer is right; times are of one round."""

from __future__ import annotations

import json
import shutil
import subprocess
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]


@pytest.mark.slow
def test_every_answer_is_correct(tmp_path: Path) -> None:
    run = subprocess.run(
        ["make", "bench", "ANSWERS_ONLY=1", f"RECORDS={tmp_path}"],
        cwd=ROOT,
        capture_output=True,
        text=True,
    )
    assert run.returncode == 0, run.stdout[-3000:] + run.stderr[-3000:]
    (record,) = tmp_path.glob("*.json")
    recorded = json.loads(record.read_text())
    rows = recorded["rows"]
    assert recorded["answers_only"]
    assert {row["verdict"] for row in recorded["constant_time"]} == {"not judged"}
    live = {"tfhe-ntt", "tfhe-ntt 32-bit words", "SEAL", "Verilator"}
    live |= {"Lattigo"} if shutil.which("go") else set()
    live |= {"OpenFHE"} if (ROOT / ".venv" / "openfhe" / "bin" / "python").is_file() else set()
    assert live <= {peer for row in rows for peer in row["peers"]}
    assert all(row["correct"] for row in rows)
