"""A program that an accelerator runs by itself, brought and started by firmware, in RTL."""

from __future__ import annotations

import tempfile
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from ringwright import _ringwright as native
from ringwright.errors import MachineError
from ringwright.machines import Machine
from ringwright.soc import firmware
from ringwright.soc.cache import Walk, written
from ringwright.soc.chip import MEMORY_BYTES, Attachment, Chip, Outcome, Progress
from ringwright.soc.command_list import CommandList
from ringwright.soc.prediction import through_port

__all__ = ["ListRun", "run_list"]

#: What there is a driver for (`fw/src/rpu.c`).
_DRIVEN = "rpu"
_LIST = "list"
#: A list that takes so many times what the simulator says has hung.
_PATIENCE = 4


@dataclass(frozen=True)
class ListRun:
    """What a list took on a chip and whether every word of its results was right.

    `phases`: cycles by what the firmware did; `deviation`: by what share of the RTL's cycles of the
    list the machine's simulator is off, `None` where none ran. `result`: "ok", or what the firmware
    said went wrong.
    """

    host: str
    machine: str
    memory_latency: int
    result: str
    correct: bool
    set_up_cycles: int
    phases: dict[str, int]
    words: int
    deviation: float | None
    seconds: float
    provenance: str = "rtl"

    @property
    def total_cycles(self) -> int:
        """Without the set-up."""
        return sum(self.phases.values())

    @property
    def wrong(self) -> str | None:
        """What is, if anything."""
        if self.result != "ok":
            return f"the firmware ended with: {self.result}"
        return None if self.correct else "words differ from the interpreter's"

    def to_dict(self) -> dict[str, Any]:
        """Plain values, for JSON."""
        shown = {name: value for name, value in vars(self).items() if name != "deviation"}
        deviation = {"run": self.deviation}
        return {**shown, "total_cycles": self.total_cycles, "simulator_deviation": deviation}


def run_list(  # noqa: PLR0913 - what a chip is made of, and what it runs
    host: str,
    machine: Machine,
    module: native.Module,
    *,
    attachment: Attachment | None = None,
    seed: int = 1,
    progress: Progress | None = None,
) -> ListRun:
    """A program of the ring on operands drawn by a seed.

    Raises `ParameterError` for a host or an attachment that there is not, `MachineError` for a
    machine that the firmware has no driver for, or that has no room.
    """
    chip = Chip(host, machine, attachment=attachment)
    if chip.package.top != _DRIVEN:
        raise MachineError(
            f"machine {machine.name}: the firmware starts lists on machines of the target "
            f"{_DRIVEN}, not {machine.target}"
        )
    image = native.image(machine, module, seed, 0)
    timing = native.lower(native.Backend(_with_this_memory(chip)), module).timing
    if image is None or timing is None or _LIST not in [name for name, *_ in image.memories]:
        raise MachineError(f"machine {machine.name}: it runs this program at one start, not a list")
    word_bits = int(chip.package.parameters["WordBits"])
    cycles = through_port(chip.model(), timing) if chip.is_coherent else timing.cycles
    commands = CommandList.of(image, word_bits, _PATIENCE * cycles)
    places = firmware.address_map(host)
    window = places["WINDOW_BASE"] - places["MEMORY_BASE"]
    with tempfile.TemporaryDirectory() as name:
        outcome = chip.run(
            firmware.of_list(commands, chip.core),
            Path(name),
            memory_bytes=max(MEMORY_BYTES, window + _whole(commands.memory_bytes)),
            progress=progress,
        )
    given_back = _given_back(chip, commands) if chip.is_coherent else 0
    return _judged(chip, commands, outcome, cycles + given_back)


def _given_back(chip: Chip, commands: CommandList) -> float:
    """Cycles for lines that the core still has of what it brought, one array behind the other."""
    core, places = chip.model(), firmware.address_map(chip.host)
    cache, source = core.started(), places["READ_ONLY_BASE"]
    for address, data in commands.parts:
        walks = Walk(source, 8), written(places["WINDOW_BASE"] + address, 8)
        cache.walk(-(-len(data) // 8), *walks)
        source += len(data)
    cache.share(places["WINDOW_BASE"], commands.memory_bytes)
    return core.port_cycles(0, cache.given_back)


def _with_this_memory(chip: Chip) -> Machine:
    """The machine, but that its memory brings a beat of the port every cycle, as the chip's."""
    rate = 8 * chip.port_bytes * 10**15 // int(chip.machine.values["clock_fs"])
    source = "hw/soc/rtl/soc_memory_port.sv: a beat every cycle"
    name = f"{chip.machine.name}-on-chip"
    return chip.machine.with_values(name, source=source, dma_bits_per_second=rate)


def _whole(size: int) -> int:
    """In lines."""
    return -(-size // 64) * 64


def _judged(chip: Chip, commands: CommandList, outcome: Outcome, cycles: float) -> ListRun:
    set_up, phases = outcome.phases
    expected = b"".join(data for _, data in commands.results)
    return ListRun(
        host=chip.title,
        machine=chip.machine.name,
        memory_latency=chip.memory_latency,
        result=outcome.said,
        correct=outcome.code == 0 and outcome.transmitted == expected,
        set_up_cycles=set_up,
        phases=phases,
        words=8 * len(expected) // commands.word_bits,
        deviation=cycles / phases["run"] - 1 if "run" in phases else None,
        seconds=outcome.seconds,
    )
