"""Where a result comes from, so that it can be cited: which Ringwright, when, how, on what."""

from __future__ import annotations

import subprocess
from collections.abc import Mapping
from dataclasses import asdict, dataclass
from datetime import datetime, timezone
from typing import Any

from ringwright import _ringwright as native
from ringwright import checkout
from ringwright.doctor import doctor

__all__ = ["Origin", "origin"]

_TEXTS = ("version", "date", "processor", "cores", "vector_instructions")
_ISA = "isa "
_SECONDS = 10


@dataclass(frozen=True)
class Origin:
    """Of one run.

    `commit`: of the checkout that ran, `modified` whether its tracked files differed from it; both
    `None` where Ringwright runs from a wheel or there is no git. `date`: of the start, UTC, ISO
    8601. `command`: as a shell takes it; `None` where a program called Ringwright.
    """

    version: str
    commit: str | None
    modified: bool | None
    date: str
    command: str | None
    processor: str
    cores: str
    vector_instructions: str

    def to_dict(self) -> dict[str, Any]:
        """Ready for JSON."""
        return asdict(self)

    @classmethod
    def of_dict(cls, saved: Mapping[str, Any]) -> Origin:
        """What `to_dict` gave; what is missing is `None` or empty, what is unknown is left out."""
        texts = {name: str(saved.get(name, "")) for name in _TEXTS}
        commit, modified, command = (saved.get(name) for name in ("commit", "modified", "command"))
        return cls(
            commit=None if commit is None else str(commit),
            modified=None if modified is None else bool(modified),
            command=None if command is None else str(command),
            **texts,
        )

    def __str__(self) -> str:
        commit = "" if self.commit is None else f", commit {self.commit[:12]}"
        changed = " with changes" if self.modified else ""
        return f"Ringwright {self.version}{commit}{changed}, {self.date}, {self.processor}"


def origin(command: str | None = None) -> Origin:
    """Of a run that starts now."""
    facts = {fact.name: fact.value for fact in doctor()}
    used = next(name for name, value in facts.items() if name[:4] == _ISA and value == "used")
    commit, status = _git("rev-parse", "HEAD"), _git("status", "--porcelain", "-uno")
    return Origin(
        native.__version__,
        commit,
        None if commit is None or status is None else bool(status),
        datetime.now(timezone.utc).isoformat(timespec="seconds"),
        command,
        facts["processor"],
        facts["cores"],
        used.removeprefix(_ISA),
    )


def _git(*arguments: str) -> str | None:
    """What git says of the checkout; `None` where there is neither."""
    if not (checkout.ROOT / ".git").exists():
        return None
    command = ["git", "-C", str(checkout.ROOT), *arguments]
    try:
        done = subprocess.run(command, capture_output=True, text=True, check=True, timeout=_SECONDS)
    except (OSError, subprocess.SubprocessError):
        return None
    return done.stdout.strip()
