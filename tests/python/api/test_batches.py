"""Batches behind a link: composed as one run is, and from how many runs on they are worth it."""

from __future__ import annotations

import pytest

import ringwright as rw
from ringwright import _ringwright as native
from ringwright import system
from ringwright.batches import BreakEven, Elsewhere, Session, batch_sizes, break_even
from ringwright.machines import backend

PARAMETERS = rw.ckks.Parameters.preset("8192-6x30")
MACHINE = "rpu-128x128"
HOST = rw.host("blackparrot-published")
PLAIN = rw.ckks.Input(plain=True, length=8)


@rw.program(inputs={"x": rw.ckks.Input(max=0.5), "w": PLAIN})
def weighted(x, w):  # type: ignore[no-untyped-def]
    y = x * x
    return y + x * w


def prepared(machine: str | rw.Machine = MACHINE) -> native.Prepared:
    evaluator = native.Evaluator(PARAMETERS, backend(rw.machine(machine)))
    return evaluator.prepare(weighted.trace(PARAMETERS))


def session(link: str) -> Session:
    made = prepared()
    timing, traffic = made.timing, made.traffic_bytes
    assert timing is not None
    assert traffic is not None
    return Session(MACHINE, HOST, rw.link(link), timing, traffic)


def asked(elsewhere: Elsewhere, batch: rw.Batch, machine: str | rw.Machine = MACHINE) -> BreakEven:
    return break_even(rw.machine(machine), HOST, prepared(machine), elsewhere, batch)


def there(low_fs: int, high_fs: int | None = None) -> Elsewhere:
    return Elsewhere("here", low_fs, high_fs or low_fs)


@pytest.mark.parametrize("link", ["pcie5-x16", "cxl", "axi", "5g-max"])
@pytest.mark.parametrize("in_flight", [1, 2, 3])
def test_a_batch_of_one_is_a_run_with_its_link(link: str, in_flight: int) -> None:
    found = asked(there(10**12), rw.Batch([1], link, in_flight))
    (row,) = found.rows
    over = rw.link(link)
    carried = over.occupied_fs(found.operand_bytes) + over.occupied_fs(found.result_bytes)
    keys = over.occupied_fs(found.keys_bytes)
    assert (found.link_fs, found.keys_fs) == (carried, keys)
    run = rw.oracle(weighted, MACHINE, PARAMETERS).schedule(HOST)
    assert found.device_fs == run.ledger.total_fs
    low, high = run.ends or (run, run)
    assert row.offload_fs == tuple(keys + carried + end.total_fs for end in (low, high))
    # And the ledger of the same stages adds up to it.
    behind = session(link)
    placed = system.schedule([behind.run()], setup=behind.setup())
    assert placed.ledger.total_fs == keys + carried + run.ledger.total_fs
    assert {"keys to the device", "operands to the device", "results from the device"} <= {
        entry.stage for entry in placed.ledger
    }


@pytest.mark.parametrize("in_flight", [1, 2, 4])
def test_a_batch_takes_what_the_schedule_of_all_its_runs_takes(in_flight: int) -> None:
    behind = session("pcie5-x16")
    repeated = behind.repeated(in_flight, None)
    for count in (1, 2, 3, 7, 20):
        jobs = [behind.run() for _ in range(count)]
        placed = system.schedule(jobs, setup=behind.setup(), in_flight=in_flight)
        assert repeated.setup_fs + repeated.jobs_fs(count) == placed.total_fs


def test_transfers_hide_behind_work_only_with_runs_in_flight() -> None:
    alone, two = (asked(there(1), rw.Batch([10_000], "axi", each)) for each in (1, 2))
    slower = max(two.link_fs, two.device_fs)
    (one_by_one,), (overlapped,) = alone.rows, two.rows
    assert one_by_one.offload_each_fs[0] >= alone.link_fs + (two.device_fs * 9) // 10
    assert slower * 0.9 <= overlapped.offload_each_fs[0] < one_by_one.offload_each_fs[0]


