"""The dependency graph is the one ARCHITECTURE.md draws: upward only, no exceptions.

The order of the crates is read from ARCHITECTURE.md's layout block, so the document cannot drift
from the code. Crates named on one line stand side by side and must not see each other.
"""

from __future__ import annotations

import ast
import json
import re
import subprocess
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]
PYTHON_PACKAGE = ROOT / "python" / "ringwright"

# Accelerators are interchangeable: none may know a scheme, or anything built on one.
HIDDEN_FROM_TARGETS = {"schemes", "circuits", "interop", "targets", "system", "py"}

# Python's layers, lowest first; a module may import from its own layer and those before it.
PYTHON_LAYERS = [
    {"_ringwright"},
    {"errors"},
    {"notebook", "precision", "quantity", "storage", "watching"},
    {"schedules"},
    {"checkout", "comparison", "doctor", "ledger", "machines", "source_line", "timeline"},
    {"origin", "spot_checks"},
    {
        "bootstrapping",
        "captures",
        "declared",
        "diagonals",
        "numpy_calls",
        "numpy_face",
        "plain",
        "plain_vector",
        "rotations",
    },
    {
        "ckks",
        "choosing",
        "explanation",
        "program",
        "rtl",
        "sharing",
        "system",
        "tracing",
        "vector",
    },
    {"eager", "interop"},
    {"oracle", "server"},
    {"amortised", "batches", "placing", "roofline", "silicon", "system_server"},
    {"compare", "explore", "spending"},
    {"__init__"},
    {"report"},
    {"camera", "compare_report", "digits", "logistic", "peers", "reproduce", "soc", "sorting"},
    {"cli"},
    {"__main__"},
]

# Where `unsafe` may stand, and nowhere else.
UNSAFE_ALLOWED = (
    "crates/kernels/src/arch/",
    "crates/lockstep/src/ffi.rs",
    "crates/py/src/allocator.rs",
    "crates/ring/src/mapped.rs",
)


def documented_layers() -> list[list[str]]:
    """The lines of the `crates/` block of ARCHITECTURE.md's layout, as lists of crate names."""
    text = (ROOT / "ARCHITECTURE.md").read_text()
    block = re.search(r"^crates/.*?\n(.*?)^python/", text, re.M | re.S)
    assert block, "ARCHITECTURE.md has no layout block"
    rows = re.findall(r"^  ((?:[a-z0-9-]+ )*[a-z0-9-]+)\s{2,}\S", block[1], re.M)
    return [row.split() for row in rows]


def crate_dependencies() -> dict[str, set[str]]:
    """Crate name -> the workspace crates that it uses outside its tests."""
    metadata = subprocess.run(
        ["cargo", "metadata", "--no-deps", "--format-version", "1", "--locked"],
        cwd=ROOT,
        check=True,
        capture_output=True,
        text=True,
    )
    short = re.compile(r"^ringwright-")
    return {
        short.sub("", package["name"]): {
            short.sub("", dependency["name"])
            for dependency in package["dependencies"]
            if dependency["name"].startswith("ringwright-") and dependency["kind"] != "dev"
        }
        for package in json.loads(metadata.stdout)["packages"]
    }


def test_every_crate_stands_in_the_layout() -> None:
    documented = {name for row in documented_layers() for name in row}
    assert set(crate_dependencies()) <= documented


def test_crates_depend_upward_only() -> None:
    level = {name: i for i, row in enumerate(documented_layers()) for name in row}
    wrong = [
        f"{crate} uses {used}"
        for crate, uses in crate_dependencies().items()
        for used in uses
        if level[used] >= level[crate]
    ]
    assert not wrong


def test_targets_know_no_scheme() -> None:
    wrong = [
        f"{crate} uses {used}"
        for crate, uses in crate_dependencies().items()
        if crate.startswith("target-")
        for used in uses & HIDDEN_FROM_TARGETS
    ]
    assert not wrong


def test_only_the_list_of_targets_names_a_target() -> None:
    users = {
        crate
        for crate, uses in crate_dependencies().items()
        if any(used.startswith("target-") for used in uses)
    }
    assert users == {"targets"}


def test_what_all_schemes_share_names_none_and_no_word_of_ckks() -> None:
    word = re.compile(r"ckks|scale|slot", re.I)
    sources = sorted((ROOT / "crates/schemes/src/rlwe").rglob("*.rs"))
    assert len(sources) > 10
    wrong = [
        f"{path.name}:{number}: {line.strip()}"
        for path in sources
        for number, line in enumerate(path.read_text().splitlines(), 1)
        if word.search(line)
    ]
    assert not wrong


def test_only_py_names_pyo3() -> None:
    named = {
        path.parts[-2] for path in ROOT.glob("crates/*/Cargo.toml") if "pyo3" in path.read_text()
    }
    assert named == {"py"}


def test_unsafe_stands_where_it_may() -> None:
    code = re.compile(r"^\s*[^/\s].*\bunsafe\b|^unsafe\b", re.M)
    wrong = [
        name
        for path in sorted(ROOT.glob("crates/**/*.rs"))
        if code.search(path.read_text())
        and not (name := path.relative_to(ROOT).as_posix()).startswith(UNSAFE_ALLOWED)
    ]
    assert not wrong


def imported_modules(path: Path) -> set[str]:
    """First component, below `ringwright`, of everything that a module imports from the package."""
    parts = path.relative_to(PYTHON_PACKAGE).with_suffix("").parts
    found: set[str] = set()
    for node in ast.walk(ast.parse(path.read_text())):
        if isinstance(node, ast.Import):
            found |= {
                [*name.name.split("."), "__init__"][1]
                for name in node.names
                if name.name.split(".")[0] == "ringwright"
            }
        elif isinstance(node, ast.ImportFrom):
            package = list(parts[: len(parts) - node.level])
            target = (node.module or "").split(".") if node.module else []
            if node.level == 0:
                if target[:1] != ["ringwright"]:
                    continue
                full = target[1:]
            else:
                full = package + target
            if full:
                found.add(full[0])
            else:
                modules = {p.stem for p in PYTHON_PACKAGE.iterdir()}
                names = {name.name for name in node.names}
                found |= {name if name in modules else "__init__" for name in names}
    return found


@pytest.mark.parametrize(
    "path",
    sorted(PYTHON_PACKAGE.rglob("*.py")),
    ids=lambda p: p.relative_to(PYTHON_PACKAGE).as_posix(),
)
def test_python_imports_downward_only(path: Path) -> None:
    level = {name: i for i, layer in enumerate(PYTHON_LAYERS) for name in layer}
    own = path.relative_to(PYTHON_PACKAGE).parts[0].removesuffix(".py")
    assert own in level, f"{own} has no layer: add it to PYTHON_LAYERS"
    wrong = {name for name in imported_modules(path) if level.get(name, 0) > level[own]}
    assert not wrong, f"{own} imports {sorted(wrong)} from layers above it"
