"""The RPU paper's 28 designs on the forward 64K transform: seconds, and how good programs are.

A study from an empty folder, then one for which so many orders of instructions are searched for
each design; every word is checked by the study itself. `goals.toml` has the limits. `python
bench/study.py` takes half a minute for the first; the second grows with the orders, `--orders 4`
takes two minutes.
"""

from __future__ import annotations

import argparse
import sys
import time
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

from rich.console import Console
from rich.table import Table

from ringwright import explore

if sys.version_info >= (3, 11):
    import tomllib
else:
    import tomli as tomllib

GOALS = Path(__file__).with_name("goals.toml")
_SPACE = ["hples=4..256:x2", "banks=32..256:x2"]


def cycles(orders: int) -> tuple[dict[str, int], float]:
    """Cycles of every design, and the seconds of the study."""
    space = explore.Space.parse("rpu-128x128", _SPACE)
    workload = explore.Workload.parse("ntt:65536")
    with TemporaryDirectory() as folder:
        begun = time.monotonic()
        study = explore.run(space, workload, folder, search=orders)
        seconds = time.monotonic() - begun
    return {f"({row['hples']}, {row['banks']})": row["cycles"] for row in study.points}, seconds


def main() -> int:
    """Prints both; exit status 1 where a limit is missed."""
    asked = argparse.ArgumentParser(description=__doc__)
    asked.add_argument("--orders", type=int, default=300, help="searched for each design")
    orders = asked.parse_args().orders
    limits: dict[str, Any] = tomllib.loads(GOALS.read_text(encoding="utf-8"))["study"]
    quick, seconds = cycles(0)
    print(f"{len(quick)} designs in {seconds:.0f} s, limit {limits['seconds']} s")
    searched, long = cycles(orders)
    made = Table("design", "cycles", f"of {orders} orders", "ratio", "limit")
    ratios = {name: quick[name] / searched[name] for name in quick}
    for name, ratio in ratios.items():
        row = (f"{quick[name]:,}", f"{searched[name]:,}", f"{ratio:.3f}", str(limits["ratio"]))
        made.add_row(name, *row)
    Console(width=100).print(made)
    print(f"searched in {long:.0f} s; worst {max(ratios.values()):.3f}")
    return int(seconds > limits["seconds"] or max(ratios.values()) > limits["ratio"])


if __name__ == "__main__":
    sys.exit(main())
