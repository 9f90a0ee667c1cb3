"""Files that are written whole or not at all: a temporary name beside the target, then a rename."""

from __future__ import annotations

import os
import tempfile
from pathlib import Path

from ringwright.errors import StorageError

__all__ = ["write_whole"]


def write_whole(path: str | os.PathLike[str], data: bytes) -> Path:
    """Writes `data` to `path`; returns the path.

    A full disk, a missing folder or a refused permission raises `StorageError`; what stood at
    `path` before is then still there, and nothing else is left behind.
    """
    path = Path(path)
    try:
        handle, temporary = tempfile.mkstemp(dir=path.parent, prefix=f".{path.name}.")
        try:
            with os.fdopen(handle, "wb") as file:
                file.write(data)
                file.flush()
                os.fsync(file.fileno())
            os.chmod(temporary, 0o666 & ~_umask())
            os.replace(temporary, path)
        except BaseException:
            Path(temporary).unlink(missing_ok=True)
            raise
    except OSError as error:
        raise StorageError(f"{path}: not written: {error.strerror or error}") from error
    return path


def _umask() -> int:
    mask = os.umask(0)
    os.umask(mask)
    return mask
