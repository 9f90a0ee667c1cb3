"""How ours is computed for Medha, called by the name in a claim as in `studies`."""

from __future__ import annotations

from collections.abc import Callable
from math import prod

from ringwright import ckks, logistic
from ringwright._ringwright import run_transform
from ringwright.logistic.rows import width
from ringwright.logistic.training import signed_rows
from ringwright.machines import machine as described
from ringwright.oracle import latency_table, oracle
from ringwright.reproduce import inputs, processor
from ringwright.reproduce.ours import Ours, ours


def modulus_bits(preset: str) -> Ours:
    """log2 of P Q of a parameter set, rounded up."""
    parameters = ckks.Parameters.preset(preset)
    return ours(prod([*parameters.q, *parameters.p]).bit_length(), "modelled")


def conversions(machine: str, preset: str) -> Ours:
    """Microseconds of L transforms to coefficients and L to evaluations, one after the other.

    What the slides count of a relinearisation, each transform at its bound.
    """
    parameters = ckks.Parameters.preset(preset)
    made = run_transform(described(machine), parameters.n)
    assert made is not None, "the target has transforms"
    inputs.result(f"transform on {machine}, N = {parameters.n}")
    cycles = 2 * parameters.levels * made.bound_cycles
    return ours(_microseconds(machine, cycles), made.provenance)


def residue_product(machine: str, preset: str) -> Ours:
    """Microseconds of a product with relinearisation at the highest level."""
    parameters = ckks.Parameters.preset(preset)
    function = f"ckks.mul_relin@{parameters.levels}"
    table = latency_table(parameters, machine)
    inputs.result(f"{function} of {preset} on {machine}")
    (cycles,) = {row.cycles for row in table.operations if row.function == function}
    return ours(_microseconds(machine, cycles), table.provenances)


def training(machine: str, preset: str) -> Ours:
    """How many times as long one thread here takes for a program as a machine would.

    The program: two iterations of `logistic.training_program`, the first of weights of 0, which
    no bootstrapping follows, on the rows of `logistic.breast_cancer`.
    """
    parameters = ckks.Parameters.preset(preset)
    rows = signed_rows(logistic.breast_cancer())
    packed = logistic.packed(rows, parameters.slots)
    count, columns = rows.shape
    plan = logistic.Plan(count, width(columns), iterations=2, ciphertexts=len(packed))
    program = logistic.training_program(plan)
    predicted = oracle(program, machine, parameters)
    assert predicted.time_fs is not None, "the target is simulated"
    inputs.result(f"training under {preset} on {machine}")
    inputs.own("a program of ours")
    seconds = processor.program_seconds(program.trace(parameters))
    return ours(seconds * 1e15 / predicted.time_fs, predicted.provenances, "measured")


def _microseconds(machine: str, cycles: int) -> float:
    return cycles * int(described(machine).values["clock_fs"]) / 1e9


STUDIES: dict[str, Callable[..., Ours]] = {
    study.__name__: study for study in (modulus_bits, conversions, residue_product, training)
}
