"""The data, and how images lie in slots: every image in a block of its own, channel by channel."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

Array = NDArray[np.float64]

DIGITS = Path(__file__).parent / "data" / "digits.csv.gz"
#: Pixels of a side.
SIDE = 8
PIXELS = SIDE * SIDE
#: Largest pixel of the file.
_WHITE = 16
#: Every fourth image is for testing, the others for training.
_TEST_EVERY = 4


@dataclass(frozen=True)
class Images:
    """Pixels from 0 to 1 of shape (images, 64), and the digit of every image."""

    pixels: Array
    digits: NDArray[np.int64]

    def __len__(self) -> int:
        return len(self.digits)

    def part(self, *, testing: bool) -> Images:
        """Those for testing, or those for training."""
        tested = np.arange(len(self)) % _TEST_EVERY == 0
        chosen = tested if testing else ~tested
        return Images(self.pixels[chosen], self.digits[chosen])


def handwritten() -> Images:
    """1797 handwritten digits; `data/README.md` names source and licence."""
    table = np.loadtxt(DIGITS, delimiter=",")
    return Images(table[:, :-1] / _WHITE, table[:, -1].astype(np.int64))


def packed(pixels: Array, block: int, slots: int) -> Array:
    """Images as an array of shape (ciphertexts, slots), each at the head of a block of slots."""
    per_ciphertext = slots // block
    ciphertexts = -(-len(pixels) // per_ciphertext)
    padded = np.zeros((ciphertexts * per_ciphertext, block))
    padded[: len(pixels), : pixels.shape[1]] = pixels
    return padded.reshape(ciphertexts, slots)
