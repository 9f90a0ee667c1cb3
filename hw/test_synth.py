"""Mapped blocks: the netlist equals its source, the record is what the flow finds today."""

from __future__ import annotations

import pytest

from harness.synth import cores, flow, fpga, liberty, record
from harness.synth.equivalence import NotEqual, prove_equal
from harness.synth.netlist import CombinationalLoop, Gate, Netlist
from harness.synth.power import KEPT, VOLTS, energy_pj
from harness.synth.timing import EDGE_PS, timing

# Another version of the tools may find another netlist, not another size.
TOLERANCE = 0.03
SMALL = ("fifo", "mod_add")


def points(names):
    return [p for p in record.recorded() if p.block in names]


@pytest.mark.parametrize("point", points(SMALL), ids=lambda p: f"{p.block} {p.parameters}")
def test_the_record_is_found_again(point):
    agrees(point, record.synthesise(point.block, point.parameters).result)


@pytest.mark.slow
def test_a_multiplier_is_found_again():
    (point,) = (p for p in points({"barrett_mul"}) if p.parameters == {"Width": 30, "Stages": 8})
    agrees(point, record.synthesise(point.block, point.parameters).result)


def agrees(point, found):
    assert found.area_um2 == pytest.approx(point.result.area_um2, rel=TOLERANCE)
    assert found.path_ps == pytest.approx(point.result.path_ps, rel=TOLERANCE)
    assert found.flipflops == point.result.flipflops
    known = point.result.energy_pj
    assert found.energy_pj == (known and pytest.approx(known, rel=TOLERANCE))


def test_memories_are_macros():
    """What is left of a slice is the ways to its memories, which end there."""
    found = flow.synthesise("rpu_vrf_slice", {"Words": 64, "Width": 4})
    assert found.flipflops == 0
    assert found.path_ps > EDGE_PS


def test_what_stands_alone_is_left_out():
    whole, without = (
        flow.synthesise("rpu_shuffle", {"Hples": 4, "Beats": 4, "WordBits": 24}, without=left_out)
        for left_out in ((), ("rpu_sbar",))
    )
    assert without.area_um2 < 0.5 * whole.area_um2


def test_what_is_recorded_is_wanted():
    recorded = [(p.block, p.parameters) for p in record.recorded()]
    assert recorded == [point for point in record.wanted() if point in recorded]


@pytest.mark.slow
def test_no_point_is_missing_or_stale():
    assert not record.missing(), "`make synth` maps them"


def test_no_host_core_is_missing_or_stale():
    assert not cores.missing(), "`make synth` maps them"


@pytest.mark.parametrize(
    ("top", "parameters", "flushed"),
    [
        ("mod_add", {"Width": 30}, 0),
        ("multiplier", {"AWidth": 5, "BWidth": 4, "Stages": 2}, 2),
        pytest.param("barrett_mul", {"Width": 4, "Stages": 2}, 2, marks=pytest.mark.slow),
    ],
    ids=str,
)
def test_the_netlist_equals_its_source(top, parameters, flushed):
    prove_equal(top, parameters, flushed)


def test_a_wrong_gate_is_found():
    with pytest.raises(NotEqual):
        prove_equal("mod_add", {"Width": 8}, 0, change=("XNOR2xp5", "XOR2xp5"))


@pytest.fixture(scope="module")
def cells():
    return liberty.read(flow.wired_library())


INVERTER, FLIPFLOP = "INVx1_ASAP7_75t_R", "DFFHQNx1_ASAP7_75t_R"


def flipflop(data, output):
    return Gate(FLIPFLOP, {"CLK": "clk", "D": data, "QN": output})


def inverter(source, output):
    return Gate(INVERTER, {"A": source, "Y": output})


def test_a_path_is_the_sum_of_its_tables(cells):
    """From a flip-flop through an inverter to itself: clock to output, delay, setup; both edges."""
    register, invert = cells[FLIPFLOP], cells[INVERTER]
    netlist = Netlist(["clk"], [], [flipflop("d", "q"), inverter("q", "d")])
    (arc, *_) = invert.outputs["Y"]
    paths = []
    for edge in (0, 1):
        launches = [a for a in register.outputs["QN"] if a.source == "CLK"]
        load = invert.inputs["A"]
        at = max(a.delay[1 - edge].at(EDGE_PS, load) for a in launches)
        slew = max(a.slew[1 - edge].at(EDGE_PS, load) for a in launches)
        at += arc.delay[edge].at(slew, register.inputs["D"])
        slew = arc.slew[edge].at(slew, register.inputs["D"])
        paths.append(at + register.setup["D"][edge].at(slew, EDGE_PS))
    found = timing(netlist, cells)
    assert found.path_ps == pytest.approx(max(paths))
    assert found.depth == len(netlist.gates)


