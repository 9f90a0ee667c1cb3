"""Energy of a frame's conversions: of the accelerator's events and its host's cycles; and beside it
our time times the watts that a paper prints for the system.
"""

from __future__ import annotations

from typing import Any

from ringwright.errors import ParameterError, StorageError
from ringwright.machines import Machine
from ringwright.reproduce import silicon
from ringwright.reproduce.workload import parameter_set
from ringwright.spending import Spending

FS_PER_SECOND = 10**15
_JOULES_PER_UJ = 1e-6


def energy(spending: Spending | None, published: dict[str, Any]) -> dict[str, Any]:
    """`joules_per_frame`, its range, and how it is known; `None` with the reason where it is not.

    `published`: what `published_energy` says, which stays beside it.
    """
    if spending is None:
        how = "not known: the client's host is no core that was mapped onto cells"
        return {"joules_per_frame": None, "how": how, "published": published}
    frame = spending.frame_uj
    return {
        "joules_per_frame": frame.expected * _JOULES_PER_UJ,
        "joules_range": [frame.low * _JOULES_PER_UJ, frame.high * _JOULES_PER_UJ],
        "spending": spending.to_dict(),
        "provenance": spending.provenance,
        "how": "events of the accelerator's simulator, and the cycles of its host: "
        + spending.source,
        "published": published,
    }


def published_energy(
    machine: Machine, n: int, conversions_fs: int | None, range_fs: tuple[int, int] | None = None
) -> dict[str, Any]:
    """`joules_per_frame`, and how it is known; `None` with the reason where it is not.

    The watts are those of processor and accelerator during a conversion at the ring degree `n`, of
    the published system that has the machine's parameters.
    `range_fs`: the least and the most that the conversions may take; `joules_range` follows it.
    """
    if conversions_fs is None:
        return _unknown("power is not measured here")
    try:
        watts = silicon.watts(silicon.system_of(machine), parameter_set(n))
    except (ParameterError, StorageError) as error:
        return _unknown(str(error))
    low, high = range_fs or (conversions_fs, conversions_fs)
    return {
        "joules_per_frame": watts * conversions_fs / FS_PER_SECOND,
        "joules_range": [watts * low / FS_PER_SECOND, watts * high / FS_PER_SECOND],
        "watts": watts,
        "seconds": conversions_fs / FS_PER_SECOND,
        "how": "published watts of processor and accelerator, times our time of the conversions",
    }


def _unknown(reason: str) -> dict[str, Any]:
    return {"joules_per_frame": None, "how": f"not known: {reason}"}
