"""Models of `soc`: a program for each host, accelerator and memory, built once."""

from __future__ import annotations

import shutil
import subprocess
import tempfile
from dataclasses import dataclass
from importlib import metadata
from pathlib import Path

from ..design import design
from ..model import appear, hash_of
from ..sources import Parameters, closure, include_options, includes
from ..toolchain import BUILD, ROOT, run, verilator_version
from . import blackparrot

RTL = ROOT / "hw" / "soc" / "rtl"
MAIN = Path(__file__).parent / "soc.cpp"
HOSTS = {"blackparrot": blackparrot}
#: By the topmost module of an accelerator.
SOCKETS = sorted(
    file.stem.removeprefix("soc_accelerator_") for file in RTL.glob("soc_accelerator_*.sv")
)
_CELLS = ("fifo",)
_OURS = ("soc_pkg", "soc_memory_port", "soc_devices", "soc_apb")
# Of the package's sources, that lint is not ours to keep.
_QUIET = ["-Wno-fatal", "-Wno-lint", "-Wno-style", "-Wno-WIDTHCONCAT"]
# A run is millions of cycles, so the model is built to be fast: what is undefined is 0.
_OPTIONS = ["--cc", "--exe", "-o", "soc", "--prefix", "Vtop", "-O3", "--assert", "--no-timing"]
_OPTIONS += ["--x-assign", "fast", "--x-initial", "fast", "--timescale", "1ns/1ps"]
_COMPILE_SECONDS = 900


@dataclass(frozen=True)
class Model:
    """What is built.

    `top`: the accelerator's topmost module, one of `SOCKETS`. `latency`: cycles until memory
    answers; `outstanding`: bursts on their way at a port. `port_bytes`: a beat of the
    accelerator's port.
    """

    host: str
    top: str
    parameters: tuple[tuple[str, int | str], ...]
    port_bytes: int
    latency: int
    outstanding: int = 8
    waves: bool = False


def missing_for_waves() -> list[str]:
    """Debian packages whose headers Verilator's writer of FST includes and that are not there."""
    return [
        package
        for header, package in (("lz4.h", "liblz4-dev"), ("zlib.h", "zlib1g-dev"))
        if subprocess.run(
            ["c++", "-fsyntax-only", "-x", "c++", "-"],
            input=f"#include <{header}>\n",
            text=True,
            capture_output=True,
            check=False,
        ).returncode
    ]


def build(model: Model) -> Path:
    """The program, built now or found."""
    folder = BUILD / f"soc-{model.host}-{model.top}-{_key(model)}"
    if not folder.exists():
        BUILD.mkdir(parents=True, exist_ok=True)
        scratch = Path(tempfile.mkdtemp(prefix="building-", dir=BUILD))
        try:
            _verilate(model, scratch)
            _compile(scratch)
            for file in list(scratch.iterdir()):
                if file.name != "soc":
                    shutil.rmtree(file) if file.is_dir() else file.unlink()
            appear(scratch, folder)
        finally:
            shutil.rmtree(scratch, ignore_errors=True)
    return folder / "soc"


def passed_on(model: Model) -> str:
    """Verilator's option with the parameters of the accelerator's machine."""
    _, parameters = accelerator(model)
    passed = ", ".join(
        f'.{name}("{value}")' if isinstance(value, str) else f".{name}({value})"
        for name, value in sorted(parameters.items())
    )
    return f"+define+SOC_MACHINE={passed}"


def accelerator(model: Model) -> tuple[list[Path], Parameters]:
    """The files of the accelerator, its socket last, and the parameters that are passed on."""
    socket = RTL / f"soc_accelerator_{model.top}.sv"
    if model.top == "null":
        # The registers alone.
        return [*closure("rise_regs"), RTL / "soc_null.sv", socket], dict(model.parameters)
    made = design(model.top, dict(model.parameters))
    return [*made.files, socket], made.parameters


def _shared(beside: list[Path]) -> list[Path]:
    """Cells that the chip itself uses and the accelerator has not brought."""
    return [file for name in _CELLS for file in closure(name) if file not in beside]


def _verilate(model: Model, scratch: Path) -> None:
    beside, _ = accelerator(model)
    host = HOSTS[model.host]
    edited = scratch / "derived"
    edited.mkdir()
    files = [
        *host.sources(edited),
        *map(str, _shared(beside)),
        *(str(RTL / f"{name}.sv") for name in _OURS),
        str(RTL / f"soc_host_{model.host}.sv"),
        *map(str, beside),
        str(RTL / "soc.sv"),
        str(MAIN),
    ]
    options = [*_OPTIONS, *_QUIET, passed_on(model)]
    options += ["--trace-fst", "--trace-structs"] if model.waves else []
    values = {
        "Latency": model.latency,
        "Outstanding": model.outstanding,
        "PortBytes": model.port_bytes,
    }
    options += [f"-G{name}={value}" for name, value in values.items()]
    command = ["verilator", *options, *include_options(), "--top-module", "soc"]
    run([*command, "-Mdir", str(scratch), *files], cwd=ROOT)


def _compile(scratch: Path) -> None:
    flags = ["OPT_FAST=-O2", "OPT_SLOW=-O1", "OPT_GLOBAL=-O2"]
    run(["make", "-j2", "-f", "Vtop.mk", *flags], cwd=scratch, seconds=_COMPILE_SECONDS)


def _key(model: Model) -> str:
    beside, _ = accelerator(model)
    ours = [RTL / f"{name}.sv" for name in (*_OURS, f"soc_host_{model.host}", "soc")]
    host = HOSTS[model.host]
    texts = [
        file.read_text()
        for file in (
            *ours,
            *_shared(beside),
            *beside,
            *includes(),
            MAIN,
            Path(__file__),
            Path(str(host.__file__)),
        )
    ]
    replaced = [file.read_text() for file in host.REPLACED.values()]
    versions = [metadata.version(package) for package in host.PACKAGE.values()]
    return hash_of(repr(model), verilator_version(), *versions, *texts, *replaced)
