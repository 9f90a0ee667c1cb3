"""Stages on resources, scheduled into jobs: where the time of a whole system goes.

A *stage* is a kernel, a host function or a transfer that occupies one *resource* (a host, a
device, a link) for a known time, or for one of a known range; a *job* (one frame, one query) is a
list of stages with their predecessors. `schedule` places jobs on the resources in order, with at
most `in_flight` jobs at once (1: one after the other; 2: double buffering), and says what the
ledger and the timeline are.

A simulated machine adds its runs to a job's `Stages` itself: a `Station` says on which resources
its units and its host stand, `Stages.run` gives every step a stage, `Stages.run_folded` the whole
run one, which a program of a million operations needs. Both take as long, to the femtosecond.

`measure` and `Stopwatch` time Python calls with the monotonic clock, for stages whose provenance
is "measured".
"""

from __future__ import annotations

import time
from abc import ABC, abstractmethod
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from functools import cached_property
from types import TracebackType
from typing import Generic, Literal, ParamSpec, TypeVar

from ringwright import _ringwright as native
from ringwright.ledger import Ledger
from ringwright.machines import Link
from ringwright.machines import link as load_link
from ringwright.timeline import Timeline

__all__ = [
    "Detail",
    "Job",
    "Measured",
    "Resource",
    "Schedule",
    "Scheduled",
    "Stage",
    "Stages",
    "Station",
    "StepNaming",
    "Stopwatch",
    "measure",
    "schedule",
    "transfer",
]

Stage = native.Stage
Stages = native.Stages
Station = native.Station
StepNaming = native.StepNaming
Resource = native.Resource
Detail = native.Detail

FS_PER_NS = 1_000_000

T = TypeVar("T")
P = ParamSpec("P")

#: Schedules the same stages at one end of their ranges.
Ends = Callable[[Literal["low", "high"]], native.Schedule]


class Scheduled(ABC):
    """What took time, as its schedule says."""

    @property
    @abstractmethod
    def schedule(self) -> Schedule:
        """Its stages on their resources."""

    @property
    def ledger(self) -> Ledger:
        """Where the time went."""
        return self.schedule.ledger

    @property
    def timeline(self) -> Timeline:
        """When it went there; what happened inside a stage lies inside its span."""
        return self.schedule.timeline


@dataclass(frozen=True)
class Job:
    """The stages of one frame or query; `Stage.after` holds indices into this list."""

    stages: tuple[Stage, ...]

    def __init__(self, stages: Iterable[Stage]) -> None:
        object.__setattr__(self, "stages", tuple(stages))


class Schedule:
    """Jobs placed on resources; made by `schedule`."""

    def __init__(self, inner: native.Schedule, ends: Ends | None = None) -> None:
        self._inner, self._ends = inner, ends

    def __repr__(self) -> str:
        return f"<schedule: {self.ledger.summary}>"

    @property
    def jobs(self) -> int:
        """How many were scheduled."""
        return self._inner.jobs

    @property
    def total_fs(self) -> int:
        """From the start of set-up to the end of the last job, in femtoseconds."""
        return self._inner.total_fs

    def latency_fs(self, job: int = 0) -> int:
        """From a job's first start to its last result, beside the other jobs in flight.

        Femtoseconds. Raises `ScheduleError` for a job that does not exist.
        """
        return self._inner.latency_fs(job)

    def latency_alone_fs(self, job: int = 0) -> int:
        """The latency that the job would have with all resources to itself."""
        return self._inner.latency_alone_fs(job)

    @property
    def throughput_fps(self) -> float | None:
        """Jobs per second in the steady state; `None` where jobs take no time at all.

        The lower of two bounds: the busiest resource's rate, and what the number of jobs in
        flight allows.
        """
        return self._inner.throughput_fps

    @property
    def bottleneck(self) -> str | None:
        """The resource that holds the rate back; `None` where it is the jobs in flight."""
        return self._inner.bottleneck

    @property
    def resources(self) -> list[Resource]:
        """Everything that its stages occupy, in order of first appearance."""
        return self._inner.resources

    def loads(self) -> list[tuple[Resource, int, list[native.Provenance]]]:
        """What the jobs, without the set-up, ask of each resource.

        Femtoseconds that it works or is held, and where these come from.
        """
        return self._inner.loads()

    @cached_property
    def ends(self) -> tuple[Schedule, Schedule] | None:
        """The same with every stage at the least, and at the most, that it may take.

        `None` where every duration is certain.
        """
        if self._ends is None:
            return None
        return Schedule(self._ends("low")), Schedule(self._ends("high"))

    @cached_property
    def ledger(self) -> Ledger:
        """Busy and exposed time per stage name; the exposed times sum to `total_fs` exactly."""
        return Ledger.of(self._inner)

    @cached_property
    def timeline(self) -> Timeline:
        """One track per resource, one span per stage; durations are those of the ledger."""
        return Timeline.of(self._inner)


