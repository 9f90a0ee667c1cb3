"""Where the values of a run on a simulated machine come from, and what is checked of them.

Timing never depends on values. So a run may take its values from this computer's processor and its
cycles from the simulated machine: `values="cpu"`. Some calls of kernels are then computed on the
simulated machine too, and every word compared: the first call of each kernel, and a share of the
rest; `values=Checks(...)` says which. `values="device"` simulates every call.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from ringwright import _ringwright as native
from ringwright.errors import ParameterError
from ringwright.machines import Machine, default_machine
from ringwright.machines import backend as made_ready
from ringwright.machines import machine as load_machine

__all__ = [
    "VALUES",
    "Checked",
    "Checks",
    "check_values",
    "checked_text",
    "devices",
    "together",
]

Checked = native.Checked

#: Where values may come from; the first is the default.
VALUES = ("cpu", "device")
_ONCE_PER = ("server", "run")


@dataclass(frozen=True)
class Checks:
    """Values of this computer's, and what is checked of them.

    `share`: how many of the calls of kernels, 0 to 1, beside the first call of every kernel.
    `once_per`: that one is checked in the first run of a program on a `server`, or in every `run`.
    `seed`: which calls the share is; from the seed, the number of the run on the server and that of
    the call follows whether it is checked.

    Raises `ParameterError` for anything else.
    """

    share: float = 0.01
    once_per: str = "server"
    seed: int = 0

    def __post_init__(self) -> None:
        if not 0 <= self.share <= 1:
            raise ParameterError(f"share {self.share} of the calls to be checked; 0 to 1 allowed")
        if self.once_per not in _ONCE_PER:
            raise ParameterError(
                f"once_per={self.once_per!r} given; {' or '.join(map(repr, _ONCE_PER))} allowed"
            )
        if not 0 <= self.seed < 2**64:
            raise ParameterError(f"seed {self.seed}; 0 to 2^64 - 1 allowed")


def check_values(values: object) -> None:
    """Raises `ParameterError` for what is not in `VALUES`."""
    if values not in VALUES:
        allowed = ", ".join(map(repr, VALUES))
        raise ParameterError(f"values={values!r} given; {allowed} or rw.Checks(...) allowed")


def devices(machine: Machine, values: str | Checks) -> tuple[native.Backend, native.Backend | None]:
    """What runs programs with these values, and what transforms their constants where that is
    another. On a machine that is not simulated there is one kind of values.
    """
    checks = values if isinstance(values, Checks) else Checks()
    if checks is not values:
        check_values(values)
    simulated = made_ready(machine)
    if values == "device" or simulated.bytes_per_word is None:
        return simulated, None
    here = made_ready(load_machine(default_machine()))
    once_per_run = checks.once_per == "run"
    both = simulated.with_values(
        here, share=checks.share, once_per_run=once_per_run, seed=checks.seed
    )
    return both, here


def together(runs: Sequence[Checked | None]) -> dict[str, str | int] | None:
    """Runs of one program: whose values, how many calls of kernels, how many of them checked, how
    many kernels. `None` where every call was simulated, or none.
    """
    checked = [each for each in runs if each is not None]
    if not checked:
        return None
    return {
        "values": checked[0].values,
        "calls": sum(each.calls for each in checked),
        "checked": sum(each.checked for each in checked),
        "kernels": checked[0].kernels,
    }


def checked_text(found: dict[str, str | int], machine: str) -> str:
    """The same for people."""
    return (
        f"{found['values']}'s; {found['checked']} of {found['calls']} calls of kernels computed on "
        f"{machine} too, every word equal; {found['kernels']} different kernels"
    )
