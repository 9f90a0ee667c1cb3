"""Writes several files together: all of them whole, or none.

Each goes to a temporary name in the same directory and reaches the disk; only then are all renamed.
A full disk or a lost permission leaves the directory as it was.
"""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path

from ringwright.errors import StorageError
from ringwright.storage import write_whole


def write_together(directory: Path, contents: Mapping[str, bytes]) -> list[Path]:
    """Writes `contents` (file name to bytes) into `directory`, made where it does not exist.

    Raises `StorageError` naming the file; temporary files and a directory made here are removed.
    """
    made = _make(directory)
    staged: dict[Path, Path] = {}
    try:
        for name, data in contents.items():
            staged[write_whole(directory / f".{name}.new", data)] = directory / name
        for temporary, final in staged.items():
            temporary.replace(final)
    except BaseException as error:
        for temporary in staged:
            temporary.unlink(missing_ok=True)
        for folder in made:
            folder.rmdir()
        if not isinstance(error, OSError):
            raise
        raise StorageError(f"{directory}: nothing was written: {error}") from error
    return list(staged.values())


def _make(directory: Path) -> list[Path]:
    """Makes the directory; returns what had to be made, innermost first."""
    missing = [folder for folder in (directory, *directory.parents) if not folder.exists()]
    try:
        directory.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise StorageError(f"{directory}: cannot be made: {error.strerror or error}") from error
    return missing
