"""The oracle's cycles are those of a run, and it needs neither keys nor values."""

from __future__ import annotations

import math

import numpy as np
import pytest

import ringwright as rw
from ringwright import system
from ringwright.oracle import OperationLatency

PARAMS = rw.ckks.Parameters.preset("4096-2x30")
SIMULATED = ("rpu-128x128", "rise-32bfu")


@rw.program(inputs={"x": rw.ckks.Input(max=0.5), "y": rw.ckks.Input(max=0.5)})
def product(x, y):  # type: ignore[no-untyped-def]
    return (x * y).rotate(1) - 0.25


@rw.program(inputs={"x": rw.ckks.Input(max=0.5), "y": rw.ckks.Input(max=0.5)})
def difference(x, y):  # type: ignore[no-untyped-def]
    return x - y


MODULE = """
log_n 12
prime q0 = 1073692673
entry main
ring main(a: poly[q0; coeff], b: poly[q0; eval]) -> poly[q0; eval] {
  e = ntt a
  p = mul e, b
  return p
}
"""


@pytest.mark.parametrize("machine", SIMULATED)
def test_a_full_run_takes_what_the_oracle_said(machine: str) -> None:
    said = rw.oracle(product, machine, PARAMS)
    client = rw.ckks.Client(PARAMS)
    server = rw.Server(client.keys_for(product), machine=machine)
    half = product.inputs[0]
    given = (np.full(PARAMS.slots, value) for value in (0.5, -0.25))
    x, y = (client.encrypt(values, half) for values in given)
    # A program whose cycles differ from its timing is refused while it runs.
    run = server.run(product, x, y)
    assert client.decrypt(run.value)[:4] == pytest.approx([0.5 * -0.25 - 0.25] * 4, abs=1e-2)
    assert run.timing is not None
    assert said.timing is not None
    assert said.cycles == run.timing.cycles
    assert [s.cycles for s in said.timing.steps] == [s.cycles for s in run.timing.steps]
    assert [o.function for o in said.operations] == server.prepare(product).calls


@pytest.mark.parametrize("machine", SIMULATED)
def test_operations_add_up_and_have_lines_and_levels(machine: str) -> None:
    said = rw.oracle(product, machine, PARAMS)
    assert sum(operation.exposed_cycles for operation in said.operations) == said.cycles
    for operation in said.operations:
        assert operation.bound_cycles <= operation.cycles
        assert bool(operation.bound_cycles) == bool(operation.cycles), "0 where all is the host's"
        assert operation.exposed_cycles <= operation.cycles
    assert said.clock_fs is not None
    assert said.cycles is not None
    assert said.time_fs == said.cycles * said.clock_fs
    assert said.clock_provenance == rw.machine(machine).clock_provenance
    assert said.to_dict()["clock_provenance"] == said.clock_provenance
    for operation in said.operations:
        assert operation.time_fs == operation.exposed_cycles * said.clock_fs
        assert operation.line is not None
        assert operation.line.startswith("test_oracle.py:")
    levels = {o.op.split()[0]: o.level for o in said.operations}
    assert (levels["mul_relin"], levels["rescale"], levels["rotate"]) == (2, 2, 1)


@pytest.mark.parametrize("machine", SIMULATED)
def test_the_ledger_is_that_of_every_step_placed_by_itself(machine: str) -> None:
    # RISE leaves products of towers to its host, which ours knows no cost of.
    program = product if machine.startswith("rpu") else difference
    said = rw.oracle(program, machine, PARAMS)
    assert said.timing is not None
    stages = system.Stages()
    stages.run(system.Station(machine, rw.host("blackparrot-published")), said.timing)
    assert len(stages) == len(said.timing.steps)
    unfolded = system.schedule([stages])
    ledger = said.ledger()
    assert ledger == unfolded.ledger
    assert ledger.total_fs == unfolded.total_fs
    client = rw.ckks.Client(PARAMS)
    server = rw.Server(client.keys_for(program), machine=machine)
    half = program.inputs[0]
    run = server.run(program, client.encrypt([0.5], half), client.encrypt([0.25], half))
    kernels = [entry for entry in run.ledger if entry.stage != f"prepare {program.name}"]
    assert kernels == list(ledger)


@pytest.mark.parametrize("machine", SIMULATED)
def test_the_ledger_ends_when_the_last_step_does(machine: str) -> None:
    said = rw.oracle(MODULE, machine)
    assert said.timing is not None
    host = rw.host("blackparrot-published")
    ends: list[int] = []
    free: dict[str, int] = {}
    for step in said.timing.steps:
        # A unit does its steps in order, each when those are done that it waits for.
        start = max([0, *(ends[i] for i in step.after), *(free.get(u, 0) for u in step.units)])
        counts = step.operations.items()
        cycles = math.ceil(sum(host.operations[name]["cycles"] * count for name, count in counts))
        assert said.clock_fs is not None
        ends.append(start + step.cycles * said.clock_fs + cycles * host.clock_fs)
        free.update(dict.fromkeys(step.units, ends[-1]))
    ledger = said.ledger(host)
    assert ledger.total_fs == max(ends)
    assert sum(entry.exposed_fs for entry in ledger) == max(ends)
    assert said.cycles is not None
    assert max(ends) > said.cycles * said.clock_fs


