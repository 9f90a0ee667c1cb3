"""Plain arguments, and what a program captured when it was traced."""

from __future__ import annotations

from functools import cached_property

import numpy as np
import pytest
from conftest import slot_error_bound

import ringwright as rw


@rw.program(inputs={"w": rw.ckks.Input(plain=True, max=2.0, rms=1.5)})
def weighted(x, w):
    return x * w + w, w - x, x - w


@rw.program(
    inputs={
        "x": rw.ckks.Input(length=10),
        "w": rw.ckks.Input(plain=True, length=10, max=2.0),
        "bias": rw.ckks.Input(plain=True, length=1),
    }
)
def score(x, w, bias):
    return w @ x + bias


def weights_of(number: int, length: int) -> rw.Plain:
    return rw.Plain(np.random.default_rng(number).uniform(-1, 1, length))


class TestPlainArguments:
    def test_a_program_is_traced_once_for_all_of_them(self, alice, vectors):
        server = rw.Server(alice.keys_for(weighted))
        x = alice.encrypt(vectors[0])
        for number in range(3):
            w = weights_of(number, alice.parameters.slots)
            run = server.run(weighted, x, w)
            for found, value, expected in zip(
                alice.decrypt(run), run.values, weighted.plain(vectors[0], w), strict=True
            ):
                assert np.max(np.abs(found - expected)) < slot_error_bound(value)
        assert len(server._prepared) == 1

    def test_short_ones_are_repeated(self, alice, vectors):
        server = rw.Server(alice.keys_for(weighted))
        w = rw.Plain([0.5, -1.0])
        run = server.run(weighted, alice.encrypt(vectors[0]), w=w)
        expected = weighted.plain(vectors[0], w)[0]
        assert np.max(np.abs(alice.decrypt(run)[0] - expected)) < slot_error_bound(run.values[0])

    @pytest.mark.parametrize("machine", ["cpu", "rpu-128x128"])
    def test_lengths_and_machines(self, alice, machine):
        server = rw.Server(alice.keys_for(score), machine)
        values = np.linspace(-1, 1, 10)
        x = alice.encrypt(values, score.inputs[0])
        for number in range(2):
            w, bias = weights_of(number, 10), rw.Plain(0.25)
            run = server.run(score, x, w, bias)
            (expected,) = score.plain(values, w, bias)
            assert alice.decrypt(run) == pytest.approx([expected], abs=0.05)

    def test_what_is_given_is_checked(self, alice, vectors):
        server = rw.Server(alice.keys_for(weighted, score))
        x = alice.encrypt(vectors[0])
        for plain, named in (
            (rw.Plain([3.0]), "max = 3 given; 2 declared"),
            (rw.Plain([2.0]), "rms = 2 given; 1.5 declared"),
            (rw.Plain([1.0, 0.5, 0.25]), "3 numbers given; a length that divides"),
            (x, r"a ciphertext given; rw.Plain\(...\) allowed"),
        ):
            with pytest.raises(rw.ParameterError, match=named):
                server.run(weighted, x, plain)
        ten = alice.encrypt(np.ones(10))
        with pytest.raises(rw.ParameterError, match="9 numbers given; 10 declared"):
            server.run(score, ten, rw.Plain(np.ones(9)), rw.Plain(0))
        with pytest.raises(rw.ParameterError, match="a ciphertext allowed"):
            server.run(score, rw.Plain(np.ones(10)), rw.Plain(np.ones(10)), rw.Plain(0))
        with pytest.raises(TypeError, match="ndarray; a ciphertext allowed"):
            server.run(weighted, x, np.ones(2))

    @pytest.mark.parametrize(
        ("given", "named"),
        [
            (np.ones((2, 2)), r"shape \(2, 2\) given; .* matrix belongs in the program"),
            ([1j], "complex"),
            ([np.nan], "finite"),
            (["a"], "real numbers"),
            ([], "at least one"),
        ],
    )
    def test_only_vectors_of_real_numbers(self, given, named):
        with pytest.raises(rw.ParameterError, match=named):
            rw.Plain(given)

    @pytest.mark.parametrize(
        "function",
        [
            lambda x, w: x * (w + 1),
            lambda x, w: x * w[:2],
            lambda x, w: x * np.exp(w),
            lambda x, w: x / w,
            lambda x, w: x * -w,
            lambda x, w: x if w else -x,
        ],
    )
    def test_its_numbers_are_not_known_while_tracing(self, params, function):
        program = rw.program(inputs={"w": rw.ckks.Input(plain=True)})(function)
        with pytest.raises(rw.ProgramError, match="plain argument w are not known"):
            program.trace(params)

    def test_undeclared_ones_go_by_example(self, alice, vectors):
        product = rw.program(lambda x, w: x * w)
        server = rw.Server(alice.keys_for(product))
        w = weights_of(1, alice.parameters.slots)
        run = server.run(product, alice.encrypt(vectors[0]), w)
        error = np.max(np.abs(alice.decrypt(run) - vectors[0] * w.values))
        assert error < slot_error_bound(run.value)

    def test_it_is_a_copy(self):
        given = np.ones(3)
        plain = rw.Plain(given)
        given[0] = 5
        assert plain.values.tolist() == [1, 1, 1]
        with pytest.raises(ValueError, match="read-only"):
            plain.values[0] = 5

    def test_noise_and_level_are_not_its_own(self):
        with pytest.raises(rw.ParameterError, match="level given of a plain input"):
            rw.ckks.Input(plain=True, level=2)


