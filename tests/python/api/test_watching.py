"""What long work says of itself."""

from __future__ import annotations

import numpy as np
import pytest

import ringwright as rw

PARAMETERS = rw.ckks.Parameters(
    log_n=12, q_bits=[55, *[45] * 12], p_bits=[60] * 3, log_scale=45, insecure=True
)


@rw.program
def powers(x):
    return sum(x.rotate(step) ** 64 for step in range(1, 30))


@pytest.fixture(scope="module")
def client() -> rw.ckks.Client:
    return rw.ckks.Client(PARAMETERS)


def test_runs_and_keys_say_how_far_they_are(client: rw.ckks.Client) -> None:
    of_keys: list[float | None] = []
    of_run: list[float | None] = []
    with rw.watching(of_keys.append):
        keys = client.keys_for(powers)
        server = rw.Server(keys, "cpu-1")
        x = client.encrypt(np.full(PARAMETERS.slots, 0.5))
        with rw.watching(of_run.append):
            prepared = server.prepare(powers, x)
            assert prepared
            of_run.clear()
            run = server.run(powers, x)
        told = len(of_keys)
        server.run(powers, x)
        assert len(of_keys) > told
    told = len(of_keys)
    server.run(powers, x)
    assert len(of_keys) == told, "nobody is told any more"
    assert abs(client.decrypt(run.value) - powers.plain(np.full(4, 0.5))[0]).max() < 1e-3
    shares = [share for share in of_run if share is not None]
    assert shares == sorted(shares)
    assert len(set(shares)) > 1
    assert 0 <= shares[0] < shares[-1] <= 1


def test_what_a_watcher_raises_stops_the_work(client: rw.ckks.Client) -> None:
    class EnoughError(Exception):
        pass

    def stop(share: float | None) -> None:
        raise EnoughError

    server = rw.Server(client.keys_for(powers))
    x = client.encrypt(np.full(PARAMETERS.slots, 0.5))
    server.prepare(powers, x)
    with rw.watching(stop), pytest.raises(EnoughError):
        server.run(powers, x)
    assert abs(client.decrypt(server.run(powers, x).value)).max() < 1e-3
