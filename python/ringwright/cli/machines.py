"""`ringwright machines`: the machines and links that ship, or one description in full."""

from __future__ import annotations

from typing import Annotated, Any

import typer

import ringwright as rw
from ringwright.cli.output import JSON_HELP, print_json, results, table


def machines(
    show: Annotated[
        str | None,
        typer.Option(metavar="NAME|FILE", help="One machine: every value and its source."),
    ] = None,
    json_: Annotated[bool, typer.Option("--json", help=JSON_HELP)] = False,
) -> None:
    """List machines and links, or show one machine."""
    if show is not None:
        _show(rw.machine(show), json_)
        return
    listed = {
        "machines": [{"name": m.name, "target": m.target, "title": m.title} for m in rw.machines()],
        "links": [_link(link) for link in rw.links()],
    }
    if json_:
        print_json(listed)
        return
    console = results()
    rows = [[m["name"], m["target"], m["title"]] for m in listed["machines"]]
    console.print(table(["machine", "target", ""], rows), "")
    rows = [
        [k["name"], f"{k['bits_per_second'] / 1e6:g} Mb/s", k["title"]] for k in listed["links"]
    ]
    console.print(table(["link", "rate", ""], rows, right=[1]))


def _show(machine: rw.Machine, json_: bool) -> None:
    values = [
        {"name": name, "value": value, "source": machine.sources.get(name)}
        for name, value in machine.values.items()
    ]
    if json_:
        described = {"name": machine.name, "target": machine.target, "title": machine.title}
        print_json({**described, "parameters": values})
        return
    rows = [[str(v["name"]), str(v["value"]), str(v["source"] or "")] for v in values]
    title = f"{machine.name}: {machine.title} (target {machine.target})"
    results().print(table(["parameter", "value", "source"], rows, right=[1], title=title))


def _link(link: rw.Link) -> dict[str, Any]:
    return {
        "name": link.name,
        "title": link.title,
        "bits_per_second": link.bits_per_second,
        "latency_ns": link.latency_ns,
    }
