"""`ringwright rpu asm` and `disasm`: text to an image and back; errors say where."""

from __future__ import annotations

import json
from pathlib import Path

import numpy as np
import pytest

import ringwright as rw
from ringwright.cli.app import run

ROOT = Path(__file__).resolve().parents[3]
PROGRAM = ROOT / "crates/target-rpu/tests/programs/one_product.b512"


def rpu(capsys: pytest.CaptureFixture[str], *arguments: object) -> tuple[int, str, str]:
    code = run(["rpu", *map(str, arguments)])
    printed = capsys.readouterr()
    return code, printed.out, printed.err


def instructions(text: str) -> list[str]:
    lines = (" ".join(line.split("#")[0].split()) for line in text.splitlines())
    return [line for line in lines if line and not line.startswith(".")]


def test_an_image_disassembles_to_the_instructions(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    image = tmp_path / "image.bin"
    code, out, err = rpu(capsys, "asm", PROGRAM, "--out", image)
    assert (code, out) == (0, "")
    assert "words of data are not part of it" in err
    code, out, _ = rpu(capsys, "disasm", image)
    assert code == 0
    assert out.splitlines() == instructions(PROGRAM.read_text())


def test_the_listing_has_word_and_text_of_every_instruction(
    capsys: pytest.CaptureFixture[str],
) -> None:
    _, listing, _ = rpu(capsys, "asm", PROGRAM)
    code, out, _ = rpu(capsys, "asm", PROGRAM, "--json")
    rows = json.loads(out)["instructions"]
    assert code == 0
    assert [row["text"] for row in rows] == instructions(PROGRAM.read_text())
    for line, row in zip(listing.splitlines(), rows, strict=True):
        assert f"{row['word']:016x}  {row['text']}" in line
        assert row["text"].split()[0] in PROGRAM.read_text().splitlines()[row["line"] - 1]


def test_an_error_names_file_line_and_column(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    wrong = tmp_path / "wrong.b512"
    wrong.write_text("vbcast v0, s0\n  vbcats v1, s0\n")
    code, out, err = rpu(capsys, "asm", wrong)
    assert (code, out) == (2, "")
    assert f"{wrong}: line 2, column 3: `vbcats` is no instruction" in err


@pytest.mark.parametrize("content", [bytes(8), bytes(7)], ids=["opcode 0", "cut"])
def test_what_is_no_image_is_refused(
    content: bytes, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    image = tmp_path / "image.bin"
    image.write_bytes(content)
    code, out, err = rpu(capsys, "disasm", image)
    assert (code, out) == (2, "")
    assert str(image) in err


def test_a_missing_file_is_one_line(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    code, _, err = rpu(capsys, "asm", tmp_path / "none.b512")
    assert code == 3
    assert err.count("\n") == 1


MACHINE = next(ROOT.glob("machines/**/rpu-128x128.toml"))
RESULTS = 1024


def test_a_run_says_where_every_cycle_of_every_unit_went(
    capsys: pytest.CaptureFixture[str],
) -> None:
    code, out, _ = rpu(capsys, "run", PROGRAM, "--machine", MACHINE, "--json")
    ran = json.loads(out)
    assert (code, ran["machine"]) == (0, "rpu-128x128")
    units = {row["unit"] for row in ran["stalls"]}
    assert units == {"front_end", "load_store", "compute", "shuffle"}
    for unit in units:
        cycles = sum(row["cycles"] for row in ran["stalls"] if row["unit"] == unit)
        assert cycles == ran["cycles"]
    code, out, _ = rpu(capsys, "run", PROGRAM, "--machine", MACHINE)
    assert code == 0
    assert out.startswith(f"rpu-128x128: {ran['cycles']} cycles")
    assert ran["clock_provenance"] == rw.machine("rpu-128x128").clock_provenance
    assert f"the clock is {ran['clock_provenance']}" in out.splitlines()[0]


def test_a_clock_that_a_file_does_not_vouch_for_is_modelled(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    lines = [row for row in MACHINE.read_text().splitlines() if "clock_provenance" not in row]
    mine = tmp_path / "mine.toml"
    mine.write_text("\n".join(lines))
    _, out, _ = rpu(capsys, "run", PROGRAM, "--machine", mine, "--json")
    assert json.loads(out)["clock_provenance"] == "modelled"


@pytest.mark.parametrize("kind", ["hex", "npy"])
def test_memories_are_read_and_written(
    kind: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    before, after = tmp_path / f"before.{kind}", tmp_path / f"after.{kind}"
    words = [7, 0, 0, 0, 90]
    if kind == "hex":
        before.write_text("".join(f"{word:x}  // a word\n" for word in words))
    else:
        np.save(before, np.array(words, np.uint64))
    files = ("--vdm", before, "--out", after)
    code, _, err = rpu(capsys, "run", PROGRAM, "--machine", MACHINE, *files)
    assert (code, err) == (0, "")
    if kind == "hex":
        found = [int(line, 16) for line in after.read_text().splitlines()]
    else:
        found = [int(low) for low, _ in np.load(after)]
    # The program's own data overwrite the first four.
    assert found[RESULTS : RESULTS + 5] == [3 * x % 97 for x in (1, 2, 3, 4, 90)]


def test_a_trace_is_a_timeline_and_a_pipeline_log(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    rpu(capsys, "run", PROGRAM, "--machine", MACHINE, "--trace", tmp_path)
    log = (tmp_path / "one_product.kanata").read_text().splitlines()
    assert log[0] == "Kanata\t0004"
    count = len(instructions(PROGRAM.read_text()))
    for line in ("I", "R"):
        assert sum(row.startswith(f"{line}\t") for row in log) == count
    assert (tmp_path / "one_product.perfetto-trace").stat().st_size > 0


@pytest.mark.parametrize(
    ("wrong", "said"),
    [
        ("vload v0, a0, 1048575", ":1: instruction 0: touches addresses 1048575 to 1049086"),
        ("vadd v0, v1, v2, m3", ":1: instruction 0: m3 has not been loaded"),
        ("vadd v0, v1, v17, m3", ":1: instruction 0: v1 and v17 lie in memory 1"),
        ("mload m0, 0\n.sdm 0: 96, 0", ":1: instruction 0: modulus 96: allowed are odd numbers"),
    ],
)
def test_a_program_is_refused_with_line_and_instruction(
    wrong: str, said: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    program = tmp_path / "wrong.b512"
    program.write_text(wrong + "\n")
    code, out, err = rpu(capsys, "run", program, "--machine", MACHINE)
    assert (code, out) == (2, "")
    assert f"{program}{said}" in err


def test_a_memory_file_that_is_none_is_refused_by_line(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    wrong = tmp_path / "wrong.hex"
    wrong.write_text("1\nxyz\n")
    code, _, err = rpu(capsys, "run", PROGRAM, "--machine", MACHINE, "--vdm", wrong)
    assert code == 2
    assert f"{wrong}:2: 'xyz' is no word" in err
