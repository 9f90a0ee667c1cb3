"""Every Python block of the book runs, a page's blocks in order in one namespace, and prints what
the page's `output` blocks show; every `sh` block of README runs as written. What is fenced as
`text` is an illustration."""

from __future__ import annotations

import re
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]
PAGES = sorted([*(ROOT / "docs").glob("*.md"), ROOT / "README.md"])
FENCE = re.compile(r"^```(\w+)\n(.*?)^```$", re.M | re.S)


def blocks(page: Path, language: str) -> list[str]:
    return [body for kind, body in FENCE.findall(page.read_text()) if kind == language]


@pytest.mark.parametrize("page", [p for p in PAGES if blocks(p, "python")], ids=lambda p: p.name)
def test_python_blocks_run(page: Path, tmp_path: Path) -> None:
    script = tmp_path / page.with_suffix(".py").name
    script.write_text("\n".join(blocks(page, "python")))
    run = subprocess.run([sys.executable, script], cwd=tmp_path, capture_output=True, text=True)
    assert run.returncode == 0, run.stderr
    for shown in blocks(page, "output"):
        assert shown in run.stdout


@pytest.mark.slow
def test_readme_commands_run() -> None:
    """In one shell, in order. `make test` is this very run, so it is not started again."""
    commands = [line for block in blocks(ROOT / "README.md", "sh") for line in block.splitlines()]
    assert "make demo" in commands
    script = "\n".join(command for command in commands if command != "make test")
    run = subprocess.run(["bash", "-exc", script], cwd=ROOT, capture_output=True, text=True)
    assert run.returncode == 0, f"{run.stdout[-2000:]}{run.stderr[-2000:]}"
