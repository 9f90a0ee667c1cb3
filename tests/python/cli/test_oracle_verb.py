"""`ringwright oracle`: operations with cycles, a skipped machine, clear refusals."""

from __future__ import annotations

import json
import sys
from pathlib import Path

import pytest

import ringwright as rw
from ringwright.cli.app import run
from ringwright.program import Program

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
    assert said["provenance"] == "simulated + modelled"
    assert {operation["provenance"] for operation in said["operations"]} == {said["provenance"]}
    assert said["cycles"] == sum(row["exposed_cycles"] for row in said["operations"])
    assert said["operations"][0]["line"] == "application.py:7"
    energy = said["energy_uj"]
    assert energy["low"] < energy["expected"] < energy["high"]
    units = sum(unit["expected"] for unit in energy["units"].values())
    assert units == pytest.approx(energy["expected"])
    table = oracle(capsys, f"{program}:square")[1]
    assert "together" in table
    assert "energy: " in table
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
        ([f"{program}:other"], 2, "no Program 'other'; its own: square"),
        ([f"{program}"], 2, "FILE.py:NAME"),
        (["nowhere.py:f"], 3, "nowhere.py"),
        (["nowhere.ring"], 3, "nowhere.ring"),
        ([f"{program}:square", "--machine", "abacus"], 2, "abacus"),
    ]
    for options, expected, part in cases:
        code, out, err = oracle(capsys, *options)
        assert (code, out) == (expected, ""), options
        (line,) = err.splitlines()
        assert part in line


def test_a_program_that_fails_is_not_a_defect_of_ours(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    file = tmp_path / "failing.py"
    file.write_text("import ringwright as rw\n\n@rw.program\ndef f(x):\n    return x * nope\n")
    code, _, err = oracle(capsys, f"{file}:f", "--preset", "4096-2x30")
    assert (code, err) == (2, f"ringwright: {file}:5: NameError: name 'nope' is not defined\n")


def test_a_program_imports_what_lies_beside_it(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    (tmp_path / "beside_the_oracle.py").write_text("def twice(x):\n    return x + x\n")
    (tmp_path / "later_beside_the_oracle.py").write_text("FACTOR = 0.5\n")
    file = tmp_path / "client.py"
    file.write_text(
        "import ringwright as rw\n"
        "from beside_the_oracle import twice\n"
        "small = rw.ckks.Parameters.for_depth(2)\n"
        "@rw.program\n"
        "def f(x):\n"
        "    from later_beside_the_oracle import FACTOR\n"
        "    return twice(x) * FACTOR\n"
    )
    searched = list(sys.path)
    code, out, _ = oracle(capsys, f"{file}:f", "--params", f"{file}:small", "--json")
    assert code == 0
    levels = {each["level"] for each in json.loads(out)["operations"]}
    assert max(levels) == rw.ckks.Parameters.for_depth(2).levels
    assert sys.path == searched


def test_a_program_that_fails_names_its_line(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    (tmp_path / "broken_beside_the_oracle.py").write_text("\n1 / 0\n")
    for name, text, part in [
        ("missing.py", "\nimport no_such_module_anywhere\n", "missing.py:2: ModuleNotFoundError"),
        ("nested.py", "import broken_beside_the_oracle\n", "oracle.py:2: ZeroDivisionError"),
        ("syntax.py", "def f(:\n", "syntax.py: SyntaxError"),
    ]:
        (tmp_path / name).write_text(text)
        code, out, err = oracle(capsys, f"{tmp_path / name}:f")
        assert (code, out) == (2, "")
        (line,) = err.splitlines()
        assert part in line


def test_every_machine_answers(program: Path, capsys: pytest.CaptureFixture[str]) -> None:
    names = ["rpu-128x128", "cpu", "rise-32bfu"]
    options = [word for name in names for word in ("--machine", name)]
    code, out, _ = oracle(capsys, f"{program}:square", *options, "--json")
    assert code == 0
    said = json.loads(out)
    assert [each["machine"] for each in said] == names
    assert [("skipped" in each) for each in said] == [False, True, False]
    printed = oracle(capsys, f"{program}:square", *options)[1]
    assert all(name in printed for name in names)


def test_saved_parameters_are_read(
    program: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    wanted = rw.ckks.Parameters.for_depth(1, precision=10)
    wanted.save(tmp_path / "mine.params")
    options = ["--params", str(tmp_path / "mine.params"), "--json"]
    code, out, _ = oracle(capsys, f"{program}:square", *options)
    assert code == 0
    direct = rw.oracle(Program(lambda x: x * x, name="square"), "rpu-128x128", wanted)
    assert json.loads(out)["cycles"] == direct.cycles
