"""`ringwright rtl`: what is written, what is refused, nothing half done. `hw/test_package.py` runs
what is written."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

import ringwright as rw
from ringwright import checkout
from ringwright.cli.app import run


def listed(folder: Path) -> dict[str, bytes]:
    files = (path for path in folder.rglob("*") if path.is_file())
    return {path.relative_to(folder).as_posix(): path.read_bytes() for path in files}


def test_a_package_is_the_same_every_time(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert run(["rtl", "rise-1bfu", "--out", str(tmp_path / "a"), "--json"]) == 0
    first = listed(tmp_path / "a")
    assert sorted(first) == sorted([*json.loads(capsys.readouterr().out)["files"], "Makefile"])
    assert run(["rtl", "rise-1bfu", "--out", str(tmp_path / "b")]) == 0
    assert listed(tmp_path / "b") == first
    assert run(["rtl", "rise-1bfu", "--out", str(tmp_path / "b"), "--seed", "2"]) == 0
    second = listed(tmp_path / "b")
    changed = {name for name in first if first[name] != second[name]}
    assert changed
    assert changed <= {n for n in first if n.endswith((".hex", "package.toml"))}


def test_sources_are_complete_and_in_order(tmp_path: Path) -> None:
    folder = rw.rtl.package("rise-4bfu", tmp_path / "out")
    sources = (folder / "sources.f").read_text().split()
    assert all((folder / source).exists() for source in sources)
    assert sources[-1] == "rtl/rise.sv"
    assert sources.index("rtl/rise_pkg.sv") < sources.index("rtl/rise_control.sv")


def test_what_is_not_ours_stays(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (tmp_path / "notes.txt").write_text("mine")
    assert run(["rtl", "rise-1bfu", "--out", str(tmp_path)]) == 3
    assert "no package" in capsys.readouterr().err
    assert listed(tmp_path) == {"notes.txt": b"mine"}


def test_a_failure_leaves_the_old_package(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    out = rw.rtl.package("rise-1bfu", tmp_path / "out")
    before = listed(out)
    packages = checkout.harness("package")

    def full(*_: object) -> None:
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(packages, "_write_vectors", full)
    with pytest.raises(rw.StorageError, match="No space left"):
        rw.rtl.package("rise-4bfu", out)
    assert listed(out) == before
    assert list(tmp_path.iterdir()) == [out]


def test_a_machine_without_rtl(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert run(["rtl", "cpu", "--out", str(tmp_path / "out")]) == 2
    assert "has no RTL" in capsys.readouterr().err
    assert not (tmp_path / "out").exists()


def test_a_wheel_says_where_the_rtl_is(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(checkout, "_HARDWARE", tmp_path)
    with pytest.raises(rw.MissingToolError, match="checkout"):
        rw.rtl.package("rise-1bfu", tmp_path / "out")
