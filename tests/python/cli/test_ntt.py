"""`ringwright ntt`: what it prints is what the machine did; machines without the unit say so."""

from __future__ import annotations

import json
import re
from pathlib import Path

import pytest

import ringwright as rw
from ringwright import _ringwright as native
from ringwright.cli.app import run

WITH = [target for target in rw.targets() if target.has_transform]
SHIPPED = ("rise-32bfu", "rise-32bfu-interleaved")
WITHOUT = [target for target in rw.targets() if not target.has_transform]


def ntt(capsys: pytest.CaptureFixture[str], *options: str) -> tuple[int, str, str]:
    code = run(["ntt", *options])
    printed = capsys.readouterr()
    return code, printed.out, printed.err


def test_json_has_the_promised_keys(capsys: pytest.CaptureFixture[str]) -> None:
    code, out, _ = ntt(capsys, "--n", "1024", "--machine", "rise-32bfu", "--json")
    row = json.loads(out)
    promised = "order cycles bound_cycles published_cycles utilisation correct machine provenance"
    assert code == 0
    assert set(promised.split()) <= set(row)
    assert (row["machine"], row["n"]) == ("rise-32bfu", 1024)
    assert row["correct"] is True
    assert row["provenance"] == "simulated"
    assert row["prime"] % (2 * row["n"]) == 1
    assert 0 < row["utilisation"] == max(row["units"].values()) <= 1


def test_drained_stages_are_every_product_and_a_drain_a_stage(
    capsys: pytest.CaptureFixture[str],
) -> None:
    values = rw.machine("rise-32bfu").values
    units, latency = int(values["bfus"]), int(values["bfu_latency"])
    drain = 4
    for log_n in (8, 10, 12):
        n = 1 << log_n
        _, out, _ = ntt(capsys, "--n", str(n), "--machine", "rise-32bfu", "--json")
        products = n // 2 * log_n + n - 1
        drained = products / units + (latency + drain) * log_n
        assert json.loads(out)["drained_cycles"] == pytest.approx(drained, abs=1)


@pytest.mark.parametrize("machine", [*SHIPPED])
def test_what_is_called_a_bound_is_never_beaten(
    machine: str, capsys: pytest.CaptureFixture[str]
) -> None:
    for log_n in (8, 9, 10, 12):
        row = json.loads(ntt(capsys, "--n", str(1 << log_n), "--machine", machine, "--json")[1])
        assert row["bound_cycles"] <= row["cycles"]
    overlaps = rw.machine(machine).values["twiddle_batches"] > 1
    # The machine that made the yardstick look like a bound goes below it, and that has a name.
    assert (row["cycles"] < row["drained_cycles"]) == overlaps


def test_the_table_names_bound_paper_and_provenance(capsys: pytest.CaptureFixture[str]) -> None:
    code, out, _ = ntt(capsys, "--machine", "rise-32bfu")
    assert code == 0
    for word in ("bound", "the paper", "published", "simulated", "table 3.1"):
        assert word in out


def test_the_range_of_a_paper_stands_beside_ours(capsys: pytest.CaptureFixture[str]) -> None:
    """Ours, ours strictly, the bound and the paper, and whether a search found the orders."""
    options = ["--n", "2048", "--machine", "rpu-128x128"]
    code, out, _ = ntt(capsys, *options)
    row = json.loads(ntt(capsys, *options, "--json")[1])
    strict, values = row["strict"], rw.machine("rpu-128x128-strict").values
    assert code == 0
    assert (row["schedule"], strict["schedule"]) == ("tuned", "untuned")
    assert row["bound_cycles"] <= row["cycles"] <= strict["cycles"]
    open_ = rw.machine("rpu-128x128").values
    assert set(strict["parameters"]) == {key for key in values if values[key] != open_[key]}
    itself = json.loads(ntt(capsys, *options[:-1], "rpu-128x128-strict", "--json")[1])
    assert (itself["cycles"], itself["strict"]) == (strict["cycles"], None)
    said = next(line for line in out.splitlines() if "read strictly" in line)
    assert f"{strict['cycles']:,}" in said
    assert "strictly  untuned schedule; read otherwise: " in out


