"""The wheel for aarch64, cross-built here, gives under qemu-user the ciphertexts and the decrypted
slots of this processor, bit for bit."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest
from wheels import ROOT, make_wheel

SMOKE = Path(__file__).with_name("smoke.py")
TARGET = "aarch64-unknown-linux-gnu"
#: Exit status of the script where this computer lacks something that it needs.
CANNOT = 3
#: The newest of glibc that packages may ask for: that of the oldest Debian with a Python for us.
NEWEST_GLIBC = 36
#: Of a prediction that some hundred operations on doubles make.
ROUNDING = 100 * sys.float_info.epsilon


@pytest.fixture(scope="module")
def emulated(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """An interpreter for aarch64."""
    folder = tmp_path_factory.mktemp("aarch64")
    script = ROOT / "scripts" / "aarch64_python.sh"
    made = subprocess.run([script, folder], capture_output=True, text=True)
    if made.returncode == CANNOT:
        pytest.skip(f"THE WHEEL FOR AARCH64 IS NOT TRIED. {made.stderr.strip().splitlines()[-1]}")
    assert made.returncode == 0, made.stderr
    return folder / "python"


@pytest.fixture(scope="module")
def packages(emulated: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder with the wheel and all that it needs, for that interpreter."""
    folder = tmp_path_factory.mktemp("packages")
    dist = folder / "dist"
    make_wheel(dist, TARGET)
    (wheel,) = dist.glob("*-abi3-manylinux*_aarch64.whl")
    command = [emulated, "-c", "import sys; print('%d%d' % sys.version_info[:2])"]
    version = subprocess.run(command, check=True, capture_output=True, text=True).stdout.strip()
    accepted = [f"--platform=manylinux_2_{glibc}_aarch64" for glibc in range(17, NEWEST_GLIBC + 1)]
    accepted += ["--platform=manylinux2014_aarch64", f"--python-version={version}"]
    install = [sys.executable, "-m", "pip", "install", "--quiet", "--only-binary=:all:", *accepted]
    pins = ROOT / "requirements" / "run.txt"
    subprocess.run([*install, "--target", folder, wheel, "-c", pins], check=True)
    return folder


def smoke(python: str | Path, keys: Path, packages: Path | None = None) -> dict[str, Any]:
    """What the processor of an interpreter finds."""
    path = {} if packages is None else {"PYTHONPATH": str(packages)}
    command = [python, SMOKE, keys]
    environment = {"PATH": "/usr/local/bin:/usr/bin:/bin", **path}
    run = subprocess.run(command, env=environment, capture_output=True, text=True)
    assert run.returncode == 0, run.stderr
    found: dict[str, Any] = json.loads(run.stdout)
    return found


@pytest.mark.slow
def test_both_processors_give_the_same_bits(emulated: Path, packages: Path, tmp_path: Path) -> None:
    here = smoke(sys.executable, tmp_path)
    there = smoke(emulated, tmp_path, packages)
    assert there["processor"] == "aarch64"
    # Predicted noise is a double that travels beside the words; its last bit differs.
    bounds = [found["found"].pop("error bound") for found in (there, here)]
    assert bounds[0] == pytest.approx(bounds[1], rel=ROUNDING)
    assert there["found"]["right"]
    assert there["found"] == here["found"]
