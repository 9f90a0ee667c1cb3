"""A wheel, installed into an empty environment elsewhere, runs the camera: machines, spec and clip
ship inside."""

from __future__ import annotations

import json
import os
import subprocess
import sys
import venv
import zipfile
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]
#: What `ringwright bench peers` runs elsewhere.
PEERS = ["openfhe_times.py", *(f"lattigo_times/{name}" for name in ("go.mod", "go.sum", "main.go"))]


def run(*command: str | Path, cwd: Path) -> str:
    """Runs outside the checkout, with nothing of it on Python's path."""
    environment = {
        k: v for k, v in os.environ.items() if not k.startswith(("PYTHON", "VIRTUAL_ENV"))
    }
    done = subprocess.run(command, cwd=cwd, env=environment, capture_output=True, text=True)
    assert done.returncode == 0, done.stdout + done.stderr
    return done.stdout


@pytest.mark.slow
def test_camera_runs_from_the_wheel(tmp_path: Path) -> None:
    dist = tmp_path / "dist"
    build = [sys.executable, "-m", "maturin", "build", "--release", "--locked", "--quiet"]
    subprocess.run([*build, "--out", dist], cwd=ROOT, check=True)
    (wheel,) = dist.glob("*.whl")
    shipped = zipfile.ZipFile(wheel).namelist()
    assert {f"ringwright/peers/{name}" for name in PEERS} <= set(shipped)

    venv.create(tmp_path / "empty", with_pip=True)
    python = tmp_path / "empty" / "bin" / "python"
    pins = ROOT / "requirements" / "run.txt"
    run(python, "-m", "pip", "install", "--quiet", wheel, "-c", pins, cwd=tmp_path)

    command = [python.with_name("ringwright"), "camera", "--frames", "3", "--out", "out", "--json"]
    printed = json.loads(run(*command, cwd=tmp_path))
    saved = json.loads((tmp_path / "out" / "results.json").read_text())
    assert printed == saved
    assert all(machine["psnr_db"] >= 50 for machine in saved["machines"])
    for name in ("report.html", "timeline.perfetto-trace"):
        assert (tmp_path / "out" / name).stat().st_size > 0
