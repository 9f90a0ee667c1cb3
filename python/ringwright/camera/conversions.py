"""The stages of conversions on a simulated machine: M2C (encode, encrypt), C2M (decrypt, decode).

The device's steps lie on tracks of its units (`client bfu`, `client dma`, ..), what it leaves to
its host and the embedding lie on the client's own track. Two choices shape them. *Batch*: inside
one, the host goes on with the next ciphertext as soon as the machine has begun on this one; the
machine itself takes one after the other. A batch of one encodes, encrypts, and only then encodes
again. *Sampling overlap*: without it a step that draws errors runs alone.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache

import ringwright as rw
from ringwright import _ringwright as native
from ringwright import offload, system
from ringwright.camera.stages import CLIENT, PLACES, Stages
from ringwright.system import Stage


@dataclass(frozen=True)
class _Made:
    """Stages, which of them draw samples, and after which the machine is free."""

    stages: list[Stage]
    drawing: set[int]
    free: int


#: Makes the stages of one ciphertext from their first index, what they wait for, and what the
#: machine waits for besides.
_One = Callable[[int, Sequence[int], Sequence[int]], _Made]

#: Host and device may do the same; the ledger keeps them apart.
_ON_HOST = {"host": " on the host", "kernel": "", "transfer": ""}


class Conversions:
    """Conversions of one machine with one host."""

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
        self._encryption = lru_cache(lambda level: self._timing(offload.time_encryption, level))
        self._decryption = lru_cache(lambda level: self._timing(offload.time_decryption, level))
        self._latest: dict[str, system.Schedule] = {}
        self._left: dict[str, Counter[str]] = {}

    def check(self) -> None:
        """Raises `MachineError` where the host lacks a cost or the machine cannot decrypt."""
        n, level = self._parameters.n, self._parameters.levels
        asked = {**offload.encode_operations(n, level), **offload.decode_operations(n, level)}
        for timing in (self._encryption(level), self._decryption(level)):
            for step in timing.steps:
                asked.update(step.operations)
        offload.require_costs(self._host, asked)

    def add_m2c(self, stages: Stages, count: int, level: int) -> None:
        """The stages of `count` encryptions."""
        timing = self._encryption(level)
        encode = offload.encode_operations(self._parameters.n, level)

        def one(first: int, after: Sequence[int], drained: Sequence[int]) -> _Made:
            stage = self._host.stage("encode", encode, PLACES[CLIENT], after=after)
            steps = self._steps(timing, "encrypt", first + 1, [first], drained)
            free = first + 1 + offload.drained(timing)
            return _Made([stage, *steps], _drawing(timing, first + 1), free)

        self._add(stages, "m2c", count, one)
        self._left["m2c"] = _left(timing, encode, count)

    def add_c2m(self, stages: Stages, count: int, level: int) -> None:
        """The stages of `count` decryptions."""
        timing = self._decryption(level)
        decode = offload.decode_operations(self._parameters.n, level)

        def one(first: int, after: Sequence[int], drained: Sequence[int]) -> _Made:
            steps = self._steps(timing, "decrypt", first, after, drained)
            ends = Stages.ends(steps, first)
            last = self._host.stage("decode", decode, PLACES[CLIENT], after=ends)
            free = first + offload.drained(timing)
            return _Made([*steps, last], _drawing(timing, first), free)

        self._add(stages, "c2m", count, one)
        self._left["c2m"] = _left(timing, decode, count)

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

    def _add(self, stages: Stages, kind: str, count: int, one: _One) -> None:
        def made(first: int, after: Sequence[int]) -> list[Stage]:
            batches, drawing = _in_batches(count, self._batch, first, after, one)
            return batches if self._overlap else _sampling_alone(batches, drawing, first)

        stages.block(made)
        self._latest[kind] = system.schedule([made(0, [])])

    def _steps(
        self,
        timing: offload.Timing,
        kernel: str,
        first: int,
        after: Sequence[int],
        drained: Sequence[int],
    ) -> list[Stage]:
        return offload.stages(
            timing,
            self._host,
            device=CLIENT,
            host_resource=PLACES[CLIENT],
            first=first,
            after=after,
            device_after=drained,
            named=lambda step: f"{kernel}{_ON_HOST[step.kind]}: {step.name}",
        )

    def _timing(
        self,
        of: Callable[[native.Backend, rw.ckks.Parameters, int], offload.Timing | None],
        level: int,
    ) -> offload.Timing:
        timing = of(self._backend, self._parameters, level)
        assert timing is not None, "only simulated machines come here"
        return timing


def _drawing(timing: offload.Timing, first: int) -> set[int]:
    """The stages of steps that draw samples, the first step's stage being `first`."""
    steps = enumerate(timing.steps, start=first)
    return {index for index, step in steps if step.task == "sample"}


def _left(timing: offload.Timing, embedding: Mapping[str, int], count: int) -> Counter[str]:
    """Operations of the host for `count` ciphertexts."""
    one = Counter(embedding)
    for step in timing.steps:
        one.update(step.operations)
    return Counter({name: count * each for name, each in one.items()})


def _in_batches(
    count: int, batch: int, first: int, after: Sequence[int], one: _One
) -> tuple[list[Stage], set[int]]:
    stages: list[Stage] = []
    drawing: set[int] = set()
    waits, drained = after, after
    for index in range(count):
        place = first + len(stages)
        if index and index % batch == 0:
            waits = Stages.ends(stages, first)
        made = one(place, waits, drained)
        waits, drained = _begun(made.stages), [made.free]
        stages += made.stages
        drawing |= made.drawing
    return stages, drawing


def _begun(stages: Sequence[Stage]) -> list[int]:
    """What the first step of the machine waits for."""
    return next(stage.after for stage in stages if stage.kind != "host")


def _sampling_alone(stages: Sequence[Stage], drawing: set[int], first: int) -> list[Stage]:
    """The same stages; what samples waits for all before it, and all after it wait for it."""
    made: list[Stage] = []
    since: list[int] = []
    for index, stage in enumerate(stages, start=first):
        draws = index in drawing
        made.append(_waiting(stage, since if draws else since[:1]))
        since = [index] if draws else [*since, index]
    return made


def _waiting(stage: Stage, more: Sequence[int]) -> Stage:
    own, *others = stage.holds
    return Stage(
        stage.name,
        stage.kind,
        own,
        stage.duration_fs,
        stage.provenance,
        after=sorted({*stage.after, *more}),
        also_holds=others,
        range_fs=stage.range_fs,
    )
