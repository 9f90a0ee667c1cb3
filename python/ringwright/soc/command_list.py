"""A list of commands for an accelerator that runs by itself, with operands and results, as C."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np

from ringwright import _ringwright as native

__all__ = ["CommandList"]

_LINE = 64


@dataclass(frozen=True)
class CommandList:
    """What lies in the accelerator's memory, which registers start it, and what it leaves.

    `parts`: address and bytes; `results` too. `memory_bytes`: of all that it works on. `word_bits`:
    of the machine. `most_cycles`: after which a core gives up.
    """

    parts: Sequence[tuple[int, bytes]]
    writes: Sequence[tuple[int, int]]
    results: Sequence[tuple[int, bytes]]
    memory_bytes: int
    word_bits: int
    most_cycles: int

    @classmethod
    def of(cls, image: native.Image, word_bits: int, most_cycles: int) -> CommandList:
        """Of a machine's image of a program; zeros between what it holds are left out."""
        parts = [
            (base + begin, data[begin:end])
            for _, base, data in image.memories
            for begin, end in _filled(data)
        ]
        end = max(base + len(data) for _, base, data in image.memories)
        return cls(parts, image.writes, image.results, end, word_bits, most_cycles)

    def write(self, folder: Path) -> None:
        """Writes list_sizes.h and list_tables.c."""
        sizes = {
            "WORD_BITS": self.word_bits,
            "PARTS": len(self.parts),
            "WRITES": len(self.writes),
            "RESULTS": len(self.results),
            "MOST_CYCLES": self.most_cycles,
        }
        lines = (f"#define {name} {value}\n" for name, value in sizes.items())
        (folder / "list_sizes.h").write_text("".join(lines))
        (folder / "list_tables.c").write_text("\n".join(self._lines()) + "\n")

    def _lines(self) -> Iterable[str]:
        yield '#include "list.h"\n'
        words = [
            np.frombuffer(data.ljust(-(-len(data) // 8) * 8, b"\0"), "<u8")
            for _, data in self.parts
        ]
        for number, each in enumerate(words):
            values = ", ".join(f"{word}ull" for word in each.tolist())
            yield f"static const uint64_t part_{number}[] = {{{values}}};"
        yield "const part_t list_parts[PARTS] = {"
        for number, ((address, _), each) in enumerate(zip(self.parts, words, strict=True)):
            yield f"  {{{address}u, {len(each)}u, part_{number}}},"
        yield "};"
        yield "const rpu_write_t list_writes[WRITES] = {"
        yield from (f"  {{{offset}u, {value}u}}," for offset, value in self.writes)
        yield "};"
        yield "const place_t list_results[RESULTS] = {"
        yield from (f"  {{{address}u, {len(data)}u}}," for address, data in self.results)
        yield "};"


def _filled(data: bytes) -> Iterable[tuple[int, int]]:
    """Lines in a row that are not all zeros: from, to."""
    lines = np.frombuffer(data.ljust(-(-len(data) // _LINE) * _LINE, b"\0"), np.uint8)
    filled = lines.reshape(-1, _LINE).any(axis=1)
    edges = np.flatnonzero(np.diff(np.concatenate(([False], filled, [False])).astype(np.int8)))
    for begin, end in edges.reshape(-1, 2).tolist():
        yield begin * _LINE, min(end * _LINE, len(data))
