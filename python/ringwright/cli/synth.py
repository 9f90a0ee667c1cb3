"""`ringwright synth`: blocks of the hardware mapped onto standard cells."""

from __future__ import annotations

from typing import Annotated

import typer

import ringwright as rw
from ringwright.cli.output import JSON_HELP, print_json, progress, results, table


def synth(  # noqa: PLR0913, PLR0917 - every option of the verb is an argument here
    block: Annotated[
        str | None, typer.Argument(metavar="BLOCK", help="A module of hw/; none: what is recorded.")
    ] = None,
    width: Annotated[int | None, typer.Option(metavar="W", help="Bits of a word.")] = None,
    stages: Annotated[int | None, typer.Option(metavar="S", help="Pipeline stages.")] = None,
    set_: Annotated[
        list[str] | None,
        typer.Option("--set", metavar="NAME=VALUE", help="Any parameter of the module."),
    ] = None,
    record: Annotated[
        bool, typer.Option("--record", help="Map what spec/silicon lacks, and record it there.")
    ] = False,
    fpga: Annotated[
        bool, typer.Option("--fpga", help="Onto an AMD UltraScale+ instead, and count its cells.")
    ] = False,
    json_: Annotated[bool, typer.Option("--json", help=JSON_HELP)] = False,
) -> None:
    """Map a block onto ASAP7 cells: area, cells, depth, longest path.

    Areas are cells before placement. The range in GF 12 nm is scaled from designs that were built
    on both technologies; what papers print stands beside it.
    """
    if fpga:
        _fpga(block, _settings(set_ or []), record, json_)
        return
    if record:
        _record(block)
    if block is None or record:
        found = [b for b in rw.rtl.synthesised() if block in (None, b.name)]
    else:
        found = [rw.rtl.synthesise(block, _settings(set_ or []), width=width, stages=stages)]
    if json_:
        print_json([b.to_dict() for b in found])
        return
    _print(found)


def _fpga(block: str | None, settings: dict[str, int | str], record: bool, json_: bool) -> None:
    if block is None or record:
        found = [b for b in rw.rtl.mapped(refresh=record) if block in (None, b.name)]
    else:
        found = [rw.rtl.map_fpga(block, settings)]
    if json_:
        print_json([b.to_dict() for b in found])
        return
    heads = ["block", "", "DSP", "LUT", "flip-flops", ""]
    rows = [
        [
            b.name,
            _text(b.parameters),
            f"{b.dsp:,}",
            f"{b.lut:,}",
            f"{b.flipflops:,}",
            "stale" if b.stale else "",
        ]
        for b in found
    ]
    console = results()
    console.print(table(heads, rows, right=[2, 3, 4], spare=[4]))
    console.print("synthesised: yosys onto AMD UltraScale+ (xcup), before placement; no memories")


def _record(only: str | None) -> None:
    for block, parameters in rw.rtl.unrecorded():
        if only in (None, block):
            progress().print(f"{block} {_text(parameters)}")
            rw.rtl.synthesise(block, parameters, record=True)
    for core in rw.rtl.unrecorded_cores():
        if only in (None, core):
            progress().print(f"core {core}")
            rw.rtl.record_core(core)


def _settings(given: list[str]) -> dict[str, int | str]:
    settings: dict[str, int | str] = {}
    for text in given:
        name, mark, value = text.partition("=")
        if not mark or not name or not value:
            raise rw.ParameterError(f"--set {text}: write NAME=VALUE, as in Stages=8")
        if value.startswith("-"):
            raise rw.ParameterError(f"--set {text}: a number from 0 on, or the name of a variant")
        settings[name] = int(value) if value.isdecimal() else value
    return settings


def _print(found: list[rw.rtl.Block]) -> None:
    heads = ["block", "", "cells", "µm²", "depth", "path ns", "pJ", "GF12 µm²", "published", ""]
    rows = [_row(b) for b in found]
    console = results()
    console.print(table(heads, rows, right=[2, 3, 4, 5, 6, 7, 8], spare=[4, 8, 2]))
    for source in dict.fromkeys(source for b in found for _, source in b.published):
        console.print(f"published: {source}")
    console.print("synthesised: yosys and abc onto ASAP7, typical, before placement, wires guessed")


def _row(b: rw.rtl.Block) -> list[str]:
    published = ", ".join(_range(area) for area, _ in b.published)
    return [
        b.name,
        _text(b.parameters),
        f"{b.cells:,}",
        f"{b.area_um2:,.0f}",
        str(b.depth),
        f"{b.path_ps / 1e3:.2f}",
        f"{b.energy_pj:.3g}" if b.energy_pj is not None else "",
        _range(b.gf12_um2),
        published,
        "stale" if b.stale else "",
    ]


def _text(parameters: dict[str, int | str]) -> str:
    return " ".join(f"{name}={value}" for name, value in parameters.items())


def _range(area: tuple[float, float]) -> str:
    low, high = (float(f"{value:.3g}") for value in area)
    return f"{low:,.0f}..{high:,.0f}" if low else f"below {high:,.0f}"
