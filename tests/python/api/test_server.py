"""Running programs: preparation, time, and what the server refuses."""

from __future__ import annotations

from collections import Counter
from concurrent.futures import ThreadPoolExecutor

import numpy as np
import pytest
from conftest import slot_error_bound

import ringwright as rw
from ringwright import _ringwright as native
from ringwright import system


@rw.program
def energy(now, before):
    d = now - before
    return (d * d).sum(8)


@pytest.fixture(scope="module")
def server(alice):
    return rw.Server(alice.keys_for(energy))


def test_the_ledger_is_the_time_of_the_run(server, alice, vectors):
    run = server.run(energy, *(alice.encrypt(vector) for vector in vectors))
    assert run.run_fs > 0
    assert run.ledger.total_fs == run.prepare_fs + run.run_fs
    assert run.ledger.total_fs == run.schedule.total_fs
    stages = {entry.stage for entry in run.ledger}
    spans = [span for span in run.timeline if span.name in stages]
    assert sum(span.duration_fs for span in spans) == run.ledger.total_fs
    assert {entry.provenance for entry in run.ledger} == {"measured"}
    assert "energy" in run.ledger.table()


def test_every_operation_is_timed_under_its_name_and_line(server, params, alice, vectors):
    run = server.run(energy, *(alice.encrypt(vector) for vector in vectors))
    rows = energy.explain(params).rows[len(energy.input_names) :]
    told = [(row.op, row.value, row.line) for row in rows]
    assert [(each.op, each.result, each.line) for each in run.operations] == told
    assert all(each.function.startswith("ckks.") for each in run.operations)
    assert all(each.duration_fs > 0 for each in run.operations)
    assert sum(each.duration_fs for each in run.operations) <= run.run_fs


def test_operations_lie_inside_the_programs_span(server, alice, vectors):
    run = server.run(energy, *(alice.encrypt(vector) for vector in vectors))
    stages = {entry.stage for entry in run.ledger}
    inside = [span for span in run.timeline if span.name not in stages]
    assert [span.name for span in inside] == [each.op for each in run.operations]
    free, end_fs = run.prepare_fs, run.prepare_fs + run.run_fs
    for span, each in zip(inside, run.operations, strict=True):
        assert free <= span.start_fs
        assert (span.duration_fs, span.args["line"]) == (each.duration_fs, each.line)
        free = span.end_fs
    assert free <= end_fs


def test_what_leaves_nothing_to_run_has_no_time(alice, vectors):
    @rw.program
    def unread(x, y):
        x * y
        return x - y

    server = rw.Server(alice.keys_for(unread))
    run = server.run(unread, *(alice.encrypt(vector) for vector in vectors))
    assert [each.op for each in run.operations] == ["sub x, y"]


def test_a_machine_that_does_not_measure_reports_no_operations(server, alice, vectors):
    inputs = [alice.encrypt(vector) for vector in vectors]
    measured = server.run(energy, *inputs)
    simulated = rw.Server(server.keys, machine="rpu-8x8").run(energy, *inputs)
    assert simulated.value.same_words(measured.value)
    assert simulated.operations == ()
    # What the simulation took on this computer is in no line.
    words = {entry.stage: entry.provenance for entry in simulated.ledger}
    assert [stage for stage, word in words.items() if word == "measured"] == ["prepare energy"]
    assert {span.name for span in simulated.timeline} == set(words)
    assert not {each.op for each in measured.operations} & set(words)


def test_what_a_machine_does_once_is_in_the_set_up(server, alice, vectors):
    """Behind a link the keys cross first: a device may keep some of them."""
    run = rw.Server(server.keys, machine="medha-8x2").run(
        energy, *(alice.encrypt(vector) for vector in vectors)
    )
    timing, once = run.timing, run.timing.set_up
    assert timing.cycles > 0
    assert once.cycles > 2 * alice.parameters.n
    assert once.set_up is None
    station, link = system.Station("medha-8x2", run.host), rw.link("pcie5-x16")
    alone = system.Stages()
    alone.run_folded(station, once)
    once_fs = system.schedule([alone]).total_fs
    assert once_fs >= once.cycles * once.clock_fs
    assert run.schedule.total_fs == run.prepare_fs + once_fs + run.evaluate_fs
    with_keys = system.Stages()
    with_keys.set_up(station, link, timing, 1000)
    crossing = system.transfer("keys", link, 1000).duration_fs
    assert system.schedule([with_keys]).total_fs == crossing + once_fs
    nothing = system.Stages()
    assert nothing.set_up(station, link, once, 0) is None


def test_a_program_is_prepared_once(server, alice, vectors):
    inputs = [alice.encrypt(vector) for vector in vectors]
    server.prepare(energy)
    assert server.run(energy, *inputs).prepare_fs == 0
    assert server.prepare(energy, *inputs) is server.prepare(energy)
    lower = [ciphertext.drop_level(3) for ciphertext in inputs]
    assert server.prepare(energy, *lower) is not server.prepare(energy)


