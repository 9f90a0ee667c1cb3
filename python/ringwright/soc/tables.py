"""What a firmware is made for, as C: sizes, primes with their roots, the public key, messages.

All of it lies in read-only memory. The factors of the transform that encodes are those of the
canonical embedding's inverse in the order in which `fw/src/encode.c` uses them.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from ringwright import _ringwright as native
from ringwright.ckks import Parameters, PublicKey
from ringwright.errors import ParameterError

__all__ = ["VALUE_BITS", "WORD_BITS", "Tables", "write"]

#: Values of a message are integers, this many bits behind the point (`fw/src/tables.h`).
VALUE_BITS = 30
_FACTOR_BITS = 62
#: Words and sums of two of them fit 32 bits (`fw/src/ring.c`).
WORD_BITS = 30
_COLUMNS = 8


@dataclass(frozen=True)
class Tables:
    """A client's tables.

    `seeds`: 32 bytes a frame, `messages`: N/2 values in [-1, 1] a frame. `constants`: what the
    accelerator reads of each prime; empty without one. `word_bits`: of the accelerator.
    """

    parameters: Parameters
    level: int
    key: PublicKey
    seeds: Sequence[bytes]
    messages: Sequence[NDArray[np.float64]]
    constants: Sequence[Sequence[int]] = ()
    word_bits: int = WORD_BITS


def fixed(values: NDArray[np.float64]) -> NDArray[np.int64]:
    """Values of a message as the firmware has them."""
    return np.rint(values * 2.0**VALUE_BITS).astype(np.int64)


def write(tables: Tables, folder: Path) -> None:
    """Writes sizes.h and tables.c.

    Raises `ParameterError` where the firmware has no way to compute with the parameters.
    """
    parameters = tables.parameters
    primes = parameters.q[: tables.level]
    wide = [q for q in primes if q.bit_length() > WORD_BITS]
    if wide or parameters.ring != "standard":
        raise ParameterError(
            f"{parameters.name}: the firmware computes in standard rings modulo primes of up to "
            f"{WORD_BITS} bits; given is a {parameters.ring} ring, primes of "
            f"{max(q.bit_length() for q in primes)} bits"
        )
    log_scale = round(float(np.log2(parameters.scale)))
    if 2.0**log_scale != parameters.scale or log_scale > VALUE_BITS:
        raise ParameterError(
            f"{parameters.name}: its scale is {parameters.scale}; allowed are powers of two up to "
            f"2^{VALUE_BITS}"
        )
    _, seed = native.public_key_words(tables.key)
    if seed is None:
        raise ParameterError("the seed of the public key's uniform half is not known")
    (folder / "sizes.h").write_text(_sizes(tables))
    (folder / "tables.c").write_text("\n".join(_lines(tables, primes, log_scale, seed)) + "\n")


def _sizes(tables: Tables) -> str:
    words = len(tables.constants[0]) if tables.constants else 1
    values = {
        "LOG_N": tables.parameters.log_n,
        "N": tables.parameters.n,
        "TOWERS": tables.level,
        "FRAMES": len(tables.messages),
        "CONSTANT_WORDS": words,
        "WORD_BITS": tables.word_bits,
    }
    return "".join(f"#define {name} {value}\n" for name, value in values.items())


def _lines(tables: Tables, primes: list[int], log_scale: int, seed: bytes) -> Iterable[str]:
    parameters = tables.parameters
    n = parameters.n
    yield '#include "tables.h"\n'
    b, _ = native.public_key_words(tables.key)
    rows = b.reshape(-1, n)
    for tower, q in enumerate(primes):
        roots = _roots(q, parameters.log_n)
        pairs = ((root, (root << 32) // q) for root in roots)
        yield f"static const uint32_t roots_{tower}[N][2] = {{{_pairs(pairs, 'u')}}};"
        yield from _array(
            f"static const uint32_t public_b_{tower}[N]", rows[tower].tolist(), "u", 64
        )
        if tables.constants:
            name = f"static const uint32_t constants_{tower}[CONSTANT_WORDS]"
            yield from _array(name, tables.constants[tower], "u", 64)
    yield "const prime_t primes[TOWERS] = {"
    for tower, q in enumerate(primes):
        constants = f"constants_{tower}" if tables.constants else "0"
        mask = (1 << q.bit_length()) - 1
        numbers = f"{q}u, {mask}u, {(1 << 64) // q}ull"
        yield f"  {{{numbers}, roots_{tower}, {constants}, public_b_{tower}}},"
    yield "};"
    yield f"const unsigned log_scale = {log_scale};"
    yield f"const int64_t factors[N / 2][2] = {{{_pairs(_factors(parameters.log_n), 'll')}}};"
    order = [_reversed(i, parameters.log_n - 1) for i in range(n // 2)]
    yield from _array("const uint16_t bit_reversed[N / 2]", order)
    yield from _array("const uint8_t public_seed[32]", seed)
    yield "const uint8_t seeds[FRAMES][32] = {"
    yield from ("  {" + ", ".join(map(str, each)) + "}," for each in tables.seeds)
    yield "};"
    yield "const int32_t messages[FRAMES][N / 2] = {"
    for message in tables.messages:
        values = np.zeros(n // 2)
        values[: len(message)] = message
        yield "  {" + ", ".join(map(str, fixed(values).tolist())) + "},"
    yield "};"


def _array(name: str, values: Iterable[int], suffix: str = "", aligned: int = 0) -> Iterable[str]:
    where = f" __attribute__((aligned({aligned})))" if aligned else ""
    yield f"{name}{where} = {{"
    shown = [f"{value}{suffix}" for value in values]
    for first in range(0, len(shown), _COLUMNS):
        yield "  " + ", ".join(shown[first : first + _COLUMNS]) + ","
    yield "};"


def _pairs(pairs: Iterable[tuple[int, int]], suffix: str) -> str:
    return ", ".join(f"{{{a}{suffix}, {b}{suffix}}}" for a, b in pairs)


def _reversed(number: int, bits: int) -> int:
    return int(f"{number:0{bits}b}"[::-1], 2) if bits else 0


def _roots(q: int, log_n: int) -> list[int]:
    """Powers of psi, the smallest primitive 2N-th root of unity, at bit-reversed exponents."""
    n = 1 << log_n
    psi = _smallest_root(q, 2 * n)
    return [pow(psi, _reversed(i, log_n), q) for i in range(n)]


def _smallest_root(q: int, order: int) -> int:
    """Of all primitive roots of unity of this order, a power of two."""
    exponent = (q - 1) // order
    powers = (pow(g, exponent, q) for g in range(2, q))
    root: int = next(power for power in powers if pow(power, order // 2, q) == q - 1)
    square, least = root * root % q, root
    for _ in range(order // 2 - 1):
        root = root * square % q
        least = min(least, root)
    return least


def _factors(log_n: int) -> Iterable[tuple[int, int]]:
    """Of the inverse embedding, stage by stage: real and imaginary part, times 2^62."""
    n = 1 << log_n
    half = n // 4
    while half:
        # Two halves make a block of `length`; its points are 4 * length-th roots of unity.
        length = 2 * half
        power = 1
        for _ in range(half):
            angle = -2 * np.pi * (power % (4 * length)) / (4 * length)
            yield _scaled(np.cos(angle)), _scaled(np.sin(angle))
            power = power * 5 % (4 * length)
        half //= 2


def _scaled(value: float) -> int:
    return round(float(value) * 2.0**_FACTOR_BITS)
