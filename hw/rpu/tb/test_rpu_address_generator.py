"""rpu_address_generator: every mode, both maps, rows in all places up to the end of the memory."""

from __future__ import annotations

import cocotb
import pytest
from cocotb.triggers import Timer

from harness.bench import parameters
from harness.stream import random_source

WORDS = 1024
HPLES = 8
BEATS = 4
# `mode_e` of rpu_isa_pkg.
LINEAR, STRIDED, SKIP, REPEATED = range(4)


@pytest.mark.parametrize(("layout", "banks"), [("modulo", 8), ("skewed", 4)])
def test_rpu_address_generator(bench, layout, banks):
    sizes = {"Hples": HPLES, "Beats": BEATS, "Banks": banks, "VdmWords": WORDS}
    bench("rpu_address_generator", **sizes, Map=layout)


def offset(mode, value, i):
    block = 1 << value
    return {
        LINEAR: i,
        STRIDED: i * block,
        SKIP: i // block * 2 * block + i % block,
        REPEATED: i % block,
    }[mode]


def bank(address, banks, layout):
    if layout == "modulo":
        return address % banks
    total = 0
    while address:
        total += address % banks
        address //= banks
    return total % banks


@cocotb.test()
async def addresses_and_banks(dut):
    layout, banks = parameters()["Map"], parameters()["Banks"]
    address_bits, bank_bits = (WORDS - 1).bit_length(), (banks - 1).bit_length()
    rng = random_source()
    seen = set()
    for mode in range(4):
        for value in range(6 if mode else 1):
            length = 1 + max(offset(mode, value, i) for i in range(HPLES * BEATS))
            free = WORDS - length
            for base in {0, free, rng.randint(0, free), free // banks * banks}:
                for row in range(BEATS):
                    dut.mode_i.value, dut.value_i.value = mode, value
                    dut.base_i.value, dut.row_i.value = base, row
                    await Timer(1, "ns")
                    wanted = [
                        base + offset(mode, value, row * HPLES + lane) for lane in range(HPLES)
                    ]
                    found = int(dut.address_o.value), int(dut.bank_o.value)
                    for lane, address in enumerate(wanted):
                        here = (found[0] >> (address_bits * lane)) % WORDS
                        its_bank = (found[1] >> (bank_bits * lane)) % banks
                        assert (here, its_bank) == (address, bank(address, banks, layout))
                    assert int(dut.fits_o.value) == 1
                    seen.add((mode, value, row))
            dut.base_i.value = free + 1
            await Timer(1, "ns")
            assert int(dut.fits_o.value) == 0
