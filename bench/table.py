"""Records as tables in Markdown.

`python bench/table.py RECORD` prints every row of a record, `ringwright bench peers --json |
python bench/table.py -` those of this moment. `python bench/table.py --one-thread` prints what
docs/results.md shows of all records, side by side: one thread, transforms of N = 2^14, ours in
microseconds and how many times as long each peer took; `--book` puts it there.
"""

from __future__ import annotations

import json
import re
import sys
from collections.abc import Callable, Iterable
from pathlib import Path
from typing import Any

ROOT = Path(__file__).resolve().parents[1]
BOOK = ROOT / "docs" / "results.md"
RECORDS = ROOT / "bench" / "records"
#: Where the book's tables stand.
BETWEEN = re.compile(r"(?<=<!-- bench/table\.py -->\n).*?(?=<!-- end -->\n)", re.S)

Row = dict[str, Any]
#: In the order of their columns.
PEERS = ("tfhe-ntt", "tfhe-ntt 32-bit words", "SEAL", "OpenFHE", "Lattigo")


def whole(rows: list[Row]) -> str:
    """Every row, with the peers' microseconds."""
    heads = ["", "parameters", "ours µs", "peers µs", "x the fastest"]
    return markdown(heads, map(line, rows))


def line(row: Row) -> list[str]:
    shape = " ".join(f"{key}={value}" for key, value in row["parameters"].items())
    peers = ", ".join(f"{name} {took:.0f}" for name, took in row["peers"].items())
    ratio = f"**{row['ratio_to_best']:.2f}**" if row["ratio_to_best"] else "-"
    return [row["name"], shape, ours(row), peers or "none live", ratio]


def side_by_side(records: list[dict[str, Any]]) -> str:
    """What the book shows: the machines, then their transforms, then their operations."""
    records = sorted(records, key=vector_instructions, reverse=True)
    machines = [(vector_instructions(record)[1], record["rows"]) for record in records]
    listed = [
        f"- `{name}`: {record['cpu']}" for (name, _), record in zip(machines, records, strict=True)
    ]
    tables = [table(machines, transform), table(machines, operation)]
    return "\n".join([*listed, "", *tables])


def vector_instructions(record: dict[str, Any]) -> tuple[int, str]:
    """Those that the record was taken with, after their place among those that are known."""
    known = [(name, found) for name, found in record["found"].items() if name.startswith("isa ")]
    ((place, name),) = [(i, name) for i, (name, found) in enumerate(known) if found == "used"]
    return place, name.removeprefix("isa ")


def table(machines: list[tuple[str, list[Row]]], label: Callable[[Row], str | None]) -> str:
    """The rows that have a label, a line for each; every machine has columns of its own."""
    found = [{label(row): row for row in rows if label(row)} for _, rows in machines]
    labels = list(dict.fromkeys(key for rows in found for key in rows))
    live = {peer for rows in found for row in rows.values() for peer in row["peers"]}
    peers = [peer for peer in PEERS if peer in live]
    heads = [head for name, _ in machines for head in (f"`{name}` µs", *(f"x {p}" for p in peers))]
    lines = [
        [key, *(cell for rows in found for cell in cells(rows.get(key), peers))] for key in labels
    ]
    return markdown(["", *heads], lines)


def cells(row: Row | None, peers: list[str]) -> list[str]:
    """Ours, and how many times as long each peer took; bold the fastest."""
    if row is None:
        return ["-"] * (1 + len(peers))
    fastest = min(row["peers"].values(), default=None)

    def ratio(peer: str) -> str:
        took = row["peers"].get(peer)
        if took is None or not row["correct"]:
            return "-"
        times = f"{took / row['ours_us']:.2f}"
        return f"**{times}**" if took == fastest else times

    return [ours(row), *map(ratio, peers)]


def ours(row: Row) -> str:
    return f"{row['ours_us']:,.1f}" if row["correct"] else "incorrect"


def transform(row: Row) -> str | None:
    """The label of a transform on one thread."""
    shape = row["parameters"]
    if not row["name"].startswith("ntt ") or (shape["log_n"], shape["threads"]) != (14, 1):
        return None
    words = f", words of {shape['word_bits']}" if "word_bits" in shape else ""
    return f"{row['name'].removeprefix('ntt ')}, {shape['bits']} bits{words}"


def operation(row: Row) -> str | None:
    """The label of a CKKS operation on one thread."""
    shape = row["parameters"]
    on_one = shape.get("machine") == "cpu-1" and "preset" in shape
    return f"{row['name']}, `{shape['preset']}`" if on_one else None


def markdown(heads: list[str], lines: Iterable[list[str]]) -> str:
    rules = ["---"] * len(heads)
    return "".join(f"| {' | '.join(cells)} |\n" for cells in (heads, rules, *lines))


def main(source: str) -> None:
    if source in ("--one-thread", "--book"):
        records = [json.loads(path.read_text()) for path in sorted(RECORDS.glob("*.json"))]
        text = side_by_side(records)
        if source == "--one-thread":
            sys.stdout.write(text)
        else:
            BOOK.write_text(BETWEEN.sub(lambda _: text, BOOK.read_text(encoding="utf-8")))
        return
    measured = json.loads(sys.stdin.read() if source == "-" else Path(source).read_text())
    sys.stdout.write(whole(measured["rows"] if isinstance(measured, dict) else measured))


if __name__ == "__main__":
    main(*sys.argv[1:])
