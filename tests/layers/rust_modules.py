"""Which module of a Rust crate imports which, read from its text.

A module is a file. Its imports are the paths of its `use` declarations and of its code, outside
tests: `crate::a::f`, `super::f`, and `a::f` where `a` is in scope. A name that a module only passes
on (`pub use`) is an import of the module that passes it on and of the one that defines it.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass, field
from graphlib import CycleError, TopologicalSorter
from itertools import pairwise
from pathlib import Path

Name = tuple[str, ...]  # of a module: () is the crate, ("a", "b") is crate::a::b

TOKEN = re.compile(
    r"""(?P<skip>\s+|//[^\n]*|/\*.*?\*/
        |b?r(?P<hash>\#*)".*?"(?P=hash)|[bc]?"(?:\\.|[^"\\])*"|b?'(?:\\.[^']*|[^'\\])'|'\w+)
        |(?P<token>\w+|::|.)""",
    re.S | re.X,
)
OPENING = {"(": ")", "[": "]", "{": "}"}


@dataclass
class Module:
    """What one file says, and where."""

    path: Path
    children: set[str] = field(default_factory=set)
    imports: dict[str, list[str]] = field(default_factory=dict)  # name in scope -> path
    paths: list[list[str]] = field(default_factory=list)  # of all `use` and of the code


def tokens(source: str) -> list[str]:
    """Names and punctuation of a source, without comments, strings and lifetimes."""
    return [match["token"] for match in TOKEN.finditer(source) if match["token"]]


def after_group(tokens: list[str], at: int) -> int:
    """The place behind the bracket that closes the one at `at`."""
    depth = 0
    for end in range(at, len(tokens)):
        depth += (tokens[end] in OPENING) - (tokens[end] in OPENING.values())
        if depth == 0:
            return end + 1
    return len(tokens)


def after_item(tokens: list[str], at: int) -> int:
    """The place behind the item that begins at `at`: its semicolon or its body."""
    while at < len(tokens) and tokens[at] not in ";{":
        at = after_group(tokens, at) if tokens[at] in OPENING else at + 1
    return after_group(tokens, at) if tokens[at : at + 1] == ["{"] else at + 1


def without_tests(tokens: list[str]) -> list[str]:
    """The tokens without attributes, visibilities and what is compiled for tests only."""
    kept: list[str] = []
    at = 0
    while at < len(tokens):
        if tokens[at] == "#" and tokens[at + 1 : at + 2] in (["["], ["!"]):
            start = at + 1 + (tokens[at + 1] == "!")
            at = after_group(tokens, start)
            if tokens[start:at] == ["[", "cfg", "(", "test", ")", "]"]:
                while tokens[at] == "#":
                    at = after_group(tokens, at + 1)
                at = after_item(tokens, at)
        elif tokens[at] == "pub" and tokens[at + 1] == "(":
            at = after_group(tokens, at + 1)
        else:
            kept.append(tokens[at])
            at += 1
    return kept


def use_paths(tokens: list[str], start: list[str]) -> Iterator[tuple[list[str], str]]:
    """The paths of a `use` tree, each with the name it has in scope (`*` of a glob)."""
    path, alias, at = list(start), "", 0
    while at < len(tokens):
        if tokens[at] == "{":
            end = after_group(tokens, at)
            for branch in branches(tokens[at + 1 : end - 1]):
                yield from use_paths(branch, path)
            return
        if tokens[at] == "as":
            alias = tokens[at + 1]
            break
        if tokens[at] not in ("::", *(["self"] if path else [])):
            path.append(tokens[at])
        at += 1
    yield path, alias or path[-1]


def branches(tokens: list[str]) -> Iterator[list[str]]:
    """The parts of a list between its commas."""
    start = at = 0
    while at < len(tokens):
        if tokens[at] == ",":
            yield tokens[start:at]
            start = at = at + 1
        else:
            at = after_group(tokens, at) if tokens[at] in OPENING else at + 1
    if start < len(tokens):
        yield tokens[start:]


def read_module(file: Path) -> Module:
    """What `file` imports and names."""
    module = Module(file)
    code = without_tests(tokens(file.read_text()))
    at = 0
    while at < len(code):
        word = code[at]
        if word == "use" and code[at + 1] != "<":
            end = code.index(";", at)
            for path, name in use_paths(code[at + 1 : end], []):
                module.paths.append(path)
                module.imports[name] = path
            at = end
        elif word == "mod" and code[at + 2] == ";":
            module.children.add(code[at + 1])
        elif word.isidentifier() and code[at + 1 : at + 2] == ["::"]:
            end = at
            while code[end + 1] == "::" and code[end + 2].isidentifier():
                end += 2
            module.paths.append(code[at : end + 1 : 2])
            at = end
        at += 1
    return module


def read_crate(root: Path) -> dict[Name, Module]:
    """All modules of the crate whose root file is `root`, by name."""
    found: dict[Name, Module] = {}

    def read(name: Name, path: Path) -> None:
        module = found[name] = read_module(path)
        own_folder = path.stem in ("lib", "main", "mod")
        folder = path.parent if own_folder else path.with_suffix("")
        for child in sorted(module.children):
            candidates = (folder / f"{child}.rs", folder / child / "mod.rs")
            read((*name, child), next(file for file in candidates if file.exists()))

    read((), root)
    return found


def meant(crate: dict[Name, Module], at: Name, path: list[str]) -> Iterator[Name]:
    """The modules that `path`, written in module `at`, names: who passes it on, who defines it."""
    first, rest = path[0], path[1:]
    if first == "crate":
        yield from inside(crate, (), rest)
    elif first == "self":
        yield from inside(crate, at, rest)
    elif first == "super":
        yield from meant(crate, at[:-1], ["self", *rest] if rest[:1] != ["super"] else rest)
    elif first in crate[at].children or crate[at].imports.get(first, path)[0] != first:
        yield from inside(crate, at, path)


def inside(crate: dict[Name, Module], at: Name, path: list[str]) -> Iterator[Name]:
    """The same of a path that starts in module `at` with a name of its own."""
    name, rest = path[0] if path else "", path[1:]
    if name in crate[at].children:
        yield from inside(crate, (*at, name), rest)
        return
    yield at
    if name in crate[at].imports:
        yield from meant(crate, at, [*crate[at].imports[name], *rest])


def imports(crate: dict[Name, Module]) -> set[tuple[Name, Name]]:
    """Pairs of modules, the first of which imports the second; parent and child left out."""
    pairs = {
        (name, other)
        for name, module in crate.items()
        for path in module.paths
        for other in meant(crate, name, path)
    }
    return {(a, b) for a, b in pairs if a[: len(b)] != b and b[: len(a)] != a}


def cycle(crate: dict[Name, Module]) -> list[str]:
    """One circle of imports between the children of one module, whatever lies in them; or nothing.

    Each line says which file imports which.
    """
    folder = crate[()].path.parent
    graphs: dict[Name, dict[Name, dict[Name, str]]] = {}
    for a, b in sorted(imports(crate)):
        level = next(i for i, (x, y) in enumerate(zip(a, b, strict=False)) if x != y)
        graph = graphs.setdefault(a[:level], {})
        line = " imports ".join(crate[name].path.relative_to(folder).as_posix() for name in (a, b))
        graph.setdefault(a[: level + 1], {}).setdefault(b[: level + 1], line)
    for graph in graphs.values():
        try:
            TopologicalSorter(graph).prepare()
        except CycleError as error:
            circle = error.args[1][::-1]  # it names the imported before its importer
            return [graph[a][b] for a, b in pairwise(circle)]
    return []
