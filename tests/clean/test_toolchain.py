"""What a fresh machine lacks is said in one clear line, before anything is built."""

from __future__ import annotations

import subprocess
from pathlib import Path

import pytest

SCRIPT = Path(__file__).resolve().parents[2] / "scripts" / "toolchain.sh"


def fake(folder: Path, name: str, output: str) -> None:
    program = folder / name
    program.write_text(f"#!/bin/sh\necho '{output}'\n")
    program.chmod(0o755)


def check(path: Path, *arguments: str) -> str:
    """Runs the script with `path` before the few system tools it needs; returns its one line."""
    tools = path / "tools"
    tools.mkdir()
    for tool in ("bash", "sort", "head", "awk", "printf", "env"):
        real = subprocess.run(["which", tool], capture_output=True, text=True).stdout.strip()
        (tools / tool).symlink_to(real)
    run = subprocess.run(
        [SCRIPT, *arguments], env={"PATH": f"{path}:{tools}"}, capture_output=True, text=True
    )
    assert run.returncode == 1
    lines = run.stderr.strip().splitlines()
    assert len(lines) == 1, run.stderr
    return lines[0]


def test_missing_python(tmp_path: Path) -> None:
    assert "no Python found as 'python9'" in check(tmp_path, "python", "python9")


@pytest.mark.parametrize("old", ["3.9", "2.7"])
def test_old_python(tmp_path: Path, old: str) -> None:
    fake(tmp_path, "python3", old)
    line = check(tmp_path, "python", "python3")
    assert f"is Python {old}" in line
    assert "3.10 or newer" in line


def test_missing_c_compiler(tmp_path: Path) -> None:
    assert "no C compiler" in check(tmp_path, "compilers", str(tmp_path))


def test_old_rust(tmp_path: Path) -> None:
    for tool in ("cc", "cargo"):
        fake(tmp_path, tool, "")
    fake(tmp_path, "rustc", "rustc 1.88.0 (abc 2025-06-23)")
    line = check(tmp_path, "compilers", str(tmp_path))
    assert "rustc is 1.88.0" in line
    assert "1.89.0 or newer" in line


def test_another_processor_without_its_library(tmp_path: Path) -> None:
    fake(tmp_path, "rustc", str(tmp_path))
    line = check(tmp_path, "target", "aarch64-unknown-linux-gnu")
    assert "Rust's library for aarch64-unknown-linux-gnu is missing" in line
    assert "no rustup" in line
