"""Writes several files together: all of them whole, or none.

Each goes to a temporary name in the same directory and reaches the disk; only then are all renamed.
A full disk or a lost permission leaves the directory as it was.
"""

from __future__ import annotations

import os
import tempfile
from collections.abc import Mapping
from pathlib import Path

from ringwright.errors import StorageError


def write_together(directory: Path, contents: Mapping[str, bytes]) -> list[Path]:
    """Writes `contents` (file name to bytes) into `directory`, made where it does not exist.

    Raises `StorageError` naming the file; temporary files and a directory made here are removed.
    """
    made = _make(directory)
    staged: list[tuple[Path, Path]] = []
    try:
        for name, data in contents.items():
            staged.append((_stage(directory / name, data), directory / name))
        for temporary, final in staged:
            os.replace(temporary, final)
    except BaseException as error:
        for temporary, _ in staged:
            temporary.unlink(missing_ok=True)
        for folder in made:
            folder.rmdir()
        if not isinstance(error, OSError):
            raise
        raise StorageError(
            f"{directory}: nothing was written: {error.strerror or error}"
        ) from error
    return [final for _, final in staged]


def _make(directory: Path) -> list[Path]:
    """Makes the directory; returns what had to be made, innermost first."""
    missing = [folder for folder in (directory, *directory.parents) if not folder.exists()]
    try:
        directory.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise StorageError(f"{directory}: cannot be made: {error.strerror or error}") from error
    return missing


def _stage(final: Path, data: bytes) -> Path:
    handle, name = tempfile.mkstemp(dir=final.parent, prefix=f".{final.name}.")
    try:
        with os.fdopen(handle, "wb") as file:
            file.write(data)
            file.flush()
            os.fsync(file.fileno())
        os.chmod(name, 0o644)
    except BaseException:
        os.unlink(name)
        raise
    return Path(name)
