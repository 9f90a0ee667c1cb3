"""A core's cache of data: what it holds, and how often it fetches a line.

A loop over two arrays comes to their lines in turn:

    cache = Cache(Geometry(sets=64, ways=8, line_bytes=64, replaces="tree"))
    cache.walk(1024, Walk(0, 4), written(4096, 8))
    cache.fetched  # 64 + 128
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cache as remembered
from typing import Literal, TypeAlias

__all__ = ["Cache", "Geometry", "Walk", "written"]

#: Who goes where another line comes: whom a binary tree of bits points at, which each access turns
#: away from itself; or any, by a shift register of 16 bits that goes on with each line (Rocket's).
Replaces: TypeAlias = Literal["tree", "random"]


@dataclass(frozen=True)
class Geometry:
    """Of a cache; `ways` is a power of two."""

    sets: int
    ways: int
    line_bytes: int
    replaces: Replaces

    @property
    def size(self) -> int:
        """Bytes that it holds."""
        return self.sets * self.ways * self.line_bytes


@dataclass(frozen=True)
class Walk:
    """Elements one behind another: the first one's address, bytes of each, whether they are
    written after all have been come to.
    """

    first: int
    step: int
    writes: bool = False


def written(first: int, step: int) -> Walk:
    """Elements that are written, or read and written."""
    return Walk(first, step, writes=True)


class Cache:
    """Lines by set, none at first. A write fetches a line like a read; one that was written goes
    back to memory where another one comes, or is given back where somebody else asks for it.
    """

    def __init__(self, geometry: Geometry) -> None:
        self.geometry = geometry
        self.fetched, self.written_back, self.given_back = 0, 0, 0
        self._line_bytes = geometry.line_bytes
        self._held: list[dict[int, int]] = [{} for _ in range(geometry.sets)]
        self._lines: list[list[int | None]] = [[None] * geometry.ways for _ in range(geometry.sets)]
        self._written: set[int] = set()
        self._shared: set[int] = set()
        self._trees = [0] * geometry.sets
        self._register = 1

    def touch(self, address: int, *, writes: bool = False) -> None:
        """An access."""
        line = address // self._line_bytes
        at = line % self.geometry.sets
        way = self._held[at].get(line)
        if way is None:
            way = self._fetch(at, line)
        if writes:
            if line in self._shared:
                self._shared.remove(line)
                self.fetched += 1
            self._written.add(line)
        if self.geometry.replaces == "tree":
            keep, turn = _turned(self.geometry.ways)[way]
            self._trees[at] = self._trees[at] & keep | turn

    def walk(self, count: int, *walks: Walk) -> None:
        """So many elements of each, in turn. Where all their lines are held, those that follow in
        the same ones change nothing.
        """
        chunk = max(1, self._line_bytes // max(walk.step for walk in walks))
        for line in range(0, count, chunk):
            for at in range(line, min(line + chunk, count)):
                places = [walk.first + at * walk.step for walk in walks]
                for place in places:
                    self.touch(place)
                for place, walk in zip(places, walks, strict=True):
                    if walk.writes:
                        self.touch(place, writes=True)
                if all(map(self._holds, places)):
                    break

    def _holds(self, address: int) -> bool:
        line = address // self._line_bytes
        return line in self._held[line % self.geometry.sets]

    def share(self, first: int, size: int) -> None:
        """What somebody else reads through this cache is held on, but not to be written: a write
        asks for it again.
        """
        for line in self._lines_of(first, size):
            if self._give_back(line):
                self._shared.add(line)

    def drop(self, first: int, size: int) -> None:
        """What somebody else writes is not held any longer."""
        for line in self._lines_of(first, size):
            if self._give_back(line):
                at = line % self.geometry.sets
                way = self._held[at].pop(line)
                self._lines[at][way] = None
                self._shared.discard(line)

    def _lines_of(self, first: int, size: int) -> range:
        return range(first // self._line_bytes, (first + size) // self._line_bytes)

    def _give_back(self, line: int) -> bool:
        """Whether there was one."""
        if line in self._written:
            self._written.remove(line)
            self.given_back += 1
        return line in self._held[line % self.geometry.sets]

    def _fetch(self, at: int, line: int) -> int:
        self.fetched += 1
        lines = self._lines[at]
        if self.geometry.replaces == "random":
            way = self._register % self.geometry.ways
            self._register = _shifted(self._register)
        elif None in lines:
            way = lines.index(None)
        else:
            way = _pointed_at(self.geometry.ways)[self._trees[at]]
        before = lines[way]
        if before is not None:
            del self._held[at][before]
            self._shared.discard(before)
            if before in self._written:
                self._written.remove(before)
                self.written_back += 1
        lines[way] = line
        self._held[at][line] = way
        return way


@remembered
def _turned(ways: int) -> list[tuple[int, int]]:
    """By way: what stays of a tree's bits after an access, and those that then point away."""
    found = []
    for way in range(ways):
        path, turn, node, span = 0, 0, 0, ways // 2
        while span:
            right = bool(way & span)
            path |= 1 << node
            turn |= 0 if right else 1 << node
            node = 2 * node + 1 + right
            span //= 2
        found.append((~path, turn))
    return found


@remembered
def _pointed_at(ways: int) -> list[int]:
    """By a tree's bits: the way at the end of them."""
    found = []
    for bits in range(1 << (ways - 1)):
        node = 0
        while node < ways - 1:
            node = 2 * node + 1 + (bits >> node & 1)
        found.append(node - (ways - 1))
    return found


def _shifted(register: int) -> int:
    """With the longest period that 16 bits have."""
    tapped = register >> 15 ^ register >> 13 ^ register >> 12 ^ register >> 10
    return register << 1 & 0xFFFF | tapped & 1
