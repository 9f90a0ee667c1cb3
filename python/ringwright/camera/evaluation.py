"""How the time of the server's evaluation is known: measured here, or from a simulated machine.

Either way the program runs and its values are sent: this computer's, or those that a simulated
machine computes (`rw.Server`, `values`). A simulated machine says in steps what it does: kernels of
its core, transfers of its DMA port, and what its controller (`host`) writes and waits for. It sits
behind a link of its own: keys and constants go over it once, the operands of every ciphertext
before it is worked on, the results after it. All else that the server does is this computer's,
measured as it runs.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Protocol

import ringwright as rw
from ringwright import _ringwright as native
from ringwright import system
from ringwright.camera.stages import CONTROLLER, EVALUATE, PLACES, SERVER, SERVER_LINK, Stages
from ringwright.machines import backend as made_ready
from ringwright.system import Measured, Resource, Stage, measure


@dataclass(frozen=True)
class Attachment:
    """What stands between the server and a simulated machine."""

    #: Carries operands, results and keys.
    link: rw.Link
    #: Starts the machine's programs and takes its interrupts.
    host: rw.Host
    #: The machines, all alike, each with its own link and host; they take ciphertexts in turn.
    devices: Sequence[str] = (SERVER,)


@dataclass(frozen=True)
class Evaluated:
    """The server's results of one frame, and its operations on all of the ciphertexts."""

    results: Sequence[rw.ckks.Ciphertext]
    operations: Sequence[rw.OperationTime]
    #: Of every run whose values are not its machine's.
    checks: Sequence[rw.Checked] = ()


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
    evaluator = native.Evaluator(parameters, made_ready(machine))
    prepared = measure(lambda: evaluator.prepare(program.trace(parameters)))
    timing, sent = prepared.value.timing, prepared.value.traffic_bytes
    if timing is None or sent is None:
        return MeasuredEvaluation(program, prepared)
    attachment.host.require_costs(list(timing.host_operations))
    return SimulatedEvaluation(program, prepared, timing, attachment, sent)


def _prepare(
    stages: Stages, server: rw.Server, program: rw.Program, before: Measured[native.Prepared]
) -> None:
    """A host function of the set-up, with what was made ready before and is not made again."""
    again = measure(server.prepare, program)
    stages.spent("prepare program", SERVER, before.duration_fs + again.duration_fs)


@dataclass(frozen=True)
class MeasuredEvaluation:
    """On this computer, by its clock."""

    program: rw.Program
    prepared: Measured[native.Prepared]

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
        _prepare(stages, server, self.program, self.prepared)

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
    prepared: Measured[native.Prepared]
    timing: native.Timing
    attachment: Attachment
    #: Bytes in the machine's words: "ciphertexts", "plain", "results", "keys", "constants".
    sent: dict[str, int]

    @cached_property
    def instructions(self) -> dict[str, int]:
        """Counted by the machine."""
        return dict(self.timing.instructions)

    @cached_property
    def host_operations(self) -> dict[str, int]:
        """Of all its steps."""
        return self.timing.host_operations

    def moves_fs(self) -> tuple[int, int] | None:
        """Over all steps that another port of the RTL could do."""
        if self.timing.moves is None:
            return None
        own, through_rtl = (cycles * self.timing.clock_fs for cycles in self.timing.moves)
        return own, through_rtl

    def prepare(self, stages: Stages, server: rw.Server) -> None:
        """Lowering is a host function of the set-up; keys and constants then stay on the device."""
        _prepare(stages, server, self.program, self.prepared)
        stages.block(self._bring_keys)

    def run(
        self, stages: Stages, server: rw.Server, inputs: Sequence[Sequence[rw.ckks.Ciphertext]]
    ) -> Evaluated:
        """Every ciphertext in the time of the simulated machine."""
        runs = [server.run(self.program, *of_one) for of_one in inputs]
        stages.block(lambda to, after: self._all(len(runs), to, after))
        checks = [run.checks for run in runs if run.checks is not None]
        return Evaluated([run.value for run in runs], (), checks)

    def _bring_keys(self, stages: system.Stages, after: Sequence[int]) -> None:
        """To every device, over its own link; then it does what it does once."""
        sent = self.sent["keys"] + self.sent["constants"]
        for device in self.attachment.devices:
            brought = stages.append(self._over_link(device, "keys to the machine", sent, after))
            if self.timing.set_up:
                stages.run_folded(self._station(device), self.timing.set_up, after=[brought])

    def _all(self, count: int, stages: system.Stages, after: Sequence[int]) -> None:
        """On a device one ciphertext after the other; operands may come while the one before is
        worked on.
        """
        devices = self.attachment.devices
        drained: dict[str, list[int]] = {device: [] for device in devices}
        for index in range(count):
            device = devices[index % len(devices)]
            operands = self.sent["ciphertexts"] + self.sent["plain"]
            brought = stages.append(
                self._over_link(device, "operands to the machine", operands, after)
            )
            waits = [brought, *drained[device]]
            stages.run(self._station(device), self.timing, device_after=waits)
            ends = stages.ends(brought + 1)
            results = self.sent["results"]
            stages.append(self._over_link(device, "results from the machine", results, ends))
            drained[device] = ends

    def _station(self, device: str) -> system.Station:
        naming = system.StepNaming.part_of(EVALUATE, f"{EVALUATE} by the controller", EVALUATE)
        controller = PLACES[CONTROLLER]
        if device != SERVER:
            controller = Resource(f"{device} controller", "host", part_of=SERVER)
        host = self.attachment.host
        return system.Station(device, host, part_of=SERVER, processor=controller, naming=naming)

    def _over_link(self, device: str, name: str, sent: int, after: Sequence[int]) -> Stage:
        place = PLACES[SERVER_LINK]
        if device != SERVER:
            place = Resource(f"{device} link", "link", part_of=SERVER)
        return system.transfer(name, self.attachment.link, sent, resource=place, after=after)
