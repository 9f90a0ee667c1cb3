"""Verilated models, built once: a folder named by the hash of all that goes into it.

That is the text of the sources and headers, the parameters, the options, and Verilator's version.
A folder appears under its name when it is complete, so an interrupted build is not taken for one.
It holds the product alone: what the compiler leaves beside it is a hundred times as large.

Compiling Verilator's run-time takes several times as long as a small design, so its objects are
kept per kind of model and laid into each new folder before `make` looks. To read its headers takes
as long as the rest of a small design: they are kept compiled beside the objects.
"""

from __future__ import annotations

import hashlib
import os
import shutil
import tempfile
from dataclasses import dataclass, field, replace
from pathlib import Path

from .design import design
from .fault import Fault
from .sources import (
    Parameters,
    closure,
    include_options,
    includes,
    modules,
    verilator_parameters,
)
from .toolchain import BUILD, ROOT, run, verilator_version

OPTIONS = ["--cc", "-Wall", "--assert", "--no-timing", "--prefix", "Vtop"]
# Registers without reset start with random bits: a read that is too early shows.
OPTIONS += ["--x-assign", "unique", "--x-initial", "unique", "--timescale", "1ns/1ps"]
# One large file compiles in half the time of the many small ones, each with the headers of all.
OPTIONS += ["--output-split", "0"]
# Not the main program: it makes a model, whose size differs.
RUNTIME_OBJECTS = ("verilated*.o", "verilated*.d", "libverilated.a")
RUNTIME_HEADER = "runtime.h"
RUNTIME_HEADERS = "".join(
    f"#include <{name}>\n" for name in ("verilated.h", "verilated_vpi.h", "memory")
)
FAST = "-O1"
# As Verilator's own makefile compiles what must be fast.
PRECOMPILE = "precompile: ; $(CXX) $(OPT_FAST) $(CXXFLAGS) $(CPPFLAGS) -x c++-header -c"


@dataclass(frozen=True)
class Kind:
    """A way of building models: the file that comes of it, options, files beside the design.

    Kinds of one name compile the run-time alike.
    """

    name: str
    product: str
    options: list[str]
    extra: list[Path] = field(default_factory=list)


def with_waves(kind: Kind, waves: bool) -> Kind:
    """The same kind, or one whose models can write waves: slower to build and to run."""
    if not waves:
        return kind
    options = [*kind.options, "--trace", "--trace-structs"]
    return replace(kind, name=f"{kind.name}-waves", options=options)


def build(top: str, parameters: Parameters, kind: Kind, fault: Fault | None = None) -> Path:
    """The folder with the product of `top`, built now or found; perhaps with a fault."""
    folder = BUILD / f"{top}-{kind.name}-{_key(top, parameters, kind, fault)}"
    if folder.exists():
        return folder
    BUILD.mkdir(parents=True, exist_ok=True)
    scratch = Path(tempfile.mkdtemp(prefix="building-", dir=BUILD))
    try:
        _verilate(top, parameters, kind, fault, scratch)
        _compile(kind, scratch)
        _keep_only(kind.product, scratch)
        appear(scratch, folder)
    finally:
        shutil.rmtree(scratch, ignore_errors=True)
    return folder


def appear(scratch: Path, folder: Path) -> None:
    """Names a complete folder; another run that was faster has made the same one."""
    try:
        os.replace(scratch, folder)
    except OSError:
        if not folder.exists():
            raise


def _verilate(
    top: str, parameters: Parameters, kind: Kind, fault: Fault | None, folder: Path
) -> None:
    made = design(top, parameters)
    sources = made.relative()
    if fault:
        broken = folder / f"{fault.module}.sv"
        sound = modules()[fault.module]
        broken.write_text(fault.apply(sound.read_text()))
        sources = [str(broken) if ROOT / file == sound else file for file in sources]
    files = [*include_options(), *sources, *map(str, kind.extra)]
    options = [*OPTIONS, "--exe", "-o", kind.product, *kind.options]
    command = ["verilator", *options, *verilator_parameters(made.parameters)]
    run([*command, "--top-module", top, "-Mdir", str(folder), *files], cwd=ROOT)


def _compile(kind: Kind, folder: Path) -> None:
    parts = (*RUNTIME_OBJECTS, RUNTIME_HEADERS, FAST, PRECOMPILE)
    runtime = BUILD / f"runtime-{hash_of(kind.name, verilator_version(), *parts)}"
    command, fast = ["make", "-f", "Vtop.mk", "OPT_SLOW=-O0"], FAST
    if runtime.exists():
        _copy_objects(runtime, folder)
        fast += f" -include {runtime / RUNTIME_HEADER}"
    run([*command, f"OPT_FAST={fast}"], cwd=folder)
    if not runtime.exists():
        _keep_runtime(folder, runtime)


def _keep_only(product: str, folder: Path) -> None:
    for file in folder.iterdir():
        if file.name != product:
            file.unlink()


def _keep_runtime(folder: Path, runtime: Path) -> None:
    scratch = Path(tempfile.mkdtemp(prefix="building-", dir=BUILD))
    _copy_objects(folder, scratch)
    header = scratch / RUNTIME_HEADER
    header.write_text(RUNTIME_HEADERS)
    precompile = f"--eval={PRECOMPILE} {header} -o {header}.gch"
    run(["make", "-f", "Vtop.mk", f"OPT_FAST={FAST}", precompile, "precompile"], cwd=folder)
    appear(scratch, runtime)
    shutil.rmtree(scratch, ignore_errors=True)


def _copy_objects(source: Path, to: Path) -> None:
    for pattern in RUNTIME_OBJECTS:
        for file in source.glob(pattern):
            shutil.copyfile(file, to / file.name)


def _key(top: str, parameters: Parameters, kind: Kind, fault: Fault | None) -> str:
    texts = [file.read_text() for file in (*closure(top), *includes(), *kind.extra)]
    settings = [
        top,
        repr(sorted(parameters.items())),
        *OPTIONS,
        kind.product,
        *kind.options,
        repr(fault),
    ]
    return hash_of(*settings, verilator_version(), *texts)


def hash_of(*parts: str) -> str:
    digest = hashlib.sha256()
    for part in parts:
        digest.update(len(part).to_bytes(8, "little") + part.encode())
    return digest.hexdigest()[:16]
