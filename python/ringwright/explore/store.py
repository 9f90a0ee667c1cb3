"""What is kept of a study: a folder.

    study.json        what is explored: machine, axes, workload, clock, process (its hash)
    points/ID.json    a finished point, written whole, named by what it was computed from
    results.parquet   all points in the order of the space; results.csv and results.json the same
    seconds.json      how long each point took where: of no result

The results are made of the points and of the study alone: two runs of one study, however often they
were stopped, write the same bytes.
"""

from __future__ import annotations

import csv
import io
import json
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from ringwright import checkout
from ringwright.errors import FormatError, ParameterError, StorageError
from ringwright.explore.front import front
from ringwright.silicon import AREA, BLOCKS
from ringwright.storage import require_folder, write_whole

_PACKAGES = {"distributed": "dask[distributed]", "plotly": "plotly", "pyarrow": "pyarrow"}
_INSTALL = "python -m pip install 'dask[distributed]' plotly pyarrow"
_FORMAT = 2
_RANGES = (AREA, "energy_uj", "leakage_mw", *BLOCKS)
_NUMBERS = (
    "cycles",
    "clock_ghz",
    "time_us",
    *(f"{name}{end}" for name in _RANGES for end in ("", "_low", "_high")),
)
#: Parts by name: text of JSON in the table.
_PARTS = ("area_by_unit", "energy_by_unit", *(f"{name}_by_unit" for name in BLOCKS), "timeline")
_WORDS = (
    "clock",
    "time_provenance",
    "area_provenance",
    "energy_provenance",
    "blocks_provenance",
    "schedule",
    "machine",
    "skipped",
)

Row = dict[str, Any]


def need_packages() -> None:
    """Raises `MissingToolError` without Dask, Arrow and Plotly: the extra `explore`."""
    checkout.need(_PACKAGES, "exploration", _INSTALL)


@dataclass(frozen=True)
class Study:
    """A finished study: what was explored, and its points in the order of the space."""

    folder: Path
    about: dict[str, Any]
    rows: tuple[Row, ...]

    @classmethod
    def load(cls, folder: str | Path) -> Study:
        """Reads a folder. Raises `StorageError` or `FormatError` naming the file that is wrong."""
        need_packages()
        import pyarrow as pa
        import pyarrow.parquet as pq

        folder = Path(folder)
        about = _about(folder)
        file = folder / "results.parquet"
        if not file.is_file():
            raise StorageError(f"{file}: no such file; the study is not finished")
        try:
            table = pq.read_table(file)
        except (pa.ArrowException, OSError) as error:
            reason = " ".join(str(error).split())
            raise FormatError(f"{file}: damaged: {reason}; run the study again") from error
        rows = tuple(_from_table(row) for row in table.to_pylist())
        return cls(folder, about, rows)

    @property
    def points(self) -> tuple[Row, ...]:
        """Those that have a result."""
        return tuple(row for row in self.rows if "skipped" not in row)

    @property
    def skipped(self) -> tuple[Row, ...]:
        """Those that have none, with the reason under `skipped`."""
        return tuple(row for row in self.rows if "skipped" in row)

    @property
    def seconds(self) -> float:
        """How long workers took for the points, whenever that was."""
        timed = _seconds(self.folder)
        return sum(timed.get(row["id"], 0.0) for row in self.rows)

    def front(self, objectives: Sequence[str]) -> tuple[Row, ...]:
        """Points that no other beats in every objective."""
        return front(self.points, objectives)

    def point(self, name: str) -> Row:
        """A point by its id, or the beginning of it. Raises `ParameterError`."""
        found = [row for row in self.rows if row["id"].startswith(name)]
        if len(found) != 1:
            raise ParameterError(f"{len(found)} points of {self.folder} begin with {name!r}")
        return found[0]


