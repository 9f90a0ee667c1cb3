"""How ours is computed from frames that a core in RTL encrypted, called by the name in a claim.

`repro/gates.toml` has their cycles; `hw/test_soc.py` runs the frames again and compares.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import cache

from ringwright.machines import machine
from ringwright.reproduce import claims, inputs
from ringwright.reproduce.ours import Ours, ours
from ringwright.soc import WORD_BITS, Simulation, Use, preset_of

__all__ = ["STUDIES", "Frame", "frames", "recorded"]

PATH = claims.ROOT / "gates.toml"
PROVENANCE = "rtl"


@dataclass(frozen=True)
class Frame:
    """Cycles of one frame by phase: on a core (`host`) with a machine on its bus, which is used or
    not. `n`: the ring's degree; primes have 30 bits or fewer.
    """

    host: str
    machine: str
    use: Use
    n: int
    phases: dict[str, int]

    @property
    def cycles(self) -> int:
        """Of the frame."""
        return sum(self.phases.values())

    @property
    def system(self) -> str:
        """As claims name it: the machine, or what does without: "alone", "instructions"."""
        return self.machine if self.use == "accelerated" else self.use

    def simulation(self) -> Simulation:
        """What runs it again."""
        parameters = preset_of(self.n, WORD_BITS)
        return Simulation(self.host, machine(self.machine), parameters, use=self.use)


@cache
def frames() -> tuple[Frame, ...]:
    """All of them."""
    return tuple(Frame(**row) for row in claims.read_toml(PATH)["frame"])


def gates_speedup(system: str, over: str, n: int, host: str = "blackparrot") -> Ours:
    """Message to ciphertext: cycles of one over those of the other."""
    fast, slow = (_frame(host, name, n) for name in (system, over))
    return ours(slow.cycles / fast.cycles, PROVENANCE)


def gates_share(system: str, phase: str, n: int, host: str = "blackparrot") -> Ours:
    """Percent of message to ciphertext."""
    made = _frame(host, system, n)
    return ours(100 * made.phases[phase] / made.cycles, PROVENANCE)


def recorded(host: str, system: str, n: int) -> Frame:
    """One of them."""
    (made,) = (each for each in frames() if (each.host, each.system, each.n) == (host, system, n))
    return made


def _frame(host: str, system: str, n: int) -> Frame:
    inputs.result(f"{system} on {host} in RTL: m2c, N = {n}")
    inputs.own(f"our firmware on {host}")
    return recorded(host, system, n)


STUDIES: dict[str, Callable[..., Ours]] = {
    study.__name__: study for study in (gates_share, gates_speedup)
}
