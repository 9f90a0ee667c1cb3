"""`ringwright rpu asm` and `disasm`: text to an image and back; errors say where."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

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
    assert (code, out) == (1, "")
    assert f"{wrong}: line 2, column 3: `vbcats` is no instruction" in err


@pytest.mark.parametrize("content", [bytes(8), bytes(7)], ids=["opcode 0", "cut"])
def test_what_is_no_image_is_refused(
    content: bytes, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    image = tmp_path / "image.bin"
    image.write_bytes(content)
    code, out, err = rpu(capsys, "disasm", image)
    assert (code, out) == (1, "")
    assert str(image) in err


def test_a_missing_file_is_one_line(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    code, _, err = rpu(capsys, "asm", tmp_path / "none.b512")
    assert code == 1
    assert err.count("\n") == 1
