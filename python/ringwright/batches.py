"""How many runs of a program at once make a device behind a link worth it.

A batch is so many runs, independent of each other. A machine here does them one after the other. A
device behind a link gets its keys first, once for a session; then every run's operands cross the
link, the device computes, and the results cross back. The schedule decides what overlaps
(`ringwright.system`): the link carries one transfer at a time, the device does one run at a time,
and at most `in_flight` runs are begun and not ended. Bytes are those of the device's own words.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any, Literal

from ringwright import _ringwright as native
from ringwright import system
from ringwright.errors import ParameterError
from ringwright.machines import Host, Link, Machine, backend
from ringwright.machines import link as load_link

__all__ = ["Batch", "BatchRow", "BreakEven", "Elsewhere", "batch_sizes", "break_even"]

_RANGE = re.compile(r"(\d{1,20})\.\.(\d{1,20}):x(\d{1,20})")
_MOST = 10**12
_ALLOWED = (
    "allowed: LOW..HIGH:xFACTOR with 1 <= LOW <= HIGH <= 10^12 and FACTOR from 2, "
    "such as 1..1000000:x10"
)


def batch_sizes(text: str) -> tuple[int, ...]:
    """The sizes that `LOW..HIGH:xFACTOR` stands for: LOW, LOW x FACTOR, ... up to HIGH.

    Raises `ParameterError`.
    """
    found = _RANGE.fullmatch(text.strip())
    if found is None:
        raise ParameterError(f"batch {text!r} given; {_ALLOWED}")
    low, high, factor = map(int, found.groups())
    if not 1 <= low <= high <= _MOST or factor < 2:
        raise ParameterError(f"batch {text!r} given; {_ALLOWED}")
    sizes = [low]
    while sizes[-1] * factor <= high:
        sizes.append(sizes[-1] * factor)
    return tuple(sizes)


@dataclass(frozen=True)
class Batch:
    """What to ask: batch sizes, the link to the device, runs that may be under way at once.

    `sizes`: a text `LOW..HIGH:xFACTOR`, or the sizes. Raises `ParameterError`.
    """

    sizes: str | Sequence[int]
    link: str | Link
    in_flight: int = 2

    def __post_init__(self) -> None:
        if self.in_flight < 1:
            raise ParameterError(f"{self.in_flight} in flight given; allowed: 1 or more")
        if not all(1 <= size <= _MOST for size in self.counts) or not self.counts:
            raise ParameterError(f"batch sizes {self.sizes!r} given; allowed: 1 to 10^12")

    @property
    def counts(self) -> tuple[int, ...]:
        """The sizes."""
        return batch_sizes(self.sizes) if isinstance(self.sizes, str) else tuple(self.sizes)


@dataclass(frozen=True)
class Elsewhere:
    """A machine that needs no link: its name, and the quickest and the slowest of its runs."""

    machine: str
    low_fs: int
    high_fs: int


@dataclass(frozen=True)
class BatchRow:
    """A batch of `count` runs, in femtoseconds, each with the least and the most.

    `offload_fs`: over the link, keys included; `elsewhere_fs`: without.
    """

    count: int
    offload_fs: tuple[int, int]
    elsewhere_fs: tuple[int, int]

    @property
    def ratio(self) -> tuple[float, float]:
        """How often the offloaded batch fits into the other's time."""
        (low, high), (quick, slow) = self.offload_fs, self.elsewhere_fs
        return quick / high, slow / low

    @property
    def offload_each_fs(self) -> tuple[int, int]:
        """For one run of the batch, rounded down to a femtosecond."""
        low, high = self.offload_fs
        return low // self.count, high // self.count

    @property
    def elsewhere_each_fs(self) -> tuple[int, int]:
        """The same elsewhere."""
        low, high = self.elsewhere_fs
        return low // self.count, high // self.count

    def to_dict(self) -> dict[str, Any]:
        """Ready for JSON."""
        return {
            "count": self.count,
            "offload_fs": list(self.offload_fs),
            "elsewhere_fs": list(self.elsewhere_fs),
            "offload_each_fs": list(self.offload_each_fs),
            "elsewhere_each_fs": list(self.elsewhere_each_fs),
            "ratio": list(self.ratio),
        }


