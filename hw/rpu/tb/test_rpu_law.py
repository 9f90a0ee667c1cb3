"""rpu_law: every operation against Python's integers, with another modulus in every cycle."""

from __future__ import annotations

import cocotb
import pytest
from cocotb.triggers import RisingEdge

from harness import latency
from harness.bench import parameters
from harness.modular import barrett_constants, moduli, operand
from harness.stream import random_source, start

CYCLES = 1500
# `op_e` of rpu_isa_pkg.
ADD, SUB, MUL, BUTTERFLY, BROADCAST = 5, 6, 7, 8, 12


@pytest.mark.parametrize(
    ("width", "latency", "products"),
    [(19, 2, "Compressed"), (29, 15, "Compressed"), (29, 3, "Sliced"), (127, 9, "Sliced")],
    ids=str,
)
def test_rpu_law(bench, width, latency, products):
    bench("rpu_law", Width=width, Latency=latency, Products=products)


def results(operation, gentleman_sande, operands, q):
    """What the lane writes: first and second result; None where it is no result."""
    a, b, c = operands
    if operation == BUTTERFLY and gentleman_sande:
        return (a + b) % q, (a - b) * c % q
    if operation == BUTTERFLY:
        return (a + b * c) % q, (a - b * c) % q
    return {ADD: (a + b) % q, SUB: (a - b) % q, MUL: a * b % q, BROADCAST: b}[operation], None


@cocotb.test()
async def results_are_reduced_and_on_time(dut):
    size = parameters()
    width = size["Width"]
    rng = random_source()
    choice = moduli(rng, 3, width, 12)
    await start(dut, ["valid_i"])
    due: list = [None] * latency.rpu_law(size["Latency"])
    compared = set()
    for _ in range(CYCLES):
        operation = rng.choice((ADD, SUB, MUL, BUTTERFLY, BROADCAST))
        form = rng.randrange(2)
        q = rng.choice(choice)
        a, b, c = (operand(rng, q) for _ in range(3))
        if operation == MUL:
            a = rng.choice((a, rng.getrandbits(width), (1 << width) - 1))
        if operation == BROADCAST:
            b = rng.getrandbits(width)
        constants = barrett_constants(q, width)
        # The last bit of a reciprocal need not be right.
        constants["reciprocal_i"] &= ~1
        for name, value in constants.items():
            getattr(dut, name).value = value
        dut.operation_i.value, dut.gentleman_sande_i.value = operation, form
        dut.a_i.value, dut.b_i.value, dut.c_i.value = a, b, c
        valid = rng.random() < 0.9
        dut.valid_i.value = valid
        await RisingEdge(dut.clk_i)
        due.append((operation, form, results(operation, form, (a, b, c), q)) if valid else None)
        if expected := due.pop(0):
            operation, form, (first, second) = expected
            assert int(dut.first_o.value) == first, expected
            assert second is None or int(dut.second_o.value) == second, expected
            compared.add((operation, form))
    assert len(compared) == 10
