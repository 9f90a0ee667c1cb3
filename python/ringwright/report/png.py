"""Grey pictures as PNG data URIs, without an imaging library.

PNG (Third Edition, W3C 2025): signature, IHDR, one zlib-compressed IDAT, IEND; 8-bit greyscale,
filter type 0 on every row.
"""

from __future__ import annotations

import base64
import struct
import zlib

import numpy as np
from numpy.typing import NDArray

_SIGNATURE = b"\x89PNG\r\n\x1a\n"
_GREY_8_BIT = (8, 0, 0, 0, 0)


def data_uri(grey: NDArray[np.uint8]) -> str:
    """The picture of shape (height, width) as a `data:` URI."""
    return "data:image/png;base64," + base64.b64encode(encode(grey)).decode("ascii")


def encode(grey: NDArray[np.uint8]) -> bytes:
    """The picture of shape (height, width) as a PNG file."""
    height, width = grey.shape
    rows = np.zeros((height, width + 1), dtype=np.uint8)
    rows[:, 1:] = grey
    header = struct.pack(">II5B", width, height, *_GREY_8_BIT)
    return (
        _SIGNATURE
        + _chunk(b"IHDR", header)
        + _chunk(b"IDAT", zlib.compress(rows.tobytes(), 9))
        + _chunk(b"IEND", b"")
    )


def to_8_bits(picture: NDArray[np.float64]) -> NDArray[np.uint8]:
    """Values in [0, 1] rounded to 0 .. 255; what lies outside is clipped."""
    return np.rint(np.clip(picture, 0.0, 1.0) * 255).astype(np.uint8)


def _chunk(kind: bytes, data: bytes) -> bytes:
    checksum = zlib.crc32(kind + data)
    return struct.pack(">I", len(data)) + kind + data + struct.pack(">I", checksum)
