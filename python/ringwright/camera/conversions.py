"""The stages of conversions on a simulated machine: M2C (encode, encrypt), C2M (decrypt, decode).

The device's steps lie on tracks of its units (`client bfu`, `client dma`, ..), what it leaves to
its host and the embedding lie on the client's own track.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from functools import cache

import ringwright as rw
from ringwright import _ringwright as native
from ringwright import system
from ringwright.camera.stages import CLIENT, PLACES, Stages
from ringwright.machines import backend as made_ready
from ringwright.silicon import Range
from ringwright.spending import Program, Spending, spent

_DIRECTIONS: tuple[native.Direction, ...] = ("m2c", "c2m")
#: Of each direction what the machine runs, what its host does besides, and what the ledger says.
_MADE = {"m2c": native.Module.encryption, "c2m": native.Module.decryption}
_EMBEDDING = {"m2c": native.encode_operations, "c2m": native.decode_operations}
_NAMES = {"m2c": "encrypt", "c2m": "decrypt"}


class Conversions:
    """Conversions of one machine with one host.

    `batch`: ciphertexts handed over together; `sampling_overlap`: whether a step that draws errors
    may run beside others.
    """

    def __init__(
        self,
        parameters: rw.ckks.Parameters,
        machine: rw.Machine,
        host: rw.Host,
        batch: int,
        sampling_overlap: bool,
    ) -> None:
        self._parameters, self._machine, self._host = parameters, machine, host
        self._backend = made_ready(machine)
        self._batch, self._overlap = batch, sampling_overlap
        self._log_n = parameters.n.bit_length() - 1
        # Whoever encrypts and decrypts on this machine finds the same programs.
        self._timing = cache(self._timed)
        self._latest: dict[str, system.Schedule] = {}
        self._left: dict[str, Counter[str]] = {}
        self._programs: dict[str, Program] = {}

    def check(self) -> None:
        """Raises `MachineError` where the host lacks a cost or the machine cannot decrypt."""
        level = self._parameters.levels
        asked = (self._left_by_one(direction, level) for direction in _DIRECTIONS)
        self._host.require_costs([name for operations in asked for name in operations])

    def add(self, stages: Stages, direction: native.Direction, count: int, level: int) -> None:
        """The stages of `count` encryptions, "m2c", or decryptions, "c2m"."""
        timing, station = self._timing(direction, level), _station(_NAMES[direction], self._host)
        batches = native.Batches(count, self._batch, sampling_overlap=self._overlap)

        def add(to: system.Stages, after: Sequence[int]) -> None:
            to.convert(direction, station, timing, self._log_n, level, batches, after=after)

        stages.block(add)
        alone = system.Stages()
        add(alone, [])
        self._latest[direction] = system.schedule([alone])
        of_one = self._left_by_one(direction, level).items()
        self._left[direction] = Counter({name: count * each for name, each in of_one})
        self._programs[direction] = (self._machine, timing, count)

    def alone_fs(self) -> int:
        """The latest conversions of each kind, with nothing beside them."""
        return sum(each.total_fs for each in self._latest.values())

    def alone_range_fs(self) -> tuple[int, int]:
        """The same with the host's costs at the least, and at the most, that they may be."""
        pairs = [each.ends or (each, each) for each in self._latest.values()]
        return sum(low.total_fs for low, _ in pairs), sum(high.total_fs for _, high in pairs)

    def spending(self) -> Spending | None:
        """Area and energy of both; `None` where the host is no core that is known in silicon."""
        core, clock_fs = self._host.core, self._host.clock_fs
        if core is None:
            return None
        low, high = self.alone_range_fs()
        cycles = Range(low / clock_fs, self.alone_fs() / clock_fs, high / clock_fs)
        return spent(core, cycles, self._programs.values())

    @property
    def host_operations(self) -> Mapping[str, int]:
        """What the latest conversions of each kind leave to the host, embedding included."""
        return sum(self._left.values(), Counter())

    def _timed(self, direction: native.Direction, level: int) -> native.Timing:
        made = native.lower(self._backend, _MADE[direction](self._parameters, level)).timing
        assert made is not None, "only simulated machines come here"
        return made

    def _left_by_one(self, direction: native.Direction, level: int) -> Counter[str]:
        """Operations of the host for one ciphertext."""
        left = Counter(_EMBEDDING[direction](self._log_n, level))
        left.update(self._timing(direction, level).host_operations)
        return left


def _station(kernel: str, host: rw.Host) -> system.Station:
    """The client's machine; host and device may do the same, the ledger keeps them apart."""
    naming = system.StepNaming.part_of(kernel, f"{kernel} on the host", kernel)
    return system.Station(CLIENT, host, processor=PLACES[CLIENT], naming=naming)
