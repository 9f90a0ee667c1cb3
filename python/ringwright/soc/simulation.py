"""A run of the firmware on a core in RTL, with or without an accelerator, and what it took.

The core runs the same C as a PC; every cycle is one of the RTL's. What the modem got is compared,
word for word, with what our client makes of the same polynomials and seeds, and decrypted.
"""

from __future__ import annotations

import tempfile
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Literal, TypeAlias

from ringwright import _ringwright as native
from ringwright.ckks import Parameters
from ringwright.errors import MachineError, ParameterError
from ringwright.machines import Machine
from ringwright.soc import firmware
from ringwright.soc.chip import Chip, Outcome, Progress
from ringwright.soc.client import Client
from ringwright.soc.firmware import Firmware
from ringwright.soc.prediction import predicted
from ringwright.soc.tables import WORD_BITS, Tables

__all__ = ["Run", "Simulation", "Use", "preset_of"]

#: With the machine, without any, or with one that takes no time and computes nothing.
Use: TypeAlias = Literal["accelerated", "alone", "tax"]
#: What there is a driver for (`fw/src/rise.c`).
_DRIVEN = "rise"


@dataclass(frozen=True)
class Run:
    """What a run took and whether it was right.

    `phases`: cycles of all frames, by what the firmware did; `set_up_cycles` come before, once.
    `coherent`: the accelerator reaches memory through the core's caches. `stack_bytes`: the deepest
    that the stack came. `error`: the largest difference between a slot and its message,
    `error_bound`: what it exceeds with probability 2^-20; `None` where nothing decrypts.
    `deviation`: by what share of the RTL's cycles simulator and host's description are off, by
    phase and as a whole. `result`: "ok", or what the firmware said went wrong.
    """

    host: str
    use: Use
    machine: str
    accelerator: str | None
    parameters: str
    level: int
    frames: int
    memory_latency: int
    coherent: bool
    result: str
    correct: bool
    error: float | None
    error_bound: float | None
    set_up_cycles: int
    phases: dict[str, int]
    static_bytes: int
    stack_bytes: int
    memory_bytes: int
    read_only_bytes: int
    deviation: dict[str, float]
    seconds: float
    provenance: str = "rtl"

    @property
    def total_cycles(self) -> int:
        """Of all frames, without the set-up."""
        return sum(self.phases.values())

    @property
    def ram_bytes(self) -> int:
        """What is written to: what has an address, and the stack."""
        return self.static_bytes + self.stack_bytes

    @property
    def wrong(self) -> str | None:
        """What is, if anything: `None` too where nothing was computed."""
        if self.result != "ok":
            return f"the firmware ended with: {self.result}"
        if self.correct or self.use == "tax":
            return None
        return f"words differ from our client's; slots are off by {self.error}"

    def to_dict(self) -> dict[str, Any]:
        """Plain values, for JSON."""
        shown = {name: value for name, value in vars(self).items() if name != "deviation"}
        return {**shown, "total_cycles": self.total_cycles, "simulator_deviation": self.deviation}


def preset_of(n: int, word_bits: int) -> Parameters:
    """The first parameter set of this degree whose primes have so few bits.

    Raises `ParameterError` where none has.
    """
    for name in Parameters.presets():
        parameters = Parameters.preset(name)
        if parameters.n == n and max(parameters.q).bit_length() <= word_bits:
            return parameters
    raise ParameterError(f"no parameter set of degree {n} has primes of up to {word_bits} bits")


class Simulation:
    """A core with a machine in its socket, and how the firmware uses it."""

    def __init__(
        self,
        host: str,
        machine: Machine,
        parameters: Parameters,
        *,
        use: Use = "accelerated",
        waves: bool = False,
    ) -> None:
        """Raises `ParameterError` for a host that there is not, `MachineError` for a machine that
        the firmware has no driver for. `waves`: whether `run` can write them, which is slower.
        """
        self.chip = Chip(host, machine, registers_only=use != "accelerated", waves=waves)
        package = self.chip.package
        if package.top != _DRIVEN:
            raise MachineError(
                f"machine {machine.name}: the firmware drives machines of the target {_DRIVEN}, "
                f"not {machine.target}"
            )
        if int(package.parameters["WordBits"]) > WORD_BITS:
            raise MachineError(
                f"machine {machine.name}: words of {package.parameters['WordBits']} bits; the "
                f"firmware has words of up to {WORD_BITS}"
            )
        self.machine, self.parameters, self.use = machine, parameters, use

    def run(
        self,
        frames: int = 1,
        *,
        seed: int = 1,
        wave: Path | None = None,
        progress: Progress | None = None,
    ) -> Run:
        """Encrypts `frames` random messages; `progress` gets cycles and seconds now and then."""
        client = Client(self.parameters, frames, seed)
        tables = self.tables(client)
        image = firmware.compiled(tables, self.chip.core, accelerator=self.use != "alone")
        with tempfile.TemporaryDirectory() as name:
            outcome = self.chip.run(image, Path(name), wave=wave, progress=progress)
        return self._judged(client, tables, image, outcome)

    def tables(self, client: Client) -> Tables:
        """Of a client, with the constants that the accelerator reads."""
        return client.tables(self._constants(), int(self.chip.package.parameters["WordBits"]))

    def _constants(self) -> list[list[int]]:
        """What the accelerator reads of each prime, as its own host has it in memory."""
        if self.use == "alone":
            return []
        level = self.parameters.levels
        image = native.image(self.machine, native.Module.encryption(self.parameters, level), 1, 0)
        regions = [] if image is None else image.regions
        return [words for name, words in regions if name.startswith("constants")]

    def _judged(self, client: Client, tables: Tables, image: Firmware, outcome: Outcome) -> Run:
        set_up, phases = outcome.phases
        said = outcome.said
        correct, error, bound = False, None, None
        if said == "ok" and self.use != "tax":
            correct, error, bound = client.check(tables, outcome.transmitted)
        accelerators = {"accelerated": self.machine.target, "tax": "registers alone", "alone": None}
        return Run(
            host=self.chip.title,
            machine=self.machine.name,
            accelerator=accelerators[self.use],
            use=self.use,
            parameters=self.parameters.name,
            level=self.parameters.levels,
            frames=len(tables.messages),
            memory_latency=self.chip.memory_latency,
            coherent=self.chip.is_coherent,
            result=said,
            correct=correct,
            error=error,
            error_bound=bound,
            set_up_cycles=set_up,
            phases=phases,
            static_bytes=image.static_bytes,
            stack_bytes=outcome.stack_bytes,
            memory_bytes=image.memory_bytes,
            read_only_bytes=len(image.read_only),
            deviation=self._deviation(phases, len(tables.messages)),
            seconds=outcome.seconds,
        )

    def _deviation(self, phases: dict[str, int], frames: int) -> dict[str, float]:
        """Of what the simulators say, by phase and as a whole; nothing where nothing computes."""
        if self.use == "tax" or not phases:
            return {}
        machine = self.machine if self.use == "accelerated" else None
        memory = self.chip.memory
        cycles = predicted(self.chip.profile, memory, self.parameters, machine, frames)
        known = [name for name in phases if name in cycles]
        apart = {name: cycles[name] / phases[name] - 1 for name in known}
        whole = sum(cycles[name] for name in known) / sum(phases[name] for name in known) - 1
        return {**apart, "whole": whole}
