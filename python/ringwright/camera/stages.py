"""Times the stages of one frame, or of the set-up, as they happen.

Stages follow one another: each starts when the one before it is done, but for blocks of stages that
say themselves what waits for what. What runs here is measured with the monotonic clock; a transfer
is modelled from its real number of bytes and the link.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from typing import Literal, TypeVar

import ringwright as rw
from ringwright import system
from ringwright.system import Detail, Resource, Stage, Stopwatch, measure, transfer

#: The resources: each does one thing at a time, all of them at once. A simulated client or server
#: adds the units of its machine, which are parts of it.
CLIENT, UPLINK, SERVER, DOWNLINK = RESOURCES = ("client", "uplink", "server", "downlink")

#: Between the server and a simulated machine; what starts that machine's programs.
SERVER_LINK, CONTROLLER = f"{SERVER} link", f"{SERVER} controller"

#: What each of them is.
PLACES = {
    CLIENT: Resource(CLIENT, "host"),
    UPLINK: Resource(UPLINK, "link"),
    SERVER: Resource(SERVER, "host"),
    DOWNLINK: Resource(DOWNLINK, "link"),
    SERVER_LINK: Resource(SERVER_LINK, "link", part_of=SERVER),
    CONTROLLER: Resource(CONTROLLER, "host", part_of=SERVER),
}

#: The stage in which the server runs the program.
EVALUATE = "evaluate"

S = TypeVar("S")
T = TypeVar("T")


class Stages:
    """A list of stages that grows by running them."""

    def __init__(self) -> None:
        self.list = system.Stages()
        self._ends: list[int] = []

    def kernel(self, name: str, resource: str, work: Callable[[], T]) -> T:
        """Work on polynomials that an accelerator could take over."""
        return self._timed(name, "kernel", resource, work)

    def kernels(
        self,
        name: str,
        resource: str,
        work: Callable[[S], T],
        items: Iterable[S],
        inside: Callable[[T, int], Iterable[Detail]] = lambda result, start_fs: (),
    ) -> list[T]:
        """The same kernel on each ciphertext; the timeline shows each inside the stage.

        `inside`: what the timeline shows inside a ciphertext's part, from its result and its start.
        """
        results: list[T] = []
        ends = [0]
        with Stopwatch() as watch:
            for item in items:
                results.append(work(item))
                ends.append(watch.duration_fs)
        details: list[Detail] = []
        for number, result in enumerate(results):
            start, end = ends[number : number + 2]
            details += [Detail(f"{name} {number}", start, end - start), *inside(result, start)]
        self._add(name, "kernel", resource, watch.duration_fs, details)
        return results

    def host(self, name: str, resource: str, work: Callable[[], T]) -> T:
        """Work that stays with the processor."""
        return self._timed(name, "host", resource, work)

    def spent(self, name: str, resource: str, duration_fs: int) -> None:
        """Host work that was measured elsewhere."""
        self._add(name, "host", resource, duration_fs)

    def transfer(self, name: str, resource: str, link: rw.Link, data: Sequence[bytes]) -> int:
        """Bytes over the link; returns how many."""
        size = sum(len(record) for record in data)
        self.transfer_bytes(name, resource, link, size)
        return size

    def transfer_bytes(self, name: str, resource: str, link: rw.Link, byte_count: int) -> None:
        """So many bytes over the link."""
        self._append(transfer(name, link, byte_count, resource=PLACES[resource], after=self._ends))

    def block(self, add: Callable[[system.Stages, Sequence[int]], None]) -> None:
        """Stages that are known beforehand; they may overlap among themselves.

        `add` gets the stages to add to and those to wait for. What follows waits for all of them.
        """
        first = len(self.list)
        add(self.list, self._ends)
        self._ends = self.list.ends(first)

    def _timed(
        self, name: str, kind: Literal["kernel", "host"], resource: str, work: Callable[[], T]
    ) -> T:
        measured = measure(work)
        self._add(name, kind, resource, measured.duration_fs)
        return measured.value

    def _add(
        self,
        name: str,
        kind: Literal["kernel", "host"],
        resource: str,
        duration_fs: int,
        details: Sequence[Detail] = (),
    ) -> None:
        place = PLACES[resource]
        self._append(
            Stage(name, kind, place, duration_fs, "measured", after=self._ends, details=details)
        )

    def _append(self, stage: Stage) -> None:
        self._ends = [self.list.append(stage)]