@pytest.mark.parametrize("target", rw.targets(), ids=lambda target: target.name)
def test_every_target_answers_or_says_why_not(target: rw.Target) -> None:
    said = rw.oracle(product, target.default_machine, PARAMS)
    if said.skipped:
        assert said.cycles is None
        assert said.time_fs is None
        assert target.name in said.skipped
        assert set(said.to_dict()) == {"program", "machine", "skipped"}
        with pytest.raises(rw.ParameterError, match="no ledger"):
            said.ledger()
    else:
        assert said.cycles
        assert said.timing is not None
        assert said.provenances == tuple(said.timing.provenances)


def test_a_ring_module_is_timed_from_its_text() -> None:
    said = rw.oracle(MODULE, "rpu-128x128")
    assert [o.level for o in said.operations] == [None]
    assert said.cycles == sum(o.exposed_cycles for o in said.operations)
    with pytest.raises(rw.ProgramError):
        rw.oracle("ring of roses", "rpu-128x128")


def test_the_table_has_every_operation_at_its_levels() -> None:
    table = rw.latency_table(PARAMS, "rpu-128x128", rotations=(1, 2))
    rows = {(o.op, o.level): o.cycles for o in table.operations}
    for op in ("add", "sub", "neg", "conjugate", "rotate 1", "rotate 2"):
        assert rows[op, 1] < rows[op, 2], op
    # What rescales leaves no tower at level 1.
    assert {level for op, level in rows if op in {"mul_constant", "rescale"}} == {2}
    said = rw.oracle(product, "rpu-128x128", PARAMS)
    alone = {o.function: o.cycles for o in table.operations}
    common = [o for o in said.operations if o.function in alone]
    assert len(common) >= 3
    assert sum(o.exposed_cycles for o in common) <= sum(alone[o.function] for o in common)
    assert table.cycles is None
    assert rw.latency_table(PARAMS, "cpu").skipped


def test_a_program_wants_parameters() -> None:
    with pytest.raises(rw.ParameterError, match="parameters"):
        rw.oracle(product, "rpu-128x128")


def _alone(kind: str, params: rw.ckks.Parameters, machine: str) -> OperationLatency:
    table = rw.latency_table(params, machine).operations
    (row,) = (row for row in table if row.function == f"ckks.{kind}@{params.levels}")
    return row


def test_a_product_moves_little_more_than_it_must() -> None:
    params = rw.ckks.Parameters.preset("16384-7x54")
    relinearised = _alone("mul_relin", params, "rpu-128x128")
    values = rw.machine("rpu-128x128").values
    # Key parts for each of seven digits under four pairs of primes, one of them the special one;
    # operands; results.
    towers = 2 * 7 * 4 + 4 * 7 + 2 * 7
    tower = params.n * int(values["word_bits"]) // 8
    of_cycle = int(values["dma_bits_per_second"]) * int(values["clock_fs"])
    bound = 8 * towers * tower * 10**15 // of_cycle
    assert towers * tower < relinearised.bytes_moved < 1.35 * towers * tower
    assert bound < relinearised.cycles < 1.6 * bound
    # The core, not the port, works longest here: what it does is little more than that alone.
    assert bound < relinearised.bound_cycles < relinearised.cycles < 1.4 * relinearised.bound_cycles


def test_operations_that_are_done_together_take_less() -> None:
    params = rw.ckks.Parameters.preset("16384-7x54")
    said = rw.oracle(product, "rpu-128x128", params)
    alone = {row.function: row for row in rw.latency_table(params, "rpu-128x128").operations}
    known = [row for row in said.operations if row.function in alone]
    assert {row.kind for row in known} >= {"mul_relin", "rescale"}
    taken = sum(row.exposed_cycles for row in known)
    assert taken < 0.95 * sum(alone[row.function].cycles for row in known)
    moved = sum(row.bytes_moved for row in known)
    assert moved < 0.95 * sum(alone[row.function].bytes_moved for row in known)
    # All of the program is one list of commands.
    assert sum(row.interrupts for row in said.operations) == 1


def test_packed_words_halve_what_is_not_joined() -> None:
    params = rw.ckks.Parameters.preset("16384-7x54")
    machines = ["rpu-128x128", "rpu-128x128-packed"]
    whole, packed = (_alone("mul_relin", params, machine) for machine in machines)
    assert packed.cycles < 0.9 * whole.cycles
    # A difference moves towers under single primes and its program.
    moved = [rw.oracle(difference, machine, params).operations[0] for machine in machines]
    towers = 3 * 2 * params.levels
    assert moved[0].bytes_moved - moved[1].bytes_moved == 8 * towers * params.n
