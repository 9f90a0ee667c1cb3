"""A machine is what its parameters say: its name changes neither cycles nor watts nor claims."""

from __future__ import annotations

import pytest

import ringwright as rw
from ringwright import _ringwright as native
from ringwright.errors import ParameterError
from ringwright.reproduce import silicon

SHIPPED = {described.name: described for described in rw.machines()}
#: Systems whose power a paper prints, by the machines that ship for them.
MEASURED = {"race": "race", "rise-1bfu": "rise-1bfu", "rise-32bfu": "rise-32bfu"}


@pytest.fixture(params=SHIPPED, scope="module")
def copied(request: pytest.FixtureRequest) -> tuple[rw.Machine, rw.Machine]:
    """A shipped machine, and the same under another name."""
    shipped = SHIPPED[request.param]
    return shipped, shipped.with_values("a-copy")


def test_a_copy_is_the_same_machine(copied: tuple[rw.Machine, rw.Machine]) -> None:
    shipped, copy = copied
    assert copy.name == "a-copy" != shipped.name
    assert copy.identity == shipped.identity
    n = 2 * int(shipped.values.get("vector_length", 512))
    ours, same = (native.run_transform(machine, n) for machine in (shipped, copy))
    if ours is None or same is None:
        assert ours is same
        return
    assert (same.cycles, same.inverse_cycles) == (ours.cycles, ours.inverse_cycles)
    assert same.published_cycles == ours.published_cycles


def test_watts_are_those_of_the_parameters(copied: tuple[rw.Machine, rw.Machine]) -> None:
    shipped, copy = copied
    if shipped.name in MEASURED:
        assert silicon.system_of(copy) == silicon.system_of(shipped) == MEASURED[shipped.name]
        return
    with pytest.raises(ParameterError, match="no power"):
        silicon.system_of(copy)


@pytest.mark.parametrize(
    "changed",
    [
        {"bfus": 8, "bank_words": 512},
        {"samplers": "none"},
        {"word_bits": 29},
        {"clock_fs": 2_000_000},
    ],
    ids=lambda changed: next(iter(changed)),
)
def test_another_machine_under_the_name_has_no_watts(changed: dict[str, object]) -> None:
    other = SHIPPED["rise-32bfu"].with_values("rise-32bfu", **changed)
    with pytest.raises(ParameterError, match="no power"):
        silicon.system_of(other)


def test_the_paper_is_gone_with_the_machine_that_it_measured() -> None:
    n = 1024
    printed = native.run_transform(SHIPPED["rise-32bfu"], n)
    other = SHIPPED["rise-32bfu"].with_values("rise-32bfu", bfus=8, bank_words=512)
    unprinted = native.run_transform(other, n)
    assert printed is not None
    assert unprinted is not None
    assert printed.published_cycles is not None
    assert unprinted.published_cycles is None
