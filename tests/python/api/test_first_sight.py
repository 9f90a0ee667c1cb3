"""What a session or a notebook shows of an object: short, whole, escaped."""

from __future__ import annotations

from html.parser import HTMLParser

import pytest

import ringwright as rw

#: One line of a terminal and its continuation.
SHORT = 160


@rw.program
def energy(now, before):
    """Sums <squares>."""
    d = now - before
    return (d * d).sum(8)


@pytest.fixture(scope="module")
def run(alice):
    server = rw.Server(alice.keys_for(energy))
    return server.run(energy, alice.encrypt([0.5, 0.25]), alice.encrypt([0.125]))


class Tables(HTMLParser):
    """The cells of each table; every element that opens closes."""

    def __init__(self, page: str) -> None:
        super().__init__()
        self.open: list[str] = []
        self.tables: list[list[list[str]]] = []
        self.feed(page)
        assert self.open == []

    def handle_starttag(self, tag, attrs):
        self.open.append(tag)
        if tag == "table":
            self.tables.append([])
        if tag == "tr":
            self.tables[-1].append([])
        if tag in {"td", "th"}:
            self.tables[-1][-1].append("")

    def handle_endtag(self, tag):
        assert self.open.pop() == tag

    def handle_data(self, data):
        if self.open[-1] in {"td", "th"}:
            self.tables[-1][-1][-1] += data


def test_a_session_shows_one_short_line(run, params):
    explained = energy.explain(params)
    latency = rw.oracle(energy, "rpu-128x128", params)
    for shown in (run, run.ledger, run.timeline, run.schedule, explained, energy, latency):
        assert len(repr(shown)) < SHORT, repr(shown)
        assert "\n" not in repr(shown)
        assert " object at 0x" not in repr(shown)
    assert energy.name in repr(run)
    assert "measured" in repr(run)
    assert f"{latency.cycles:,}" in repr(latency)


def test_a_host_stands_beside_simulated_machines_only(run, alice):
    assert run.host is None
    assert "host" not in repr(run)
    keys = alice.keys_for(energy)
    simulated = rw.Server(keys, "rpu-128x128").run(energy, alice.encrypt([1]), alice.encrypt([0]))
    assert simulated.host.name in repr(simulated)


def test_a_notebook_shows_the_tables(run, params):
    (ledger,) = Tables(run.ledger._repr_html_()).tables
    assert [row[0] for row in ledger[1:-1]] == [entry.stage for entry in run.ledger]
    assert ledger == Tables(run._repr_html_()).tables[0]
    operations = Tables(run._repr_html_()).tables[1]
    assert [row[1] for row in operations[1:]] == [each.op for each in run.operations]
    explained = energy.explain(params)
    rows, costs = Tables(explained._repr_html_()).tables
    assert [row[2] for row in rows[1:]] == [row.op for row in explained.rows]
    assert [row[0] for row in costs[1:]] == [line.line for line in explained.lines]
    assert "Sums &lt;squares&gt;." in energy._repr_html_()
    (inputs,) = Tables(energy._repr_html_()).tables
    assert [row[0] for row in inputs[1:]] == list(energy.input_names)
    assert all(len(row) == len(inputs[0]) for row in inputs)
