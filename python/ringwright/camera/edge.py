"""How the time of the edge's own work is known: measured here, or from a simulated machine.

Either way the work is done and its values are used. On this computer's processor every stage is
timed by the clock. On a simulated machine the device says in steps what it does, a host says what
each operation costs that the device leaves to it, and this computer's clock plays no part. What no
host description knows (packing, serialising, capture, keys) is then left out of the time and
listed in `not_timed`: absent, not guessed.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Protocol, TypeVar

import numpy as np

import ringwright as rw
from ringwright.camera.conversions import Conversions
from ringwright.camera.packing import Slots
from ringwright.camera.stages import CLIENT, Stages
from ringwright.machines import backend as made_ready
from ringwright.machines import default_machine
from ringwright.spending import Spending

T = TypeVar("T")


@dataclass(frozen=True)
class Offloading:
    """What can be chosen where the client is a simulated machine."""

    #: Does what the machine leaves to it.
    host: rw.Host
    #: Ciphertexts handed over together; before the next ones the machine has drained.
    batch: int = 1
    #: Whether error sampling may run beside other work.
    sampling_overlap: bool = True


class Edge(Protocol):
    """Does the client's work and adds its stages."""

    @property
    def not_timed(self) -> Sequence[str]:
        """What was done and stands in no stage."""

    def client(self, stages: Stages) -> rw.ckks.Client:
        """The key holder, with fresh keys."""

    def keys(self, stages: Stages, work: Callable[[], T]) -> T:
        """Draws the evaluation keys."""

    def work(self, stages: Stages, name: str, work: Callable[[], T]) -> T:
        """Anything that is no conversion and no kernel."""

    def spent(self, stages: Stages, name: str, duration_fs: int) -> None:
        """The same, done before and measured there."""

    def encrypt(
        self, stages: Stages, client: rw.ckks.Client, slots: Slots, declared: rw.ckks.Input
    ) -> list[rw.ckks.Ciphertext]:
        """Messages to ciphertexts: encodes and encrypts."""

    def decrypt(
        self, stages: Stages, client: rw.ckks.Client, ciphertexts: Sequence[rw.ckks.Ciphertext]
    ) -> Slots:
        """Ciphertexts to messages: decrypts and decodes."""

    def conversions_fs(self) -> int | None:
        """Time of one frame's conversions alone; `None` where no machine is simulated."""

    def conversions_range_fs(self) -> tuple[int, int] | None:
        """The least and the most that it may be, by what is not certain of the host."""

    def spending(self) -> Spending | None:
        """Area and energy of one frame's conversions; `None` where they are not known."""

    @property
    def host_operations(self) -> Mapping[str, int]:
        """What one frame leaves to a simulated machine's host; empty where none is simulated."""


def edge(parameters: rw.ckks.Parameters, machine: rw.Machine, choice: Offloading) -> Edge:
    """The edge on a machine. Raises `MachineError` where it cannot hold the parameters, or where
    the host lacks the cost of an operation that the machine leaves to it.
    """
    if is_measured(machine):
        return MeasuredEdge(parameters, machine)
    conversions = Conversions(
        parameters, machine, choice.host, choice.batch, choice.sampling_overlap
    )
    conversions.check()
    return SimulatedEdge(parameters, machine, conversions)


def is_measured(machine: rw.Machine) -> bool:
    """Whether it is this computer: it then encrypts with the secret key, which it holds."""
    return made_ready(machine).bytes_per_word is None


