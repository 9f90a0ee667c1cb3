"""Machines, links and targets: descriptions that ship with the package, or a user's own file.

A machine description names its target and gives values, each with a source; the declared
parameters (unit, range, default) stand in `spec/<target>/params.toml`. Every error names the
file, the key, the value and what is allowed.
"""

from __future__ import annotations

from ringwright import _ringwright as native

__all__ = ["Link", "Machine", "Target", "link", "links", "machine", "machines", "targets"]

Link = native.Link
Machine = native.Machine
Target = native.Target


def machines() -> list[Machine]:
    """The machine descriptions that ship with the package."""
    return Machine.all()


def machine(name_or_path: str | Machine) -> Machine:
    """One machine by its name, or from a description file: a path that ends in `.toml`.

    Raises `MachineError` for a name that does not exist (the known names are listed) and for a
    file that is wrong.
    """
    return name_or_path if isinstance(name_or_path, Machine) else Machine.load(name_or_path)


def links() -> list[Link]:
    """The links that ship with the package: bits per second and latency, each with its source."""
    return Link.all()


def link(name_or_path: str | Link) -> Link:
    """One link by its name, or from a description file: a path that ends in `.toml`."""
    return name_or_path if isinstance(name_or_path, Link) else Link.load(name_or_path)


def targets() -> list[Target]:
    """Everything that can run a ring program; machines name one of these."""
    return Target.all()
