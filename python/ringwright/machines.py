"""Machines, hosts, links, systems, targets: descriptions that ship, or a user's file.

A machine description names its target and gives values, each with a source; the declared
parameters (unit, range, default) stand in `spec/<target>/params.toml`. A value may be written with
a unit, `clock = { value = "1.68 GHz", source = "..." }`, and is read exactly. Every error names the
file, the key, the value and what is allowed.

A host is the processor beside an accelerator: cycles of each operation that the accelerator leaves
to it. An operation whose cost is not known is absent, and whatever needs it is refused.
"""

from __future__ import annotations

import copyreg
from functools import lru_cache
from typing import Any

from ringwright import _ringwright as native
from ringwright import schedules

__all__ = [
    "Host",
    "Link",
    "Machine",
    "System",
    "Target",
    "backend",
    "host",
    "hosts",
    "link",
    "links",
    "machine",
    "machines",
    "systems",
    "targets",
]

Host = native.Host
Link = native.Link
Machine = native.Machine
System = native.System
Target = native.Target


def machines() -> list[Machine]:
    """The machine descriptions that ship with the package."""
    return Machine.all()


def default_machine() -> str:
    """The default machine of the first target: this computer's processor."""
    return targets()[0].default_machine


def machine(name_or_path: str | Machine, *, cached: bool = True) -> Machine:
    """One machine by its name, or from a description file: a path that ends in `.toml`.

    With it come the schedules that `ringwright ntt --search` has kept for such machines; not with
    `cached=False`.

    Raises `MachineError` for a name that does not exist (the known names are listed) and for a
    file that is wrong.
    """
    if isinstance(name_or_path, Machine):
        return name_or_path
    described = Machine.load(name_or_path)
    return schedules.attach(described) if cached else described


@lru_cache(maxsize=8)
def backend(described: Machine) -> native.Backend:
    """The machine made ready to run programs, the same for all who ask.

    What it has worked out, such as the time of its kernels, is so worked out once.
    """
    return native.Backend(described)


def links() -> list[Link]:
    """The links that ship with the package: rate, latency and set-up, each with its source."""
    return Link.all()


def link(name_or_path: str | Link) -> Link:
    """One link by its name, or from a description file: a path that ends in `.toml`."""
    return name_or_path if isinstance(name_or_path, Link) else Link.load(name_or_path)


def hosts() -> list[Host]:
    """The hosts that ship with the package: cycles of each operation, each with its source."""
    return Host.all()


def host(name_or_path: str | Host) -> Host:
    """One host by its name, or from a description file: a path that ends in `.toml`."""
    return name_or_path if isinstance(name_or_path, Host) else Host.load(name_or_path)


def systems() -> list[System]:
    """The systems that ship with the package: who does what, on which devices, over which links.

    `System.load` reads one by its name, or from a description file: a path that ends in `.toml`.
    """
    return System.all()


def targets() -> list[Target]:
    """Everything that can run a ring program; machines name one of these."""
    return Target.all()


# A machine is pickled as its text and its schedules, and checked when it is read.
def _machine_from(text: str, kept: list[str]) -> Machine:
    found = Machine.parse(text, "a pickled machine")
    for each in kept:
        found = found.with_schedules(each, "a pickled machine's schedules")
    return found


def _reduced(given: Machine) -> tuple[Any, ...]:
    return _machine_from, (given.to_toml(), given.schedules)


copyreg.pickle(Machine, _reduced)
