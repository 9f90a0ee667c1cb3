"""`ringwright machines`: the machines, hosts, links and systems that ship, or one in full."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Annotated, Any

import typer

import ringwright as rw
from ringwright.cli import completion
from ringwright.cli.output import JSON_HELP, print_json, results, table


def machines(
    show: Annotated[
        str | None,
        completion.option(
            completion.described, "One machine, or a link that ships: every value, its source."
        ),
    ] = None,
    json_: Annotated[bool, typer.Option("--json", help=JSON_HELP)] = False,
) -> None:
    """List machines and links, or show one of them."""
    if show is not None:
        _show(_described(show), json_)
        return
    listed: dict[str, list[dict[str, Any]]] = {
        "machines": [{"name": m.name, "target": m.target, "title": m.title} for m in rw.machines()],
        "hosts": [_host(host) for host in rw.hosts()],
        "links": [_link(link) for link in rw.links()],
        "systems": [_system(system) for system in rw.systems()],
    }
    if json_:
        print_json(listed)
        return
    console = results()
    rows = [[m["name"], m["target"], m["title"]] for m in listed["machines"]]
    console.print(table(["machine", "target", ""], rows), "")
    rows = [
        [
            h["name"],
            f"{len(h['operations'])} of {len(h['operations']) + len(h['missing'])}",
            h["title"],
        ]
        for h in listed["hosts"]
    ]
    console.print(table(["host", "operations known", ""], rows, right=[1]), "")
    rows = [
        [k["name"], f"{k['bits_per_second'] / 1e6:g} Mb/s", k["title"]] for k in listed["links"]
    ]
    console.print(table(["link", "rate", ""], rows, right=[1]), "")
    rows = [[s["name"], ", ".join(s["server"]), s["title"]] for s in listed["systems"]]
    console.print(table(["system", "server", ""], rows))


def _described(name: str) -> dict[str, Any]:
    for link in rw.links():
        if link.name == name:
            described = _link(link)
            values = {key: described[key] for key in link.sources}
            return {
                "name": name,
                "title": link.title,
                "parameters": _parameters(values, link.sources),
            }
    machine = rw.machine(name)
    return {
        "name": machine.name,
        "target": machine.target,
        "title": machine.title,
        "clock_provenance": machine.clock_provenance,
        "parameters": _parameters(machine.values, machine.sources),
    }


def _parameters(values: Mapping[str, Any], sources: Mapping[str, str]) -> list[dict[str, Any]]:
    return [{"name": k, "value": value, "source": sources.get(k)} for k, value in values.items()]


def _show(described: dict[str, Any], json_: bool) -> None:
    if json_:
        print_json(described)
        return
    kind = f"target {described['target']}" if "target" in described else "link"
    if described.get("clock_provenance"):
        kind += f", {described['clock_provenance']} clock"
    rows = [[p["name"], str(p["value"]), str(p["source"] or "")] for p in described["parameters"]]
    title = f"{described['name']}: {described['title']} ({kind})"
    results().print(table(["parameter", "value", "source"], rows, right=[1], title=title))


def _host(host: rw.Host) -> dict[str, Any]:
    return {
        "name": host.name,
        "title": host.title,
        "clock_fs": host.clock_fs,
        "operations": host.operations,
        "missing": host.missing,
    }


def _system(system: rw.System) -> dict[str, Any]:
    return {
        "name": system.name,
        "title": system.title,
        "client": system.client.machine.name,
        "network": system.network.name,
        "server": [device.machine.name for device in system.server],
    }


def _link(link: rw.Link) -> dict[str, Any]:
    return {
        "name": link.name,
        "title": link.title,
        "bits_per_second": link.bits_per_second,
        "latency_ns": link.latency_ns,
        "setup_ns": link.setup_ns,
    }
