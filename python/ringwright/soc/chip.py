"""The chip of `hw/soc`: a core and what is in its socket, and a run of a firmware on it."""

from __future__ import annotations

import json
import subprocess
from collections.abc import Callable
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import Any, Literal, TypeAlias, get_args

from ringwright import _ringwright as native
from ringwright import checkout
from ringwright.errors import MachineError, MissingToolError, ParameterError
from ringwright.machines import Host, Machine
from ringwright.soc import firmware
from ringwright.soc.cache import Geometry
from ringwright.soc.firmware import Firmware
from ringwright.soc.prediction import CoreModel

__all__ = [
    "HOSTS",
    "MEMORY_BYTES",
    "MEMORY_DEGREE",
    "Attachment",
    "Chip",
    "Outcome",
    "Progress",
]

#: Of accelerator and modem: through the core's caches, or past them on ports of their own.
Attachment: TypeAlias = Literal["coherent", "streaming"]
_ATTACHMENTS: tuple[Attachment, ...] = get_args(Attachment)

#: Cores, and the descriptions of `machines/hosts` that say what their operations take.
_PROFILES = {"blackparrot": "blackparrot-measured", "rocket": "rocket-measured"}
_PROFILES_OF_INSTRUCTIONS = {"blackparrot": "blackparrot-instructions-measured"}
HOSTS = tuple(_PROFILES)
#: Writable memory of a core, for rings of up to this degree.
MEMORY_BYTES, MEMORY_DEGREE = 128 * 1024, 4096
#: No phase of a frame takes half of it.
MOST_CYCLES = 3 * 10**7
#: Beats of a transfer take two cycles more than memory does (`hw/soc/rtl/soc_memory_port.sv`).
_DMA_CYCLES = 2
_NULL = "null"
_TRAP = 256
_WORD_BYTES = 4
#: Gets cycles and seconds now and then.
Progress: TypeAlias = Callable[[int, float], None]


