"""CITATION.cff: the fields that version 1.2.0 of its format demands, the facts of Cargo.toml."""

from __future__ import annotations

import re
from pathlib import Path

import yaml

import ringwright as rw

ROOT = Path(__file__).resolve().parents[2]


def test_the_citation_is_whole_and_true() -> None:
    said = yaml.safe_load((ROOT / "CITATION.cff").read_text(encoding="utf-8"))
    assert {"cff-version", "message", "title", "authors"} <= set(said)
    assert said["cff-version"] == "1.2.0"
    assert all("name" in author for author in said["authors"])
    assert said["version"] == rw.__version__
    cargo = (ROOT / "Cargo.toml").read_text(encoding="utf-8")
    for key, ours in (("license", "license"), ("repository", "repository-code")):
        (stated,) = re.findall(rf'^{key} = "(.*)"$', cargo, re.M)
        assert said[ours] == stated
