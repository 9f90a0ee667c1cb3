"""How the time of the server's evaluation is known: measured here, or from a simulated machine.

Either way the program runs on the machine and its values are sent. A simulated machine says in
steps what it does: kernels of its core, transfers of its DMA port, and what its controller (`host`)
writes and waits for. It sits behind a link of its own: keys and constants go over it once, the
operands of every ciphertext before it is worked on, the results after it. All else that the server
does is this computer's, measured as it runs.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Protocol

import ringwright as rw
from ringwright import _ringwright as native
from ringwright import offload, system
from ringwright.camera.stages import CONTROLLER, EVALUATE, PLACES, SERVER, SERVER_LINK, Stages
from ringwright.system import Stage

#: What the controller does and what the device does; the ledger keeps them apart.
_BY = {"host": " by the controller", "kernel": "", "transfer": ""}


@dataclass(frozen=True)
class Attachment:
    """What stands between the server and a simulated machine."""

    #: Carries operands, results and keys.
    link: rw.Link
    #: Starts the machine's programs and takes its interrupts.
    host: rw.Host


@dataclass(frozen=True)
class Evaluated:
    """The server's results of one frame, and its operations on all of the ciphertexts."""

    results: Sequence[rw.ckks.Ciphertext]
    operations: Sequence[rw.OperationTime]


class Evaluation(Protocol):
    """Runs the program and adds its stages."""

    @property
    def instructions(self) -> dict[str, int]:
        """Instructions that one run executes, by mnemonic; empty on a machine without."""

    @property
    def host_operations(self) -> dict[str, int]:
        """What one run leaves to the machine's controller; empty where nothing is simulated."""

    def moves_fs(self) -> tuple[int, int] | None:
        """What one run moves without RTL: its time, and the same through the port of the RTL.

        `None` where there is nothing of the kind.
        """

    def prepare(self, stages: Stages, server: rw.Server) -> None:
        """Makes the program ready, once."""

    def run(
        self, stages: Stages, server: rw.Server, inputs: Sequence[Sequence[rw.ckks.Ciphertext]]
    ) -> Evaluated:
        """The program on each list of ciphertexts."""


def evaluation(
    parameters: rw.ckks.Parameters,
    program: rw.Program,
    machine: rw.Machine,
    attachment: Attachment,
) -> Evaluation:
    """The evaluation on a machine. Raises `MachineError` where it cannot hold the program, or where
    the controller's host lacks the cost of an operation.
    """
    backend = native.Backend(machine)
    prepared = native.Evaluator(parameters, backend).prepare(program.trace(parameters))
    timing = prepared.timing
    if timing is None:
        return MeasuredEvaluation(program)
    for step in timing.steps:
        offload.require_costs(attachment.host, step.operations)
    assert backend.bytes_per_word is not None, "a simulated machine says how its words travel"
    tower_bytes = parameters.n * backend.bytes_per_word
    sent = {name: towers * tower_bytes for name, towers in prepared.traffic.items()}
    return SimulatedEvaluation(program, timing, attachment, sent)


@dataclass(frozen=True)
class MeasuredEvaluation:
    """On this computer, by its clock."""

    program: rw.Program

    @property
    def instructions(self) -> dict[str, int]:
        """Not counted."""
        return {}

    @property
    def host_operations(self) -> dict[str, int]:
        """There is no controller."""
        return {}

    def moves_fs(self) -> tuple[int, int] | None:
        """Nothing is modelled."""
        return None

    def prepare(self, stages: Stages, server: rw.Server) -> None:
        """A host function of the set-up."""
        stages.host("prepare program", SERVER, lambda: server.prepare(self.program))

    def run(
        self, stages: Stages, server: rw.Server, inputs: Sequence[Sequence[rw.ckks.Ciphertext]]
    ) -> Evaluated:
        """Timed as it runs, each ciphertext and its operations inside the stage."""
        runs = stages.kernels(
            EVALUATE,
            SERVER,
            lambda of_one: server.run(self.program, *of_one),
            inputs,
            inside=rw.Run.details,
        )
        operations = [operation for run in runs for operation in run.operations]
        return Evaluated([run.value for run in runs], operations)


@dataclass(frozen=True)
class SimulatedEvaluation:
    """On a simulated machine: its steps, its controller's cycles, its link."""

    program: rw.Program
    timing: offload.Timing
    attachment: Attachment
    #: Bytes in the machine's words: "ciphertexts", "results", "keys", "constants".
    sent: dict[str, int]

    @cached_property
    def instructions(self) -> dict[str, int]:
        """Counted by the machine."""
        return dict(self.timing.instructions)

    @cached_property
    def host_operations(self) -> dict[str, int]:
        """Of all its steps."""
        return dict(sum((Counter(step.operations) for step in self.timing.steps), Counter()))

    def moves_fs(self) -> tuple[int, int] | None:
        """Over all steps that another port of the RTL could do."""
        clock_fs = self.timing.clock_fs
        pairs = [
            (step.cycles * clock_fs, step.cycles_through_rtl * clock_fs)
            for step in self.timing.steps
            if step.cycles_through_rtl is not None
        ]
        return (sum(own for own, _ in pairs), sum(rtl for _, rtl in pairs)) if pairs else None

    def prepare(self, stages: Stages, server: rw.Server) -> None:
        """Lowering is a host function of the set-up; keys and constants then stay on the device."""
        stages.host("prepare program", SERVER, lambda: server.prepare(self.program))
        sent = self.sent["keys"] + self.sent["constants"]
        stages.transfer_bytes("keys to the machine", SERVER_LINK, self.attachment.link, sent)

    def run(
        self, stages: Stages, server: rw.Server, inputs: Sequence[Sequence[rw.ckks.Ciphertext]]
    ) -> Evaluated:
        """Every ciphertext is computed by the simulated machine."""
        results = [server.run(self.program, *of_one).value for of_one in inputs]
        stages.block(lambda first, after: self._all(len(results), first, after))
        return Evaluated(results, ())

    def _all(self, count: int, first: int, after: Sequence[int]) -> list[Stage]:
        """One ciphertext after the other; operands may come while the one before is worked on."""
        made: list[Stage] = []
        drained: list[int] = []
        for _ in range(count):
            place = first + len(made)
            made.append(self._over_link("operands to the machine", "ciphertexts", after))
            steps = offload.stages(
                self.timing,
                self.attachment.host,
                device=SERVER,
                host_resource=PLACES[CONTROLLER],
                first=place + 1,
                device_after=[place, *drained],
                named=lambda step: f"{EVALUATE}{_BY[step.kind]}: {step.name}",
            )
            drained = Stages.ends(steps, place + 1)
            made += steps
            made.append(self._over_link("results from the machine", "results", drained))
        return made

    def _over_link(self, name: str, what: str, after: Sequence[int]) -> Stage:
        link, sent = self.attachment.link, self.sent[what]
        return system.transfer(name, link, sent, resource=PLACES[SERVER_LINK], after=after)
