"""What an operating system adds where a program calls an accelerator through a driver.

    from ringwright.soc.kernel import Driven, added_cycles

    added_cycles(rw.host("rocket-measured"), Driven(calls=2, brought=1, fetched=2, bytes=4096))

Ways between modes, copies of pages and emptied caches were counted in RTL, each alone
(`fw/bench/kernel.c`); how many of them a call takes is modelled, from the fewest that a driver can
do with to one that does everything apart. What a kernel computes besides (finding files, checking
addresses, choosing what runs next, translating addresses) is in neither end.
"""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass

from ringwright.machines import Host, Machine

__all__ = ["Driven", "added_cycles", "of_decryption", "of_encryption"]

_PAGE_BYTES, _WORD_BYTES = 4096, 4


@dataclass(frozen=True)
class Driven:
    """What goes through a driver: calls of the accelerator, and polynomials of so many bytes that
    a user's program brings and fetches.
    """

    calls: int
    brought: int
    fetched: int
    bytes: int

    @property
    def pages(self) -> int:
        """That are copied."""
        return (self.brought + self.fetched) * -(-self.bytes // _PAGE_BYTES)


def of_encryption(machine: Machine, n: int, towers: int) -> Driven:
    """A frame's: each tower's operands and results, as `fw/src/client.c` hands them over."""
    if machine.values["offload"] == "transforms":
        calls, brought, fetched = 3, 3, 3
    elif machine.values["samplers"] == "none":
        calls, brought, fetched = 2, 3, 2
    else:
        calls, brought, fetched = 2, 1, 2
    return Driven(calls * towers, brought * towers, fetched * towers, n * _WORD_BYTES)


def of_decryption(n: int) -> Driven:
    """An answer's of one tower: two polynomials in, one back."""
    return Driven(1, 2, 1, n * _WORD_BYTES)


def added_cycles(host: Host, driven: Driven) -> tuple[int, int]:
    """The fewest and the most.

    Fewest: one system call for each of the accelerator's calls, which waits inside, an interrupt,
    which is a trap as well, and pages that lie in the cache.
    Most: a system call for each polynomial and one more to start and one to wait; the start is one
    of machine mode as well; another program runs in between, whose registers are saved and brought
    back; pages lie in memory; before and after a call the cache is emptied, as for an accelerator
    that does not see into it.
    Raises `MachineError` for a host of which these operations are not known.
    """
    fewest = Counter(system_call=2 * driven.calls, page_copy=driven.pages)
    most = Counter(
        system_call=driven.brought + driven.fetched + 5 * driven.calls,
        machine_call=driven.calls,
        page_copy_cold=driven.pages,
        cache_flush=2 * driven.calls,
    )
    return host.cost(fewest).cycles, host.cost(most).cycles
