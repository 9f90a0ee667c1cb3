"""What scripts/registers.py makes is what is committed; a wrong file is refused by name."""

from __future__ import annotations

import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT / "scripts"))
import registers  # noqa: E402

SPECS = sorted((ROOT / "spec").glob("*/regs.toml"))
FIELD = "field = [{ name = 'f', bits = [3, 0], summary = 's' }]"


@pytest.mark.parametrize("spec", SPECS, ids=lambda spec: spec.parent.name)
def test_committed_files_are_those_of_the_spec(spec: Path) -> None:
    device = registers.load(spec.read_text())
    assert device.name == spec.parent.name
    for path, text in registers.generated(device).items():
        assert (ROOT / path).read_text() == text, f"{path}: run scripts/registers.py"


def described(*entries: str) -> str:
    head = "name = 'd'\ntitle = 't'\naddress_bits = 4\n"
    return head + "".join(
        f"[[register]]\nname = 'r{i}'\nsummary = 's'\n{e}\n" for i, e in enumerate(entries)
    )


@pytest.mark.parametrize(
    ("entries", "message"),
    [
        ((f"offset = 2\naccess = 'read'\n{FIELD}",), "r0: offset 0x2"),
        ((f"offset = 0\naccess = 'read'\n{FIELD}",) * 2, "r1: offset 0x0, allowed is 0x4"),
        ((f"offset = 0\naccess = 'both'\n{FIELD}",), "r0: access 'both'"),
        ((f"offset = 0\ncount = 5\naccess = 'read'\n{FIELD}",), "ends at 0x14"),
        (
            ("offset = 0\naccess = 'read'\n" + FIELD.replace("[3, 0]", "[32, 1]"),),
            r"r0.f: bits \[32, 1\]",
        ),
    ],
)
def test_what_cannot_be_built_is_refused(entries: tuple[str, ...], message: str) -> None:
    with pytest.raises(registers.SpecError, match=message):
        registers.load(described(*entries))
