"""Files that are written whole or not at all: a temporary name beside the target, then a rename.

What takes long asks first whether its results can be written (`require_file`, `require_folder`).
"""

from __future__ import annotations

import os
import tempfile
from pathlib import Path

from ringwright.errors import StorageError

__all__ = ["require_file", "require_folder", "write_whole"]


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


def require_folder(directory: Path, *names: str) -> None:
    """Raises `StorageError` where `directory` is none, or can be neither made nor written to.

    `names`: files that will be written there; a folder of such a name is refused as well.

    For a long run, before it starts: nobody should lose minutes to a mistyped path.
    """
    existing = next(folder for folder in (directory, *directory.parents) if folder.exists())
    if not existing.is_dir():
        raise StorageError(f"{directory}: {existing} is a file; a folder allowed")
    if not os.access(existing, os.W_OK | os.X_OK):
        raise StorageError(f"{directory}: no permission to write in {existing}")
    for name in names:
        if (directory / name).is_dir():
            raise StorageError(f"{directory / name} is a folder; a file allowed")


def require_file(path: Path) -> None:
    """The same for one file, whose folder must exist. Raises `StorageError`."""
    if not path.parent.is_dir():
        raise StorageError(f"{path}: there is no folder {path.parent}")
    require_folder(path.parent, path.name)


def _umask() -> int:
    mask = os.umask(0)
    os.umask(mask)
    return mask
