"""Which files a module needs, found by name: one module per file, named after it."""

from __future__ import annotations

import functools
import re
from pathlib import Path

from .toolchain import ROOT

# Later folders may use earlier ones.
PARTS = ("common", "host", "medha", "rise", "rpu")
FOLDERS = tuple(f"hw/{part}/{kind}" for part in PARTS for kind in ("rtl", "tb", "formal"))

Parameters = dict[str, "int | str"]


@functools.cache
def modules() -> dict[str, Path]:
    """Module name -> file."""
    files = [file for folder in FOLDERS for file in sorted((ROOT / folder).glob("*.sv"))]
    assert len({file.stem for file in files}) == len(files), "two files for one module"
    return {file.stem: file for file in files}


@functools.cache
def includes() -> tuple[Path, ...]:
    """The headers; they belong to every module."""
    return tuple(file for folder in FOLDERS for file in sorted((ROOT / folder).glob("*.svh")))


@functools.cache
def parameter_names(module: str) -> tuple[str, ...]:
    """The parameters that a module can be given."""
    return tuple(
        re.findall(r"^\s*parameter\s[^=;]*?(\w+)\s*=", modules()[module].read_text(), re.M)
    )


@functools.cache
def closure(top: str) -> tuple[Path, ...]:
    """The files of `top` and of every module below it, those used first."""
    found: dict[str, Path] = {}

    def visit(name: str) -> None:
        text = re.sub(r"//.*", "", modules()[name].read_text())
        words = set(re.findall(r"\b[a-z]\w*\b", text))
        for used in sorted(words & modules().keys() - {name} - found.keys()):
            visit(used)
        found.setdefault(name, modules()[name])

    visit(top)
    return tuple(found.values())


def relative(files: tuple[Path, ...]) -> list[str]:
    """As seen from the repository's root, where every tool runs."""
    return [file.relative_to(ROOT).as_posix() for file in files]


def include_options() -> list[str]:
    """The option that names the folders of headers."""
    return [
        f"-I{folder}"
        for folder in sorted({relative((f,))[0].rpartition("/")[0] for f in includes()})
    ]


def verilator_parameters(parameters: Parameters) -> list[str]:
    """As Verilator's options."""
    return [
        f'-G{name}="{value}"' if isinstance(value, str) else f"-G{name}={value}"
        for name, value in parameters.items()
    ]


def slang_parameters(parameters: Parameters) -> str:
    """As options of `read_slang`."""
    return " ".join(
        f'-G {name}="{value}"' if isinstance(value, str) else f"-G {name}={value}"
        for name, value in parameters.items()
    )
