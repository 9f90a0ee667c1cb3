"""Peers that run in a process of their own: under another interpreter, in another language.

Their program takes a request as JSON and prints microseconds as JSON, by the names of rows: the
least of several runs on one thread, answers checked there. They are not in turn with ours, but in
the same bench.
"""

from __future__ import annotations

import json
import os
import subprocess
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from ringwright.errors import MissingToolError

__all__ = ["Elsewhere", "Times", "answer", "last_line"]

#: Microseconds by the names of rows.
Times = Mapping[str, float]

_LIMIT_SECONDS = 600


@dataclass(frozen=True)
class Elsewhere:
    """A peer's name, and the command that takes a request."""

    name: str
    command: tuple[str, ...]

    def times(self, request: Mapping[str, Any]) -> Times:
        """What it took.

        Raises `MissingToolError` where it gives a wrong answer, or none.
        """
        said = answer(
            [*self.command, json.dumps(request)], env={**os.environ, "OMP_NUM_THREADS": "1"}
        )
        taken: dict[str, float] = json.loads(said)
        return taken


def answer(
    command: Sequence[str],
    *,
    cwd: Path | None = None,
    env: Mapping[str, str] | None = None,
    failed: str = "failed",
) -> str:
    """What a command prints.

    Raises `MissingToolError`, which begins as `failed` says, where it fails or takes too long.
    """
    try:
        run = subprocess.run(
            command,
            cwd=cwd,
            env=env,
            capture_output=True,
            text=True,
            timeout=_LIMIT_SECONDS,
            check=False,
        )
    except subprocess.TimeoutExpired:
        raise MissingToolError(f"{failed}: no answer in {_LIMIT_SECONDS} s") from None
    if run.returncode:
        raise MissingToolError(f"{failed}: {last_line(run.stderr)}")
    return run.stdout


def last_line(text: str) -> str:
    """What a program said last, for a message."""
    return (text.strip().splitlines() or ["it says nothing"])[-1]
