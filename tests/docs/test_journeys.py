"""The files that ARCHITECTURE.md's journeys name are there, and a journey is short."""

from __future__ import annotations

import re
import subprocess
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
JOURNEYS = {
    "One NTT, from Python to the RTL's ports.",
    "An encryption on RISE.",
    "A product with relinearisation on the CPU.",
    "A frame of the camera.",
}
PATH = re.compile(r"`([\w./-]*(?:/|\.py|\.rs|\.sv))`")
MOST_FILES = 20


def journeys() -> dict[str, list[str]]:
    """Of each journey, the files and folders that it names."""
    text = (ROOT / "ARCHITECTURE.md").read_text()
    section = re.search(r"^## Four journeys\n(.*?)^## ", text, re.M | re.S)
    assert section
    parts = re.split(r"^\*\*(.+?)\*\*\n", section[1], flags=re.M)[1:]
    return {title: PATH.findall(body) for title, body in zip(parts[::2], parts[1::2], strict=True)}


def test_every_file_is_there_and_few_are_on_the_way() -> None:
    listed = subprocess.run(
        ["git", "ls-files"], cwd=ROOT, check=True, capture_output=True, text=True
    )
    files = [f"/{file}" for file in listed.stdout.splitlines()]
    found = journeys()
    assert set(found) == JOURNEYS
    for title, paths in found.items():
        missing = [
            path
            for path in paths
            if not any(
                file.endswith(f"/{path}") or (path.endswith("/") and f"/{path}" in file)
                for file in files
            )
        ]
        assert not missing, title
        assert 5 < len(paths) <= MOST_FILES, title
