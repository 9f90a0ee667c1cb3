"""What a function takes from around it: the numbers that a traced program holds.

A program is traced once and runs often. Whatever its function read from outside (a global array, a
number in a closure, an attribute of an object) is in the program as it was then; a change would go
unnoticed. `Captures` remembers digests, and names what changed.
"""

from __future__ import annotations

import dis
import functools
import hashlib
import inspect
import sysconfig
from collections.abc import Iterator, Mapping, Sequence
from types import CodeType, FunctionType, MethodType, ModuleType
from typing import Any

import numpy as np

from ringwright.errors import StaleCaptureError

__all__ = ["Captures"]

_DEPTH = 4
_GLOBAL = frozenset({"LOAD_GLOBAL", "LOAD_NAME"})
_ATTRIBUTE = frozenset({"LOAD_ATTR", "LOAD_METHOD"})
_STORED = frozenset({"STORE_ATTR"})
_LIBRARIES = tuple({sysconfig.get_paths()[name] for name in ("stdlib", "platlib", "purelib")})
_OURS = __file__.rsplit("/", 1)[0] + "/"


class Captures:
    """The digests of what a function read, by name."""

    def __init__(self, function: FunctionType) -> None:
        self._function = function
        self._known: dict[str, bytes] | None = None

    def check(self, program: str) -> None:
        """Raises `StaleCaptureError` where something is not what it was at the last `remember`."""
        if self._known is None:
            return
        now = _Reader().of_function(self._function)
        for name, before in self._known.items():
            if now.get(name) != before:
                raise StaleCaptureError(
                    f"{program}: {name} has changed since the program was traced, which holds what "
                    "it was. Define the program again, or take it as an argument: "
                    "Input(plain=True), and rw.Plain(...) with each run"
                )

    def remember(self) -> None:
        """What there is now is what the program holds."""
        self._known = _Reader().of_function(self._function)


class _Reader:
    """One look at everything that a function reads."""

    def __init__(self) -> None:
        self._seen: set[int] = set()

    def of_function(self, function: FunctionType) -> dict[str, bytes]:
        """Digests by name, of this function alone; what helpers read is in the helper's."""
        self._seen.add(id(function))
        attributes = _attributes(function.__code__)
        return {
            name: hashlib.blake2b(b"".join(self._of(value, attributes, 0))).digest()
            for name, value in _read(function)
        }

    def _of(self, value: Any, attributes: frozenset[str], depth: int) -> Iterator[bytes]:
        if isinstance(value, np.ndarray) and value.dtype.kind in "biufc":
            yield f"{value.dtype}{value.shape}".encode()
            yield np.ascontiguousarray(value).tobytes()
        elif isinstance(value, int):
            yield f"{type(value).__name__} {value:x};".encode()
        elif value is None or isinstance(value, (float, complex, str, bytes, np.generic)):
            yield f"{type(value).__name__} {value!r};".encode()
        elif depth == _DEPTH or id(value) in self._seen:
            return
        else:
            self._seen.add(id(value))
            yield type(value).__name__.encode()
            yield from self._inside(value, attributes, depth + 1)

    def _inside(self, value: Any, attributes: frozenset[str], depth: int) -> Iterator[bytes]:
        if isinstance(value, Mapping):
            value = [item for pair in value.items() for item in pair]
        if isinstance(value, (list, tuple)):
            for each in value:
                yield from self._of(each, attributes, depth)
        elif isinstance(value, MethodType):
            yield from self._of(value.__func__, attributes, depth)
            inner = attributes | _attributes(value.__func__.__code__)
            yield from self._of(value.__self__, inner, depth)
        elif isinstance(value, FunctionType):
            yield from self._of_helper(value, depth)
        elif isinstance(value, ModuleType):
            yield from self._named(vars(value), attributes, depth)
        elif isinstance(getattr(value, "__wrapped__", None), FunctionType):
            yield from self._of(value.__wrapped__, attributes, depth)
        elif not isinstance(value, type):
            held = _own(value)
            arrays = {name for name, each in held.items() if isinstance(each, np.ndarray)}
            read = _of_methods(type(value), attributes | {"__call__"})
            yield from self._named(held, read | arrays, depth)

    def _named(self, held: Mapping[str, Any], names: frozenset[str], depth: int) -> Iterator[bytes]:
        for name in sorted(names & held.keys()):
            yield name.encode()
            yield from self._of(held[name], names, depth)

    def _of_helper(self, function: FunctionType, depth: int) -> Iterator[bytes]:
        code = function.__code__
        if code.co_filename.startswith(_LIBRARIES) or code.co_filename.startswith(_OURS):
            return
        yield code.co_code
        yield repr([each for each in code.co_consts if not inspect.iscode(each)]).encode()
        attributes = _attributes(code)
        for name, value in _read(function):
            yield name.encode()
            yield from self._of(value, attributes, depth)


def _read(function: FunctionType) -> Iterator[tuple[str, Any]]:
    """Names and values that a function reads from around it."""
    code = function.__code__
    for name in sorted(_names(code, _GLOBAL)):
        if name in function.__globals__:
            yield name, function.__globals__[name]
    for name, cell in zip(code.co_freevars, function.__closure__ or (), strict=True):
        try:
            yield name, cell.cell_contents
        except ValueError:  # not bound yet
            continue
    defaults: Sequence[Any] = function.__defaults__ or ()
    yield from ((f"default {index}", value) for index, value in enumerate(defaults))
    yield from (function.__kwdefaults__ or {}).items()


def _own(value: Any) -> dict[str, Any]:
    """An object's attributes, without those that it computes once from the others."""
    held = getattr(value, "__dict__", {})
    computed = functools.cached_property
    kind = type(value)
    return {
        name: each
        for name, each in held.items()
        if not isinstance(inspect.getattr_static(kind, name, None), computed)
    }


def _of_methods(kind: type, attributes: frozenset[str]) -> frozenset[str]:
    """These attributes, and those that the methods and properties among them read."""
    known: set[str] = set()
    new = set(attributes)
    while new:
        known |= new
        found = (inspect.getattr_static(kind, name, None) for name in new)
        methods = (getattr(each, "fget", getattr(each, "func", each)) for each in found)
        codes = (each.__code__ for each in methods if isinstance(each, FunctionType))
        new = set().union(*(_attributes(code) for code in codes)) - known
    return frozenset(known)


def _attributes(code: CodeType) -> frozenset[str]:
    """The attributes that the code reads; what it writes itself, such as a count, is its own."""
    return _names(code, _ATTRIBUTE) - _names(code, _STORED)


@functools.lru_cache(maxsize=4096)
def _names(code: CodeType, operations: frozenset[str]) -> frozenset[str]:
    """What the code, and the functions inside it, read by these instructions."""
    own = {each.argval for each in dis.get_instructions(code) if each.opname in operations}
    inner = (constant for constant in code.co_consts if inspect.iscode(constant))
    return frozenset(own).union(*(_names(each, operations) for each in inner))