class MeasuredEdge:
    """On this computer, by its clock."""

    def __init__(self, parameters: rw.ckks.Parameters, machine: rw.Machine) -> None:
        self._parameters, self._machine = parameters, machine

    @property
    def not_timed(self) -> Sequence[str]:
        """Nothing."""
        return ()

    def client(self, stages: Stages) -> rw.ckks.Client:
        """Drawing the keys is a kernel of the set-up."""
        parameters, machine = self._parameters, self._machine
        return stages.kernel("generate keys", CLIENT, lambda: rw.ckks.Client(parameters, machine))

    def keys(self, stages: Stages, work: Callable[[], T]) -> T:
        """Another kernel of the set-up."""
        return stages.kernel("generate evaluation keys", CLIENT, work)

    def work(self, stages: Stages, name: str, work: Callable[[], T]) -> T:
        """Timed as it runs."""
        return stages.host(name, CLIENT, work)

    def spent(self, stages: Stages, name: str, duration_fs: int) -> None:
        """As measured."""
        stages.spent(name, CLIENT, duration_fs)

    def encrypt(
        self, stages: Stages, client: rw.ckks.Client, slots: Slots, declared: rw.ckks.Input
    ) -> list[rw.ckks.Ciphertext]:
        """Timed as it runs, each ciphertext inside the stage. With the secret key, which the camera
        holds: half of what is sent are seeds.
        """
        plain = stages.host("encode", CLIENT, lambda: [client.encode(s, declared) for s in slots])
        return stages.kernels("encrypt", CLIENT, client.encrypt_symmetric, plain)

    def decrypt(
        self, stages: Stages, client: rw.ckks.Client, ciphertexts: Sequence[rw.ckks.Ciphertext]
    ) -> Slots:
        """Timed as it runs, each ciphertext inside the stage."""
        plain = stages.kernels("decrypt", CLIENT, client.decrypt_plaintext, ciphertexts)
        return stages.host("decode", CLIENT, lambda: decoded(client, plain))

    def conversions_fs(self) -> int | None:
        """Nothing is simulated."""
        return None

    def conversions_range_fs(self) -> tuple[int, int] | None:
        """Nothing is simulated."""
        return None

    def spending(self) -> Spending | None:
        """Power is not measured here."""
        return None

    @property
    def host_operations(self) -> Mapping[str, int]:
        """Nothing is simulated."""
        return {}


class SimulatedEdge:
    """On a simulated machine: its steps, its host's cycles."""

    def __init__(
        self, parameters: rw.ckks.Parameters, machine: rw.Machine, conversions: Conversions
    ) -> None:
        self._not_timed: dict[str, None] = {}
        self._parameters, self._machine, self._conversions = parameters, machine, conversions

    @property
    def not_timed(self) -> Sequence[str]:
        """In order of first appearance."""
        return tuple(self._not_timed)

    def client(self, stages: Stages) -> rw.ckks.Client:
        """Keys are made before the device is in use, on a machine that is not simulated."""
        made_on = default_machine()
        return self.work(
            stages,
            "generate keys",
            lambda: rw.ckks.Client(self._parameters, self._machine, key_machine=made_on),
        )

    def keys(self, stages: Stages, work: Callable[[], T]) -> T:
        """As the others, before the device is in use."""
        return self.work(stages, "generate evaluation keys", work)

    def work(self, stages: Stages, name: str, work: Callable[[], T]) -> T:
        """Done here, and in no stage."""
        self._not_timed[name] = None
        return work()

    def spent(self, stages: Stages, name: str, duration_fs: int) -> None:
        """Time of this computer says nothing of the host."""
        self._not_timed[name] = None

    def encrypt(
        self, stages: Stages, client: rw.ckks.Client, slots: Slots, declared: rw.ckks.Input
    ) -> list[rw.ckks.Ciphertext]:
        """Every ciphertext is computed by the simulated machine, with the public key."""
        sent = [client.encrypt(client.encode(values, declared)) for values in slots]
        self._conversions.add(stages, "m2c", len(sent), sent[0].level)
        return sent

    def decrypt(
        self, stages: Stages, client: rw.ckks.Client, ciphertexts: Sequence[rw.ckks.Ciphertext]
    ) -> Slots:
        """Every plaintext is computed by the simulated machine."""
        plain = [client.decrypt_plaintext(ciphertext) for ciphertext in ciphertexts]
        self._conversions.add(stages, "c2m", len(plain), ciphertexts[0].level)
        return decoded(client, plain)

    def conversions_fs(self) -> int | None:
        """Of the latest frame with an answer."""
        return self._conversions.alone_fs()

    def conversions_range_fs(self) -> tuple[int, int] | None:
        """Of the same."""
        return self._conversions.alone_range_fs()

    def spending(self) -> Spending | None:
        """Of the same."""
        return self._conversions.spending()

    @property
    def host_operations(self) -> Mapping[str, int]:
        """Of the same."""
        return self._conversions.host_operations


def decoded(client: rw.ckks.Client, plaintexts: Sequence[rw.ckks.Plaintext]) -> Slots:
    """All slots, complex; shape (ciphertexts, slots)."""
    return np.stack([client.decode(plain, imag=True) for plain in plaintexts])
