"""rpu_vbar: a row takes as many cycles as its fullest bank has words, and all words arrive."""

from __future__ import annotations

import cocotb
import pytest
from cocotb.triggers import Timer

from harness.bench import parameters
from harness.stream import random_source

ROWS = 300
WIDTH = 16
WORDS = 32


@pytest.mark.parametrize(
    ("hples", "banks", "of"),
    [
        *((4, 16, "skewed"), (8, 4, "skewed"), (1, 4, "skewed")),
        *((16, 16, "modulo"), (8, 32, "modulo")),
    ],
    ids=str,
)
def test_rpu_vbar(bench, hples, banks, of):
    word_bits = (WORDS - 1).bit_length()
    bench("rpu_vbar", Hples=hples, Banks=banks, Width=WIDTH, WordWidth=word_bits, Map=of)


def pack(values, width):
    return sum(value << (width * i) for i, value in enumerate(values))


def field(handle, index, width):
    return (int(handle.value) >> (width * index)) % (1 << width)


def anywhere(rng, hples, banks):
    """Banks and words of a row: with skewed banks any may follow any."""
    few = rng.choice((1, 2, banks))
    return [(rng.randrange(few), rng.randrange(rng.choice((1, WORDS)))) for _ in range(hples)]


def addressed(rng, hples, banks):
    """Banks and words of a row in one of the four modes, from any address."""
    value, row = rng.randrange(8), rng.randrange(4) * hples
    block = (1 << value) - 1
    offset = rng.choice(
        (
            lambda i: i,
            lambda i: i << value,
            lambda i: i >> value << value << 1 | i & block,
            lambda i: i & block,
        )
    )
    base = rng.randrange(banks * WORDS)
    addresses = [base + offset(row + lane) for lane in range(hples)]
    return [(address % banks, address // banks % WORDS) for address in addresses]


@cocotb.test()
async def rows_pass_in_as_few_cycles_as_banks_allow(dut):
    hples, banks = parameters()["Hples"], parameters()["Banks"]
    bank_bits, word_bits = (banks - 1).bit_length(), (WORDS - 1).bit_length()
    lane_bits = max(1, (hples - 1).bit_length())
    rng = random_source()
    row_of = addressed if parameters()["Map"] == "modulo" else anywhere
    memory = [[rng.getrandbits(WIDTH) for _ in range(WORDS)] for _ in range(banks)]
    conflicts = 0
    for _ in range(ROWS):
        places = row_of(rng, hples, banks)
        dut.bank_i.value = pack([bank for bank, _ in places], bank_bits)
        dut.word_i.value = pack([word for _, word in places], word_bits)
        dut.lane_bank_i.value = pack([bank for bank, _ in places], bank_bits)
        dut.first_bank_i.value = places[0][0]
        values = [rng.getrandbits(WIDTH) for _ in range(hples)]
        dut.lane_data_i.value = pack(values, WIDTH)
        waiting = set(range(hples))
        cycles = 0
        while waiting:
            dut.waiting_i.value = sum(1 << lane for lane in waiting)
            await Timer(1, "ns")
            assert int(dut.possible_o.value)
            askers = [field(dut.asker_o, b, lane_bits) for b in range(banks)]
            asked = {b for b in range(banks) if int(dut.asked_o.value) >> b & 1}
            assert asked == {places[lane][0] for lane in waiting}
            words = [field(dut.asked_word_o, b, word_bits) for b in range(banks)]
            dut.bank_data_i.value = pack([memory[b][words[b]] for b in range(banks)], WIDTH)
            dut.bank_lane_i.value = pack(askers, lane_bits)
            await Timer(1, "ns")
            served = {lane for lane in waiting if int(dut.served_o.value) >> lane & 1}
            for lane in served:
                bank, word = places[lane]
                assert field(dut.lane_data_o, lane, WIDTH) == memory[bank][word]
            for bank in asked:
                first = min(lane for lane in waiting if places[lane][0] == bank)
                assert askers[bank] == first
                assert words[bank] == places[first][1]
                assert field(dut.bank_data_o, bank, WIDTH) == values[first]
            # All that want the words that the banks serve, and no other.
            assert served == {lane for lane in waiting if words[places[lane][0]] == places[lane][1]}
            waiting -= served
            cycles += 1
        fullest = max(len({w for b, w in places if b == bank}) for bank in range(banks))
        assert cycles == fullest
        conflicts += cycles > 1
    assert conflicts or hples == 1
