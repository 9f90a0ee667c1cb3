"""Benches, lint and proofs of the RTL; `make test-rtl` runs them.

Without the tools everything below `hw/` is left out, one test says so, and under CI it fails.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from harness.toolchain import missing

if TYPE_CHECKING:
    from collections.abc import Callable

DEFAULT_SEED = 20260721

# Without the tools only the test that says so is left.
NEED_TOOLS = [
    *("common/*", "rise/*", "rpu/*", "medha/*"),
    *("test_formal.py", "test_lint.py", "test_lockstep*.py", "test_package.py", "test_soc.py"),
    "test_synth.py",
]
collect_ignore_glob = NEED_TOOLS if missing() else []


def pytest_addoption(parser: pytest.Parser) -> None:
    parser.addoption("--rtl-seed", type=int, default=DEFAULT_SEED, help="seed of the RTL benches")
    parser.addoption("--rtl-waves", action="store_true", help="keep waves of benches and lockstep")


@pytest.fixture
def seed(request: pytest.FixtureRequest) -> int:
    return request.config.getoption("--rtl-seed")


@pytest.fixture
def waves(request: pytest.FixtureRequest) -> bool:
    return request.config.getoption("--rtl-waves")


@pytest.fixture
def bench(request: pytest.FixtureRequest, seed: int, waves: bool) -> Callable[..., None]:
    """Runs the cocotb tests of the test's own file: `bench(top, Parameter=value, ...)`."""
    from harness.bench import run_bench

    def run(top: str, **parameters: int | str) -> None:
        run_bench(request.module.__name__, top, parameters, seed, waves)

    return run
