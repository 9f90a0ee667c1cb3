"""What `make wheel` leaves: a wheel that runs the camera in an empty environment elsewhere, for
machines, spec and clip ship inside; an sdist that builds the same wheel without a network."""

from __future__ import annotations

import json
import os
import subprocess
import sys
import venv
import zipfile
from pathlib import Path

import pytest
from wheels import ROOT, make_wheel

#: What `ringwright bench peers` runs elsewhere.
PEERS = ["openfhe_times.py", *(f"lattigo_times/{name}" for name in ("go.mod", "go.sum", "main.go"))]


def run(*command: str | Path, cwd: Path, **variables: str) -> str:
    """Runs outside the checkout, with nothing of it on Python's path."""
    environment = {
        k: v for k, v in os.environ.items() if not k.startswith(("PYTHON", "VIRTUAL_ENV"))
    }
    environment |= variables
    done = subprocess.run(command, cwd=cwd, env=environment, capture_output=True, text=True)
    assert done.returncode == 0, done.stdout + done.stderr
    return done.stdout


@pytest.fixture(scope="module")
def dist(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("dist")
    make_wheel(folder)
    return folder


def shipped(folder: Path) -> tuple[Path, set[str]]:
    """The wheel of a folder, and what is in it."""
    (wheel,) = folder.glob("*.whl")
    return wheel, set(zipfile.ZipFile(wheel).namelist())


@pytest.mark.slow
def test_camera_runs_from_the_wheel(dist: Path, tmp_path: Path) -> None:
    wheel, names = shipped(dist)
    assert "-cp310-abi3-manylinux" in wheel.name
    assert {f"ringwright/peers/{name}" for name in PEERS} <= names

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


def cut_off() -> list[str]:
    """What runs a command without any network, where we may do that."""
    command = ["unshare", "--map-root-user", "--net"]
    try:
        allowed = subprocess.run([*command, "true"], capture_output=True).returncode == 0
    except FileNotFoundError:
        allowed = False
    return command if allowed else []


@pytest.mark.slow
def test_the_sdist_builds_without_a_network(dist: Path, tmp_path: Path) -> None:
    (sdist,) = dist.glob("*.tar.gz")
    pip = [sys.executable, "-m", "pip", "wheel", "--quiet", "--no-index", "--no-deps"]
    run(
        *cut_off(),
        *[*pip, "--no-build-isolation", "--wheel-dir", tmp_path / "built", sdist],
        cwd=tmp_path,
        PATH=f"{Path(sys.executable).parent}:{os.environ['PATH']}",  # maturin's
        CARGO_NET_OFFLINE="true",
        # Files of an sdist are older than any build: where another was built, cargo takes that.
        CARGO_TARGET_DIR=str(tmp_path / "target"),
        MATURIN_PEP517_ARGS="--profile dev",
        CARGO_PROFILE_DEV_OPT_LEVEL="0",
    )

    def code(names: set[str]) -> set[str]:
        return {name for name in names if not name.startswith("ringwright-")}

    assert code(shipped(tmp_path / "built")[1]) == code(shipped(dist)[1])
