"""The bench of bootstrapping on small rings: every answer checked on both sides."""

from __future__ import annotations

import shutil
from collections.abc import Callable

import pytest

import ringwright as rw
from ringwright.peers import bootstrap
from ringwright.peers.operations import MACHINES


@pytest.mark.slow
def test_ours_and_the_peers_are_right(
    small_bootstrapping: Callable[[int], rw.ckks.Parameters],
) -> None:
    parameters = small_bootstrapping(10)
    small = {"Lattigo": {"log_n": 10, "log_q": [60, 40]}, "OpenFHE": {"log_n": 10, "levels": 2}}
    asked = {name: {**bootstrap.PEERS[name], **changed} for name, changed in small.items()}
    rows, skipped = bootstrap.measure(
        sets=[(parameters, rw.ckks.Bootstrapping(log_ratio=4.5))], asked=asked
    )
    assert [row["parameters"]["machine"] for row in rows] == list(MACHINES)
    for row in rows:
        assert row["correct"]
        assert row["levels_left"][bootstrap.OURS] == parameters.levels - 17 - 1
        assert row["precision_bits_worst"][bootstrap.OURS] > 20
        assert set(row["other_precision_bits_worst"]) == {"all 1", "one 1", "1, -1, ..."}
        assert min(row["other_precision_bits_worst"].values()) > 10
        for name, left in (("Lattigo", 1), ("OpenFHE", 2)):
            if name not in skipped:
                assert row["levels_left"][name] == left
                assert row["precision_bits_worst"][name] > 6
                assert row["ratio_to_best"]
    assert ("Lattigo" in skipped) == (shutil.which("go") is None)
