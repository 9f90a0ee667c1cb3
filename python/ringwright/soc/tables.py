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

__all__ = ["VALUE_BITS", "WORD_BITS", "Answers", "Tables", "write", "write_answers"]

#: Values of a message are integers, this many bits behind the point (`fw/src/tables.h`).
VALUE_BITS = 30
_FACTOR_BITS = 63
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


@dataclass(frozen=True)
class Answers:
    """A receiver's tables.

    `secret_seed`: 32 bytes that the ternary secret was drawn from. `ciphertexts`: both parts of
    each modulo the first prime, N words, evaluations. `constants`, `word_bits`: as of `Tables`.
    """

    parameters: Parameters
    secret_seed: bytes
    ciphertexts: Sequence[tuple[NDArray[np.uint64], NDArray[np.uint64]]]
    constants: Sequence[Sequence[int]] = ()
    word_bits: int = WORD_BITS


def fixed(values: NDArray[np.float64]) -> NDArray[np.int64]:
    """Values of a message as the firmware has them."""
    return np.rint(values * 2.0**VALUE_BITS).astype(np.int64)


def write(tables: Tables, folder: Path) -> None:
    """Writes sizes.h and tables.c.

    Raises `ParameterError` where the firmware has no way to compute with the parameters.
    """
    log_scale = _log_scale(tables.parameters, tables.level)
    _, seed = native.public_key_words(tables.key)
    if seed is None:
        raise ParameterError("the seed of the public key's uniform half is not known")
    frames = len(tables.messages)
    _write_sizes(folder, tables.parameters, tables.level, frames, tables)
    lines = _client_lines(tables, log_scale, seed)
    (folder / "tables.c").write_text("\n".join(lines) + "\n")


def write_answers(answers: Answers, folder: Path) -> None:
    """Writes sizes.h, tables.c and answers.c; raises as `write` does."""
    parameters = answers.parameters
    log_scale = _log_scale(parameters, 1)
    _write_sizes(folder, parameters, 1, len(answers.ciphertexts), answers)
    lines = _prime_lines(parameters, answers.constants, [None])
    embedding = _embedding_lines(parameters.log_n, log_scale)
    (folder / "tables.c").write_text("\n".join([*lines, *embedding]) + "\n")
    (folder / "answers.c").write_text("\n".join(_answer_lines(answers)) + "\n")


def _log_scale(parameters: Parameters, level: int) -> int:
    """log2 of the scale; refuses what the firmware cannot compute with."""
    primes = parameters.q[:level]
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
    return log_scale


def _write_sizes(
    folder: Path, parameters: Parameters, level: int, frames: int, tables: Tables | Answers
) -> None:
    values = {
        "LOG_N": parameters.log_n,
        "N": parameters.n,
        "TOWERS": level,
        "FRAMES": frames,
        "CONSTANT_WORDS": len(tables.constants[0]) if tables.constants else 1,
        "WORD_BITS": tables.word_bits,
    }
    lines = (f"#define {name} {value}\n" for name, value in values.items())
    (folder / "sizes.h").write_text("".join(lines))


def _prime_lines(
    parameters: Parameters,
    constants: Sequence[Sequence[int]],
    public: Sequence[NDArray[np.uint64] | None],
) -> Iterable[str]:
    """The first primes, each with its part of the public key, if any."""
    primes = parameters.q[: len(public)]
    yield '#include "tables.h"\n'
    for tower, (q, b) in enumerate(zip(primes, public, strict=True)):
        pairs = _with_quotients(_roots(q, parameters.log_n), q)
        name = f"static const uint32_t roots_{tower}[N][2] __attribute__((aligned(8)))"
        yield f"{name} = {{{_pairs(pairs, 'u')}}};"
        if b is not None:
            name = f"static const uint32_t public_b_{tower}[N]"
            yield from _array(name, b.tolist(), "u", 64)
        if constants:
            name = f"static const uint32_t constants_{tower}[CONSTANT_WORDS]"
            yield from _array(name, constants[tower], "u", 64)
    yield "const prime_t primes[TOWERS] = {"
    for tower, (q, b) in enumerate(zip(primes, public, strict=True)):
        read = f"constants_{tower}" if constants else "0"
        key = "0" if b is None else f"public_b_{tower}"
        mask = (1 << q.bit_length()) - 1
        yield f"  {{{q}u, {mask}u, {(1 << 64) // q}ull, roots_{tower}, {read}, {key}}},"
    yield "};"


def _embedding_lines(log_n: int, log_scale: int) -> Iterable[str]:
    yield f"const unsigned log_scale = {log_scale};"
    yield f"const int64_t factors[N / 2][2] = {{{_pairs(_factors(log_n), 'll')}}};"
    order = [_reversed(i, log_n - 1) for i in range(1 << (log_n - 1))]
    yield from _array("const uint16_t bit_reversed[N / 2]", order)


def _client_lines(tables: Tables, log_scale: int, seed: bytes) -> Iterable[str]:
    parameters = tables.parameters
    n = parameters.n
    b, _ = native.public_key_words(tables.key)
    public = list(b.reshape(-1, n)[: tables.level])
    yield from _prime_lines(parameters, tables.constants, public)
    yield from _embedding_lines(parameters.log_n, log_scale)
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


def _answer_lines(answers: Answers) -> Iterable[str]:
    parameters = answers.parameters
    q, n = parameters.q[0], parameters.n
    inverses = [pow(root, -1, q) for root in _roots(q, parameters.log_n)]
    yield '#include "answers.h"\n'
    yield from _array("const uint8_t secret_seed[32]", answers.secret_seed)
    pairs = _pairs(_with_quotients(inverses, q), "u")
    yield f"const uint32_t inverse_roots[N][2] = {{{pairs}}};"
    (degree,) = _with_quotients([pow(n, -1, q)], q)
    yield f"const uint32_t inverse_degree[2] = {{{degree[0]}u, {degree[1]}u}};"
    yield "const uint32_t answers[FRAMES][2][N] __attribute__((aligned(64))) = {"
    for parts in answers.ciphertexts:
        each = ("{" + ", ".join(f"{word}u" for word in part.tolist()) + "}" for part in parts)
        yield "  {" + ", ".join(each) + "},"
    yield "};"


def _with_quotients(roots: Iterable[int], q: int) -> list[tuple[int, int]]:
    """Each with floor(root 2^32 / q), for Shoup's products."""
    return [(root, (root << 32) // q) for root in roots]


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
    """Of the inverse embedding, stage by stage: real and imaginary part, times 2^63."""
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
    most: int = 2**_FACTOR_BITS - 1
    return max(-most, min(most, round(float(value) * 2.0**_FACTOR_BITS)))
