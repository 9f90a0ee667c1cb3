"""The firmware of `fw/`, compiled for a core or for this computer, with the tables of one client.

The compiler is zig's, which comes from PyPI with its libraries and targets.
"""

from __future__ import annotations

import ctypes
import re
import subprocess
import sys
import tempfile
from dataclasses import dataclass
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from ringwright import checkout
from ringwright.errors import MissingToolError, ParameterError
from ringwright.soc import tables as client_tables
from ringwright.soc.elf import Elf
from ringwright.soc.tables import Tables

__all__ = ["Firmware", "compiled", "enumerators", "run_here"]

_ZIG = {"ziglang": "ziglang"}
_CLIENT = ("client", "encode", "ring", "sample", "shake")
_WARNINGS = ("-std=c11", "-Wall", "-Wextra", "-Werror", "-O2", "-fno-builtin")
#: Its package says where things lie.
_MAP = ("hw", "soc", "rtl", "soc_pkg.sv")


@dataclass(frozen=True)
class Firmware:
    """An image of read-only memory, and where what it writes lies in `memory_bytes` of memory."""

    read_only: bytes
    memory_bytes: int
    symbols: dict[str, tuple[int, int]]

    @property
    def static_bytes(self) -> int:
        """Of what has an address when the program starts."""
        return self.symbols["bss_end"][0] - address_map()["MEMORY_BASE"]

    def stack_bytes(self, memory: bytes) -> int:
        """How far down the stack came: what lies above the paint that nobody touched."""
        unused = memory[self.static_bytes :]
        painted = len(unused) - len(unused.lstrip(b"\x5a"))
        return len(unused) - painted


def _source() -> Path:
    folder = checkout.ROOT / "fw"
    if not (folder / "src").is_dir():
        raise MissingToolError("the firmware is in a checkout of Ringwright, not in its wheel")
    return folder


def address_map() -> dict[str, int]:
    """Where things lie in a core's address space, by name as C has it."""
    text = checkout.ROOT.joinpath(*_MAP).read_text()
    found: dict[str, int] = {}
    for name, number, other in re.findall(r"(\w+) += (?:32'h([0-9a-f_]+)|(\w+));", text):
        found[_in_c(name)] = int(number, 16) if number else found[_in_c(other)]
    return found


def _in_c(name: str) -> str:
    return re.sub(r"(?<!^)(?=[A-Z])", "_", name).upper()


def enumerators(file: str, prefix: str) -> dict[int, str]:
    """Of an enumeration in a file of `fw/`, by number."""
    text = (_source() / file).read_text()
    found = re.findall(rf"\b{prefix}_(\w+) = (\d+)", text)
    return {int(number): name.lower() for name, number in found}


def _zig(arguments: list[str]) -> None:
    checkout.need(_ZIG, "compiling the firmware")
    command = [sys.executable, "-m", "ziglang", "cc", *arguments]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    if done.returncode:
        raise ParameterError(f"the firmware does not fit these parameters:\n{done.stderr}")


def _files(names: tuple[str, ...], folder: Path) -> list[str]:
    source = _source()
    files = [str(source / "src" / f"{name}.c") for name in names]
    return [*files, str(folder / "tables.c"), f"-I{folder}", *_includes(source)]


def _includes(source: Path) -> list[str]:
    return [f"-I{source / 'src'}", f"-I{source / 'include'}"]


def compiled(
    tables: Tables, isa: str, *, memory_bytes: int, accelerator: bool, main: Path | None = None
) -> Firmware:
    """For a core of this instruction set, as zig names it, with so much memory. `main`: another
    main program than the client's.
    """
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        client_tables.write(tables, folder)
        source = _source() / "src"
        places = address_map()
        defines = (f"#define {name} {value:#x}\n" for name, value in places.items())
        (folder / "soc_map.h").write_text("".join(defines))
        script = folder / "soc.ld"
        text = (source / "soc.ld").read_text()
        for place, value in {**places, "MEMORY_BYTES": memory_bytes}.items():
            text = text.replace(place, str(value))
        script.write_text(text)
        more = ("rise",) if accelerator else ()
        names = (*_CLIENT, *more, "memory", "platform_soc")
        _zig(
            [
                *("-target", "riscv64-freestanding-none", f"-mcpu={isa}", "-mcmodel=medany"),
                *("-ffreestanding", "-nostdlib", "-fno-sanitize=all", "-flto", *_WARNINGS),
                *(["-DWITH_RISE"] if accelerator else []),
                *("-T", str(script)),
                *_files(names, folder),
                str(source / "main.c" if main is None else main),
                str(source / "start.S"),
                *("-o", str(folder / "firmware.elf")),
            ]
        )
        elf = Elf((folder / "firmware.elf").read_bytes())
    read_only = elf.loaded(places["READ_ONLY_BASE"], places["MEMORY_BASE"])
    return Firmware(read_only, memory_bytes, elf.symbols())


def run_here(tables: Tables) -> tuple[list[NDArray[np.int64]], bytes]:
    """The same sources on this computer, without an accelerator: every frame's coefficients, and
    what the modem got.
    """
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        client_tables.write(tables, folder)
        library = folder / "client.so"
        files = _files((*_CLIENT, "platform_pc"), folder)
        _zig(["-shared", "-fPIC", *_WARNINGS, *files, "-o", str(library)])
        client = ctypes.CDLL(str(library))
    n = tables.parameters.n
    encoded = []
    for message in tables.messages:
        values = np.zeros(n // 2)
        values[: len(message)] = message
        given = client_tables.fixed(values).astype(np.int32)
        coefficients = np.zeros(n, dtype=np.int64)
        client.encode(
            coefficients.ctypes.data_as(ctypes.c_void_p), given.ctypes.data_as(ctypes.c_void_p)
        )
        encoded.append(coefficients)
    if client.pc_run():
        raise AssertionError("the client failed here")
    count = ctypes.c_size_t()
    client.pc_transmitted.restype = ctypes.c_void_p
    at = client.pc_transmitted(ctypes.byref(count))
    return encoded, ctypes.string_at(at, count.value)