@dataclass(frozen=True)
class Chip:
    """A core with a machine in its socket. `registers_only`: with what takes no time and computes
    nothing instead. `waves`: whether runs can write them, which is slower. `instructions`: whether
    firmware uses those that our multiplier has. `memory_bytes`: what the core may write to.
    `attachment`: `None` for the first of those that the host has.
    """

    host: str
    machine: Machine
    registers_only: bool = False
    waves: bool = False
    instructions: bool = False
    memory_bytes: int = MEMORY_BYTES
    attachment: Attachment | None = None

    def __post_init__(self) -> None:
        """Raises `ParameterError` for a host that there is not, or that has no such instructions or
        attachment.
        """
        if self.host not in HOSTS:
            raise ParameterError(f"no host {self.host!r}: allowed are {', '.join(HOSTS)}")
        if self.instructions and self.host not in _PROFILES_OF_INSTRUCTIONS:
            raise ParameterError(
                f"host {self.host}: it has no instructions of ours; allowed are "
                f"{', '.join(_PROFILES_OF_INSTRUCTIONS)}"
            )
        if self.attachment not in (None, *self._attachments):
            raise ParameterError(
                f"host {self.host}: attachment {self.attachment!r} given, allowed are "
                f"{', '.join(self._attachments)}"
            )

    @property
    def _attachments(self) -> tuple[Attachment, ...]:
        """That the host has."""
        return _ATTACHMENTS if _build().has_coherent_port(self.host) else ("streaming",)

    @cached_property
    def package(self) -> native.RtlPackage:
        """The machine's RTL."""
        package = native.rtl_package(self.machine, 1)
        if package is None:
            raise MachineError(f"machine {self.machine.name}: it has no RTL")
        return package

    @property
    def port_bytes(self) -> int:
        """Of a beat of the machine's port to memory."""
        parameters = self.package.parameters
        if "PortBytes" in parameters:
            return int(parameters["PortBytes"])
        return _WORD_BYTES * int(parameters["PortWords"])

    @property
    def is_coherent(self) -> bool:
        """Whether the machine reaches memory through the core's caches."""
        return (self.attachment or self._attachments[0]) == "coherent"

    @property
    def memory_latency(self) -> int:
        """Cycles until memory answers, which the machine's description says of its transfers."""
        return int(self.machine.values["dma_latency"]) - _DMA_CYCLES

    @property
    def core(self) -> firmware.Core:
        """What firmware is compiled for."""
        isa = str(_build().HOSTS[self.host].ISA)
        return firmware.Core(
            self.host, isa, self.memory_bytes, self.instructions, not self.is_coherent
        )

    @property
    def title(self) -> str:
        """How results name the core."""
        title = str(_build().HOSTS[self.host].TITLE)
        return f"{title} and instructions" if self.instructions else title

    @property
    def profile(self) -> Host:
        """What the core's operations take."""
        profiles = _PROFILES_OF_INSTRUCTIONS if self.instructions else _PROFILES
        return Host.load(profiles[self.host])

    def model(self, image: Firmware | None = None) -> CoreModel:
        """What is known of the core without a run, and of what it would run."""
        host = _build().HOSTS[self.host]
        return CoreModel(
            profile=self.profile,
            cache=Geometry(*host.CACHE),
            is_shared=self.is_coherent,
            latency=self.memory_latency,
            miss_overhead=host.MISS_OVERHEAD,
            write_back=host.WRITE_BACK,
            give_back_overhead=host.GIVE_BACK_OVERHEAD,
            port_lines=host.PORT_LINES,
            instructions=self.instructions,
            memory=(firmware.address_map(self.host)["MEMORY_BASE"], self.memory_bytes),
            symbols={} if image is None else image.symbols,
        )

    @cached_property
    def program(self) -> Path:
        """The model, built now or found."""
        if missing := checkout.harness("toolchain").missing():
            raise MissingToolError(f"the SoC's model needs {', '.join(missing)}")
        build = _build()
        checkout.need(build.HOSTS[self.host].PACKAGE, f"the host {self.host}")
        if self.waves and (missing := build.missing_for_waves()):
            raise MissingToolError(f"waves need {', '.join(missing)} of Debian, or their like")
        model = build.Model(
            host=self.host,
            top=_NULL if self.registers_only else self.package.top,
            parameters=tuple(sorted(self.package.parameters.items())),
            port_bytes=self.port_bytes,
            latency=self.memory_latency,
            coherent=self.is_coherent,
            waves=self.waves,
        )
        try:
            return Path(build.build(model))
        except checkout.harness("toolchain").ToolError as error:
            raise MissingToolError(f"the SoC's model is not built:\n{error}") from error

    def run(
        self,
        image: Firmware,
        folder: Path,
        *,
        memory_bytes: int | None = None,
        wave: Path | None = None,
        progress: Progress | None = None,
    ) -> Outcome:
        """Runs a firmware, files in a folder. `memory_bytes`: of all memory, where there is more
        than the firmware's.
        """
        files = {
            name: folder / name for name in ("read-only", "events", "transmitted", "memory-image")
        }
        files["read-only"].write_bytes(image.read_only)
        places = firmware.address_map(self.host)
        values = {
            "memory": image.core.memory_bytes if memory_bytes is None else memory_bytes,
            "cycles": MOST_CYCLES,
            "read-only-base": places["READ_ONLY_BASE"],
            "memory-base": places["MEMORY_BASE"],
            **files,
            **({} if wave is None else {"wave": wave}),
        }
        command = [str(self.program)]
        for name, value in values.items():
            command += [f"--{name}", str(value)]
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
            stack_bytes=sum(event.get("stack", 0) for event in events),
            memory=files["memory-image"].read_bytes(),
            seconds=events[-1]["seconds"],
        )


@dataclass(frozen=True)
class Outcome:
    """What a run left: the exit's code if there was one, marks with their cycles, what the modem
    got, how deep the stack came, memory but for what lies in a cache, seconds.
    """

    code: int | None
    marks: list[tuple[int, int]]
    transmitted: bytes
    stack_bytes: int
    memory: bytes
    seconds: float

    @property
    def phases(self) -> tuple[int, dict[str, int]]:
        """Cycles of the set-up, and of every other phase."""
        names = firmware.enumerators("src/platform.h", "PHASE")
        cycles: dict[str, int] = {}
        for (number, begin), (_, end) in zip(self.marks, self.marks[1:], strict=False):
            name = names[number]
            cycles[name] = cycles.get(name, 0) + end - begin
        return cycles.pop("set_up", 0), cycles

    @property
    def said(self) -> str:
        """What the firmware said went wrong; "ok" if nothing did."""
        if self.code is None:
            return "no exit"
        if self.code >= _TRAP:
            return f"trap {self.code - _TRAP}"
        results = firmware.enumerators("src/result.h", "RESULT")
        return results.get(self.code, f"code {self.code}").replace("_", " ")


def _build() -> Any:
    return checkout.harness("soc.build")
