"""Encrypted vectors read like numpy's: the same function, on arrays, is the expected result."""

from __future__ import annotations

import math
import operator
from dataclasses import replace

import numpy as np
import pytest
from conftest import LEVELS, slot_error_bound

import ringwright as rw

SHORT = 30
WEIGHTS = np.linspace(-1, 1, SHORT)

# On vectors of any length; written as for numpy arrays.
ON_ANY = {
    "array on the left": lambda x, y: np.linspace(0, 1, len(x)) * x + y,
    "numpy number": lambda x, y: np.float64(0.5) - x + y,
    "division": lambda x, y: x / 4 + y / np.linspace(1, 2, len(y)),
    "square": lambda x, y: x**2 + y,
    "cube": lambda x, y: y - x**3,
    "a power that is a float": lambda x, y: x**2.0 + y,
    "no power": lambda x, y: x**1 + y,
    "np.square": lambda x, y: np.square(x) + np.negative(y),
    "np.power": lambda x, y: np.power(x, 2) - y,
    "plus": lambda x, y: +x + y,
    "builtin sum": lambda x, y: sum([x, y, x]),
    "sum": lambda x, y: (x * y).sum(),
    "np.sum": lambda x, y: np.sum(x) + np.sum(y),
    "mean": lambda x, y: x.mean() + np.mean(y),
    "deviations": lambda x, y: x - x.mean() + y,
    "dot": lambda x, y: x.dot(y),
    "dot with a number": lambda x, y: x.dot(0.5) + np.dot(2, y),
    "dot with an encrypted number": lambda x, y: np.dot(x, y.mean()),
    "a list on the left": lambda x, y: [0.5] * len(x) @ x + y[0],
    "np.diff": lambda x, y: np.diff(x) * np.diff(y),
    "shape": lambda x, y: x * np.linspace(0, x.ndim, x.shape[0]) + y / x.size,
    "np.dot": lambda x, y: np.dot(np.linspace(0, 1, len(x)), y) + np.dot(x, y),
    "matmul": lambda x, y: x @ np.linspace(0, 1, len(x)) + np.linspace(1, 0, len(y)) @ y,
    "matrix": lambda x, y: np.vander(np.linspace(-1, 1, 5), len(x), increasing=True) @ x / 8,
    "matrix on the right": lambda x, y: y @ np.linspace([-1, 0, 1], [1, 0, -1], len(y)) / 8,
    "np.dot of a matrix": lambda x, y: (
        np.dot(np.eye(len(x))[3:8], x) - np.dot(y, np.eye(len(y))[:, :5])
    ),
    "np.matmul": lambda x, y: (
        np.matmul(x, np.tri(len(x)) / 8) - np.matmul(np.tri(len(y), k=1) / 16, y)
    ),
    "diagonals": lambda x, y: (
        rw.Diagonals({-1: 0.5, 0: np.linspace(-1, 1, len(x)), 2: 0.25}, (len(x), len(x))) @ x
        - y @ rw.Diagonals({0: 0.25, 3: 0.5}, (len(y), len(y)))
    ),
    "a mean goes with every length": lambda x, y: x.mean() * y,
    "slice": lambda x, y: x[2:9] * y[3:10],
    "rest": lambda x, y: x[4:] - y[:-4],
    "last": lambda x, y: x[-5:] + y[:5],
    "all": lambda x, y: x[:] + y,
    "slice of a slice": lambda x, y: x[3:20][2:8] + y[1:7],
    "sum of a slice": lambda x, y: x[3:10].sum() - y[:7].sum(),
    "mean of a slice": lambda x, y: x[1:4].mean() * y[-7:].mean(),
    "one number": lambda x, y: x[3] * y[-1],
    "one number for all": lambda x, y: y - x[3],
    "one number by an array": lambda x, y: x[3] * np.linspace(0, 1, 5) + y[:5],
    "differences": lambda x, y: (x[1:] - x[:-1]) * y[1:],
    "roll": lambda x, y: np.roll(x, 3) + np.roll(y, -2),
    "roll nowhere": lambda x, y: np.roll(x, 0) + y,
    "conj": lambda x, y: x.conj() + y,
    "concatenate": lambda x, y: np.concatenate([x[2:4], y[:3]]) * np.arange(5),
}


