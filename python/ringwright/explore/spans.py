"""What a design does when, in few words: spans on lanes, small enough for a table of many designs.

A span is (lane, start, end, share, name), in cycles; `share`: how much of the span the lane works.
Of a transform each pipe is a lane, cut into equal slices; an instruction counts in the slice in
which it starts. Of a program the lane is what the end waits for, kernel after kernel.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator

from ringwright import _ringwright as native

Span = tuple[str, int, int, float, str]

#: Slices of a transform's time.
_SLICES = 40


def of_transform(done: native.Transform) -> list[Span]:
    """Of a transform that has run."""
    if not done.program:
        return [(unit, 0, done.cycles, round(share, 4), unit) for unit, share in done.units]
    return [span for unit, share in done.units for span in _slices(done, unit, share)]


def of_timing(timing: native.Timing) -> list[Span]:
    """Of a program; kernels of one name that follow each other are one span."""
    found: list[Span] = []
    at = 0
    for kernel in timing.kernels:
        start, at = at, at + kernel.exposed_cycles
        if at == start:
            continue
        if found and found[-1][4] == kernel.name:
            start = found.pop()[1]
        found.append(("exposed", start, at, 1.0, kernel.name))
    return found


def _slices(done: native.Transform, unit: str, share: float) -> Iterator[Span]:
    starts = [start for start, pipe, _ in done.program if pipe == unit]
    count = Counter(start * _SLICES // done.cycles for start in starts)
    # What an instruction takes of its pipe, on average.
    each = share * done.cycles / max(1, len(starts))
    for at in range(_SLICES):
        start, end = (part * done.cycles // _SLICES for part in (at, at + 1))
        if end > start:
            works = min(1.0, count[at] * each / (end - start))
            yield unit, start, end, round(works, 3), f"{count[at]} instructions"
