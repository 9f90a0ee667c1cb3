"""Worker processes that `fork` makes, as `multiprocessing` does on Linux."""

from __future__ import annotations

import multiprocessing
import subprocess
import sys

import pytest

FORKED = """
import multiprocessing
import numpy as np
import ringwright as rw

params = rw.ckks.Parameters(
    log_n=9, q_bits=[30] * 3, p_bits=[30], log_scale=26, insecure=True, name="forked"
)
machine = rw.machine("cpu")
client = rw.ckks.Client(params, machine)
square = rw.program(lambda x: x * x)
server = rw.Server(client.keys_for(square), machine)
server.run(square, client.encrypt([1.0]))  # its threads are there before the fork

def squared(value):
    result = server.run(square, client.encrypt([value])).value
    return client.decrypt(result)[0]

with multiprocessing.get_context("fork").Pool(2) as pool:
    values = np.linspace(-1, 1, 6)
    assert np.allclose(pool.map(squared, values), values**2, atol=0.01)
assert abs(squared(0.5) - 0.25) < 0.01
print("computed")
"""

#: Seconds after which a worker is taken to hang; it has a second's work.
HANGING = 300


@pytest.mark.skipif(
    "fork" not in multiprocessing.get_all_start_methods(), reason="this system does not fork"
)
def test_forked_workers_compute_on_threads_of_their_own() -> None:
    run = subprocess.run(
        [sys.executable, "-W", "ignore", "-c", FORKED],
        capture_output=True,
        text=True,
        timeout=HANGING,
    )
    assert (run.returncode, run.stdout) == (0, "computed\n"), run.stderr
