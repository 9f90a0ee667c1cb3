"""What a value of ours is computed from, written down while it is computed.

The functions that everything goes through (`systems`, `tile`, `silicon`, `processor`) name what
they give: a *result*, that is a time which somebody simulated, measured or worked out from a host's
costs, or a *printed* number of a paper. What goes through neither is arithmetic on parameters.

    with recorded() as inputs:
        value = compute(claim.ours)
    inputs.results       # "race: m2c, 4096-3x30", ...
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from dataclasses import dataclass, field

__all__ = ["Inputs", "own", "printed", "recorded", "result"]


@dataclass
class Inputs:
    """By name, in order of first use. `own`: what the paper does not have, a program of ours or the
    processor at hand.
    """

    results: dict[str, None] = field(default_factory=dict)
    printed: dict[str, None] = field(default_factory=dict)
    own: dict[str, None] = field(default_factory=dict)


_OPEN: ContextVar[Inputs | None] = ContextVar("inputs", default=None)


@contextmanager
def recorded() -> Iterator[Inputs]:
    """Collects what is used inside the block; blocks do not nest into one another."""
    inputs = Inputs()
    token = _OPEN.set(inputs)
    try:
        yield inputs
    finally:
        _OPEN.reset(token)


def result(name: str) -> None:
    """A time was used."""
    inputs = _OPEN.get()
    if inputs is not None:
        inputs.results[name] = None


def printed(name: str) -> None:
    """A printed number was used."""
    inputs = _OPEN.get()
    if inputs is not None:
        inputs.printed[name] = None


def own(what: str) -> None:
    """A time was used of something that no paper has."""
    inputs = _OPEN.get()
    if inputs is not None:
        inputs.own[what] = None
