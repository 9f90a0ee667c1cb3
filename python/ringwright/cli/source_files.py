"""Objects that a user's files of Python define, named `FILE.py:NAME` on the command line.

A file is executed once, and as a script is: what lies beside it can be imported, then and while its
functions run.
"""

from __future__ import annotations

import runpy
import sys
import traceback
from pathlib import Path
from types import TracebackType
from typing import Any, TypeVar

import ringwright
from ringwright.ckks import Parameters
from ringwright.errors import ParameterError, ProgramError, RingwrightError, StorageError

Wanted = TypeVar("Wanted")

_PACKAGE = Path(ringwright.__file__).resolve().parent


def names_one(given: str) -> bool:
    """Whether this is written `FILE.py:NAME`."""
    file, _, name = given.rpartition(":")
    return file.endswith(".py") and bool(name)


class SourceFiles:
    """The files of one command; inside `with`, their folders can be imported from."""

    def __init__(self) -> None:
        self._defined: dict[Path, dict[str, Any]] = {}
        self._searched = sys.path

    def __enter__(self) -> SourceFiles:
        self._searched = sys.path
        sys.path = list(sys.path)
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        """Raises `ProgramError` of an error of the files themselves, with the line."""
        sys.path = self._searched
        if (
            not isinstance(error, Exception)
            or isinstance(error, RingwrightError)
            or _is_ours(error)
        ):
            return
        for path in self._defined:
            if place := _place(path, error):
                raise _failed(place, error) from error

    def named(self, given: str, wanted: type[Wanted]) -> Wanted:
        """The object of this type behind `FILE.py:NAME`.

        Raises `StorageError` where there is no such file, `ProgramError` where it fails, with the
        line, and `ParameterError` where it has no such object, with those that it has.
        """
        file, _, name = given.rpartition(":")
        defined = self._of(Path(file))
        found = defined.get(name)
        if isinstance(found, wanted):
            return found
        known = [key for key, value in defined.items() if isinstance(value, wanted)]
        kind, names = wanted.__name__, ", ".join(known) or "none"
        raise ParameterError(f"{file} has no {kind} {name!r}; its own: {names}")

    def parameters(self, given: str) -> Parameters:
        """A preset, a file that `Parameters.save` wrote, or `FILE.py:NAME`.

        Raises as `named` and `Parameters.preset` do.
        """
        if names_one(given):
            return self.named(given, Parameters)
        if given not in Parameters.presets() and Path(given).is_file():
            return Parameters.load(given)
        return Parameters.preset(given)

    def _of(self, path: Path) -> dict[str, Any]:
        if path not in self._defined:
            if not path.is_file():
                raise StorageError(f"{path}: no such file")
            sys.path.insert(0, str(path.resolve().parent))
            self._defined[path] = _executed(path)
        return self._defined[path]


def _executed(path: Path) -> dict[str, Any]:
    try:
        return runpy.run_path(str(path))
    except RingwrightError:
        raise
    except Exception as error:
        raise _failed(_place(path, error) or str(path), error) from error


def _failed(place: str, error: Exception) -> ProgramError:
    return ProgramError(f"{place}: {type(error).__name__}: {error}")


def _place(path: Path, error: Exception) -> str | None:
    """The innermost line of the user's own files: those in the folder of `path`."""
    folder = path.resolve().parent
    frames = traceback.extract_tb(error.__traceback__)
    own = [frame for frame in frames if Path(frame.filename).resolve().parent == folder]
    return f"{own[-1].filename}:{own[-1].lineno}" if own else None


def _is_ours(error: Exception) -> bool:
    """Whether it was raised in this package, whoever called; calls without end are the caller's."""
    if isinstance(error, RecursionError):
        return False
    (*_, innermost) = traceback.extract_tb(error.__traceback__)
    return _PACKAGE in Path(innermost.filename).resolve().parents
