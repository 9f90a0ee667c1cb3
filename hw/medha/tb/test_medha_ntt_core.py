"""medha_ntt_core: transforms of every degree both ways against their definition.

The bench is the banks and the tables. It holds every read to words that are written, so a stage
that began too early would be found.
"""

from __future__ import annotations

import cocotb
import pytest
from cocotb.triggers import ReadOnly, RisingEdge

from harness.bench import parameters
from harness.modular import barrett_constants
from harness.stream import flag, random_source, start

# 1 modulo 2 N for every degree here.
Q = 7681
# `stages_e` of medha_pkg.
ALL, FIRST, REST = range(3)
ISSUE_CYCLES = 2
SETTINGS = {"LogMaxN": 8, "Width": 14, "Products": "Sliced"}


@pytest.mark.parametrize(("butterflies", "mul_stages"), [(1, 3), (4, 6)])
def test_medha_ntt_core(bench, butterflies, mul_stages):
    bench("medha_ntt_core", Butterflies=butterflies, MulStages=mul_stages, **SETTINGS)


def reversed_bits(i: int, bits: int) -> int:
    return int(format(i, f"0{bits}b")[::-1], 2) if bits else 0


def root(log_n: int) -> int:
    """An element of order 2 N."""
    order = 2 << log_n
    powers = (pow(g, (Q - 1) // order, Q) for g in range(2, Q))
    return next(x for x in powers if pow(x, order // 2, Q) == Q - 1)


def transformed(words: list[int], psi: int) -> list[int]:
    """Word i is the polynomial at psi^(2 brv(i) + 1)."""
    n = len(words)
    points = (pow(psi, 2 * reversed_bits(i, n.bit_length() - 1) + 1, Q) for i in range(n))
    return [sum(w * pow(x, j, Q) for j, w in enumerate(words)) % Q for x in points]


class Core:
    """The design with its banks and tables."""

    def __init__(self, dut, log_n: int, words: list[int]) -> None:
        settings = parameters()
        self.dut, self.log_n, self.width = dut, log_n, settings["Width"]
        self.butterflies = settings["Butterflies"]
        self.log_banks = self.butterflies.bit_length()
        self.row_width = settings["LogMaxN"] - self.log_banks
        self.latency = settings["MulStages"] + 4
        self.words = {self.place(i): word for i, word in enumerate(words)}
        psi, n = root(log_n), 1 << log_n
        half = pow(2, -1, Q)
        powers = [reversed_bits(i, log_n) for i in range(n)]
        self.tables = {
            False: [pow(psi, power, Q) for power in powers],
            True: [pow(psi, -power, Q) * half % Q for power in powers],
        }
        # Words that are on their way cannot be read.
        self.inside: set[tuple[int, int]] = set()
        self.cycle, self.begun, self.ended = 0, 0, 0

    def place(self, word: int) -> tuple[int, int]:
        bank, rest = 0, word
        while rest:
            bank ^= rest & ((1 << self.log_banks) - 1)
            rest >>= self.log_banks
        return bank, word >> self.log_banks

    def lanes(self, port, count: int, width: int) -> list[int]:
        value = int(port.value)
        return [(value >> (i * width)) & ((1 << width) - 1) for i in range(count)]

    def packed(self, words: list[int]) -> int:
        return sum(word << (i * self.width) for i, word in enumerate(words))

    async def step(self) -> bool:
        """One cycle; whether it was the last write's."""
        dut, banks = self.dut, 1 << self.log_banks
        await ReadOnly()
        read, done = flag(dut.read_o), flag(dut.done_o)
        data, factors = [], []
        if read:
            self.begun = self.begun or self.cycle
            rows = self.lanes(dut.read_row_o, banks, self.row_width)
            for place in enumerate(rows):
                assert place not in self.inside, "read before it was written"
                data.append(self.words[place])
                self.inside.add(place)
            log_max = self.row_width + self.log_banks
            numbers = self.lanes(dut.factor_o, self.butterflies, log_max)
            table = self.tables[bool(flag(dut.inverse_o))]
            factors = [table[number] for number in numbers]
        if flag(dut.write_o):
            rows = self.lanes(dut.write_row_o, banks, self.row_width)
            for place, word in zip(
                enumerate(rows), self.lanes(dut.write_data_o, banks, self.width), strict=True
            ):
                self.words[place] = word
                self.inside.remove(place)
        await RisingEdge(dut.clk_i)
        self.cycle += 1
        dut.read_data_i.value = self.packed(data)
        dut.factor_i.value = self.packed(factors)
        if done:
            self.ended = self.cycle
        return bool(done)

    async def start(self, inverse: bool, stages: int) -> None:
        self.dut.start_i.value, self.dut.inverse_i.value = 1, int(inverse)
        self.dut.stages_i.value, self.dut.log_n_i.value = stages, self.log_n
        await self.step()
        self.dut.start_i.value = 0

    async def run(self, inverse: bool, apart: bool = False) -> list[int]:
        """A transform from its start to its last write; `apart`: its first stage by itself."""
        self.begun = 0
        if apart:
            await self.start(inverse, FIRST)
            while not await self.step():
                assert self.cycle < 100_000, "no end"
            # So many cycles before the rest may be started.
            for _ in range(parameters().get("IssueCycles", ISSUE_CYCLES) - 1):
                await self.step()
        await self.start(inverse, REST if apart else ALL)
        while not await self.step():
            assert self.cycle < 100_000, "no end"
        assert not self.inside
        return [self.words[self.place(i)] for i in range(1 << self.log_n)]

    def stated(self) -> int:
        """As the module's header says."""
        rows = 1 << (self.log_n - self.log_banks)
        stage = max(rows, rows // 2 + 1 + self.latency)
        # A write can be read in the cycle behind it.
        return (self.log_n - 1) * stage + rows + self.latency - 1


@cocotb.test()
async def transforms_are_their_definition_in_the_stated_cycles(dut):
    settings, rng = parameters(), random_source()
    for name, value in barrett_constants(Q, settings["Width"]).items():
        getattr(dut, name).value = value
    dut.read_data_i.value = dut.factor_i.value = 0
    await start(dut, ["start_i"])
    smallest = settings["Butterflies"].bit_length() + 1
    for log_n in range(smallest, settings["LogMaxN"] + 1):
        words = [rng.randrange(Q) for _ in range(1 << log_n)]
        core = Core(dut, log_n, words)
        evaluations = await core.run(inverse=False)
        assert evaluations == transformed(words, root(log_n)), log_n
        assert core.ended - core.begun == core.stated(), log_n
        assert await core.run(inverse=True) == words, log_n
        assert core.ended - core.begun == core.stated(), log_n
        for inverse, made in [(False, evaluations), (True, words)]:
            assert await core.run(inverse, apart=True) == made, log_n
            assert core.ended - core.begun == core.stated(), log_n
