"""A run of the firmware on a core in RTL, with or without an accelerator, and what it took.

The core runs the same C as a PC; every cycle is one of the RTL's. What the modem got is compared,
word for word, with what our client makes of the same polynomials and seeds, and decrypted.
"""

from __future__ import annotations

import json
import subprocess
import tempfile
from collections.abc import Callable
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import Any, Literal, TypeAlias

from ringwright import _ringwright as native
from ringwright import checkout
from ringwright.ckks import Parameters
from ringwright.errors import MachineError, MissingToolError, ParameterError
from ringwright.machines import Host, Machine
from ringwright.soc import firmware
from ringwright.soc.client import Client
from ringwright.soc.firmware import Firmware
from ringwright.soc.prediction import Cache, predicted
from ringwright.soc.tables import WORD_BITS, Tables

__all__ = ["HOSTS", "MEMORY_BYTES", "Run", "Simulation", "Use", "preset_of"]

#: Cores, and the descriptions of `machines/hosts` that say what their operations take.
_PROFILES = {"blackparrot": "blackparrot-measured"}
HOSTS = tuple(_PROFILES)
#: With the machine, without any, or with one that takes no time and computes nothing.
Use: TypeAlias = Literal["accelerated", "alone", "tax"]
#: Writable memory of a core.
MEMORY_BYTES = 128 * 1024
#: No run here takes a tenth of it.
MOST_CYCLES = 10**10
#: Beats of a transfer take two cycles more than memory does (`hw/soc/rtl/soc_memory_port.sv`).
_DMA_CYCLES = 2
_NULL = "null"
#: What there is a driver for (`fw/src/rise.c`).
_DRIVEN = "rise"
_TRAP = 256
_WORD_BYTES = 4