class Counted:
    """What it wraps, with a count of each method's calls."""

    def __init__(self, inner):
        self._inner = inner
        self.calls = Counter()

    def __getattr__(self, name):
        self.calls[name] += 1
        return getattr(self._inner, name)

    def __call__(self, *given):
        self.calls["__call__"] += 1
        return self._inner(*given)


@pytest.mark.parametrize("machine", ["cpu", "rpu-8x8"])
def test_later_runs_neither_trace_nor_build_nor_lower(machine, alice, monkeypatch):
    traced = []

    @rw.program
    def counted(x):
        traced.append(x)
        return x.apply(np.sin, degree=3, interval=(-1, 1))

    keys = alice.keys_for(counted)
    builders, generator = Counted(native.ProgramBuilder), Counted(alice.generator)
    monkeypatch.setattr(native, "ProgramBuilder", builders)
    monkeypatch.setattr(alice, "generator", generator)
    server = rw.Server(keys, machine=machine)
    server._evaluator = evaluator = Counted(server._evaluator)
    inputs = [alice.encrypt([0.5]) for _ in range(3)]
    prepared = [server.run(counted, each).prepare_fs > 0 for each in inputs]
    assert prepared == [True, False, False]
    assert len(traced) == 1
    assert evaluator.calls == {"prepare": 1}
    assert not builders.calls
    assert not generator.calls
    server.run(counted, inputs[0].drop_level(3))
    assert (len(traced), evaluator.calls, builders.calls) == (
        2,
        {"prepare": 2},
        {"__call__": 1},
    )


def test_at_once_every_operation_is_lowered_once(alice, vectors):
    server = rw.Server(alice.keys_for(rw.program(lambda x: x * x)))
    server._eager._evaluator = evaluator = Counted(server._eager._evaluator)
    for vector in vectors:
        x = server.vector(alice.encrypt(vector))
        x * x + 1
    assert evaluator.calls == {"prepare": 2}


def test_the_same_ciphertexts_give_the_same_bits(server, alice, vectors):
    inputs = [alice.encrypt(vector) for vector in vectors]
    first, second = (server.run(energy, *inputs).value.to_bytes() for _ in range(2))
    assert first == second


def test_keys_travel_as_bytes(params, alice, vectors):
    keys = rw.ckks.EvaluationKeys.from_bytes(params, alice.keys_for(energy).to_bytes())
    run = rw.Server(keys).run(energy, *(alice.encrypt(vector) for vector in vectors))
    error = np.max(np.abs(alice.decrypt(run.value) - energy.plain(*vectors)))
    assert error < slot_error_bound(run.value)


def test_results_are_inputs_again(alice, vectors):
    square = rw.program(lambda x: x * x)
    server = rw.Server(alice.keys_for(square))
    once = server.run(square, alice.encrypt(vectors[0])).value
    twice = server.run(square, once).value
    assert twice.level == once.level - 1
    assert np.max(np.abs(alice.decrypt(twice) - vectors[0] ** 4)) < slot_error_bound(twice)


def test_a_missing_key_is_named(alice, vectors):
    bare = rw.Server(alice.keys_for(rw.program(lambda x: x + 1)))
    with pytest.raises(rw.KeyMismatchError, match=r"(?i)mult|galois"):
        bare.run(energy, *(alice.encrypt(vector) for vector in vectors))


def test_a_missing_key_is_named_with_the_operation_that_needs_it(alice, vectors):
    bare = rw.Server(alice.keys_for(rw.program(lambda x: x * x)))
    turned = rw.program(lambda x: x + x.rotate(-3))
    words = r"galois \d+\) for rotate x, -3, test_server\.py:\d+; keys given: mult"
    with pytest.raises(rw.KeyMismatchError, match=words):
        bare.run(turned, alice.encrypt(vectors[0]))


def test_too_low_ciphertexts_are_at_fault_not_the_ring(server, alice, vectors):
    low = alice.encrypt(vectors[0]).drop_level(1)
    with pytest.raises(rw.DepthError, match=r"test_server\.py:\d+: .*level 1 of 4.*depth 0, not 1"):
        server.run(energy, low, low)


def test_what_is_no_program_key_or_ciphertext_is_refused(server, alice):
    one = alice.encrypt([1.0])
    with pytest.raises(TypeError, match="Client given; EvaluationKeys allowed"):
        rw.Server(alice)
    with pytest.raises(TypeError, match=r"function.*given; a program allowed"):
        server.run(energy.function, one, one)
    with pytest.raises(TypeError, match="input 1 is a list; a ciphertext allowed"):
        server.run(energy, one, [1.0])
    with pytest.raises(TypeError, match="the vector is a list; a ciphertext allowed"):
        server.vector([1.0])


