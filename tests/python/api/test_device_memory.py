"""Keys and constants lie in a machine's memory, if it has one; what does not fit is refused."""

from __future__ import annotations

import re

import numpy as np
import pytest

import ringwright as rw
from ringwright.errors import MachineError


@rw.program
def scaled_energy(x):
    d = x + np.array([0.25, 0.5])
    return (d * d).sum(8)


def with_memory(name: str, size: int) -> rw.Machine:
    return rw.machine("rpu-8x8").with_values(name, memory_bytes=size)


@pytest.fixture(scope="module")
def keys(alice):
    return alice.keys_for(scaled_energy)


@pytest.fixture(scope="module")
def held(keys, alice):
    """Bytes of the program's constants and of its keys."""
    traffic = rw.Server(keys, "rpu-8x8").prepare(scaled_energy).traffic_bytes
    assert traffic is not None
    return traffic["constants"], traffic["keys"]


def test_a_machine_with_just_the_room_runs_it_again_and_again(keys, held, alice, vectors):
    x = alice.encrypt(vectors[0])
    expected = rw.Server(keys).run(scaled_energy, x).value
    server = rw.Server(keys, with_memory("enough", sum(held)))
    for _ in range(2):
        assert server.run(scaled_energy, x).value.same_words(expected)


def test_keys_that_do_not_fit_are_refused_with_machine_and_bytes(keys, held, alice, vectors):
    constants, all_keys = held
    capacity = constants + all_keys - 1
    server = rw.Server(keys, with_memory("too-small", capacity))
    with pytest.raises(MachineError) as refused:
        server.run(scaled_energy, alice.encrypt(vectors[0]))
    said = re.fullmatch(
        r"too-small: no room for (\d+) bytes; (\d+) of (\d+) bytes are free", str(refused.value)
    )
    assert said is not None
    asked, free, total = map(int, said.groups())
    assert free < asked <= all_keys
    assert total == capacity


def test_packed_words_take_half_of_the_way_and_of_the_memory(keys, held, alice, vectors):
    packed = with_memory("packed", sum(held) // 2).with_values(
        "packed", source="chosen", offchip_words="packed"
    )
    server = rw.Server(keys, packed)
    traffic = server.prepare(scaled_energy).traffic_bytes
    assert traffic is not None
    assert (2 * traffic["constants"], 2 * traffic["keys"]) == held
    x = alice.encrypt(vectors[0])
    expected = rw.Server(keys).run(scaled_energy, x).value
    assert server.run(scaled_energy, x).value.same_words(expected)


def test_constants_that_do_not_fit_are_refused_when_the_program_is_prepared(keys, held):
    server = rw.Server(keys, with_memory("smaller", held[0] - 1))
    with pytest.raises(MachineError, match=f"smaller: no room for {held[0]} bytes"):
        server.prepare(scaled_energy)


def test_memory_is_part_of_a_machine_and_of_no_schedule():
    shipped, other = rw.machine("rpu-8x8"), with_memory("rpu-8x8", 1 << 20)
    assert other != shipped
    assert other.schedule_identity == shipped.schedule_identity
