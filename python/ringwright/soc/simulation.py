"""A run of the firmware on a core in RTL, with or without an accelerator, and what it took.

The core runs the same C as a PC; every cycle is one of the RTL's. What the modem got is compared,
word for word, with what our client makes of the same polynomials and seeds, and decrypted.
"""

from __future__ import annotations

import tempfile
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import Any, Literal, TypeAlias, TypeVar

from ringwright import _ringwright as native
from ringwright.ckks import Parameters
from ringwright.errors import MachineError, ParameterError
from ringwright.machines import Machine
from ringwright.silicon import Range
from ringwright.soc import firmware
from ringwright.soc.chip import (
    MEMORY_BYTES,
    MEMORY_DEGREE,
    Attachment,
    Chip,
    Outcome,
    Progress,
)
from ringwright.soc.client import Client
from ringwright.soc.firmware import Firmware
from ringwright.soc.kernel import Driven, added_cycles, of_decryption, of_encryption
from ringwright.soc.prediction import (
    CoreModel,
    decryption_timing,
    encryption_timing,
    predicted,
    predicted_decryption,
)
from ringwright.soc.receiver import Receiver
from ringwright.soc.tables import WORD_BITS, Answers, Tables
from ringwright.spending import Program, Spending, spent

__all__ = ["Run", "Simulation", "Use", "preset_of"]

#: With the machine, without any, so with our instructions, or with a machine that takes no time and
#: computes nothing.
Use: TypeAlias = Literal["accelerated", "alone", "instructions", "tax"]
#: What there is a driver for (`fw/src/rise.c`).
_DRIVEN = "rise"
#: Of a beat of a core's coherent port. Beats of more go there in parts
#: (`hw/soc/rtl/soc_narrower.sv`); nothing puts less together.
_COHERENT_PORT_BYTES = 8
#: What a frame does once for each tower of its ciphertext.
_OF_TOWERS = frozenset({"write", "encrypt", "multiply", "transmit"})


@dataclass(frozen=True)
class Run:
    """What a run took and whether it was right.

    `phases`: cycles of all frames, by what the firmware did; `set_up_cycles` come before, once.
    `towers_run`: of each ciphertext. Where they are fewer than its `level`, phases that each tower
    has are composed of theirs, and the rest ran as it is.
    `coherent`: the accelerator reaches memory through the core's caches. `stack_bytes`: the deepest
    that the stack came. `error`: the largest difference between a slot and its message,
    `error_bound`: what it exceeds with probability 2^-20; `None` where nothing decrypts.
    `deviation`: by what share of the RTL's cycles simulator and host's description are off, by
    phase and as a whole. `spending`: area and energy. `kernel_cycles`: what an operating system
    would add to a frame, the fewest and the most; modelled. `result`: "ok", or what the firmware
    said went wrong.
    """

    host: str
    use: Use
    machine: str
    accelerator: str | None
    parameters: str
    level: int
    towers_run: int
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
    spending: Spending
    kernel_cycles: tuple[int, int] | None
    seconds: float
    provenance: str = "rtl"

    @property
    def total_cycles(self) -> int:
        """Of all frames, without the set-up."""
        return sum(self.phases.values())

    @property
    def is_composed(self) -> bool:
        """Whether towers did not run that the cycles are of."""
        return self.towers_run < self.level

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
        return f"it differs from our client's; slots are off by {self.error}"

    def to_dict(self) -> dict[str, Any]:
        """Plain values, for JSON."""
        apart = ("deviation", "spending", "kernel_cycles")
        shown = {name: value for name, value in vars(self).items() if name not in apart}
        return {
            **shown,
            "total_cycles": self.total_cycles,
            "composed": self.is_composed,
            "simulator_deviation": self.deviation,
            "spending": self.spending.to_dict(),
            "kernel_cycles": None if self.kernel_cycles is None else list(self.kernel_cycles),
        }


