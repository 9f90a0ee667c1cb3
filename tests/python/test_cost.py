"""What machines cost: sums that add up, ranges that hold what papers print, files of one's own."""

from __future__ import annotations

import json
import xml.etree.ElementTree as ET
from pathlib import Path

import pytest

import ringwright as rw
from ringwright.cli.app import run
from ringwright.report.treemap import treemap

_HAS_COST = {target.name: target.has_cost for target in rw.targets()}
COSTED = [m.name for m in rw.machines() if _HAS_COST[m.target]]
BUILT = [name for name in COSTED if rw.cost_of(name).has_area]
RPU, RACE = "rpu-128x128", "race"


@pytest.mark.parametrize("name", COSTED)
def test_totals_are_their_parts_and_say_what_dominates(name: str) -> None:
    cost = rw.cost_of(name)
    for quantity, total in cost.totals.items():
        rows = [row for row in cost.rows if row.quantity == quantity]
        for end in ("low", "expected", "high"):
            parts = sum(getattr(row.value, end) for row in rows)
            assert getattr(total.value, end) == pytest.approx(parts, rel=1e-12)
        assert total.dominated_by in {row.unit for row in rows}
        assert set(total.provenances) == {row.provenance for row in rows}
        assert 0 <= total.value.low <= total.value.expected <= total.value.high
    assert all(row.source for row in cost.rows)
    assert (cost.clock is None) == (name not in BUILT)
    assert cost.clock is None or cost.clock.ghz.low < cost.clock.ghz.high


@pytest.mark.parametrize("name", BUILT)
def test_a_transform_has_an_energy_and_no_event_is_forgotten(name: str) -> None:
    _, energy = rw.cost_of(name).of_largest_transform()
    assert energy.uncounted == ()
    assert sum(energy.share(unit) for unit in energy.units) == pytest.approx(1)


def test_no_event_of_a_program_is_forgotten() -> None:
    parameters = rw.ckks.Parameters.preset("4096-2x30")

    @rw.program
    def product(a, b):  # type: ignore[no-untyped-def]
        return a * b

    for name in (RPU, "trebuchet-chip-14"):
        timing = rw.oracle(product, name, parameters).timing
        assert timing is not None
        energy = rw.cost_of(name).of_timing(timing)
        assert energy.uncounted == ()
        assert {"law", "vrf", "vdm", "off chip"} <= energy.units.keys()


def test_published_areas_lie_in_the_range() -> None:
    """Nothing was fitted to them but the memories, whose line goes through two other numbers."""
    whole, lanes = 20.5, 12.61
    for compute_latency, off in ((10, 0.25), (11, 0.15)):
        machine = rw.machine(RPU).with_values(
            "two-ports", vdm_port="exclusive", compute_latency=compute_latency
        )
        cost = rw.cost_of(machine)
        assert whole in cost.totals["area_mm2"].value
        assert cost.totals["area_mm2"].value.expected == pytest.approx(whole, rel=off)
    of_lanes = [cost.units[unit].value for unit in ("law", "vrf")]
    assert sum(r.low for r in of_lanes) < lanes < sum(r.high for r in of_lanes)
    assert sum(r.expected for r in of_lanes) == pytest.approx(lanes, rel=0.15)


@pytest.mark.parametrize("bank_words", [256, 512, 1024, 2048, 4096])
def test_races_increments_lie_in_a_range_of_half(bank_words: int) -> None:
    machine = rw.machine(RACE).with_values(
        "race-of-a-set", bank_words=bank_words, clock_provenance="published"
    )
    cost = rw.cost_of(machine)
    (published,) = (row for row in cost.published if row.quantity == "area_mm2")
    assert published.value == pytest.approx(cost.totals["area_mm2"].value.expected, rel=0.5)


def test_energy_is_what_happened_times_what_it_takes() -> None:
    """The multipliers of a 64K transform: 16 x 32,768 products of 61.9 pJ."""
    cost = rw.cost_of(RPU)
    law = cost.of_transform(65536).units["law"].value
    (sums,) = (r.value for r in cost.rows if r.part == "law additions")
    products = 524_288 * 61.9e-6
    assert law.expected == pytest.approx(products + 2 * 524_288 * sums.expected * 1e-6, rel=1e-9)


def test_another_machine_costs_what_its_parameters_say() -> None:
    small, large = (
        rw.cost_of(rw.machine(RPU).with_values("swept", hples=hples)).units["law"].value.expected
        for hples in (64, 128)
    )
    assert large / small == pytest.approx(2, rel=0.02)


