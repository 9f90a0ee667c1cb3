"""The private camera: an edge that holds the key, a server that does not, a link between them.

Per frame: capture, pack, encode, encrypt, serialise on the client; the ciphertexts over the uplink;
deserialise, evaluate, serialise on the server; the results over the downlink; deserialise, decrypt,
decode, threshold on the client. Once: key generation, transfer of the evaluation keys, preparation
of the program; for an alarm the thresholds, encrypted. The server sees ciphertexts and evaluation
keys, nothing else.

Motion and alarm compare a frame with the one before it, whose ciphertexts the server keeps: the
first frame has no result.

The client's own work goes through `edge`, which knows how its time is known: measured here, or that
of a simulated machine and its host.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

import ringwright as rw
from ringwright import system
from ringwright.camera.circuit import Alarm
from ringwright.camera.edge import Edge, Offloading, decoded, edge
from ringwright.camera.evaluation import Attachment, Evaluated, Evaluation, evaluation
from ringwright.camera.packing import Slots, TilePacking
from ringwright.camera.programs import Computation
from ringwright.camera.stages import DOWNLINK, SERVER, UPLINK, Stages
from ringwright.camera.video import Frame, Picture
from ringwright.spot_checks import VALUES

Records = Sequence[bytes]


@dataclass(frozen=True)
class Plan:
    """One way to run the camera."""

    parameters: rw.ckks.Parameters
    computation: Computation
    client: rw.Machine
    server: rw.Machine
    link: rw.Link
    alarm: Alarm
    offloading: Offloading
    attachment: Attachment
    #: Of a simulated server: as for `rw.Server`.
    values: str = VALUES[0]

    @cached_property
    def edge(self) -> Edge:
        """How the client's time is known."""
        return edge(self.parameters, self.client, self.offloading)

    @cached_property
    def evaluation(self) -> Evaluation | None:
        """How the time of the server's program is known; `None` without a program."""
        program = self.computation.program
        if program is None:
            return None
        return evaluation(self.parameters, program, self.server, self.attachment)

    def check(self) -> None:
        """Raises `MachineError` where client or server cannot do their part."""
        assert self.edge is not None
        assert (self.evaluation is None) == (self.computation.program is None)


@dataclass(frozen=True)
class Answer:
    """What the edge learns of a frame: where motion is looked for, which tiles move."""

    result: Picture
    moving: NDArray[np.bool_] | None
    score: float | None
    alarm: bool


@dataclass(frozen=True)
class FrameRun:
    """One frame through the pipeline.

    `stored` is the frame as the server holds it, decrypted by the edge to check it; that check
    is no part of the pipeline and stands in no stage. `wire` is the first record on the uplink.
    `operations` and `checks` are those of all its ciphertexts.
    """

    stages: system.Stages
    answer: Answer | None
    stored: Picture
    bytes_up: int
    bytes_down: int
    wire: bytes
    operations: Sequence[rw.OperationTime]
    checks: Sequence[rw.Checked]


