"""The papers' packing rule, which is not ours and exists only here.

Dissertation, section 1.1.2: a ciphertext carries N/2 · log q bits of 8-bit grey pixels, whatever
the scale and the precision that CKKS leaves; a frame takes whole ciphertexts. RACE's link frame
rates fit fractions of ciphertexts.
"""

from __future__ import annotations

from math import ceil

from ringwright.errors import ParameterError
from ringwright.reproduce.workload import ParameterSet

#: Width, height; QVGA's is not printed and taken as four times QQVGA.
FRAMES = {"qqvga": (160, 120), "qvga": (320, 240)}
_BITS_PER_PIXEL = 8
_PRIME_BITS = 30


def ciphertexts(frame: str, chosen: ParameterSet, *, whole: bool = True) -> float:
    """Ciphertexts of a frame by the published rule."""
    if frame not in FRAMES:
        raise ParameterError(f"no frame is called {frame!r}; known: {', '.join(FRAMES)}")
    width, height = FRAMES[frame]
    bits = min(_PRIME_BITS, chosen.log_q)
    share = width * height * _BITS_PER_PIXEL / (chosen.n // 2 * bits)
    return ceil(share) if whole else share


def encrypted_bits(frame: str, chosen: ParameterSet, *, whole: bool = True) -> float:
    """Bits of an encrypted frame: two polynomials of log Q bits for each ciphertext."""
    return 2 * chosen.n * chosen.log_q * ciphertexts(frame, chosen, whole=whole)


def fps_published_rule(frame: str, chosen: ParameterSet, seconds: float) -> float:
    """Frames a second when one ciphertext follows another and each takes this long."""
    return 1 / (ciphertexts(frame, chosen) * seconds)
