"""Peers that run in a process of their own: under another interpreter, in another language.

Their program takes a request as JSON and prints microseconds as JSON, by the names of rows: the
least of several runs on one thread, answers checked there. They are not in turn with ours, but in
the same bench.
"""

from __future__ import annotations

import json
import os
import subprocess
import time
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from ringwright.errors import MissingToolError

__all__ = ["Elsewhere", "Times", "answer", "last_line"]

#: Microseconds by the names of rows.
Times = Mapping[str, float]

_LIMIT_SECONDS = 600
_PERIOD_SECONDS = 0.05


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
    out = subprocess.PIPE
    child = subprocess.Popen(command, cwd=cwd, env=env, stdout=out, stderr=out, text=True)
    try:
        said, complained = _said(child)
    except subprocess.TimeoutExpired:
        raise MissingToolError(f"{failed}: no answer in {_LIMIT_SECONDS} s") from None
    finally:
        # After Ctrl-C nobody waits until its gigabytes are free.
        child.kill()
    if child.returncode:
        raise MissingToolError(f"{failed}: {last_line(complained)}")
    return said


def _said(child: subprocess.Popen[str]) -> tuple[str, str]:
    """What it printed. It is waited for in short turns: on Ctrl-C Python lets a child end by itself
    for the rest of the turn, and for a quarter of a second where there is none.
    """
    end = time.monotonic() + _LIMIT_SECONDS
    while True:
        try:
            return child.communicate(timeout=_PERIOD_SECONDS)
        except subprocess.TimeoutExpired:
            if time.monotonic() > end:
                raise


def last_line(text: str) -> str:
    """What a program said last, for a message."""
    return (text.strip().splitlines() or ["it says nothing"])[-1]
