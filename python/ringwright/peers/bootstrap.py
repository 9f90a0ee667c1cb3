"""Bootstrapping of all slots beside Lattigo's and OpenFHE's: time, precision, levels left, memory.

Each side has a set of its own for the secret that it draws: ours is uniform ternary, theirs have
192 coefficients that are not zero, which leaves less noise and needs a smaller modulus. So
precision and levels stand beside the times.
"""

from __future__ import annotations

import resource
import sys
import tempfile
import time
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ringwright import ckks
from ringwright.errors import MissingToolError
from ringwright.peers import lattigo, openfhe
from ringwright.peers.elsewhere import Elsewhere
from ringwright.peers.operations import MACHINES
from ringwright.peers.row import Row, row
from ringwright.program import Program, program
from ringwright.server import Server

__all__ = ["OURS", "PEERS", "SETS", "BootstrapRow", "measure", "refreshing"]

#: Ours, and what a bootstrapping is made of there, the small ring first: the most memory that was
#: held is counted. The ratios favour numbers that are spread over all coefficients, as most are.
SETS: Mapping[str, ckks.Bootstrapping] = {
    "32768-boot": ckks.Bootstrapping.short(),
    "65536-boot": ckks.Bootstrapping(log_ratio=4.5),
}
#: What we are called beside the peers.
OURS = "ours"
_ROUNDS = 4
#: The other keys are streamed, so that a bootstrapping fits into 12 GiB.
_KEYS_IN_MEMORY = 4 << 30
#: What the peers are asked for: Lattigo's `N16QP1546H192H32`; OpenFHE's own depth for a sparse
#: secret around the raise, primes of 50 bits, keys of five digits.
PEERS: Mapping[str, Mapping[str, Any]] = {
    lattigo.NAME: {
        "log_n": 16,
        "log_q": [60, *[40] * 9],
        "log_p": [61] * 5,
        "log_scale": 40,
        "weight": 192,
    },
    openfhe.NAME: {
        "log_n": 16,
        "bits": 50,
        "first_bits": 57,
        "digits": 5,
        "level_budget": [4, 3],
        "levels": 8,
    },
}


class BootstrapRow(Row):
    """A row, and by the names of ours and of the peers: bits of the worst slot's real and
    imaginary part, levels left to multiply with, most memory ever held. Ours of other numbers
    than uniform ones: bits, by what they are.
    """

    precision_bits_worst: dict[str, float]
    other_precision_bits_worst: dict[str, float]
    levels_left: dict[str, int]
    rss_bytes: dict[str, int | None]


@dataclass(frozen=True)
class _Made:
    us: float
    precision_bits_worst: float
    levels_left: int
    rss_bytes: int | None
    correct: bool = True
    other_bits: Mapping[str, float] = field(default_factory=dict)


def refreshing(made_of: ckks.Bootstrapping) -> Program:
    """The program that gives a vector new levels."""

    @program(inputs={"x": ckks.Input(max=2**0.5, rms=1.0, level=1)})
    def refreshed(x: Any) -> Any:
        return x.bootstrap(made_of)

    return refreshed


def measure(
    progress: Callable[[str], None] = lambda _: None,
    *,
    sets: Iterable[tuple[ckks.Parameters, ckks.Bootstrapping]] | None = None,
    asked: Mapping[str, Mapping[str, Any]] = PEERS,
) -> tuple[list[BootstrapRow], dict[str, str]]:
    """The rows, and why a peer is in none of them; minutes, and 18 GB of memory.

    `sets`: ours, default those of `SETS`. `asked`: the requests to the peers' programs; a peer
    stands beside ours in a ring of its degree.
    """
    if sets is None:
        sets = [(ckks.Parameters.preset(name), made_of) for name, made_of in SETS.items()]
    peers: dict[str, _Made] = {}
    skipped: dict[str, str] = {}
    for name, request in asked.items():
        progress(f"{name}, bootstrapping")
        try:
            peers[name] = _peer_s(name, request)
        except MissingToolError as error:
            skipped[name] = str(error)
    rows = []
    for parameters, made_of in sets:
        progress(f"{parameters.name}, keys")
        refreshed = refreshing(made_of)
        client = ckks.Client(parameters)
        keys = client.keys_for(refreshed, limited=True, in_memory=_KEYS_IN_MEMORY)
        alike = [name for name in peers if asked[name]["log_n"] == parameters.log_n]
        for machine in MACHINES:
            progress(f"{parameters.name} on {machine}")
            named = {"params": parameters.name, "machine": machine}
            ours = _ours(refreshed, client, keys, machine)
            rows.append(_row(named, ours, {name: peers[name] for name in alike}))
    return rows, skipped


def _row(parameters: Mapping[str, str], ours: _Made, peers: Mapping[str, _Made]) -> BootstrapRow:
    times = {name: peer.us for name, peer in peers.items()}
    everyone = {OURS: ours, **peers}
    return {
        **row("bootstrap", parameters, ours.us, times, correct=ours.correct),
        "precision_bits_worst": {k: each.precision_bits_worst for k, each in everyone.items()},
        "other_precision_bits_worst": dict(ours.other_bits),
        "levels_left": {k: each.levels_left for k, each in everyone.items()},
        "rss_bytes": {k: each.rss_bytes for k, each in everyone.items()},
    }


def _peer_s(name: str, request: Mapping[str, Any]) -> _Made:
    with tempfile.TemporaryDirectory() as folder:
        peers: Mapping[str, Callable[[], Elsewhere]] = {
            lattigo.NAME: lambda: lattigo.peer(Path(folder)),
            openfhe.NAME: openfhe.peer,
        }
        found = peers[name]().times({"bootstrap": request})
    return _Made(
        found["bootstrap"],
        found["precision_bits_worst"],
        int(found["levels_left"]),
        int(found["rss_bytes"]),
    )


def _ours(
    refreshed: Program, client: ckks.Client, keys: ckks.EvaluationKeys, machine: str
) -> _Made:
    """On a machine; correct where no slot is off by more than its bound."""
    slots = client.parameters.slots
    drawn = np.random.default_rng(1).uniform(-1, 1, (2, slots))
    server = Server(keys, machine)
    taken = []

    def refreshed_by(values: NDArray[np.complex128], rounds: int) -> tuple[float, Any]:
        spent = client.encrypt(values, refreshed.inputs[0])
        server.prepare(refreshed, spent)
        for _ in range(rounds):
            start = time.perf_counter_ns()
            run = server.run(refreshed, spent)
            taken.append((time.perf_counter_ns() - start) / 1e3)
        off = client.decrypt(run.value, imag=True) - client.decrypt(spent, imag=True)
        return float(np.max(np.abs([off.real, off.imag]))), run.value

    worst, result = refreshed_by(drawn[0] + 1j * drawn[1], _ROUNDS)
    us, rss = min(taken), _largest_rss()
    others = {
        "all 1": np.ones(slots),
        "one 1": np.eye(1, slots)[0],
        "1, -1, ...": 1.0 - 2 * (np.arange(slots) % 2),
    }
    off = {name: refreshed_by(values.astype(complex), 1)[0] for name, values in others.items()}
    # A multiplication needs a level that is left behind.
    levels_left = result.level - 1
    correct = max(worst, *off.values()) <= result.error_bound
    bits = {name: -float(np.log2(each)) for name, each in off.items()}
    return _Made(us, -float(np.log2(worst)), levels_left, rss, correct, bits)


def _largest_rss() -> int | None:
    """The most memory that this process ever held, where the system counts it in KiB."""
    if sys.platform != "linux":
        return None
    return 1024 * resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
