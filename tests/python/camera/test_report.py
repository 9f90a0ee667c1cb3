"""The page and its files: self-contained, complete, all or nothing."""

from __future__ import annotations

import base64
import re
import resource
import signal
import struct
import zlib
from html.parser import HTMLParser
from pathlib import Path

import numpy as np
import pytest

from ringwright import camera
from ringwright.camera.clip import CREDIT
from ringwright.camera.report import report
from ringwright.camera.report_time import rate_text, time_text
from ringwright.errors import StorageError
from ringwright.report import png
from ringwright.report.chart import WIDTH
from ringwright.report.files import write_together

VOID = {"meta", "img", "br"}


@pytest.fixture(scope="module")
def page(motion_film: camera.Film, tmp_path_factory: pytest.TempPathFactory) -> str:
    directory = tmp_path_factory.mktemp("report")
    camera.save(motion_film, directory)
    return (directory / "report.html").read_text(encoding="utf-8")


class Balance(HTMLParser):
    """Every element that opens closes, in order."""

    def __init__(self) -> None:
        super().__init__()
        self.open: list[str] = []
        self.loads: list[str] = []

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        if tag not in VOID:
            self.open.append(tag)
        self.loads += [value or "" for name, value in attrs if name in ("src", "href")]

    def handle_startendtag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        pass

    def handle_endtag(self, tag: str) -> None:
        assert self.open.pop() == tag


def test_the_page_is_well_formed_and_loads_nothing(page: str) -> None:
    parser = Balance()
    parser.feed(page)
    assert parser.open == []
    assert parser.loads
    assert all(load.startswith("data:") for load in parser.loads)
    assert "<script" not in page
    assert "url(" not in page
    assert "@import" not in page


def test_the_page_shows_what_it_must(page: str, motion_film: camera.Film) -> None:
    row = motion_film.runs[0].row
    for stage in (entry["stage"] for entry in row["ledger"]):
        assert stage in page
    for words in ("PSNR", "Motion score", "threshold", "measured", "modelled", "busy", "exposed"):
        assert words in page
    assert f"{row['psnr_db']:.1f}" in page
    assert CREDIT in page


def test_every_ledger_row_carries_its_provenance(page: str, motion_film: camera.Film) -> None:
    table = page[page.index("<table>") : page.index("</table>")]
    rows = re.findall(r"<tr><td>.*?</tr>", table)
    ledger = motion_film.runs[0].row["ledger"]
    assert len(rows) == len(ledger) + 1
    for html, entry in zip(rows, ledger, strict=False):
        assert f"<span class='provenance {entry['provenance']}'>" in html


def test_every_operation_shows_its_busy_time(page: str, motion_film: camera.Film) -> None:
    program = page[page.index("The encrypted program") :]
    operations = motion_film.runs[0].row["operations"]
    rows = re.findall(r"<tr><td>.*?</tr>", program)
    assert len(rows) == len(operations)
    for html, operation in zip(rows, operations, strict=True):
        busy = operation["busy_fs"]
        assert (busy is None) == (operation["op"] == "input")
        assert busy is None or time_text(busy) in html


@pytest.fixture(scope="module")
def compared() -> tuple[camera.Film, str]:
    machines = ["cpu", "race", "rise-32bfu-interleaved"]
    options = camera.Options(size=camera.Size(48, 32), frames=2, machines=machines)
    result = camera.film(options)
    return result, report("a film", {"video": "a film"}, result.runs, result.origin)


def test_several_clients_are_compared_once(compared: tuple[camera.Film, str]) -> None:
    result, page = compared
    parser = Balance()
    parser.feed(page)
    assert parser.open == []
    heads = re.findall(r"<h2>(.*?)</h2>", page)
    for once in ("Clients side by side", "What it saw, and what came back", "Conditions"):
        assert heads.count(once) == 1
    assert page.count("<details>") == len(result.runs)
    assert len(re.findall(r"src='data:image/png", page)) == 3 * len(result.runs[0].shots)
    side_by_side = page[: page.index("What it saw")]
    for index, run in enumerate(result.runs):
        label = f"{index + 1} {run.row['name']}"
        assert side_by_side.count(f">{label}<") == 2, "a bar and a strip"
        assert rate_text(run.row["fps"]) in side_by_side
    rates = [rate_text(run.row["fps"]) for run in sorted(result.runs, key=lambda r: r.row["fps"])]
    assert f"3\u00a0clients, {rates[0]} to {rates[-1]} frames a second" in page


