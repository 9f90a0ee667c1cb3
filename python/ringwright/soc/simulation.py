"""A run of the firmware on a core in RTL, with or without an accelerator, and what it took.

The core runs the same C as a PC; every cycle is one of the RTL's. What the modem got is compared,
word for word, with what our client makes of the same polynomials and seeds, and decrypted.
"""

from __future__ import annotations

import json
import re
import subprocess
import tempfile
from collections.abc import Callable
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import Any, Literal, TypeAlias

import numpy as np
from numpy.typing import NDArray

from ringwright import _ringwright as native
from ringwright import checkout
from ringwright.ckks import Parameters
from ringwright.errors import MachineError, MissingToolError, ParameterError, RingwrightError
from ringwright.machines import Machine
from ringwright.machines import backend as made_ready
from ringwright.soc import firmware
from ringwright.soc.firmware import Firmware
from ringwright.soc.tables import WORD_BITS, Tables

__all__ = ["HOSTS", "MEMORY_BYTES", "Run", "Simulation", "Use", "preset_of"]

HOSTS = ("blackparrot",)
#: With the machine, without any, or with one that takes no time and computes nothing.
Use: TypeAlias = Literal["accelerated", "alone", "tax"]
#: Writable memory of a core.
MEMORY_BYTES = 128 * 1024
#: No run here takes a tenth of it.
MOST_CYCLES = 10**10
_KEY_SEED = bytes(range(32))
#: Beats of a transfer take two cycles more than memory does (`hw/soc/rtl/soc_memory_port.sv`).
_DMA_CYCLES = 2
_NULL = "null"
_TRAP = 256
_WORD_BYTES = 4


@dataclass(frozen=True)
class Run:
    """What a run took and whether it was right.

    `phases`: cycles of all frames, by what the firmware did; `set_up_cycles` come before, once.
    `stack_bytes`: the deepest that the stack came. `error`: the largest difference between a slot
    and its message, `error_bound`: what it exceeds with probability 2^-20. `deviation`: by what
    share of the RTL's cycles the accelerator's simulator is off, where a phase is the
    accelerator's alone. `result`: "ok", or what the firmware said went wrong.
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
        if package is None or package.top != "rise":
            raise MachineError(
                f"machine {machine.name}: the firmware drives machines of the target rise, "
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
        parameters = self._package.parameters
        model = build.Model(
            host=self.host,
            top="rise" if self.use == "accelerated" else _NULL,
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
        client = _Client(self.parameters, frames, seed)
        tables = client.tables(self._constants(), int(self._package.parameters["WordBits"]))
        image = firmware.compiled(
            tables,
            checkout.harness("soc.build").HOSTS[self.host].ISA,
            memory_bytes=MEMORY_BYTES,
            accelerator=self.use != "alone",
        )
        with tempfile.TemporaryDirectory() as name:
            outcome = _simulate(self.program, image, Path(name), wave, progress)
        return self._judged(client, tables, image, outcome)

    def _constants(self) -> list[list[int]]:
        """What the accelerator reads of each prime, as its own host has it in memory."""
        if self.use == "alone":
            return []
        level = self.parameters.levels
        image = native.image(self.machine, native.Module.encryption(self.parameters, level), 1, 0)
        regions = [] if image is None else image.regions
        return [words for name, words in regions if name.startswith("constants")]

    def _judged(self, client: _Client, tables: Tables, image: Firmware, outcome: _Outcome) -> Run:
        names = _enumerators("platform.h", "PHASE")
        set_up, phases = outcome.phases(names)
        said = _said(outcome.code)
        correct, error, bound = (False, float("inf"), 0.0)
        if said == "ok" and self.use != "tax":
            correct, error, bound = client.check(tables, outcome.transmitted)
        accelerators = {"accelerated": self.machine.target, "tax": "registers alone", "alone": None}
        return Run(
            host=checkout.harness("soc.build").HOSTS[self.host].TITLE,
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
        """Of the accelerator's simulator: tower by tower, as the firmware waits for each."""
        if self.use != "accelerated" or not phases.get("encrypt"):
            return {}
        tower = native.Module.encryption(self.parameters, 1)
        timing = native.lower(native.Backend(self.machine), tower).timing
        if timing is None:
            return {}
        simulated = timing.cycles * self.parameters.levels * frames
        return {"encrypt": simulated / phases["encrypt"] - 1}


