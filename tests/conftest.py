"""What every test of Python starts with."""

from __future__ import annotations

import os
from collections.abc import Iterator

import pytest


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