def schedule(
    jobs: Iterable[Job | Stages | Sequence[Stage]],
    *,
    setup: Stages | Iterable[Stage] = (),
    in_flight: int = 1,
) -> Schedule:
    """Places `setup` (once, before everything) and then the jobs, in order, on their resources.

    `in_flight`: how many jobs may be unfinished at once, at least 1.
    Raises `ScheduleError` for a predecessor that does not exist or no jobs at all.
    """
    stages = [_stages(job) for job in jobs]
    first = _stages(setup)

    def at(end: Literal["low", "high"]) -> native.Schedule:
        return native.schedule(first, stages, in_flight, end=end)

    placed = native.schedule(first, stages, in_flight)
    return Schedule(placed, at if placed.is_ranged else None)


def _stages(given: Job | Stages | Iterable[Stage]) -> Stages:
    if isinstance(given, Stages):
        return given
    return Stages(list(given.stages if isinstance(given, Job) else given))


def transfer(
    name: str,
    link: str | Link,
    byte_count: int,
    *,
    resource: Resource | str = "",
    after: Sequence[int] = (),
) -> Stage:
    """A stage that sends bytes over a link (a name, a path, or a `Link`); its time is modelled.

    The link is occupied for its set-up and for bits / rate, rounded up to a femtosecond; its
    latency follows.
    `resource`: the track; default the link's name. Raises `MachineError` for an unknown link,
    `ScheduleError` for a transfer of more than 5 hours.
    """
    over = load_link(link)
    return Stage(
        name,
        "transfer",
        resource or Resource(over.name, "link"),
        over.occupied_fs(byte_count),
        "modelled",
        after=after,
        latency_fs=over.latency_ns * FS_PER_NS,
    )


@dataclass(frozen=True)
class Measured(Generic[T]):
    """What a call returned and how long it took on this computer, in femtoseconds."""

    value: T
    duration_fs: int


def measure(function: Callable[P, T], *args: P.args, **kwargs: P.kwargs) -> Measured[T]:
    """Calls the function and times it: `measure(client.encode, frame).duration_fs`."""
    with Stopwatch() as watch:
        value = function(*args, **kwargs)
    return Measured(value, watch.duration_fs)


class Stopwatch:
    """Times a `with` block; `duration_fs` is final after the block and grows inside it."""

    def __init__(self) -> None:
        self._start_ns = time.perf_counter_ns()
        self._end_ns: int | None = None

    def __enter__(self) -> Stopwatch:
        self._end_ns = None
        self._start_ns = time.perf_counter_ns()
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        value: BaseException | None,
        traceback: TracebackType | None,
    ) -> None:
        self._end_ns = time.perf_counter_ns()

    @property
    def duration_fs(self) -> int:
        """Elapsed femtoseconds; the clock counts whole nanoseconds."""
        end = time.perf_counter_ns() if self._end_ns is None else self._end_ns
        return (end - self._start_ns) * FS_PER_NS
