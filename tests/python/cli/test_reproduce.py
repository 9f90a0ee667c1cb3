"""`ringwright reproduce`: a table, JSON with the promised fields, a page with the figures."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from ringwright.cli.app import run
from ringwright.reproduce import papers
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
}


@pytest.mark.parametrize("paper", papers())
def test_json_lists_every_claim_with_its_fields(
    paper: str, capsys: pytest.CaptureFixture[str]
) -> None:
    assert run(["reproduce", paper, "--json"]) == 0
    claims = json.loads(capsys.readouterr().out)
    assert claims
    for claim in claims:
        assert set(claim) >= FIELDS
        assert claim["verdict"] in VERDICTS


def test_the_table_prints_misses_with_their_reasons(capsys: pytest.CaptureFixture[str]) -> None:
    assert run(["reproduce", "race"]) == 0
    printed = capsys.readouterr().out
    for word in ("figure-6", "published", "ours", "deviation", "verdict", "calibrated", "miss"):
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
    assert "http" not in page.replace("http://www.w3.org", "")


def test_an_unknown_paper_is_one_line_that_names_the_known(
    capsys: pytest.CaptureFixture[str],
) -> None:
    assert run(["reproduce", "medha"]) == 2
    (line,) = capsys.readouterr().err.splitlines()
    assert "race, rise, tax-he" in line


def test_hosts_are_listed_with_the_machines(capsys: pytest.CaptureFixture[str]) -> None:
    assert run(["machines", "--json"]) == 0
    hosts = {host["name"]: host for host in json.loads(capsys.readouterr().out)["hosts"]}
    assert "butterfly" in hosts["blackparrot-measured"]["operations"]
    assert "keccak_permutation" in hosts["blackparrot-measured"]["missing"]
