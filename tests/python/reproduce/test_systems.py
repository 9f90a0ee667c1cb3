"""Systems: counts that the papers' software and our machines share, and times that add up."""

from __future__ import annotations

from math import ceil

import pytest

import ringwright as rw
from ringwright.reproduce import packing, silicon, studies, systems, workload
from ringwright.reproduce.workload import SETS, parameter_set

SMALL = SETS[0]


@pytest.mark.parametrize("chosen", SETS, ids=lambda s: s.preset)
def test_the_baseline_samples_what_race_leaves_to_its_host(chosen: workload.ParameterSet) -> None:
    left = workload.total(
        {str(i): s.operations for i, s in enumerate(systems.timing("race", "m2c", chosen).steps)}
    )
    sampling = workload.error_sampling(chosen.n, chosen.towers)
    assert {name: left[name] for name in sampling} == sampling


@pytest.mark.parametrize("name", ["race", "rise-1bfu", "rise-32bfu", "ntt-accel-4"])
@pytest.mark.parametrize("direction", ["m2c", "c2m"])
def test_a_conversion_takes_no_less_than_its_host_and_no_more_than_its_parts(
    name: str, direction: workload.Direction
) -> None:
    made = systems.run(name, direction, SMALL)
    busy = sum(entry.busy_fs for entry in made.ledger)
    on_host = [e for e in made.ledger if e.provenance in {"fitted", "rtl", "modelled"}]
    assert sum(e.busy_fs for e in on_host) <= made.ledger.total_fs <= busy


def test_a_machine_without_samplers_or_products_leaves_more_to_its_host() -> None:
    times = [
        systems.run(name, "m2c", SMALL).seconds
        for name in ("rise-1bfu", "race", "ntt-accel-1", systems.BASELINE)
    ]
    assert times == sorted(times)


def test_butterfly_units_gain_transforms_and_hardly_conversions() -> None:
    chosen = SETS[-1]
    scaling = studies.transform_scaling(chosen.n, few=1, many=32).value
    gain = studies.m2c_scaling(chosen.n, few=1, many=32).value
    assert scaling > 0.9 * 32
    assert 1 <= gain < 1.05


def test_a_host_without_the_operation_is_refused_by_name() -> None:
    with pytest.raises(rw.MachineError, match=r"blackparrot-published.*word_move"):
        rw.host("blackparrot-published").cost({"word_move": 1})


def test_a_host_says_what_it_does_not_know() -> None:
    host = rw.host("blackparrot-published")
    assert "word_move" in host.missing
    assert not set(host.missing) & set(host.operations)


def test_the_measured_core_knows_all_operations() -> None:
    host = rw.host("blackparrot-measured")
    assert host.missing == []
    assert {cost["provenance"] for cost in host.operations.values()} == {"rtl"}


def test_the_published_packing_rule_is_whole_ciphertexts_of_half_n_words() -> None:
    chosen = parameter_set(4096)
    bits = 160 * 120 * 8
    assert packing.ciphertexts("qqvga", chosen) == ceil(bits / (chosen.n / 2 * 30))
    assert packing.fps_published_rule("qqvga", chosen, 0.5) == pytest.approx(
        1 / (0.5 * packing.ciphertexts("qqvga", chosen))
    )


def test_published_watts_are_their_percentages_of_one_another() -> None:
    for chosen, percent in ((SETS[0], 25.0), (SETS[-1], 28.0)):
        ratio = silicon.watts("race", chosen) / silicon.watts(systems.BASELINE, chosen)
        assert 100 * (ratio - 1) == pytest.approx(percent)
