"""What a simulated machine says of its steps: which hardware does them, how wide its words are."""

from __future__ import annotations

from collections import Counter

import pytest

import ringwright as rw
from ringwright import _ringwright as native
from ringwright import system

PARAMS = rw.ckks.Parameters.preset("4096-2x30")
HOST = rw.host("blackparrot-published")
# Of a beat of the widest port of AXI4, which the RTL has on this machine.
PORT_BYTES = 128


@rw.program(inputs={"x": rw.ckks.Input(max=0.5)})
def difference(x, y):  # type: ignore[no-untyped-def]
    return x - y


def timing(machine: str) -> native.Timing:
    found = rw.oracle(difference, machine, PARAMS).timing
    assert found is not None
    return found


def test_the_rpus_moves_have_no_hardware_and_its_core_has() -> None:
    steps = timing("rpu-128x128").steps
    by_kind = {(step.kind, step.units[0], step.provenance) for step in steps}
    assert {(kind, unit) for kind, unit, word in by_kind if word == "modelled"} == {
        ("transfer", "memory"),
        ("transfer", "dma"),
        ("host", "host"),
    }
    assert ("kernel", "core", "simulated") in by_kind
    # The registers of a list of commands exist; its steps do not take the cycles of the RTL.
    writes = [
        (step.provenance, step.operations["register_write"])
        for step in steps
        if "register_write" in step.operations
    ]
    assert writes == [("modelled", 2)]
    for step in steps:
        assert (step.cycles_through_rtl is None) == (step.kind != "transfer")


def test_a_moves_cycles_are_its_bytes_and_through_the_rtl_its_beats() -> None:
    values = rw.machine("rpu-128x128").values
    latency, rate = (int(values[key]) for key in ("dma_latency", "dma_bits_per_second"))
    of_cycle = rate * int(values["clock_fs"])
    for step in timing("rpu-128x128").steps:
        if step.kind != "transfer":
            continue
        if step.units == ["memory"]:
            assert step.cycles == step.cycles_through_rtl == latency
            continue
        assert step.cycles == -(-8 * step.byte_count * 10**15 // of_cycle)
        assert step.cycles_through_rtl == -(-step.byte_count // PORT_BYTES)


def test_through_the_rtl_is_a_machine_whose_port_takes_a_beat_a_cycle() -> None:
    shipped = rw.machine("rpu-128x128")
    a_beat = -(-8 * PORT_BYTES * 10**15 // int(shipped.values["clock_fs"]))
    narrow = shipped.with_values("narrow", dma_bits_per_second=a_beat, vdm_port="exclusive")
    wide_exclusive = shipped.with_values("wide", vdm_port="exclusive")
    at_wide, at_narrow = (
        rw.oracle(difference, machine, PARAMS).timing for machine in (wide_exclusive, narrow)
    )
    assert at_wide is not None
    assert at_narrow is not None
    pairs = list(zip(at_wide.steps, at_narrow.steps, strict=True))
    for wide, one in pairs:
        if wide.name in {"load towers", "store towers"}:
            assert wide.cycles_through_rtl == one.cycles > wide.cycles
    assert any(wide.name == "load towers" for wide, _ in pairs)


def test_a_ledger_and_its_timeline_keep_what_is_modelled() -> None:
    said = rw.oracle(difference, "rpu-128x128", PARAMS)
    assert set(said.provenances) == {"simulated", "modelled"}
    assert all(set(each.provenances) == set(said.provenances) for each in said.operations)
    busy: Counter[str] = Counter()
    for entry in said.ledger(HOST):
        busy[entry.provenance] += entry.busy_fs
    steps = timing("rpu-128x128").steps
    clock_fs = timing("rpu-128x128").clock_fs
    core = sum(step.cycles for step in steps if step.kind == "kernel")
    assert busy["simulated"] == core * clock_fs
    moves = sum(step.cycles for step in steps if step.kind == "transfer")
    assert busy["modelled"] >= moves * clock_fs
    stages = system.Stages()
    stages.run(system.Station("rpu", HOST), timing("rpu-128x128"))
    words = {span.args["provenance"] for span in system.schedule([stages]).timeline}
    assert words == {"simulated", "modelled"}


def test_calls_that_rises_controller_refuses_are_modelled() -> None:
    # A difference is no request of the control register; an encryption is nothing else.
    assert set(timing("rise-32bfu").provenances) == {"modelled"}
    backend = native.Backend(rw.machine("rise-32bfu"))
    encryption = native.lower(backend, native.Module.encryption(PARAMS, PARAMS.levels)).timing
    assert encryption is not None
    assert set(encryption.provenances) == {"simulated"}
    stages = system.Stages()
    stages.run(system.Station("rise", HOST), encryption)
    assert {stage.provenance for stage in stages} == {"simulated", "rtl", "modelled"}
    # What is modelled of those is the host's interrupt alone.
    modelled = {stage.name for stage in stages if stage.provenance == "modelled"}
    assert modelled == {"take interrupt"}


@pytest.mark.parametrize("machine", rw.machines(), ids=lambda machine: machine.name)
def test_a_word_is_as_wide_for_the_ledger_as_for_the_device(machine: rw.Machine) -> None:
    backend = native.Backend(machine)
    width = backend.bytes_per_word
    module = (
        "log_n 9\nprime q0 = 1073707009\nentry main\n"
        "ring main(a: poly[q0; coeff]) -> poly[q0; eval] {\n  r = ntt a\n  return r\n}\n"
    )
    made = native.lower(backend, native.Module.parse(module)).timing
    assert (width is None) == (made is None)
    if made is None or width is None:
        return
    # Where nothing moves at all, operands and results stay in the device.
    results = [step for step in made.steps if step.name.startswith("store")]
    assert results or not any(step.byte_count for step in made.steps)
    assert sum(step.byte_count for step in results) % ((1 << 9) * width) == 0


def test_a_word_between_30_and_32_bits_travels_in_eight_bytes() -> None:
    """RISE's reciprocal has two bits more than a word: what Python once took for four bytes."""
    shipped = rw.machine("rise-4bfu")
    wide = shipped.with_values("wide", word_bits=32)
    assert [native.Backend(machine).bytes_per_word for machine in (shipped, wide)] == [4, 8]
