"""The reference pages are those that scripts/reference.py makes; every example of a unit in them is
read as it says."""

from __future__ import annotations

import os
import re
import subprocess
import sys
from pathlib import Path

import pytest

import ringwright as rw
from ringwright.cli.app import app

ROOT = Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT / "scripts"))
import reference  # noqa: E402

PAGES = reference.generated()
SECTION = re.compile(r"^## (?:Target `(\w+)`|Links$)(.*?)(?=^## |\Z)", re.M | re.S)
EXAMPLE = re.compile(
    r'^`(\w+)`:.*?(?:\n- .*?)*?\n- with a unit, here or as `(\w+)`: .*`"(.*)"`', re.M
)


@pytest.mark.parametrize("path", PAGES)
def test_committed_pages_are_those_that_are_made(path: str) -> None:
    assert (ROOT / path).read_text(encoding="utf-8") == PAGES[path], (
        f"{path}: run python scripts/reference.py"
    )


def test_the_command_line_has_the_exit_codes() -> None:
    preface = PAGES["docs/cli.md"].split("\n## ")[0]
    epilog = app.info.epilog
    assert epilog
    assert epilog in preface


def test_the_command_line_has_every_option_that_its_parser_takes() -> None:
    page = PAGES["docs/cli.md"]
    for verb in ("camera", "ntt", "rpu run"):
        section = page.split(f"## ringwright {verb}\n")[1].split("\n## ")[0]
        command = [sys.executable, "-m", "ringwright", *verb.split(), "--help"]
        wide = {**os.environ, "COLUMNS": "300"}
        said = subprocess.run(command, check=True, capture_output=True, text=True, env=wide).stdout
        options = set(re.findall(r"(?<![\w-])--[a-z][a-z-]*", said.split("Options", 1)[1]))
        listed = re.findall(r"(?<![\w-])--[a-z][a-z-]*", section)
        assert options - {"--help"} <= set(listed), verb


EXAMPLES = [
    (target, *found)
    for target, section in SECTION.findall(PAGES["docs/machine_keys.md"])
    for found in EXAMPLE.findall(section)
]


def test_every_quantity_has_an_example() -> None:
    owners = ("medha", "rise", "rpu", "link")
    declared = [(ROOT / "spec" / name / "params.toml").read_text() for name in owners]
    assert len(EXAMPLES) == sum(text.count("quantity = ") for text in declared)


@pytest.mark.parametrize(("target", "name", "key", "example"), EXAMPLES)
def test_examples_are_read(target: str, name: str, key: str, example: str, tmp_path: Path) -> None:
    def parameters(key: str) -> str:
        # The clock that the other examples are whole numbers at; a link's keys have no default.
        of_link = {"bits_per_second": 1, "latency_ns": 0, "setup_ns": 0}
        others = {"clock_fs": "1_000_000"} if target else of_link
        given = {other: value for other, value in others.items() if other != name}
        lines = [f"{other} = {{ value = {value}, source = 's' }}" for other, value in given.items()]
        return "\n".join([*lines, f"{key} = {{ value = '{example}', source = 's' }}"])

    def read(key: str) -> int:
        file = tmp_path / f"{key}.toml"
        head = f"target = '{target}'\n" if target else ""
        file.write_text(f"name = 'm'\n{head}title = 'm'\n[parameters]\n{parameters(key)}\n")
        if not target:
            return int(getattr(rw.link(str(file)), name))
        return int(rw.machine(str(file)).values[name])

    assert read(name) == read(key) > 0
