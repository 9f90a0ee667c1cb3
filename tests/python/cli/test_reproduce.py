"""`ringwright reproduce`: a table, JSON with the promised fields, a page with the figures."""

from __future__ import annotations

import itertools
import json
import re
from pathlib import Path
from xml.etree import ElementTree

import pytest

from ringwright.cli.app import run
from ringwright.reproduce import papers
from ringwright.reproduce.claims import claims_of
from ringwright.reproduce.figures import figures_of
from ringwright.reproduce.verdict import VERDICTS

FIELDS = {
    "id",
    "quantity",
    "published",
    "ours",
    "unit",
    "deviation",
    "tolerance",
    "provenance",
    "verdict",
    "independent",
}


@pytest.mark.parametrize("paper", papers())
def test_json_lists_every_claim_with_its_fields(
    paper: str, capsys: pytest.CaptureFixture[str]
) -> None:
    assert run(["reproduce", paper, "--json"]) == 0
    *claims, last = json.loads(capsys.readouterr().out)
    assert claims
    for claim in claims:
        assert set(claim) >= FIELDS
        assert claim["verdict"] in VERDICTS
    counted = [claim for claim in claims if claim["independent"]]
    reproduced = [claim for claim in counted if claim["verdict"] == "reproduced"]
    count = {"reproduced": len(reproduced), "of": len(counted)}
    assert last == {"id": f"{paper}.independent", **count}


def test_the_table_prints_misses_with_their_reasons(capsys: pytest.CaptureFixture[str]) -> None:
    assert run(["reproduce", "race"]) == 0
    printed = capsys.readouterr().out
    words = ("figure-6", "published", "ours", "deviation", "tolerance", "verdict", "calibrated")
    for word in (*words, "derived", "by-construction", "miss", "independent: "):
        assert word in printed
    assert "one butterfly" in printed


def test_the_page_holds_figures_and_claims(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert run(["reproduce", "rise", "--out", str(tmp_path / "out")]) == 0
    page = (tmp_path / "out" / "report.html").read_text(encoding="utf-8")
    assert "report.html" in capsys.readouterr().out
    assert page.count("<svg") >= 8
    assert "Figure 3-9" in page
    for direction in ("message to ciphertext", "ciphertext to message"):
        title = f"Figure 3-5: {direction}, speed-ups"
        drawn = page[page.index(title) : page.index("</section>", page.index(title))]
        claimed = [
            claim.published
            for claim in claims_of("rise")
            if claim.ours.get("study") == "speedup"
            and "core" not in claim.ours
            and claim.ours["direction"] == direction[0] + "2" + direction.split()[-1][0]
        ]
        marks = re.findall(r"<title>published: ([^<]*)</title>", drawn)
        assert [float(mark) for mark in marks] == [float(f"{value:.4g}") for value in claimed]
        assert drawn.count("<rect") == len(claimed)
    assert "http" not in page.replace("http://www.w3.org", "")


def test_an_unknown_paper_is_one_line_that_names_the_known(
    capsys: pytest.CaptureFixture[str],
) -> None:
    assert run(["reproduce", "heax"]) == 2
    (line,) = capsys.readouterr().err.splitlines()
    assert "race, rise, tax-he" in line


def test_hosts_are_listed_with_the_machines(capsys: pytest.CaptureFixture[str]) -> None:
    assert run(["machines", "--json"]) == 0
    hosts = {host["name"]: host for host in json.loads(capsys.readouterr().out)["hosts"]}
    assert "butterfly" in hosts["blackparrot-measured"]["operations"]
    assert hosts["blackparrot-measured"]["missing"] == []


def test_a_figure_is_a_file_that_stands_alone(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert run(["reproduce", "rpu", "--figure", "6c", "--out", str(tmp_path)]) == 0
    files = capsys.readouterr().out.split()
    assert [Path(file).name for file in files] == ["rpu-6c.svg", "rpu-6c.png"]
    drawn, pixels = (Path(file).read_bytes() for file in files)
    assert pixels.startswith(b"\x89PNG")
    assert len(pixels) > 10_000
    root = ElementTree.fromstring(drawn)
    assert root.tag == "{http://www.w3.org/2000/svg}svg"
    text = drawn.decode()
    # Its colours are its own, and what is printed stands beside ours.
    assert "var(--" not in text
    for word in ("published, 49.18 uJ", "ours, compiled", "LAW", "SBAR"):
        assert word in text
    assert run(["reproduce", "rpu", "--figure", "6d", "--out", str(tmp_path)]) == 2
    assert "of rpu there are 4, 5, 6a, 6b, 6c, 7, 8, 9, 10, 11" in capsys.readouterr().err
    assert run(["reproduce", "rpu", "--figure", "5"]) == 2


def test_every_figure_has_a_number_and_panels_of_one_stand_together() -> None:
    for paper in papers():
        numbers = [figure.number for figure in figures_of(paper)]
        assert numbers
        together = [number for number, _ in itertools.groupby(numbers)]
        assert len(together) == len(set(together))
