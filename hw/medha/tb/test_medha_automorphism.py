"""medha_automorphism: words end where the definition says, in as many cycles as its banks allow."""

from __future__ import annotations

import cocotb
import pytest
from cocotb.triggers import ReadOnly, RisingEdge

from harness.bench import parameters
from harness.stream import flag, random_source, start

Q = 7681
SETTINGS = {"LogMaxN": 8, "Width": 14}


@pytest.mark.parametrize("banks", [2, 4, 32])
def test_medha_automorphism(bench, banks):
    bench("medha_automorphism", Banks=banks, **SETTINGS)


def reversed_bits(i: int, bits: int) -> int:
    return int(format(i, f"0{bits}b")[::-1], 2)


def bank_of(word: int, log_banks: int) -> int:
    bank = 0
    while word:
        bank ^= word & ((1 << log_banks) - 1)
        word >>= log_banks
    return bank


def image(word: int, galois: int, log_n: int, evaluations: bool) -> tuple[int, bool]:
    """Where a word goes, and whether its sign changes."""
    n = 1 << log_n
    if not evaluations:
        power = word * galois % (2 * n)
        return power % n, power >= n
    power = (2 * reversed_bits(word, log_n) + 1) * pow(galois, -1, 2 * n) % (2 * n)
    return reversed_bits(power // 2, log_n), False


async def run(dut, words: list[int], galois: int, log_n: int, evaluations: bool) -> None:
    settings = parameters()
    banks, width, n = settings["Banks"], settings["Width"], len(words)
    log_banks = banks.bit_length() - 1
    row_width = settings["LogMaxN"] - log_banks
    images = [image(i, galois, log_n, evaluations) for i in range(n)]
    # A row takes as long as its words that go to one bank.
    cycles = 0
    for row in range(n // banks):
        to = [bank_of(images[i][0], log_banks) for i in range(row * banks, (row + 1) * banks)]
        cycles += max(to.count(bank) for bank in range(banks))
    held = {(bank_of(i, log_banks), i >> log_banks): word for i, word in enumerate(words)}
    moved: dict[tuple[int, int], int] = {}
    dut.start_i.value, dut.evaluations_i.value = 1, int(evaluations)
    dut.log_n_i.value = log_n
    dut.power_i.value = pow(galois, -1, 2 * n) if evaluations else galois % (2 * n)
    await RisingEdge(dut.clk_i)
    dut.start_i.value = 0
    for cycle in range(cycles + 2):
        await ReadOnly()
        row, writes = int(dut.read_row_o.value), int(dut.write_o.value)
        read = flag(dut.read_o)
        rows, data = int(dut.write_row_o.value), int(dut.write_data_o.value)
        for bank in range(banks):
            if writes >> bank & 1:
                place = (bank, rows >> (row_width * bank) & ((1 << row_width) - 1))
                assert place not in moved
                moved[place] = data >> (width * bank) & ((1 << width) - 1)
        assert flag(dut.done_o) == (cycle == cycles + 1)
        await RisingEdge(dut.clk_i)
        if read:
            value = sum(held[bank, row] << (width * bank) for bank in range(banks))
            dut.read_data_i.value = value
    for i, (to, negative) in enumerate(images):
        wanted = -words[i] % Q if negative else words[i]
        assert moved[bank_of(to, log_banks), to >> log_banks] == wanted


@cocotb.test()
async def words_move_as_defined_in_the_stated_cycles(dut):
    settings, rng = parameters(), random_source()
    dut.modulus_i.value, dut.read_data_i.value = Q, 0
    await start(dut, ["start_i"])
    smallest = settings["Banks"].bit_length()
    for log_n in range(smallest, settings["LogMaxN"] + 1):
        n = 1 << log_n
        for galois in (3, 2 * n - 1, rng.randrange(1, 2 * n, 2)):
            for evaluations in (False, True):
                words = [rng.choice((0, rng.randrange(Q))) for _ in range(n)]
                await run(dut, words, galois, log_n, evaluations)
