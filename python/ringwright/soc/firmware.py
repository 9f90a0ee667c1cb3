"""The firmware of `fw/`, compiled for a core or for this computer, with the tables of one run.

The compiler is zig's, which comes from PyPI with its libraries and targets.
"""

from __future__ import annotations

import ctypes
import re
import subprocess
import sys
import tempfile
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from ringwright import checkout
from ringwright.errors import MissingToolError, ParameterError
from ringwright.soc import tables as client_tables
from ringwright.soc.command_list import CommandList
from ringwright.soc.elf import Elf
from ringwright.soc.tables import Answers, Tables

__all__ = [
    "Core",
    "Firmware",
    "compiled",
    "defined",
    "enumerators",
    "of_list",
    "of_program",
    "of_receiver",
    "receive_here",
    "run_here",
]

_ZIG = {"ziglang": "ziglang"}
_CLIENT = ("client", "encode", "ring", "sample", "shake", "wipe")
_RECEIVER = ("receiver", "decode", "ring", "sample", "shake", "wipe", "main_receiver")
#: What `soc profile` counts, in files of their own: a program's other parts do not change their
#: code, nor where it lies. BlackParrot's table of branch targets has 64 entries, which instructions
#: 256 bytes apart share (`btb_idx_width`).
_COUNTED = ("ring", "sample", "shake", "encode", "decode", "wipe")
_ALIGNED = ("-falign-functions=256",)
_WARNINGS = ("-std=c11", "-Wall", "-Wextra", "-Werror", "-O2", "-fno-builtin")
#: Packages here say where things lie, the chip's and each host's.
_MAP = ("hw", "soc", "rtl")


@dataclass(frozen=True)
class Core:
    """What a firmware is compiled for: a host of `hw/soc`, what it executes as zig names it, its
    writable memory, whether the instructions of `spec/host` are used, and whether accelerator and
    modem reach memory past its caches.
    """

    host: str
    isa: str
    memory_bytes: int
    instructions: bool = False
    is_streaming: bool = False


@dataclass(frozen=True)
class Firmware:
    """An image of a core's read-only memory, and where what it writes lies."""

    core: Core
    read_only: bytes
    symbols: dict[str, tuple[int, int]]

    @property
    def memory_bytes(self) -> int:
        """Of writable memory."""
        return self.core.memory_bytes

    @property
    def static_bytes(self) -> int:
        """Of what has an address when the program starts."""
        return self.symbols["bss_end"][0] - address_map(self.core.host)["MEMORY_BASE"]


def _source() -> Path:
    folder = checkout.ROOT / "fw"
    if not (folder / "src").is_dir():
        raise MissingToolError("the firmware is in a checkout of Ringwright, not in its wheel")
    return folder


def address_map(host: str) -> dict[str, int]:
    """Where things lie in a core's address space, by name as C has it."""
    folder = checkout.ROOT.joinpath(*_MAP)
    packages = ("soc_pkg.sv", f"soc_host_{host}_pkg.sv")
    text = "".join((folder / name).read_text() for name in packages)
    found: dict[str, int] = {}
    pattern = r"\b(\w+Base|DeviceEnd) += (?:32'h([0-9a-f_]+)|(\w+));"
    for name, number, other in re.findall(pattern, text):
        found[_in_c(name)] = int(number, 16) if number else found[_in_c(other)]
    return found


def _in_c(name: str) -> str:
    return re.sub(r"(?<!^)(?=[A-Z])", "_", name).upper()


def enumerators(file: str, prefix: str) -> dict[int, str]:
    """Of an enumeration in a file of `fw/`, by number."""
    text = (_source() / file).read_text()
    found = re.findall(rf"\b{prefix}_(\w+) = (\d+)", text)
    return {int(number): name.lower() for name, number in found}


@cache
def defined(file: str, name: str) -> int:
    """A number that a file of `fw/` defines."""
    (number,) = re.findall(rf"^#define {name} (\d+)$", (_source() / file).read_text(), re.M)
    return int(number)


def _zig(arguments: list[str]) -> None:
    checkout.need(_ZIG, "compiling the firmware")
    command = [sys.executable, "-m", "ziglang", "cc", *arguments]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    if done.returncode:
        raise ParameterError(f"the firmware does not fit these parameters:\n{done.stderr}")


def _files(names: Sequence[str]) -> list[Path]:
    return [_source() / "src" / f"{name}.c" for name in names]


def _includes(folder: Path) -> list[str]:
    return [f"-I{each}" for each in (folder, _source() / "src", _source() / "include")]


def compiled(
    tables: Tables, core: Core, *, accelerator: bool, main: Path | None = None
) -> Firmware:
    """The client for a core. `main`: another main program than the client's."""
    source = _source() / "src"
    names = [*_CLIENT, *(["rise"] if accelerator else [])]
    program = source / "main.c" if main is None else main
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        client_tables.write(tables, folder)
        files = [*_files(names), folder / "tables.c", program]
        return _linked(core, folder, files, ["-DWITH_RISE"] if accelerator else [])


def of_receiver(answers: Answers, core: Core, *, accelerator: bool) -> Firmware:
    """The receiver for a core."""
    names = [*_RECEIVER, *(["rise"] if accelerator else [])]
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        client_tables.write_answers(answers, folder)
        files = [*_files(names), folder / "tables.c", folder / "answers.c"]
        return _linked(core, folder, files, ["-DWITH_RISE"] if accelerator else [])


