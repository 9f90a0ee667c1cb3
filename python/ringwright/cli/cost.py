"""`ringwright cost`: area, energy and clock of a machine, each as a range."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated, Any

import typer

import ringwright as rw
from ringwright.cli import completion
from ringwright.cli.output import JSON_HELP, print_json, results, table
from ringwright.errors import MachineError, ParameterError, StorageError
from ringwright.quantity import significant
from ringwright.report.treemap import treemap
from ringwright.silicon import Cost, CostRow, Energy, Sum


def cost(  # noqa: PLR0913, PLR0917 - every option of the verb is an argument here
    machine: Annotated[
        str,
        typer.Argument(
            metavar="MACHINE",
            autocompletion=completion.machines,
            help="Name, or a file of a description.",
        ),
    ],
    process: Annotated[
        Path | None,
        typer.Option(
            "--process",
            metavar="FILE",
            help="Library points of your own, as spec/silicon/process.toml.",
        ),
    ] = None,
    n: Annotated[
        int | None,
        typer.Option(
            "--n",
            metavar="N",
            help="Degree of the transform whose energy is shown; default the "
            "largest up to 65,536 that the machine holds.",
        ),
    ] = None,
    svg: Annotated[
        Path | None, typer.Option("--svg", metavar="FILE", help="Write the areas as a treemap.")
    ] = None,
    parts: Annotated[
        bool, typer.Option("--parts", help="Every part with its source, events and paths too.")
    ] = False,
    json_: Annotated[bool, typer.Option("--json", help=JSON_HELP)] = False,
) -> None:
    """What a machine costs: area, leakage, clock, and the energy of one transform.

    Of a machine on an FPGA it is the blocks that it takes.

    Every number is a range: low, expected, high. Blocks are those of the machine's RTL, mapped onto
    an open cell library and scaled; memories, wires and energies come from what papers print. The
    sum of the parts is the total, exactly. The clock is that of the slowest part; the one that the
    machine's description states, which all its times use, stands beside it.
    """
    found = rw.cost_of(machine, process)
    degree, energy = _energy(found, n)
    if svg is not None:
        _write(svg, treemap(found))
    if json_:
        print_json(_said(found, degree, energy))
        return
    _print(found, degree, energy)
    if parts:
        _print_parts(found.rows)
    if svg is not None:
        typer.echo(f"treemap: {svg}")


def _energy(found: Cost, n: int | None) -> tuple[int, Energy | None]:
    if n is not None:
        return n, found.of_transform(n)
    try:
        return found.of_largest_transform()
    except (MachineError, ParameterError):
        return 0, None


def _said(found: Cost, degree: int, energy: Energy | None) -> dict[str, Any]:
    said = found.to_dict()
    if energy is not None:
        name = f"energy_uj_ntt{degree // 1024}k" if degree >= 1024 else f"energy_uj_ntt{degree}"
        said["totals"][name] = energy.to_dict()
        said["uncounted"] = list(energy.uncounted)
    return said


def _print(found: Cost, degree: int, energy: Energy | None) -> None:
    console = results()
    if found.clock is None:
        _print_blocks(found)
        return
    area = found.need_area()
    shares = {unit: each.value.expected / area.value.expected for unit, each in found.units.items()}
    by_size = sorted(found.units.items(), key=lambda item: -item[1].value.expected)
    rows = [_row(unit, each, f"{shares[unit]:.1%}") for unit, each in by_size]
    rows.append(_row("together", area, "", area.dominated_by))
    heads = ["unit", "low", "expected", "high", "share", "", "least sure of"]
    title = f"Area of {found.machine} in mm² ({found.process})"
    console.print(table(heads, rows, right=(1, 2, 3, 4), title=title, spare=(5,)))
    leakage, flipflops = found.totals["leakage_mw"], found.totals["flipflops"]
    console.print(f"leakage of logic {leakage} mW; flip-flops {flipflops.value.expected:,.0f}")
    own = f"{significant(found.machine_clock_ghz)} GHz ({found.machine_clock_provenance})"
    console.print(
        f"clock {found.clock.ghz} GHz, waiting for {found.clock.slowest}; the machine's own, which "
        f"its times use, is {own}"
    )
    if energy is not None:
        _print_energy(degree, energy)
    for row in found.published:
        console.print(f"published: {row.quantity} {significant(row.value)} ({row.source})")
    for what in found.absent:
        console.print(f"not counted: {what}")


def _print_blocks(found: Cost) -> None:
    """Of an FPGA: what is taken of each kind of block, beside what its device has."""
    console = results()
    has = {row.quantity: row for row in found.published}
    rows = []
    for row in found.rows:
        ends = (row.value.low, row.value.expected, row.value.high)
        counts = [f"{end:,.0f}" for end in ends]
        rows.append([row.quantity, f"{row.unit}: {row.part}", *counts, "", row.source])
    for quantity, total in found.totals.items():
        ends = (total.value.low, total.value.expected, total.value.high)
        share = total.value.expected / has[quantity].value if quantity in has else None
        shown = "" if share is None else f"{share:.0%} of {has[quantity].value:,.0f}"
        rows.append([quantity, "together", *(f"{end:,.0f}" for end in ends), shown, ""])
    heads = ["", "part", "low", "expected", "high", "share", "source"]
    title = f"Blocks of an FPGA that {found.machine} takes (modelled)"
    console.print(table(heads, rows, right=(2, 3, 4, 5), title=title, spare=(6,)))
    sources = dict.fromkeys(row.source for row in found.published)
    console.print(f"shares: {', '.join(sources)}")
    for what in found.absent:
        console.print(f"not counted: {what}")


def _print_energy(degree: int, energy: Energy) -> None:
    total = energy.total
    rows = [_row(u, each, f"{energy.share(u):.1%}") for u, each in energy.units.items()]
    rows.append(_row("together", total, "", total.dominated_by))
    heads = ["unit", "low", "expected", "high", "share", "", "least sure of"]
    title = f"Energy of a forward transform of {degree:,} words in µJ"
    console = results()
    console.print(table(heads, rows, right=(1, 2, 3, 4), title=title, spare=(5,)))
    if energy.uncounted:
        console.print(f"events without energy: {', '.join(energy.uncounted)}")


def _row(name: str, of: Sum, share: str, least_sure: str = "") -> list[str]:
    ends = [significant(end) for end in (of.value.low, of.value.expected, of.value.high)]
    return [name, *ends, share, ", ".join(of.provenances), least_sure]


def _print_parts(rows: tuple[CostRow, ...]) -> None:
    console = results()
    shown = [
        [
            row.quantity,
            row.unit,
            row.part,
            *(significant(end) for end in (row.value.low, row.value.expected, row.value.high)),
            row.provenance,
            row.source,
        ]
        for row in rows
    ]
    heads = ["quantity", "unit", "part", "low", "expected", "high", "", "source"]
    console.print(table(heads, shown, right=(3, 4, 5), spare=(7, 6)))


def _write(file: Path, picture: str) -> None:
    try:
        file.write_text(picture, encoding="utf-8")
    except OSError as error:
        raise StorageError(f"{file}: not written: {error.strerror or error}") from error
