"""A program that bootstraps, from Python: levels, error, keys, refusals."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

import ringwright as rw
from ringwright.errors import KeyMismatchError, ParameterError, SecurityError, StorageError

#: N = 1024: two levels to use and twelve that a bootstrapping spends.
MADE_OF = rw.ckks.Bootstrapping(to_coefficients=2, to_slots=2, log_ratio=8, arcsine=1)
Q_BITS = [55, 45, 45, *[48] * 2, *[55] * 10]


@pytest.fixture(scope="module")
def params() -> rw.ckks.Parameters:
    return rw.ckks.Parameters(log_n=10, q_bits=Q_BITS, p_bits=[60], log_scale=45, insecure=True)


@rw.program(inputs={"x": rw.ckks.Input(level=1)})
def cubed(x):
    fresh = x.bootstrap(MADE_OF)
    return fresh * fresh * fresh


@pytest.fixture(scope="module")
def alice(params: rw.ckks.Parameters) -> rw.ckks.Client:
    return rw.ckks.Client(params)


@pytest.mark.parametrize("limited", [False, True])
def test_a_spent_vector_is_computed_on(alice: rw.ckks.Client, limited: bool) -> None:
    x = np.random.default_rng(5).uniform(-1, 1, alice.parameters.slots)
    spent = alice.encrypt(x, cubed.inputs[0])
    assert spent.level == 1
    run = rw.Server(alice.keys_for(cubed, limited=limited)).run(cubed, spent)
    error = abs(alice.decrypt(run.value) - cubed.plain(x))
    assert error.max() < run.value.error_bound
    assert error.max() < 2**-15
    assert run.value.level == 1


def test_limited_keys_are_smaller(alice: rw.ckks.Client) -> None:
    whole, limited = (alice.keys_for(cubed, limited=limited) for limited in (False, True))
    assert whole.names == limited.names
    assert {"switch s0 to h32", "switch h32 to s0"} <= set(whole.names)
    assert limited.encoded_len < 0.75 * whole.encoded_len

    @rw.program
    def high(x):
        return x.rotate(1)

    with pytest.raises(KeyMismatchError, match=r"asked for levels 1 to 15"):
        rw.Server(limited).prepare(high)


def test_two_real_vectors_share_one(alice: rw.ckks.Client) -> None:
    @rw.program(inputs={"x": rw.ckks.Input(level=1), "y": rw.ckks.Input(max=0.5, level=1)})
    def both(x, y):
        return x.bootstrap_with(y, MADE_OF)

    drawn = np.random.default_rng(6).uniform(-1, 1, (2, alice.parameters.slots))
    x, y = drawn[0], drawn[1] / 2
    assert [np.array_equal(a, b) for a, b in zip(both.plain(x, y), (x, y), strict=True)] == [
        True
    ] * 2
    spent = [alice.encrypt(each, wanted) for each, wanted in zip((x, y), both.inputs, strict=True)]
    assert both.trace(alice.parameters).text.count(" = raise ") == 1
    run = rw.Server(alice.keys_for(both)).run(both, *spent)
    for found, expected in zip(run.values, (x, y), strict=True):
        off = alice.decrypt(found, imag=True) - expected
        # The imaginary parts are gone but for the noise of the last sum.
        assert np.abs(off.real).max() < found.error_bound < 2**-8
        assert np.abs(off.imag).max() < 2**-20
        assert found.level == 3


def test_what_a_caller_says_of_a_vector_holds_from_there_on(alice: rw.ckks.Client) -> None:
    @rw.program(inputs={"x": rw.ckks.Input(max=8.0)})
    def said(x):
        large = (x * 100).within(200.0, off=2**-30)
        return large * 0.005, large.within(200.0, off=1.0)

    rows = {row.value: row for row in said.explain(alice.parameters).rows}
    assert rows["%2"].bound_bits == pytest.approx(30, abs=1e-6)
    assert 33 < rows["%4"].bound_bits < 34
    x = np.full(alice.parameters.slots, 1.5)
    run = rw.Server(alice.keys_for(said)).run(said, alice.encrypt(x, said.inputs[0]))
    # What is said to be worse than what is known says nothing.
    assert [value.max for value in run.values] == [1.0, 200.0]
    assert run.values[1].error_bound == pytest.approx(2**-30)
    assert abs(alice.decrypt(run.values[0]) - 0.75).max() < 2**-24
    with pytest.raises(rw.ProgramError, match=r"numbers up to 300 said to be within 200"):
        said.plain(np.full(16, 3.0))
    for wrong in (0.0, -1.0, float("nan")):
        with pytest.raises(rw.ProgramError):
            _bounded_by(wrong).trace(alice.parameters)


def _bounded_by(bound: float) -> rw.Program:
    @rw.program
    def bounded(x):
        return x.within(bound)

    return bounded


def test_every_machine_computes_the_same_words(alice: rw.ckks.Client) -> None:
    small = rw.ckks.Parameters(log_n=8, q_bits=Q_BITS, p_bits=[60], log_scale=45, insecure=True)
    client = rw.ckks.Client(small)
    keys = client.keys_for(cubed)
    spent = client.encrypt(np.linspace(-1, 1, small.slots), cubed.inputs[0])
    here = rw.Server(keys).run(cubed, spent).value
    there = rw.Server(keys, "rpu-128x128").run(cubed, spent)
    assert there.value.to_bytes() == here.to_bytes()
    assert there.timing.cycles > 0


def test_numbers_that_repeat_take_less(params: rw.ckks.Parameters, alice: rw.ckks.Client) -> None:
    sparse = replace(MADE_OF, period=16)

    @rw.program(inputs={"x": rw.ckks.Input(level=1), "y": rw.ckks.Input(max=0.5, level=1)})
    def both(x, y):
        return x.bootstrap_with(y, sparse)

    random = np.random.default_rng(6)
    # One repeats; the other becomes the mean of what stands sixteen slots apart.
    x = np.tile(random.uniform(-1, 1, 16), params.slots // 16)
    y = random.uniform(-0.5, 0.5, params.slots)
    expected = both.plain(x, y)
    assert expected[0] == pytest.approx(x)
    assert expected[1] == pytest.approx(np.tile(y.reshape(-1, 16).mean(axis=0), params.slots // 16))
    spent = [alice.encrypt(each, wanted) for each, wanted in zip((x, y), both.inputs, strict=True)]
    run = rw.Server(alice.keys_for(both, limited=True)).run(both, *spent)
    for found, wanted in zip(run.values, expected, strict=True):
        off = abs(alice.decrypt(found) - wanted).max()
        assert off < found.error_bound < 2**-8
        assert off < 2**-15

    @rw.program
    def short(x):
        return x[:8].bootstrap(sparse)

    with pytest.raises(rw.ProgramError, match="bootstrap by a period"):
        short.trace(params)
    with pytest.raises(rw.ProgramError, match=r"period = 16; it is said of a vector"):
        rw.program(bootstrap=sparse)(lambda x: x * x)


@pytest.mark.slow
def test_no_slot_of_a_hundred_exceeds_its_bound() -> None:
    """Ten keys, ten messages each: random ones, one number everywhere, alternating, one alone."""
    q_bits = [60, *[42] * 15, *[60] * 10, *[53] * 4]
    parameters = rw.ckks.Parameters(
        log_n=11, q_bits=q_bits, p_bits=[61] * 4, digit=4, log_scale=42, insecure=True
    )
    slots, random = parameters.slots, np.random.default_rng(3)

    @rw.program(inputs={"x": rw.ckks.Input(level=1)})
    def refreshed(x):
        return x.bootstrap()

    special = [np.ones(slots), np.where(np.arange(slots) % 2, 1.0, -1.0), np.eye(1, slots, 7)[0]]
    largest = 0.0
    for _ in range(10):
        client = rw.ckks.Client(parameters)
        server = rw.Server(client.keys_for(refreshed, limited=True))
        for x in [*special, *random.uniform(-1, 1, (7, slots))]:
            result = server.run(refreshed, client.encrypt(x, refreshed.inputs[0])).value
            worst = abs(client.decrypt(result) - x).max()
            assert worst <= result.error_bound
            largest = max(largest, worst / result.error_bound)
    # The bound is for the message that is off most, one number everywhere.
    assert largest > 1 / 16


def test_keys_in_files_give_the_same_words(params: rw.ckks.Parameters, tmp_path: Path) -> None:
    @rw.program(inputs={"x": rw.ckks.Input(level=1)})
    def refreshed(x):
        return x.bootstrap(MADE_OF)

    client = rw.ckks.Client(params)
    spent = client.encrypt(np.linspace(-1, 1, params.slots), refreshed.inputs[0])
    keys = client.keys_for(refreshed, limited=True)
    expected = rw.Server(keys).run(refreshed, spent).value.to_bytes()
    # Some stay in memory, the key for products first; what was sent is streamed as well.
    some = keys.encoded_len // 3
    kept = client.keys_for(refreshed, limited=True, in_memory=some, folder=tmp_path)
    assert kept.to_bytes() == keys.to_bytes()
    assert rw.Server(kept).run(refreshed, spent).value.to_bytes() == expected
    keys.save(tmp_path / "keys")
    read = rw.ckks.EvaluationKeys.load_streamed(params, tmp_path / "keys", 0, tmp_path)
    for machine in ("cpu", "cpu-1"):
        assert rw.Server(read, machine).run(refreshed, spent).value.to_bytes() == expected
    assert [file.name for file in tmp_path.iterdir()] == ["keys"], "files without names"
    with pytest.raises(StorageError, match=r"could not be written to a file in .*nowhere"):
        client.keys_for(refreshed, limited=True, in_memory=0, folder=tmp_path / "nowhere")
    with pytest.raises(ParameterError, match="in_memory = -1, allowed: a number from 0"):
        client.keys_for(refreshed, limited=True, in_memory=-1)
    with pytest.raises(StorageError, match=r"could not be written to a file in .*nowhere"):
        rw.ckks.EvaluationKeys.load_streamed(params, tmp_path / "keys", 0, tmp_path / "nowhere")


@pytest.mark.slow
def test_the_preset_of_half_the_ring_is_secure_and_keeps_fifteen_bits() -> None:
    parameters = rw.ckks.Parameters.preset("32768-boot")
    assert parameters.security.bits == 128

    @rw.program(inputs={"x": rw.ckks.Input(max=2**0.5, rms=1.0, level=1)})
    def refreshed(x):
        return x.bootstrap(rw.ckks.Bootstrapping.short())

    client = rw.ckks.Client(parameters)
    real, imaginary = np.random.default_rng(3).uniform(-1, 1, (2, parameters.slots))
    spent = client.encrypt(real + 1j * imaginary, refreshed.inputs[0])
    run = rw.Server(client.keys_for(refreshed, limited=True)).run(refreshed, spent)
    off = client.decrypt(run.value, imag=True) - (real + 1j * imaginary)
    assert np.max(np.abs([off.real, off.imag])) < 2**-15
    assert run.value.level == 3


def test_refusals(params: rw.ckks.Parameters) -> None:
    def traced(parameters: rw.ckks.Parameters, **made_of: int) -> None:
        @rw.program(inputs={"x": rw.ckks.Input(level=1)})
        def refused(x):
            return x.bootstrap(rw.ckks.Bootstrapping(**made_of))

        refused.trace(parameters)

    with pytest.raises(ParameterError, match=r"levels = 15, allowed: 19 or more: 17 are spent"):
        traced(params)
    with pytest.raises(ParameterError, match=r"arcsine = 4, allowed: an odd number"):
        traced(params, arcsine=4)
    with pytest.raises(ParameterError, match="weight"):
        traced(params, weight=-1)
    with pytest.raises(ParameterError, match=r"iterations = 9, allowed: 1 to 4"):
        traced(params, to_coefficients=2, to_slots=2, arcsine=1, iterations=9)
    with pytest.raises(ParameterError, match=r"period = 6, allowed: a power of two"):
        traced(params, period=6)
    secure = rw.ckks.Parameters(log_n=15, q_bits=Q_BITS, p_bits=[60], log_scale=45)
    with pytest.raises(SecurityError, match="encapsulated secret of Hamming weight 32"):
        traced(secure, to_coefficients=2, to_slots=2)
