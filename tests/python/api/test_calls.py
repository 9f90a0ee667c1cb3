"""Programs that call others: the same as inlined, traced and written once."""

from __future__ import annotations

import numpy as np
import pytest

import ringwright as rw


@rw.program
def smooth(x):
    return (x + (x << 1)) * 0.5, x * x


@rw.program
def called(x, y):
    a, b = smooth.call(x)
    c, d = smooth.call(y)
    e, _ = smooth.call(a)
    return e + b + d, c


@rw.program
def inlined(x, y):
    a, b = smooth(x)
    c, d = smooth(y)
    e, _ = smooth(a)
    return e + b + d, c


@pytest.fixture(scope="module")
def params():
    return rw.ckks.Parameters.preset("8192-6x30")


def test_results_and_bounds_are_those_of_the_inlined_program(params):
    both = called, inlined
    one, other = (each.trace(params) for each in both)
    assert one.error_bounds == other.error_bounds
    assert one.depth == other.depth == 2
    assert one.required_keys() == other.required_keys()
    client = rw.ckks.Client(params)
    server = rw.Server(client.keys_for(called))
    x, y = np.random.default_rng(1).uniform(-1, 1, (2, params.slots))
    inputs = client.encrypt(x), client.encrypt(y)
    results = [[client.decrypt(v) for v in server.run(each, *inputs).values] for each in both]
    np.testing.assert_array_equal(*results)
    for got, meant, bound in zip(results[0], called.plain(x, y), one.error_bounds, strict=True):
        assert np.abs(got - meant).max() <= bound


def test_it_is_written_once_for_calls_that_are_alike(params):
    text = called.trace(params).text
    assert text.count("he smooth(") == 1
    assert text.count("call smooth(") == 2
    # At another level it is another function.
    assert text.count("call smooth_2(") == 1


def test_a_line_that_calls_has_the_costs_of_what_it_calls(params):
    explained, whole = called.explain(params), inlined.explain(params)
    assert sum(line.key_bytes for line in explained.lines) == sum(
        line.key_bytes for line in whole.lines
    )
    assert [line.operations for line in explained.lines] == [1, 1, 1, 6]
    assert "he smooth, the first of 2 calls" in explained.table


@pytest.mark.parametrize("machine", ["rpu-128x128", "rise-32bfu"])
def test_a_machine_runs_the_same_kernels(machine):
    params = rw.ckks.Parameters.preset("4096-2x30")

    @rw.program(inputs={"x": rw.ckks.Input(max=0.5), "y": rw.ckks.Input(max=0.5)})
    def difference(x, y):
        return x - y, x + y

    @rw.program
    def calls(x, y):
        a, b = difference.call(x * 0.25, y * 0.25)
        return difference.call(b, a)[0]

    @rw.program
    def inline(x, y):
        a, b = difference(x * 0.25, y * 0.25)
        return difference(b, a)[0]

    one, other = (rw.oracle(each, machine, params) for each in (calls, inline))
    # A function is a list of its own: the RPU joins it with nothing outside, RISE joins nothing.
    assert one.cycles == other.cycles or (machine.startswith("rpu") and one.cycles > other.cycles)
    # The sum that nobody reads is not computed.
    assert len(one.operations) == len(other.operations) - 2
    for said in one, other:
        assert sum(row.exposed_cycles for row in said.operations) == said.cycles


def test_a_callee_goes_by_the_rotations_of_the_program_around_it(params):
    @rw.program
    def moved(x):
        return x << 3

    @rw.program(rotations="powers")
    def around(x):
        return moved.call(x) + x

    assert around.trace(params).required_keys() == ["galois 5", "galois 25"]


def test_outside_of_a_trace_it_is_inlined(params):
    client = rw.ckks.Client(params)
    server = rw.Server(client.keys_for(inlined))
    values = np.linspace(-1, 1, params.slots)
    vector = server.vector(client.encrypt(values))
    mean, square = smooth.call(vector)
    assert np.abs(client.decrypt(square.ciphertext) - values**2).max() < 0.01
    meant = smooth.plain(values)[0]
    assert np.abs(client.decrypt(mean.ciphertext) - meant).max() < 0.01


def test_what_does_not_fit_is_refused_at_the_users_line(params):
    @rw.program(inputs={"x": rw.ckks.Input(max=0.5)})
    def small(x):
        return x * x

    @rw.program
    def too_large(x):
        return small.call(x)

    with pytest.raises(rw.ProgramError, match=r"test_calls.py:\d+: small: input 0 \(x\)"):
        too_large.trace(params)

    @rw.program
    def of_numbers(x):
        return small.call(0.5) + x

    # Numbers are computed with as they are.
    assert of_numbers.trace(params).text.count(" call ") == 0

    @rw.program
    def mixed(x):
        return called.call(x, 0.5)[0]

    with pytest.raises(rw.ProgramError, match=r"called.call of Vector, float; 2 encrypted"):
        mixed.trace(params)

    @rw.program
    def deep(x):
        for _ in range(9):
            x = smooth.call(x)[0]
        return x

    with pytest.raises(rw.DepthError, match=r"depth 5, not 9"):
        deep.trace(params)