def test_threads_share_a_server(server, alice, vectors):
    now, before = (alice.encrypt(vector) for vector in vectors)
    turned = rw.program(lambda x, y: x * y)
    keys = alice.keys_for(energy, turned)
    alone = {each: rw.Server(keys).run(each, now, before).value for each in (energy, turned)}
    shared = rw.Server(keys)
    with ThreadPoolExecutor(4) as pool:
        runs = list(pool.map(lambda each: shared.run(each, now, before), [energy, turned] * 8))
    for each, run in zip([energy, turned] * 8, runs, strict=True):
        assert run.value.to_bytes() == alone[each].to_bytes()


def test_ciphertexts_of_other_parameters_are_refused(server):
    other = rw.ckks.Client(rw.ckks.Parameters.preset("4096-2x30"))
    foreign = other.encrypt([1.0])
    with pytest.raises(rw.KeyMismatchError, match="4096-2x30"):
        server.run(energy, foreign, foreign)


def test_the_number_of_ciphertexts_is_checked(server, alice):
    with pytest.raises(rw.ProgramError, match="1 inputs given; 2 expected"):
        server.run(energy, alice.encrypt([1.0]))


def test_an_unknown_machine_is_named(alice):
    with pytest.raises(rw.MachineError, match="abacus"):
        rw.Server(alice.keys_for(energy), machine="abacus")


@rw.program(inputs={"x": rw.ckks.Input(max=1, rms=0.5)})
def bounded(x):
    return x.apply(np.tanh, degree=3, interval=(-1, 1))


@rw.program(inputs={"x": rw.ckks.Input(length=10)})
def total(x):
    return x.sum()


@rw.program
def doubled(x):
    return x + x


class TestDeclaredInputs:
    def test_larger_values_are_refused_before_anything_runs(self, alice):
        server = rw.Server(alice.keys_for(bounded))
        (declared,) = bounded.inputs
        given = alice.encrypt([0.5], declared)
        assert alice.decrypt(server.run(bounded, given))[0] == pytest.approx(0.462, abs=0.02)
        with pytest.raises(rw.ParameterError, match=r"input x: max = 4 .* max = 1 declared"):
            server.run(bounded, alice.encrypt([3.0]))
        with pytest.raises(rw.ParameterError, match=r"rms = 1 .* Input\(max=1, rms=0.5\)"):
            server.prepare(bounded, alice.encrypt([1.0]))
        with pytest.raises(rw.ParameterError, match="max = 4"):
            alice.expect(bounded, alice.encrypt([3.0]))

    def test_more_noise_than_declared_is_refused(self, alice):
        quiet = rw.program(inputs={"x": rw.ckks.Input(noise=0.5)})(lambda x: x + x)
        with pytest.raises(rw.ParameterError, match="noise"):
            rw.Server(alice.keys_for(quiet)).run(quiet, alice.encrypt([1.0]))

    def test_another_length_is_refused(self, alice):
        server = rw.Server(alice.keys_for(total))
        assert alice.decrypt(server.run(total, alice.encrypt(np.ones(10)))) == pytest.approx(
            [10], abs=1e-2
        )
        # Zeros stand beyond what was encrypted.
        assert alice.decrypt(server.run(total, alice.encrypt(np.ones(5)))) == pytest.approx(
            [5], abs=1e-2
        )
        with pytest.raises(rw.ParameterError, match="length 20; length 10 declared"):
            server.run(total, alice.encrypt(np.ones(20)))

    def test_undefined_slots_do_not_count(self, alice):
        server = rw.Server(alice.keys_for(total, doubled))
        sums = server.run(total, alice.encrypt(np.ones(10))).value
        assert (sums.length, sums.zeros_beyond) == (1, False)
        with pytest.raises(rw.ParameterError, match=r"Input\(length=1\) declares it"):
            server.run(doubled, sums)
        single = rw.program(inputs={"x": rw.ckks.Input(max=sums.max, length=1)})(doubled.function)
        again = server.run(single, rw.ckks.Ciphertext.from_bytes(alice.parameters, sums.to_bytes()))
        assert alice.decrypt(again) == pytest.approx([20], abs=0.1)
        assert len(server.vector(sums)) == 1


def test_a_run_is_decrypted_to_the_numbers_it_returned(alice):
    both = rw.program(inputs={"x": rw.ckks.Input(length=10)})(lambda x: (x[:3], x + 1))
    run = rw.Server(alice.keys_for(both)).run(both, alice.encrypt(np.arange(10) / 10))
    first, second = alice.decrypt(run)
    assert first == pytest.approx(np.arange(3) / 10, abs=1e-2)
    assert second == pytest.approx(1 + np.arange(10) / 10, abs=1e-2)
    assert alice.decrypt(run, imag=True)[0].dtype == np.complex128
    with pytest.raises(TypeError, match="a ciphertext or a run allowed"):
        alice.decrypt([1.0])
