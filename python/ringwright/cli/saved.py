"""Reads a results.json back and refuses what is not one."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

from ringwright.errors import FormatError, StorageError

_NEEDED: dict[str, type] = {
    "name": str,
    "server": str,
    "fps": float,
    "slowest": str,
    "resources": list,
    "total_fs": int,
    "ledger": list,
    "operations": list,
}
_NEEDED_OF_ORIGIN: dict[str, type] = {"version": str, "date": str, "processor": str}
_NEEDED_OF_ENTRY: dict[str, type] = {
    "stage": str,
    "kind": str,
    "busy_fs": int,
    "exposed_fs": int,
    "provenance": str,
}


def load(path: Path) -> dict[str, Any]:
    """A results.json: its rows under `machines`, where it comes from under `origin`.

    `origin` is `None` in files that do not say.

    Raises `StorageError` where the file cannot be read, `FormatError` where it is no results.json
    or its ledger does not add up.
    """
    whole = _read(path)
    rows = whole["machines"]
    for index, row in enumerate(rows):
        where = f"{path}: machines[{index}]"
        _check(where, row, _NEEDED)
        for number, entry in enumerate(row["ledger"]):
            _check(f"{where}.ledger[{number}]", entry, _NEEDED_OF_ENTRY)
        exposed = sum(entry["exposed_fs"] for entry in row["ledger"])
        if exposed != row["total_fs"]:
            raise FormatError(
                f"{where}: the exposed times add up to {exposed} fs, total_fs is {row['total_fs']}"
            )
    origin = whole.get("origin")
    if origin is not None:
        _check(f"{path}: origin", origin, _NEEDED_OF_ORIGIN)
    return {"origin": origin, "machines": rows}


def _read(path: Path) -> dict[str, Any]:
    try:
        parsed = json.loads(path.read_text(encoding="utf-8"))
    except OSError as error:
        raise StorageError(f"{path}: cannot be read: {error.strerror}") from error
    except ValueError as error:
        raise FormatError(f"{path}: not JSON: {error}") from error
    rows = parsed.get("machines") if isinstance(parsed, dict) else None
    if not isinstance(parsed, dict) or not isinstance(rows, list) or not rows:
        raise FormatError(f'{path}: expected {{"machines": [...]}} with at least one machine')
    return parsed


def _check(where: str, found: Any, needed: dict[str, type]) -> None:
    if not isinstance(found, dict):
        raise FormatError(f"{where}: expected an object")
    for key, kind in needed.items():
        if not isinstance(found.get(key), kind):
            raise FormatError(f"{where}: expected {key!r} of type {kind.__name__}")
