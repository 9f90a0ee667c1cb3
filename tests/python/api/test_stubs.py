"""The stubs say exactly what the native module has, and everything in it is documented."""

from __future__ import annotations

import ast
import inspect
from pathlib import Path

import pytest

import ringwright
from ringwright import _ringwright as native

STUB = ast.parse((Path(ringwright.__file__).parent / "_ringwright.pyi").read_text())
CLASSES = {node.name: node for node in STUB.body if isinstance(node, ast.ClassDef)}
FUNCTIONS = {node.name for node in STUB.body if isinstance(node, ast.FunctionDef)}


def members(names: list[str]) -> set[str]:
    return {name for name in names if not name.startswith("_")}


def test_classes_and_functions_are_the_stubs():
    public = {name: value for name, value in vars(native).items() if not name.startswith("_")}
    assert {name for name, value in public.items() if inspect.isclass(value)} == set(CLASSES)
    assert {name for name, value in public.items() if not inspect.isclass(value)} == FUNCTIONS


@pytest.mark.parametrize("name", CLASSES)
def test_members_are_the_stubs(name):
    stubbed = [n.name for n in CLASSES[name].body if isinstance(n, ast.FunctionDef)]
    assert members(list(vars(getattr(native, name)))) == members(stubbed)


@pytest.mark.parametrize("name", CLASSES)
def test_native_members_are_documented(name):
    kind = getattr(native, name)
    assert kind.__doc__
    undocumented = [m for m in members(list(vars(kind))) if not getattr(kind, m).__doc__]
    assert undocumented == []


@pytest.mark.parametrize("name", ringwright.__all__)
def test_the_face_is_documented(name):
    value = getattr(ringwright, name)
    assert name == "__version__" or inspect.getdoc(value)
