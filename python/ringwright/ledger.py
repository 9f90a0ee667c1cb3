"""The ledger: where every femtosecond of a run went.

Each entry has `busy_fs` (how long its stages ran) and `exposed_fs` (how much of the end-to-end
time belongs to it). Every instant of the critical path belongs to exactly one entry, so the
exposed times sum to `total_fs` exactly. A kernel is work on ciphertexts or polynomials that an
accelerator could take; everything else is tax.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any, Literal

from ringwright import _ringwright as native

__all__ = ["Entry", "Ledger", "duration_text"]


@dataclass(frozen=True)
class Entry:
    """One line of a ledger; times in femtoseconds, energy in joules where it is known."""

    stage: str
    kind: Literal["kernel", "tax"]
    busy_fs: int
    exposed_fs: int
    provenance: native.Provenance
    joules: float | None = None

    def to_dict(self) -> dict[str, Any]:
        """Ready for JSON; `joules` is absent where it is not known."""
        fields: dict[str, Any] = {
            "stage": self.stage,
            "kind": self.kind,
            "busy_fs": self.busy_fs,
            "exposed_fs": self.exposed_fs,
            "provenance": self.provenance,
        }
        if self.joules is not None:
            fields["joules"] = self.joules
        return fields


@dataclass(frozen=True)
class Ledger:
    """The entries of one schedule or run, in order of first appearance."""

    entries: tuple[Entry, ...]

    @classmethod
    def of(cls, schedule: native.Schedule) -> Ledger:
        """The ledger of a native schedule."""
        return cls(
            tuple(
                Entry(e.stage, e.kind, e.busy_fs, e.exposed_fs, e.provenance, e.joules)
                for e in schedule.ledger()
            )
        )

    def __iter__(self) -> Iterator[Entry]:
        return iter(self.entries)

    def __len__(self) -> int:
        return len(self.entries)

    @property
    def total_fs(self) -> int:
        """End-to-end time: the sum of the exposed times."""
        return sum(entry.exposed_fs for entry in self.entries)

    @property
    def provenances(self) -> tuple[native.Provenance, ...]:
        """The kinds of numbers that the total mixes, in order of first appearance."""
        return tuple(dict.fromkeys(entry.provenance for entry in self.entries))

    def to_dicts(self) -> list[dict[str, Any]]:
        """The entries, ready for JSON."""
        return [entry.to_dict() for entry in self.entries]

    def table(self) -> str:
        """The ledger as text: one line per entry, the total and what it mixes at the end."""
        total = self.total_fs
        rows: list[tuple[str, ...]] = [
            (
                entry.stage,
                entry.kind,
                duration_text(entry.busy_fs),
                duration_text(entry.exposed_fs),
                f"{100 * entry.exposed_fs / total:.1f} %" if total else "",
                entry.provenance,
            )
            for entry in self.entries
        ]
        rows.append(("total", "", "", duration_text(total), "", " + ".join(self.provenances)))
        return _columns([("stage", "kind", "busy", "exposed", "share", "provenance"), *rows])

    def __str__(self) -> str:
        return self.table()


def duration_text(femtoseconds: int) -> str:
    """A duration with a unit that suits it: `"12.3 ms"`; four significant digits."""
    value = float(femtoseconds)
    for unit in ("fs", "ps", "ns", "us", "ms"):
        if value < 1000:
            return f"{value:.4g} {unit}"
        value /= 1000
    return f"{value:.4g} s"


_RIGHT = (False, False, True, True, True, False)


def _columns(rows: list[tuple[str, ...]]) -> str:
    widths = [max(len(row[i]) for row in rows) for i in range(len(rows[0]))]
    lines = []
    for row in rows:
        cells = zip(row, widths, _RIGHT, strict=True)
        line = "  ".join(c.rjust(w) if right else c.ljust(w) for c, w, right in cells)
        lines.append(line.rstrip())
    return "\n".join(lines)
