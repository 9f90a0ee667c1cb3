"""`ringwright compare`: one program on several machines, beside each other."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Annotated

import typer
from rich.console import Console

import ringwright as rw
from ringwright import compare_report
from ringwright.amortised import PUBLISHED, Amortised, amortised, bootstraps
from ringwright.batches import BreakEven
from ringwright.cli import completion
from ringwright.cli.output import JSON_HELP, Fitted, duration, print_json, results, size, table
from ringwright.cli.source_files import SourceFiles, names_one
from ringwright.cli.stages import Stages
from ringwright.cli.verbs import command_of
from ringwright.errors import ParameterError
from ringwright.ledger import duration_range_text
from ringwright.oracle import mixed
from ringwright.origin import origin as origin_of
from ringwright.quantity import significant
from ringwright.storage import require_folder

_MACHINES = ["cpu", "rpu-128x128"]


def compare(  # noqa: PLR0913, PLR0917 - the options of the command line
    context: typer.Context,
    program: Annotated[
        str,
        typer.Argument(metavar="PROGRAM", help="FILE.py:NAME, a function under rw.program."),
    ],
    machine: Annotated[
        list[str] | None,
        completion.option(
            completion.machines,
            f"Machine, default {' and '.join(_MACHINES)}; repeat to compare several.",
        ),
    ] = None,
    params: completion.ParametersOption = "4096-2x30",
    batch: Annotated[
        str | None,
        typer.Option(
            metavar="LOW..HIGH:xFACTOR",
            help="Batches of independent runs over --link, against the first machine that is "
            "measured here, such as 1..1000000:x10.",
        ),
    ] = None,
    link: Annotated[
        str | None,
        completion.option(completion.links, "Link to the simulated machines, for --batch."),
    ] = None,
    in_flight: Annotated[
        int, typer.Option(metavar="COUNT", help="Runs of a batch that may be under way at once.")
    ] = 2,
    out: Annotated[
        Path | None,
        typer.Option(
            metavar="DIR", help="Where report.html, results.json and a trace a machine go."
        ),
    ] = None,
    json_: Annotated[bool, typer.Option("--json", help=JSON_HELP)] = False,
) -> None:
    """One program on several machines: time, bytes moved, and what holds it up.

    A simulated machine's time is composed without running. On this computer's processor the
    program runs on encrypted random numbers, and the quickest of five runs counts. Neither holds
    what a client does, nor a link, but for --batch: keys cross the link once, operands and results
    with every run. A file of Python is executed, with what lies beside it.
    """
    if not names_one(program):
        raise ParameterError(f"program {program!r} given; allowed: FILE.py:NAME")
    batches = _batches(batch, link, in_flight)
    if out is not None:
        require_folder(out, *compare_report.FILES)
        origin = origin_of(command_of(context))
    with SourceFiles() as files:
        made = files.named(program, rw.Program)
        machines = machine or _MACHINES
        given = files.parameters(params)
        with Stages("compare", lines=False) as stages:
            stages(", ".join(machines))
            compared = rw.compare(made, machines, given, batch=batches)
        found = _amortised(made, compared, machines, given)
    title = f"{made.name} with {params}"
    written = compare_report.save(title, compared, origin, out) if out is not None else []
    if json_:
        of = {each.machine: {"amortised": each.to_dict()} for each in found}
        print_json([each.to_dict() | of.get(each.machine, {}) for each in compared])
        return
    console = results()
    console.print(_table(compared, title))
    for each in compared:
        _say(console, f"{each.machine}: {each.bottleneck}.", *_bounds(each))
    if found:
        _show_amortised(console, found)
    for each in compared:
        if each.break_even:
            _show(console, each.break_even)
    _say(console, *(f"written: {path}" for path in written))


def _amortised(
    made: rw.Program,
    compared: Sequence[rw.Compared],
    machines: Sequence[str],
    parameters: rw.ckks.Parameters,
) -> list[Amortised]:
    """Of a program that is one bootstrapping, on the machines that are simulated."""
    simulated = [name for name, each in zip(machines, compared, strict=True) if each.latency]
    if not simulated or bootstraps(made, parameters) != 1:
        return []
    return [amortised(made, name, parameters) for name in simulated]


def _show_amortised(console: Console, found: Sequence[Amortised]) -> None:
    """Beside what is published of others."""
    rows = [
        [
            each.machine,
            duration(each.bootstrap_fs),
            str(each.levels),
            duration(round(each.slot_level_fs)),
            "",
            each.provenance,
        ]
        for each in found
    ]
    rows += [
        [
            each.system,
            f"{each.bootstrap_ms:g} ms",
            "",
            "",
            "" if each.area_mm2 is None else f"{each.area_mm2:g}",
            f"published, as cited{f', doi {each.doi}' if each.doi else ''}",
        ]
        for each in PUBLISHED
    ]
    heads = ["bootstrapping", "one", "levels", "a slot and level", "mm²", "provenance"]
    console.print("")
    console.print(
        table(heads, rows, right=(1, 2, 3, 4), title="beside others, all of them at N = 2^16")
    )


def _batches(batch: str | None, link: str | None, in_flight: int) -> rw.Batch | None:
    """What was asked of batches: both of it, or nothing."""
    if batch is None and link is None:
        return None
    if batch is None or link is None:
        missing, given = ("--batch", "--link") if batch is None else ("--link", "--batch")
        raise ParameterError(f"{given} given without {missing}; allowed: both, or neither")
    return rw.Batch(batch, link, in_flight)


def _table(compared: Sequence[rw.Compared], title: str) -> Fitted:
    rows = [
        [
            each.machine,
            duration(each.time_fs),
            f"{compared[0].time_fs / each.time_fs:.2f}" if each.time_fs else "",
            "" if each.cycles is None else f"{each.cycles:,}",
            "" if each.bytes_moved is None else size(each.bytes_moved),
            duration(each.ledger.kernel_fs),
            duration(each.ledger.tax_fs),
            each.costliest_line or "",
            mixed(each.ledger.provenances),
        ]
        for each in compared
    ]
    first = f"x {compared[0].machine}"
    heads = ["machine", "time", first, "cycles", "moved", "kernels", "tax", "costliest line"]
    heads.append("provenance")
    return table(heads, rows, right=(1, 2, 3, 4, 5, 6), title=title, spare=(8, 7, 4))


def _bounds(each: rw.Compared) -> list[str]:
    """What it takes, and could do at best, of its roofs and of its units."""
    said = [f"  roofline {each.roofline.words}."]
    if each.energy is not None:
        where = " + ".join(each.energy.total.provenances)
        said.append(f"  energy {each.energy.total} µJ a run ({where}).")
    if each.above_bound is not None:
        said.append(
            f"  {each.above_bound:.1%} of its cycles lie above its bound, the work of the busiest "
            "unit of each stretch that is done together."
        )
    return said


def _show(console: Console, found: BreakEven) -> None:
    if not found.skipped:
        rows = [
            [
                f"{row.count:,}",
                duration_range_text(*row.offload_each_fs),
                duration_range_text(*row.elsewhere_each_fs),
                " to ".join(dict.fromkeys(significant(ratio) for ratio in row.ratio)),
            ]
            for row in found.rows
        ]
        heads = ["batch", f"over {found.link}, each", f"{found.elsewhere.machine}, each", "gain"]
        title = f"{found.machine} behind {found.link}"
        console.print("")
        console.print(table(heads, rows, right=(0, 1, 2, 3), title=title))
        _say(
            console,
            f"Keys {size(found.keys_bytes)}, once: {duration(found.keys_fs)}. A run: link "
            f"{duration(found.link_fs)} for {size(found.operand_bytes + found.result_bytes)}, "
            f"device {duration(found.device_fs)}; {found.in_flight} in flight.",
        )
    _say(console, f"Break-even of {found.machine}: {found.words}.")


def _say(console: Console, *lines: str) -> None:
    for line in lines:
        console.print(line, soft_wrap=True, markup=False, highlight=False)
