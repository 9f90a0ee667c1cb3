"""The CPython 3.10 for OpenFHE is found, behind a shim of pyenv as well, or fetched."""

from __future__ import annotations

import subprocess
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
SCRIPT = ROOT / "scripts" / "openfhe.sh"
#: Writes down what it is asked, and makes an environment whose interpreter does the same.
INTERPRETER = """#!/bin/sh
echo "$@" >> "{log}"
for last; do :; done
case "$*" in *" venv "*) mkdir -p "$last/bin"; cp "{itself}" "$last/bin/python";; esac
"""
SHIM = """#!/bin/sh
[ "$PYENV_VERSION" = 3.10 ] || { echo "pyenv: python3.10: command not found" >&2; exit 127; }
exec "$(dirname "$0")/interpreter" "$@"
"""


def asked(folder: Path, *, shim: bool) -> list[str]:
    """Runs the script where `python3.10` is a shim, or is not there; returns what was asked."""
    log, tools, environment = folder / "log", folder / "tools", folder / ".venv"
    interpreter = tools / "interpreter"
    (environment / "bin").mkdir(parents=True)
    tools.mkdir()
    interpreter.write_text(INTERPRETER.format(log=log, itself=interpreter))
    interpreter.chmod(0o755)
    (environment / "bin" / "python").symlink_to(interpreter)
    if shim:
        (tools / "python3.10").write_text(SHIM)
        (tools / "python3.10").chmod(0o755)
    for tool in ("bash", "env", "sh", "mkdir", "cp", "dirname"):
        real = subprocess.run(["which", tool], capture_output=True, text=True).stdout.strip()
        (tools / tool).symlink_to(real)
    run = subprocess.run(
        [SCRIPT, environment], cwd=ROOT, env={"PATH": str(tools)}, capture_output=True, text=True
    )
    assert run.returncode == 0, run.stderr
    assert ("fetching one" in run.stderr) == (not shim)
    return log.read_text().splitlines()


def test_a_shim_is_told_which_version(tmp_path: Path) -> None:
    _, made, installed = asked(tmp_path, shim=True)
    assert made == f"-m venv --clear {tmp_path}/.venv/openfhe"
    assert installed.endswith("install -r requirements/openfhe.txt")


def test_without_one_uv_fetches_it(tmp_path: Path) -> None:
    uv, made, installed = asked(tmp_path, shim=False)
    assert uv.endswith("install uv")
    assert "--python 3.10" in made
    assert made.endswith(f"{tmp_path}/.venv/openfhe")
    assert installed.endswith("install -r requirements/openfhe.txt")
