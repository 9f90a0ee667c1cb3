"""The processor side of a speed-up, measured here, on one thread.

Words of 64 bits: our own CPU target, machine `cpu-1`, modulo a prime of 60 bits. Words of 128 bits:
the transform in C that `ringwright ntt --c` writes, compiled by the C compiler at hand, modulo a
prime of 127 bits. What is not installed is skipped by name.
"""

from __future__ import annotations

import ctypes
import shutil
import subprocess
import tempfile
import time
from collections.abc import Callable
from functools import cache
from importlib import metadata
from pathlib import Path

from ringwright import _ringwright as native
from ringwright.errors import MachineError
from ringwright.machines import backend as made_ready
from ringwright.machines import machine
from ringwright.reproduce import inputs
from ringwright.reproduce.tile import module

COMPILERS = ("gcc", "clang", "cc")
#: 1 modulo 2^17, of 127 bits.
WIDE_PRIME = 170141183460469231731687303715876110337
_ROUNDS = 7
#: A program takes long, and its operations even out.
_PROGRAM_ROUNDS = 2
_NAME = "transform"


def seconds(operation: str, n: int, word_bits: int) -> float:
    """The quickest of some runs, for what else the computer does only adds.

    Raises `MachineError` where nothing here can run it.
    """
    inputs.result(f"processor here: {operation}, N = {n}, {word_bits} bit")
    inputs.own("the processor at hand")
    return _seconds(operation, n, word_bits)


def program_seconds(program: native.HeProgram) -> float:
    """The same of a traced program, on words drawn at random."""
    inputs.result(f"processor here: {program.name}")
    inputs.own("the processor at hand")
    backend = made_ready(machine("cpu-1"))
    kernel = native.lower(backend, native.Module.expanded(program, backend))
    return min(kernel.measure(_PROGRAM_ROUNDS)) / 1e15


@cache
def _seconds(operation: str, n: int, word_bits: int) -> float:
    if word_bits == 128:
        if operation != "ntt":
            raise MachineError(f"{operation} of 128-bit words: nothing here computes it")
        return min(_in_c(n))
    program = native.Module.parse(module(operation, n))
    kernel = native.lower(made_ready(machine("cpu-1")), program)
    return min(kernel.measure(_ROUNDS)) / 1e15


def openfhe() -> float:
    """OpenFHE's transform; always raises `MachineError` with the reason."""
    try:
        version = metadata.version("openfhe")
    except metadata.PackageNotFoundError:
        raise MachineError("OpenFHE is not installed here") from None
    raise MachineError(
        f"OpenFHE {version} is installed, but its Python package has no transform that can be timed"
    )


def _in_c(n: int) -> list[float]:
    with tempfile.TemporaryDirectory() as folder:
        library, sizes = _compiled(n, Path(folder))
    made = [(ctypes.c_uint64 * (2 * size))() for size in sizes]
    words, scratch, table = made
    # An unsigned __int128 comes first, so that it is passed as its halves are.
    halves = (WIDE_PRIME & (1 << 64) - 1, WIDE_PRIME >> 64)
    if library.transform_table(*map(ctypes.c_uint64, halves), table):
        raise MachineError(f"the C transform refuses the prime {WIDE_PRIME}")
    for index in range(n):
        words[2 * index] = index
    return [_timed(lambda: library.transform(words, scratch, table)) for _ in range(_ROUNDS + 1)][
        1:
    ]


def _compiled(n: int, folder: Path) -> tuple[ctypes.CDLL, list[int]]:
    """The library, and how many words it takes of operands, scratch and table."""
    found = [path for path in map(shutil.which, COMPILERS) if path]
    if not found:
        raise MachineError(f"no C compiler here; looked for {', '.join(COMPILERS)}")
    source, library = folder / "transform.c", folder / "transform.so"
    text = native.transform_in_c(n.bit_length() - 1, _NAME)
    source.write_text(text, encoding="utf-8")
    command = [found[0], "-std=c11", "-O3", "-shared", "-fPIC", "-o", str(library), str(source)]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    if done.returncode:
        raise MachineError(f"{found[0]} does not compile the C transform: {done.stderr.strip()}")
    defined = dict(
        line.split()[1:3] for line in text.splitlines() if line.startswith(f"#define {_NAME}_")
    )
    sizes = [int(defined[f"{_NAME}_{what}"]) for what in ("WORDS", "SCRATCH", "TABLE")]
    return ctypes.CDLL(str(library)), sizes


def _timed(run: Callable[[], object]) -> float:
    started = time.perf_counter()
    run()
    return time.perf_counter() - started
