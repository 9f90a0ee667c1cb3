"""Ctrl-C stops long native work where it is, not at its end."""

from __future__ import annotations

import signal
from collections.abc import Iterator
from contextlib import contextmanager

import pytest

import ringwright as rw
from ringwright import _ringwright as native


class Stopped(Exception):
    """Raised by a signal's handler, as Ctrl-C's raises KeyboardInterrupt."""


@contextmanager
def third_signal_stops() -> Iterator[None]:
    """Signals come every 50 ms, and the handler raises at the third.

    Work that looks for signals only when it has ended has seen one by then: they do not queue.
    """
    seen = 0

    def handler(*_: object) -> None:
        nonlocal seen
        seen += 1
        if seen >= 3:
            signal.setitimer(signal.ITIMER_REAL, 0)
            raise Stopped

    before = signal.signal(signal.SIGALRM, handler)
    signal.setitimer(signal.ITIMER_REAL, 0.05, 0.05)
    try:
        yield
    finally:
        signal.setitimer(signal.ITIMER_REAL, 0)
        signal.signal(signal.SIGALRM, before)


@rw.program
def turned(x):
    return sum((x << steps for steps in range(1, 64)), x)


@rw.program
def laborious(x):
    return [(x * factor) * x for factor in range(2, 258)]


@pytest.fixture(scope="module")
def large():
    return rw.ckks.Client(rw.ckks.Parameters.for_depth(10))


def test_key_generation_stops(large):
    with pytest.raises(Stopped), third_signal_stops():
        large.keys_for(turned)
    # Nothing is left behind: the same client goes on.
    assert large.decrypt(large.encrypt([1.0]))[0] == pytest.approx(1, abs=1e-3)


@pytest.mark.parametrize("machine", ["cpu", "rpu-128x128"])
def test_a_run_stops(large, machine):
    server = rw.Server(large.keys_for(laborious), machine)
    inputs = large.encrypt([0.5])
    server.prepare(laborious, inputs)
    with pytest.raises(Stopped), third_signal_stops():
        server.run(laborious, inputs)


def test_a_search_for_schedules_stops():
    machine = rw.machine("rpu-128x128")
    with pytest.raises(Stopped), third_signal_stops():
        native.search_schedules(machine, 1 << 14, 10**6)
    assert native.run_transform(machine, 1 << 10).correct
