"""What was found on this computer, and what will be skipped without it."""

from __future__ import annotations

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
    "valgrind": "the constant-time tests under valgrind are skipped",
}


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


def _processor() -> str:
    try:
        with open("/proc/cpuinfo", encoding="utf-8") as lines:
            for line in lines:
                if line.startswith("model name"):
                    return line.partition(":")[2].strip()
    except OSError:
        pass
    return platform.processor() or platform.machine()
