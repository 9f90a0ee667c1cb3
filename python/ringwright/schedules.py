"""Orders of transforms that were searched for here, kept in the platform's cache folder.

A machine that nobody has searched orders for is *untuned*: its transforms are compiled as they
come, and every report says so. `search` tries a number of orders, the same ones every time, and
keeps what is better than what was known in one file for each set of parameters that an order
depends on. From then on `machine` finds it, all that is compiled for such a machine takes it, and
every report says `tuned (cache)`. What a file says is counted again when it is used; what it
does not hold is refused by name and not used.
"""

from __future__ import annotations

import os
import sys
import warnings
from dataclasses import dataclass
from pathlib import Path

from ringwright import _ringwright as native
from ringwright.errors import MachineError, ParameterError, StorageError
from ringwright.storage import write_whole

__all__ = ["ScheduleWarning", "Searched", "attach", "clear", "folder", "said", "search"]

#: More tries than any search so far has needed; one takes from milliseconds to seconds.
MOST_TRIES = 1_000_000
#: Nobody has looked for the order.
UNTUNED = "untuned schedule"

_HEAD = """\
# Orders of transforms for machines with these parameters, found by `ringwright ntt --search`.
# Another search replaces the file; `ringwright ntt --clear-cache` deletes it.
"""


class ScheduleWarning(UserWarning):
    """A file of the cache, or an entry of one, that is not used."""


@dataclass(frozen=True)
class Searched:
    """What a search found for one transform: cycles `before` (`None`: untuned) and now.

    `in_order`: words keep their order, so that other operations on towers can follow.
    """

    inverse: bool
    in_order: bool
    before: int | None
    cycles: int


def folder() -> Path:
    """Where orders are kept; it need not exist."""
    if sys.platform == "darwin":
        base = Path.home() / "Library" / "Caches"
    elif sys.platform == "win32":
        base = Path(os.environ.get("LOCALAPPDATA") or Path.home() / "AppData" / "Local")
    else:
        base = Path(os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache")
    return base / "ringwright" / "schedules"


def attach(machine: native.Machine) -> native.Machine:
    """The machine with what is kept for it and for it read strictly.

    A file that is damaged, or for other machines, is warned of (`ScheduleWarning`) and not used.
    """
    for like in (machine, machine.read_strictly()):
        path = None if like is None else _path(like)
        if path is not None and path.is_file():
            machine = _with(machine, path)
    return machine


def _with(machine: native.Machine, path: Path) -> native.Machine:
    try:
        return machine.with_schedules(path.read_text(encoding="utf-8"), str(path))
    except (MachineError, OSError, UnicodeDecodeError) as error:
        reason = str(error).removeprefix(f"{path}: ")
        warnings.warn(f"{path}: not used: {reason}", ScheduleWarning, stacklevel=4)
        return machine


def search(machine: native.Machine, n: int, tries: int) -> tuple[Path, list[Searched]]:
    """Tries `tries` orders for each transform of degree `n`: where they are kept, what was found.

    Raises `ParameterError` for a machine that orders nothing or a number of tries out of range,
    `MachineError` where the transform does not fit, `StorageError` where nothing can be kept.
    """
    if not 1 <= tries <= MOST_TRIES:
        raise ParameterError(f"search {tries}: 1 to {MOST_TRIES} tries allowed")
    path = _path(machine)
    made = native.search_schedules(machine, n, tries)
    if path is None or made is None:
        what = "orders no transforms: nothing to search for"
        raise ParameterError(f"target {machine.target} {what}")
    text, found = made
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise StorageError(f"{path.parent}: not made: {error.strerror or error}") from error
    write_whole(path, (_HEAD + text).encode())
    return path, [Searched(*each) for each in found]


def clear() -> list[Path]:
    """Deletes all that is kept; the files that were there. Raises `StorageError`."""
    kept = sorted(folder().glob("*.toml"))
    try:
        for path in kept:
            path.unlink()
    except OSError as error:
        raise StorageError(f"{error.filename}: not deleted: {error.strerror or error}") from error
    return kept


def said(schedules: list[native.TransformSchedule]) -> str:
    """In a few words: `tuned`, `tuned (cache)`, `untuned schedule`, or several; none: empty."""
    words = {
        UNTUNED
        if each.schedule == "untuned"
        else "tuned (cache)"
        if each.source == "cache"
        else "tuned"
        for each in schedules
    }
    return ", ".join(sorted(words))


def _path(machine: native.Machine) -> Path | None:
    identity = machine.schedule_identity
    return None if identity is None else folder() / f"{identity}.toml"