@pytest.fixture(scope="module", params=[SHORT, None], ids=["short", "full"])
def inputs(request, params):
    """A declared length or none, and two vectors of it."""
    generator = np.random.default_rng(5)
    return request.param, generator.uniform(-1, 1, (2, request.param or params.slots))


def program_of(function, length):
    declared = rw.ckks.Input(length=length)
    return rw.program(inputs={"x": declared, "y": declared})(function)


@pytest.mark.parametrize("name", ON_ANY)
def test_what_works_on_arrays_works_encrypted(name, params, alice, inputs):
    length, vectors = inputs
    traced = program_of(ON_ANY[name], length)
    expected = np.atleast_1d(ON_ANY[name](*vectors))
    server = rw.Server(alice.keys_for(traced))
    run = server.run(traced, *(alice.encrypt(vector) for vector in vectors))
    assert (run.length,) == traced.lengths(params) == expected.shape
    result = alice.decrypt(run.value)[: run.length]
    assert np.max(np.abs(result - expected)) < slot_error_bound(run.value)
    assert traced.plain(*vectors) == pytest.approx(expected, abs=1e-9)


@pytest.mark.parametrize("name", ["dot", "slice", "differences", "one number for all", "cube"])
def test_a_server_computes_at_once(name, alice, inputs):
    length, vectors = inputs
    server = rw.Server(alice.keys_for(program_of(ON_ANY[name], length)))
    x, y = (server.vector(alice.encrypt(vector), length) for vector in vectors)
    result = ON_ANY[name](x, y)
    expected = np.atleast_1d(ON_ANY[name](*vectors))
    shown = alice.decrypt(result.ciphertext)[: len(result)]
    assert np.max(np.abs(shown - expected)) < slot_error_bound(result.ciphertext)


def test_at_once_and_in_a_program_are_the_same_bits(alice, vectors):
    def energy(x, y):
        return ((x - y) ** 2).sum(4)

    traced = rw.program(energy)
    server = rw.Server(alice.keys_for(traced))
    x, y = (alice.encrypt(vector) for vector in vectors)
    at_once = energy(server.vector(x), server.vector(y)).ciphertext
    run = server.run(traced, x, y)
    assert np.array_equal(alice.decrypt(at_once), alice.decrypt(run.value))


def test_at_once_a_missing_key_is_named_at_its_line(alice, vectors):
    server = rw.Server(alice.keys_for(rw.program(lambda x: x + 1)))
    x = server.vector(alice.encrypt(vectors[0]))
    with pytest.raises(rw.KeyMismatchError, match=r"test_numpy_face\.py:\d+: .*mult"):
        x * x
    for _ in range(LEVELS - 1):
        x = x * 0.5
    with pytest.raises(rw.DepthError, match=r"test_numpy_face\.py:\d+: "):
        x * 0.5


def test_at_once_servers_and_lengths_are_checked(params, alice, vectors):
    keys = alice.keys_for(rw.program(lambda x: x + 1))
    x, other = (rw.Server(keys).vector(alice.encrypt(vector)) for vector in vectors)
    with pytest.raises(rw.ProgramError, match="another program or server"):
        x + other
    with pytest.raises(rw.ProgramError, match=f"1 to {params.slots}"):
        rw.Server(keys).vector(alice.encrypt([1.0]), params.slots + 1)
    foreign = rw.ckks.Client(rw.ckks.Parameters.preset("4096-2x30")).encrypt([1.0])
    with pytest.raises(rw.KeyMismatchError, match="4096-2x30"):
        rw.Server(keys).vector(foreign)


def test_a_slice_costs_a_rotation_and_no_level(params):
    explained = program_of(lambda x, y: x[3:9] + y[:6], SHORT).explain(params)
    operations = [row.op.split()[0] for row in explained.rows if row.op != "input"]
    assert operations == ["rotate", "add"]
    assert explained.rows[-1].level == LEVELS


def test_a_sum_that_lacks_the_level_for_its_scales_says_so(params):
    def late(x, y):
        for _ in range(LEVELS - 1):
            x, y = x * x, y * 0.5
        return x + y

    with pytest.raises(rw.DepthError, match=r"test_numpy_face\.py:\d+: a sum at scales"):
        program_of(late, None).trace(params)


