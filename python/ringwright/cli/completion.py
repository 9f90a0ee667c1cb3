"""What a shell can complete after an option: names of machines, links, hosts, parameter sets.

Files are completed by the shell itself.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import Annotated, Any

import typer

import ringwright as rw
from ringwright.camera.fit import MODES as FITS
from ringwright.camera.programs import MODES
from ringwright.reproduce import papers
from ringwright.spot_checks import VALUES


def option(names: Callable[[str], list[str]], said: str, *, file: bool = True) -> Any:
    """An option whose value is one of these names, or a file. `said`: its help."""
    metavar = "NAME|FILE" if file else "NAME"
    return typer.Option(autocompletion=names, metavar=metavar, help=said)


def machines(incomplete: str) -> list[str]:
    """Machines that ship."""
    return _beginning(incomplete, (machine.name for machine in rw.machines()))


def described(incomplete: str) -> list[str]:
    """Machines and links that ship."""
    return [*machines(incomplete), *links(incomplete)]


def word_orders(incomplete: str) -> list[str]:
    """Orders of a transform's words."""
    return _beginning(incomplete, ("in-order", "any"))


def links(incomplete: str) -> list[str]:
    """Links that ship."""
    return _beginning(incomplete, (link.name for link in rw.links()))


def hosts(incomplete: str) -> list[str]:
    """Hosts that ship."""
    return _beginning(incomplete, (host.name for host in rw.hosts()))


def systems(incomplete: str) -> list[str]:
    """Systems that ship."""
    return _beginning(incomplete, (system.name for system in rw.systems()))


def parameter_sets(incomplete: str) -> list[str]:
    """Parameter sets by name."""
    return _beginning(incomplete, rw.ckks.Parameters.presets())


#: Of verbs on programs (`SourceFiles.parameters`).
ParametersOption = Annotated[
    str,
    typer.Option(
        "--params",
        "--preset",
        autocompletion=parameter_sets,
        metavar="NAME|FILE",
        help="CKKS parameters: a preset, a file that Parameters.save wrote, or FILE.py:NAME.",
    ),
]


def _values(incomplete: str) -> list[str]:
    return _beginning(incomplete, VALUES)


#: Of verbs that run programs on simulated machines.
ValuesOption = Annotated[
    str,
    typer.Option(
        autocompletion=_values,
        metavar="WHOSE",
        help="Values of a simulated machine: cpu (this computer's, calls of kernels checked) or "
        "device (every call simulated).",
    ),
]


def modes(incomplete: str) -> list[str]:
    """What the camera's server computes."""
    return _beginning(incomplete, MODES)


def fits(incomplete: str) -> list[str]:
    """How a picture goes into a frame."""
    return _beginning(incomplete, FITS)


def claimed(incomplete: str) -> list[str]:
    """Papers that can be reproduced."""
    return _beginning(incomplete, papers())


def _beginning(incomplete: str, names: Iterable[str]) -> list[str]:
    return [name for name in names if name.startswith(incomplete)]
