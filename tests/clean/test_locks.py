"""Workspaces of their own (benches, fuzzers, constant time) lock the crates as they are, so that
`--locked` builds there."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path

import pytest

if sys.version_info >= (3, 11):
    import tomllib
else:
    import tomli as tomllib

ROOT = Path(__file__).resolve().parents[2]
LOCKS = sorted(
    path.relative_to(ROOT).as_posix()
    for pattern in ("*/Cargo.lock", "*/*/Cargo.lock")
    for path in ROOT.glob(pattern)
)


@pytest.fixture(scope="module")
def crates() -> dict[str, set[str]]:
    """Every crate of the project with what it uses outside its tests."""
    command = ["cargo", "metadata", "--no-deps", "--format-version", "1", "--locked"]
    printed = subprocess.run(command, cwd=ROOT, check=True, capture_output=True).stdout
    return {
        package["name"]: {used["name"] for used in package["dependencies"] if used["kind"] != "dev"}
        for package in json.loads(printed)["packages"]
    }


@pytest.mark.parametrize("lock", LOCKS)
def test_a_lock_knows_what_the_crates_use(lock: str, crates: dict[str, set[str]]) -> None:
    stale = {}
    for package in tomllib.loads((ROOT / lock).read_text())["package"]:
        # A version stands behind the name where there are several.
        locked = {used.split()[0] for used in package.get("dependencies", [])}
        used = crates.get(package["name"], locked)
        if locked != used:
            stale[package["name"]] = locked ^ used
    assert not stale, f"cargo update --workspace --manifest-path {Path(lock).parent}/Cargo.toml"


def test_there_are_locks() -> None:
    assert len(LOCKS) >= 3