POLYNOMIALS = {
    "function": lambda x: x.apply(np.tanh, degree=7, interval=(-1.5, 1.5)),
    "Chebyshev series": lambda x: x.apply(np.polynomial.Chebyshev([0.5, 0.25, 0, 1 / 8])),
    "powers": lambda x: x.apply(np.polynomial.Polynomial([1, 0, -1, 0.5])),
    "a domain of their own": lambda x: x.apply(np.polynomial.Polynomial([0, 1, 0.5], [-2, 2])),
    "a window of their own": lambda x: x.apply(
        np.polynomial.Chebyshev([1, 0.5, 0.25], domain=[-3, 5], window=[0, 0.5])
    ),
    "a function of single numbers": lambda x: x.apply(math.exp, degree=3, interval=(-1, 1)),
    "a function with a branch": lambda x: x.apply(lambda t: max(t, 0), degree=3, interval=(-1, 1)),
    "after a sum": lambda x: (x.sum() / x.length).apply(np.square, degree=2, interval=(-1, 1)),
}


@pytest.mark.parametrize("name", POLYNOMIALS)
def test_functions_become_polynomials(name, alice, params):
    values = np.random.default_rng(2).uniform(-1, 1, params.slots)
    traced = rw.program(POLYNOMIALS[name])
    run = rw.Server(alice.keys_for(traced)).run(traced, alice.encrypt(values))
    expected = traced.plain(values)
    result = alice.decrypt(run.value)[: run.length]
    assert np.max(np.abs(result - expected)) < slot_error_bound(run.value)


def test_an_interpolation_is_near_its_function(params):
    values = np.linspace(-1, 1, params.slots)
    degree = 7
    applied = rw.program(lambda x: x.apply(np.exp, degree=degree, interval=(-1, 1)))
    # The error of interpolation at the zeros of a Chebyshev polynomial.
    bound = np.exp(1) / (2**degree * np.prod(np.arange(1.0, degree + 2)))
    assert np.max(np.abs(applied.plain(values) - np.exp(values))) < bound
    rows = applied.explain(params).rows
    assert LEVELS - rows[-1].level == np.log2(degree + 1)


@pytest.mark.parametrize("kind", ["sign", "step"])
def test_signs_are_right_beyond_their_threshold(kind, alice, params):
    threshold, error, low = 0.5, 0.25, {"sign": -1, "step": 0}[kind]
    values = np.random.default_rng(4).uniform(-1, 1, params.slots)
    traced = rw.program(lambda x: getattr(x, kind)(threshold, error=error))
    run = rw.Server(alice.keys_for(traced)).run(traced, alice.encrypt(values))
    result, plain = alice.decrypt(run.value), traced.plain(values)
    assert np.max(np.abs(result - plain)) < slot_error_bound(run.value)
    away = np.abs(values) >= threshold
    expected = np.where(values > 0, 1, low)
    assert np.max(np.abs(plain - expected)[away]) <= error * 1.001


@pytest.mark.parametrize("exponent", range(1, 9))
def test_powers_are_as_shallow_as_can_be(params, exponent):
    rows = rw.program(lambda x: x**exponent).explain(params).rows
    assert LEVELS - rows[-1].level == int(np.ceil(np.log2(exponent)))


def test_masked_clears_what_lies_beyond(alice, params):
    values = np.random.default_rng(3).uniform(-1, 1, params.slots)
    cut = rw.program(lambda x: (x[5:9], x[5:9].masked()))
    run = rw.Server(alice.keys_for(cut)).run(cut, alice.encrypt(values))
    left, cleared = (alice.decrypt(value)[4:] for value in run.values)
    assert np.max(np.abs(cleared)) < slot_error_bound(run.values[1])
    assert np.max(np.abs(left)) > 0.5
    assert rw.program(lambda x: x.masked()).explain(params).rows[-1].level == LEVELS


