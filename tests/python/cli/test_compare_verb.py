"""`ringwright compare`: one program on several machines, measured and simulated."""

from __future__ import annotations

import json

import pytest

import ringwright as rw
from ringwright.cli.app import run

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
    params = rw.ckks.Parameters.preset(PARAMETERS)
    for record in simulated:
        assert "simulated" in record["provenance"]
        assert record["bytes_moved"] > params.n * 4
        # The host's registers and interrupts come on top of the device's cycles.
        said = rw.machine(record["machine"]).values["clock_fs"]
        assert record["time_fs"] >= record["cycles"] * int(said)


def test_the_table_names_what_is_waited_for(
    program: str, capsys: pytest.CaptureFixture[str]
) -> None:
    assert run(["compare", program, *asked("rpu-128x128"), "--params", PARAMETERS]) == 0
    out = capsys.readouterr().out
    assert "weighted with 8192-6x30" in out
    assert "of the time is spent waiting for rpu-128x128" in out


def test_what_is_wrong_is_one_line(program: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert run(["compare", "module.ring"]) == 2
    assert "allowed: FILE.py:NAME" in capsys.readouterr().err
    assert run(["compare", program, *asked("none-such")]) == 2
    assert "none-such" in capsys.readouterr().err
    with pytest.raises(rw.ParameterError, match="one or more"):
        rw.compare(rw.program(lambda x: x + x), [], rw.ckks.Parameters.preset("4096-2x30"))