def test_nothing_of_a_comparison_lies_outside_its_chart(compared: tuple[camera.Film, str]) -> None:
    page = compared[1]
    chart = page[page.index("Clients side by side") : page.index("Whose time it is")]
    places = [float(x) for x in re.findall(r" x[12]?='([^']+)'", chart)]
    assert places
    assert all(0 <= x <= WIDTH for x in places)
    (ceiling,) = re.findall(r"class='threshold' x1='([^']+)'", chart)
    captions = re.findall(r"class='bar-value' x='([^']+)'[^>]*>([^<]*)<", chart)
    assert all(float(x) - 7 * len(words) > float(ceiling) for x, words in captions)
    ends = re.findall(r"x='([^']+)'[^>]*text-anchor='end'>([^<]*)<", chart)
    assert all(float(x) > 7 * len(words) for x, words in ends if words.startswith(("1", "2", "3")))


def test_pictures_come_back_from_their_png(page: str, motion_film: camera.Film) -> None:
    uris = re.findall(r"src='data:image/png;base64,([^']+)'", page)
    shots = motion_film.runs[0].shots
    assert len(uris) == 3 * len(shots)
    for index, shot in enumerate(shots):
        original = decoded(base64.b64decode(uris[3 * index]))
        assert np.array_equal(original, png.to_8_bits(shot.original))


def test_the_three_files_are_there(motion_film: camera.Film, tmp_path: Path) -> None:
    out = tmp_path / "new" / "camera"
    written = camera.save(motion_film, out)
    names = ["report.html", "results.json", "timeline.perfetto-trace"]
    assert [path.name for path in written] == names
    assert sorted(path.name for path in out.iterdir()) == names
    assert (out / "results.json").read_text() == motion_film.results_json()


def test_a_disk_that_fills_up_leaves_the_old_files(tmp_path: Path) -> None:
    write_together(tmp_path, {"a": b"old a", "b": b"old b"})
    with limited_file_size(1000), pytest.raises(StorageError, match="nothing was written"):
        write_together(tmp_path, {"a": b"new a", "b": bytes(5000)})
    assert {p.name: p.read_bytes() for p in tmp_path.iterdir()} == {"a": b"old a", "b": b"old b"}


def test_a_disk_that_fills_up_leaves_no_new_directory(tmp_path: Path) -> None:
    with limited_file_size(1000), pytest.raises(StorageError):
        write_together(tmp_path / "x" / "y", {"b": bytes(5000)})
    assert list(tmp_path.iterdir()) == []


def test_a_file_where_the_directory_should_be_is_refused(tmp_path: Path) -> None:
    (tmp_path / "out").write_text("here first")
    with pytest.raises(StorageError, match="out: "):
        write_together(tmp_path / "out", {"a": b""})


class limited_file_size:
    """Files cannot grow beyond `size` bytes: what a full disk does, without filling one."""

    def __init__(self, size: int) -> None:
        self.size = size

    def __enter__(self) -> None:
        self.signal = signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
        self.limits = resource.getrlimit(resource.RLIMIT_FSIZE)
        resource.setrlimit(resource.RLIMIT_FSIZE, (self.size, self.limits[1]))

    def __exit__(self, *exception: object) -> None:
        resource.setrlimit(resource.RLIMIT_FSIZE, self.limits)
        signal.signal(signal.SIGXFSZ, self.signal)


def decoded(file: bytes) -> np.ndarray:
    """An 8-bit grey PNG without filters as an array; checks every chunk's checksum."""
    assert file.startswith(b"\x89PNG\r\n\x1a\n")
    chunks, place = {}, 8
    while place < len(file):
        length, kind = struct.unpack_from(">I4s", file, place)
        data = file[place + 8 : place + 8 + length]
        (checksum,) = struct.unpack_from(">I", file, place + 8 + length)
        assert checksum == zlib.crc32(kind + data)
        chunks[kind], place = data, place + 12 + length
    width, height = struct.unpack_from(">II", chunks[b"IHDR"])
    rows = np.frombuffer(zlib.decompress(chunks[b"IDAT"]), np.uint8).reshape(height, width + 1)
    assert not rows[:, 0].any()
    return rows[:, 1:]