@dataclass(frozen=True)
class _Outcome:
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


class _Client:
    """Keys, messages and seeds that follow from a number, and what our own client makes of them."""

    def __init__(self, parameters: Parameters, frames: int, seed: int) -> None:
        self.parameters = parameters
        self._backend = made_ready(Machine.load("cpu"))
        keys = native.KeyGenerator.with_insecure_seed(parameters, self._backend, _KEY_SEED)
        self._secret = keys.secret_key()
        self._public = keys.public_key(self._secret)
        random = np.random.default_rng(seed)
        self._messages = [random.uniform(-1, 1, parameters.slots) for _ in range(frames)]
        self._seeds = [random.bytes(32) for _ in range(frames)]

    def tables(self, constants: list[list[int]], word_bits: int) -> Tables:
        """For the firmware."""
        parameters = self.parameters
        return Tables(
            parameters,
            parameters.levels,
            self._public,
            self._seeds,
            self._messages,
            constants,
            word_bits,
        )

    def check(self, tables: Tables, sent: bytes) -> tuple[bool, float, float]:
        """Whether every word is that of our encryption of the firmware's encoding, and decrypts;
        the largest error of a slot, and its bound.
        """
        parameters, level = self.parameters, self.parameters.levels
        shape = (len(self._messages), level, 2, parameters.n)
        if len(sent) != 4 * int(np.prod(shape)):
            return False, float("inf"), 0.0
        words = np.frombuffer(sent, dtype=np.uint32).reshape(shape).astype(np.uint64)
        encoded, _ = firmware.run_here(tables)
        encryptor = native.Encryptor(parameters, self._public, self._backend)
        decryptor = native.Decryptor(parameters, self._secret, self._backend)
        embedding = native.Embedding(parameters)
        correct, error, bound = True, 0.0, 0.0
        for frame, message in enumerate(self._messages):
            plain = native.plaintext_of_coefficients(
                parameters, encoded[frame], parameters.scale, level
            )
            ours = encryptor.encrypt_with_insecure_seed(plain, self._seeds[frame])
            theirs = (_part(words[frame], 0), _part(words[frame], 1))
            same = zip(native.ciphertext_words(ours), theirs, strict=True)
            correct &= all(np.array_equal(a, b) for a, b in same)
            try:
                received = native.fresh_ciphertext(parameters, theirs, parameters.scale)
            except RingwrightError:
                return False, float("inf"), 0.0
            values = embedding.decode_real(decryptor.decrypt(received))
            error = max(error, float(np.max(np.abs(values - message))))
            bound = received.error_bound
        return correct and error <= bound, error, bound


def _part(frame: NDArray[np.uint64], part: int) -> NDArray[np.uint64]:
    """The towers of one part, one behind the other."""
    return np.ascontiguousarray(frame[:, part, :]).ravel()


def _simulate(
    program: Path,
    image: Firmware,
    folder: Path,
    wave: Path | None,
    progress: Callable[[int, float], None] | None,
) -> _Outcome:
    files = {name: folder / name for name in ("read-only", "events", "transmitted", "memory-image")}
    files["read-only"].write_bytes(image.read_only)
    command = [str(program), "--memory", str(image.memory_bytes), "--cycles", str(MOST_CYCLES)]
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
    return _Outcome(
        code=codes[0] if codes else None,
        marks=[(event["mark"], event["cycle"]) for event in events if "mark" in event],
        transmitted=files["transmitted"].read_bytes(),
        memory=files["memory-image"].read_bytes(),
        seconds=events[-1]["seconds"],
    )


def _enumerators(header: str, prefix: str) -> dict[int, str]:
    """Of an enumeration of the firmware, by number."""
    text = (checkout.ROOT / "fw" / "src" / header).read_text()
    found = re.findall(rf"\b{prefix}_(\w+) = (\d+)", text)
    return {int(number): name.lower() for name, number in found}


def _said(code: int | None) -> str:
    if code is None:
        return "no exit"
    if code >= _TRAP:
        return f"trap {code - _TRAP}"
    return _enumerators("result.h", "RESULT").get(code, f"code {code}").replace("_", " ")
