"""The workflow asks make for what make has."""

from __future__ import annotations

import re
from itertools import product
from pathlib import Path
from typing import Any

import yaml

ROOT = Path(__file__).resolve().parents[2]
WORKFLOW = ROOT / ".github" / "workflows" / "ci.yml"
CHOSEN = re.compile(r"\$\{\{ matrix\.(\w+) }}")


def commands(job: dict[str, Any]) -> set[str]:
    """What a job runs, for every combination of its matrix."""
    matrix = job.get("strategy", {}).get("matrix", {})
    axes = {name: values for name, values in matrix.items() if name not in ("include", "exclude")}
    runs = [step["run"] for step in job["steps"] if "run" in step]
    chosen = [dict(zip(axes, values, strict=True)) for values in product(*axes.values())]
    return {chosen_in(line, given) for given in chosen for line in runs}


def chosen_in(line: str, given: dict[str, str]) -> str:
    return CHOSEN.sub(lambda name: given[name[1]], line)


def test_every_command_is_a_target_of_make() -> None:
    jobs = yaml.safe_load(WORKFLOW.read_text())["jobs"]
    asked = {line for job in jobs.values() for line in commands(job)}
    (phony,) = re.findall(r"^\.PHONY: (.*)$", (ROOT / "Makefile").read_text(), re.M)
    assert asked <= {f"make {target}" for target in phony.split()}
    assert {"make lint", "make wheel", "make test-wheels"} <= asked


def test_every_part_of_the_quick_tests_runs() -> None:
    jobs = yaml.safe_load(WORKFLOW.read_text())["jobs"]
    (parts,) = re.findall(r"^test: (.*)$", (ROOT / "Makefile").read_text(), re.M)
    assert commands(jobs["test"]) == {f"make {part}" for part in parts.split()}
