"""Every Python block of the book runs, a page's blocks in order in one namespace, and prints what
the page's `output` blocks show. A block that begins with `# file: NAME` is that file; `sh` blocks
of the cookbook run beside such files, and those of README as written. What is fenced as `text` is
an illustration."""

from __future__ import annotations

import os
import re
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]
PAGES = sorted([*(ROOT / "docs").rglob("*.md"), ROOT / "README.md"])
COOKBOOK = ROOT / "docs" / "cookbook"
FENCE = re.compile(r"^```(\w+)\n(.*?)^```$", re.M | re.S)
FILE = re.compile(r"# file: (\w+\.py)\n")


def blocks(page: Path, language: str) -> list[str]:
    return [body for kind, body in FENCE.findall(page.read_text()) if kind == language]


def commands(page: Path, folder: Path) -> str:
    """What runs the page, whose files are laid down in `folder`: its script, its `sh` blocks."""
    script = []
    for block in blocks(page, "python"):
        named = FILE.match(block)
        if named:
            (folder / named[1]).write_text(block)
        else:
            script.append(block)
    (folder / page.with_suffix(".py").name).write_text("\n".join(script))
    shell = blocks(page, "sh") if page.parent == COOKBOOK else []
    return "\n".join([f"python {page.stem}.py" if script else "", *shell])


@pytest.mark.parametrize("page", [p for p in PAGES if blocks(p, "python")], ids=lambda p: p.name)
def test_python_blocks_run(page: Path, tmp_path: Path) -> None:
    python = Path(sys.executable).parent
    search = {**os.environ, "PATH": f"{python}{os.pathsep}{os.environ['PATH']}"}
    script = ["bash", "-euc", commands(page, tmp_path)]
    run = subprocess.run(
        script, cwd=tmp_path, capture_output=True, text=True, env=search, timeout=300
    )
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
