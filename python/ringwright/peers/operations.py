"""CKKS operations beside the peers: what client and server do, with a public key.

On the server the times are those of the calls within a run, as a peer's are of its evaluator's:
multiplication with relinearisation and rescaling are one program. What the client does is timed
whole, with conversion from and to numpy.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from math import log2
from typing import Any

import numpy as np
import numpy.typing as npt

from ringwright import ckks
from ringwright.peers import seal
from ringwright.peers.elsewhere import Times
from ringwright.peers.row import ROUNDS, Action, Parameter, Row, least_each, row
from ringwright.program import Program, program
from ringwright.server import Run, Server

__all__ = ["MACHINES", "SETS", "check", "in_turn", "request", "rows"]

#: Parameter sets: digits of one tower, and of five.
SETS = ("16384-7x54", "32768-9x54", "65536-24x60")
#: One thread, all cores; the peers have one throughout.
MACHINES = ("cpu-1", "cpu")
#: Eight of them are asked of one ciphertext.
STEPS = tuple(range(1, 9))
# Largest slot error that counts as correct, in predicted standard deviations. Slot errors have
# exponential tails: over 8,192 slots the largest is about 8.
_DEVIATIONS = 16
_FS_PER_US = 10**9


@program
def product(a: Any, b: Any) -> Any:
    """Multiplication, relinearisation and rescaling."""
    return a * b


@program
def turned(a: Any) -> Any:
    """One rotation."""
    return a << STEPS[0]


@program
def turned_often(a: Any) -> Any:
    """Eight rotations of one ciphertext."""
    return tuple(a << step for step in STEPS)


def message(parameters: ckks.Parameters) -> npt.NDArray[np.float64]:
    """What is encrypted."""
    return np.random.default_rng(0).uniform(-1, 1, parameters.slots)


class _Ours:
    """Client and server of one parameter set on one machine."""

    def __init__(self, parameters: ckks.Parameters, machine: str) -> None:
        self.client = ckks.Client(parameters, machine=machine)
        keys = self.client.keys_for(product, turned, turned_often)
        self.server = Server(keys, machine=machine)
        self.x = message(parameters)
        self.encrypted = self.client.encrypt(self.x)

    def close(self, ciphertext: ckks.Ciphertext, expected: Any) -> bool:
        deviation = ciphertext.parameters.slot_error(ciphertext.noise, ciphertext.scale)
        error = np.max(np.abs(self.client.decrypt(ciphertext) - expected))
        return bool(error < _DEVIATIONS * deviation)

    def whole(self) -> dict[str, tuple[Action, Callable[[Any], bool]]]:
        """What is measured as a run, and whether its result is right."""
        x = self.x
        return {
            "encode+encrypt": (
                lambda: self.client.encrypt(x),
                lambda result: self.close(result, x),
            ),
            "decrypt+decode": (
                lambda: self.client.decrypt(self.encrypted),
                lambda _: self.close(self.encrypted, x),
            ),
        }

    def calls(self) -> tuple[dict[str, float], bool]:
        """Least microseconds of every operation's calls, and whether all results are right."""
        least: dict[str, float] = {}
        correct = True
        for traced, operands, right in self.programs():
            for _ in range(ROUNDS):
                run = self.server.run(traced, *[self.encrypted] * operands)
                for name, taken in _taken(traced, run):
                    least[name] = min(taken, least.get(name, taken))
            correct = correct and right(run)
        return least, correct

    def programs(self) -> list[tuple[Program, int, Callable[[Run], bool]]]:
        """What the server runs, of how many operands, and whether its results are right."""
        x = self.x

        def turned_right(run: Run) -> bool:
            turns = zip(STEPS, run.values, strict=False)
            return all(self.close(value, np.roll(x, -step)) for step, value in turns)

        return [
            (product, 2, lambda run: self.close(run.value, x * x)),
            (turned, 1, turned_right),
            (turned_often, 1, turned_right),
        ]


def _taken(traced: Program, run: Run) -> list[tuple[str, float]]:
    """What to report of a run: names and microseconds."""
    if traced is not product:
        name = "rotate" if traced is turned else f"{len(STEPS)} rotations"
        return [(name, sum(call.duration_fs for call in run.operations) / _FS_PER_US)]
    names = {"mul_relin": "multiply+relinearise", "rescale": "rescale"}
    calls = [(call.kind, call.duration_fs) for call in run.operations]
    return [(names[name], took / _FS_PER_US) for name, took in calls if name in names]


def check(preset: str) -> None:
    """Traces what is measured: raises what an unknown or too small preset is refused with."""
    parameters = ckks.Parameters.preset(preset)
    for traced in (product, turned_often):
        traced.explain(parameters)


def request(preset: str) -> dict[str, Any]:
    """What peers elsewhere are asked: N, number and size of primes, special ones, digits."""
    parameters = ckks.Parameters.preset(preset)
    shape = {
        "log_n": parameters.n.bit_length() - 1,
        "towers": len(parameters.q),
        "bits": parameters.q[0].bit_length(),
        "special_bits": [p.bit_length() for p in parameters.p],
        "digit": parameters.digit,
        "log_scale": _log_scale(parameters),
        "steps": list(STEPS),
    }
    return {"operations": shape}


def in_turn(preset: str) -> Mapping[str, Action]:
    """What SEAL does in turn with us, by the name of its row."""
    parameters = ckks.Parameters.preset(preset)
    return seal.operations(parameters, _log_scale(parameters), message(parameters).tolist(), STEPS)


def _log_scale(parameters: ckks.Parameters) -> int:
    return round(log2(parameters.scale))


def rows(preset: str, live: Mapping[str, Action], elsewhere: Mapping[str, Times]) -> list[Row]:
    """Every operation of one parameter set, on one thread and on all cores.

    Beside what SEAL does in turn with us, and what others took elsewhere.
    """
    parameters = ckks.Parameters.preset(preset)
    sides = [_Ours(parameters, machine) for machine in MACHINES]
    measured: list[Row] = []
    theirs: dict[str, float] = {}

    def add(name: str, machine: str, ours_us: float, *, correct: bool) -> None:
        peers = {seal.NAME: theirs[name]} if name in theirs else {}
        peers |= {peer: times[name] for peer, times in elsewhere.items() if name in times}
        shape: dict[str, Parameter] = {"preset": preset, "machine": machine}
        measured.append(row(name, shape, ours_us, peers, correct=correct))

    for name in sides[0].whole():
        whole = [side.whole()[name] for side in sides]
        peer = [live[name]] if name in live else []
        times, results = least_each([*(action for action, _ in whole), *peer])
        if peer:
            theirs[name] = times[-1]
        for index, (machine, (_, right)) in enumerate(zip(MACHINES, whole, strict=True)):
            add(name, machine, times[index], correct=right(results[index]))
    for machine, side in zip(MACHINES, sides, strict=True):
        least, correct = side.calls()
        for name, took in least.items():
            if name in live and name not in theirs:
                theirs[name] = least_each([live[name]])[0][0]
            add(name, machine, took, correct=correct)
    return measured
