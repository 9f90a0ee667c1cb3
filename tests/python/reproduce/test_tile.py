"""Transforms on tiles: machines that differ, and numbers that the paper's program must give."""

from __future__ import annotations

import pytest

from ringwright.errors import MachineError
from ringwright.reproduce import processor, tile, tile_studies
from ringwright.reproduce.tile import BASES, DEGREES, LARGEST, sized

LOG = LARGEST.bit_length() - 1
VECTOR = 512


def test_the_papers_program_has_its_instruction_counts() -> None:
    vectors = LARGEST // VECTOR
    assert tile_studies.instruction_count("compute").value == vectors // 2 * LOG
    assert tile_studies.instruction_count("shuffle").value == vectors * (LOG - 1)


@pytest.mark.parametrize("n", DEGREES)
def test_naive_is_slower_than_scheduled_and_ours_is_fastest(n: int) -> None:
    cycles = [tile.timed(program, n, BASES["published"]).cycles for program in tile.GENERATORS]
    assert cycles == sorted(cycles, reverse=True)


def test_a_point_of_the_grid_has_the_clock_of_its_banks() -> None:
    for banks, mhz in tile.BANKS_MHZ.items():
        changed = tile.tile(BASES["free"], sized(64, banks)).values
        assert (changed["hples"], changed["banks"]) == (64, banks)
        assert 1e9 / float(changed["clock_fs"]) == pytest.approx(mhz, rel=1e-3)
    assert tile.tile(BASES["free"], sized(128, 128)).name == BASES["free"]


def test_a_program_for_another_machine_is_the_same_program() -> None:
    base = BASES["free"]
    slower = tile.timed("scheduled", LARGEST, base, (("ii", 2),), written_for=())
    again = tile.timed("scheduled", LARGEST, base, (("ii", 2),))
    assert slower.counters == again.counters
    assert slower.cycles >= tile.timed("scheduled", LARGEST, base).cycles


def test_what_a_tile_refuses_is_a_machine_error() -> None:
    with pytest.raises(MachineError, match="rpu-128x128"):
        tile.timed("scheduled", LARGEST, BASES["published"], sized(4, 32))


def test_sums_and_products_move_three_towers() -> None:
    for operation in ("add", "mul"):
        cycles = tile.ring_operation("trebuchet-v2", operation, LARGEST).cycles
        moves = 3 * LARGEST // VECTOR
        assert moves * (VECTOR // 64) <= cycles <= moves * (VECTOR // 64 + 2)


def test_the_processor_is_measured_or_skipped_by_name() -> None:
    assert processor.seconds("ntt", 1024, 64) > 0
    try:
        assert processor.seconds("ntt", 1024, 128) > 0
    except MachineError as error:
        assert "C compiler" in str(error)  # noqa: PT017 - a computer without one
    with pytest.raises(MachineError, match="OpenFHE"):
        processor.openfhe()
