"""A value of ours beside a published one."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True)
class Ours:
    """A value of ours and the provenances that it mixes."""

    value: float
    provenance: str
