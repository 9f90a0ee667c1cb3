"""`ringwright compare`: one program on several machines, measured and simulated."""

from __future__ import annotations

import json
from html import escape
from pathlib import Path

import pytest

import ringwright as rw
from ringwright.cli.app import run
from ringwright.ledger import duration_text

PROGRAM = """
import ringwright as rw


@rw.program(inputs={"x": rw.ckks.Input(max=0.5), "w": rw.ckks.Input(plain=True, length=8)})
def weighted(x, w):
    y = x * x
    return y + x * w
"""
MACHINES = ["cpu-1", "rpu-128x128", "trebuchet-v2"]
PARAMETERS = "8192-6x30"


@pytest.fixture(scope="module")
def program(tmp_path_factory: pytest.TempPathFactory) -> str:
    path = tmp_path_factory.mktemp("compare") / "application.py"
    path.write_text(PROGRAM)
    return f"{path}:weighted"


def asked(*machines: str) -> list[str]:
    return [option for machine in machines for option in ("--machine", machine)]


def test_every_record_adds_up(program: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert run(["compare", program, *asked(*MACHINES), "--params", PARAMETERS, "--json"]) == 0
    records = json.loads(capsys.readouterr().out)
    assert [record["machine"] for record in records] == MACHINES
    for record in records:
        assert record["time_fs"] == record["kernel_fs"] + record["tax_fs"] > 0
        assert any(unit in record["bottleneck"] for unit in record["busy"])
        assert record["costliest_line"] == "application.py:7"
        assert all(busy > 0 for busy in record["busy"].values())
    measured, *simulated = records
    assert measured["provenance"] == "measured"
    assert measured["cycles"] is None
    assert measured["bytes_moved"] is None
    assert measured["time_fs"] == min(measured["runs_fs"])
    assert measured["energy_uj"] is None
    assert "not simulated" in measured["roofline"]["skipped"]
    params = rw.ckks.Parameters.preset(PARAMETERS)
    for record in simulated:
        assert "simulated" in record["provenance"]
        assert record["bytes_moved"] > params.n * 4
        energy = record["energy_uj"]
        assert 0 < energy["low"] < energy["expected"] < energy["high"]
        assert 0 < record["bound_cycles"] <= record["cycles"]
        assert record["roofline"]["attained"] <= record["roofline"]["allowed"] * (1 + 1e-9)
        assert record["roofline"]["bytes_moved"] == record["bytes_moved"]
        # The host's registers and interrupts come on top of the device's cycles.
        said = rw.machine(record["machine"]).values["clock_fs"]
        assert record["time_fs"] >= record["cycles"] * int(said)


REFRESHING = """
import ringwright as rw

bits = [55, 45, 45, *[48] * 2, *[55] * 10]
params = rw.ckks.Parameters(log_n=8, q_bits=bits, p_bits=[60], log_scale=45, insecure=True)
made_of = rw.ckks.Bootstrapping(to_coefficients=2, to_slots=2, log_ratio=8, arcsine=1)


@rw.program(inputs={"x": rw.ckks.Input(level=1)})
def refreshed(x):
    return x.bootstrap(made_of)
"""


def test_a_bootstrapping_stands_beside_published_ones(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    path = tmp_path / "refreshing.py"
    path.write_text(REFRESHING)
    both = ["compare", f"{path}:refreshed", "--params", f"{path}:params"]
    assert run([*both, *asked("rpu-128x128"), "--json"]) == 0
    (record,) = json.loads(capsys.readouterr().out)
    found = record["amortised"]
    clock_fs = int(rw.machine("rpu-128x128").values["clock_fs"])
    assert found["bootstrap_fs"] == record["cycles"] * clock_fs
    # Levels 3 and 2 have a product each, the lower one is less work.
    high, low = found["product_fs"]
    assert found["bootstrap_fs"] > high > low > 0
    assert found["levels"] == 2
    each = (found["bootstrap_fs"] + high + low) / 2 / 128
    assert found["slot_level_fs"] == pytest.approx(each)
    assert run([*both, *asked("rpu-128x128")]) == 0
    table = capsys.readouterr().out
    assert "SHARP" in table
    assert "published" in table


def test_the_table_names_what_is_waited_for(
    program: str, capsys: pytest.CaptureFixture[str]
) -> None:
    assert run(["compare", program, *asked("rpu-128x128"), "--params", PARAMETERS]) == 0
    out = capsys.readouterr().out
    assert "weighted with 8192-6x30" in out
    assert "of the time is spent waiting for rpu-128x128" in out


def test_the_table_of_batches_says_from_where_on(
    program: str, capsys: pytest.CaptureFixture[str]
) -> None:
    both = ["compare", program, *asked("cpu-1", "rpu-128x128"), "--params", PARAMETERS]
    batches = ["--batch", "1..100:x10", "--link", "pcie5-x16"]
    assert run([*both, *batches]) == 0
    out = capsys.readouterr().out
    assert "rpu-128x128 behind pcie5-x16" in out
    assert "Break-even of rpu-128x128: from" in out
    assert "memory-bound: " in out
    assert run([*both, *batches, "--in-flight", "1", "--json"]) == 0
    measured, simulated = json.loads(capsys.readouterr().out)
    assert measured["break_even"] is None
    found = simulated["break_even"]
    assert (found["in_flight"], found["against"]) == (1, "cpu-1")
    assert [row["count"] for row in found["batches"]] == [1, 10, 100]
    each = found["link_fs"] + found["device_fs"]
    for row in found["batches"]:
        low, high = row["offload_fs"]
        assert low <= found["keys_fs"] + row["count"] * each <= high
        quick, slow = (
            end * row["count"] for end in (min(measured["runs_fs"]), max(measured["runs_fs"]))
        )
        assert row["elsewhere_fs"] == [quick, slow]
        assert row["ratio"] == pytest.approx([quick / high, slow / low])


def test_the_report_says_what_the_numbers_say(
    program: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    out = tmp_path / "out"
    both = ["compare", program, *asked("cpu-1", "rpu-128x128"), "--params", PARAMETERS]
    asked_for = ["--batch", "1..100:x10", "--link", "5g-min", "--out", str(out), "--json"]
    assert run([*both, *asked_for]) == 0
    printed = json.loads(capsys.readouterr().out)
    names = {"report.html", "results.json", "cpu-1.perfetto-trace", "rpu-128x128.perfetto-trace"}
    assert {path.name for path in out.iterdir()} == names
    saved = json.loads((out / "results.json").read_text())
    assert saved["machines"] == printed
    page = (out / "report.html").read_text()
    assert "<script" not in page
    assert "://" not in page.replace("http://www.w3.org", "")
    for record in printed:
        assert duration_text(record["time_fs"]).replace("us", "\u00b5s") in page
        assert f"<h2>{record['machine']}</h2>" in page
        assert record["costliest_line"] in page
    simulated = printed[1]
    assert escape(simulated["roofline"]["words"]) in page
    assert escape(simulated["break_even"]["words"]) in page
    assert "<polyline class='roof" in page
    assert page.count("<circle class='point") == 1
    assert f"{simulated['cycles']:,}" in page
    assert len((out / "rpu-128x128.perfetto-trace").read_bytes()) > 1000


def test_half_a_question_is_refused(program: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert run(["compare", program, "--batch", "1..10:x10"]) == 2
    assert "--batch given without --link" in capsys.readouterr().err
    assert run(["compare", program, "--link", "axi"]) == 2
    assert "--link given without --batch" in capsys.readouterr().err
    assert run(["compare", program, "--batch", "1-10", "--link", "axi"]) == 2
    assert "allowed: LOW..HIGH:xFACTOR" in capsys.readouterr().err
    only = ["compare", program, *asked("rpu-128x128"), "--batch", "1..10:x10", "--link", "axi"]
    assert run(only) == 2
    assert "allowed: at least one machine that is measured" in capsys.readouterr().err
    twice = [*asked("rpu-128x128", "rpu-128x128"), "--params", PARAMETERS, "--out", "unwritten"]
    assert run(["compare", program, *twice]) == 2
    assert "two machines called rpu-128x128" in capsys.readouterr().err


def test_what_is_wrong_is_one_line(program: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert run(["compare", "module.ring"]) == 2
    assert "allowed: FILE.py:NAME" in capsys.readouterr().err
    assert run(["compare", program, *asked("none-such")]) == 2
    assert "none-such" in capsys.readouterr().err
    with pytest.raises(rw.ParameterError, match="one or more"):
        rw.compare(rw.program(lambda x: x + x), [], rw.ckks.Parameters.preset("4096-2x30"))