def of_a_program(machine: str, log_n: int, prime: int) -> int:
    """Cycles of the transform in a ring program, as its listing says them."""
    text = (
        f"log_n {log_n}\nprime q0 = {prime}\nentry main\n"
        "ring main(a: poly[q0; coeff]) -> poly[q0; eval] {\n  r = ntt a\n  return r\n}"
    )
    kernel = native.lower(native.Backend(rw.machine(machine)), native.Module.parse(text))
    ((_, listing),) = kernel.listings()
    said = re.search(r"(\d+) cycles", listing)
    assert said is not None
    return int(said[1])


@pytest.mark.parametrize("log_n", [10, 12, 16])
def test_in_order_it_is_the_transform_of_a_program(
    log_n: int, capsys: pytest.CaptureFixture[str]
) -> None:
    machine = "rpu-128x128"
    options = ["--n", str(1 << log_n), "--machine", machine]
    _, out, _ = ntt(capsys, *options)
    row = json.loads(ntt(capsys, *options, "--json")[1])
    assert row["cycles"] == of_a_program(machine, log_n, row["prime"])
    assert (row["order"], row["published_cycles"]) == ("in-order", None)
    assert "words in order" in out
    assert "--order any" in out


def test_the_papers_number_stands_beside_a_transform_alone(
    capsys: pytest.CaptureFixture[str],
) -> None:
    options = ["--n", "1024", "--machine", "rpu-128x128", "--order", "any"]
    _, out, _ = ntt(capsys, *options)
    row = json.loads(ntt(capsys, *options, "--json")[1])
    assert (row["order"], row["correct"]) == ("any", True)
    assert row["published_cycles"] is not None
    assert "words in any order" in out
    assert row["published_source"] in out


def test_a_machine_with_one_order_of_words_takes_it(capsys: pytest.CaptureFixture[str]) -> None:
    options = ["--n", "1024", "--machine", "rise-32bfu", "--json"]
    rows = [json.loads(ntt(capsys, *options, "--order", o)[1]) for o in ("in-order", "any")]
    assert rows[0] == rows[1]
    assert rows[0]["order"] is None


def test_an_order_that_is_none_is_refused(capsys: pytest.CaptureFixture[str]) -> None:
    code, out, err = ntt(capsys, "--order", "reversed")
    assert (code, out) == (2, "")
    assert "order = reversed, allowed: in-order, any" in err