def test_a_loop_is_refused(cells):
    with pytest.raises(CombinationalLoop):
        timing(Netlist([], [], [inverter("a", "b"), inverter("b", "a")]), cells)


def edge_fj(tables, load):
    return sum(table.at(EDGE_PS, load) for pair in tables for table in pair) / 2 / len(tables)


def charge_fj(load):
    return load * VOLTS**2 / 2


def test_energy_is_that_of_edges(cells):
    """A register of its own complement changes in every cycle, and so does an inverter behind."""
    register, invert = cells[FLIPFLOP], cells[INVERTER]
    netlist = Netlist(["clk"], [], [flipflop("q", "q"), inverter("q", "y")])
    load = register.inputs["D"] + invert.inputs["A"]
    each = [
        edge_fj(register.moved, load) + charge_fj(load),
        edge_fj(invert.moved, 0.0),
        2 * edge_fj(register.unmoved["CLK"], 0.0) + 2 * charge_fj(register.inputs["CLK"]),
    ]
    # Whatever is drawn for a register that toggles, it toggles: QN is the complement of D.
    assert energy_pj(netlist, cells, {"clk": 0}) == pytest.approx(sum(each) / 1000)


def test_what_is_held_takes_nothing(cells):
    """Only the other input moves, half the time, and the output with it or not at all."""
    gate = cells["NAND2x1_ASAP7_75t_R"]
    netlist = Netlist(["a", "b"], [], [Gate(gate.name, {"A": "a", "B": "b", "Y": "y"})])
    drives = charge_fj(gate.inputs["B"])
    for bit, taken in ((0, edge_fj(gate.unmoved["B"], 0.0)), (1, edge_fj(gate.moved, 0.0))):
        found = energy_pj(netlist, cells, {"a": bit})
        assert found == pytest.approx((drives + taken) / 2 / 1000, rel=0.1)
    assert energy_pj(netlist, cells, {"a": KEPT, "b": KEPT}) == 0


def test_gates_compute_while_they_are_weighed(cells):
    """Two ways to the same bit: their exclusive or never moves."""
    pins = [{"A": "a", "B": "b", "Y": "y"}, {"A": "a", "B": "b", "Y": "z"}]
    nand, conj = (
        Gate(f"{n}_ASAP7_75t_R", p) for n, p in zip(("NAND2x1", "AND2x2"), pins, strict=True)
    )
    same = Gate("XOR2xp5_ASAP7_75t_R", {"A": "y", "B": "z", "Y": "one"})
    after = inverter("one", "never")
    inputs = ["a", "b"]
    with_it, without = (
        energy_pj(Netlist(inputs, [], gates), cells, {})
        for gates in ([nand, conj, same, after], [nand, conj, same])
    )
    assert with_it == without


def test_an_input_that_is_not_there_cannot_be_held(cells):
    with pytest.raises(ValueError, match="no input reset; there are a"):
        energy_pj(Netlist(["a"], [], [inverter("a", "y")]), cells, {"reset": 1})
    with pytest.raises(ValueError, match="a = 2: an input is held at 0, 1 or 'kept'"):
        energy_pj(Netlist(["a"], [], [inverter("a", "y")]), cells, {"a": 2})


def test_no_point_of_the_fpga_is_missing_or_stale():
    stale = [f"{p.block} {p.parameters}" for p in fpga.recorded() if p.stale]
    assert not stale, "`ringwright synth --fpga --record` maps them"


def test_an_adder_takes_no_multiplier_block_and_a_product_does():
    assert fpga.synthesise("mod_add", {"Width": 8}).dsp == 0
    found = fpga.synthesise("barrett_mul", {"Width": 16, "Stages": 4, "Products": "Sliced"})
    assert found.dsp >= 3
    assert found.lut > 0
    assert found.flipflops > 0


@pytest.mark.slow
def test_a_point_of_the_fpga_is_found_again():
    point = fpga.recorded()[0]
    assert fpga.synthesise(point.block, point.parameters) == point.result
