"""What scripts/microcode.py makes is what is committed."""

from __future__ import annotations

import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT / "scripts"))
import microcode  # noqa: E402


def test_made_again_it_is_the_same():
    for path, text in microcode.made().items():
        assert (ROOT / path).read_text() == text, f"{path}: run scripts/microcode.py"
