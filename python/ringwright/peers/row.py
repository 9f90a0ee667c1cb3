"""A row of the bench, and how its times are taken."""

from __future__ import annotations

import os
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, TypedDict

__all__ = ["Action", "Parameter", "Row", "least_each", "row"]

Action = Callable[[], Any]
Parameter = int | str

#: Where this variable is set a bench checks its answers and no more: one round of everything.
ANSWERS_ONLY = "RINGWRIGHT_BENCH_ANSWERS_ONLY"
#: Least of so many rounds each, in turn: others on the machine only ever add time.
ROUNDS = 1 if ANSWERS_ONLY in os.environ else 15
#: A turn does its action so many times at least, and for so long: caches, threads and processors
#: are then as they are in a program at work, and in a peer's own process, whose actions follow each
#: other. Three encryptions on two threads after 10 ms on one are a quarter slower than those after.
_REPEATS = 3
_TURN_NS = 0 if ROUNDS == 1 else 20_000_000


class Row(TypedDict):
    """One measurement; `ratio_to_best` is the fastest live peer's time over ours, or `None`."""

    name: str
    parameters: dict[str, Parameter]
    ours_us: float
    peers: dict[str, float]
    ratio_to_best: float | None
    correct: bool


@dataclass(frozen=True)
class _Sample:
    least_us: float
    last: Any


def row(
    name: str,
    parameters: Mapping[str, Parameter],
    ours_us: float,
    peers: Mapping[str, float],
    *,
    correct: bool,
) -> Row:
    """A row, with its ratio."""
    return {
        "name": name,
        "parameters": dict(parameters),
        "ours_us": ours_us,
        "peers": dict(peers),
        "ratio_to_best": min(peers.values()) / ours_us if peers else None,
        "correct": correct,
    }


def least_each(actions: Sequence[Action]) -> tuple[list[float], list[Any]]:
    """Least microseconds of each action, taken in turn, and what each gave last."""
    for action in actions:
        action()
    samples = [_Sample(float("inf"), None) for _ in actions]
    for _ in range(ROUNDS):
        for index, action in enumerate(actions):
            for took, result in _turn(action):
                samples[index] = _Sample(min(samples[index].least_us, took / 1e3), result)
    return [sample.least_us for sample in samples], [sample.last for sample in samples]


def _turn(action: Action) -> Iterator[tuple[int, Any]]:
    """Nanoseconds, and what the action gave."""
    begun = end = time.perf_counter_ns()
    times = 0
    while times < _REPEATS or end - begun < _TURN_NS:
        start = time.perf_counter_ns()
        result = action()
        end = time.perf_counter_ns()
        times += 1
        yield end - start, result
