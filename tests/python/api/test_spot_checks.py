"""Values of this computer on simulated machines: the same words, the same time, calls checked."""

from __future__ import annotations

import pytest

import ringwright as rw
from ringwright import spot_checks

MACHINES = ["rpu-8x8", "rise-4bfu"]
FULL = rw.Checks(share=1)


@rw.program
def energy(now, before):  # type: ignore[no-untyped-def]
    d = now - before
    return (d * d * 0.5).sum(8)


@pytest.fixture(scope="module")
def keys(alice):  # type: ignore[no-untyped-def]
    return alice.keys_for(energy)


@pytest.fixture
def inputs(alice, vectors):  # type: ignore[no-untyped-def]
    return [alice.encrypt(vector) for vector in vectors]


@pytest.mark.parametrize("machine", MACHINES)
def test_words_and_time_are_those_of_full_simulation(machine, keys, inputs):  # type: ignore[no-untyped-def]
    full = rw.Server(keys, machine, values="device").run(energy, *inputs)
    assert full.checks is None
    quick = rw.Server(keys, machine).run(energy, *inputs)
    assert quick.value.same_words(full.value)
    assert quick.timing.cycles == full.timing.cycles
    assert quick.timing.host_operations == full.timing.host_operations
    found = quick.checks
    assert found is not None
    assert found.values == "cpu"
    assert 1 <= found.kernels <= found.checked <= found.calls


def test_a_run_says_what_was_checked(keys, inputs):  # type: ignore[no-untyped-def]
    full = rw.Server(keys, "rpu-8x8", values="device").run(energy, *inputs)
    quick = rw.Server(keys, "rpu-8x8").run(energy, *inputs)
    totals = [run.ledger.total_fs - run.prepare_fs for run in (quick, full)]
    assert totals[0] == totals[1]
    assert quick.checks is not None
    said = f"values from cpu, {quick.checks.checked} of {quick.checks.calls} calls checked"
    assert said in repr(quick)
    assert "checked" not in repr(full)


def test_what_is_checked_follows_from_the_choice(keys, inputs):  # type: ignore[no-untyped-def]
    def runs(**choice):  # type: ignore[no-untyped-def]
        # Its kernels are operations, of which a program has several of a kind.
        server = rw.Server(keys, "rise-4bfu", values=rw.Checks(**choice))
        return [server.run(energy, *inputs).checks for _ in range(3)]

    calls, kernels = (getattr(runs(share=0)[0], name) for name in ("calls", "kernels"))
    assert calls > kernels
    assert [each.checked for each in runs(share=0)] == [kernels, 0, 0]
    assert [each.checked for each in runs(share=0, once_per="run")] == [kernels] * 3
    assert [each.checked for each in runs(share=1)] == [calls] * 3
    some = runs(share=0.5, seed=3)
    assert some == runs(share=0.5, seed=3)
    found = spot_checks.together([None, *some])
    assert found is not None
    assert found["checked"] == sum(each.checked for each in some)
    text = spot_checks.checked_text(found, "rise-4bfu")
    assert f"{found['checked']} of {3 * calls} calls of kernels computed on rise-4bfu too" in text


def test_operations_computed_at_once_have_the_same_words(keys, inputs):  # type: ignore[no-untyped-def]
    full, quick = (
        rw.Server(keys, "rpu-8x8", values=values).vector(inputs[0]) * 0.5
        for values in ("device", "cpu")
    )
    assert quick.ciphertext.same_words(full.ciphertext)


def test_a_machine_that_is_this_computer_has_nothing_to_check(keys, inputs):  # type: ignore[no-untyped-def]
    for values in ("cpu", "device", FULL):
        assert rw.Server(keys, "cpu", values=values).run(energy, *inputs).checks is None


def test_what_is_not_allowed_is_named(keys):  # type: ignore[no-untyped-def]
    for given in ("x", "CPU", None, 1):
        for machine in ("cpu", "rpu-8x8"):
            allowed = r"'cpu', 'device' or rw\.Checks\(\.\.\.\) allowed"
            with pytest.raises(rw.ParameterError, match=allowed):
                rw.Server(keys, machine, values=given)
    for share in (-0.1, 1.01, float("nan")):
        with pytest.raises(rw.ParameterError, match="0 to 1 allowed"):
            rw.Checks(share=share)
    with pytest.raises(rw.ParameterError, match="'server' or 'run' allowed"):
        rw.Checks(once_per="call")
    with pytest.raises(rw.ParameterError, match=r"0 to 2\^64 - 1 allowed"):
        rw.Checks(seed=-1)
