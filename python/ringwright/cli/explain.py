"""`ringwright explain RESULT`: where the time of a run went, from its results.json."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated, Any

import typer

from ringwright.camera.report_time import clock_texts
from ringwright.camera.stages import EVALUATE
from ringwright.cli.output import JSON_HELP, duration, print_json, rate, results, share_bar, table
from ringwright.cli.saved import load
from ringwright.ledger import duration_range_text
from ringwright.origin import Origin

Row = dict[str, Any]


def explain(
    result: Annotated[Path, typer.Argument(metavar="RESULT", help="A results.json.")],
    json_: Annotated[bool, typer.Option("--json", help=JSON_HELP)] = False,
) -> None:
    """Explain a result: the slowest resource, every stage, every operation."""
    saved = load(result)
    explained = [_explained(row) for row in saved["machines"]]
    if json_:
        print_json({"origin": saved["origin"], "machines": explained})
        return
    if saved["origin"]:
        said = str(Origin.of_dict(saved["origin"]))
        results().print(said, soft_wrap=True, markup=False)
    for machine in explained:
        _print(machine)


def _explained(row: Row) -> Row:
    total = row["total_fs"]
    stages = [
        {**entry, "share": entry["exposed_fs"] / total if total else 0.0} for entry in row["ledger"]
    ]
    evaluate_fs = sum(entry["busy_fs"] for entry in stages if entry["stage"] == EVALUATE)
    taxes = sum(entry["exposed_fs"] for entry in stages if entry["kind"] == "tax")
    return {
        "name": row["name"],
        "server": row["server"],
        # Results of older versions do not say.
        "clocks": row.get("clocks", []),
        "fps": row["fps"],
        "slowest": row["slowest"],
        "resources": sorted(row["resources"], key=lambda resource: resource["fps"]),
        "total_fs": total,
        "tax_share": taxes / total if total else 0.0,
        "stages": sorted(stages, key=lambda entry: -entry["exposed_fs"]),
        "evaluate_fs": evaluate_fs,
        "operations": [_operation(operation, evaluate_fs) for operation in row["operations"]],
    }


def _operation(operation: Row, evaluate_fs: int) -> Row:
    """With its share of the stage that runs the program; `None` where it was not measured."""
    busy = operation.get("busy_fs")
    share = busy / evaluate_fs if busy is not None and evaluate_fs else None
    return {**operation, "busy_fs": busy, "share": share}


def _print(machine: Row) -> None:
    console = results()
    console.print(
        f"[bold]{machine['name']}[/bold] with server {machine['server']}: "
        f"{rate(machine['fps'])} frames a second, set by the {machine['slowest']}. The run took "
        f"{duration(machine['total_fs'])}; {machine['tax_share']:.0%} of it is tax."
    )
    if machine["clocks"]:
        console.print(f"Clocks: {', '.join(clock_texts(machine))}.")
    console.print("", _resources(machine["resources"]), "")
    console.print(_stages(machine["stages"]), "")
    if machine["operations"]:
        console.print(_operations(machine["operations"], machine["evaluate_fs"]))


def _resources(resources: list[Row]) -> Any:
    rows = [
        [
            resource["name"],
            duration(resource["busy_fs_per_frame"]),
            rate(resource["fps"]),
            ", ".join(resource["provenance"]),
        ]
        for resource in resources
    ]
    heads = ["resource", "busy a frame", "frames/s alone", "provenance"]
    return table(heads, rows, right=[1, 2])


def _stages(stages: list[Row]) -> Any:
    rows = [
        [
            stage["stage"],
            stage["kind"],
            duration(stage["busy_fs"]) + _ends(stage),
            duration(stage["exposed_fs"]),
            f"{stage['share']:.1%}",
            share_bar(stage["share"]),
            stage["provenance"],
        ]
        for stage in stages
    ]
    heads = ["stage", "kind", "busy", "exposed", "share", "", "provenance"]
    return table(heads, rows, right=[2, 3, 4], spare=[5, 1, 2])


def _ends(stage: Row) -> str:
    """Under a time, between which ends the costs of a host leave it; nothing if certain."""
    ends = stage.get("busy_range_fs")
    return f"\n{duration_range_text(*ends)}" if ends else ""


def _operations(operations: list[Row], evaluate_fs: int) -> Any:
    rows = [
        [
            operation["line"] or "",
            operation["op"],
            str(operation["level"]),
            f"2^{operation['scale_bits']:.1f}",
            f"2^{operation['noise_bits']:.1f}",
            ", ".join(operation["keys"]),
            *_time(operation),
        ]
        for operation in operations
    ]
    heads = ["line", "operation", "level", "scale", "predicted noise", "key"]
    heads += ["busy", "share", "provenance"]
    title = "The program, run on each ciphertext"
    times = [each["busy_fs"] for each in operations if each["share"] is not None]
    if times:
        around = evaluate_fs - sum(times)
        share = f"{around / evaluate_fs:.1%}"
        rows.append(["", "around these", *[""] * 4, duration(around), share, ""])
        title += f"; busy over the run, share of {EVALUATE}"
    else:
        title += "; this server does not measure operations"
    return table(heads, rows, right=[2, 3, 4, 6, 7], title=title, spare=[8, 3, 5, 4])


def _time(operation: Row) -> list[str]:
    if operation["share"] is None:
        return ["", "", ""]
    return [duration(operation["busy_fs"]), f"{operation['share']:.1%}", operation["provenance"]]