def test_what_is_resident_is_said_and_what_it_costs_otherwise(
    capsys: pytest.CaptureFixture[str],
) -> None:
    options = ["--n", "2048", "--machine", "rpu-128x128"]
    _, out, _ = ntt(capsys, *options)
    row = json.loads(ntt(capsys, *options, "--json")[1])
    values, resident = rw.machine("rpu-128x128").values, row["resident_bytes"]

    def transfer(count: int) -> int:
        of_cycle = int(values["dma_bits_per_second"]) * int(values["clock_fs"])
        return int(values["dma_latency"]) + -(-8 * count * 10**15 // of_cycle)

    tower = row["n"] * int(values["word_bits"]) // 8
    assert resident["operand"] == tower
    assert row["moved_cycles"] == row["cycles"] + 2 * transfer(tower)
    rest = (resident[key] for key in ("factors", "scalars", "program"))
    assert row["cold_cycles"] == row["moved_cycles"] + sum(map(transfer, rest))
    for said in ("resident  operand", "moved ", "cold "):
        assert said in out


def test_the_listing_is_the_program_with_its_start_cycles(
    capsys: pytest.CaptureFixture[str],
) -> None:
    options = ["--n", "1024", "--machine", "rpu-128x128"]
    _, out, _ = ntt(capsys, *options, "--listing")
    lines = [line.split(maxsplit=2) for line in out.splitlines()]
    code, out, _ = ntt(capsys, *options, "--listing", "--json")
    row = json.loads(out)
    assert code == 0
    assert row["instructions"] == len(lines) == len(row["listing"])
    placed = [(int(start), unit, text) for start, unit, text in lines]
    assert placed == [(each["start"], each["unit"], each["instruction"]) for each in row["listing"]]
    starts: dict[str, list[int]] = {}
    for start, unit, _ in placed:
        starts.setdefault(unit, []).append(start)
    assert set(starts) == {"load_store", "compute", "shuffle"}
    for of_unit in starts.values():
        assert of_unit == sorted(of_unit)
        assert of_unit[-1] < row["cycles"]


def test_every_cycle_of_every_unit_has_a_reason(capsys: pytest.CaptureFixture[str]) -> None:
    _, out, _ = ntt(capsys, "--n", "1024", "--machine", "rpu-128x128", "--json")
    row = json.loads(out)
    total: dict[str, int] = {}
    for stall in row["stalls"]:
        total[stall["unit"]] = total.get(stall["unit"], 0) + stall["cycles"]
    assert total == dict.fromkeys(("front_end", *row["units"]), row["cycles"])


def test_a_machine_without_instructions_has_no_listing(capsys: pytest.CaptureFixture[str]) -> None:
    code, _, err = ntt(capsys, "--machine", "rise-32bfu", "--listing")
    assert code == 2
    assert "no instructions" in err


@pytest.mark.parametrize("target", WITHOUT, ids=lambda target: target.name)
def test_a_target_without_the_unit_is_skipped_with_the_reason(
    target: rw.Target, capsys: pytest.CaptureFixture[str]
) -> None:
    assert "skipped: " in ntt(capsys, "--machine", target.default_machine)[1]
    code, out, _ = ntt(capsys, "--machine", target.default_machine, "--json")
    assert code == 0
    assert target.name in json.loads(out)["skipped"]


@pytest.mark.parametrize("target", WITH, ids=lambda target: target.name)
@pytest.mark.parametrize(
    ("options", "part"),
    [
        (["--n", "1000"], "power of two"),
        (["--n", "1048576"], "N = 1048576"),
        (["--prime", "1000"], "1000"),
        (["--prime", str((1 << 62) - 1)], str((1 << 62) - 1)),
        (["--n", "-4"], "-4"),
    ],
)
def test_what_does_not_fit_is_one_line_and_two(
    target: rw.Target, options: list[str], part: str, capsys: pytest.CaptureFixture[str]
) -> None:
    code, out, err = ntt(capsys, "--machine", target.default_machine, *options)
    assert (code, out) == (2, "")
    (line,) = err.splitlines()
    assert part in line


@pytest.mark.parametrize("options", [[], ["--inverse"]], ids=["forward", "inverse"])
def test_a_transform_is_written_as_c(
    options: list[str], tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    path = tmp_path / "ntt_1024.c"
    code, out, err = ntt(capsys, "--n", "1024", "--c", str(path), *options)
    assert (code, out) == (0, "")
    assert "ntt_1024" in err
    text = path.read_text()
    assert "void ntt_1024(ntt_1024_word *words" in text
    assert ("inverse" if options else "forward") in text.splitlines()[0]


@pytest.mark.parametrize(
    ("options", "part"),
    [
        (["--n", "1000", "--c", "ntt.c"], "power of two"),
        (["--n", "1048576", "--c", "ntt.c"], "2 to 17"),
        (["--n", "1024", "--c", "7up.c"], "identifier"),
        (["--inverse"], "goes with --c"),
    ],
)
def test_what_cannot_be_written_as_c_is_refused(
    options: list[str], part: str, capsys: pytest.CaptureFixture[str]
) -> None:
    code, out, err = ntt(capsys, *options)
    assert (code, out) == (2, "")
    assert part in err
    assert not Path(options[-1]).exists()
