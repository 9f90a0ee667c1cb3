"""Every notebook runs in plain Python and prints what is committed with it."""

from __future__ import annotations

import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT / "scripts"))
import notebooks  # noqa: E402

PAGES = sorted(notebooks.FOLDER.glob("*.ipynb"))


@pytest.mark.parametrize("path", PAGES, ids=lambda path: path.name)
def test_outputs_are_todays(path: Path) -> None:
    assert notebooks.executed(path) == path.read_text(encoding="utf-8"), (
        "run python scripts/notebooks.py"
    )


def test_every_notebook_is_listed() -> None:
    listed = (notebooks.FOLDER / "index.md").read_text(encoding="utf-8")
    assert PAGES
    assert all(f"]({path.name})" in listed for path in PAGES)
