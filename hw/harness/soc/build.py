"""Models of `soc`: a program for each host, accelerator and memory, built once.

A host is a library of its own that its models share, since a core takes minutes to build.
"""

from __future__ import annotations

import re
import shutil
import subprocess
import tempfile
from collections.abc import Callable
from dataclasses import dataclass
from importlib import metadata
from pathlib import Path

from ..design import design
from ..model import appear, hash_of
from ..sources import Parameters, closure, include_options, includes
from ..toolchain import BUILD, ROOT, run, verilator_version
from . import blackparrot, rocket

RTL = ROOT / "hw" / "soc" / "rtl"
MAIN = Path(__file__).parent / "soc.cpp"
HOSTS = {"blackparrot": blackparrot, "rocket": rocket}
#: By the topmost module of an accelerator.
SOCKETS = sorted(
    file.stem.removeprefix("soc_accelerator_") for file in RTL.glob("soc_accelerator_*.sv")
)
_CELLS = ("fifo",)
#: The chip's modules, but for itself, its hosts and its sockets.
MODULES = (
    "soc_memory_port",
    "soc_devices",
    "soc_apb",
    "soc_modem",
    "soc_flusher",
    "soc_narrower",
    "soc_coherent_mux",
    "soc_lines",
    "soc_interleaver",
)
# Of the package's sources, that lint is not ours to keep.
_QUIET = ["-Wno-fatal", "-Wno-lint", "-Wno-style", "-Wno-WIDTHCONCAT"]
# A run is millions of cycles, so the model is built to be fast: what is undefined is 0.
_OPTIONS = ["--cc", "-O3", "--assert", "--no-timing", "--timescale", "1ns/1ps"]
_OPTIONS += ["--x-assign", "fast", "--x-initial", "fast"]
_PROGRAM = ["--exe", "-o", "soc", "--prefix", "Vtop"]
HOST_MODULE = "soc_host"
_COMPILE_SECONDS = 900


@dataclass(frozen=True)
class Model:
    """What is built.

    `top`: the accelerator's topmost module, one of `SOCKETS`. `latency`: cycles until memory
    answers; `outstanding`: bursts on their way at a port. `port_bytes`: a beat of the
    accelerator's port. `coherent`: accelerator and modem are on the host's coherent port.
    """

    host: str
    top: str
    parameters: tuple[tuple[str, int | str], ...]
    port_bytes: int
    latency: int
    coherent: bool
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
    # Waves show the inside of the host too, which a library hides.
    host = host_files if model.waves else _host_library

    def verilate(scratch: Path) -> None:
        _verilate(model, host(model.host, scratch), scratch)

    name = f"soc-{model.host}-{model.top}-{_key(model)}"
    return _built(name, verilate, "Vtop.mk", ("soc",)) / "soc"


def has_coherent_port(host: str) -> bool:
    """Whether accelerators can reach memory through the host's caches."""
    text = (RTL / f"soc_host_{host}_pkg.sv").read_text()
    return bool(re.search(r"HasCoherentPort += 1'b1;", text))


def _built(
    name: str, verilate: Callable[[Path], None], makefile: str, kept: tuple[str, ...]
) -> Path:
    """The folder of this name with what is kept of a build, which happens if it is not there."""
    folder = BUILD / name
    if not folder.exists():
        BUILD.mkdir(parents=True, exist_ok=True)
        scratch = Path(tempfile.mkdtemp(prefix="building-", dir=BUILD))
        try:
            verilate(scratch)
            flags = ["OPT_FAST=-O2", "OPT_SLOW=-O1", "OPT_GLOBAL=-O2"]
            command = ["make", "-j2", "-f", makefile, *flags]
            run(command, cwd=scratch, seconds=_COMPILE_SECONDS)
            for file in list(scratch.iterdir()):
                if file.name not in kept:
                    shutil.rmtree(file) if file.is_dir() else file.unlink()
            appear(scratch, folder)
        finally:
            shutil.rmtree(scratch, ignore_errors=True)
    return folder


def host_files(host: str, scratch: Path) -> list[str]:
    """Verilator's arguments for a host's sources; edited ones lie in `scratch`."""
    edited = scratch / "derived"
    edited.mkdir()
    return [*HOSTS[host].sources(edited), *map(str, [*_cells(), *_ours_of(host)])]


def _host_library(host: str, _scratch: Path) -> list[str]:
    """Verilator's arguments for a host that is compiled already; now, if it is not."""

    def verilate(scratch: Path) -> None:
        options = ["--lib-create", HOST_MODULE, "--top-module", HOST_MODULE, "-Mdir", str(scratch)]
        files = host_files(host, scratch)
        command = ["verilator", *_OPTIONS, *_QUIET, *options, *include_options(), *files]
        run(command, cwd=ROOT)

    kept = (f"{HOST_MODULE}.sv", f"lib{HOST_MODULE}.a")
    name = f"soc-host-{host}-{_host_key(host)}"
    folder = _built(name, verilate, f"V{HOST_MODULE}.mk", kept)
    wrapper, library = (folder / file for file in kept)
    packages = [str(file) for file in _ours_of(host) if file.stem.endswith("_pkg")]
    return [*packages, str(wrapper), "-LDFLAGS", str(library)]


def _cells() -> list[Path]:
    return [file for name in _CELLS for file in closure(name)]


def _ours_of(host: str) -> list[Path]:
    return [RTL / f"{name}.sv" for name in ("soc_pkg", f"soc_host_{host}_pkg", f"soc_host_{host}")]


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


def _verilate(model: Model, host: list[str], scratch: Path) -> None:
    beside, _ = accelerator(model)
    ours = [*_cells(), *(RTL / f"{name}.sv" for name in MODULES), *beside, RTL / "soc.sv", MAIN]
    files = list(dict.fromkeys([*host, *map(str, ours)]))
    options = [*_OPTIONS, *_PROGRAM, *_QUIET, passed_on(model)]
    options += ["--trace-fst", "--trace-structs"] if model.waves else []
    values = {
        "Latency": model.latency,
        "Outstanding": model.outstanding,
        "PortBytes": model.port_bytes,
        "Coherent": int(model.coherent),
    }
    options += [f"-G{name}={value}" for name, value in values.items()]
    command = ["verilator", *options, *include_options(), "--top-module", "soc"]
    run([*command, "-Mdir", str(scratch), *files], cwd=ROOT)


def _key(model: Model) -> str:
    beside, _ = accelerator(model)
    ours = [RTL / f"{name}.sv" for name in (*MODULES, "soc")]
    texts = [file.read_text() for file in (*ours, *beside, *includes(), MAIN)]
    return hash_of(repr(model), _host_key(model.host), *texts)


def host_sources(name: str) -> list[Path]:
    """What of this project's decides a host."""
    return [*_ours_of(name), *_cells(), *includes(), *HOSTS[name].OURS]


def host_versions(name: str) -> list[str]:
    """Of the packages that its core comes from."""
    return [metadata.version(package) for package in HOSTS[name].PACKAGE.values()]


def _host_key(name: str) -> str:
    files = [*host_sources(name), Path(__file__), Path(str(HOSTS[name].__file__))]
    texts = [file.read_text() for file in files]
    return hash_of(verilator_version(), *host_versions(name), *texts)
