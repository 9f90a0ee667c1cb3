"""Host cores mapped onto standard cells: their logic, and which memories they have beside it.

A core is what `hw/soc` has as a host, with what connects it. Its sources come from PyPI; what is
recorded in `spec/silicon/cores.toml` are numbers. A core takes minutes.
"""

from __future__ import annotations

import hashlib
import os
import re
from collections import Counter
from dataclasses import asdict, dataclass
from typing import TYPE_CHECKING

from harness.soc import build
from harness.sources import include_options
from harness.toolchain import ROOT, ToolError

from . import flow, liberty, record
from .flow import Synthesised

if TYPE_CHECKING:
    from pathlib import Path

RECORD = record.FOLDER / "cores.toml"
_DEFINE, _INCLUDE = "+define+", "+incdir+"
_HEADER = """\
# What `ringwright synth --record` found of host cores; do not edit. Of their logic as
# synthesised.toml has it of blocks; beside it their memories of one port, each a macro.
"""
_ADDRESS = re.compile(r"(?:^|_)addr(?:_i)?\[(\d+)\]$")
_DATA = re.compile(r"(?:^|_)(?:w?data(?:_i)?)\[(\d+)\]$")


@dataclass(frozen=True)
class Memory:
    """So many of them."""

    words: int
    bits: int
    count: int


@dataclass(frozen=True)
class Core:
    """A host of `hw/soc`, mapped; `key` says from what."""

    name: str
    result: Synthesised
    memories: tuple[Memory, ...]
    key: str

    @property
    def stale(self) -> bool:
        """The sources, the flow or the library changed since."""
        return self.key != key(self.name)


def recorded() -> list[Core]:
    """What the file has."""
    made = []
    for entry in record.read(RECORD)["core"]:
        memories = tuple(Memory(**each) for each in entry.pop("memories"))
        name, old = entry.pop("name"), entry.pop("key")
        entry.pop("provenance")
        made.append(Core(name, Synthesised(**entry), memories, old))
    return made


def missing() -> list[str]:
    """Hosts that are not recorded, or stale."""
    fresh = [core.name for core in recorded() if not core.stale]
    return [name for name in build.HOSTS if name not in fresh]


def synthesise(name: str) -> Core:
    """Maps a core now."""
    host = build.HOSTS[name]
    with flow.scratch_folder() as folder:
        files = [*include_options(), *map(_option, build.host_files(name, folder))]
        options = " ".join(["--single-unit", "--ignore-assertions", *host.SLANG])
        flow.map_files(build.HOST_MODULE, options, files, folder, host.MEMORIES)
        cells = liberty.read(flow.wired_library())
        mapped = flow.strengthened(folder / "mapped.blif", cells, host.MEMORIES)
        memories = _memories(folder / "mapped.blif", host.MEMORIES)
    return Core(name, flow.measured(mapped, cells), memories, key(name))


def _option(argument: str) -> str:
    """An argument of Verilator as yosys takes it, a path as seen from the root."""
    if argument.startswith(_DEFINE):
        return "-D" + argument.removeprefix(_DEFINE)
    path = os.path.relpath(argument.removeprefix(_INCLUDE), ROOT)
    if path.startswith(".."):
        raise ToolError(f"{argument} does not lie below {ROOT}, beyond which yosys sees nothing")
    return f"-I{path}" if argument.startswith(_INCLUDE) else path


def _memories(file: Path, names: tuple[str, ...]) -> tuple[Memory, ...]:
    """By the widths of their ports."""
    found: Counter[tuple[int, int]] = Counter()
    for line in file.read_text().replace("\\\n", " ").splitlines():
        word, *rest = line.split()[:2] or [""]
        if word == ".gate" and rest[0] in names:
            pins = [pin.split("=")[0] for pin in line.split()[2:]]
            address, data = (
                1 + max(int(match[1]) for pin in pins if (match := pattern.search(pin)))
                for pattern in (_ADDRESS, _DATA)
            )
            found[2**address, data] += 1
    return tuple(Memory(words, bits, count) for (words, bits), count in sorted(found.items()))


def keep(core: Core) -> None:
    """Puts a core into the file, in its predecessor's place."""
    kept = {each.name: each for each in [*recorded(), core]}
    scratch = RECORD.with_suffix(".tmp")
    entries = (_entry(kept[name]) for name in build.HOSTS if name in kept)
    scratch.write_text(_HEADER + "".join(entries))
    os.replace(scratch, RECORD)


def _entry(core: Core) -> str:
    values = {"name": core.name, **asdict(core.result)}
    lines = [f"{name} = {record.toml(value)}" for name, value in values.items()]
    rows = "".join(f"  {record.toml(asdict(memory))},\n" for memory in core.memories)
    lines.append(f"memories = [\n{rows}]")
    ends = {"provenance": record.PROVENANCE, "key": core.key}
    lines += [f"{name} = {record.toml(value)}" for name, value in ends.items()]
    return "\n[[core]]\n" + "\n".join(lines) + "\n"


def key(name: str) -> str:
    """The hash of what decides a core."""
    host = build.HOSTS[name]
    what = (build.host_versions(name), host.SLANG, host.MEMORIES, flow.WIRE_FF, flow.STRONGER)
    digest = hashlib.sha256((flow.ABC + flow.CONSTRAINTS + flow.YOSYS + repr(what)).encode())
    for file in build.host_sources(name):
        text = file.read_text()
        digest.update((text if file.suffix != ".sv" else record.code(text)).encode())
    digest.update(flow.LIBRARY.read_bytes())
    return digest.hexdigest()[:16]
