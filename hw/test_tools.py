"""The RTL tests ran, or it is said that they did not."""

from __future__ import annotations

import os

import pytest

from harness.toolchain import missing


def test_the_tools_are_there() -> None:
    if wanting := missing():
        reason = f"NO RTL TEST RAN: missing {', '.join(wanting)} (requirements/rtl.txt)"
        if os.environ.get("CI") == "true":
            pytest.fail(reason)
        pytest.skip(reason)
