"""rise_bank_group: halves and quarters of rows and the external port, against a list of words."""

from __future__ import annotations

import cocotb
from cocotb.triggers import RisingEdge

from harness.bench import parameters
from harness.stream import flag, random_source, start

SETTINGS = {"Bfus": 2, "WordBits": 30, "BankWords": 8, "WriteBuffer": 1, "PortWords": 4}
INPUTS = ["read_i", "write_i", "port_request_i", "port_write_i"]
ROUNDS = 60


def test_rise_bank_group(bench):
    bench("rise_bank_group", **SETTINGS)


def packed(words: list[int], width: int) -> int:
    """Lane 0 in the low bits."""
    return sum(word << (i * width) for i, word in enumerate(words))


def lanes(value: int, width: int, count: int) -> list[int]:
    return [(value >> (i * width)) & ((1 << width) - 1) for i in range(count)]


class Group:
    """The design, and the words that it should hold."""

    def __init__(self, dut) -> None:
        settings = parameters()
        self.dut = dut
        self.bfus = settings["Bfus"]
        self.bits = settings["WordBits"]
        self.banks = 4 * self.bfus
        self.address_bits = (self.banks * settings["BankWords"] - 1).bit_length()
        self.words = [0] * (self.banks * settings["BankWords"])
        self.port_words = settings["PortWords"]

    def idle(self) -> None:
        for name in INPUTS:
            getattr(self.dut, name).value = 0

    async def port(self, addresses: list[int], words: list[int] | None) -> list[int]:
        """Writes words, or reads them."""
        self.idle()
        self.dut.port_request_i.value = (1 << len(addresses)) - 1
        self.dut.port_write_i.value = words is not None
        self.dut.port_address_i.value = packed(addresses, self.address_bits)
        self.dut.port_write_data_i.value = packed(words or [], self.bits)
        await RisingEdge(self.dut.clk_i)
        for address, word in zip(addresses, words or [], strict=False):
            self.words[address] = word
        self.idle()
        await RisingEdge(self.dut.clk_i)
        return lanes(int(self.dut.port_read_data_o.value), self.bits, len(addresses))

    def read(self, row: int, quarter: int, wide: bool) -> list[int]:
        """Sets a read up; what it must give."""
        self.dut.read_i.value = 1
        self.dut.read_row_i.value = row
        self.dut.read_quarter_i.value = quarter
        self.dut.read_wide_i.value = wide
        first = row * self.banks + quarter * self.bfus
        return self.words[first : first + self.bfus * (1 + wide)]

    def write(self, row: int, quarter: int, wide: bool, words: list[int]) -> None:
        self.dut.write_i.value = 1
        self.dut.write_row_i.value = row
        self.dut.write_quarter_i.value = quarter
        self.dut.write_wide_i.value = wide
        self.dut.write_data_i.value = packed(words, self.bits)
        first = row * self.banks + quarter * self.bfus
        self.words[first : first + len(words)] = words

    def read_data(self, count: int) -> list[int]:
        return lanes(int(self.dut.read_data_o.value), self.bits, count)


@cocotb.test()
async def words_come_back_wherever_they_waited(dut):
    rng = random_source()
    group = Group(dut)
    rows = len(group.words) // group.banks
    await start(dut, INPUTS)

    def random_words(count: int) -> list[int]:
        return [rng.randrange(1 << group.bits) for _ in range(count)]

    for first in range(0, len(group.words), group.port_words):
        addresses = list(range(first, first + group.port_words))
        await group.port(addresses, random_words(group.port_words))
    waited = 0
    for _ in range(ROUNDS):
        # A read and a write in one cycle, of the same quarters or of others; then a free cycle.
        wide = rng.random() < 0.5
        read_row, write_row = rng.sample(range(rows), 2)
        read_quarter, write_quarter = (rng.choice((0, 2) if wide else range(4)) for _ in range(2))
        group.idle()
        expected = group.read(read_row, read_quarter, wide)
        words = random_words(group.bfus * (1 + wide))
        group.write(write_row, write_quarter, wide, words)
        await RisingEdge(dut.clk_i)
        group.idle()
        await RisingEdge(dut.clk_i)
        assert group.read_data(len(expected)) == expected
        waits = read_quarter == write_quarter
        assert flag(dut.settled_o) == (not waits)
        waited += waits
        expected = group.read(write_row, write_quarter, wide)
        await RisingEdge(dut.clk_i)
        group.idle()
        await RisingEdge(dut.clk_i)
        assert group.read_data(len(expected)) == expected == words
    assert 0 < waited < ROUNDS
    for first in range(0, len(group.words), group.banks):
        # Banks of a row, last one first.
        addresses = [first + b for b in reversed(range(group.port_words))]
        found = await group.port(addresses, None)
        assert found == [group.words[address] for address in addresses]
