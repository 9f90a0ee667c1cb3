"""The stages of conversions on a simulated machine: M2C (encode, encrypt), C2M (decrypt, decode).

The device's steps lie on tracks of its units (`client bfu`, `client dma`, ..), what it leaves to
its host and the embedding lie on the client's own track.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from functools import lru_cache

import ringwright as rw
from ringwright import _ringwright as native
from ringwright import system
from ringwright.camera.stages import CLIENT, PLACES, Stages


class Conversions:
    """Conversions of one machine with one host.

    `batch`: ciphertexts handed over together; `sampling_overlap`: whether a step that draws errors
    may run beside others.
    """

    def __init__(
        self,
        parameters: rw.ckks.Parameters,
        backend: native.Backend,
        host: rw.Host,
        batch: int,
        sampling_overlap: bool,
    ) -> None:
        self._parameters, self._backend, self._host = parameters, backend, host
        self._batch, self._overlap = batch, sampling_overlap
        self._log_n = parameters.n.bit_length() - 1
        # Whoever encrypts and decrypts on this machine finds the same kernels.
        self._encryption = lru_cache(lambda level: self._lowered(native.Module.encryption, level))
        self._decryption = lru_cache(lambda level: self._lowered(native.Module.decryption, level))
        self._latest: dict[str, system.Schedule] = {}
        self._left: dict[str, Counter[str]] = {}

    def check(self) -> None:
        """Raises `MachineError` where the host lacks a cost or the machine cannot decrypt."""
        level = self._parameters.levels
        asked = [native.encode_operations(self._log_n, level)]
        asked.append(native.decode_operations(self._log_n, level))
        for kernel in (self._encryption(level), self._decryption(level)):
            asked.append(_timing(kernel).host_operations)
        self._host.require_costs([name for operations in asked for name in operations])

    def add_m2c(self, stages: Stages, count: int, level: int) -> None:
        """The stages of `count` encryptions."""
        timing, station = _timing(self._encryption(level)), _station("encrypt", self._host)
        batches = native.Batches(count, self._batch, sampling_overlap=self._overlap)

        def add(to: system.Stages, after: Sequence[int]) -> None:
            to.encrypt(station, timing, self._log_n, level, batches, after=after)

        self._add(stages, "m2c", add)
        self._left["m2c"] = _left(timing, native.encode_operations(self._log_n, level), count)

    def add_c2m(self, stages: Stages, count: int, level: int) -> None:
        """The stages of `count` decryptions."""
        timing, station = _timing(self._decryption(level)), _station("decrypt", self._host)
        batches = native.Batches(count, self._batch, sampling_overlap=self._overlap)

        def add(to: system.Stages, after: Sequence[int]) -> None:
            to.decrypt(station, timing, self._log_n, level, batches, after=after)

        self._add(stages, "c2m", add)
        self._left["c2m"] = _left(timing, native.decode_operations(self._log_n, level), count)

    def alone_fs(self) -> int:
        """The latest conversions of each kind, with nothing beside them."""
        return sum(each.total_fs for each in self._latest.values())

    def alone_range_fs(self) -> tuple[int, int]:
        """The same with the host's costs at the least, and at the most, that they may be."""
        pairs = [each.ends or (each, each) for each in self._latest.values()]
        return sum(low.total_fs for low, _ in pairs), sum(high.total_fs for _, high in pairs)

    @property
    def host_operations(self) -> Mapping[str, int]:
        """What the latest conversions of each kind leave to the host, embedding included."""
        return sum(self._left.values(), Counter())

    def _add(
        self, stages: Stages, kind: str, add: Callable[[system.Stages, Sequence[int]], None]
    ) -> None:
        stages.block(add)
        alone = system.Stages()
        add(alone, [])
        self._latest[kind] = system.schedule([alone])

    def _lowered(
        self, made: Callable[[rw.ckks.Parameters, int], native.Module], level: int
    ) -> native.Executable:
        return native.lower(self._backend, made(self._parameters, level))


def _station(kernel: str, host: rw.Host) -> system.Station:
    """The client's machine; host and device may do the same, the ledger keeps them apart."""
    naming = system.StepNaming.part_of(kernel, f"{kernel} on the host", kernel)
    return system.Station(CLIENT, host, processor=PLACES[CLIENT], naming=naming)


def _timing(kernel: native.Executable) -> native.Timing:
    assert kernel.timing is not None, "only simulated machines come here"
    return kernel.timing


def _left(timing: native.Timing, embedding: Mapping[str, int], count: int) -> Counter[str]:
    """Operations of the host for `count` ciphertexts."""
    one = Counter(embedding) + Counter(timing.host_operations)
    return Counter({name: count * each for name, each in one.items()})
