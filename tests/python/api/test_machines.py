"""Machines, links, targets, and the doctor."""

from __future__ import annotations

import pickle
from pathlib import Path

import pytest

import ringwright as rw
from ringwright import _ringwright as native


def test_what_ships_is_found_by_its_name():
    for machine in rw.machines():
        assert rw.machine(machine.name).values == machine.values
        assert machine.values.keys() == machine.sources.keys()
        assert machine.target in {target.name for target in rw.targets()}
    assert "cpu" in {machine.name for machine in rw.machines()}


def test_links_say_their_rate_and_its_source():
    rates = {link.name: link.bits_per_second for link in rw.links()}
    assert rates["5g-max"] == 900 * 10**6
    assert rates["5g-min"] == 100 * 10**6
    assert {"pcie5-x16", "cxl", "axi"} <= rates.keys()
    assert all(
        link.sources.keys() == {"bits_per_second", "latency_ns", "setup_ns"} for link in rw.links()
    )
    assert all(source for link in rw.links() for source in link.sources.values())


def test_default_machines_exist():
    for target in rw.targets():
        assert rw.machine(target.default_machine).target == target.name


def test_a_users_file_is_a_machine(tmp_path: Path, alice):
    path = tmp_path / "my.toml"
    path.write_text(
        'name = "mine"\ntarget = "cpu"\ntitle = "one thread"\n'
        '[parameters]\nthreads = { value = 1, source = "this test" }\n'
    )
    mine = rw.machine(str(path))
    assert (mine.name, mine.values["threads"]) == ("mine", 1)
    assert mine.sources["threads"] == "this test"
    client = rw.ckks.Client(alice.parameters, machine=str(path))
    assert client.machine.name == "mine"


def test_what_is_wrong_with_a_description_is_said(tmp_path: Path):
    path = tmp_path / "my.toml"
    path.write_text(
        'name = "mine"\ntarget = "cpu"\ntitle = "too many"\n'
        '[parameters]\nthreads = { value = -1, source = "this test" }\n'
    )
    with pytest.raises(rw.MachineError, match=r"my.toml.*threads.*-1"):
        rw.machine(str(path))


@pytest.mark.parametrize("load", [rw.machine, rw.link])
def test_unknown_names_list_the_known_ones(load):
    with pytest.raises(rw.MachineError, match="known: "):
        load("abacus")


def test_the_doctor_says_what_is_missing():
    facts = {fact.name: fact for fact in rw.doctor()}
    assert facts["ringwright"].value == rw.__version__
    assert facts["isa scalar"].found
    assert sum(fact.value == "used" for fact in facts.values()) == 1
    assert all(fact.found or fact.consequence for fact in facts.values())


class TestOtherValues:
    def test_a_value_changes_and_the_rest_stays(self):
        base = rw.machine("rise-32bfu")
        made = base.with_values("mine", bfus=8, clock="1.25 GHz", source="my library")
        assert (made.name, made.values["bfus"], made.values["clock_fs"]) == ("mine", 8, 800_000)
        assert made.sources["bfus"] == "my library"
        assert made.sources["word_bits"] == base.sources["word_bits"]
        # The published clock is not this one's.
        assert (base.clock_provenance, made.clock_provenance) == ("published", None)
        mapped = base.with_values("mine", clock="1.25 GHz", clock_provenance="synthesised")
        assert mapped.clock_provenance == "synthesised"

    @pytest.mark.parametrize(
        ("values", "said"),
        [
            ({"bfu": 8}, "bfus"),
            ({"bfus": 0}, "bfus.* 0"),
            ({"bfus": 6}, "a power of two"),
            ({"bfus": "many"}, "whole number"),
            ({"bfus": [8]}, r"bfus = \[8\], allowed"),
            ({"clock": "1.25 Hz", "clock_fs": 1}, "one of the two"),
        ],
    )
    def test_what_a_file_may_not_say_is_refused(self, values, said):
        with pytest.raises(rw.MachineError, match=said):
            rw.machine("rise-32bfu").with_values("mine", **values)

    def test_machines_are_compared_by_what_they_hold(self):
        base = rw.machine("rpu-8x8")
        wider = base.with_values("rpu-8x8", gap=1)
        assert rw.Machine.load("rpu-8x8") == base != wider
        assert {base: 1, wider: 2}[rw.Machine.load("rpu-8x8")] == 1

    @pytest.mark.parametrize("name", [machine.name for machine in rw.machines()])
    def test_a_pickle_holds_all_of_it(self, name):
        for machine in (rw.machine(name), rw.machine(name).read_strictly()):
            copy = pickle.loads(pickle.dumps(machine))
            assert copy == machine

    def test_a_pickle_holds_what_a_search_found(self):
        machine = rw.machine("rpu-8x8")
        text, _ = native.search_schedules(machine, 128, 2)
        tuned = machine.with_schedules(text, "here")
        assert tuned != machine
        assert pickle.loads(pickle.dumps(tuned)) == tuned