@dataclass(frozen=True)
class BreakEven:
    """Batches on a device behind a link, against a machine that needs none.

    `keys_fs`, `link_fs`, `device_fs`: keys and constants over the link, once; what one run's
    transfers, and what the device with its controller, take. `first`: the smallest batch that takes
    no longer over the link, with the device at its quickest against the slowest run elsewhere, and
    the other way round; `None` where no batch does. `skipped`: why there is nothing of it.
    """

    machine: str
    link: str
    in_flight: int
    elsewhere: Elsewhere
    keys_bytes: int = 0
    operand_bytes: int = 0
    result_bytes: int = 0
    keys_fs: int = 0
    link_fs: int = 0
    device_fs: int = 0
    rows: tuple[BatchRow, ...] = ()
    first: tuple[int | None, int | None] = (None, None)
    skipped: str | None = None

    @property
    def words(self) -> str:
        """The break-even batch for people."""
        if self.skipped is not None:
            return f"skipped: {self.skipped}"
        against = f"over {self.link} against {self.elsewhere.machine}"
        earliest, latest = self.first
        if earliest is None:
            return f"never {against} ({self._reason(self.elsewhere.high_fs)})"
        if latest is None:
            reason = self._reason(self.elsewhere.low_fs)
            return (
                f"from {earliest:,} runs on {against} at its slowest; "
                f"never at its quickest ({reason})"
            )
        if earliest == latest:
            start = f"{earliest:,} runs" if earliest > 1 else "the first run"
            return f"from {start} on {against}"
        return f"from {earliest:,} to {latest:,} runs on {against}, by its slowest and quickest run"

    def _reason(self, there_fs: int) -> str:
        if self.link_fs >= there_fs:
            return "the link alone takes longer"
        if self.device_fs >= there_fs:
            return "the device alone takes longer"
        return f"link and device take longer together, with {self.in_flight} in flight"

    def to_dict(self) -> dict[str, Any]:
        """Ready for JSON."""
        fields: dict[str, Any] = {
            "link": self.link,
            "in_flight": self.in_flight,
            "against": self.elsewhere.machine,
        }
        if self.skipped is not None:
            return fields | {"skipped": self.skipped}
        return fields | {
            "keys_bytes": self.keys_bytes,
            "operand_bytes": self.operand_bytes,
            "result_bytes": self.result_bytes,
            "keys_fs": self.keys_fs,
            "link_fs": self.link_fs,
            "device_fs": self.device_fs,
            "batches": [row.to_dict() for row in self.rows],
            "first": list(self.first),
            "words": self.words,
        }


@dataclass(frozen=True)
class Session:
    """What happens on a device behind a link: keys once, then equal runs.

    `traffic`: bytes of `Prepared.traffic_bytes`.
    """

    machine: str
    host: Host
    link: Link
    timing: native.Timing
    traffic: dict[str, int]

    @property
    def keys_bytes(self) -> int:
        """Once for all runs: keys, and the constants of the program."""
        return self.traffic["keys"] + self.traffic["constants"]

    @property
    def operand_bytes(self) -> int:
        """Of one run: ciphertexts and plain arguments."""
        return self.traffic["ciphertexts"] + self.traffic["plain"]

    @property
    def result_bytes(self) -> int:
        """Of one run."""
        return self.traffic["results"]

    @cached_property
    def station(self) -> system.Station:
        """The device with its controller."""
        return system.Station(self.machine, self.host)

    def setup(self) -> system.Stages:
        """Keys and constants cross the link, and what the device does once."""
        stages = system.Stages()
        stages.set_up(self.station, self.link, self.timing, self.keys_bytes)
        return stages

    def run(self) -> system.Stages:
        """Operands, the run, results."""
        stages = system.Stages()
        moved = (self.operand_bytes, self.result_bytes)
        stages.offload(self.station, self.link, self.timing, *moved)
        return stages

    def repeated(self, in_flight: int, end: Literal["low", "high"] | None) -> native.Repeated:
        """Any number of runs."""
        return native.Repeated(self.setup(), self.run(), in_flight, end=end)

    def lacks_room(self, room: int | None, in_flight: int) -> str | None:
        """Why the device's memory does not hold it; `None` where it does or there is none."""
        needed = self.keys_bytes + in_flight * (self.operand_bytes + self.result_bytes)
        if room is None or needed <= room:
            return None
        return (
            f"keys and {in_flight} runs in flight take {needed:,} bytes of {self.machine}; "
            f"it has {room:,}"
        )


def break_even(
    described: Machine,
    host: Host,
    prepared: native.Prepared,
    elsewhere: Elsewhere,
    batch: Batch,
) -> BreakEven:
    """Batches of a prepared program on a simulated machine behind a link.

    Raises `MachineError` for an unknown link, `ScheduleError` for a run of more than 5 hours.
    """
    timing, traffic = prepared.timing, prepared.traffic_bytes
    link = load_link(batch.link)
    nothing = BreakEven(described.name, link.name, batch.in_flight, elsewhere)
    if timing is None or traffic is None:
        return _skipped(nothing, f"{described.name} is measured here and needs no link")
    session = Session(described.name, host, link, timing, traffic)
    lacks = session.lacks_room(backend(described).memory_bytes, batch.in_flight)
    if lacks:
        return _skipped(nothing, lacks)
    low, high = (session.repeated(batch.in_flight, end) for end in ("low", "high"))
    taken = {"kernel": 0, "transfer": 0}
    for stage in session.run():
        taken[stage.kind] += stage.duration_fs
    return BreakEven(
        described.name,
        link.name,
        batch.in_flight,
        elsewhere,
        session.keys_bytes,
        session.operand_bytes,
        session.result_bytes,
        low.setup_fs,
        taken["transfer"],
        taken["kernel"],
        tuple(_row(count, low, high, elsewhere) for count in batch.counts),
        (low.first_within(elsewhere.high_fs), high.first_within(elsewhere.low_fs)),
    )


def _row(count: int, low: native.Repeated, high: native.Repeated, elsewhere: Elsewhere) -> BatchRow:
    totals = [each.setup_fs + each.jobs_fs(count) for each in (low, high)]
    there = (elsewhere.low_fs * count, elsewhere.high_fs * count)
    return BatchRow(count, (totals[0], totals[1]), there)


def _skipped(nothing: BreakEven, reason: str) -> BreakEven:
    return BreakEven(
        nothing.machine, nothing.link, nothing.in_flight, nothing.elsewhere, skipped=reason
    )
