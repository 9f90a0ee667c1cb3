"""What a bootstrapping is made of::

x.bootstrap(rw.ckks.Bootstrapping(log_ratio=5))
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal, TypeAlias

__all__ = ["Bootstrapping", "Wanted", "shapes"]


@dataclass(frozen=True)
class Bootstrapping:
    """How a vector gets new levels; every number but the first two costs levels.

    `weight`: coefficients of the sparse secret that the vector is raised under; the security tables
    have a row for it, or the parameters are `insecure`. `log_ratio`: minus log2 of what the largest
    message takes of the first prime, 2 to 30: a larger one makes the sine straighter and noise
    count for more. `to_coefficients`, `to_slots`: matrices that bring coefficients into slots, and
    back. `degree`: of the cosine's polynomial, 2 to 255. `doublings`: of its angle, up to 8; the
    degree must be large enough for the angle that is left. `arcsine`: 1, or 3, 5, 7: degree of the
    series that straightens the sine.

    `iterations`, 1 to 4: how often what is still off is measured, bootstrapped as well and taken
    away; it costs time only. `period`: the vector's numbers repeat after so many slots, 2^k with k
    not below `to_coefficients` and `to_slots`; a shorter period takes less time, and fewer keys. A
    vector that does not repeat becomes the mean of what stands so far apart.
    """

    weight: int = 32
    log_ratio: float = 6.0
    to_coefficients: int = 4
    degree: int = 31
    doublings: int = 3
    arcsine: int = 3
    to_slots: int = 3
    iterations: int = 1
    period: int | None = None

    @classmethod
    def short(cls) -> Bootstrapping:
        """Of 13 levels where the default has 17, for `32768-boot`: no arcsine, so numbers that are
        the same in every slot keep 8 bits; numbers that are spread keep 17.
        """
        return cls(log_ratio=5.0, to_coefficients=3, arcsine=1, to_slots=2)


#: What a program says of its bootstrappings: nothing, what they are made of, or that the
#: parameters shall say it.
Wanted: TypeAlias = "Bootstrapping | Literal['auto'] | None"


def shapes(wanted: Wanted) -> tuple[Bootstrapping, ...]:
    """What a bootstrapping may be made of; the first that the parameters carry is."""
    if wanted is None:
        return ()
    if isinstance(wanted, Bootstrapping):
        return (wanted,)
    return (Bootstrapping(), Bootstrapping.short())
