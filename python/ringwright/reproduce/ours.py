"""A value of ours beside a published one."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass


@dataclass(frozen=True)
class Ours:
    """A value of ours and the provenances that it mixes."""

    value: float
    provenances: tuple[str, ...]

    @property
    def provenance(self) -> str:
        """As one text: "fitted + simulated"."""
        return " + ".join(self.provenances)


def ours(value: float, *sources: str | Iterable[str]) -> Ours:
    """A value with the provenances of everything that it is made of, each once."""
    words = (
        word for source in sources for word in ([source] if isinstance(source, str) else source)
    )
    return Ours(value, tuple(dict.fromkeys(words)))
