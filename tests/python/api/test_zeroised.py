"""A secret key's words, sought in the memory of the process that had them.

The process that looks knows the key from its file; the one that is looked at never holds what is
sought but in the key. While the client lives its words must be found, or the search would prove
nothing; afterwards none may be left. Memory is never given back there (`KEEPING`): else what was
left behind would mostly be overwritten before anybody looks.
"""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest
from numpy.typing import NDArray

import ringwright as rw

LOG_N = 10
Q_BITS = [30, 30, 30]
#: Words in a row that make a pattern: by chance nothing in memory is alike.
WORDS = 4
COEFFICIENTS = 64

#: In front of the C library: what is freed stays as it is.
KEEPING = """
#include <malloc.h>
#include <stddef.h>
#include <string.h>
void free(void *old) { (void)old; }
void *realloc(void *old, size_t bytes) {
    void *moved = malloc(bytes);
    size_t held = old ? malloc_usable_size(old) : 0;
    if (moved && old) memcpy(moved, old, held < bytes ? held : bytes);
    return moved;
}
"""

HOLDER = f"""
import gc, sys
import numpy as np
import ringwright as rw

def phase(name):
    print(name, flush=True)
    sys.stdin.readline()

@rw.program
def used(x):
    return (x * x).sum(4) + x.conjugate()

params = rw.ckks.Parameters(
    log_n={LOG_N}, q_bits={Q_BITS}, p_bits=[30], log_scale=26, insecure=True, name="held"
)
machine, path = sys.argv[1:]
client = rw.ckks.Client(params, machine)
client.secret_key.save(path)
again = rw.ckks.Client.load(params, path, machine)
keys = client.keys_for(used)
result = rw.Server(keys).run(used, client.encrypt(np.ones(params.slots))).value
assert abs(again.decrypt(result)[0] - 5) < 0.1
phase("alive")
del client, again
gc.collect()
phase("gone")
"""


@pytest.mark.parametrize("machine", ["cpu", "rise-4bfu"])
def test_nothing_is_left_of_a_secret_key(machine: str, tmp_path: Path) -> None:
    path = tmp_path / "secret.key"
    holder = subprocess.Popen(
        [sys.executable, "-c", HOLDER, machine, str(path)],
        env=os.environ | {"LD_PRELOAD": str(keeping(tmp_path))},
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        text=True,
    )
    with holder:
        assert holder.stdin is not None
        assert holder.stdout is not None
        assert holder.stdout.readline() == "alive\n"
        patterns = _patterns(path)
        assert _found(holder.pid, patterns) == set(patterns)
        holder.stdin.write("\n")
        holder.stdin.flush()
        assert holder.stdout.readline() == "gone\n"
        assert _found(holder.pid, patterns) == set()
        holder.stdin.close()
    assert holder.returncode == 0


def keeping(folder: Path) -> Path:
    source, library = folder / "keeping.c", folder / "keeping.so"
    source.write_text(KEEPING)
    subprocess.run(["cc", "-O1", "-shared", "-fPIC", "-o", library, source], check=True)
    return library


def _patterns(path: Path) -> dict[str, list[bytes]]:
    """What the key looks like: ternary bytes, and words of its evaluation form in both widths."""
    params = rw.ckks.Parameters(
        log_n=LOG_N, q_bits=Q_BITS, p_bits=[30], log_scale=26, insecure=True, name="held"
    )
    ternary = _ternary(path, params.n)
    patterns = {"ternary": [ternary[:COEFFICIENTS].astype(np.int8).tobytes()]}
    for prime in [*params.q, *params.p]:
        words = [_evaluation(ternary, prime, index) for index in range(WORDS)]
        widths = (np.uint32, np.uint64)
        patterns[f"mod {prime}"] = [np.array(words, width).tobytes() for width in widths]
    return patterns


def _ternary(path: Path, n: int) -> NDArray[np.int64]:
    """Two bits a coefficient before the checksum of 8 bytes; the value and 1."""
    packed = np.frombuffer(path.read_bytes()[-8 - n // 4 : -8], np.uint8)
    coefficients = np.stack([(packed >> shift) & 3 for shift in (0, 2, 4, 6)], axis=1)
    ternary: NDArray[np.int64] = coefficients.ravel().astype(np.int64) - 1
    assert set(ternary) == {-1, 0, 1}
    return ternary


def _evaluation(ternary: NDArray[np.int64], prime: int, index: int) -> int:
    """The value at an odd power of the smallest primitive 2N-th root, in bit-reversed order."""
    n = len(ternary)
    generators = (pow(base, (prime - 1) // (2 * n), prime) for base in range(2, prime))
    root = next(root for root in generators if pow(root, n, prime) == prime - 1)
    smallest = min(pow(root, odd, prime) for odd in range(1, 2 * n, 2))
    reversed_index = int(format(index, f"0{LOG_N}b")[::-1], 2)
    point, value = pow(smallest, 2 * reversed_index + 1, prime), 0
    for coefficient in ternary[::-1]:
        value = (value * point + int(coefficient)) % prime
    return value


def _found(process: int, patterns: dict[str, list[bytes]]) -> set[str]:
    """The names of the patterns of which a form stands in a process's memory."""
    found = set()
    try:
        maps = Path(f"/proc/{process}/maps").read_text().splitlines()
        memory = open(f"/proc/{process}/mem", "rb", 0)  # noqa: SIM115
    except OSError as error:
        pytest.skip(f"memory of another process cannot be read here: {error}")
    with memory:
        for area in maps:
            # Of the kernel's own pages ([vvar], [vsyscall]) not every one can be read.
            if "r" not in area.split()[1] or "[v" in area:
                continue
            start, end = (int(bound, 16) for bound in area.split()[0].split("-"))
            memory.seek(start)
            content = memory.read(end - start)
            for name, forms in patterns.items():
                if any(form in content for form in forms):
                    found.add(name)
    return found
