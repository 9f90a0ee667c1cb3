"""Tracing: operators, sums, lines, types, and what is refused."""

from __future__ import annotations

import inspect

import numpy as np
import pytest
from conftest import LEVELS, slot_error_bound

import ringwright as rw

MASK = np.array([1.0, 0.0, 0.5, -1.0])

OPERATORS = {
    "add": lambda x, y: x + y,
    "add number": lambda x, y: x + 0.25 + y,
    "add vector": lambda x, y: MASK + x + y,
    "sub": lambda x, y: x - y,
    "sub number": lambda x, y: 1 - x - y,
    "sub vector": lambda x, y: x - MASK - y,
    "neg": lambda x, y: -x + y,
    "mul": lambda x, y: x * y,
    "mul number": lambda x, y: 0.5 * x + y,
    "mul vector": lambda x, y: MASK * x + y,
    "square of a difference": lambda x, y: (x - y) * (x - y),
    "levels align": lambda x, y: x * y + x,
    "levels align, far": lambda x, y: y - x * x * x,
    "three deep": lambda x, y: x * x * y * y,
    "rotate left": lambda x, y: (x << 3) + y,
    "rotate right": lambda x, y: (x >> 1) + y,
    "rotate nowhere": lambda x, y: x.rotate(0) + y,
    "rotate round and round": lambda x, y: x.rotate(10**6 + 1) + y,
    "conjugate": lambda x, y: x.conjugate() + y,
    "conjugate and rotate": lambda x, y: x.conjugate(-3) + y,
    "sum 16": lambda x, y: (x * y).sum(16),
    "sum 7": lambda x, y: x.sum(7) - y,
    "sum by stride": lambda x, y: x.sum(stride=16) - y,
    "sum 3 by stride": lambda x, y: x.sum(3, stride=5) - y,
    "sum of all": lambda x, y: x.sum() * y.sum(4),
}


@pytest.mark.parametrize("name", OPERATORS)
def test_operators_equal_the_plain_circuit(name, params, alice, vectors):
    traced = rw.program(OPERATORS[name])
    server = rw.Server(alice.keys_for(traced))
    run = server.run(traced, *(alice.encrypt(vector) for vector in vectors))
    error = np.max(np.abs(alice.decrypt(run.value) - traced.plain(*vectors)))
    assert error < slot_error_bound(run.value)


def test_sums_take_the_slots_they_say():
    slots = 32
    values = np.arange(slots, dtype=np.float64)
    for count, stride in [(1, 1), (4, 1), (6, 1), (None, 4), (3, 5), (slots, 1)]:
        summed = rw.program(_sum_of(count, stride))
        terms = slots // stride if count is None else count
        expected = sum(np.roll(values, -k * stride) for k in range(terms))
        assert np.array_equal(summed.plain(values), expected)


def _sum_of(count, stride):
    return lambda x: x.sum(count, stride=stride)


def test_a_power_of_two_takes_logarithmically_many_keys(params):
    count = 64
    keys = rw.program(_sum_of(count, 1)).trace(params).required_keys()
    assert len(keys) == np.log2(count)


def test_every_operation_knows_its_line(params):
    @rw.program
    def motion(now, before):
        d = now - before
        return (d * d).sum(4)

    lines, start = inspect.getsourcelines(motion.function)
    explained = motion.explain(params)
    operations = [row for row in explained.rows if row.op != "input"]
    assert len(explained.rows) - len(operations) == 2
    assert operations[0].line == f"test_program.py:{start + 2}"
    assert {row.line for row in operations[1:]} == {f"test_program.py:{start + 3}"}
    assert all(str(row.line) in str(explained) for row in operations)
    assert "he motion" in explained.text
    assert len(lines) == 4


def test_levels_scales_and_keys_are_explained(params):
    explained = rw.program(lambda x: (x * x).rotate(1)).explain(params)
    assert explained.rows[-1].level == LEVELS - 1
    assert explained.rows[-1].scale_bits == pytest.approx(np.log2(params.scale), abs=1e-3)
    keys = [key for row in explained.rows for key in row.keys]
    assert len(keys) == len(set(keys)) == 2


def test_tracing_is_cached_by_parameters_and_types(params):
    calls = []

    @rw.program
    def counted(x):
        calls.append(x)
        return x + 1

    assert counted.trace(params) is counted.trace(params)
    assert len(calls) == 1
    counted.trace(params, [rw.ckks.Input(level=2)])
    assert len(calls) == 2


def test_several_results(alice, vectors):
    both = rw.program(lambda x, y: (x + y, x - y))
    run = rw.Server(alice.keys_for(both)).run(both, *(alice.encrypt(v) for v in vectors))
    assert len(run.values) == 2
    for ciphertext, expected in zip(run.values, both.plain(*vectors), strict=True):
        assert np.max(np.abs(alice.decrypt(ciphertext) - expected)) < slot_error_bound(ciphertext)
    with pytest.raises(rw.ProgramError, match="2 vectors"):
        _ = run.value


