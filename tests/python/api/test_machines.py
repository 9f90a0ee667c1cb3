"""Machines, links, targets, and the doctor."""

from __future__ import annotations

from pathlib import Path

import pytest

import ringwright as rw


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
