"""Several devices, hosts and links in one workload."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

import ringwright as rw
from ringwright.machines import backend as made_ready

PARAMS = rw.ckks.Parameters.preset("4096-2x30")
TWO = "camera-5g-2rpu"
BOTH = """
name = "both"
title = "a processor and an RPU"
[hosts]
controller = "blackparrot-published"
[links]
port = "pcie3-x16"
[devices.processor]
machine = "cpu"
[devices.rpu]
machine = "rpu-128x128"
host = "controller"
link = "port"
[work]
client = "processor"
network = "port"
server = ["processor", "rpu"]
"""


@rw.program(inputs={"x": rw.ckks.Input(max=0.5), "y": rw.ckks.Input(max=0.5)})
def product(x, y):  # type: ignore[no-untyped-def]
    return x * y


@pytest.fixture(scope="module")
def alice() -> rw.ckks.Client:
    return rw.ckks.Client(PARAMS)


def requests(alice: rw.ckks.Client, count: int) -> list[list[rw.ckks.Ciphertext]]:
    half = product.inputs[0]
    return [[alice.encrypt([0.5, each / 8], half) for each in (i, 1)] for i in range(count)]


def spans(dealt: rw.Dealt, track: str) -> list[tuple[int, int]]:
    return [(s.start_fs, s.end_fs) for s in dealt.timeline if s.track == track]


def test_two_rpus_work_at_once_and_the_ledger_adds_up(alice: rw.ckks.Client, tmp_path) -> None:  # type: ignore[no-untyped-def]
    # Over a network that is no slower than they are; 5G brings one request after the other.
    shipped = Path(__file__).parents[3] / "systems" / f"{TWO}.toml"
    path = tmp_path / "near.toml"
    # A driver's set-up for each request would be longer than a request's work: AXI4 at its widest.
    wide = tmp_path / "wide.toml"
    axi = (shipped.parents[1] / "machines" / "links" / "axi.toml").read_text()
    wide.write_text(axi.replace("value = 128_000_000_000", "value = 1_024_000_000_000"))
    near = shipped.read_text().replace('radio = "5g-max"', f'radio = "{wide}"')
    path.write_text(near)
    server = rw.SystemServer(alice.keys_for(product), str(path))
    backend = made_ready(rw.machine("rpu-128x128"))
    before = backend.lowered
    dealt = server.deal(product, requests(alice, 4))
    assert backend.lowered - before <= 1
    for index, value in enumerate(dealt.values):
        assert alice.decrypt(value)[:2] == pytest.approx([0.25, index / 64], abs=1e-3)
    ledger, schedule = dealt.ledger, dealt.schedule
    assert sum(entry.exposed_fs for entry in ledger) == schedule.total_fs
    first, second = (spans(dealt, f"rpu-{index} core") for index in (0, 1))
    overlapping = [(a, b) for a in first for b in second if a[0] < b[1] and b[0] < a[1]]
    assert overlapping
    # Each device works on its half, and on one request at a time.
    busy = {r.name: time for r, time, _ in schedule.loads()}
    alone = dealt.runs[0].ledger
    core = sum(e.busy_fs for e in alone if e.resource == "rpu-128x128 core")
    assert busy["rpu-0 core"] == busy["rpu-1 core"] == 2 * core
    for each in (first, second):
        assert all(a[1] <= b[0] for a, b in zip(sorted(each), sorted(each)[1:], strict=False))
    # Everything over one device takes longer than over two, by what the second took over.
    (one,) = {request.run.timing for request in dealt.requests[:1]}
    assert one is not None
    jobs = [dealt._job(dealt.requests[0]) for _ in dealt.requests]
    lonely = rw.system.schedule(jobs, setup=dealt._setup(), in_flight=len(jobs))
    assert lonely.total_fs > schedule.total_fs


def test_a_processor_and_a_simulated_device_serve_together(
    alice: rw.ckks.Client, tmp_path, capsys
) -> None:  # type: ignore[no-untyped-def]
    path = tmp_path / "both.toml"
    path.write_text(BOTH)
    server = rw.SystemServer(alice.keys_for(product), str(path))
    dealt = server.deal(product, requests(alice, 2))
    assert np.allclose([alice.decrypt(value)[1] for value in dealt.values], [0, 1 / 64], atol=1e-3)
    assert [run.timing is None for run in dealt.runs] == [True, False]
    names = {resource.name: resource.part_of for resource in dealt.schedule.resources}
    assert names["processor"] is None
    assert names["rpu link"] == names["rpu core"] == names["rpu controller"] == "rpu"
    assert sum(entry.exposed_fs for entry in dealt.ledger) == dealt.schedule.total_fs
    # The operands are those of a server's run: two ciphertexts of two parts under two primes.
    (operands,) = (e for e in dealt.ledger if e.stage == "operands to the device")
    width = made_ready(rw.machine("rpu-128x128")).bytes_per_word
    assert width is not None
    link = rw.link("pcie3-x16")
    assert operands.busy_fs == link.occupied_fs(2 * 2 * 2 * PARAMS.n * width)


def test_a_simulated_device_without_host_is_refused(alice: rw.ckks.Client, tmp_path) -> None:  # type: ignore[no-untyped-def]
    path = tmp_path / "bare.toml"
    path.write_text(BOTH.replace('host = "controller"\n', ""))
    with pytest.raises(rw.MachineError, match=r"devices\.rpu.*needs a host"):
        rw.SystemServer(alice.keys_for(product), str(path))
    path.write_text(BOTH.replace('server = ["processor", "rpu"]', 'server = ["gpu"]'))
    with pytest.raises(rw.MachineError, match=r"`work\.server`.*processor, rpu"):
        rw.System.load(str(path))


def test_what_ships_is_listed_and_loads() -> None:
    assert [system.name for system in rw.systems()] == [TWO, "camera-rise-cpu"]
    two = rw.System.load(TWO)
    assert [device.name for device in two.server] == ["rpu-0", "rpu-1"]
    assert two.client.machine == rw.machine("rise-32bfu")
    assert two.network.name == "5g-max"
    with pytest.raises(rw.MachineError, match="camera-5g-2rpu"):
        rw.System.load("camera-5g-2rpus")
