"""`ringwright oracle`: operations with cycles, a skipped machine, clear refusals."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from ringwright.cli.app import run

PROGRAM = """
import ringwright as rw


@rw.program(inputs={"x": rw.ckks.Input(max=0.5)})
def square(x):
    return x * x


other = 7
"""


@pytest.fixture
def program(tmp_path: Path) -> Path:
    path = tmp_path / "application.py"
    path.write_text(PROGRAM)
    return path


def oracle(capsys: pytest.CaptureFixture[str], *options: str) -> tuple[int, str, str]:
    code = run(["oracle", *options])
    captured = capsys.readouterr()
    return code, captured.out, captured.err


def test_a_program_of_a_file(program: Path, capsys: pytest.CaptureFixture[str]) -> None:
    code, out, _ = oracle(capsys, f"{program}:square", "--json")
    assert code == 0
    said = json.loads(out)
    assert said["provenance"] == "simulated"
    assert said["cycles"] == sum(operation["cycles"] for operation in said["operations"])
    assert said["operations"][0]["line"] == "application.py:7"
    table = oracle(capsys, f"{program}:square")[1]
    assert "together" in table
    assert f"{said['cycles']:,}" in table


def test_without_a_program_every_operation_is_listed(capsys: pytest.CaptureFixture[str]) -> None:
    code, out, _ = oracle(capsys, "--json")
    assert code == 0
    rows = json.loads(out)["operations"]
    assert {"add", "mul_relin", "rescale", "rotate 1"} <= {row["op"] for row in rows}


def test_a_ring_module_and_a_machine_that_is_skipped(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    path = tmp_path / "one.ring"
    head = "log_n 12\nprime q0 = 1073692673\nentry main\n"
    body = "ring main(a: poly[q0; coeff]) -> poly[q0; eval] {\n  e = ntt a\n  return e\n}\n"
    path.write_text(head + body)
    code, out, _ = oracle(capsys, str(path), "--json")
    assert (code, len(json.loads(out)["operations"])) == (0, 1)
    code, out, _ = oracle(capsys, str(path), "--machine", "cpu")
    assert code == 0
    assert "skipped: target cpu" in out


def test_what_is_not_there_is_one_line(program: Path, capsys: pytest.CaptureFixture[str]) -> None:
    cases = [
        ([f"{program}:other"], 2, "its programs: square"),
        ([f"{program}"], 2, "FILE.py:NAME"),
        (["nowhere.py:f"], 1, "nowhere.py"),
        (["nowhere.ring"], 1, "nowhere.ring"),
        ([f"{program}:square", "--machine", "abacus"], 2, "abacus"),
    ]
    for options, expected, part in cases:
        code, out, err = oracle(capsys, *options)
        assert (code, out) == (expected, ""), options
        (line,) = err.splitlines()
        assert part in line
