"""Where a program lies under its machine's two roofs.

The operation is the modular product: a butterfly has one. A machine makes at most one in each
multiplier and cycle, and moves at most the bytes that the memory behind it carries. A program that
makes few products for each byte waits for memory whatever its machine could compute. Both roofs
come from the machine's parameters, products and bytes from the simulator's counters; products are
those of the machine's words, which may hold residues of several towers.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Literal

from ringwright import _ringwright as native
from ringwright.machines import Machine, backend
from ringwright.quantity import significant

__all__ = ["Roofline", "roofline"]


@dataclass(frozen=True)
class Roofline:
    """A program on a machine; or `skipped`, why there is no place for it.

    `products`, `bytes_moved`, `time_fs`: of the device, its host taking no time.
    `products_per_second`, `bytes_per_second`: the roofs. `clock_provenance`: where the period of
    the clock that both stand on comes from. All are 0 where it is skipped.
    """

    products: int = 0
    bytes_moved: int = 0
    time_fs: int = 0
    intensity: float = 0.0
    attained: float = 0.0
    allowed: float = 0.0
    limit: Literal["memory", "compute"] = "memory"
    products_per_second: float = 0.0
    bytes_per_second: float = 0.0
    clock_provenance: str = ""
    skipped: str | None = None

    @property
    def ridge(self) -> float:
        """Products a byte from which on the multipliers are the lower roof."""
        return self.products_per_second / self.bytes_per_second

    @property
    def words(self) -> str:
        """The same for people."""
        if self.skipped is not None:
            return f"skipped: {self.skipped}"
        of_roof = f"{self.attained / self.allowed:.0%}"
        here = f"{significant(self.intensity)} products a byte"
        if self.limit == "memory":
            share = f"{self.allowed / self.products_per_second:.0%}"
            return (
                f"memory-bound: {here} let memory feed {share} of the multipliers' peak; "
                f"it reaches {of_roof} of that roof"
            )
        return (
            f"compute-bound: {here}, {significant(self.ridge)} would keep all multipliers busy; "
            f"it reaches {of_roof} of their peak"
        )

    def to_dict(self) -> dict[str, Any]:
        """Ready for JSON; only the reason where it is skipped."""
        if self.skipped is not None:
            return {"skipped": self.skipped}
        fields = dict(vars(self))
        del fields["skipped"]
        return fields | {"ridge": self.ridge, "words": self.words}


def roofline(described: Machine, timing: native.Timing | None, skipped: str | None) -> Roofline:
    """Of a run on a machine. `skipped`: why there is no timing, where there is none."""
    if timing is None:
        return Roofline(skipped=skipped or "its time is not simulated")
    placed = native.roofline(backend(described), timing)
    if placed is None:
        return Roofline(skipped=f"{described.name} counts no products here, or moves no byte")
    return Roofline(
        placed.products,
        placed.bytes_moved,
        placed.time_fs,
        placed.intensity,
        placed.attained,
        placed.allowed,
        placed.limit,
        placed.products_per_second,
        placed.bytes_per_second,
        timing.clock_provenance,
    )