@dataclass(frozen=True)
class Run:
    """What a run took and whether it was right.

    `phases`: cycles of all frames, by what the firmware did; `set_up_cycles` come before, once.
    `stack_bytes`: the deepest that the stack came. `error`: the largest difference between a slot
    and its message, `error_bound`: what it exceeds with probability 2^-20. `deviation`: by what
    share of the RTL's cycles simulator and host's description are off, by phase and as a whole.
    `result`: "ok", or what the firmware said went wrong.
    """

    host: str
    use: Use
    machine: str
    accelerator: str | None
    parameters: str
    level: int
    frames: int
    memory_latency: int
    result: str
    correct: bool
    error: float
    error_bound: float
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
        return f"words differ from our client's, or slots are off by {self.error}"

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
        if host not in HOSTS:
            raise ParameterError(f"no host {host!r}: allowed are {', '.join(HOSTS)}")
        package = native.rtl_package(machine, 1)
        if package is None or package.top != _DRIVEN:
            raise MachineError(
                f"machine {machine.name}: the firmware drives machines of the target {_DRIVEN}, "
                f"not {machine.target}"
            )
        if int(package.parameters["WordBits"]) > WORD_BITS:
            raise MachineError(
                f"machine {machine.name}: words of {package.parameters['WordBits']} bits; the "
                f"firmware has words of up to {WORD_BITS}"
            )
        self.host, self.machine, self.parameters = host, machine, parameters
        self.use, self.waves = use, waves
        self._package = package

    @property
    def memory_latency(self) -> int:
        """Cycles until memory answers, which the machine's description says of its transfers."""
        return int(self.machine.values["dma_latency"]) - _DMA_CYCLES

    @cached_property
    def program(self) -> Path:
        """The model, built now or found."""
        if missing := checkout.harness("toolchain").missing():
            raise MissingToolError(f"the SoC's model needs {', '.join(missing)}")
        build = checkout.harness("soc.build")
        checkout.need(build.HOSTS[self.host].PACKAGE, f"the host {self.host}")
        if self.waves and (missing := build.missing_for_waves()):
            raise MissingToolError(f"waves need {', '.join(missing)} of Debian, or their like")
        parameters = self._package.parameters
        model = build.Model(
            host=self.host,
            top=self._package.top if self.use == "accelerated" else _NULL,
            parameters=tuple(sorted(parameters.items())),
            port_bytes=_WORD_BYTES * int(parameters["PortWords"]),
            latency=self.memory_latency,
            waves=self.waves,
        )
        try:
            return Path(build.build(model))
        except checkout.harness("toolchain").ToolError as error:
            raise MissingToolError(f"the SoC's model is not built:\n{error}") from error

    def run(
        self,
        frames: int = 1,
        *,
        seed: int = 1,
        wave: Path | None = None,
        progress: Callable[[int, float], None] | None = None,
    ) -> Run:
        """Encrypts `frames` random messages; `progress` gets cycles and seconds now and then."""
        client = Client(self.parameters, frames, seed)
        tables = self.tables(client)
        image = firmware.compiled(
            tables,
            self.isa,
            memory_bytes=MEMORY_BYTES,
            accelerator=self.use != "alone",
        )
        with tempfile.TemporaryDirectory() as name:
            outcome = simulate(self.program, image, Path(name), wave, progress)
        return self._judged(client, tables, image, outcome)

    @property
    def isa(self) -> str:
        """What the core executes, as the compiler names it."""
        return str(checkout.harness("soc.build").HOSTS[self.host].ISA)

    @property
    def host_title(self) -> str:
        """How results name the core."""
        return str(checkout.harness("soc.build").HOSTS[self.host].TITLE)

    def tables(self, client: Client) -> Tables:
        """Of a client, with the constants that the accelerator reads."""
        return client.tables(self._constants(), int(self._package.parameters["WordBits"]))

    def _constants(self) -> list[list[int]]:
        """What the accelerator reads of each prime, as its own host has it in memory."""
        if self.use == "alone":
            return []
        level = self.parameters.levels
        image = native.image(self.machine, native.Module.encryption(self.parameters, level), 1, 0)
        regions = [] if image is None else image.regions
        return [words for name, words in regions if name.startswith("constants")]

    def _judged(self, client: Client, tables: Tables, image: Firmware, outcome: Outcome) -> Run:
        names = firmware.enumerators("src/platform.h", "PHASE")
        set_up, phases = outcome.phases(names)
        said = _said(outcome.code)
        correct, error, bound = (False, float("inf"), 0.0)
        if said == "ok" and self.use != "tax":
            correct, error, bound = client.check(tables, outcome.transmitted)
        accelerators = {"accelerated": self.machine.target, "tax": "registers alone", "alone": None}
        return Run(
            host=self.host_title,
            machine=self.machine.name,
            accelerator=accelerators[self.use],
            use=self.use,
            parameters=self.parameters.name,
            level=self.parameters.levels,
            frames=len(tables.messages),
            memory_latency=self.memory_latency,
            result=said,
            correct=correct,
            error=error,
            error_bound=bound,
            set_up_cycles=set_up,
            phases=phases,
            static_bytes=image.static_bytes,
            stack_bytes=image.stack_bytes(outcome.memory),
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
        host = Host.load(_PROFILES[self.host])
        cache = Cache(*checkout.harness("soc.build").HOSTS[self.host].CACHE)
        cycles = predicted(host, cache, self.parameters, machine, frames)
        known = [name for name in phases if name in cycles]
        apart = {name: cycles[name] / phases[name] - 1 for name in known}
        whole = sum(cycles[name] for name in known) / sum(phases[name] for name in known) - 1
        return {**apart, "whole": whole}


@dataclass(frozen=True)
class Outcome:
    """What a run left: the exit's code if there was one, marks with their cycles, what the modem
    got, memory, seconds.
    """

    code: int | None
    marks: list[tuple[int, int]]
    transmitted: bytes
    memory: bytes
    seconds: float

    def phases(self, names: dict[int, str]) -> tuple[int, dict[str, int]]:
        """Cycles of the set-up, and of every other phase."""
        cycles: dict[str, int] = {}
        for (number, begin), (_, end) in zip(self.marks, self.marks[1:], strict=False):
            name = names[number]
            cycles[name] = cycles.get(name, 0) + end - begin
        return cycles.pop("set_up", 0), cycles


def simulate(
    program: Path,
    image: Firmware,
    folder: Path,
    wave: Path | None = None,
    progress: Callable[[int, float], None] | None = None,
) -> Outcome:
    """Runs a model with a firmware, its files in a folder."""
    files = {name: folder / name for name in ("read-only", "events", "transmitted", "memory-image")}
    files["read-only"].write_bytes(image.read_only)
    command = [str(program), "--memory", str(image.memory_bytes), "--cycles", str(MOST_CYCLES)]
    places = firmware.address_map()
    for name in ("read-only-base", "memory-base"):
        command += [f"--{name}", str(places[name.replace("-", "_").upper()])]
    for name, file in files.items():
        command += [f"--{name}", str(file)]
    command += [] if wave is None else ["--wave", str(wave)]
    # What the core's own sources print goes nowhere.
    with subprocess.Popen(
        command, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True
    ) as running:
        assert running.stderr is not None
        for line in running.stderr:
            if progress is not None and line.startswith("{"):
                said = json.loads(line)
                progress(said["cycles"], said["seconds"])
    if running.returncode not in (0, 3):
        raise MissingToolError(f"the SoC's model ended with code {running.returncode}")
    events = [json.loads(line) for line in files["events"].read_text().splitlines()]
    codes = [event["exit"] for event in events if "exit" in event]
    return Outcome(
        code=codes[0] if codes else None,
        marks=[(event["mark"], event["cycle"]) for event in events if "mark" in event],
        transmitted=files["transmitted"].read_bytes(),
        memory=files["memory-image"].read_bytes(),
        seconds=events[-1]["seconds"],
    )


def _said(code: int | None) -> str:
    if code is None:
        return "no exit"
    if code >= _TRAP:
        return f"trap {code - _TRAP}"
    return (
        firmware.enumerators("src/result.h", "RESULT").get(code, f"code {code}").replace("_", " ")
    )