def test_the_verb_prints_json_with_the_named_totals(capsys: pytest.CaptureFixture[str]) -> None:
    assert run(["cost", RPU, "--json"]) == 0
    said = json.loads(capsys.readouterr().out)
    for name in ("area_mm2", "energy_uj_ntt64k", "clock_ghz", "leakage_mw"):
        ends = said["totals"][name]
        assert ends["low"] < ends["expected"] < ends["high"], name
    assert {"unit", "part", "quantity", "provenance", "source"} <= said["entries"][0].keys()
    assert [row["value"] for row in said["published"]][:2] == [20.5, 12.61]


def test_the_verb_prints_tables_and_a_picture(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    picture = tmp_path / "areas.svg"
    assert run(["cost", "rise-1bfu", "--n", "1024", "--parts", "--svg", str(picture)]) == 0
    out = capsys.readouterr().out
    for word in ("bank_groups", "synthesised", "together", "GHz", "not counted", "published"):
        assert word in out
    assert ET.fromstring(picture.read_text()).tag.endswith("svg")
    assert run(["cost", "rise-1bfu", "--svg", str(tmp_path / "no" / "where.svg")]) == 3


def test_rectangles_are_as_large_as_their_share() -> None:
    cost = rw.cost_of(RPU)
    boxes = [
        float(box.attrib["width"]) * float(box.attrib["height"])
        for box in ET.fromstring(treemap(cost)).iter("{http://www.w3.org/2000/svg}rect")
        if box.attrib["class"] == "part"
    ]
    parts = [r.value.expected for r in cost.rows if r.quantity == "area_mm2" and r.value.expected]
    largest = max(parts) / sum(parts)
    assert max(boxes) / sum(boxes) == pytest.approx(largest, rel=0.01)
    assert len(boxes) == len(parts)


def test_a_process_of_ones_own_is_kept_as_its_hash(tmp_path: Path) -> None:
    file = tmp_path / "secret.toml"
    point = "parameters = { Width = 127, Latency = 9 }\narea_um2 = 1234.5\npath_ps = 300.0\n"
    file.write_text(f'name = "my secret"\n\n[[point]]\nblock = "rpu_law"\n{point}')
    cost = rw.cost_of(RPU, process=file)
    assert cost.process.startswith("sha256:")
    assert "secret" not in json.dumps(cost.to_dict())
    assert "1234.5" not in json.dumps(cost.to_dict())
    lanes = next(row for row in cost.rows if row.part == "lanes")
    assert lanes.value.expected == pytest.approx(128 * 1234.5e-6 / 0.7)
    assert lanes.value.expected < rw.cost_of(RPU).units["law"].value.expected


def test_what_has_no_cost_is_refused(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(rw.MachineError, match="has no hardware"):
        rw.cost_of("cpu")
    with pytest.raises(rw.MachineError, match="not read"):
        rw.cost_of(RPU, process=tmp_path / "nothing.toml")
    wrong = tmp_path / "wrong.toml"
    wrong.write_text("speed = 1\n")
    assert run(["cost", RPU, "--process", str(wrong)]) == 2
    assert "wrong.toml: no name" in capsys.readouterr().err
    assert run(["cost", "nowhere"]) == 2


def test_a_machine_on_an_fpga_takes_blocks_beside_those_of_its_device(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    cost = rw.cost_of("medha-u250")
    assert set(cost.totals) == {"dsp", "bram36", "uram", "lut", "flipflops"}
    fits = {
        device.quantity: cost.totals[device.quantity].value.expected <= device.value
        for device in cost.published
    }
    # Products modulo any prime take more multiplier blocks and logic than it has; memories fit.
    assert fits == {"dsp": False, "lut": False, "bram36": True, "uram": True, "flipflops": True}
    assert {row.provenance for row in cost.rows if row.quantity == "dsp"} == {"synthesised"}
    # Four memories of 32 banks, each an UltraRAM, in ten RPAUs.
    assert cost.totals["uram"].value.expected == 4 * 32 * 10
    assert run(["cost", "medha-u250"]) == 0
    assert "of 12,288" in capsys.readouterr().out
    assert run(["cost", "medha-u250", "--svg", str(tmp_path / "x.svg")]) == 2
    assert "has no area; known are flipflops" in capsys.readouterr().err
