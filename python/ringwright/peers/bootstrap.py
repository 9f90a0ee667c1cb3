"""Bootstrapping of all slots beside Lattigo's: time, precision, levels left, memory.

Each side has a set of its own that is secure with the secret that it draws: ours is uniform
ternary, Lattigo's has 192 coefficients that are not zero, which leaves less noise and needs a
smaller modulus. So precision and levels stand beside the times.
"""

from __future__ import annotations

import resource
import sys
import tempfile
import time
from collections.abc import Callable, Mapping
from functools import partial
from pathlib import Path
from typing import Any, TypedDict

import numpy as np

from ringwright import ckks
from ringwright.errors import MissingToolError
from ringwright.peers import lattigo
from ringwright.program import program
from ringwright.server import Server

__all__ = ["MACHINES", "PEER", "SET", "Bootstrapped", "Row", "measure"]

SET = "65536-boot"
#: One thread as the peer has, and all cores.
MACHINES = ("cpu-1", "cpu")
_MADE_OF = ckks.Bootstrapping(log_ratio=5, arcsine=3)
_ROUNDS = 2
#: Lattigo's `N16QP1546H192H32`.
PEER: Mapping[str, Any] = {
    "log_n": 16,
    "log_q": [60, *[40] * 9],
    "log_p": [61] * 5,
    "log_scale": 40,
    "weight": 192,
}


class Bootstrapped(TypedDict):
    """What a bootstrapping took and gave: bits of the worst slot's real and imaginary part."""

    us: float
    precision_bits_worst: float
    precision_bits_mean: float
    levels_left: int
    rss_bytes: int | None


class Row(TypedDict):
    """One machine of ours beside the peer."""

    name: str
    parameters: dict[str, int | str]
    ours: Bootstrapped
    peers: dict[str, Bootstrapped]
    ratio_to_best: float | None
    ratio_by_level: float | None
    correct: bool


@program(inputs={"x": ckks.Input(max=2**0.5, rms=1.0, level=1)})
def refreshed(x: Any) -> Any:
    """New levels."""
    return x.bootstrap(_MADE_OF)


def measure(
    progress: Callable[[str], None] = lambda _: None,
    *,
    parameters: ckks.Parameters | None = None,
    peer: Mapping[str, Any] = PEER,
) -> tuple[list[Row], dict[str, str]]:
    """The rows, and why a peer is in none of them; minutes, and 16 GB of memory.

    `parameters`: ours, default those of `SET`. `peer`: the request to Lattigo's program.
    """
    parameters = parameters or ckks.Parameters.preset(SET)
    peers: dict[str, Bootstrapped] = {}
    skipped: dict[str, str] = {}
    progress(f"{lattigo.NAME}, bootstrapping")
    try:
        with tempfile.TemporaryDirectory() as folder:
            found = lattigo.peer(Path(folder)).times({"bootstrap": peer})
    except MissingToolError as error:
        skipped[lattigo.NAME] = str(error)
    else:
        peers[lattigo.NAME] = {
            "us": found["bootstrap"],
            "precision_bits_worst": found["precision_bits_worst"],
            "precision_bits_mean": found["precision_bits_mean"],
            "levels_left": int(found["levels_left"]),
            "rss_bytes": int(found["rss_bytes"]),
        }
    progress(f"{parameters.name}, keys")
    client = ckks.Client(parameters)
    keys = client.keys_for(refreshed, limited=True)
    rows = []
    for machine in MACHINES:
        progress(f"{parameters.name} on {machine}")
        ours = partial(_ours, client, keys, machine)
        rows.append(_row({"params": parameters.name, "machine": machine}, ours, peers))
    return rows, skipped


def _row(
    parameters: dict[str, int | str],
    ours: Callable[[], tuple[Bootstrapped, bool]],
    peers: dict[str, Bootstrapped],
) -> Row:
    made, correct = ours()

    def least(of: Callable[[Bootstrapped], float]) -> float | None:
        return min(map(of, peers.values())) / of(made) if peers else None

    return {
        "name": "bootstrap",
        "parameters": parameters,
        "ours": made,
        "peers": peers,
        "ratio_to_best": least(lambda each: each["us"]),
        "ratio_by_level": least(lambda each: each["us"] / each["levels_left"]),
        "correct": correct,
    }


def _ours(
    client: ckks.Client, keys: ckks.EvaluationKeys, machine: str
) -> tuple[Bootstrapped, bool]:
    """What it takes on a machine, and whether no slot is off by more than its bound."""
    drawn = np.random.default_rng(1).uniform(-1, 1, (2, client.parameters.slots))
    spent = client.encrypt(drawn[0] + 1j * drawn[1], refreshed.inputs[0])
    server = Server(keys, machine)
    server.prepare(refreshed, spent)
    taken = []
    for _ in range(_ROUNDS):
        start = time.perf_counter_ns()
        run = server.run(refreshed, spent)
        taken.append((time.perf_counter_ns() - start) / 1e3)
    off = client.decrypt(run.value, imag=True) - client.decrypt(spent, imag=True)
    parts = np.abs([off.real, off.imag])
    return {
        "us": min(taken),
        "precision_bits_worst": -float(np.log2(parts.max())),
        "precision_bits_mean": -float(np.log2(np.sqrt((parts**2).mean()))),
        # A multiplication needs a level that is left behind.
        "levels_left": run.value.level - 1,
        "rss_bytes": _largest_rss(),
    }, bool(parts.max() <= run.value.error_bound)


def _largest_rss() -> int | None:
    """The most memory that this process ever held, where the system counts it in KiB."""
    if sys.platform != "linux":
        return None
    return 1024 * resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
