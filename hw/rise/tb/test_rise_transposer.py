"""rise_transposer: rows that enter leave as columns, and columns as rows, a group behind."""

from __future__ import annotations

import cocotb
import pytest
from cocotb.triggers import ReadOnly, RisingEdge

from harness.bench import parameters
from harness.stream import random_source, start

WIDTH = 8
GROUPS = 4


@pytest.mark.parametrize(("words", "length"), [(2, 2), (4, 16)])
def test_rise_transposer(bench, words, length):
    bench("rise_transposer", Words=words, Length=length, Width=WIDTH)


def beats(matrix, words, by_rows):
    if not by_rows:
        return [list(column) for column in zip(*matrix, strict=True)]
    return [row[k : k + words] for row in matrix for k in range(0, len(row), words)]


@cocotb.test()
@cocotb.parametrize(to_rows=[0, 1])
async def groups_of_every_length_are_turned(dut, to_rows):
    words, length = parameters()["Words"], parameters()["Length"]
    rng = random_source()
    await start(dut, ["clear_i", "shift_i"])
    for log in range(words.bit_length() - 1, length.bit_length()):
        dut.log_length_i.value, dut.to_rows_i.value = log, to_rows
        dut.shift_i.value, dut.clear_i.value = 0, 1
        await RisingEdge(dut.clk_i)
        dut.clear_i.value = 0
        matrices = [
            [[rng.getrandbits(WIDTH) for _ in range(1 << log)] for _ in range(words)]
            for _ in range(GROUPS)
        ]
        entering = [beat for matrix in matrices for beat in beats(matrix, words, not to_rows)]
        leaving = [beat for matrix in matrices for beat in beats(matrix, words, to_rows)]
        found = []
        for beat in entering:
            while rng.random() < 0.3:
                dut.shift_i.value = 0
                await RisingEdge(dut.clk_i)
            dut.shift_i.value = 1
            dut.words_i.value = sum(word << (WIDTH * i) for i, word in enumerate(beat))
            await ReadOnly()
            out = int(dut.words_o.value)
            found.append([(out >> (WIDTH * i)) & 255 for i in range(words)])
            await RisingEdge(dut.clk_i)
        assert found[1 << log :] == leaving[: -(1 << log)]