def of_list(commands: CommandList, core: Core) -> Firmware:
    """For a core whose accelerator runs a list of commands."""
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        commands.write(folder)
        return _linked(core, folder, [*_files(["list", "rpu"]), folder / "list_tables.c"], [])


def of_program(files: Sequence[Path], core: Core, numbers: Mapping[str, int]) -> Firmware:
    """A program that has no client's tables, but some numbers that it is told by name."""
    defines = [f"-D{name}={value}" for name, value in numbers.items()]
    with tempfile.TemporaryDirectory() as name:
        return _linked(core, Path(name), list(files), defines)


def _linked(core: Core, folder: Path, files: list[Path], defines: list[str]) -> Firmware:
    """Sources with tables in a folder, and what every core needs."""
    source = _source() / "src"
    places = address_map(core.host)
    named = (f"#define {name} {value:#x}\n" for name, value in places.items())
    (folder / "soc_map.h").write_text("".join(named))
    (folder / "host_instructions.h").write_text("".join(_instructions()))
    script = folder / "soc.ld"
    text = (source / "soc.ld").read_text()
    for place, value in {**places, "MEMORY_BYTES": core.memory_bytes}.items():
        text = text.replace(place, str(value))
    script.write_text(text)
    shared = [*_files(["memory", "platform_soc", f"host_{core.host}"]), source / "start.S"]
    options = [
        *("-target", "riscv64-freestanding-none", f"-mcpu={core.isa}", "-mcmodel=medany"),
        *("-ffreestanding", "-nostdlib", "-fno-sanitize=all", *_WARNINGS),
        *(*defines, *_with(core.instructions), *_includes(folder)),
        *(["-DSTREAMING"] if core.is_streaming else []),
    ]
    counted = [str(file) for file in files if file.stem in _COUNTED]
    objects = []
    for file in counted:
        objects.append(str(folder / Path(file).with_suffix(".o").name))
        _zig([*options, *_ALIGNED, "-c", file, "-o", objects[-1]])
    rest = [str(file) for file in (*files, *shared) if str(file) not in counted]
    made = folder / "firmware.elf"
    _zig([*options, "-flto", "-T", str(script), *objects, *rest, "-o", str(made)])
    elf = Elf(made.read_bytes())
    return Firmware(core, elf.loaded(places["READ_ONLY_BASE"]), elf.symbols())


def _with(instructions: bool) -> list[str]:
    return ["-DWITH_INSTRUCTIONS"] if instructions else []


def _instructions() -> Iterator[str]:
    """Their numbers, as the core decodes them."""
    spec = checkout.harness("soc.instructions")
    yield f"#define INSTRUCTION_OPCODE {spec.OPCODE:#x}\n"
    for instruction in spec.ALL:
        yield f"#define {instruction.name.upper()}_FUNCT3 {instruction.funct3}\n"
    for name, address in spec.REGISTERS.items():
        yield f"#define {name.upper()}_ADDRESS {address:#x}\n"


def run_here(
    tables: Tables, *, instructions: bool = False
) -> tuple[list[NDArray[np.int64]], bytes]:
    """The same sources on this computer, without an accelerator: every frame's coefficients, and
    what the modem got. `instructions`: with those of `spec/host`, done in C.
    """
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        client_tables.write(tables, folder)
        files = [*_files([*_CLIENT, "main"]), folder / "tables.c"]
        client = _loaded(folder, files, _with(instructions))
    n = tables.parameters.n
    encoded = []
    for message in tables.messages:
        values = np.zeros(n // 2)
        values[: len(message)] = message
        given = client_tables.fixed(values).astype(np.int32)
        # Twice as wide as its coefficients while it is encoded.
        room = np.zeros(2 * n, dtype=np.int32)
        client.encode(room.ctypes.data_as(ctypes.c_void_p), given.ctypes.data_as(ctypes.c_void_p))
        encoded.append(room[:n].astype(np.int64))
    return encoded, _transmitted(client)


def receive_here(answers: Answers, *, instructions: bool = False) -> bytes:
    """The receiver on this computer, in the same way: what the modem got."""
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        client_tables.write_answers(answers, folder)
        files = [*_files(_RECEIVER), folder / "tables.c", folder / "answers.c"]
        return _transmitted(_loaded(folder, files, _with(instructions)))


def _loaded(folder: Path, files: list[Path], defines: list[str]) -> ctypes.CDLL:
    """Sources as a library; their main program under the name that the platform calls."""
    library = folder / "firmware.so"
    options = ["-shared", "-fPIC", "-Dmain=firmware_main", *_WARNINGS, *_includes(folder)]
    _zig([*options, *defines, *map(str, [*files, *_files(["platform_pc"])]), "-o", str(library)])
    return ctypes.CDLL(str(library))


def _transmitted(firmware: ctypes.CDLL) -> bytes:
    """Runs it; what the modem got."""
    result = firmware.pc_run()
    if result:
        said = enumerators("src/result.h", "RESULT").get(result, result)
        raise AssertionError(f"the firmware ended here with: {said}")
    count = ctypes.c_size_t()
    firmware.pc_transmitted.restype = ctypes.c_void_p
    return ctypes.string_at(firmware.pc_transmitted(ctypes.byref(count)), count.value)