def test_keys_are_made_up_for_by_a_batch_of_just_that_size() -> None:
    batch = rw.Batch("1..100:x10", "pcie5-x16")
    (row,) = asked(there(1), rw.Batch([10**9], "pcie5-x16")).rows
    each = row.offload_each_fs[1]
    found = asked(there(each + each // 10, 3 * each), batch)
    earliest, latest = found.first
    assert earliest is not None
    assert latest is not None
    assert 1 < earliest < latest
    for end, first in enumerate(found.first):
        assert first is not None
        before, at = asked(there(1), rw.Batch([first - 1, first], "pcie5-x16")).rows
        elsewhere = (3 * each, each + each // 10)[end]
        assert at.offload_fs[end] <= elsewhere * first
        assert before.offload_fs[end] > elsewhere * (first - 1)
    assert found.words.startswith(f"from {earliest:,} to {latest:,} runs on over pcie5-x16")


def test_never_says_why() -> None:
    slow = asked(there(10**9), rw.Batch([1], "5g-min"))
    assert slow.first == (None, None)
    assert slow.words == "never over 5g-min against here (the link alone takes longer)"
    quick = asked(there(1000), rw.Batch([1], "axi"))
    assert "never over axi" in quick.words
    fast = asked(there(10**9), rw.Batch([1], "axi"))
    between = max(fast.link_fs, fast.device_fs) + 10**6
    together = asked(there(between), rw.Batch([1], "axi", 1))
    assert "link and device take longer together, with 1 in flight" in together.words
    device = asked(there(fast.device_fs // 2), rw.Batch([1], str(huge_link())))
    assert device.words.endswith("(the device alone takes longer)")
    half = asked(there(fast.device_fs // 2, 10**15), rw.Batch([1], "axi"))
    assert "at its slowest; never at its quickest" in half.words


def huge_link() -> str:
    import tempfile
    from pathlib import Path

    path = Path(tempfile.mkdtemp()) / "huge.toml"
    path.write_text(
        'name = "huge"\ntitle = "t"\n[parameters]\n'
        'bits_per_second = { value = 1_000_000_000_000_000, source = "test" }\n'
        'latency_ns = { value = 0, source = "test" }\nsetup_ns = { value = 0, source = "test" }\n'
    )
    return str(path)


def test_plain_arguments_cross_with_every_run_and_constants_once() -> None:
    traffic = prepared().traffic_bytes
    assert traffic is not None
    assert traffic["plain"] > 0
    found = asked(there(1), rw.Batch([1], "axi"))
    assert found.operand_bytes == traffic["ciphertexts"] + traffic["plain"]
    assert found.keys_bytes == traffic["keys"] + traffic["constants"]


def test_what_does_not_fit_the_devices_memory_is_skipped() -> None:
    needs = asked(there(1), rw.Batch([1], "axi", 1))
    room = needs.keys_bytes + needs.operand_bytes + needs.result_bytes
    small = rw.machine(MACHINE).with_values("small", memory_bytes=room)
    assert asked(there(1), rw.Batch([1], "axi", 1), small).skipped is None
    found = asked(there(1), rw.Batch([1], "axi", 2), small)
    assert found.skipped is not None
    assert f"it has {room:,}" in found.skipped
    assert found.to_dict()["skipped"] == found.skipped


def test_a_machine_that_is_measured_needs_no_link() -> None:
    found = asked(there(1), rw.Batch([1], "axi"), "cpu-1")
    assert found.words == "skipped: cpu-1 is measured here and needs no link"


def test_sizes_are_those_of_the_text() -> None:
    assert batch_sizes("1..1000:x10") == (1, 10, 100, 1000)
    assert batch_sizes("3..20:x2") == (3, 6, 12)
    assert batch_sizes("5..5:x7") == (5,)
    assert rw.Batch("1..8:x2", "axi").counts == (1, 2, 4, 8)
    assert rw.Batch([4, 2], "axi").counts == (4, 2)


@pytest.mark.parametrize(
    "text",
    ["", "10", "1..10", "1..10:10", "0..10:x2", "10..1:x2", "1..10:x1", "1..10:x0", "-1..2:x2",
     "1..10000000000000:x2", "1..99999999999999999999999:x2", "a..b:xc", "1..10:x2:x3"],
)  # fmt: skip
def test_a_wrong_range_names_what_is_allowed(text: str) -> None:
    with pytest.raises(rw.ParameterError, match=r"given; allowed: LOW\.\.HIGH:xFACTOR"):
        rw.Batch(text, "axi")


def test_wrong_batches_are_refused() -> None:
    with pytest.raises(rw.ParameterError, match="0 in flight given; allowed: 1 or more"):
        rw.Batch([1], "axi", 0)
    for sizes in ([], [0], [10**13]):
        with pytest.raises(rw.ParameterError, match="allowed: 1 to"):
            rw.Batch(sizes, "axi")
    with pytest.raises(rw.MachineError, match="none-such"):
        rw.compare(weighted, ["cpu-1", MACHINE], PARAMETERS, batch=rw.Batch([1], "none-such"))
    with pytest.raises(rw.ParameterError, match=f"a batch on {MACHINE}: all of them are simulated"):
        rw.compare(weighted, [MACHINE], PARAMETERS, batch=rw.Batch([1], "axi"))
