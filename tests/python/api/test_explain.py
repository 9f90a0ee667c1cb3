"""What `explain` says of every line: operations, counts in towers, keys, measured time."""

from __future__ import annotations

from dataclasses import replace

import pytest
from conftest import LEVELS

import ringwright as rw

SPECIAL = 1  # special primes of the quick set; its digits are single towers
WORD_BYTES = 8


def switch_transforms(level: int) -> int:
    """In: every tower; out: every digit under all primes; mod-down: the special primes in, the
    rest out, for both polynomials.
    """
    return level + level * (level + SPECIAL - 1) + 2 * (SPECIAL + level)


def switch_products(level: int) -> int:
    """Each digit with two polynomials of the key, and mod-down's factor."""
    return 2 * level * (level + SPECIAL) + 2 * level


def key_towers(level: int) -> int:
    """Two polynomials a digit."""
    return 2 * level * (level + SPECIAL)


@rw.program
def turned(x, y):
    a = x.rotate(1)
    return (a + y).rotate(1) + y.rotate(2)


def test_a_rotation_costs_a_key_switch(params):
    first, second = turned.explain(params).lines
    assert (first.operations, second.operations) == (1, 4)
    assert first.transforms == switch_transforms(LEVELS)
    assert first.products == switch_products(LEVELS)
    assert first.key_bytes == key_towers(LEVELS) * params.n * WORD_BYTES
    assert second.transforms == 2 * first.transforms
    assert second.key_bytes == 2 * first.key_bytes
    assert first.level == second.level == LEVELS


def test_rotations_of_one_value_share_their_digits(params):
    alone, shared = (
        rw.program(function).explain(params).lines[0]
        for function in (lambda x: x.rotate(1) - 1, lambda x: x.rotate(1) + x.rotate(2))
    )
    assert alone.transforms < shared.transforms < 2 * alone.transforms
    assert shared.key_bytes == 2 * alone.key_bytes


def test_lower_levels_cost_less(params):
    lower = rw.program(inputs={"x": rw.ckks.Input(level=2)})(lambda x: x.rotate(1))
    (cost,) = lower.explain(params).lines
    assert cost.transforms == switch_transforms(2)
    assert cost.key_bytes == key_towers(2) * params.n * WORD_BYTES


def test_lines_name_their_keys_once(params):
    first, second = turned.explain(params).lines
    assert len(first.keys) == 1
    assert len(second.keys) == 2
    assert set(first.keys) < set(second.keys)


def test_sums_need_no_keys_and_no_transforms(params):
    (cost,) = rw.program(lambda x, y: x + y - 1).explain(params).lines
    assert (cost.transforms, cost.products, cost.key_bytes, cost.keys) == (0, 0, 0, ())


def test_the_table_of_lines_is_printed_last(params):
    explained = turned.explain(params)
    assert str(explained).startswith(explained.table)
    assert str(explained).endswith(explained.costs)
    assert all(cost.line in explained.costs for cost in explained.lines)


def test_a_run_gives_every_line_its_time(params, alice, vectors):
    server = rw.Server(alice.keys_for(turned))
    run = server.run(turned, *(alice.encrypt(vector) for vector in vectors))
    timed = turned.explain(params).timed(run)
    spent = sum(operation.duration_fs for operation in run.operations)
    assert sum(cost.time_fs for cost in timed.lines) == spent
    assert all(cost.time_fs > 0 and cost.provenance == "measured" for cost in timed.lines)
    assert "(measured)" in timed.costs
    with pytest.raises(rw.ProgramError, match="no times"):
        timed.timed(replace(run, operations=()))


def test_the_oracle_gives_every_line_a_time_on_a_machine(params):
    latency = rw.oracle(turned, "rpu-128x128", params)
    timed = turned.explain(params).timed(latency)
    assert sum(cost.time_fs for cost in timed.lines) == latency.time_fs
    assert {cost.provenance for cost in timed.lines} == {latency.provenance}
    with pytest.raises(rw.ProgramError, match="no times"):
        timed.timed(rw.oracle(turned, "cpu", params))
