"""rise_control: which words of the banks enter and leave, in which cycle; factors always there."""

from __future__ import annotations

import cocotb
from cocotb.triggers import RisingEdge

from harness.bench import parameters
from harness.stream import flag, random_source, start

BANK_WORDS = 8
# Cycles from operands to results: any number of them.
LATENCY = 6
FORWARD, INVERSE, MUL = 0, 1, 2


def test_rise_control(bench):
    bench("rise_control", Bfus=4, BankWords=BANK_WORDS)


def row(counter: int, rotation: int, bits: int) -> int:
    """The counter's bits, rotated: `Shape::row` of crates/target-rise."""
    by = rotation % bits
    return (counter << by | counter >> (bits - by)) & ((1 << bits) - 1)


def stages(op: int, log_n: int, log_banks: int):
    """Of each stage the rows and quarters in order, and whether they are halves."""
    bits = log_n - log_banks
    for stage in range(log_n if op in (FORWARD, INVERSE) else 0):
        yield [(row(i >> 1, stage, bits), 2 * (i & 1)) for i in range(2 << bits)], True
    if op != FORWARD:
        yield [(row(i >> 2, log_banks, bits), i & 3) for i in range(4 << bits)], False


@cocotb.test()
async def every_word_is_read_and_written_in_order(dut):
    log_banks = (4 * parameters()["Bfus"] - 1).bit_length()
    log_n_max = log_banks + (BANK_WORDS - 1).bit_length()
    rng = random_source()
    await start(dut, ["valid_i", "written_i", "wants_i", "group_i", "set_i"])
    for op in (FORWARD, MUL, INVERSE, FORWARD):
        dut.has_i.value = op != MUL
        log_n = rng.randint(log_banks + 1, log_n_max)
        dut.op_i.value, dut.log_n_i.value = op, log_n
        dut.valid_i.value = 1
        todo = list(stages(op, log_n, log_banks))
        for number, (places, halves) in enumerate(todo):
            entered: list[int] = []
            for cycle in range(len(places) + LATENCY):
                dut.written_i.value = cycle >= LATENCY
                await RisingEdge(dut.clk_i)
                dut.valid_i.value = 0
                assert flag(dut.ready_o) == (number == cycle == 0)
                assert flag(dut.operands_o) == (cycle < len(places))
                assert flag(dut.wide_o) == halves
                if cycle < len(places):
                    read = (int(dut.read_row_o.value), int(dut.read_quarter_o.value))
                    assert read == places[cycle], (op, number, cycle)
                    entered.append(cycle)
                if cycle >= LATENCY:
                    write = (int(dut.write_row_o.value), int(dut.write_quarter_o.value))
                    assert write == places[cycle - LATENCY]
                ends = cycle == len(places) + LATENCY - 1
                assert flag(dut.done_o) == (ends and number == len(todo) - 1)
        dut.written_i.value = 0