SHIFT = np.array([0.5, 0.25])


def helped(x):
    return x + SHIFT


class Model:
    def __init__(self):
        self.weights = np.ones(2)
        self.factor = 0.5
        self.calls = 0

    @cached_property
    def scaled(self):
        return self.weights * self.factor

    def apply(self, x):
        self.calls += 1
        return x * self.scaled


class TestCaptures:
    def stale(self, program, params, name):
        with pytest.raises(rw.StaleCaptureError, match=f"{name} has changed since") as caught:
            program.trace(params)
        assert "rw.Plain" in str(caught.value)

    def test_rebinding_and_changing_in_place(self, params):
        w, offset = np.ones(4), 0.5

        @rw.program
        def captured(x):
            return x * w + offset

        first = captured.trace(params)
        assert captured.trace(params) is first
        w = w * 5
        self.stale(captured, params, "w")
        w = np.ones(4)
        assert captured.trace(params) is first
        w[2] = 7
        self.stale(captured, params, "w")
        with pytest.raises(rw.StaleCaptureError):
            captured.trace(params, [rw.ckks.Input(level=2)])
        w[2] = 1
        offset = 0.75
        self.stale(captured, params, "offset")

    def test_globals_helpers_and_lambdas(self, params, monkeypatch):
        captured = rw.program(lambda x: sum(helped(each) for each in [x]))
        captured.trace(params)
        monkeypatch.setitem(globals(), "SHIFT", SHIFT * 2)
        self.stale(captured, params, "helped")
        monkeypatch.undo()
        captured.trace(params)
        monkeypatch.setitem(globals(), "helped", lambda x: x)
        self.stale(captured, params, "helped")

    def test_a_helper_of_another_number(self, params):
        def helper(factor):
            return eval(f"lambda x: x * {factor}")

        times = helper(3)
        captured = rw.program(lambda x: times(x) + 1)
        captured.trace(params)
        times = helper(5)
        self.stale(captured, params, "times")

    def test_objects_and_programs(self, params):
        model = Model()
        inner = rw.program(lambda x: model.apply(x) - 1)
        outer = rw.program(lambda x: inner(x) + 1)
        inner.trace(params)
        outer.trace(params)
        # What nobody reads may change, and what is computed may be computed again.
        model.unread = 5
        del model.scaled
        inner.trace(params)
        model.weights[0] = 2
        self.stale(inner, params, "model")
        self.stale(outer, params, "inner")
        model.weights[0] = 1
        model.factor = 0.25
        self.stale(inner, params, "model")

    def test_series(self, params):
        series = np.polynomial.Polynomial([0, 1, 1])
        squared = rw.program(lambda x: x.apply(series))
        squared.trace(params)
        series.coef[1] = 2
        self.stale(squared, params, "series")

    def test_what_a_trace_itself_counts_is_no_change(self, params):
        traced = []

        @rw.program
        def counted(x):
            traced.append(1)
            return x + len(traced)

        counted.trace(params)
        counted.trace(params, [rw.ckks.Input(level=2)])
        assert counted.depth(params) == 0
        counted.trace(params)
        assert len(traced) == 3

        @rw.program
        def too_deep(x):
            traced.append(1)
            return x ** (2 if len(traced) < 5 else 64)

        too_deep.trace(params)
        with pytest.raises(rw.DepthError):
            too_deep.trace(params, [rw.ckks.Input(level=2)])
        too_deep.trace(params)

    def test_the_depth_of_what_has_changed_is_not_said(self, params):
        w = np.ones(4)

        @rw.program
        def captured(x):
            return x * w

        assert captured.depth(params) == 1
        w[0] = 2
        captured.trace(params)
        w[0] = 3
        with pytest.raises(rw.StaleCaptureError):
            captured.depth(params)