@pytest.mark.parametrize(
    ("function", "named"),
    [
        (lambda x, y: x[::2], r"\[::2\].*step 1"),
        (lambda x, y: x[5:5], r"\[5:5\].*at least one"),
        (lambda x, y: x[SHORT], f"index = {SHORT}.*{-SHORT} to {SHORT - 1}"),
        (lambda x, y: x[1.5:], "1.5"),
        (lambda x, y: x[1:] + y[:3], f"{SHORT - 1} and 3"),
        (lambda x, y: x * np.ones(SHORT + 1), f"{SHORT} and {SHORT + 1}"),
        (lambda x, y: x.rotate(1), f"length of {SHORT}.*slices"),
        (lambda x, y: x << 1, "rotate"),
        (lambda x, y: x.sum(4), "sum"),
        (lambda x, y: x / y, "division by an encrypted vector"),
        (lambda x, y: 1 / x, "division by an encrypted vector"),
        (lambda x, y: np.ones(SHORT) / x, "division by an encrypted vector"),
        (lambda x, y: x / 0, "by zero"),
        (lambda x, y: x**-1, "exponent = -1"),
        (lambda x, y: x**0.5, "exponent = 0.5"),
        (lambda x, y: x ** (0.5 + 1e-9), "exponent"),
        (lambda x, y: 2**x, r"x\.apply\("),
        (lambda x, y: abs(x), r"x\.apply\("),
        (lambda x, y: x // 2, r"x\.apply\("),
        (lambda x, y: divmod(x, 2), r"x\.apply\("),
        (lambda x, y: x & y, r"x\.apply\("),
        (lambda x, y: float(x), "key holder decrypt"),
        (lambda x, y: range(x), "key holder decrypt"),
        (lambda x, y: x @ 3, "lengths 30 and 1"),
        (lambda x, y: x @ y[:1], "lengths 30 and 1"),
        (lambda x, y: np.ones(3) @ x, "lengths 30 and 3"),
        (lambda x, y: np.add.reduce(x), r"np\.add\.reduce"),
        (lambda x, y: np.sum([x, y]), r"np\.asarray"),
        (lambda x, y: x.apply(np.log, degree=3, interval=(-1, 1)), "the function is nan at -"),
        (lambda x, y: x.apply(lambda t: t * np.ones(2), 3, (-1, 1)), "one finite real number"),
        (lambda x, y: x.apply(lambda t: 3.0, 3, (-1, 1)), "degree = 0"),
        (lambda x, y: rw.program(lambda x: x)(z=x), "inputs are x"),
        (lambda x, y: np.exp(x), r"np\.exp.*np\.square.*polynomials"),
        (lambda x, y: np.max(x), r"np\.max"),
        (lambda x, y: np.asarray(x), r"np\.asarray"),
        (lambda x, y: np.sum(x, axis=0), r"np\.sum"),
        (lambda x, y: np.power(2.0, x), r"np\.power of a number"),
        (lambda x, y: x.dot(np.ones((2, SHORT))), r"\(2, 30\).*\(30, n\)"),
        (lambda x, y: np.ones((SHORT, 2)) @ x, r"\(30, 2\).*\(n, 30\)"),
        (lambda x, y: np.ones((1, 1, SHORT)) @ x, r"\(1, 1, 30\)"),
        (lambda x, y: np.zeros((2, SHORT)) @ x, "a matrix of zeros"),
        (lambda x, y: x.sign(0.9), "threshold = 0.9, allowed"),
        (lambda x, y: x.step(0.1, error=1), "error"),
        (lambda x, y: x.sign("a little"), "threshold"),
        (lambda x, y: x * np.ones(np.shape(x) * 2), r"\(30, 30\)"),
        (lambda x, y: x.apply(np.exp), "without degree and interval"),
        (lambda x, y: x.apply(np.exp, degree=0, interval=(-1, 1)), "degree = 0"),
        (lambda x, y: x.apply(np.exp, degree=3, interval=3), "interval 3"),
        (lambda x, y: x.apply(np.exp, degree=3, interval=(1, 1)), r"\(1, 1\).*lower first"),
        (lambda x, y: x.apply(np.exp, degree=3, interval=(0, "1")), "high end = '1'"),
        (lambda x, y: x.apply(lambda t: t * np.inf, 3, (-1, 1)), "the function is -?inf at"),
        (lambda x, y: x.apply(lambda t: t + 1j, 3, (-1, 1)), "the function is .*real number"),
        (lambda x, y: x.apply(lambda t: "a", 3, (-1, 1)), "the function is a at"),
        (lambda x, y: x.apply(3, degree=3, interval=(-1, 1)), "3 given; a function"),
        (lambda x, y: x.apply(np.polynomial.Polynomial([1, 1j])), "complex128"),
        (lambda x, y: x.apply(np.polynomial.Chebyshev([1, 1j])), "complex128"),
        (lambda x, y: x.sign("a"), "threshold = 'a'.*real number"),
        (lambda x, y: x.step(0.1, error=0.3), r"error = 0\.3 given; up to 0\.25"),
        (
            lambda x, y: x.apply(np.polynomial.Polynomial([1, 2]), degree=1),
            "brings its degree",
        ),
        (lambda x, y: x > 0.5, "comparison"),
        (lambda x, y: x == y, "comparison"),
        (lambda x, y: sum(x), "slot by slot"),
        (lambda x, y: operator.setitem(x, 0, y), "do not change"),
        (lambda x, y: np.concatenate([x] * 9), "joined"),
        (lambda x, y: np.concatenate([x, WEIGHTS]), "list of encrypted vectors"),
        (lambda x, y: x.ciphertext, "while it is traced"),
    ],
)
def test_what_is_refused_names_the_line_and_what_is_allowed(params, function, named):
    traced = program_of(function, SHORT)
    line = "" if "inputs are" in named else r"test_numpy_face\.py:\d+: .*"
    with pytest.raises((rw.ProgramError, rw.ParameterError), match=line + named):
        traced.trace(params)


def test_inputs_have_names(alice, vectors):
    difference = rw.program(lambda x, y: x - y)
    doubled = rw.program(lambda x, y: 2 * difference(y=y, x=x))
    x, y = vectors
    run = rw.Server(alice.keys_for(doubled)).run(doubled, y=alice.encrypt(y), x=alice.encrypt(x))
    assert np.max(np.abs(alice.decrypt(run.value) - 2 * (x - y))) < slot_error_bound(run.value)
    assert doubled.plain(y=y, x=x) == pytest.approx(2 * (x - y))


class TestIntervals:
    """A function holds on its interval; what lies beyond a vector's length may lie outside."""

    def check(self, alice, declared, values, function):
        program = rw.program(inputs={"x": declared})(function)
        encrypted = alice.encrypt(alice.encode(values, replace(declared, length=None)))
        run = rw.Server(alice.keys_for(program)).run(program, encrypted)
        expected = program.plain(values[: declared.length])
        errors = np.abs(alice.decrypt(run.value)[: len(expected)] - expected)
        assert errors.max() < slot_error_bound(run.value) < 0.05
        return [row.op.split()[0] for row in program.explain(alice.parameters).rows]

    def test_zeros_beyond_the_length_are_moved_inside(self, alice):
        values = np.linspace(1, 8, 8)
        declared = rw.ckks.Input(max=8, length=8)
        self.check(alice, declared, values, lambda x: x.apply(np.log, 3, (1, 8)))

    def test_what_a_slice_left_behind_is_moved_inside(self, alice, params):
        values = np.full(params.slots - 1, -8.0)
        values[3:7] = [1.25, 1.5, 1.75, 2]
        declared = rw.ckks.Input(max=8, length=params.slots - 1)
        self.check(alice, declared, values, lambda x: x[3:7].apply(np.log, 3, (1, 2)))
        self.check(alice, declared, values, lambda x: x[3:7].apply(np.exp, 3, (-2, 2)))

    def test_signs_of_few_numbers_among_large_ones(self, alice, params):
        values = np.full(params.slots - 1, 8.0)
        values[3:7] = [-1, 1, -0.75, 0.75]
        declared = rw.ckks.Input(max=8, length=params.slots - 1)
        self.check(alice, declared, values, lambda x: x[3:7].sign(0.5, error=0.2))

    def test_where_all_slots_are_inside_it_costs_nothing(self, alice):
        declared = rw.ckks.Input(length=8)
        made = self.check(
            alice, declared, np.linspace(-1, 1, 8), lambda x: x.apply(np.exp, 1, (-1, 1))
        )
        assert made == ["input", "mul_constant", "add_constant", "rescale"]


@pytest.mark.parametrize("length", [10**6])
def test_declared_lengths_fit_the_slots(params, length):
    with pytest.raises(rw.ParameterError, match=f"length {length} given; 1 to {params.slots}"):
        program_of(lambda x, y: x + y, length).trace(params)


def test_in_the_clear_declared_lengths_are_checked(alice):
    with pytest.raises(rw.ParameterError, match=r"\(3,\).*30"):
        program_of(lambda x, y: x + y, SHORT).plain(np.ones(3), np.ones(3))
    with pytest.raises(rw.ParameterError, match="3 values given; 30 declared"):
        alice.encode(np.ones(3), rw.ckks.Input(length=SHORT))
