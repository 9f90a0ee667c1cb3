"""The stubs say exactly what the native module has, and everything in it is documented."""

from __future__ import annotations

import inspect
import subprocess
import sys
from pathlib import Path

import pytest

import ringwright
from ringwright import _ringwright as native

# Names for type checkers, and the list of exports that the native module makes by itself.
STUB_ONLY = [
    "CostEnergy",
    "CostEntry",
    "CostRange",
    "CostSum",
    "Direction",
    "End",
    "Provenance",
    "ResourceKind",
    "MadeOf",
    "Sharing",
    "StageKind",
    "StrPath",
    "Task",
    "__all__",
]

CLASSES = [name for name, value in vars(native).items() if inspect.isclass(value)]


def test_stubs_and_native_module_agree(tmp_path: Path) -> None:
    allowed = tmp_path / "allowed.txt"
    allowed.write_text("".join(f"ringwright\\._ringwright\\.{name}\n" for name in STUB_ONLY))
    stubtest = [sys.executable, "-m", "mypy.stubtest", "--concise", "--ignore-disjoint-bases"]
    run = subprocess.run(
        [*stubtest, "--allowlist", str(allowed), native.__name__],
        cwd=tmp_path,
        check=False,
        capture_output=True,
        text=True,
    )
    assert run.returncode == 0, run.stdout + run.stderr


@pytest.mark.parametrize("name", CLASSES)
def test_native_members_are_documented(name: str) -> None:
    kind = getattr(native, name)
    assert kind.__doc__
    public = [member for member in vars(kind) if not member.startswith("_")]
    assert [member for member in public if not getattr(kind, member).__doc__] == []


@pytest.mark.parametrize("name", ringwright.__all__)
def test_the_face_is_documented(name: str) -> None:
    assert name == "__version__" or inspect.getdoc(getattr(ringwright, name))
