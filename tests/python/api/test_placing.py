"""Where bootstrappings stand: as late as can be, or where a machine is quickest."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
import pytest

import ringwright as rw

MACHINE = "rpu-128x128"


@pytest.fixture(scope="module")
def small(small_bootstrapping: Callable[[int], rw.ckks.Parameters]) -> rw.ckks.Parameters:
    return small_bootstrapping(10)


@rw.program(
    inputs={"x": rw.ckks.Input(level=3), "y": rw.ckks.Input()}, bootstrap=rw.ckks.Bootstrapping()
)
def branches(x, y):
    """Three powers of products that part before the levels are used up."""
    square = x * x
    return sum((square * (y * factor)) ** 4 for factor in (0.5, 0.25, 0.125))


def test_what_parts_later_is_bootstrapped_before(small: rw.ckks.Parameters) -> None:
    found = rw.placed(branches, small, MACHINE, most=2)
    assert [each.bootstraps for each in found.tried] == [1, 1]
    assert branches.trace(small).text.count(" = raise ") == 3
    quickest = min(found.tried, key=lambda each: each.cycles)
    assert found.program.renew_at == quickest.renew_at > 0
    latency = rw.oracle(found.program, MACHINE, small)
    assert latency.cycles == quickest.cycles < rw.oracle(branches, MACHINE, small).cycles
    x = np.random.default_rng(4).uniform(-1, 1, (2, small.slots))
    client = rw.ckks.Client(small)
    inputs = found.program.inputs
    sent = [client.encrypt(a, each) for a, each in zip(x, inputs, strict=True)]
    run = rw.Server(client.keys_for(found.program, limited=True)).run(found.program, *sent)
    off = np.abs(client.decrypt(run.value) - branches.plain(*x))
    assert off.max() < run.value.error_bound


def test_a_program_without_any_keeps_one_way(small: rw.ckks.Parameters) -> None:
    @rw.program(bootstrap="auto")
    def squared(x):
        return x * x

    found = rw.placed(squared, small, MACHINE)
    assert [(each.renew_at, each.bootstraps) for each in found.tried] == [(0, 0)]


def test_refusals(small: rw.ckks.Parameters) -> None:
    with pytest.raises(rw.MachineError, match="cpu given; a simulated machine allowed"):
        rw.placed(branches, small, "cpu", most=1)
    with pytest.raises(rw.ProgramError, match="bootstrap = None given"):
        rw.placed(rw.program(lambda x: x * x), small, MACHINE)
    with pytest.raises(rw.ProgramError, match="bootstrap = 'always' given; None, 'auto' or"):
        rw.program(bootstrap="always")(lambda x: x)


@pytest.mark.slow
def test_the_smallest_preset_that_carries_a_program_is_found() -> None:
    @rw.program(inputs={"x": rw.ckks.Input(max=1.0, rms=0.6)}, bootstrap="auto")
    def power(x):
        return x**1024 * 0.5

    few = rw.ckks.Parameters.for_program(power, precision_bits=4)
    assert "32768-boot: results are right to" in few.why[-1]
    many = rw.ckks.Parameters.for_program(power, precision_bits=9)
    assert many.n == 65536
    assert all(security >= 128 for _, security, *_ in many.security.verdicts)
    with pytest.raises(rw.ParameterError, match="no preset is enough"):
        rw.ckks.Parameters.for_program(power, precision_bits=40)
