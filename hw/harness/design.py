"""A module with parameters, as tools read it: files in order, and what stands on the command line.

Where many modules take the same parameters they take them as one value, and a package says which
machine that is by default: `rpu_machine_pkg`. A parameter that the module itself does not declare
is set there, in a copy of the package that takes its place.
"""

from __future__ import annotations

import hashlib
import os
import re
from dataclasses import dataclass
from pathlib import Path

from .machine import rtl_name, spec_name
from .sources import Parameters, closure, parameter_names, relative
from .toolchain import BUILD

_MACHINE = "_machine_pkg"


@dataclass(frozen=True)
class Design:
    """Files, those used first, and the parameters that the topmost module itself is given."""

    files: tuple[Path, ...]
    parameters: Parameters

    def relative(self) -> list[str]:
        """The files as seen from the repository's root, where every tool runs."""
        return relative(self.files)


def design(top: str, parameters: Parameters) -> Design:
    """`top` with these parameters; raises `KeyError` for one that nothing declares."""
    package = machine_package(top)
    own, machine = split(top, parameters)
    if package is None or not machine:
        return Design(closure(top), parameters)
    file = _kept(package.name, machine_text(package.read_text(), machine))
    return Design(tuple(file if each == package else each for each in closure(top)), own)


def machine_package(top: str) -> Path | None:
    """The package among the files of `top` that says which machine it is; `None` without."""
    return next((file for file in closure(top) if file.stem.endswith(_MACHINE)), None)


def split(top: str, parameters: Parameters) -> tuple[Parameters, Parameters]:
    """Those that the module itself declares, and those of its machine, if it has one."""
    if machine_package(top) is None:
        return parameters, {}
    declared = parameter_names(top)
    own = {name: value for name, value in parameters.items() if name in declared}
    return own, {name: parameters[name] for name in parameters.keys() - own.keys()}


def all_parameter_names(top: str) -> tuple[str, ...]:
    """What a module can be given, its machine included."""
    package = machine_package(top)
    if package is None:
        return parameter_names(top)
    fields = re.findall(r"^ +(\w+): \w+,?$", package.read_text(), re.M)
    own = (name for name in parameter_names(top) if name != "Config")
    return (*own, *map(rtl_name, fields))


def machine_text(text: str, parameters: Parameters) -> str:
    """A machine package with other values; raises `KeyError` for one that it does not have."""
    for name, value in parameters.items():
        # A variant is an enumerator, called after its parameter.
        shown = f"{name}{rtl_name(value)}" if isinstance(value, str) else str(value)
        text, found = re.subn(rf"^( +{spec_name(name)}: )\w+", rf"\g<1>{shown}", text, flags=re.M)
        if not found:
            raise KeyError(f"no parameter {name}")
    return text


def _kept(name: str, text: str) -> Path:
    """The file with this text, written once: yosys reads nothing outside of the repository."""
    folder = BUILD / f"machine-{hashlib.sha256(text.encode()).hexdigest()[:16]}"
    file = folder / name
    if not file.exists():
        folder.mkdir(parents=True, exist_ok=True)
        scratch = folder / f".{name}.{os.getpid()}"
        scratch.write_text(text)
        scratch.replace(file)
    return file
