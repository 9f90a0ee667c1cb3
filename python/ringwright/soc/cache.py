"""A core's cache of data: what it holds, and how often it fetches a line.

A loop over two arrays comes to their lines in turn:

    cache = Cache(Geometry(sets=64, ways=8, line_bytes=64, replaces="tree"))
    cache.walk(1024, Walk(0, 4), Walk(4096, 8))
    cache.fetched  # 64 + 128
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cache as remembered
from random import Random
from typing import Literal, TypeAlias

__all__ = ["Cache", "Geometry", "Walk"]

#: Who goes where another line comes: whom a binary tree of bits points at, which each access turns
#: away from itself; or any.
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
    """Elements one behind another: the first one's address, bytes of each."""

    first: int
    step: int


class Cache:
    """Lines by set, none at first. A write fetches a line like a read, and what is written back
    keeps nobody waiting.
    """

    def __init__(self, geometry: Geometry) -> None:
        self.geometry = geometry
        self.fetched = 0
        self._line_bytes = geometry.line_bytes
        self._held: list[dict[int, int]] = [{} for _ in range(geometry.sets)]
        self._lines: list[list[int | None]] = [[None] * geometry.ways for _ in range(geometry.sets)]
        self._trees = [0] * geometry.sets
        self._random = Random(0)

    def touch(self, address: int) -> None:
        """An access."""
        line = address // self._line_bytes
        at = line % self.geometry.sets
        way = self._held[at].get(line)
        if way is None:
            way = self._fetch(at, line)
        if self.geometry.replaces == "tree":
            keep, turn = _turned(self.geometry.ways)[way]
            self._trees[at] = self._trees[at] & keep | turn

    def walk(self, count: int, *walks: Walk) -> None:
        """So many elements of each, in turn: line by line of the one that has fewest in a line."""
        chunk = max(1, self._line_bytes // max(walk.step for walk in walks))
        for at in range(0, count, chunk):
            for walk in walks:
                self.touch(walk.first + at * walk.step)

    def drop(self, first: int, size: int) -> None:
        """What somebody else writes is not held any longer."""
        for line in range(first // self._line_bytes, (first + size) // self._line_bytes):
            at = line % self.geometry.sets
            way = self._held[at].pop(line, None)
            if way is not None:
                self._lines[at][way] = None

    def _fetch(self, at: int, line: int) -> int:
        self.fetched += 1
        lines = self._lines[at]
        if self.geometry.replaces == "random":
            way = self._random.randrange(self.geometry.ways)
        elif None in lines:
            way = lines.index(None)
        else:
            way = _pointed_at(self.geometry.ways)[self._trees[at]]
        before = lines[way]
        if before is not None:
            del self._held[at][before]
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
