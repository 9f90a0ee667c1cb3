"""multiply_pipe: every operation with corners and random operands, back to back; a cycle of rest
behind each Modmul, as it asks for.
"""

from __future__ import annotations

import cocotb
import pytest
from cocotb.triggers import RisingEdge

from harness.bench import parameters
from harness.modular import moduli, operand
from harness.stream import flag, random_source, start

OPERATIONS = 400
MODULI = 12
WORD = 1 << 64
#: Of multiply_pkg::operation_e.
LOW, HIGH, HIGH_SIGNED_UNSIGNED, HIGH_UNSIGNED, MODMUL, SUM, DIFFERENCE = range(7)
CORNERS = [0, 1, 2, (1 << 31) - 1, 1 << 31, (1 << 32) - 1, (1 << 63) - 1, 1 << 63, WORD - 1]


@pytest.mark.parametrize("modular", [0, 1])
def test_multiply_pipe(bench, modular):
    bench("multiply_pipe", Modular=modular)


def signed(word: int, bits: int = 64) -> int:
    return word - (1 << bits) if word >> (bits - 1) else word


def zmmul(operation: int, is_word: bool, a: int, b: int) -> int:
    if is_word:
        return signed(a * b % (1 << 32), 32) % WORD
    first = signed(a) if operation in (HIGH, HIGH_SIGNED_UNSIGNED) else a
    second = signed(b) if operation == HIGH else b
    product = first * second
    return (product if operation == LOW else product >> 64) % WORD


def modular(rng, q: int) -> tuple[int, int, int, int]:
    """An operation, its operands, and what comes of it."""
    operation = rng.choice([MODMUL, SUM, DIFFERENCE])
    if operation == MODMUL:
        # Any product below 2^64.
        a = rng.choice([operand(rng, q), rng.randrange(WORD)])
        b = rng.choice([1, operand(rng, q)]) if a < 1 << 32 else 1
        return operation, a, b, a * b % q
    a, b, w = (rng.choice([operand(rng, q), q - 1, 0]) for _ in range(3))
    term = b * w if operation == SUM else -b * w
    return operation, a | b << 32, w | (w << 32) // q << 32, (a + term) % q


@cocotb.test()
async def results_are_right_and_on_time(dut):
    rng = random_source()
    await start(dut, ["valid_i", "operation_i", "is_word_i", "a_i", "b_i", "modulus_i"])
    # A product is there a cycle after its operands, a residue two.
    products, residues = [None], [None, None]

    async def step(product=None, residue=None):
        products.append(product)
        residues.append(residue)
        await RisingEdge(dut.clk_i)
        for due, found in ((products.pop(0), dut.product_o), (residues.pop(0), dut.residue_o)):
            if due is not None:
                assert int(found.value) == due[0], due

    for q in [3, (1 << 30) - 35, *moduli(rng, 3, 30, MODULI)]:
        # Nothing is inside while the modulus changes.
        for _ in residues:
            await step()
        dut.modulus_i.value, dut.reciprocal_i.value = q, WORD // q
        for _ in range(OPERATIONS):
            product = residue = None
            is_word = False
            if parameters()["Modular"] and rng.random() < 0.6:
                operation, a, b, result = modular(rng, q)
                residue = (result, q, operation, a, b)
            else:
                operation = rng.choice([LOW, HIGH, HIGH_SIGNED_UNSIGNED, HIGH_UNSIGNED])
                is_word = operation == LOW and rng.random() < 0.3
                a, b = (rng.choice([rng.choice(CORNERS), rng.randrange(WORD)]) for _ in range(2))
                product = (zmmul(operation, is_word, a, b), operation, is_word, a, b)
            dut.operation_i.value, dut.is_word_i.value = operation, is_word
            dut.a_i.value, dut.b_i.value, dut.valid_i.value = a, b, 1
            await step(product, residue)
            assert flag(dut.busy_o) == (operation == MODMUL)
            if operation == MODMUL:
                # What lies there and is not valid disturbs nothing.
                dut.valid_i.value = 0
                await step()
                assert not flag(dut.busy_o)
