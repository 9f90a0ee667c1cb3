"""Examples of crates that measure, built for speed."""

from __future__ import annotations

import json
import subprocess
from pathlib import Path
from typing import Any

ROOT = Path(__file__).resolve().parents[1]


def built(name: str) -> Path:
    """The program, built on the way."""
    # Of the workspace: alone the crate has dependencies of other features, and all is built again.
    command = ["cargo", "build", "--release", "--quiet", "--locked", "--workspace"]
    build = subprocess.run(
        [*command, "--message-format", "json-render-diagnostics", "--example", name],
        cwd=ROOT,
        check=True,
        stdout=subprocess.PIPE,
        text=True,
    )
    messages = map(json.loads, build.stdout.splitlines())
    (made,) = [message["executable"] for message in messages if message.get("executable")]
    return Path(made)


def rows(name: str) -> list[dict[str, Any]]:
    """The rows that an example prints."""
    run = subprocess.run([built(name)], cwd=ROOT, check=True, stdout=subprocess.PIPE)
    printed: list[dict[str, Any]] = json.loads(run.stdout)
    return printed
