"""rise_bfu: everything that a butterfly unit computes, and when."""

from __future__ import annotations

import cocotb
from cocotb.triggers import RisingEdge

from harness import latency
from harness.bench import parameters
from harness.modular import barrett_constants, moduli, operand
from harness.stream import random_source, start

ROUNDS = 100
# `bfu_op_e`: number, then sum, difference, product; None where it does not count.
OPERATIONS = [
    lambda a, b, w: (a + w * b, a - w * b, w * b),
    lambda a, b, w: (w * a, None, w * a),
    lambda a, b, w: (a * b, None, a * b),
    lambda a, b, w: (a + b, None, None),
    lambda a, b, w: (None, a - b, None),
    lambda a, b, w: (None, b - a, None),
]


def test_rise_bfu(bench):
    bench("rise_bfu", WordBits=30, BfuLatency=9)


@cocotb.test()
async def results_are_reduced_and_on_time(dut):
    settings = parameters()
    depth, bits = settings["BfuLatency"], settings["WordBits"]
    assert depth == latency.butterfly(mul_stages=depth - 1)
    rng = random_source()
    await start(dut, ["valid_i", "op_i"])
    for q in moduli(rng, 20, bits, 2):
        for name, value in barrett_constants(q, bits).items():
            getattr(dut, name).value = value
        entered: list[tuple[int | None, int | None, int | None]] = []
        for _ in range(ROUNDS):
            op = rng.randrange(len(OPERATIONS))
            a, b, w = (operand(rng, q) for _ in range(3))
            dut.valid_i.value = 1
            dut.op_i.value = op
            dut.a_i.value, dut.b_i.value, dut.factor_i.value = a, b, w
            await RisingEdge(dut.clk_i)
            results = OPERATIONS[op](a, b, w)
            entered.append(tuple(None if r is None else r % q for r in results))
            # Of the operands `ago` cycles before this edge.
            for port, which, ago in (
                (dut.sum_o, 0, depth),
                (dut.difference_o, 1, depth),
                (dut.product_o, 2, depth - 1),
            ):
                if len(entered) > ago and (expected := entered[-1 - ago][which]) is not None:
                    assert int(port.value) == expected
        dut.valid_i.value = 0
        for _ in range(depth + 1):
            await RisingEdge(dut.clk_i)
