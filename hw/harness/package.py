"""RTL to take away: one folder with sources, parameters, testbench and vectors of one machine.

Nothing in it refers to this repository: whoever has Verilator runs `make check` there. The folder
is written beside its name and then renamed, so a name never stands for half a package; a folder
that is not one of ours is not touched.
"""

from __future__ import annotations

import os
import shutil
import tempfile
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Protocol

from .design import machine_package, machine_text, split
from .machine import spec_name
from .sources import Parameters, closure, includes

if TYPE_CHECKING:
    from collections.abc import Sequence

TEMPLATE = Path(__file__).with_name("package.mk")
MARKER = "package.toml"
_FIRST_LINE = "# A package of Ringwright's RTL.\n"


class NotOurs(Exception):
    """The folder exists and was not written by `ringwright rtl`."""


class Case(Protocol):
    """One operation: see `RtlCase` of crates/target."""

    name: str
    numbers: Sequence[tuple[str, int]]
    facts: Sequence[tuple[str, str]]
    words: Sequence[tuple[str, int, Sequence[int]]]


@dataclass(frozen=True)
class Package:
    """What a target says of a machine, and where it comes from."""

    top: str
    testbench: str
    parameters: Parameters
    cases: Sequence[Case]
    machine: str
    version: str
    seed: int


def write(package: Package, out: Path) -> None:
    """Writes a package; replaces an older one of that name.

    Raises `NotOurs` where `out` holds something else, `OSError` where it cannot be written.
    """
    refuse_what_is_not_ours(out)
    out.parent.mkdir(parents=True, exist_ok=True)
    scratch = Path(tempfile.mkdtemp(prefix=f".{out.name}.", dir=out.parent))
    try:
        _fill(scratch, package)
        os.chmod(scratch, 0o777 & ~_umask())
        _put(scratch, out)
    finally:
        shutil.rmtree(scratch, ignore_errors=True)


def refuse_what_is_not_ours(out: Path) -> None:
    """Raises `NotOurs` unless `out` is free, empty or a package."""
    if out.is_dir() and (not any(out.iterdir()) or _marked(out / MARKER)):
        return
    if out.exists() or out.is_symlink():
        raise NotOurs(f"{out} exists and is no package of Ringwright's")


def _marked(file: Path) -> bool:
    return file.is_file() and file.read_text(errors="replace").startswith(_FIRST_LINE)


def _put(scratch: Path, out: Path) -> None:
    if not out.exists():
        scratch.rename(out)
        return
    old = Path(tempfile.mkdtemp(prefix=f".{out.name}.old.", dir=out.parent))
    out.rename(old / out.name)
    try:
        scratch.rename(out)
    except OSError:
        (old / out.name).rename(out)
        raise
    finally:
        shutil.rmtree(old, ignore_errors=True)


def _fill(folder: Path, package: Package) -> None:
    design, bench = closure(package.top), closure(package.testbench)
    own, machine = split(package.top, package.parameters)
    headers = [f for f in includes() if _included(f, (*design, *bench))]
    for name, files in (
        ("rtl", [*design, *headers]),
        ("tb", [file for file in bench if file not in design]),
    ):
        (folder / name).mkdir()
        for file in files:
            shutil.copy(file, folder / name)
    _write(folder / "sources.f", [f"rtl/{file.name}" for file in design])
    _write(folder / "parameters.f", _options(own))
    _write(folder / "tb" / "parameters.svh", _localparams(own))
    described = machine_package(package.top)
    if described:
        text = machine_text(described.read_text(), machine)
        (folder / "rtl" / described.name).write_text(text)
    _write_vectors(folder, package.cases)
    _write(folder / MARKER, _marker(package))
    makefile = TEMPLATE.read_text().replace("@TOP@", package.top)
    (folder / "Makefile").write_text(makefile.replace("@TESTBENCH@", package.testbench))


def _included(header: Path, files: tuple[Path, ...]) -> bool:
    return any(f'`include "{header.name}"' in file.read_text() for file in files)


def _write_vectors(folder: Path, cases: Sequence[Case]) -> None:
    vectors = folder / "vectors"
    vectors.mkdir()
    for case in cases:
        for what, bits, words in case.words:
            digits = (bits + 3) // 4
            _write(vectors / f"{case.name}.{what}.hex", [f"{word:0{digits}x}" for word in words])
        facts = [f'case = "{case.name}"']
        facts += [f"{name} = {_toml(value)}" for name, value in case.facts]
        facts += [f"{spec_name(name)} = {value}" for name, value in case.numbers]
        _write(vectors / f"{case.name}.toml", facts)
    _write(folder / "tb" / "vectors.svh", _case_arrays(cases))


def _case_arrays(cases: Sequence[Case]) -> list[str]:
    names = ", ".join(f'"{case.name}"' for case in cases)
    lines = [
        f"localparam int unsigned Cases = {len(cases)};",
        f"localparam string CaseName[Cases] = '{{{names}}};",
    ]
    for index, (number, _) in enumerate(cases[0].numbers):
        values = ", ".join(str(case.numbers[index][1]) for case in cases)
        lines.append(f"localparam int unsigned Case{number}[Cases] = '{{{values}}};")
    return lines


def _options(parameters: Parameters) -> list[str]:
    """As Verilator reads them from a file, and a shell between double quotes."""
    return [
        f'-G{name}=\\"{value}\\"' if isinstance(value, str) else f"-G{name}={value}"
        for name, value in parameters.items()
    ]


def _localparams(parameters: Parameters) -> list[str]:
    return [
        f'localparam string {name} = "{value}";'
        if isinstance(value, str)
        else f"localparam int unsigned {name} = {value};"
        for name, value in parameters.items()
    ]


def _marker(package: Package) -> list[str]:
    return [
        _FIRST_LINE.rstrip(),
        f'machine = "{package.machine}"',
        f'top = "{package.top}"',
        f'ringwright = "{package.version}"',
        f"seed = {package.seed}",
        "",
        "[parameters]",
        *(f"{name} = {_toml(str(value))}" for name, value in package.parameters.items()),
    ]


def _toml(value: str) -> str:
    return value if value.isdecimal() and len(value) < 19 else f'"{value}"'


def _write(file: Path, lines: Sequence[str]) -> None:
    file.write_text("".join(f"{line}\n" for line in lines))


def _umask() -> int:
    mask = os.umask(0)
    os.umask(mask)
    return mask
