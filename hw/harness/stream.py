"""Driving and watching a design from cocotb, one clock edge at a time.

Right after an edge every read sees what the registers saw at that edge, and every write takes
effect behind it.
"""

from __future__ import annotations

import random
from typing import TYPE_CHECKING, Any

import cocotb
from cocotb.clock import Clock
from cocotb.triggers import RisingEdge

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable

PERIOD_NS = 2
# Chances that a side of a handshake stalls in a cycle: never, seldom, half, mostly.
STALLS = (0.0, 0.1, 0.5, 0.9)


def random_source() -> random.Random:
    """A generator seeded by the run's seed."""
    return random.Random(cocotb.RANDOM_SEED)


class Stall:
    """A coin for one side of a handshake."""

    def __init__(self, chance: float, rng: random.Random) -> None:
        self.chance = chance
        self.rng = rng

    def __call__(self) -> bool:
        return self.rng.random() < self.chance


async def start(dut: Any, inputs: Iterable[str] = ()) -> None:
    """Starts the clock, sets the inputs to 0, and leaves reset."""
    for name in inputs:
        getattr(dut, name).value = 0
    Clock(dut.clk_i, PERIOD_NS, "ns", impl="gpi").start()
    if hasattr(dut, "rst_ni"):
        dut.rst_ni.value = 0
        for _ in range(2):
            await RisingEdge(dut.clk_i)
        dut.rst_ni.value = 1
    await RisingEdge(dut.clk_i)


def flag(handle: Any) -> bool:
    """A single bit."""
    return int(handle.value) == 1


class Rigid:
    """A pipeline without stalls: operands go in beside `valid_i`, results leave a fixed time later.

    `outputs` reads the results; they are compared in exactly the cycle in which they are due, and
    `valid_o` must be 0 in every other.
    """

    def __init__(self, dut: Any, latency: int, outputs: Callable[[], Any]) -> None:
        self.dut = dut
        self.latency = latency
        self.outputs = outputs
        self.due: list[Any] = [None] * latency
        self.compared = 0

    async def cycle(self, operands: dict[str, int] | None = None, expected: Any = None) -> None:
        """One cycle, with operands or without."""
        self.dut.valid_i.value = operands is not None
        for name, value in (operands or {}).items():
            getattr(self.dut, name).value = value
        await RisingEdge(self.dut.clk_i)
        self.due.append(None if operands is None else (operands, expected))
        due = self.due.pop(0)
        assert flag(self.dut.valid_o) == (due is not None), "valid_o at the wrong time"
        if due:
            found = self.outputs()
            assert found == due[1], f"{due[0]}: expected {due[1]}, found {found}"
            self.compared += 1

    async def operation(self, operands: dict[str, int], expected: Any, interval: int) -> None:
        """One operation of a pipeline that takes one every `interval` cycles; the operands rest."""
        await self.cycle(operands, expected)
        for _ in range(interval - 1):
            await self.cycle()

    async def drain(self) -> None:
        """Waits until everything has left."""
        for _ in range(self.latency):
            await self.cycle()
