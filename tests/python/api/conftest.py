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
    """Twice what no slot's error exceeds but with probability 2^-20: one test in a million would
    fail, at twice that one in 10^12.
    """
    return 2 * ciphertext.error_bound
