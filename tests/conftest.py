"""What every test of Python starts with."""

from __future__ import annotations

import math
import os
from collections.abc import Callable, Iterator
from typing import TYPE_CHECKING

import pytest

if TYPE_CHECKING:
    import ringwright as rw


@pytest.fixture(scope="session", autouse=True)
def _no_schedules_of_the_user(tmp_path_factory: pytest.TempPathFactory) -> Iterator[None]:
    """What somebody's searches have kept on this computer changes no test, nor its commands."""
    with pytest.MonkeyPatch.context() as patch:
        for variable in ("XDG_CACHE_HOME", "LOCALAPPDATA"):
            patch.setenv(variable, str(tmp_path_factory.mktemp("cache")))
        yield


@pytest.fixture(scope="session")
def large() -> None:
    """Skips what holds 22 GB, but for `make test-large`: two of them at a time fill a computer."""
    if "RINGWRIGHT_LARGE" not in os.environ:
        pytest.skip("holds 22 GB: `make test-large`")


@pytest.fixture(scope="session")
def small_bootstrapping() -> Callable[[int], rw.ckks.Parameters]:
    """Parameters of a small ring, without security, with primes as long as the secure set's."""
    import ringwright as rw

    secure = rw.ckks.Parameters.preset("65536-boot")

    def of_degree(log_n: int) -> rw.ckks.Parameters:
        return rw.ckks.Parameters(
            log_n=log_n,
            q_bits=[prime.bit_length() for prime in secure.q],
            p_bits=[prime.bit_length() for prime in secure.p],
            digit=secure.digit,
            log_scale=round(math.log2(secure.scale)),
            insecure=True,
        )

    return of_degree
