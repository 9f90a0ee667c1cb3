"""The data, and how rows lie in slots: each in as many as the next power of two, side by side."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from ringwright.errors import ParameterError

Array = NDArray[np.float64]

BREAST_CANCER = Path(__file__).parent / "data" / "breast_cancer.csv"
#: Every fourth row is for testing, the others for training.
_TEST_EVERY = 4


@dataclass(frozen=True)
class Rows:
    """Measurements of shape (rows, features), and the class of every row: 0 or 1."""

    features: Array
    classes: Array

    def __len__(self) -> int:
        return len(self.classes)

    @property
    def for_testing(self) -> NDArray[np.bool_]:
        """Which rows training does not see."""
        tested: NDArray[np.bool_] = np.arange(len(self)) % _TEST_EVERY == 0
        return tested


def breast_cancer() -> Rows:
    """The Wisconsin diagnostic data set: 569 rows of 30 features; class 1 is benign.

    `data/README.md` names its source and licence.
    """
    table = np.loadtxt(BREAST_CANCER, delimiter=",", skiprows=1)
    return Rows(table[:, :-1], table[:, -1])


def generated(rows: int, features: int, seed: int = 1) -> Rows:
    """Rows by a recipe: features are standard normal numbers, and a row is of class 1 with the
    probability that a model with normal weights, of Euclidean norm 4, gives it.

    Raises `ParameterError` for fewer than one row or feature.
    """
    if min(rows, features) < 1:
        raise ParameterError(f"{rows} rows of {features} features given; 1 or more of each allowed")
    random = np.random.default_rng(seed)
    drawn, weights = random.standard_normal((rows, features)), random.standard_normal(features)
    scores = drawn @ weights * (4 / np.linalg.norm(weights))
    return Rows(drawn, (random.random(rows) < 1 / (1 + np.exp(-scores))).astype(float))


def width(features: int) -> int:
    """Slots of one row."""
    return 1 << (features - 1).bit_length()


def packed(rows: Array, slots: int) -> Array:
    """Rows of shape (rows, features) as an array of shape (ciphertexts, slots)."""
    count, features = rows.shape
    step = width(features)
    if step > slots:
        raise ParameterError(f"rows of {features} features given; up to {slots} slots allowed")
    per_ciphertext = slots // step
    ciphertexts = -(-count // per_ciphertext)
    padded = np.zeros((ciphertexts * per_ciphertext, step))
    padded[:count, :features] = rows
    return padded.reshape(ciphertexts, slots)


def unpacked(slots: Array, rows: int, features: int) -> Array:
    """The first slot of every row, from an array of shape (ciphertexts, slots)."""
    return slots.reshape(-1, width(features))[:rows, 0]