def test_a_program_inlines_in_another(params):
    square = rw.program(lambda x: x * x)
    outer = rw.program(lambda x: square(x) + x)
    values = np.array([1.0, 2.0])
    assert np.array_equal(outer.plain(values), values * values + values)
    assert len(outer.explain(params).rows) > len(square.explain(params).rows)


def test_declared_magnitudes_enter_the_prediction(params):
    def cube(x):
        return x * x * x

    small = rw.program(inputs={"x": rw.ckks.Input(max=0.1)})(cube).explain(params)
    large = rw.program(inputs={"x": rw.ckks.Input(max=1.0)})(cube).explain(params)
    assert small.rows[-1].noise_bits < large.rows[-1].noise_bits


def test_depth_beyond_the_parameters_names_what_carries_it(params):
    def power(x):
        for _ in range(LEVELS):
            x = x * x
        return x

    with pytest.raises(rw.DepthError, match=r"test_program.py:\d+: .*smallest N"):
        rw.program(power).trace(params)


def test_parameters_without_special_primes_only_encrypt():
    client = rw.ckks.Client(rw.ckks.Parameters.preset("2048-30"))
    with pytest.raises(rw.DepthError, match="special prime"):
        client.keys_for(rw.program(lambda x: x.rotate(1)))


@pytest.mark.parametrize(
    ("function", "named"),
    [
        (lambda x: abs(x) if x else -x, r"test_program\.py:\d+: .*branch"),
        (lambda x: x + np.zeros((2, 2)), r"\(2, 2\)"),
        (lambda x: x + 1j, "complex"),
        (lambda x: x + "1", "real numbers"),
        (lambda x: x.rotate(1.5), "1.5"),
        (lambda x: x.sum(0), "count = 0"),
        (lambda x: x.sum(stride=-1), "stride = -1"),
        (lambda x: None, "NoneType"),
        (lambda x: (), "nothing"),
        (lambda x: [x, 1.0], "float"),
    ],
)
def test_what_is_not_a_program_is_refused(params, function, named):
    with pytest.raises(rw.ProgramError, match=named):
        rw.program(function).trace(params)


@pytest.mark.parametrize("values", [np.zeros(3), [np.nan], 2**200])
def test_constants_that_fit_no_vector_are_refused_at_their_line(params, values):
    with pytest.raises(rw.ParameterError, match=r"test_program.py:\d+: "):
        rw.program(lambda x: x + values).trace(params)


@pytest.mark.parametrize("function", [lambda: 1, lambda *x: x[0], lambda x=1: x, lambda *, x: x])
def test_signatures_that_are_not_vectors_are_refused(function):
    with pytest.raises(rw.ProgramError, match="parameter"):
        rw.program(function)


def test_only_functions_become_programs():
    with pytest.raises(rw.ProgramError, match="function"):
        rw.program(np.add)


def test_an_input_that_is_not_there_cannot_be_declared():
    with pytest.raises(rw.ProgramError, match="'z'"):
        rw.program(inputs={"z": rw.ckks.Input()})(lambda x: x)


def test_vectors_of_two_traces_do_not_mix(params):
    kept = []
    rw.program(lambda x: kept.append(x) or x + 1).trace(params)
    with pytest.raises(rw.ProgramError, match=r"test_program\.py:\d+: .*another program"):
        rw.program(lambda x: x + kept[0]).trace(params)


def test_in_the_clear_vectors_may_be_complex(alice, vectors):
    values = vectors[0] + 1j * vectors[1]
    product = rw.program(lambda x: x * x.conjugate() + x)
    run = rw.Server(alice.keys_for(product)).run(product, alice.encrypt(values))
    error = np.abs(alice.decrypt(run.value, imag=True) - product.plain(values))
    assert np.max(error) < 2 * slot_error_bound(run.value)


def test_plain_takes_numbers_one_vector_for_each_input():
    both = rw.program(lambda x, y: x + y)
    with pytest.raises(rw.ProgramError, match=r"0 inputs given; 2 expected \(x, y\)"):
        both.plain()
    with pytest.raises(rw.ParameterError, match="<U1"):
        both.plain(["a"], ["b"])


def test_parameters_and_declarations_of_other_kinds_are_refused():
    with pytest.raises(rw.ParameterError, match=r"'4096-2x30' given; rw\.ckks\.Parameters"):
        rw.program(lambda x: x).explain("4096-2x30")
    with pytest.raises(rw.ProgramError, match=r"test_program\.py:\d+: .*input x is 3"):
        rw.program(inputs={"x": 3})(lambda x: x)


def test_a_programs_own_line_is_named_where_it_returns_something_else(params):
    with pytest.raises(rw.ProgramError, match=r"test_program\.py:\d+: <lambda> returns dict"):
        rw.program(lambda x: {"x": x}).trace(params)


def test_plain_needs_vectors_of_one_length():
    with pytest.raises(rw.ParameterError, match=r"\(2,\).*\(3,\)"):
        rw.program(lambda x, y: x + y).plain([1, 2], [1, 2, 3])
