"""The time of a list as crates/target-rpu/src/device/steps.rs has it: a memory that looks for one
list of moves at a time, a port that moves one after the other, a core.
"""

from __future__ import annotations

from fractions import Fraction

COMMAND_BYTES = 32
LISTS_IN_FLIGHT = 2


class ListTiming:
    """Ends of lists of moves and of runs, from the doorbell on."""

    def __init__(
        self, latency: int, rate: Fraction, start_cycles: int, commands: int, exclusive: bool
    ) -> None:
        self.latency, self.rate, self.start_cycles = latency, rate, start_cycles
        self.exclusive = exclusive
        self.memory = self.port = self.core = 0
        self.moved: list[int] = []
        self.ran: list[int] = []
        self.brought = self._transfer(COMMAND_BYTES * commands, self._find(0))

    def _find(self, after: int) -> int:
        if len(self.moved) >= LISTS_IN_FLIGHT:
            after = max(after, self.moved[-LISTS_IN_FLIGHT])
        self.memory = max(after, self.memory) + self.latency
        return self.memory

    def _transfer(self, size: int, after: int) -> int:
        core = self.core if self.exclusive else 0
        self.port = max(after, self.port, core) + -(-Fraction(size) // self.rate)
        if self.exclusive:
            self.core = self.port
        return self.port

    def moves(self, sizes: list[int], after: int) -> None:
        """A list of moves; its bytes, by what a ledger calls them, behind so many runs."""
        last = self._find(self.ran[after - 1] if after else self.brought)
        for size in sizes:
            last = self._transfer(size, last)
        self.moved.append(last)

    def run(self, cycles: int) -> None:
        """A run behind all lists so far."""
        self.core = max(self.moved[-1], self.core) + self.start_cycles + cycles
        self.ran.append(self.core)

    def end(self) -> int:
        """Of all."""
        return max(*self.moved, *self.ran)
