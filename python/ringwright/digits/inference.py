"""The network on encrypted images, beside the same network in the clear.

Images come with three levels: one for the first convolution, one for its activation. Then tracing
places a bootstrapping, and four more levels take the rest. A layer is a matrix over the slots of an
image, the same for all images of a ciphertext.

Who learns what: the server, which owns the network, learns how many images there are. The key
holder learns ten scores an image; with enough of them the network could be worked out.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np

import ringwright as rw
from ringwright import system
from ringwright.digits.images import Array, Images, handwritten, packed
from ringwright.digits.network import BLOCK, CLASSES, Network, train

#: Three levels to begin with, thirteen behind a bootstrapping.
PARAMETERS = "65536-boot"
_LEVEL = 3
#: What values may be larger than those of the images for training.
_ROOM = 1.25


@dataclass(frozen=True)
class Read:
    """Scores of every image, and the time of the encrypted ones."""

    images: Images
    #: Decrypted, and of the same network in the clear, of shape (images, 10).
    encrypted: Array
    plain: Array
    error_bound: float
    bootstraps: int
    parameters: rw.ckks.Parameters
    runs: tuple[rw.Run, ...]
    keys_fs: int

    @property
    def differing(self) -> int:
        """Images that are read otherwise than in the clear."""
        return int((self.encrypted.argmax(axis=1) != self.plain.argmax(axis=1)).sum())

    @property
    def largest_error(self) -> float:
        """Of a score, against the one in the clear."""
        return float(np.abs(self.encrypted - self.plain).max())

    @property
    def correct(self) -> bool:
        """Whether all images are read as in the clear, and no score is off by more than said."""
        return not self.differing and self.largest_error <= self.error_bound

    @property
    def accuracy(self) -> float:
        """Share of the images whose digit is read."""
        return float((self.encrypted.argmax(axis=1) == self.images.digits).mean())

    @property
    def evaluate_fs(self) -> int:
        """One run after the other, without preparation."""
        return sum(run.evaluate_fs for run in self.runs)


def network_program(
    network: Network, seen: Images, made_of: rw.ckks.Bootstrapping | None = None
) -> rw.Program:
    """The program over packed images: the scores of every image in its first ten slots.

    `seen`: images of which values on the way are at most a quarter smaller; those in the clear are
    held to it.
    """
    largest = [_ROOM * float(np.abs(layer).max()) for layer in network.layers(seen.pixels)]
    layers = list(zip(network.matrices(), largest, strict=True))

    @rw.program(
        inputs={"images": rw.ckks.Input(max=1.0, rms=0.5, level=_LEVEL)},
        bootstrap=made_of or rw.ckks.Bootstrapping(),
    )
    def scores(images: rw.Vector) -> rw.Vector:
        values = images
        for index, ((matrix, summand), bound) in enumerate(layers):
            values = (_on_every_image(matrix, values.slots) @ values + summand).within(bound)
            if index + 1 < len(layers):
                values = (values + values * values).within(bound + bound * bound)
        return values

    return scores


def _on_every_image(matrix: Array, slots: int) -> rw.Diagonals:
    """A matrix over one block, as one over all slots."""
    diagonals: dict[int, Any] = {}
    for offset in range(1 - BLOCK, BLOCK):
        entries = np.diagonal(matrix, offset)
        if entries.any():
            rows = np.zeros(BLOCK)
            first = max(0, -offset)
            rows[first : first + len(entries)] = entries
            every = np.tile(rows, slots // BLOCK)
            diagonals[offset] = every[first : slots - max(0, offset)]
    return rw.Diagonals(diagonals, (slots, slots))


def read(
    images: Images | None = None,
    parameters: rw.ckks.Parameters | None = None,
    machine: str | rw.Machine = "cpu",
    *,
    progress: Callable[[str], None] = lambda _: None,
) -> Read:
    """Trains the network, and reads images in the clear and encrypted; default those for testing.

    `progress` is told what begins.
    """
    parameters = parameters or rw.ckks.Parameters.preset(PARAMETERS)
    every = handwritten()
    seen = every.part(testing=False)
    images = images or every.part(testing=True)
    progress("training")
    network = train(seen)
    program = network_program(network, seen)
    slots = packed(images.pixels, BLOCK, parameters.slots)
    for each in slots:
        # Whatever is said of sizes is checked here.
        program.plain(each)

    owner = rw.ckks.Client(parameters)
    progress("keys")
    keys = system.measure(lambda: owner.keys_for(program, limited=True))
    server = rw.Server(keys.value, machine)
    runs = []
    for number, each in enumerate(slots, 1):
        progress(f"images, {number} of {len(slots)} ciphertexts")
        runs.append(server.run(program, owner.encrypt(each, program.inputs[0])))
    decrypted = np.array([owner.decrypt(run.value) for run in runs])
    found = decrypted.reshape(-1, BLOCK)[: len(images), :CLASSES]
    text = program.trace(parameters).text
    return Read(
        images,
        found,
        network.scores(images.pixels),
        max(run.value.error_bound for run in runs),
        text.count(" = raise "),
        parameters,
        tuple(runs),
        keys.duration_fs,
    )