class Store:
    """The folder of a study that is being run."""

    def __init__(self, folder: Path, about: dict[str, Any]) -> None:
        """Makes the folder, or goes on in one of the same study.

        Raises `ParameterError` where another study lies there, `StorageError` where nothing can be
        written.
        """
        require_folder(folder)
        self._folder = folder
        self._about = {"format": _FORMAT, **about}
        if (folder / "study.json").exists():
            found = _about(folder)
            differs = [k for k in self._about if found.get(k) != self._about[k]]
            if differs:
                raise ParameterError(
                    f"{folder}: another study lies there, with other {', '.join(differs)}; "
                    "choose another folder"
                )
        (folder / "points").mkdir(parents=True, exist_ok=True)
        write_whole(folder / "study.json", _text(self._about))

    def finished(self, point: str) -> Row | None:
        """The record of a point; `None` where there is none, or it is damaged."""
        file = self._file(point)
        try:
            row = json.loads(file.read_text(encoding="utf-8"))
        except (OSError, ValueError):
            return None
        return row if isinstance(row, dict) else None

    def keep(self, point: str, row: Row) -> None:
        """Writes the record of a point, whole or not at all."""
        write_whole(self._file(point), _text(row))

    def finish(self, rows: Sequence[Row], axes: Sequence[str], seconds: dict[str, float]) -> Study:
        """Writes the results of all points, in their order."""
        import pyarrow as pa
        import pyarrow.parquet as pq

        # Silicon has other columns than an FPGA; that nothing was skipped is said too.
        named = (*_NUMBERS, *_WORDS, *_PARTS)
        there = [name for name in named if name == "skipped" or any(name in row for row in rows)]
        columns = ["id", *axes, *there]
        arrays = {name: _array(pa, name, rows, axes) for name in columns}
        about = {"ringwright": json.dumps(self._about, sort_keys=True)}
        table = pa.table(arrays).replace_schema_metadata(about)
        sink = io.BytesIO()
        pq.write_table(table, sink)
        write_whole(self._folder / "results.parquet", sink.getvalue())
        lines = io.StringIO()
        writer = csv.DictWriter(lines, columns, restval="", lineterminator="\n")
        writer.writeheader()
        writer.writerows({**row, **_as_text(row)} for row in rows)
        write_whole(self._folder / "results.csv", lines.getvalue().encode())
        write_whole(self._folder / "results.json", _text(list(rows)))
        timed = {**_seconds(self._folder), **seconds}
        write_whole(self._folder / "seconds.json", _text(timed))
        return Study(self._folder, self._about, tuple(rows))

    def _file(self, point: str) -> Path:
        return self._folder / "points" / f"{point}.json"


def _as_text(row: Row) -> dict[str, str]:
    return {name: json.dumps(row[name], sort_keys=True) for name in _PARTS if name in row}


def _from_table(row: Row) -> Row:
    found = {name: value for name, value in row.items() if value is not None}
    return found | {name: json.loads(found[name]) for name in _PARTS if name in found}


def _array(pa: Any, name: str, rows: Sequence[Row], axes: Sequence[str]) -> Any:
    values = [{**row, **_as_text(row)}.get(name) for row in rows]
    if name == "cycles" or (name in axes and all(isinstance(v, int) for v in values)):
        return pa.array(values, pa.int64())
    if name in _NUMBERS:
        return pa.array(values, pa.float64())
    return pa.array([None if v is None else str(v) for v in values], pa.string())


def _seconds(folder: Path) -> dict[str, float]:
    try:
        timed = json.loads((folder / "seconds.json").read_text(encoding="utf-8"))
    except (OSError, ValueError):
        return {}
    return timed if isinstance(timed, dict) else {}


def _about(folder: Path) -> dict[str, Any]:
    file = folder / "study.json"
    try:
        about = json.loads(file.read_text(encoding="utf-8"))
    except OSError as error:
        raise StorageError(f"{file}: not read: {error.strerror or error}") from error
    except ValueError as error:
        raise FormatError(f"{file}: damaged: {error}") from error
    if not isinstance(about, dict) or about.get("format") != _FORMAT:
        raise FormatError(f"{file}: a study of another version; this one writes format {_FORMAT}")
    return about


def _text(value: Any) -> bytes:
    return (json.dumps(value, indent=1, sort_keys=True) + "\n").encode()
