"""The conjugate-invariant ring from Python: N real slots, and what it has not."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest
from conftest import LEVELS, LOG_N, LOG_SCALE, PRIME_BITS, slot_error_bound
from numpy.typing import NDArray

import ringwright as rw
from ringwright.interop import openfhe, seal

SIMULATED = ("rise-32bfu", "rpu-128x128")


@pytest.fixture(scope="module")
def real() -> rw.ckks.Parameters:
    return rw.ckks.Parameters(
        ring="conjugate-invariant",
        log_n=LOG_N,
        q_bits=[PRIME_BITS] * LEVELS,
        p_bits=[PRIME_BITS],
        log_scale=LOG_SCALE,
        insecure=True,
        name="real",
    )


@pytest.fixture(scope="module")
def bob(real: rw.ckks.Parameters) -> rw.ckks.Client:
    return rw.ckks.Client(real)


@pytest.fixture
def vector(real: rw.ckks.Parameters) -> NDArray[np.float64]:
    return np.random.default_rng(7).uniform(-1, 1, real.slots)


@rw.program
def turned(x):
    """A product, rotations of one value, and a sum over every slot."""
    square = x * x
    return square + x.rotate(1) * 0.5 - x.rotate(-3), square.sum()


def test_the_ring_is_said_and_has_its_slots(
    params: rw.ckks.Parameters, real: rw.ckks.Parameters
) -> None:
    assert (params.ring, real.ring) == ("standard", "conjugate-invariant")
    assert params.slots == params.n // 2
    assert real.slots == real.n == params.n
    assert all(prime % (4 * real.n) == 1 for prime in real.q + real.p)
    assert real != params
    assert real.security.log_qp < params.security.log_qp


def test_a_program_computes_on_every_slot(bob: rw.ckks.Client, vector: NDArray[np.float64]) -> None:
    server = rw.Server(bob.keys_for(turned))
    run = server.run(turned, bob.encrypt(vector))
    expected = (
        vector**2 + np.roll(vector, -1) * 0.5 - np.roll(vector, 3),
        np.full(len(vector), np.sum(vector**2)),
    )
    for value, right in zip(run.values, expected, strict=True):
        error = np.abs(bob.decrypt(value) - right)[: value.length]
        assert np.max(error) < slot_error_bound(value)


def test_a_result_is_shared(real: rw.ckks.Parameters, vector: NDArray[np.float64]) -> None:
    wide = rw.ckks.Parameters(
        ring=real.ring,
        log_n=LOG_N,
        q_bits=[60] * 3,
        p_bits=[60],
        log_scale=56,
        insecure=True,
        name="shared",
    )
    carol = rw.ckks.Client(wide)

    @rw.program
    def squared(x):
        return x * x

    server = rw.Server(carol.keys_for(squared))
    sharing = rw.ckks.Sharing(queries=4)
    encrypted = carol.encrypt(vector)
    record = carol.expect(squared, encrypted)
    run = server.run(squared, encrypted)
    told = carol.share(run.value, record, sharing, evaluated="recheck")
    assert np.std(told - vector**2) < 2.0**-sharing.precision_bits


def test_records_say_the_ring(
    real: rw.ckks.Parameters,
    bob: rw.ckks.Client,
    vector: NDArray[np.float64],
    tmp_path: Path,
) -> None:
    assert rw.ckks.Parameters.from_bytes(real.to_bytes(), insecure=True) == real
    real.save(tmp_path / "real.rwhe")
    again = rw.ckks.Parameters.load(tmp_path / "real.rwhe", insecure=True)
    assert (again, again.ring) == (real, real.ring)
    encrypted = rw.ckks.Ciphertext.from_bytes(again, bob.encrypt(vector).to_bytes())
    assert np.max(np.abs(bob.decrypt(encrypted) - vector)) < slot_error_bound(encrypted)


def test_what_it_has_not_is_refused_by_name(
    real: rw.ckks.Parameters, bob: rw.ckks.Client, vector: NDArray[np.float64]
) -> None:
    refused: list[Callable[[], object]] = [
        lambda: bob.encrypt(vector * 1j),
        lambda: rw.program(lambda x: x.conjugate()).trace(real),
        lambda: rw.program(lambda x: x.conjugate(3)).trace(real),
        lambda: seal.write_parameters(real, version=(4, 1)),
        lambda: openfhe.write_context(real),
    ]
    for attempt in refused:
        with pytest.raises(rw.RingwrightError, match="conjugate-invariant"):
            attempt()
    for machine in SIMULATED:
        with pytest.raises(rw.MachineError, match=f"{machine} .* conjugate-invariant ring"):
            rw.oracle(rw.program(lambda x: x.rotate(1)), machine, real)


def test_another_ring_is_refused() -> None:
    with pytest.raises(rw.ParameterError, match='ring = "cyclic", allowed: "standard" and'):
        rw.ckks.Parameters(
            ring="cyclic",  # type: ignore[arg-type]
            log_n=LOG_N,
            q_bits=[PRIME_BITS],
            log_scale=20,
            insecure=True,
        )


def test_ciphertexts_of_one_ring_are_not_those_of_the_other(
    alice: rw.ckks.Client, bob: rw.ckks.Client
) -> None:
    with pytest.raises(rw.RingwrightError, match="parameters"):
        bob.decrypt(alice.encrypt([1.0]))
