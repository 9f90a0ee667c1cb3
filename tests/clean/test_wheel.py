"""What `make wheel` leaves: a wheel that runs the camera in an empty environment elsewhere, for
machines, spec and clip ship inside; a wheel for aarch64, cross-built here, that gives the words of
this processor under qemu-user; an sdist that builds the same wheel without a network.

To build three wheels takes long: but for `make test-wheels`, the one of this computer is that which
the sdist builds.
"""

from __future__ import annotations

import json
import os
import subprocess
import sys
import venv
import zipfile
from pathlib import Path
from typing import Any

import pytest
from wheels import AS_SHIPPED, ROOT, make_wheel

#: What `ringwright bench peers` runs elsewhere.
PEERS = ["openfhe_times.py", *(f"lattigo_times/{name}" for name in ("go.mod", "go.sum", "main.go"))]
PINS = ROOT / "requirements" / "run.txt"
SMOKE = Path(__file__).with_name("smoke.py")
OTHER = "aarch64"
#: Exit status of the script where this computer lacks something that it needs.
CANNOT = 3
#: The newest of glibc that packages may ask for: that of the oldest Debian with a Python for us.
NEWEST_GLIBC = 36
#: Of a prediction that some hundred operations on doubles make.
ROUNDING = 100 * sys.float_info.epsilon

pytestmark = pytest.mark.slow


def run(*command: str | Path, cwd: Path, **variables: str) -> str:
    """Runs outside the checkout, with nothing of it on Python's path."""
    environment = {
        k: v for k, v in os.environ.items() if not k.startswith(("PYTHON", "VIRTUAL_ENV"))
    }
    environment |= variables
    done = subprocess.run(command, cwd=cwd, env=environment, capture_output=True, text=True)
    assert done.returncode == 0, done.stdout + done.stderr
    return done.stdout


def code(wheel: Path) -> set[str]:
    """The names of what a wheel installs as the package."""
    names = zipfile.ZipFile(wheel).namelist()
    return {name for name in names if not name.startswith("ringwright-")}


@pytest.fixture(scope="module")
def dist(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The wheel for another processor, and the sdist."""
    folder = tmp_path_factory.mktemp("dist")
    make_wheel(folder, f"{OTHER}-unknown-linux-gnu")
    return folder


@pytest.fixture(scope="module")
def there(dist: Path) -> Path:
    (wheel,) = dist.glob(f"*-cp310-abi3-manylinux*_{OTHER}.whl")
    return wheel


@pytest.fixture(scope="module")
def built(dist: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The wheel that pip makes of the sdist, without a network where we may cut it off."""
    folder = tmp_path_factory.mktemp("built")
    (sdist,) = dist.glob("*.tar.gz")
    pip = [sys.executable, "-m", "pip", "wheel", "--quiet", "--no-index", "--no-deps"]
    run(
        *cut_off(),
        *[*pip, "--no-build-isolation", "--wheel-dir", folder, sdist],
        cwd=folder,
        PATH=f"{Path(sys.executable).parent}:{os.environ['PATH']}",  # maturin's
        CARGO_NET_OFFLINE="true",
        # Files of an sdist are older than any build: where another was built, cargo takes that.
        CARGO_TARGET_DIR=str(folder / "target"),
        MATURIN_PEP517_ARGS="--profile dev",
        CARGO_PROFILE_DEV_OPT_LEVEL="0",
    )
    (wheel,) = folder.glob("*.whl")
    return wheel


def cut_off() -> list[str]:
    """What runs a command without any network, where we may do that."""
    command = ["unshare", "--map-root-user", "--net"]
    try:
        allowed = subprocess.run([*command, "true"], capture_output=True).returncode == 0
    except FileNotFoundError:
        allowed = False
    return command if allowed else []


@pytest.fixture(scope="module")
def here(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The wheel of this computer."""
    if not AS_SHIPPED:
        wheel: Path = request.getfixturevalue("built")
        return wheel
    folder = tmp_path_factory.mktemp("here")
    make_wheel(folder)
    (wheel,) = folder.glob("*-cp310-abi3-manylinux*.whl")
    return wheel


def test_the_sdist_builds_without_a_network(built: Path, there: Path) -> None:
    assert code(built) == code(there)
    assert {f"ringwright/peers/{name}" for name in PEERS} <= code(there)


def test_camera_runs_from_the_wheel(here: Path, tmp_path: Path) -> None:
    venv.create(tmp_path / "empty", with_pip=True)
    python = tmp_path / "empty" / "bin" / "python"
    run(python, "-m", "pip", "install", "--quiet", here, "-c", PINS, cwd=tmp_path)

    command = [python.with_name("ringwright"), "camera", "--frames", "3", "--out", "out", "--json"]
    printed = json.loads(run(*command, cwd=tmp_path))
    saved = json.loads((tmp_path / "out" / "results.json").read_text())
    assert printed == saved
    assert all(machine["psnr_db"] >= 50 for machine in saved["machines"])
    for name in ("report.html", "timeline.perfetto-trace"):
        assert (tmp_path / "out" / name).stat().st_size > 0


@pytest.fixture(scope="module")
def emulated(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """An interpreter for the other processor."""
    folder = tmp_path_factory.mktemp(OTHER)
    script = ROOT / "scripts" / "aarch64_python.sh"
    made = subprocess.run([script, folder], capture_output=True, text=True)
    if made.returncode == CANNOT:
        pytest.skip(f"THE WHEEL FOR AARCH64 IS NOT TRIED. {made.stderr.strip().splitlines()[-1]}")
    assert made.returncode == 0, made.stderr
    return folder / "python"


@pytest.fixture(scope="module")
def packages(emulated: Path, there: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder with the wheel and all that it needs, for that interpreter."""
    folder = tmp_path_factory.mktemp("packages")
    command = [emulated, "-c", "import sys; print('%d%d' % sys.version_info[:2])"]
    version = subprocess.run(command, check=True, capture_output=True, text=True).stdout.strip()
    accepted = [f"--platform=manylinux_2_{glibc}_{OTHER}" for glibc in range(17, NEWEST_GLIBC + 1)]
    accepted += [f"--platform=manylinux2014_{OTHER}", f"--python-version={version}"]
    install = [sys.executable, "-m", "pip", "install", "--quiet", "--only-binary=:all:", *accepted]
    subprocess.run([*install, "--target", folder, there, "-c", PINS], check=True)
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


def test_both_processors_give_the_same_bits(emulated: Path, packages: Path, tmp_path: Path) -> None:
    ours = smoke(sys.executable, tmp_path)
    theirs = smoke(emulated, tmp_path, packages)
    assert theirs["processor"] == OTHER
    # Predicted noise is a double that travels beside the words; its last bit differs.
    bounds = [found["found"].pop("error bound") for found in (theirs, ours)]
    assert bounds[0] == pytest.approx(bounds[1], rel=ROUNDING)
    assert theirs["found"]["right"]
    assert theirs["found"] == ours["found"]
