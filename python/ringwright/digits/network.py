"""A small network: two 3x3 convolutions, each followed by x + x², and a dense layer.

The activation is a polynomial from the beginning, so nothing is approximated when it is computed on
encrypted images. Trained with numpy: cross-entropy, Adam (Kingma, Ba, 2015), from a fixed seed.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, fields

import numpy as np
from numpy.typing import NDArray

from ringwright.digits.images import PIXELS, SIDE, Array, Images

CHANNELS = 4
CLASSES = 10
#: Slots of one image behind the first convolution.
BLOCK = CHANNELS * PIXELS
_EPOCHS = 40
_BATCH = 32
_RATE = 3e-3
#: Weight of the penalty: small weights keep values small, and predictions of noise with them.
_PENALTY = 1e-3
_SEED = 4


def _neighbours() -> NDArray[np.int64]:
    """By pixel, the nine around it; beyond the image the pixel after the last."""
    rows, columns = np.divmod(np.arange(PIXELS), SIDE)
    around = [(down, right) for down in (-1, 0, 1) for right in (-1, 0, 1)]
    found = np.full((PIXELS, len(around)), PIXELS)
    for index, (down, right) in enumerate(around):
        row, column = rows + down, columns + right
        inside = (row >= 0) & (row < SIDE) & (column >= 0) & (column < SIDE)
        found[inside, index] = (row * SIDE + column)[inside]
    return found


_AROUND = _neighbours()


@dataclass
class Network:
    """Weights: of convolutions of shape (inputs x 9, outputs), of the dense layer (256, 10)."""

    first: Array
    first_bias: Array
    second: Array
    second_bias: Array
    dense: Array
    dense_bias: Array

    def layers(self, pixels: Array) -> Iterator[Array]:
        """What the activations take, and the scores, of images of shape (images, 64)."""
        values = pixels[:, :, np.newaxis]
        convolutions = [(self.first, self.first_bias), (self.second, self.second_bias)]
        for weights, bias in convolutions:
            values = _patches(values) @ weights + bias
            yield values
            values = values + values * values
        yield _flat(values) @ self.dense + self.dense_bias

    def scores(self, pixels: Array) -> Array:
        """Of shape (images, 10): the digit is that of the largest."""
        *_, scores = self.layers(pixels)
        return scores

    def matrices(self) -> tuple[tuple[Array, Array], ...]:
        """Every layer as matrix and summand of the 256 slots of an image, channel by channel."""
        return (
            (_convolution(self.first), np.repeat(self.first_bias, PIXELS)),
            (_convolution(self.second), np.repeat(self.second_bias, PIXELS)),
            (_square(self.dense.T), np.pad(self.dense_bias, (0, BLOCK - CLASSES))),
        )


def _patches(values: Array) -> Array:
    """Of values of shape (images, 64, channels) the nine around every pixel, zero beyond."""
    padded = np.pad(values, ((0, 0), (0, 1), (0, 0)))
    found: Array = padded[:, _AROUND].swapaxes(2, 3).reshape(len(values), PIXELS, -1)
    return found


def _flat(values: Array) -> Array:
    """Channel by channel."""
    flat: Array = values.swapaxes(1, 2).reshape(len(values), -1)
    return flat


def _convolution(weights: Array) -> Array:
    channels = len(weights) // 9
    matrix = np.zeros((BLOCK, BLOCK))
    for index in range(9):
        pixel = np.flatnonzero(_AROUND[:, index] < PIXELS)
        for source in range(channels):
            for target in range(CHANNELS):
                rows, columns = target * PIXELS + pixel, source * PIXELS + _AROUND[pixel, index]
                matrix[rows, columns] = weights[source * 9 + index, target]
    return matrix


def _square(matrix: Array) -> Array:
    rows, columns = matrix.shape
    padded: Array = np.pad(matrix, ((0, BLOCK - rows), (0, BLOCK - columns)))
    return padded


def train(images: Images) -> Network:
    """The network for these images; the same every time."""
    draw = np.random.default_rng(_SEED)
    network = Network(
        draw.normal(0, 0.3, (9, CHANNELS)),
        np.zeros(CHANNELS),
        draw.normal(0, 0.15, (9 * CHANNELS, CHANNELS)),
        np.zeros(CHANNELS),
        draw.normal(0, 0.06, (BLOCK, CLASSES)),
        np.zeros(CLASSES),
    )
    names = [field.name for field in fields(Network)]
    means = {name: np.zeros_like(getattr(network, name)) for name in names}
    squares = {name: np.zeros_like(getattr(network, name)) for name in names}
    step = 0
    for _ in range(_EPOCHS):
        order = draw.permutation(len(images))
        for begin in range(0, len(images), _BATCH):
            chosen = order[begin : begin + _BATCH]
            slopes = _slopes(network, images.pixels[chosen], images.digits[chosen])
            step += 1
            for name in names:
                slope = slopes[name] + _PENALTY * getattr(network, name)
                means[name] = 0.9 * means[name] + 0.1 * slope
                squares[name] = 0.999 * squares[name] + 0.001 * slope**2
                mean, square = means[name] / (1 - 0.9**step), squares[name] / (1 - 0.999**step)
                new = getattr(network, name) - _RATE * mean / (np.sqrt(square) + 1e-8)
                setattr(network, name, new)
    return network


def _slopes(network: Network, pixels: Array, digits: NDArray[np.int64]) -> dict[str, Array]:
    """Of the mean cross-entropy, by weight."""
    first, second, scores = network.layers(pixels)
    first_active, second_active = first + first * first, second + second * second
    shares = np.exp(scores - scores.max(axis=1, keepdims=True))
    of_scores = shares / shares.sum(axis=1, keepdims=True)
    of_scores[np.arange(len(digits)), digits] -= 1
    of_scores /= len(digits)
    of_flat = of_scores @ network.dense.T
    of_second = of_flat.reshape(len(digits), CHANNELS, PIXELS).swapaxes(1, 2) * (1 + 2 * second)
    of_patches = of_second @ network.second.T
    of_first = _gathered(of_patches) * (1 + 2 * first)
    return {
        "dense": _flat(second_active).T @ of_scores,
        "dense_bias": of_scores.sum(axis=0),
        "second": np.einsum("ipk,ipc->kc", _patches(first_active), of_second),
        "second_bias": of_second.sum(axis=(0, 1)),
        "first": np.einsum("ipk,ipc->kc", _patches(pixels[:, :, np.newaxis]), of_first),
        "first_bias": of_first.sum(axis=(0, 1)),
    }


def _gathered(of_patches: Array) -> Array:
    """The transpose of `_patches`."""
    images = len(of_patches)
    channels = of_patches.shape[2] // 9
    parts = of_patches.reshape(images, PIXELS, channels, 9)
    found = np.zeros((images, PIXELS, channels))
    for index in range(9):
        # In one direction every pixel has a neighbour of its own, or none.
        inside = _AROUND[:, index] < PIXELS
        found[:, _AROUND[inside, index]] += parts[..., index][:, inside]
    return found
