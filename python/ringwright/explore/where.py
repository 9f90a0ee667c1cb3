"""Conditions on points: `area_mm2 <= 20`."""

from __future__ import annotations

import operator
import re
from collections.abc import Callable, Collection
from dataclasses import dataclass
from typing import Any

from ringwright.errors import ParameterError
from ringwright.explore.front import OBJECTIVES

_COMPARE: dict[str, Callable[[float, float], bool]] = {
    "<=": operator.le,
    ">=": operator.ge,
    "<": operator.lt,
    ">": operator.gt,
}
_SHAPE = re.compile(r"^\s*(\w+)\s*(<=|>=|<|>)\s*([0-9.eE+-]+)\s*$")
COLUMNS = (*OBJECTIVES.values(), "clock_ghz", "leakage_mw")


@dataclass(frozen=True)
class Where:
    """A column against a limit."""

    column: str
    compare: str
    limit: float

    @classmethod
    def parse(cls, text: str) -> Where:
        """Reads one `--where`. Raises `ParameterError`."""
        found = _SHAPE.match(text)
        try:
            limit = float(found[3]) if found else 0.0
        except ValueError:
            found = None
        if found is None or found[1] not in COLUMNS:
            known = ", ".join(COLUMNS)
            raise ParameterError(f"where {text!r}: write COLUMN <= NUMBER; columns are {known}")
        return cls(found[1], found[2], limit)

    def holds(self, row: dict[str, Any]) -> bool:
        """Whether a point that has a result fulfils it. Raises `ParameterError` without that
        column.
        """
        self.need(row)
        return _COMPARE[self.compare](row[self.column], self.limit)

    def need(self, there: Collection[str]) -> None:
        """Raises `ParameterError` where designs that have these columns lack this one."""
        if self.column not in there:
            known = ", ".join(name for name in COLUMNS if name in there)
            raise ParameterError(f"where {self}: not known of these designs; known are {known}")

    def over(self, row: dict[str, Any]) -> float:
        """By how much a point misses it; what is not above 0 holds."""
        over = float(row[self.column]) - self.limit
        over = over if self.compare in {"<", "<="} else -over
        return max(over, 1e-9) if not self.holds(row) else min(over, 0.0)

    def __str__(self) -> str:
        return f"{self.column} {self.compare} {self.limit:g}"