#: Counted, or expected.
Cycles = TypeVar("Cycles", int, float)
#: Whether what the modem got is right, the largest error of a slot, and its bound.
Check: TypeAlias = Callable[[bytes], tuple[bool, float | None, float | None]]
#: Of one tower.
Timed: TypeAlias = Callable[[Parameters, Machine], native.Timing | None]
Prediction: TypeAlias = Callable[[CoreModel, Parameters, Machine | None, int], dict[str, float]]


@dataclass(frozen=True)
class Work:
    """What a firmware was made to do: frames, of a level, of which so many towers; cycles expected
    by phase, how long an accelerator is at a tower, and what a driver would carry of a frame.
    """

    frames: int
    level: int
    towers: int
    expected: dict[str, float]
    timed: Timed
    driven: Driven
    check: Check


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

    def __init__(  # noqa: PLR0913 - what a chip is made of, and how it is used
        self,
        host: str,
        machine: Machine,
        parameters: Parameters,
        *,
        use: Use = "accelerated",
        attachment: Attachment | None = None,
        waves: bool = False,
    ) -> None:
        """Raises `ParameterError` for a host or an attachment that there is not, `MachineError` for
        a machine that the firmware has no driver for. `waves`: whether `run` can write them, which
        is slower.
        """
        self.chip = Chip(
            host,
            machine,
            registers_only=use != "accelerated",
            waves=waves,
            instructions=use == "instructions",
            memory_bytes=MEMORY_BYTES * max(1, parameters.n // MEMORY_DEGREE),
            attachment=attachment,
        )
        package = self.chip.package
        if package.top != _DRIVEN:
            raise MachineError(
                f"machine {machine.name}: the firmware drives machines of the target {_DRIVEN}, "
                f"not {machine.target}"
            )
        if self.chip.is_coherent and self.chip.port_bytes < _COHERENT_PORT_BYTES:
            raise MachineError(
                f"machine {machine.name}: its port has {self.chip.port_bytes} bytes; that of the "
                f"host {host}, where it is coherent, takes {_COHERENT_PORT_BYTES} and more"
            )
        if int(package.parameters["WordBits"]) > WORD_BITS:
            raise MachineError(
                f"machine {machine.name}: words of {package.parameters['WordBits']} bits; the "
                f"firmware has words of up to {WORD_BITS}"
            )
        self.machine, self.parameters, self.use = machine, parameters, use
        # Of larger rings one tower runs, and the others are taken to be like it.
        self.towers = parameters.levels if parameters.n <= MEMORY_DEGREE else 1

    def run(
        self,
        frames: int = 1,
        *,
        seed: int = 1,
        wave: Path | None = None,
        progress: Progress | None = None,
    ) -> Run:
        """Encrypts `frames` random messages; `progress` gets cycles and seconds now and then.

        Of a ring whose degree is above 4,096 one tower of each ciphertext runs (`Run.towers_run`).
        """
        client = Client(self.parameters, frames, seed, towers=self.towers)
        tables = self.tables(client)
        image = firmware.compiled(tables, self.chip.core, accelerator=self._is_driven)
        outcome = self._ran(image, wave, progress)
        expected = self._predicted(predicted, image, frames)
        check = partial(client.check, tables)
        n, levels = self.parameters.n, self.parameters.levels
        driven = of_encryption(self.machine, n, levels)
        work = Work(frames, levels, self.towers, expected, encryption_timing, driven, check)
        return self._judged(work, image, outcome)

    def decrypt(
        self,
        frames: int = 1,
        *,
        seed: int = 1,
        wave: Path | None = None,
        progress: Progress | None = None,
    ) -> Run:
        """Decrypts and decodes `frames` answers at the lowest level, of one tower."""
        receiver = Receiver(self.parameters, frames, seed)
        answers = self.answers(receiver)
        image = firmware.of_receiver(answers, self.chip.core, accelerator=self._is_driven)
        outcome = self._ran(image, wave, progress)
        expected = self._predicted(predicted_decryption, image, frames)
        driven = of_decryption(self.parameters.n)
        work = Work(frames, 1, 1, expected, decryption_timing, driven, receiver.check)
        return self._judged(work, image, outcome)

    def _ran(self, image: Firmware, wave: Path | None, progress: Progress | None) -> Outcome:
        with tempfile.TemporaryDirectory() as name:
            return self.chip.run(image, Path(name), wave=wave, progress=progress)

    @property
    def _is_driven(self) -> bool:
        return self.use in ("accelerated", "tax")

    @property
    def _word_bits(self) -> int:
        return int(self.chip.package.parameters["WordBits"])

    def tables(self, client: Client) -> Tables:
        """Of a client, with the constants that the accelerator reads."""
        constants = self._constants(native.Module.encryption, self.towers)
        return client.tables(constants, self._word_bits)

    def answers(self, receiver: Receiver) -> Answers:
        """Of a receiver, in the same way."""
        constants = self._constants(native.Module.decryption, 1)
        return receiver.tables(constants, self._word_bits)

    def _constants(
        self, program: Callable[[Parameters, int], native.Module], level: int
    ) -> list[list[int]]:
        """What the accelerator reads of each prime, as its own host has it in memory."""
        if not self._is_driven:
            return []
        image = native.image(self.machine, program(self.parameters, level), 1, 0)
        regions = [] if image is None else image.regions
        return [words for name, words in regions if name.startswith("constants")]

    def _judged(self, work: Work, image: Firmware, outcome: Outcome) -> Run:
        set_up, ran = outcome.phases
        phases = _composed(ran, work)
        said = outcome.said
        correct, error, bound = False, None, None
        if said == "ok" and self.use != "tax":
            correct, error, bound = work.check(outcome.transmitted)
        accelerators = {"accelerated": self.machine.target, "tax": "registers alone"}
        return Run(
            host=self.chip.title,
            machine=self.machine.name,
            accelerator=accelerators.get(self.use),
            use=self.use,
            parameters=self.parameters.name,
            level=work.level,
            towers_run=work.towers,
            frames=work.frames,
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
            deviation=_deviation(phases, _composed(work.expected, work)),
            spending=self._spending(work, sum(phases.values())),
            kernel_cycles=self._kernel_cycles(work.driven),
            seconds=outcome.seconds,
        )

    def _kernel_cycles(self, driven: Driven) -> tuple[int, int] | None:
        return None if self.use != "accelerated" else added_cycles(self.chip.profile, driven)

    def _spending(self, work: Work, cycles: int) -> Spending:
        programs: list[Program] = []
        if self.use == "accelerated":
            timing = work.timed(self.parameters, self.machine)
            programs.append((self.machine, timing, work.level))
        return spent(self.chip.host, Range.of(cycles / work.frames), programs)

    def _predicted(self, prediction: Prediction, image: Firmware, frames: int) -> dict[str, float]:
        """What the simulators say, by phase; nothing where nothing computes."""
        if self.use == "tax":
            return {}
        machine = self.machine if self.use == "accelerated" else None
        return prediction(self.chip.model(image), self.parameters, machine, frames)


def _composed(ran: Mapping[str, Cycles], work: Work) -> dict[str, Cycles]:
    """Cycles of all towers, of those of some."""
    factor = work.level // work.towers
    return {name: cycles * (factor if name in _OF_TOWERS else 1) for name, cycles in ran.items()}


def _deviation(phases: Mapping[str, int], expected: Mapping[str, float]) -> dict[str, float]:
    """Of what is expected, by phase and as a whole."""
    known = [name for name in phases if name in expected]
    if not known:
        return {}
    apart = {name: expected[name] / phases[name] - 1 for name in known}
    whole = sum(expected[name] for name in known) / sum(phases[name] for name in known) - 1
    return {**apart, "whole": whole}
