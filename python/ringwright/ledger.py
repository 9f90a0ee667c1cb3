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
from ringwright import notebook
from ringwright.quantity import SECONDS, scaled

__all__ = ["Entry", "Ledger", "duration_range_text", "duration_text"]


@dataclass(frozen=True)
class Entry:
    """One line of a ledger; times in femtoseconds, energy in joules where it is known.

    `resource`: where its stages ran. `waits`: it is time in which nothing worked. `busy_range_fs`:
    the least and the most that `busy_fs` may have been, where it is not certain.
    """

    stage: str
    kind: Literal["kernel", "tax"]
    busy_fs: int
    exposed_fs: int
    provenance: native.Provenance
    joules: float | None = None
    resource: str = ""
    waits: bool = False
    busy_range_fs: tuple[int, int] | None = None

    def to_dict(self) -> dict[str, Any]:
        """Ready for JSON; `joules` and `busy_range_fs` are absent where there are none."""
        fields: dict[str, Any] = {
            "stage": self.stage,
            "kind": self.kind,
            "resource": self.resource,
            "waits": self.waits,
            "busy_fs": self.busy_fs,
            "exposed_fs": self.exposed_fs,
            "provenance": self.provenance,
        }
        if self.joules is not None:
            fields["joules"] = self.joules
        if self.busy_range_fs is not None:
            fields["busy_range_fs"] = list(self.busy_range_fs)
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
                Entry(
                    e.stage,
                    e.kind,
                    e.busy_fs,
                    e.exposed_fs,
                    e.provenance,
                    e.joules,
                    e.resource.name,
                    e.waits,
                    e.busy_range_fs,
                )
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
    def kernel_fs(self) -> int:
        """What of `total_fs` is kernels."""
        return sum(entry.exposed_fs for entry in self.entries if entry.kind == "kernel")

    @property
    def tax_fs(self) -> int:
        """What of `total_fs` is tax."""
        return self.total_fs - self.kernel_fs

    @property
    def provenances(self) -> tuple[native.Provenance, ...]:
        """The kinds of numbers that the total mixes, in order of first appearance."""
        return tuple(dict.fromkeys(entry.provenance for entry in self.entries))

    def to_dicts(self) -> list[dict[str, Any]]:
        """The entries, ready for JSON."""
        return [entry.to_dict() for entry in self.entries]

    def table(self) -> str:
        """The ledger as text: one line per entry, the total and what it mixes at the end."""
        return _columns([_HEADS, *self._rows()])

    def _rows(self) -> list[tuple[str, ...]]:
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
        return rows

    def __repr__(self) -> str:
        return f"<ledger of {len(self)} entries: {self.summary}>"

    def _repr_html_(self) -> str:
        return notebook.shown(f"Ledger: {self.summary}", self.html_table())

    @property
    def summary(self) -> str:
        """The total and what it mixes: `"12.3 ms (measured)"`."""
        return f"{duration_text(self.total_fs)} ({' + '.join(self.provenances)})"

    def html_table(self) -> str:
        """The same as `table`, for a page."""
        numeric = [index for index, right in enumerate(_RIGHT) if right]
        return notebook.table(_HEADS, self._rows(), numeric)

    def __str__(self) -> str:
        return self.table()


def duration_text(femtoseconds: int, digits: int = 4) -> str:
    """A duration with a unit that suits it: `"12.3 ms"`; so many significant digits."""
    return " ".join(scaled(femtoseconds, SECONDS, digits))


def duration_range_text(low_fs: int, high_fs: int) -> str:
    """Two durations: `"7.4 to 472 ms"`; three significant digits, a unit each where they differ.

    One, where they read the same.
    """
    low, high = duration_text(low_fs, 3), duration_text(high_fs, 3)
    if low == high:
        return low
    same = low.split()[1] == high.split()[1]
    return f"{low.split()[0] if same else low} to {high}"


_HEADS = ("stage", "kind", "busy", "exposed", "share", "provenance")
_RIGHT = (False, False, True, True, True, False)


def _columns(rows: list[tuple[str, ...]]) -> str:
    widths = [max(len(row[i]) for row in rows) for i in range(len(rows[0]))]
    lines = []
    for row in rows:
        cells = zip(row, widths, _RIGHT, strict=True)
        line = "  ".join(c.rjust(w) if right else c.ljust(w) for c, w, right in cells)
        lines.append(line.rstrip())
    return "\n".join(lines)
