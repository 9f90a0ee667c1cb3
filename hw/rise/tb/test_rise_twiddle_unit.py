"""rise_twiddle_unit: every factor of a transform is the power of psi that its definition asks for.

The bench takes the multipliers' part: products come back `BfuLatency` cycles after their decision.
"""

from __future__ import annotations

import cocotb
import pytest
from cocotb.triggers import ReadWrite, RisingEdge

from harness.bench import parameters
from harness.stream import flag, random_source, start

LOG_N = 5
# 1 modulo 2 N, and an element of order 2 N.
Q = 7681
PSI = next(x for g in range(2, Q) if pow(x := pow(g, Q >> (LOG_N + 1), Q), 1 << LOG_N, Q) == Q - 1)
SETTINGS = {"LogNMax": LOG_N, "WordBits": 20, "BfuLatency": 3}
INPUTS = ["start_i", "finish_i", "issue_i", "retire_i", "spread_i", "upper_i"]


@pytest.mark.parametrize(("bfus", "batches"), [(1, 1), (4, 2)])
def test_rise_twiddle_unit(bench, bfus, batches):
    bench("rise_twiddle_unit", Bfus=bfus, Batches=batches, **SETTINGS)


def factor(inverse: bool, stage: int, j: int) -> int:
    """Factor j of a stage; `stage` = L is the pass behind an inverse transform."""
    n = 1 << LOG_N
    if not inverse:
        return pow(PSI, (n >> (stage + 1)) * (2 * j + 1), Q)
    scale = pow(n, -1, Q) if stage == LOG_N else 1
    return pow(PSI, -(2 * n >> (stage + 1)) * j, Q) * scale % Q


class Unit:
    """The design with its constants and multipliers."""

    def __init__(self, dut, rng) -> None:
        settings = parameters()
        self.dut, self.rng = dut, rng
        self.bits, self.bfus = settings["WordBits"], settings["Bfus"]
        # What the multipliers will give in the next cycles.
        self.flying: list[list[int] | None] = [None] * (settings["BfuLatency"] - 1)
        self.entered = False

    def lanes(self, port) -> list[int]:
        value, mask = int(port.value), (1 << self.bits) - 1
        return [(value >> (i * self.bits)) & mask for i in range(self.bfus)]

    async def cycle(self, **inputs: int) -> None:
        """One cycle, and what the multipliers and the table of constants do in it."""
        for name in INPUTS:
            getattr(self.dut, name).value = inputs.get(name, 0)
        due = self.flying.pop(0)
        words = due or [self.rng.randrange(Q) for _ in range(self.bfus)]
        self.dut.product_i.value = sum(word << (i * self.bits) for i, word in enumerate(words))
        await ReadWrite()
        k = int(self.dut.table_power_o.value)
        self.dut.power_i.value = pow(PSI, 1 << k, Q)
        self.dut.inverse_power_i.value = pow(PSI, -(1 << k), Q)
        await RisingEdge(self.dut.clk_i)
        assert flag(self.dut.product_valid_o) == (due is not None)
        pairs = zip(self.lanes(self.dut.source_o), self.lanes(self.dut.ratio_o), strict=True)
        self.flying.append([a * b % Q for a, b in pairs] if self.entered else None)
        self.entered = bool(inputs.get("issue_i"))

    async def idle_or_product(self) -> None:
        """A cycle without butterflies."""
        await ReadWrite()
        await self.cycle(issue_i=flag(self.dut.wants_o))


def issues(inverse: bool, bfus: int):
    """Stage, first number of the lanes, log2 of the numbers that share a factor, end of a batch."""
    for stage in range(LOG_N + inverse):
        shift = max(LOG_N - 1 - stage, 0)
        for number in range(0, 1 << (LOG_N if stage == LOG_N else LOG_N - 1), bfus):
            # A batch ends with its last factor, or with its stage.
            after = (number + bfus) >> shift
            ends = (number + bfus) % (bfus << shift) == 0
            yield stage, number, shift, ends or after == 1 << stage


@cocotb.test()
async def factors_are_powers_of_psi(dut):
    rng = random_source()
    await start(dut, INPUTS)
    unit = Unit(dut, rng)
    dut.log_n_i.value = LOG_N
    n = 1 << LOG_N
    dut.scale_i.value = pow(PSI, -1, Q) * pow(n, -1, Q) % Q << unit.bits | pow(n, -1, Q)
    levels = range((unit.bfus - 1).bit_length())
    for inverse in (False, True):
        dut.inverse_i.value = inverse
        begun, expected = False, None
        for stage, number, shift, ends in issues(inverse, unit.bfus):
            while begun and not flag(dut.has_o):
                await unit.idle_or_product()
                await ReadWrite()
            places = [1 << shift >> (i + 1) for i in levels]
            await unit.cycle(
                start_i=not begun,
                retire_i=ends,
                spread_i=sum((place > 0) << i for i, place in enumerate(places)),
                upper_i=sum(
                    (number // unit.bfus & place > 0) << i for i, place in enumerate(places)
                ),
            )
            begun = True
            numbers = range(number, number + unit.bfus)
            expected = [factor(inverse, stage, x >> shift) for x in numbers]
            await unit.idle_or_product()
            assert unit.lanes(dut.factor_o) == expected, (inverse, stage, number)
        assert not flag(dut.wants_o)
        await unit.cycle(finish_i=1)
