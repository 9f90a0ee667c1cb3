"""A parameter set that is quick and insecure, its client, and vectors for it."""

from __future__ import annotations

import numpy as np
import pytest
from numpy.typing import NDArray

import ringwright as rw

LOG_N = 9
LEVELS = 4
PRIME_BITS = 30
LOG_SCALE = 26


@pytest.fixture(scope="session")
def params() -> rw.ckks.Parameters:
    return rw.ckks.Parameters(
        log_n=LOG_N,
        q_bits=[PRIME_BITS] * LEVELS,
        p_bits=[PRIME_BITS],
        log_scale=LOG_SCALE,
        insecure=True,
        name="quick",
    )


@pytest.fixture(scope="session")
def alice(params: rw.ckks.Parameters) -> rw.ckks.Client:
    return rw.ckks.Client(params)


@pytest.fixture
def vectors(params: rw.ckks.Parameters) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    generator = np.random.default_rng(7)
    first, second = generator.uniform(-1, 1, (2, params.slots))
    return first, second


def slot_error_bound(ciphertext: rw.ckks.Ciphertext) -> float:
    """Fourteen standard deviations of a slot's predicted error: a slot sums N coefficients' errors
    at angles whose squared cosines average 1/2.

    A fresh slot error is a sum of products of Gaussians; it exceeds t deviations with probability
    (1 + t) exp(-2t). At 8 that is 1e-6 a slot, one failure in some hundred runs; at 14, 1e-11.
    """
    n = ciphertext.parameters.n
    return 14 * ciphertext.noise * np.sqrt(n / 2) / ciphertext.scale