class Camera:
    """Edge, link and server after their set-up. `setup` holds the stages that led here."""

    def __init__(self, plan: Plan) -> None:
        self.plan = plan
        stages = Stages()
        self._client = plan.edge.client(stages)
        program = plan.computation.program
        programs = [program] if program else []
        keys = plan.edge.keys(stages, lambda: self._client.keys_for(*programs))
        sent = plan.edge.work(stages, "serialise keys", lambda: [keys.to_bytes()])
        self.key_bytes = stages.transfer("transfer keys", UPLINK, plan.link, sent)
        held = stages.host(
            "deserialise keys",
            SERVER,
            lambda: rw.ckks.EvaluationKeys.from_bytes(plan.parameters, sent[0]),
        )
        self._server = rw.Server(held, plan.server, values=plan.values)
        if plan.evaluation:
            plan.evaluation.prepare(stages, self._server)
        self._thresholds = self._threshold(stages)
        self.setup = stages.list
        self._before: Sequence[rw.ckks.Ciphertext] = ()

    def run(self, frame: Frame) -> FrameRun:
        """Sends one frame through everything."""
        stages = Stages()
        self.plan.edge.spent(stages, "capture", frame.capture_fs)
        records = self._send(frame, stages)
        bytes_up = stages.transfer("uplink", UPLINK, self.plan.link, records)
        now = stages.host("deserialise frame", SERVER, lambda: self._read(records))
        evaluated = self._evaluate(now, stages)
        answer, bytes_down = self._answer(evaluated.results, stages)
        self._before = now
        return FrameRun(
            stages=stages.list,
            answer=answer,
            stored=self._look_into(now),
            bytes_up=bytes_up,
            bytes_down=bytes_down,
            wire=records[0],
            operations=evaluated.operations,
            checks=evaluated.checks,
        )

    def _threshold(self, stages: Stages) -> Sequence[rw.ckks.Ciphertext]:
        """The edge's thresholds as the server gets them, one a ciphertext of a picture."""
        hidden, packing = self.plan.computation.threshold, self.plan.computation.packing
        if hidden is None or not isinstance(packing, TilePacking):
            return ()
        edge = self.plan.edge
        sent = edge.encrypt(stages, self._client, hidden.slots(packing), hidden.declared)
        records = edge.work(
            stages, "serialise threshold", lambda: [each.to_bytes() for each in sent]
        )
        stages.transfer("transfer threshold", UPLINK, self.plan.link, records)
        return stages.host("deserialise threshold", SERVER, lambda: self._read(records))

    def _send(self, frame: Frame, stages: Stages) -> Records:
        edge, computation = self.plan.edge, self.plan.computation
        slots = edge.work(stages, "pack", lambda: computation.packing.pack(frame.picture))
        sent = edge.encrypt(stages, self._client, slots, computation.declared)
        return edge.work(stages, "serialise frame", lambda: [ct.to_bytes() for ct in sent])

    def _evaluate(self, now: Sequence[rw.ckks.Ciphertext], stages: Stages) -> Evaluated:
        """What the server computes; nothing where pictures are missing."""
        pictures = [now, self._before][: self.plan.computation.pictures]
        if not all(pictures):
            return Evaluated((), ())
        if self.plan.evaluation is None:
            return Evaluated(now, ())
        thresholds = [self._thresholds] if self._thresholds else []
        inputs = list(zip(*pictures, *thresholds, strict=True))
        return self.plan.evaluation.run(stages, self._server, inputs)

    def _answer(
        self, results: Sequence[rw.ckks.Ciphertext], stages: Stages
    ) -> tuple[Answer | None, int]:
        """How the edge reads the server's results, if there are any."""
        if not results:
            return None, 0
        records = stages.host("serialise result", SERVER, lambda: [r.to_bytes() for r in results])
        bytes_down = stages.transfer("downlink", DOWNLINK, self.plan.link, records)
        edge = self.plan.edge
        back = edge.work(stages, "deserialise result", lambda: self._read(records))
        slots = edge.decrypt(stages, self._client, back)
        seeks_motion = isinstance(self.plan.computation.packing, TilePacking)
        name = "threshold" if seeks_motion else "unpack"
        return edge.work(stages, name, lambda: self._read_off(slots)), bytes_down

    def _read_off(self, slots: Slots) -> Answer:
        result = self.plan.computation.result(slots)
        alarm = self.plan.alarm
        moving = self.plan.computation.moving(result, alarm)
        if moving is None:
            return Answer(result, None, None, False)
        return Answer(result, moving, float(np.mean(moving)), alarm.raised(moving))

    def _read(self, records: Records) -> list[rw.ckks.Ciphertext]:
        parameters = self.plan.parameters
        return [rw.ckks.Ciphertext.from_bytes(parameters, record) for record in records]

    def _look_into(self, ciphertexts: Sequence[rw.ckks.Ciphertext]) -> Picture:
        plain = [self._client.decrypt_plaintext(ct) for ct in ciphertexts]
        return self.plan.computation.packing.unpack(decoded(self._client, plain))
